"""How many mistakes the checker names: each exercise's solution, as the lesson has it, with one small change each time.

    python -m tests.course.unseen [--two] [--number 40] [--seed 0] [--show vague] [EXERCISE ...]

The changes are made here, from the solution's own code, and know nothing of the mistakes that the checker knows.
With --two, each answer has two of them.
"""

from __future__ import annotations

import argparse
import ast
import copy
import linecache
import random
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from utils.course.exercises import EXERCISES, Verdict, diagnose
from utils.course.exercises.changes import solution_of
from utils.course.exercises.exercise import Exercise, agree, run

LONGEST = 20_000  # lines that a mutant may run before it counts as one that never ends
OTHER_OPERATORS = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.Sub),
    ast.MatMult: (ast.Mult,),
    ast.Pow: (ast.Mult,),
    ast.FloorDiv: (ast.Mod,),
    ast.Mod: (ast.FloorDiv,),
    ast.BitAnd: (ast.BitOr,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
}
NEIGHBOURS = [
    ("sum", "mean"), ("max", "min"), ("argmax", "argmin"), ("sin", "cos"), ("exp", "exp2"), ("log", "log2"),
    ("log", "log10"), ("zeros", "ones"), ("tril", "triu"), ("diag", "diagflat"), ("outer", "multiply"),
    ("var", "std"), ("tanh", "sin"), ("maximum", "minimum"), ("sqrt", "square"), ("cumsum", "cumprod"),
    ("append", "extend"), ("repeat", "tile"), ("sigmoid", "tanh"),
]  # fmt: skip
OTHER_NAMES = {
    a: [d for c, d in [*NEIGHBOURS, *[n[::-1] for n in NEIGHBOURS]] if c == a] for n in NEIGHBOURS for a in n
}


class Answer(NamedTuple):
    """A wrong answer: the function, and its code."""

    function: Callable[..., Any]
    code: str


class NeverEndsError(Exception):
    """A mutant has run more lines than any answer needs."""


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _changes(node: ast.AST, names: Sequence[str]) -> Iterator[ast.AST]:
    """What may stand in the place of `node`; `names` are the arguments of the function."""
    if isinstance(node, ast.BinOp):
        for other in OTHER_OPERATORS.get(type(node.op), ()):
            yield ast.BinOp(node.left, other(), node.right)
        if not isinstance(node.op, ast.Add | ast.Mult):
            yield ast.BinOp(node.right, node.op, node.left)
        yield from (node.left, node.right)
        if isinstance(node.left, ast.BinOp):  # brackets set in another way
            inner = node.left
            yield ast.BinOp(inner.left, inner.op, ast.BinOp(inner.right, node.op, node.right))
        if isinstance(node.right, ast.BinOp):
            inner = node.right
            yield ast.BinOp(ast.BinOp(node.left, node.op, inner.left), inner.op, inner.right)
    elif isinstance(node, ast.Compare):
        for other in OTHER_OPERATORS.get(type(node.ops[0]), ()):
            yield ast.Compare(node.left, [other()], node.comparators)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from map(ast.Constant, _other_constants(node.value))
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
        yield from (ast.Name(name, ast.Load()) for name in names if name != node.id)
    elif isinstance(node, ast.Attribute):
        if node.attr == "T":
            yield node.value
        yield from (ast.Attribute(node.value, name, node.ctx) for name in OTHER_NAMES.get(node.attr, ()))
    elif isinstance(node, ast.Call):
        yield from _other_calls(node)
    elif isinstance(node, ast.Slice):
        for part in ("lower", "upper", "step"):
            if getattr(node, part) is not None:
                yield ast.Slice(**{p: getattr(node, p) for p in ("lower", "upper", "step") if p != part})
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) == 2:
        yield ast.Tuple(node.elts[::-1], node.ctx)
    elif isinstance(node, ast.AugAssign):
        for other in OTHER_OPERATORS.get(type(node.op), ()):
            yield ast.AugAssign(node.target, other(), node.value)
        yield ast.Assign([node.target], node.value)
        yield ast.Pass()
    elif isinstance(node, ast.For):
        last = node.body[-1]
        target = last.targets[0] if isinstance(last, ast.Assign) else None
        if isinstance(target, ast.Name):  # the return stands inside the loop
            inside = ast.Return(ast.Name(target.id, ast.Load()))
            yield ast.For(node.target, node.iter, [*node.body, inside], [])
        yield ast.For(node.target, ast.Subscript(ast.Call(ast.Name("list", ast.Load()), [node.iter], []),
                      ast.Slice(ast.Constant(1)), ast.Load()), node.body, [])  # fmt: skip


def _other_constants(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1] if value else [1]
    if isinstance(value, float):
        return [value * 2, value / 2, 1.0] if value else [1.0]
    return [value + "x", ""] if isinstance(value, str) and value and not value.startswith("b") else []


def _other_calls(node: ast.Call) -> Iterator[ast.AST]:
    is_method = isinstance(node.func, ast.Attribute) and _name(node.func.value) not in ("np", "math")
    if is_method:
        yield node.func.value
    elif node.args and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        yield node.args[0]
    for i in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:i] + node.keywords[i + 1 :])
    if len(node.args) > 1:
        yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
        if all(isinstance(argument, ast.Constant) for argument in node.args):
            for i in range(len(node.args) - 1):
                a = list(node.args)
                a[i], a[i + 1] = a[i + 1], a[i]
                yield ast.Call(node.func, a, node.keywords)
    if isinstance(node.func, ast.Name):
        yield from (
            ast.Call(ast.Name(name, ast.Load()), node.args, node.keywords) for name in OTHER_NAMES.get(node.func.id, ())
        )


