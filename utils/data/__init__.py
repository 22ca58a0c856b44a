"""The texts, pairs of sentences and small matrices that more than one lesson uses, and their vocabulary."""
