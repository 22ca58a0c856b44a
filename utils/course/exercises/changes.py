"""One small change in the code of a function: another operator, axis or name, a step left out.

Tried on the student's code, it may make it right; tried on the lesson's solution, it may give what the student's gives.
"""

from __future__ import annotations

import ast
import copy
import functools
import inspect
import re
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from utils.course.lessons import LESSONS

LONGEST = 2_000  # rounds of loops that a changed function may make before it counts as one that never ends
LARGEST = 100_000  # parts of a value, or digits of a number, that it may have then
SECONDS = 8  # of processor time after which no other change is tried: a student waits
_ROUND = "_round_begins(locals())"
_REACHES_OUT = {
    *("open", "exec", "eval", "compile", "input", "os", "sys", "shutil", "subprocess", "pathlib", "Path", "tempfile"),
    *("socket", "save", "savez", "savetxt", "tofile", "dump", "write", "write_text", "write_bytes", "unlink", "rmdir"),
    "rmtree",
}


@dataclass(frozen=True)
class Change:
    """A function whose code differs in one place: in `parent` stands `new` in the place of `node`."""

    function: Callable[..., Any]
    parent: ast.AST
    node: ast.AST
    new: ast.AST
    asked: str

    @property
    def line(self) -> int:
        """Where it is; 1 is the line of the `def`."""
        return self.node.lineno

    @property
    def is_another_number(self) -> bool:
        return self.asked == _WHICH_NUMBER

    @property
    def is_of_a_loop(self) -> bool:
        return isinstance(self.node, ast.For)

    @property
    def leaves_out(self) -> bool:
        """Whether a step is left out, and nothing else is done."""
        return self.asked == _NEEDED

    @property
    def question(self) -> str:
        """What the student is asked to look at, and what to ask about it."""
        return f"`{_short(self._seen)}`: {self.asked.format(_short(self.node))}"

    @property
    def difference(self) -> str:
        """What stands there now, and what stood there."""
        was, now = self._before_and_after(_short)
        if was == now and self.is_of_a_loop:
            return f"if the loop `{was}` ended in another round"
        if was == now:  # what is cut short is where they differ
            was, now = self._before_and_after(_written)
        return f"without `{was}`" if now == "pass" else f"with `{now}` in the place of `{was}`"

    def _before_and_after(self, as_text: Callable[[ast.AST], str]) -> tuple[str, str]:
        if self._seen is self.node:
            return as_text(self.node), as_text(self.new)
        was = as_text(self._seen)
        with _put(self.parent, self.node, self.new):
            return was, as_text(self._seen)

    @property
    def _seen(self) -> ast.AST:
        """What stands around the change, where it is an expression that is not long; otherwise what was changed."""
        is_small = isinstance(self.parent, ast.expr) and len(_written(self.parent)) <= _LONG
        return self.parent if is_small else self.node


class NeverEndsError(Exception):
    """A changed function goes round its loops more often than any answer needs."""


Code = tuple[ast.FunctionDef, dict[str, Any]]  # a function, and the names that stand around it


def code_of(function: Any) -> Code | None:
    """The code of a function that a student has written with `def`; None if it can't be had, or leans on a closure.

    None as well for code that reaches files or programs: changed, it might do there what nobody meant.
    """
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (TypeError, OSError, SyntaxError, ValueError):
        return None
    fits = len(body) == 1 and isinstance(body[0], ast.FunctionDef) and not body[0].decorator_list
    if not fits or function.__closure__ or _names(body[0]) & _REACHES_OUT:
        return None
    return body[0], function.__globals__


def _names(function: ast.FunctionDef) -> set[str]:
    """Every name in the code of a function: variables, attributes, modules."""
    parts = {getattr(node, field, None) for node in ast.walk(function) for field in ("id", "attr", "name", "module")}
    return {name.split(".")[0] for name in parts if isinstance(name, str)}


