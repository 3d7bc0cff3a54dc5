"""Check how densely the product is written: `python -m tests.support.density [--worst N]`.

Each habit is counted by 10,000 tokens of code, so stretching code over more lines betters no
figure. Comments, docstrings and imports are no code. A limit says when the whole reads plainly
enough, never what one place should look like: docs/style.md says that.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from tests.support.sources import PACKAGES, ROOT

CONDITIONALS: Final = "conditional expressions"
NESTED: Final = "conditional expressions inside another"
LONG_COMPREHENSIONS: Final = "comprehensions over one line or of three clauses"
UNRELATED: Final = "assignments of unrelated values"
WALRUS: Final = "assignments inside an expression"
VALUES_OF_CONDITIONS: Final = "`or` and `and` as values"
SMALL_FUNCTIONS: Final = "private functions of under 6 lines that are called once"
POSITIONAL: Final = "calls of more than 6 positional arguments"
SEAMS: Final = "constants and types below the first function"
FMT_SKIP: Final = "`fmt: skip`"
NOQA: Final = "`noqa`"

LIMITS: Final = {
    CONDITIONALS: 30.0,
    NESTED: 0.1,
    LONG_COMPREHENSIONS: 10.5,
    UNRELATED: 1.5,
    SEAMS: 6.0,
    FMT_SKIP: 0.5,
    # Where density goes when it is only pushed aside.
    WALRUS: 4.0,
    VALUES_OF_CONDITIONS: 5.5,
    SMALL_FUNCTIONS: 3.1,
    POSITIONAL: 0.9,
    NOQA: 0.6,
}
"""The greatest number of each habit by 10,000 tokens."""

SMALL: Final = 6
"""A function of fewer lines is small."""

MOST_POSITIONAL: Final = 6

FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS: Final = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
ASSIGNMENTS: Final = (ast.Assign, ast.AnnAssign)
QUIET_TOKENS: Final = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
)
PREDICATE: Final = re.compile(
    r"_?(is|has|may|can|any|all|bool|needs|wants|exists|isinstance)(_|$)|is[a-z]+$|.*with$"
)
"""Names of functions and attributes that are true or false."""

Shape: TypeAlias = tuple[object, ...]
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def shape_of(node: ast.AST) -> Shape:
    """Return an expression without its names and constants.

    Values of one shape are parallel and may stand in one line: `rows[0], rows[-1]`.
    """
    match node:
        case ast.Name():
            return ("name",)
        case ast.Constant(value=value):
            return (type(value).__name__,)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            named = [(keyword.arg, shape_of(keyword.value)) for keyword in keywords]
            return (ast.unparse(function), *map(shape_of, arguments), *named)
        case ast.Attribute(value=value):
            return ("attribute", ast.unparse(value))
        case ast.Subscript(value=value):
            return ("item", ast.unparse(value))
        case _:
            return (type(node).__name__, *map(shape_of, ast.iter_child_nodes(node)))


def is_unrelated(node: ast.AST) -> bool:
    """Whether `a, b = x, y` should be two lines.

    Unpacking, swaps and parallel values may stay in one.
    """
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            pass
        case _:
            return False
    if len(targets) != len(values):
        return False
    if any(isinstance(part, ast.Starred) for part in (*targets, *values)):
        return False
    if len({shape_of(value) for value in values}) == 1:
        return False
    names = {ast.unparse(target) for target in targets}
    reads = (part for value in values for part in ast.walk(value))
    return not any(
        isinstance(part, ast.Name | ast.Attribute | ast.Subscript) and ast.unparse(part) in names
        for part in reads
    )


def is_condition(node: ast.AST) -> bool:
    """Whether an expression is true or false rather than a value or its default."""
    match node:
        case ast.BoolOp(values=values):
            return all(map(is_condition, values))
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return bool(PREDICATE.match(name))
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return bool(PREDICATE.match(name))
        case _:
            return False


def is_over_lines(node: ast.expr) -> bool:
    return node.end_lineno != node.lineno


def strings_in(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the string statements of a body: its docstring, and the descriptions of constants."""
    for statement in body:
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                yield statement


def is_record(node: ast.ClassDef) -> bool:
    """Whether a class says what it is made of, with methods of one statement at most."""
    methods = (member for member in node.body if isinstance(member, FUNCTIONS))
    return all(len(method.body) == 1 for method in methods)


