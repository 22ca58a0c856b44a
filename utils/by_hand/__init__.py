"""The transformer in NumPy, with the paper's letters."""
