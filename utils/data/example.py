"""N3's running example: three tokens, and the weights that give the note's own scores and values.

The note prints X and W_K and leaves W_Q and W_V blank. W_V is the one of the example that the note
follows (Raimi Karim, "Illustrated: Self-Attention", 2019): it gives the legible value [1, 2, 3].
W_Q is ours: with it the printed W_K gives the printed scores [2, 4, 4].
"""

import numpy as np

X = np.array([[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]], dtype=float)
W_Q = np.array([[0, 0, 1], [1, 0, 0], [0, 0, 0], [0, 1, 0]], dtype=float)
W_K = np.array([[0, 0, 1], [1, 0, 1], [0, 1, 1], [1, 1, 1]], dtype=float)
W_V = np.array([[0, 2, 0], [0, 3, 0], [1, 0, 3], [1, 1, 0]], dtype=float)
