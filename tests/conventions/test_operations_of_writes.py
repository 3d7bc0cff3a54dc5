"""Every REST write names its operation, and callers pass arguments by their names."""

import ast
from collections.abc import Iterator
from typing import Any, Final

from api.openapi_refusals import declared_of
from api.urls import urlpatterns
from tests.support.sources import ROOT

WITHOUT: Final = {"score": "stores nothing"}
"""REST writes without a declared operation, each with its reason."""


def test_rest_writes_name_their_operation() -> None:
    views: list[Any] = [pattern.callback for pattern in urlpatterns]
    writes = {
        name: declared_of(view, method)[1]
        for view in views
        for method, name in getattr(view, "operations", {}).items()
        if method not in ("get", "head")
    }
    assert len(writes) > 130
    assert {name for name, write in writes.items() if write is None} == WITHOUT.keys()


MAPPINGS: Final = {"change_player", "change_meeting", "make_cut", "create_event"}
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
