"""Print one line for each goal of a measurement."""

from __future__ import annotations


def met(what: str, measured: float, limit: float, at_least: bool = False) -> bool:
    """Print the measured multiple beside its goal; return whether the goal was met."""
    reached = measured >= limit if at_least else measured <= limit
    print(
        f"  {what:42} {measured:6.2f} ×   at {'least' if at_least else 'most'} {limit:g}: {'yes' if reached else 'NO'}"
    )
    return reached
