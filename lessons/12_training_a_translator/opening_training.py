"""The opening figure of lesson 12: the loss of a training run, and what the model writes by then."""

from __future__ import annotations

from lessons.saved_runs import RUN_STEPS, WATCHED, WATCHED_EVERY, watched_run
from utils.data.gloss import gloss_of_sentence
from utils.show.live import Drawing, Note, Panel
from utils.show.shapes import arrows, bars, curve, dots, paths, words

_LEFT, _RIGHT, _ZERO, _UNIT = 30, 350, 106, 13.5  # pixels: step 0 and the last, the height of a loss of 0, and of 1
_MOST, _FULL = 6, 356  # the largest loss of the axis, and pixels of a bar of 100 %
_WRITES = "the model writes “{}”, word for word"
_WROTE, _MIDDLE, _SHARE = 176, 160, 222  # pixels: the left of what the model writes, its middle, the bar of the share


def translates_after(steps: int) -> list[Panel]:
    """Return the run's loss, and after `steps` steps the model's translation and its share of right ones, as words too.

    steps: a multiple of WATCHED_EVERY, up to RUN_STEPS.
    """
    run, n = watched_run(), steps // WATCHED_EVERY - 1
    loss, share, text = run.losses[n], round(100 * run.scores[n]), run.texts[n]
    read = gloss_of_sentence(text).rstrip(".")
    right = text == run.texts[-1]
    told = "the sentence is right" if right else _WRITES.format(read) if text else "the model writes nothing"
    longest = max((_WRITES.format(gloss_of_sentence(other)) for other in run.texts), key=len)
    told, room = (
        f"After {{}} steps, {part}, and {{}}\N{NO-BREAK SPACE}% of new sentences are exactly right."
        for part in (told, longest)
    )
    note = Note(told, room=room, values=[steps, share])
    made = _axes() + _losses(run.losses, n)
    made += bars("l30", [(2, _MIDDLE - 27, 150, 54)], 6) + words("i", 77, _MIDDLE + 5, WATCHED, 14)
    made += arrows("s", [(155, _MIDDLE, 172, _MIDDLE)])
    made += bars("o20", [(_WROTE, _MIDDLE - 27, 182, 54)], 6)
    middle = _WROTE + 91
    if text:
        isolated = f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"  # else its full stop leads it
        made += words("i", middle, _MIDDLE - 4, isolated, 17, True) + words("s", middle, _MIDDLE + 18, f"({read})", 14)
    else:
        made += words("s", middle, _MIDDLE + 5, "(nothing)", 14)
    made += words("s", 2, _SHARE - 8, "new sentences exactly right", 14, at="start")
    made += words("i", 358, _SHARE - 8, f"{share} %", 15, True, at="end")
    made += bars("l30", [(2, _SHARE, _FULL, 14)], 3) + bars("a", [(2, _SHARE, _FULL * run.scores[n], 14)], 3)
    alt = f"{note.text()} The loss is {loss:.2f}."
    return [Drawing(made, (360, _SHARE + 18), alt), note]


def _axes() -> str:
    made = words("s", 2, 14, "loss", 14, at="start") + paths(
        "l", [f"M{_LEFT} {_at(0, _MOST)[1]}V{_ZERO}H{_RIGHT}"], 1.5
    )
    for loss in range(0, _MOST + 1, 2):
        made += words("s", _LEFT - 8, _ZERO - _UNIT * loss + 5, str(loss), 13, at="end")
    for step in range(0, RUN_STEPS, 100):
        made += words("s", _at(step, 0)[0], _ZERO + 17, str(step), 13)
    return made + words("s", 358, _ZERO + 17, f"{RUN_STEPS} steps", 13, at="end")


def _losses(losses: list[float], n: int) -> str:
    """Draw the run's losses, those up to number `n` strong, and this one as a dot with its number."""
    points = [_at(WATCHED_EVERY * (i + 1), loss) for i, loss in enumerate(losses)]
    heights, (x, y) = [height for _, height in points], points[n]
    made = curve("q35", heights, points[0][0], points[-1][0])
    made += curve("q", heights[: n + 1], points[0][0], x) if n else ""
    side, at = (10, "start") if x < 280 else (0, "end")
    return made + dots("q", [(x, y)]) + words("q", x + side, y - 9, f"{losses[n]:.2f}", 15, True, at=at)


def _at(step: int, loss: float) -> tuple[float, float]:
    return _LEFT + (_RIGHT - _LEFT) * step / RUN_STEPS, _ZERO - _UNIT * loss
