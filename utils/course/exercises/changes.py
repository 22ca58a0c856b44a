"""One small change in the code of a lesson's solution: another operator, axis or name, a step left out.

It may give what the student's function gives. Only the course's own code is ever changed and run so.
"""

from __future__ import annotations

import ast
import copy
import functools
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum, auto
from pathlib import Path
from typing import Any

from utils.course.lessons import LESSONS

LONGEST = 2_000  # rounds of loops that a changed function may make before it counts as one that never ends
LARGEST = 100_000  # parts of a value, or digits of a number, that it may have then
_ROUND = "_round_begins(locals())"


class Step(IntEnum):
    """What is otherwise in a changed function. Where several changes do the same, the first is the smallest story."""

    LEFT_OUT = auto()
    NUMBER = auto()
    AXIS = auto()
    NAME = auto()
    OPERATOR = auto()
    ORDER = auto()  # of two parts
    OFF_BY_ONE = auto()  # a range or a slice
    ADDED = auto()  # around a part
    BRACKETS = auto()


@dataclass(frozen=True)
class Change:
    """A function whose code differs in one place: there stands `new` in the place of `node`.

    The clause tells it, as the end of "what a right answer gives …"; "" where it can't be said without the solution.
    Whoever reads it wrote other code. So it names the function's arguments, operators, numbers and NumPy's functions,
    and no variable of the solution.
    """

    function: Callable[..., Any]
    node: ast.AST
    new: ast.AST
    step: Step
    clause: str


def in_one_place(some: Sequence[Change]) -> bool:
    """Whether what is changed stands inside one of the parts that are changed, which is no loop with all it holds."""
    parts = [change.node for change in some if not isinstance(change.node, ast.For | ast.While | ast.If)]
    return any(all(other.node in {*ast.walk(part)} for other in some) for part in parts)


def clause_among(made: Sequence[Change], change: Change) -> str:
    """The clause of `change`, with its place where others of those `made` have the same; "" where it has none."""
    alike = {id(other.node): other.node for other in made if other.clause == change.clause}
    nodes = sorted(alike.values(), key=lambda node: node.lineno)
    if len(nodes) < 2 or not change.clause:
        return change.clause
    each_on_a_line = len({node.lineno for node in nodes}) == len(nodes) <= len(_ORDINALS)
    which = f"the {_ORDINALS[nodes.index(change.node)]}" if each_on_a_line else "one"
    return f"{change.clause}, in {which} of the {len(nodes)} places where that can be"


class NeverEndsError(Exception):
    """A changed function goes round its loops more often than any answer needs."""


Code = tuple[ast.FunctionDef, dict[str, Any]]  # a function, and the names that stand around it


@functools.lru_cache(maxsize=2)  # a student asks about one exercise again and again
def solution_of(name: str) -> Code | None:
    """The solution of the exercise `name` as its lesson has it, with the functions and imports that it leans on."""
    path = next(LESSONS.glob(f"{name.split('.')[0]}_*/lesson.md"), None)
    around: dict[str, ast.stmt] = {}
    for code, parts in _cells(path) if path else ():
        if asked := re.search(rf'^check\("{re.escape(name)}", (\w+)\)', code, flags=re.M):
            function = next(part for part in parts if asked[1] in _made(part))
            return function, _names_around(function, around)
        around |= {made: part for part in parts for made in _made(part)}
    return None


@functools.lru_cache(maxsize=1)  # one lesson's exercises are asked about one after the other
def _cells(path: Path) -> list[tuple[str, list[ast.stmt]]]:
    """The code cells of a lesson, each with its statements."""
    cells = re.findall(r"^```\{code-cell\}.*?\n(.*?)^```$", path.read_text("utf-8"), re.M | re.S)
    codes = (re.sub(r"^(:|%).*$", "", cell, flags=re.M) for cell in cells)
    return [(code, ast.parse(code).body) for code in codes]


def _made(part: ast.stmt) -> list[str]:
    """The names that an import, a function or a class brings."""
    if isinstance(part, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.split(".")[0] for alias in part.names]
    return [part.name] if isinstance(part, ast.FunctionDef | ast.ClassDef) else []


def _names_around(function: ast.FunctionDef, around: dict[str, ast.stmt]) -> dict[str, Any]:
    needed: list[ast.stmt] = []

    def need(node: ast.AST) -> None:
        for part in (around[n.id] for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in around):
            if part not in needed:
                needed.append(part)
                need(part)

    need(function)
    needed.sort(key=[*around.values()].index)  # as in the lesson: a class needs what it is built on
    names: dict[str, Any] = {}
    exec(compile(ast.Module(needed, []), "lesson", "exec"), names)
    return names


