"""Train and use a model: batches, the training loop, decoding."""
