"""What the eye sees: figures, tables and live controls. Arrays in, pictures out."""