def changes(code: Code | None, arguments: Sequence[str]) -> Iterator[Change]:
    """`code` with one change, for every one that is known, told by the `arguments`; none where there is no code."""
    if code is None:
        return
    function, names = copy.deepcopy(code[0]), dict(code[1])
    made = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own = sorted(made | {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)})
    start = isinstance(function.body[0], ast.Expr) and isinstance(function.body[0].value, ast.Constant)
    places = [place for part in function.body[start:] for place in [(function, part), *_inside(part)]]
    count_rounds = _counted(function, names)
    for parent, node in places:
        for new, step, clause in _others(node, parent, own, {*arguments}):
            for child in ast.walk(new):
                ast.copy_location(child, node) if not hasattr(child, "lineno") else None
            _swap(parent, node, new)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # what a changed line looks like is nobody's mistake
                    exec(compile(ast.Module([function], []), "change", "exec"), names)
            except (SyntaxError, ValueError, TypeError):
                continue
            finally:
                _swap(parent, new, node)
            yield Change(count_rounds(names[function.name]), node, new, step, clause)


def _inside(part: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each expression, statement and keyword inside `part`, with what it stands in."""
    for child in ast.iter_child_nodes(part):
        if isinstance(child, ast.expr | ast.stmt | ast.keyword):
            yield part, child
        if not isinstance(child, ast.keyword) or not _is_literal(child.value):  # that changes as a whole
            yield from _inside(child)


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.UnaryOp) and not any(isinstance(n, ast.Name) for n in ast.walk(node))


def _swap(parent: ast.AST, a: ast.AST, b: ast.AST) -> None:
    """In `parent`, `b` stands from now on where `a` stood."""
    for field, value in ast.iter_fields(parent):
        if value is a:
            setattr(parent, field, b)
        elif isinstance(value, list):
            value[:] = [b if item is a else item for item in value]


def _counted(function: ast.FunctionDef, names: dict[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Lets each loop of `function` count its rounds; what comes back makes functions that stop after too many."""
    left = [0]

    def round_begins(own: dict[str, Any]) -> None:
        left[0] -= 1
        if left[0] < 0 or any(_size(value) > LARGEST for value in own.values()):
            raise NeverEndsError

    names["_round_begins"] = round_begins
    for loop in [n for n in ast.walk(function) if isinstance(n, ast.For | ast.While)]:
        begins = ast.parse(_ROUND).body[0]
        loop.body.insert(0, ast.fix_missing_locations(ast.copy_location(begins, loop)))

    def bounded(changed: Callable[..., Any]) -> Callable[..., Any]:
        def answer(*inputs: Any) -> Any:
            left[0], names[function.name] = LONGEST, changed  # which may call itself
            return changed(*inputs)

        return answer

    return bounded


def _size(value: Any) -> int:
    """How large a value has become, which a loop may double in each round."""
    if isinstance(value, str | list | tuple | dict | set):
        return len(value)
    return value.bit_length() if isinstance(value, int) else getattr(value, "size", 0)


# --- what may stand in the place of something else -------------------------------------------------------------------

_SAME = ((ast.Add, ast.Sub, ast.Mult, ast.Div), (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq))
_OPERATORS = {
    **{kind: [other for other in family if other is not kind] for family in _SAME for kind in family},
    ast.MatMult: (ast.Mult, ast.Add),
    ast.Pow: (ast.Mult, ast.Div),
    ast.FloorDiv: (ast.Mod, ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv, ast.Div),
    ast.BitAnd: (ast.BitOr, ast.BitXor),
    ast.BitOr: (ast.BitAnd, ast.BitXor),
    ast.BitXor: (ast.Pow, ast.BitAnd, ast.BitOr),
}
_FAMILIES = [set(family.split()) for family in (
    "sum mean max min prod std var", "argmax argmin argsort", "sin cos tanh", "exp exp2 expm1", "log log2 log10 log1p",
    "zeros ones", "zeros_like ones_like", "tril triu", "maximum minimum", "sqrt square", "cumsum cumprod",
    "append extend", "repeat tile", "floor ceil round", "outer multiply dot", "any all", "vstack hstack",
    "sigmoid tanh", "softmax log_softmax", "diag diagflat", "arange ones zeros",
)]  # fmt: skip
_ALONG = {"sum", "mean", "max", "min", "std", "var", "prod", "argmax", "argmin", "cumsum", "softmax"}
_LONG = 30
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_SIGNS = {
    ast.Add: "+", ast.Sub: "−", ast.Mult: "·", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.Lt: "<", ast.LtE: "≤", ast.Gt: ">", ast.GtE: "≥", ast.Eq: "==", ast.NotEq: "!=",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
_LIBRARIES = {"np", "torch", "math"}
_ONE_WAY = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)

Other = tuple[ast.AST, Step, str]  # what stands there instead, and the clause


def _others(node: ast.AST, parent: ast.AST, own: list[str], arguments: set[str]) -> Iterator[Other]:
    """What may stand for `node`; `own` are the function's own names, `arguments` those that a reader knows."""
    if isinstance(node, ast.AugAssign):
        sign = _SIGNS.get(type(node.op))
        for operator in _OPERATORS.get(type(node.op), ()):
            yield (
                ast.AugAssign(node.target, operator(), node.value),
                Step.OPERATOR,
                _with(_SIGNS[operator] + "=", f"{sign}="),
            )
        yield ast.Assign([node.target], node.value), Step.OPERATOR, _with("=", f"{sign}=")
    elif isinstance(node, ast.BinOp):
        yield from _other_operations(node, arguments)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in _OPERATORS.get(type(node.ops[0]), ()):
            clause = _with(_SIGNS[other], _SIGNS[type(node.ops[0])])
            yield ast.Compare(node.left, [other()], node.comparators), Step.OPERATOR, clause
    elif isinstance(node, ast.UnaryOp):
        yield node.operand, Step.LEFT_OUT, "without a minus" if isinstance(node.op, ast.USub) else "without a `not`"
    elif isinstance(node, ast.IfExp):
        for kept, left in ((node.body, node.orelse), (node.orelse, node.body)):
            told = [_told(part, arguments) for part in (kept, left)]
            yield kept, Step.LEFT_OUT, f"with {told[0]} always, and never {told[1]}" if all(told) else ""
    elif isinstance(node, ast.Constant) and not isinstance(parent, ast.Expr | ast.keyword):
        for value in _other_constants(node.value):
            yield ast.Constant(value), Step.NUMBER, _with(repr(value), repr(node.value))
    elif isinstance(node, ast.keyword):
        yield from _other_keywords(node, _function(parent))
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        attribute = f".{parent.attr}" if isinstance(parent, ast.Attribute) else ""
        for name in own if node.id in own else _relatives(node.id):
            is_told = node.id not in own or (_is_known(name, arguments) and _is_known(node.id, arguments))
            clause = _with(f"{name}{attribute}", f"{node.id}{attribute}") if is_told else ""
            if name != node.id:
                yield ast.Name(name, ast.Load()), Step.NAME, clause
    elif isinstance(node, ast.Attribute):
        if node.attr == "T":
            yield node.value, Step.LEFT_OUT, "with a matrix that is not transposed"
        for name in _relatives(node.attr):
            yield ast.Attribute(node.value, name, node.ctx), Step.NAME, _with(name, node.attr)
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    elif isinstance(node, ast.Tuple) and isinstance(parent, ast.Subscript) and len(node.elts) == 2:
        turned = ast.Tuple(node.elts[::-1], node.ctx)
        told = [_told(ast.Subscript(ast.Name("_"), pair), {"_"}).replace("_[", "[") for pair in (turned, node)]
        yield turned, Step.ORDER, f"with {told[0]} in the place of {told[1]}" if all(told) else ""
    if isinstance(getattr(node, "ctx", None), ast.Load) or isinstance(node, ast.Call | ast.BinOp):
        yield from _put_around(node, parent, arguments)


def _put_around(node: ast.expr, parent: ast.AST, arguments: set[str]) -> Iterator[Other]:
    """What may be missing around `node`: a transposition, one more or less."""
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.MatMult):
        told = _told(node, arguments) or "one of the matrices"
        yield ast.Attribute(node, "T", ast.Load()), Step.ADDED, f"if {told} were transposed"
    if isinstance(parent, ast.Slice) or (_function(parent) == "range" and node is not parent.func):
        for operator in (ast.Add, ast.Sub):
            clause = "if a range or a slice were off by one"
            yield ast.BinOp(node, operator(), ast.Constant(1)), Step.OFF_BY_ONE, clause


