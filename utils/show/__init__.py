"""Show arrays as pictures: figures, tables and live controls."""
