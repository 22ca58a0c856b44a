"""The exercises of lesson 17, images as patches, and the mistakes that they know."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from utils.by_hand.arrays import Array
from utils.course.exercises.exercise import Exercise, Flaw, Mistakes, choice, flawed

_random = np.random.default_rng(17)

# --- from patches back to the image -----------------------------------------------------------------------------


def _image(patches: Array, columns: int) -> Array:
    P = _edge(patches)
    return patches.reshape(-1, columns, P, P).transpose(0, 2, 1, 3).reshape(-1, columns * P)


def _edge(patches: Array) -> int:
    return round(patches.shape[1] ** 0.5)


def _with_patches(change: Callable[[Array], Array]) -> Callable[[Array, int], Array]:
    """The image of patches (N, P, P) that were changed before they were laid."""
    return lambda patches, columns: _image(
        change(patches.reshape(len(patches), _edge(patches), -1)).reshape(patches.shape), columns
    )


def _laid_down_the_columns(patches: Array, columns: int) -> Array:
    order = np.arange(len(patches)).reshape(columns, -1).T.ravel()
    return _image(patches[order], columns)


def _in_a_square(patches: Array, edge: int) -> Array:
    """As if there were `edge` rows and `edge` columns of patches."""
    P = _edge(patches)
    return patches.reshape(edge, edge, P, P).swapaxes(1, 2).reshape(edge * P, edge * P)


_NO_SQUARE = "You took the grid for a square. The image need not be one: {}"
# Rows, columns and P all differ, but in the third all are alike, where a wrong order still runs. In the fourth there
# are as many patches as in a square; in the fifth patches as wide as `columns` can be made of the numbers.
_GRIDS = [
    (_random.integers(0, 17, (rows * columns, P * P)), columns)
    for rows, columns, P in ((2, 4, 3), (5, 3, 2), (2, 2, 2), (2, 8, 3), (4, 2, 3))
]

_BACK = Exercise(
    "17.image",
    "from patches back to the image",
    _image,
    _GRIDS,
    {
        "You reshaped at once, so the numbers of one patch lie side by side in one row of "
        "pixels. A patch is a square: its P rows belong below each other. Give rows, columns and "
        "both edges an axis each; swap two.": lambda patches, columns: patches.reshape(-1, columns * _edge(patches)),
        "All first rows of all patches come first in yours, then all second rows. The P rows of a row of patches stand "
        "together: (rows, P, columns, P).": lambda patches, columns: (
            patches.reshape(-1, columns, _edge(patches), _edge(patches))
            .transpose(2, 0, 1, 3)
            .reshape(-1, columns * _edge(patches))
        ),
        "The patches are where they belong, and each lies on its side: its rows have become columns. A patch was read "
        "row by row.": _with_patches(lambda squares: squares.swapaxes(1, 2)),
        "You laid the patches from top to bottom, column after column. They were taken row "
        "by row, as one reads.": _laid_down_the_columns,
        "You put all patches into one row. After `columns` of them a new row "
        "of patches begins.": lambda patches, columns: np.hstack([*patches.reshape(len(patches), _edge(patches), -1)]),
        "`columns` says how many patches stand side by side; you put so many below each other. There are N / columns "
        "rows of patches.": lambda patches, columns: _image(patches, len(patches) // columns),
        _NO_SQUARE.format("there are `columns` columns of patches, and N / columns rows."): lambda patches, columns: (
            _in_a_square(patches, int(len(patches) ** 0.5))
        ),
        _NO_SQUARE.format("how many patches stand side by side is given, as `columns`."): lambda patches, columns: (
            _image(patches, int(len(patches) ** 0.5))
        ),
        _NO_SQUARE.format("there are `columns` columns of patches, but N / columns rows."): lambda patches, columns: (
            _in_a_square(patches, columns)
        ),
        "You took `columns` for the edge of a patch, in pixels. It says how many patches stand side by side; a patch "
        "of P · P numbers is P pixels wide.": lambda patches, columns: (
            patches.reshape(-1, columns, columns, columns).swapaxes(1, 2).reshape(-1, columns * columns)
        ),
        "You took `columns` for the width of the image, in pixels. It counts patches, "
        "and each is P pixels wide. And a reshape alone leaves the numbers of a "
        "patch in one row: its P rows belong below each other.": lambda patches, columns: patches.reshape(-1, columns),
        "The rows of patches come from the bottom "
        "up. The first patch is the upper left one.": lambda patches, columns: _image(
            patches.reshape(-1, columns, patches.shape[1])[::-1].reshape(patches.shape), columns
        ),
        "The axes are right, (rows, columns, P, P), and still four. Bring rows "
        "and P together, columns and P together: swap the two in the middle, then "
        "reshape to the image.": lambda patches, columns: patches.reshape(-1, columns, _edge(patches), _edge(patches)),
    },
)

# --- how many numbers a ViT learns ------------------------------------------------------------------------------

Count = Callable[..., int]


def _counting(
    tokens: Count = lambda size, P: (size // P) ** 2 + 1,
    project: Count = lambda P, channels, d: channels * P * P * d + d,
    cls: Count = lambda d: d,
    attention: Count = lambda d: 4 * (d * d + d),
    network: Count = lambda d, d_ff: 2 * d * d_ff + d_ff + d,
    norms: Count = lambda d: 2 * 2 * d,
    final: Count = lambda d: 2 * d,
    output: Count = lambda d, classes: d * classes + classes,
) -> Count:
    """A way to count, built of its parts."""

    def count(
        image_size: int, patch_size: int, channels: int, classes: int, n_layers: int, d_model: int, d_ff: int
    ) -> int:
        front = project(patch_size, channels, d_model) + cls(d_model) + tokens(image_size, patch_size) * d_model
        blocks = n_layers * (attention(d_model) + network(d_model, d_ff) + norms(d_model))
        return front + blocks + final(d_model) + output(d_model, classes)

    return count


# Some slips cannot be told from each other by their number: they share a sentence.
_COUNT_FLAWS = (
    Flaw("cls", lambda d: 0, "You are d_model numbers short. Five things have so many: [CLS], its "
         "position (there are N + 1), the bias of the projection, and γ and β of the last norm. One is missing."),
    Flaw("tokens", lambda size, P: size // P + 1, "You counted the patches along one edge. "
         "An image has (size / P)² of them."),
    Flaw("tokens", lambda size, P: size * size + 1, "You gave each pixel a position. "
         "Positions belong to patches."),
    Flaw("tokens", lambda size, P: size * size // P + 1, "N = H · W / P²: you divided by P once. "
         "Patches are counted down the image, too."),
    Flaw("tokens", lambda size, P: 0, "The positions are missing: they are learnt, d_model numbers for "
         "each of the N + 1 tokens."),
    Flaw("project", lambda P, c, d: P * P * d + d, "A pixel has several channels: a patch is "
         "channels · P² numbers."),
    Flaw("project", lambda P, c, d: c * P * d + d, "A patch is P × P pixels: its edge is to be "
         "squared."),
    Flaw("project", lambda P, c, d: 0, "The projection is missing: the matrix that makes a vector of "
         "d_model numbers of each patch."),
    Flaw("attention", lambda d: 3 * (d * d + d), "An attention has four matrices: W_Q, W_K, W_V "
         "and W_O."),
    Flaw("network", lambda d, d_ff: d * d_ff + d_ff, "A feed-forward network "
         "has two matrices: d_model × d_ff and d_ff × d_model."),
    Flaw("network", lambda d, d_ff: 2 * d * d_ff, "The two layers of the "
         "feed-forward network have biases: d_ff and d_model numbers."),
    Flaw("norms", lambda d: 2 * d, "You are 2 · d_model numbers short in each "
         "block. It has two norms, and each has γ and β: one norm is missing, or all β are."),
    Flaw("norms", lambda d: 0, "You are 4 · d_model numbers short in each block. "
         "So many have its two norms, γ and β in each, and so many the biases of the attention's four matrices."),
    Flaw("final", lambda d: 0, "You are 2 · d_model numbers short. So many has the norm at the "
         "end of the stack, γ and β, and so many have [CLS] and its position together."),
    Flaw("output", lambda d, c: 0, "The last layer is missing, d_model × classes and a bias."),
    Flaw("output", lambda d, c: d * c, "The last layer has a bias: one number a class."),
)  # fmt: skip


_NO_BIASES: dict[str, Count] = {
    "project": lambda P, channels, d: channels * P * P * d,
    "attention": lambda d: 4 * d * d,
    "network": lambda d, d_ff: 2 * d * d_ff,
}
# What is counted alike by those who are told so; none of these is looked for beside another mistake.
_MORE_COUNTS: Mistakes = {
    "Each of your norms has two numbers. Its γ and its β are vectors: 2 · d_model.": [
        _counting(norms=lambda d: 4),
        _counting(norms=lambda d: 4, final=lambda d: 2),
    ],
    "Each of your norms has d_model numbers. It has γ and β: 2 · d_model.": _counting(
        norms=lambda d: 2 * d, final=lambda d: d
    ),
    "You are 2 · d_model numbers over in each block: so many has a third norm. A block has two.": _counting(
        norms=lambda d: 6 * d
    ),
    "The biases of the feed-forward network are both of one length in yours. They have d_ff and d_model numbers.": [
        _counting(network=lambda d, d_ff: 2 * d * d_ff + 2 * d_ff),
        _counting(network=lambda d, d_ff: 2 * d * d_ff + 2 * d),
    ],
    "You are d_model numbers short in each block. So many has the second bias of the feed-forward network, and so many "
    "has each of the four biases of the attention.": _counting(network=lambda d, d_ff: 2 * d * d_ff + d_ff),
    "You are d_ff numbers short in each block: so many has the first bias of the feed-forward network.": _counting(
        network=lambda d, d_ff: 2 * d * d_ff + d
    ),
}
_COUNT = Exercise(
    "17.parameters",
    "how many numbers a ViT learns",
    _counting(),
    [(12, 3, 2, 7, 3, 10, 23), (8, 2, 1, 10, 2, 64, 128), (224, 16, 3, 1000, 12, 768, 3072), (20, 5, 3, 4, 4, 6, 11)],
    {
        **flawed(_counting, _COUNT_FLAWS),
        **_MORE_COUNTS,
        "You counted the projection once for each patch. It is one matrix, the same for all of "
        "them.": lambda size, P, *others: _counting(project=lambda P, c, d: (size // P) ** 2 * (c * P * P * d + d))(
            size, P, *others
        ),
        "All biases are missing. Every layer from a to b numbers has "
        "b of them: the projection, the four of an attention, the two "
        "of a feed-forward network, the last layer.": _counting(**_NO_BIASES, output=lambda d, classes: d * classes),
        "All biases but those of the last layer are missing. The projection, the four of an attention and the two of a "
        "feed-forward network have them, too: a layer from a to b numbers has b.": _counting(**_NO_BIASES),
        "You counted the positions once for each "
        "block. They are added once, before the first.": lambda size, P, channels, classes, n_layers, d, d_ff: (
            _counting()(size, P, channels, classes, n_layers, d, d_ff) + (n_layers - 1) * ((size // P) ** 2 + 1) * d
        ),
        "You counted the norms of one block only. Each "
        "of the n_layers blocks has two of its own.": lambda size, P, channels, classes, n_layers, d, d_ff: (
            _counting(norms=lambda d: 0)(size, P, channels, classes, n_layers, d, d_ff) + 4 * d
        ),
    },
)

# --- positions for a finer grid ---------------------------------------------------------------------------------


def _finer(positions: Array) -> Array:
    grid = _grid(positions)
    return np.vstack([positions[:1], grid.repeat(2, axis=0).repeat(2, axis=1).reshape(-1, positions.shape[1])])


def _grid(positions: Array) -> Array:
    """(1 + g², d) -> (g, g, d), without [CLS]."""
    g = round((len(positions) - 1) ** 0.5)
    return positions[1:].reshape(g, g, -1)


def _from_cls_on(positions: Array) -> Array:
    """The finer grid of what begins with [CLS], and [CLS] before it."""
    return _finer(np.vstack([positions[:1], positions[:-1]]))


def _mixed(at: Callable[[int], Array]) -> Callable[[Array], Array]:
    """The new rows and columns lie at the places at(g) of the old ones, and what lies between two is mixed of them."""

    def finer(positions: Array) -> Array:
        grid = _grid(positions)
        g = len(grid)
        share = np.maximum(0, 1 - np.abs(at(g)[:, None] - np.arange(g)))  # (2g, g)
        new = np.einsum("ai,bj,ijd->abd", share, share, grid)
        return np.vstack([positions[:1], new.reshape(4 * g * g, -1)])

    return finer


_MIXED = (
    "You mixed the positions of neighbouring patches, as an interpolation does. Here each new patch takes the position "
    "of one old patch as it is."
)
_FINER = Exercise(
    "17.finer_grid",
    "positions for an image twice as large",
    _finer,
    [(_random.normal(size=(1 + g * g, d)).round(2),) for g, d in ((2, 3), (3, 4), (4, 2))],
    {
        "You repeated each position four times in a row, as if patches stood in one line. "
        "The four patches that take the place of one are a square: two side by side, and two "
        "below them in the next row.": lambda positions: np.vstack([positions[:1], positions[1:].repeat(4, axis=0)]),
        "You laid four copies of the whole grid side by side. Then the upper left patch and the one in the middle have "
        "the same position. Each old patch becomes four neighbours.": lambda positions: np.vstack(
            [positions[:1], np.tile(_grid(positions), (2, 2, 1)).reshape(-1, positions.shape[1])]
        ),
        "You wrote the whole sequence four times. Each old patch becomes "
        "four neighbours, in two rows.": lambda positions: np.vstack([positions[:1], np.tile(positions[1:], (4, 1))]),
        "You doubled the columns alone. The image is "
        "twice as high, too: double the rows of the grid.": lambda positions: np.vstack(
            [positions[:1], _grid(positions).repeat(2, axis=1).reshape(-1, positions.shape[1])]
        ),
        "You doubled the rows alone. The image is twice "
        "as wide, too: double the columns of the grid.": lambda positions: np.vstack(
            [positions[:1], _grid(positions).repeat(2, axis=0).reshape(-1, positions.shape[1])]
        ),
        "You made four of [CLS]. It is no patch: its position stays one row.": lambda positions: np.vstack(
            [positions[:1].repeat(4, axis=0), _finer(positions)[1:]]
        ),
        "Your grid begins with [CLS], so each patch got the position of the one before it. [CLS] stands on no grid: "
        "the patches begin with row 1.": _from_cls_on,
        "Your grid begins with [CLS], and nothing stands before it. Set row 0 aside, make the grid of the others, and "
        "put row 0 before it again.": lambda positions: _from_cls_on(positions)[1:],
        _MIXED: [
            _mixed(lambda g: np.clip((np.arange(2 * g) + 0.5) / 2 - 0.5, 0, g - 1)),
            _mixed(lambda g: np.linspace(0, g - 1, 2 * g)),
        ],
        **{
            f"You repeated every row {said}, [CLS] with them. Set row 0 aside first, then make a grid of "
            "the rest.": lambda positions, times=times: positions.repeat(times, axis=0)
            for times, said in ((2, "twice"), (4, "four times"))
        },
        "Your grid lies on its side: rows and columns are swapped. Patches are counted row by row.": lambda positions: (
            np.vstack(
                [
                    positions[:1],
                    _finer(positions)[1:]
                    .reshape(*[2 * len(_grid(positions))] * 2, -1)
                    .swapaxes(0, 1)
                    .reshape(-1, positions.shape[1]),
                ]
            )
        ),
        "The grid is right, and still a grid. Make a sequence of it, and put the position "
        "of [CLS] before it.": lambda positions: _grid(positions).repeat(2, axis=0).repeat(2, axis=1),
        "You filled up with zeros at the end. Each of the new patches takes the position of the old patch in whose "
        "place it stands.": lambda positions: np.vstack(
            [positions, np.zeros((3 * (len(positions) - 1), positions.shape[1]))]
        ),
    },
)

_WHICH = choice(
    "17.which",
    "c",
    "its filters take it for granted that neighbours belong together, and now run over edges where strangers meet.",
    {
        "a": (
            "To it, a pixel is a number with a weight of its own, wherever it stands. In another order the weights are "
            "in another order, too."
        ),
        "b": (
            "Each of its places has a vector that is learnt. Any places will do, as long as a patch always stands in "
            "the same one."
        ),
        "d": (
            "They are not alike in what they take for granted about places, before they have learnt anything from the "
            "images."
        ),
    },
)

EXERCISES = (_BACK, _COUNT, _FINER, _WHICH)
