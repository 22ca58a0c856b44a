"""What the five lecture notes say, note by note, as entries of the ledger, and on which line each stands."""

import utils.course.ledger  # noqa: F401  it loads these modules one after the other, whichever is asked for first
