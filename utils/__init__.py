"""The library of the lessons: the transformer by hand, its pictures, and the course around them."""
