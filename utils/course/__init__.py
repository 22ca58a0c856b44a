"""What makes the lessons a course: the exercises, progress, and the road to the notebooks."""