def _changed_once(function: ast.FunctionDef) -> list[ast.FunctionDef]:
    names = [argument.arg for argument in function.args.args]
    places = [(i, list(_changes(node, names))) for i, node in enumerate(ast.walk(function)) if _is_code(node, function)]
    return [_with(function, i, n) for i, changed in places for n in range(len(changed))]


def _is_code(node: ast.AST, function: ast.FunctionDef) -> bool:
    return not (isinstance(node, ast.Constant) and node.value == ast.get_docstring(function, clean=False))


def _with(function: ast.FunctionDef, place: int, number: int) -> ast.FunctionDef:
    """A copy of `function` in which the node at `place` has become its change `number`."""
    own = copy.deepcopy(function)
    node = list(ast.walk(own))[place]
    new = list(_changes(node, [argument.arg for argument in own.args.args]))[number]

    class Put(ast.NodeTransformer):
        def visit(self, at: ast.AST) -> ast.AST:
            return copy.deepcopy(new) if at is node else self.generic_visit(at)

    return ast.fix_missing_locations(Put().visit(own))


def _compiled(function: ast.FunctionDef, names: dict[str, Any]) -> Callable[..., Any] | None:
    own, code = dict(names), ast.unparse(function)
    file = f"answer {hash(code)}"  # where its source is found, as that of a notebook's cell
    try:
        exec(compile(code, file, "exec"), own)
    except (SyntaxError, ValueError):
        return None
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    return own[function.name]


def _ends(function: Callable[..., Any], cases: Sequence[tuple[Any, ...]]) -> bool:
    lines = 0

    def counted(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        if not frame.f_code.co_filename.startswith("answer"):
            return None
        lines += 1
        if lines > LONGEST:
            raise NeverEndsError
        return counted

    for case in cases:
        sys.settrace(counted)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                function(*copy.deepcopy(case))
        except NeverEndsError:
            return False
        except Exception:
            pass
        finally:
            sys.settrace(None)
    return True


def _rolled(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Other ordinary inputs: the same numbers in other places."""
    floats = lambda x: isinstance(x, np.ndarray) and x.dtype.kind == "f"  # noqa: E731
    return tuple(np.roll(value, 1, axis=-1) if floats(value) else value for value in inputs)


def wrong_answers(exercise: Exercise, number: int, seed: int = 0, two: bool = False) -> Iterator[Answer]:
    """Up to `number` changed solutions of `exercise` that run, and of which no two return the same everywhere."""
    function, names = solution_of(exercise.name)
    chance = random.Random(f"{seed} {exercise.name}")
    changed = _changed_once(function)
    chance.shuffle(changed)
    if two:
        changed = [chance.choice(twice) for twice in map(_changed_once, changed) if twice for _ in range(3)]
    cases = [*exercise.inputs, *map(_rolled, exercise.inputs)]
    met = [[run(exercise.reference, case) for case in cases]]
    found = 0
    for tree in changed:
        answer = _compiled(tree, names)
        if found == number or answer is None or not _ends(answer, [*exercise.inputs, *exercise.extremes]):
            continue
        outcome = [run(answer, case) for case in cases]
        crashes = all(one.error is not None for one in outcome[: len(exercise.inputs)])
        if not crashes and not any(all(map(agree, outcome, other)) for other in met):
            met.append(outcome)
            found += 1
            yield Answer(answer, "\n".join(ast.unparse(tree).splitlines()[2:]))


def verdict(exercise: Exercise, answer: Answer) -> tuple[str, str]:
    """One of passed, named, placed (it says where, not what), stops, shape, vague; and what the student reads."""
    diagnosis = diagnose(exercise, answer.function)
    said = f"{diagnosis.sentence} {diagnosis.details}"
    if diagnosis.verdict is Verdict.PASSED:
        return "passed", said
    if diagnosis.mistake:
        return "placed" if diagnosis.mistake.startswith("where: ") else "named", said
    for kind, words in (("stops", "stops with"), ("shape", "The shape is (")):
        if words in diagnosis.sentence:
            return kind, said
    return "vague", said


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a line for each exercise, and one for all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*", metavar="EXERCISE")
    parser.add_argument("--number", type=int, default=40, help="wrong answers of each exercise, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--two", action="store_true", help="two changes in each answer")
    parser.add_argument("--show", nargs="*", default=[], help="the answers of these kinds, with what is said of them")
    asked = parser.parse_args(arguments)
    total: Counter[str] = Counter()
    for name in asked.exercises or EXERCISES:
        exercise, kinds = EXERCISES[name], Counter()
        for answer in wrong_answers(exercise, asked.number, asked.seed, asked.two):
            kind, said = verdict(exercise, answer)
            kinds[kind] += 1
            if kind in asked.show:
                print(f"--- {name}, {kind}: {said}\n{answer.code}")
        total += kinds
        print(f"{name:28}{_in_words(kinds)}", flush=True)
    print(f"{'all':28}{_in_words(total)}")


def _in_words(kinds: Counter[str]) -> str:
    number = sum(kinds.values())
    shares = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common() if kind != "named")
    told = kinds["named"] + kinds["placed"]
    return (
        f"{told:4} of {number:4} told, {told / max(number, 1):4.0%}; {kinds['named'] / max(number, 1):4.0%} named  "
        f" {shares}"
    )


if __name__ == "__main__":
    main()
