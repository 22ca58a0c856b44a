"""What makes the lessons a course: the exercises, progress, and the route to the notebooks."""
