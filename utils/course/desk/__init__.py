"""For the desk: tasks with a pencil, a mock exam, the sheet of formulas, and a worksheet for each lesson."""

from __future__ import annotations

from utils.course.desk.exam import exam
from utils.course.desk.pencil import pencil

__all__ = ["exam", "pencil"]
