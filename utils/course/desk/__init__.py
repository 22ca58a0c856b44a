"""Tasks to compute with a pencil, whose numbers are typed in and judged."""

from __future__ import annotations

from utils.course.desk.pencil import pencil

__all__ = ["pencil"]