@functools.lru_cache(maxsize=2)  # a student asks about one exercise again and again
def solution_of(name: str) -> Code | None:
    """The solution of the exercise `name` as its lesson has it, with the functions and imports that it leans on."""
    path = next(LESSONS.glob(f"{name.split('.')[0]}_*/lesson.md"), None)
    around: dict[str, ast.stmt] = {}
    for cell in re.findall(r"^```\{code-cell\}.*?\n(.*?)^```$", path.read_text("utf-8") if path else "", re.M | re.S):
        code = re.sub(r"^(:|%).*$", "", cell, flags=re.M)
        here = {part.name: part for part in ast.parse(code).body if isinstance(part, ast.FunctionDef | ast.ClassDef)}
        asked = re.search(rf'^check\("{re.escape(name)}", (\w+)\)', code, flags=re.M)
        if asked:
            return here[asked[1]], _names_around(here[asked[1]], around)
        around |= {made: part for part in ast.parse(code).body for made in _made(part)}
    return None


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


def changes(code: Code | None) -> Iterator[Change]:
    """`code` with one change, for every one that is known; none where there is no code."""
    if code is None:
        return
    function, names = copy.deepcopy(code[0]), dict(code[1])
    made = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own = sorted(made | {n.arg for n in ast.walk(function) if isinstance(n, ast.arg)})
    start = isinstance(function.body[0], ast.Expr) and isinstance(function.body[0].value, ast.Constant)
    places = [place for part in function.body[start:] for place in [(function, part), *_inside(part)]]
    count_rounds = _counted(function, names)
    end = time.process_time() + SECONDS
    for parent, node in places:
        if time.process_time() > end:
            return
        for new, question in _others(node, parent, own):
            for child in ast.walk(new):
                ast.copy_location(child, node) if not hasattr(child, "lineno") else None
            with _put(parent, node, new):
                try:
                    exec(compile(ast.Module([function], []), "change", "exec"), names)
                except (SyntaxError, ValueError, TypeError):
                    continue
            yield Change(count_rounds(names[function.name]), parent, node, new, question)


