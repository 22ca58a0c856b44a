"""What makes the lessons a course: the ledger, the exercises, progress, and the route to the notebooks."""
