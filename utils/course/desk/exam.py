"""`exam`: sixty minutes on paper, with the key behind it; each seed gives other numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from utils.by_hand.decoder import shift_right
from utils.course.desk.paper import GAP, Paper, Sheet, lines, matrix, numbers, table
from utils.course.desk.task import Task
from utils.course.desk.tasks import make
from utils.require import is_whole

START, END = 1, 2
_APART = 1000  # from the seeds that the lessons show


@dataclass(frozen=True)
class Part:
    """One question of the exam with its key; a point for each minute."""

    title: str
    minutes: int
    asks: str
    key: str


@dataclass(frozen=True)
class Sizes:
    """The sizes of a transformer for translation, all different."""

    n: int  # tokens of the source
    m: int  # tokens of the target
    d_model: int
    heads: int
    d_ff: int
    words: int


def exam(seed: int = 0) -> Paper:
    """Return a mock exam of sixty minutes, and its key. Raises ValueError for what is no seed."""
    parts = parts_of(seed)
    minutes = sum(part.minutes for part in parts)
    head = f"{minutes} minutes, {minutes} points. Allowed: a pencil and a calculator, set to radians. Round at the end."
    asked = [f"**{at}. {part.title}** ({part.minutes} points)\n\n{part.asks}" for at, part in enumerate(parts, 1)]
    keys = [f"**{at}. {part.title}**\n\n{part.key}" for at, part in enumerate(parts, 1)]
    return Paper(
        f"exam_{seed}",
        (
            Sheet("exam", f"Mock exam {seed}", "\n\n".join([head, *asked[:3]])),
            Sheet("exam", f"Mock exam {seed}, page 2", "\n\n".join(asked[3:])),
            Sheet("key", f"Key to mock exam {seed}", "\n\n".join(keys)),
        ),
    )


def parts_of(seed: int) -> tuple[Part, ...]:
    """Return the six questions of a seed."""
    if not is_whole(seed) or seed < 0:
        raise ValueError(f"seed must be a whole number from 0 on: it is {seed!r}.")
    steps, position, norm, mask = (make(lesson, seed + _APART) for lesson in ("05", "04", "09", "08"))
    random = np.random.default_rng([60, seed])
    Q, K, V = (steps.given["X"] @ steps.given[f"W_{name}"] for name in "QKV")
    made = f"$$Q={matrix(Q)}\\qquad K={matrix(K)}\\qquad V={matrix(V)}$$\n\n"
    return (
        Part("The eight steps", 18, f"{_given(steps)}\n\n{steps.text}\n\n{lines(5)}", made + _key(steps)),
        Part("A row of positions", 8, f"{_given(position)}\n\n{position.text}\n\n{lines(3)}", _key(position)),
        Part("Add & norm", 10, f"{_given(norm)}\n\n{norm.text}\n\n{lines(3)}", _key(norm)),
        _mask_and_shift(mask, random),
        _eight_shapes(random),
        _find_the_slip(seed, random),
    )


def _given(task: Task) -> str:
    names = {"γ": r"\gamma", "β": r"\beta"}
    return "$$" + r"\qquad ".join(f"{names.get(name, name)}={matrix(of)}" for name, of in task.given.items()) + "$$"


def _key(task: Task) -> str:
    return "\n".join(f"- {asked.asks}: {_printed(asked.written())}" for asked in task.fields)


def _mask_and_shift(task: Task, random: np.random.Generator) -> Part:
    sentence = random.choice(np.arange(3, 30), size=4, replace=False)
    read, said = shift_right(sentence, START, END)
    place = int(random.integers(2, 5))
    asks = (
        f"{_given(task)}\n\n{task.text}\n\n{lines(3)}\n\nA translation has the ids {numbers(sentence)}; the start is "
        f"{START}, the end {END}. What does the decoder read? {GAP} What has it to say? {GAP} "
        f"Which ids may row {place} look at, and what has it to say? {GAP}"
    )
    key = (
        f"{_key(task)}\n- it reads {numbers(read)} and has to say {numbers(said)}\n- row {place} looks at "
        f"{numbers(read[:place])} and has to say {said[place - 1]}"
    )
    return Part("Masks, and outputs that are shifted", 10, asks, key)


def sizes_of(random: np.random.Generator) -> Sizes:
    """Return sizes of which no two are alike, nor like the width of a head."""
    while True:
        heads, width = int(random.choice([2, 4, 8])), int(random.choice([6, 10, 12, 16]))
        n, m = (int(size) for size in random.integers(3, 16, size=2))
        drawn = Sizes(n, m, heads * width, heads, 4 * heads * width, int(random.integers(200, 999)))
        if len({*vars(drawn).values(), width}) == 7:
            return drawn


def shapes_of(sizes: Sizes) -> dict[str, tuple[int, int]]:
    """Return the eight shapes that are asked for, by what they are the shapes of."""
    width = sizes.d_model // sizes.heads
    return {
        "W_Q of one head": (sizes.d_model, width),
        "the keys of one head in the encoder": (sizes.n, width),
        "QKᵀ of one head in the encoder": (sizes.n, sizes.n),
        "all heads of the decoder's self-attention, side by side": (sizes.m, sizes.d_model),
        "the weights of one head of the cross-attention": (sizes.m, sizes.n),
        "the output of one head of the cross-attention": (sizes.m, width),
        "what is inside the encoder's feed-forward network": (sizes.n, sizes.d_ff),
        "the logits of the decoder": (sizes.m, sizes.words),
    }


def _eight_shapes(random: np.random.Generator) -> Part:
    sizes = sizes_of(random)
    shapes = shapes_of(sizes)
    asks = (
        f"A translator has $d_{{model}}={sizes.d_model}$, {sizes.heads} heads, $d_{{ff}}={sizes.d_ff}$ and "
        f"{sizes.words} words to choose from. It reads {sizes.n} tokens, and {sizes.m} are being written. "
        f"Rows × columns:\n\n{table(list(shapes), ['shape'])}"
    )
    key = "; ".join(f"{what}: {rows} × {columns}" for what, (rows, columns) in shapes.items())
    return Part("Eight shapes", 8, asks, key)


def _find_the_slip(seed: int, random: np.random.Generator) -> Part:
    task = make(str(random.choice(["04", "08", "09"])), seed + 2 * _APART)
    slip = str(random.choice(list(task.fields[-1].slips)))
    made = [asked.written(asked.slips.get(slip, [asked.truth])[0]) for asked in task.fields]  # in the slip's first way
    found = "\n".join(f"- {asked.asks}: {_printed(typed)}" for asked, typed in zip(task.fields, made, strict=True))
    asks = (
        f"{_given(task)}\n\n{task.text}\n\nSomebody has found:\n\n{found}\n\nThere is one slip. Which, and what is "
        f"right in its place?\n\n{lines(2)}"
    )
    return Part("Find the slip", 6, asks, f"{slip}\n\nRight is:\n\n{_key(task)}")


def _printed(typed: str) -> str:
    return typed.replace("-", "\N{MINUS SIGN}")