def _inside(part: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each expression, statement and keyword inside `part`, with what it stands in."""
    for child in ast.iter_child_nodes(part):
        if isinstance(child, ast.expr | ast.stmt | ast.keyword):
            yield part, child
        if not isinstance(child, ast.keyword) or not _is_literal(child.value):  # that changes as a whole
            yield from _inside(child)


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.UnaryOp) and not any(isinstance(n, ast.Name) for n in ast.walk(node))


class _put:
    """While it lasts, `new` stands in `parent` where `old` stood."""

    def __init__(self, parent: ast.AST, old: ast.AST, new: ast.AST) -> None:
        self.parent, self.old, self.new = parent, old, new

    def __enter__(self) -> None:
        self._swap(self.old, self.new)

    def __exit__(self, *_: object) -> None:
        self._swap(self.new, self.old)

    def _swap(self, a: ast.AST, b: ast.AST) -> None:
        for field, value in ast.iter_fields(self.parent):
            if value is a:
                setattr(self.parent, field, b)
            elif isinstance(value, list) and any(item is a for item in value):
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
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
_FAMILIES = [set(family.split()) for family in (
    "sum mean max min prod std var", "argmax argmin argsort", "sin cos tanh", "exp exp2 expm1", "log log2 log10 log1p",
    "zeros ones", "zeros_like ones_like", "tril triu", "maximum minimum", "sqrt square", "cumsum cumprod",
    "append extend", "repeat tile", "floor ceil round", "outer multiply dot", "any all", "vstack hstack",
    "sigmoid tanh", "softmax log_softmax", "diag diagflat", "arange ones zeros",
)]  # fmt: skip
_ALONG = {"sum", "mean", "max", "min", "std", "var", "prod", "argmax", "argmin", "cumsum", "softmax"}

_WHICH_SIGN = "is that the right operation?"
_WHICH_NUMBER = "is `{}` right there?"
_WHICH_ONE = "is `{}` the right one?"
_WHICH_ORDER = "do the parts stand in the right order?"
_NEEDED = "is all of it asked for?"
_BRACKETS = "where do brackets belong?"
_MISSING = "is something missing?"
_TOO_EARLY = "a `return` ends it in the first round that comes to it. Does it belong after the loop?"
_WHICH_AXIS = "which axis is asked for?"

Other = tuple[ast.AST, str]


def _others(node: ast.AST, parent: ast.AST, own: list[str]) -> Iterator[Other]:
    """What may stand for `node`, each with a question about `node`; `own` are the function's own names."""
    if isinstance(node, ast.stmt):
        yield from _other_statements(node)
    elif isinstance(node, ast.BinOp):
        yield from _other_operations(node)
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        others = _OPERATORS[type(node.ops[0])]
        yield from ((ast.Compare(node.left, [other()], node.comparators), _WHICH_SIGN) for other in others)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(_OPERATORS[type(node.op)][0](), node.values), _WHICH_SIGN
        yield from ((value, _NEEDED) for value in node.values)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand, _NEEDED
    elif isinstance(node, ast.IfExp):
        yield from ((part, _NEEDED) for part in (node.body, node.orelse))
        yield ast.IfExp(node.test, node.orelse, node.body), _WHICH_ORDER
    elif isinstance(node, ast.Constant) and not isinstance(parent, ast.Expr | ast.keyword):
        yield from ((ast.Constant(value), _WHICH_NUMBER) for value in _other_constants(node.value))
    elif isinstance(node, ast.keyword):
        yield from _other_keywords(node)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        known = own if node.id in own else _relatives(node.id)
        yield from ((ast.Name(name, ast.Load()), _WHICH_ONE) for name in known if name != node.id)
    elif isinstance(node, ast.Attribute):
        if node.attr == "T":
            yield node.value, _NEEDED
        yield from ((ast.Attribute(node.value, name, node.ctx), _WHICH_ONE) for name in _relatives(node.attr))
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    elif isinstance(node, ast.Slice):
        for part in ("lower", "upper", "step"):
            if getattr(node, part) is not None:
                yield ast.Slice(**{p: getattr(node, p) for p in ("lower", "upper", "step") if p != part}), _NEEDED
        if (node.lower is None) != (node.upper is None) and node.step is None:  # the front for the back
            yield ast.Slice(node.upper, node.lower), _WHICH_ORDER
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value, _NEEDED
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) == 2:
        yield ast.Tuple(node.elts[::-1], node.ctx), _WHICH_ORDER
    elif isinstance(node, ast.Starred):
        yield node.value, _NEEDED
    if isinstance(getattr(node, "ctx", None), ast.Load) or isinstance(node, ast.Call | ast.BinOp):
        yield from _put_around(node, parent)


def _put_around(node: ast.expr, parent: ast.AST) -> Iterator[Other]:
    """What may be missing around `node`: a transposition, a sign, one more or less."""
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.MatMult):
        yield ast.Attribute(node, "T", ast.Load()), _MISSING
    if isinstance(parent, ast.Call) and node is not parent.func and not _is_range(parent):
        yield ast.UnaryOp(ast.USub(), node), _MISSING
    if isinstance(parent, ast.Slice) or (_is_range(parent) and node is not parent.func):
        for operator in (ast.Add, ast.Sub):
            yield ast.BinOp(node, operator(), ast.Constant(1)), "is it off by one?"


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def _relatives(name: str) -> list[str]:
    """Names of functions that are taken for `name`."""
    return sorted({other for family in _FAMILIES if name in family for other in family} - {name})


def _other_operations(node: ast.BinOp) -> Iterator[Other]:
    yield from ((side, _NEEDED) for side in (node.left, node.right))
    for operator in _OPERATORS.get(type(node.op), ()):
        yield ast.BinOp(node.left, operator(), node.right), _WHICH_SIGN
    yield ast.BinOp(node.right, node.op, node.left), _WHICH_ORDER
    if isinstance(node.left, ast.BinOp):
        inner = node.left
        yield ast.BinOp(inner.left, inner.op, ast.BinOp(inner.right, node.op, node.right)), _BRACKETS
    if isinstance(node.right, ast.BinOp):
        inner = node.right
        yield ast.BinOp(ast.BinOp(node.left, node.op, inner.left), inner.op, inner.right), _BRACKETS


def _other_constants(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, *(x for x in (0, 1, 2, -value, 2 * value) if abs(x - value) > 1)]
    if isinstance(value, float):
        return [2 * value, value / 2, -value, 0.0, 1.0]
    return [""] if isinstance(value, str) and value else []


