"""The transformer in NumPy, with the paper's letters.

Numbers may be lists or arrays. What does not fit, NaN, infinity, and a result beyond float64 are refused in one
sentence that names the argument and its shape: by a ValueError, or a TypeError where it is of another kind (see
`arrays.py`). The docstrings name only what else is refused.
"""
