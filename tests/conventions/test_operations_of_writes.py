"""Every REST write names its operation, and callers pass arguments by their names."""

import ast
from collections.abc import Iterator
from typing import Final

from tests.support.sources import ROOT

WITHOUT: Final = {
    "resolve_import_problem_view": "one of four operations, by what is done",
    "close_tables_view": "has the right of closing a table",
    "add_photo_view": "cleans the picture before its operation",
}
"""REST writes without a declared operation, each with its reason."""


def _writes() -> Iterator[tuple[str, ast.Call]]:
    """Yield each function that is a REST write, with its decorator."""
    for path in sorted((ROOT / "api" / "v1").rglob("*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        for node in (node for node in module.body if isinstance(node, ast.FunctionDef)):
            for decorator in node.decorator_list:
                name = ast.unparse(decorator).partition("(")[0]
                if isinstance(decorator, ast.Call) and name in ("idempotent_write", "writing"):
                    yield node.name, decorator


def test_rest_writes_name_their_operation() -> None:
    without = {
        name
        for name, call in _writes()
        if not any(keyword.arg == "operation" for keyword in call.keywords)
    }
    assert without == WITHOUT.keys()


MAPPINGS: Final = {
    *("deal_boards", "load_boards", "change_player", "set_attendance"),
    *("change_meeting", "make_plans", "make_cut", "create_event", "seat_table", "reseat_table"),
}
"""Operations that an interface still calls with a mapping, where no check sees a renamed argument;
the list may only become shorter."""


def _functions_of(folder: str) -> Iterator[ast.FunctionDef]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield node


def test_interfaces_call_operations_with_names() -> None:
    operations = {
        function.name
        for function in _functions_of("tournaments/services")
        if any(ast.unparse(each).startswith("operation(") for each in function.decorator_list)
    }
    assert len(operations) > 150
    called = {
        ast.unparse(call.func).rpartition(".")[2]
        for folder in ("api", "tournaments/views", "tournaments/management")
        for function in _functions_of(folder)
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and any(keyword.arg is None for keyword in call.keywords)
    }
    assert called & operations == MAPPINGS
