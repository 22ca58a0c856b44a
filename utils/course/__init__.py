"""The parts that turn the lessons into a course: exercises, progress, and the build of the notebooks."""
