"""Pencil tasks: the student computes on paper and types the numbers in, and the task judges them."""

from __future__ import annotations

from utils.course.desk.pencil import pencil

__all__ = ["pencil"]
