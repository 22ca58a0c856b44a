"""What makes the lessons a course: the ledger, the exercises, progress, and the road to the notebooks."""