def _other_operations(node: ast.BinOp, arguments: set[str]) -> Iterator[Other]:
    sign, left, right = _SIGNS.get(type(node.op), ""), *(_told(side, arguments) for side in (node.left, node.right))
    if isinstance(node.op, ast.Pow):
        clause = f"without {right.replace('`', '`**', 1)}" if right else "without a power"
    elif isinstance(node.right, ast.Constant):
        clause = f"without `{sign} {node.right.value!r}`"
    else:
        clause = _without(right, sign)
    yield node.left, Step.LEFT_OUT, clause
    one_way = isinstance(node.op, _ONE_WAY)  # −b is left of a − b without a, and 1/b of a / b
    clause = f"with what stands behind the `{sign}` alone" if one_way else _without(left, sign)
    yield node.right, Step.LEFT_OUT, clause
    for operator in _OPERATORS.get(type(node.op), ()):
        yield ast.BinOp(node.left, operator(), node.right), Step.OPERATOR, _with(_SIGNS[operator], sign)
    yield ast.BinOp(node.right, node.op, node.left), Step.ORDER, f"if the two sides of `{sign}` changed places"
    brackets = "with the brackets set otherwise"
    if isinstance(node.left, ast.BinOp):
        inner = node.left
        other = ast.BinOp(inner.left, inner.op, ast.BinOp(inner.right, node.op, node.right))
        yield other, Step.BRACKETS, brackets
    if isinstance(node.right, ast.BinOp):
        inner = node.right
        other = ast.BinOp(ast.BinOp(node.left, node.op, inner.left), inner.op, inner.right)
        yield other, Step.BRACKETS, brackets


