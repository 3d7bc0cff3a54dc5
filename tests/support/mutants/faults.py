"""The faults of one module: what between two bytes becomes what, and on which line.

None is in a message, in a logging call or in what is raised, and none in the columns of models,
which migrations describe.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, TypeAlias

Lines: TypeAlias = range | None
"""The lines of a statement without those inside it, or None: it runs when a module is imported."""

Operators: TypeAlias = dict[type[ast.AST], type[ast.AST]]

_NARROW: Final = ((ast.Lt, ast.LtE), (ast.Gt, ast.GtE))
_WIDE: Final = (
    *((ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot)),
    *((ast.Add, ast.Sub), (ast.And, ast.Or), (ast.BitAnd, ast.BitOr)),
)
BOUNDARIES: Final[Operators] = {a: b for pair in _NARROW for a, b in (pair, pair[::-1])}
OTHERS: Final[Operators] = {a: b for pair in _WIDE for a, b in (pair, pair[::-1])}
OTHER_NAME: Final = {"min": "max", "max": "min", "any": "all", "all": "any"}

FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
FIELDS_LEFT_OUT: Final = ("annotation", "returns", "decorator_list", "keywords")
NODES_LEFT_OUT: Final = (ast.Raise, ast.Assert, ast.JoinedStr)  # the last has wrong positions
MESSAGES: Final = frozenset(
    f"{name}{end}"
    for name in ("gettext", "ngettext", "pgettext", "npgettext")
    for end in ("", "_lazy")
) | {"_", "_now", "gettext_noop", "ngettext_lazy"}
LOGS: Final = frozenset({"log", "_log", "logger", "logging"})


@dataclass(frozen=True, slots=True)
class Fault:
    """`old`, between two bytes of a module, becomes `new`; the line is that of what changes."""

    line: int
    start: int
    end: int
    old: str
    new: str
    is_boundary: bool
    lines: Lines


@dataclass(frozen=True, slots=True)
class _Change:
    """A node and what is written in its place; `at` is the part of it that changes."""

    node: ast.expr | ast.stmt
    new: str
    at: ast.expr | ast.stmt
    is_boundary: bool = False


def faults_of(source: bytes, *, has_columns: bool = False) -> list[Fault]:
    """Return the faults of a module, in the order of its source."""
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    faults = []
    for node, lines in _nodes(ast.parse(source), lines=None, has_columns=has_columns):
        for change in _changes(node):
            start = starts[change.node.lineno - 1] + change.node.col_offset
            end = starts[(change.node.end_lineno or 0) - 1] + (change.node.end_col_offset or 0)
            faults.append(
                Fault(
                    line=change.at.lineno,
                    start=start,
                    end=end,
                    old=source[start:end].decode(),
                    new=change.new,
                    is_boundary=change.is_boundary,
                    lines=lines,
                )
            )
    return sorted(faults, key=lambda fault: (fault.line, fault.start, fault.end, fault.new))


def function_lines(source: bytes) -> list[range]:
    """Return the lines of the functions of a module."""
    return [
        range(node.body[0].lineno, (node.end_lineno or 0) + 1)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, FUNCTIONS)
    ]


def _nodes(node: ast.AST, *, lines: Lines, has_columns: bool) -> Iterator[tuple[ast.AST, Lines]]:
    """Yield what may change below a node, each with the lines of its statement."""
    yield node, lines
    for child in _children(node):
        if isinstance(node, ast.ClassDef) and has_columns and not isinstance(child, FUNCTIONS):
            continue
        inside = lines
        if isinstance(child, ast.stmt):
            is_in_function = lines is not None or isinstance(node, FUNCTIONS)
            inside = _own_lines(child) if is_in_function else None
        yield from _nodes(child, lines=inside, has_columns=has_columns)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in FIELDS_LEFT_OUT and not isinstance(node, ast.Call):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_left_out(child):
                yield child


def _is_left_out(node: ast.AST) -> bool:
    if isinstance(node, ast.keyword):
        return _is_left_out(node.value)
    if isinstance(node, ast.Expr):
        return _is_left_out(node.value)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _is_message(node.left)
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
        return node.test.id == "TYPE_CHECKING"
    return isinstance(node, NODES_LEFT_OUT) or _is_message(node) or _is_logging(node)


def _is_message(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _is_message(node.func.value)
    return isinstance(node.func, ast.Name) and node.func.id in MESSAGES


def _is_logging(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name in LOGS
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name))))
        ):
            return name in LOGS
    return False


def _own_lines(statement: ast.stmt) -> range:
    """Return the lines of a statement; of an `if` or a loop those before its body."""
    body = getattr(statement, "body", None)
    end = body[0].lineno - 1 if isinstance(body, list) else statement.end_lineno or 0
    return range(statement.lineno, max(end, statement.lineno) + 1)


def _changes(node: ast.AST) -> Iterator[_Change]:
    match node:
        case ast.Compare():
            yield from _compared(node)
        case ast.BoolOp():
            yield from _bool(node)
        case ast.Call():
            yield from _keywords(node)
        case ast.Constant(value=bool(value)):
            yield _Change(node, str(not value), node)
        case ast.Constant(value=int(value)):
            yield _Change(node, f"({value + 1})", node, is_boundary=True)
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if other := OTHERS.get(type(op)):
            yield _Change(node, _written(node, op=other()), node)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield _Change(node, f"({ast.unparse(operand)})", node)
        case ast.Name(id=name, ctx=ast.Load()) if name in OTHER_NAME:
            yield _Change(node, OTHER_NAME[name], node)
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield _Change(node, "return None", node)
        case ast.Expr(value=ast.Call()):
            yield _Change(node, "None", node)
        case ast.Continue():
            yield _Change(node, "break", node)
    for test in (getattr(node, "test", None), *getattr(node, "ifs", ())):
        # The operators of the others change.
        if isinstance(test, ast.expr) and not isinstance(test, ast.Compare | ast.UnaryOp):
            yield _Change(test, f"(not ({ast.unparse(test)}))", test)


def _written(node: ast.AST, **fields: object) -> str:
    text = ast.unparse(type(node)(**dict(ast.iter_fields(node)) | fields))
    return f"({text})" if isinstance(node, ast.expr) else text


def _compared(node: ast.Compare) -> Iterator[_Change]:
    for at, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
        other = BOUNDARIES.get(type(op)) or OTHERS[type(op)]
        ops = [*node.ops[:at], other(), *node.ops[at + 1 :]]
        yield _Change(node, _written(node, ops=ops), right, is_boundary=type(op) in BOUNDARIES)


def _bool(node: ast.BoolOp) -> Iterator[_Change]:
    yield _Change(node, _written(node, op=OTHERS[type(node.op)]()), node)
    for at, value in enumerate(node.values):
        values = [*node.values[:at], *node.values[at + 1 :]]
        yield _Change(node, _written(node, values=values), value, is_boundary=True)


def _keywords(node: ast.Call) -> Iterator[_Change]:
    for at, keyword in enumerate(node.keywords):
        if keyword.arg is None or _is_left_out(keyword.value):
            continue
        keywords = [*node.keywords[:at], *node.keywords[at + 1 :]]
        yield _Change(node, _written(node, keywords=keywords), keyword.value, is_boundary=True)