def seams_in(tree: ast.Module) -> int:
    """Count constants, types and records below the first function that could stand above it."""
    count = 0
    has_function = False
    defined: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, FUNCTIONS):
            has_function = True
            defined.add(statement.name)
            continue
        if isinstance(statement, ast.ClassDef):
            is_piece = is_record(statement)
            bound = {statement.name}
        elif isinstance(statement, ASSIGNMENTS):
            is_piece = True
            bound = _names(statement, ast.Store)
        else:
            continue
        uses = _names(statement, ast.Load) & defined
        if uses or not is_piece:
            defined |= bound  # what uses it stands below too
        elif has_function and not any(name.startswith("__") for name in bound):
            count += 1
    return count


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, context)
    }


def small_functions_in(tree: ast.Module) -> int:
    """Count private functions of a few lines that the module calls at one place."""
    names = Counter(part.id for part in ast.walk(tree) if isinstance(part, ast.Name))
    calls = Counter(
        part.func.id
        for part in ast.walk(tree)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
    )
    functions = [statement for statement in tree.body if isinstance(statement, FUNCTIONS)]
    return sum(
        names[function.name] == 1 and calls[function.name] == 1
        for function in functions
        if _is_private(function) and _lines_of_body(function) < SMALL
    )


def _is_private(function: Function) -> bool:
    is_dunder = function.name.startswith("__")
    return function.name.startswith("_") and not is_dunder and not function.decorator_list


def _lines_of_body(function: Function) -> int:
    first, last = function.body[0], function.body[-1]
    lines = (last.end_lineno or last.lineno) - first.lineno + 1
    for docstring in strings_in(function.body[:1]):
        lines -= (docstring.end_lineno or docstring.lineno) - docstring.lineno + 1
    return lines


def habits_in(source: str) -> tuple[Counter[str], int]:
    """Return how often each habit occurs in a module, and its tokens of code."""
    tree = ast.parse(source)
    habits = Counter({SEAMS: seams_in(tree), SMALL_FUNCTIONS: small_functions_in(tree)})
    silent: set[int] = set()
    for node in ast.walk(tree):
        habits.update(_habits_of(node))
        if isinstance(node, ast.Module | ast.ClassDef | FUNCTIONS[0] | FUNCTIONS[1]):
            for string in strings_in(node.body):
                silent.update(_lines(string))
        if isinstance(node, ast.Import | ast.ImportFrom):
            silent.update(_lines(node))
    tokens = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            habits[FMT_SKIP] += "fmt: skip" in token.string or "fmt: off" in token.string
            habits[NOQA] += "noqa" in token.string
        elif token.type not in QUIET_TOKENS and token.start[0] not in silent:
            tokens += 1
    return habits, tokens


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _habits_of(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield CONDITIONALS
        if any(isinstance(part, ast.IfExp) for part in ast.walk(node) if part is not node):
            yield NESTED
    if isinstance(node, COMPREHENSIONS):
        clauses = sum(1 + len(generator.ifs) for generator in node.generators)
        if is_over_lines(node) or clauses > 2:
            yield LONG_COMPREHENSIONS
    if isinstance(node, ast.NamedExpr):
        yield WALRUS
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.Return):
        value = node.value
        if isinstance(value, ast.BoolOp) and not is_condition(value):
            yield VALUES_OF_CONDITIONS
    if is_unrelated(node):
        yield UNRELATED
    if isinstance(node, ast.Call) and len(node.args) > MOST_POSITIONAL:
        yield POSITIONAL


def paths_of_product() -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def exceeded(habits: Mapping[str, int], tokens: int, limits: Mapping[str, float]) -> list[str]:
    """Return a line for each habit that occurs more often than its limit."""
    lines = []
    for habit, limit in limits.items():
        rate = round(10_000 * habits[habit] / tokens, 1)
        if rate > limit:
            lines.append(f"{habit}: {rate} by 10,000 tokens of code, at most {limit}")
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worst", type=int, default=0, help="list so many of the densest modules")
    worst = parser.parse_args(arguments).worst
    total: Counter[str] = Counter()
    tokens = 0
    densest: list[tuple[int, str]] = []
    for path in paths_of_product():
        habits, n_tokens = habits_in(path.read_text(encoding="utf-8"))
        total.update(habits)
        tokens += n_tokens
        densest.append((habits.total() - habits[CONDITIONALS], str(path.relative_to(ROOT))))
    densest.sort(reverse=True)
    for count, name in densest[:worst]:
        print(f"{count:4}  {name}")
    too_many = exceeded(total, tokens, LIMITS)
    if not too_many:
        return 0
    print("The code has become denser (docs/style.md):", *too_many, sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