def _other_constants(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, *(x for x in (0, 1, 2, 2 * value) if abs(x - value) > 1)]
    if isinstance(value, float):
        return [2 * value, value / 2, 0.0, 1.0]
    return [""] if isinstance(value, str) and value else []


def _other_keywords(node: ast.keyword, function: str) -> Iterator[Other]:
    if not _is_literal(node.value):
        return
    value = ast.literal_eval(node.value)
    if node.arg != "axis":
        for x in _other_constants(value):
            clause = _with(f"{node.arg}={x!r}", f"{node.arg}={value!r}")
            yield ast.keyword(node.arg, ast.Constant(x)), Step.NUMBER, clause
        return
    along = lambda axis: "over everything" if axis is None else f"along axis {axis}"  # noqa: E731
    for x in (0, 1, -1, 2, None):
        if x != value:
            clause = f"if `{function}` went {along(x)} and not {along(value)}"
            yield ast.keyword(node.arg, ast.Constant(x)), Step.AXIS, clause


def _other_calls(node: ast.Call) -> Iterator[Other]:
    name = _function(node)
    of = node.func.value if isinstance(node.func, ast.Attribute) else None
    if of is not None and not (isinstance(of, ast.Name) and of.id in _LIBRARIES):
        yield of, Step.LEFT_OUT, f"without `{name}`"
    elif node.args and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        yield node.args[0], Step.LEFT_OUT, f"without `{name}`" if name else ""
    for i, keyword in enumerate(node.keywords):
        others = node.keywords[:i] + node.keywords[i + 1 :]
        clause = f"without `{keyword.arg}=` in `{name}`" if name else ""
        yield ast.Call(node.func, node.args, others), Step.LEFT_OUT, clause
    for i in range(len(node.args) - 1):
        turned = [*node.args[:i], node.args[i + 1], node.args[i], *node.args[i + 2 :]]
        clause = f"if the arguments of `{name}` changed places" if name else ""
        yield ast.Call(node.func, turned, node.keywords), Step.ORDER, clause
    if name in _ALONG and "axis" not in {keyword.arg for keyword in node.keywords}:
        for axis in (0, 1, -1):
            more = [*node.keywords, ast.keyword("axis", ast.Constant(axis))]
            yield ast.Call(node.func, node.args, more), Step.ADDED, f"if `{name}` went along axis {axis}"


def _relatives(name: str) -> list[str]:
    """Names of functions that are taken for `name`."""
    return sorted({other for family in _FAMILIES if name in family for other in family} - {name})


# --- in words --------------------------------------------------------------------------------------------------------


def _is_known(name: str, known: set[str]) -> bool:
    """Whether a reader knows what is meant: it is one of the names `known`, or a letter of the formula, such as Q."""
    return name in known or re.fullmatch(r"[A-Za-z](_[A-Za-z])?", name) is not None


def _told(node: ast.AST, arguments: set[str]) -> str:
    """`node` as it is written, if it is short and made of arguments, numbers and a library's functions; else ""."""
    if not all(_is_known(n.id, arguments | _LIBRARIES) for n in ast.walk(node) if isinstance(n, ast.Name)):
        return ""
    text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))
    return f"`{text}`" if len(text) <= _LONG else ""


def _function(call: ast.AST) -> str:
    """The name of the function that is called."""
    func = getattr(call, "func", None)
    return getattr(func, "attr", getattr(func, "id", ""))


def _with(new: str, old: str) -> str:
    return f"with `{new}` in the place of `{old}`" if new != old else ""


def _without(told: str, sign: str) -> str:
    if not told:
        return f"without one side of a `{sign}`"
    return f"without the product with {told}" if sign == "@" else f"without {told}"
