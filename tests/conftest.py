"""What every test needs: progress of its own, never the student's, and time."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import settings

# At import time, since the kernels that nbval starts inherit it.
os.environ["COURSE_PROGRESS"] = str(Path(tempfile.mkdtemp()) / "progress.json")

# The usual 200 ms a test example would make a busy machine a failure.
settings.register_profile("course", deadline=None)
settings.load_profile("course")