def _other_keywords(node: ast.keyword) -> Iterator[Other]:
    if not _is_literal(node.value):
        return
    value, is_axis = ast.literal_eval(node.value), node.arg == "axis"
    others = [x for x in (0, 1, -1, 2, None) if x != value] if is_axis else _other_constants(value)
    yield from ((ast.keyword(node.arg, ast.Constant(x)), _WHICH_AXIS if is_axis else _WHICH_NUMBER) for x in others)


def _other_calls(node: ast.Call) -> Iterator[Other]:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    of = node.func.value if isinstance(node.func, ast.Attribute) else None
    if of is not None and not (isinstance(of, ast.Name) and of.id in ("np", "math", "torch")):
        yield of, _NEEDED
    elif node.args and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        yield node.args[0], _NEEDED
    if name in ("min", "max"):
        yield from ((arg, _NEEDED) for arg in node.args[1:])
    for i in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :]), _NEEDED
    for i in range(len(node.args) - 1):
        turned = [*node.args[:i], node.args[i + 1], node.args[i], *node.args[i + 2 :]]
        yield ast.Call(node.func, turned, node.keywords), _WHICH_ORDER
    said = {keyword.arg for keyword in node.keywords}
    if name in _ALONG:
        more = [("axis", x) for x in (0, 1, -1) if "axis" not in said] + [("keepdims", True)] * ("keepdims" not in said)
        for key, value in more:
            keyword = ast.keyword(key, ast.Constant(value))
            yield ast.Call(node.func, node.args, [*node.keywords, keyword]), _MISSING


def _other_statements(node: ast.stmt) -> Iterator[Other]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.If):
        yield ast.Pass(), _NEEDED
    if isinstance(node, ast.AugAssign):
        for operator in _OPERATORS.get(type(node.op), ()):
            yield ast.AugAssign(node.target, operator(), node.value), _WHICH_SIGN
        yield ast.Assign([node.target], node.value), _WHICH_SIGN
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple):
        for operator in (ast.Add, ast.Sub):
            yield ast.AugAssign(node.targets[0], operator(), node.value), _WHICH_SIGN
    if isinstance(node, ast.If):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse), "is it the right way round?"
    if isinstance(node, ast.For):
        yield from _return_after(node)
        last = node.body[-1]
        target = last.targets[0] if isinstance(last, ast.Assign) else getattr(last, "target", None)
        if isinstance(target, ast.Name):
            inside = ast.Return(ast.Name(target.id, ast.Load()))
            yield ast.For(node.target, node.iter, [*node.body, inside], []), "is it ended too late?"
        first = ast.parse("list(x)[:1]", mode="eval").body
        first.value.args = [node.iter]
        yield ast.For(node.target, first, node.body, []), _NEEDED


def _return_after(loop: ast.For) -> Iterator[Other]:
    """The `return` that stands last in `loop`, or in what stands last in it, comes after the loop instead."""
    own = copy.deepcopy(loop)
    body = own.body
    while isinstance(body[-1], ast.For | ast.If):
        body = body[-1].body
    if isinstance(body[-1], ast.Return) and not loop.orelse:
        own.orelse = [body.pop()]  # which Python runs when the loop has come to its end
        yield own, _TOO_EARLY


# --- in words --------------------------------------------------------------------------------------------------------

_LONG = 60


def _short(node: ast.AST) -> str:
    """`node` as it is written; of what is long, the parts that are long themselves become …"""
    text = _written(node)
    if len(text) <= _LONG and "\n" not in text:
        return text
    if isinstance(node, ast.stmt):
        return text.splitlines()[0]
    own = copy.deepcopy(node)
    for parent, child in list(_inside(own)):
        if parent is own and len(_written(child)) > _LONG // 3:
            _put(own, child, ast.Name("…", ast.Load())).__enter__()
    return _written(own)


def _written(node: ast.AST) -> str:
    text = ast.unparse(ast.fix_missing_locations(node))
    return re.sub(rf"\n *{re.escape(_ROUND)}(?=\n|$)", "", text)
