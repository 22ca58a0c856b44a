"""What the lessons stand on: the transformer by hand, its pictures, and the course around them."""
