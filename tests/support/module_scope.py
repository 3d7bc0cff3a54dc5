"""What every test of a module begins with, made once for the module.

It is made in a transaction around those of the tests, so each finds it as it was made.
"""

import copy
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from django.test import TestCase
from pytest_django import DjangoDbBlocker

Made = TypeVar("Made")


def once_a_module(
    request: pytest.FixtureRequest, blocker: DjangoDbBlocker, make: Callable[[], Made], name: str
) -> Iterator[Callable[[], Made] | None]:
    """Yield what gives each test of a module its own copy; for a fixture of module scope.

    `name` is the fixture by which tests ask for it. None, and nothing is made, where a test of the
    module commits, as with a live server, or asks the database without it: each makes its own then.
    """
    asking = [item for item in request.session.items if _asks(item, request.node)]
    if any(_commits(item) or name not in _fixtures(item) for item in asking):
        yield None
        return
    with blocker.unblock():
        # As TestCase does it for its class: only so a durable transaction may begin in a test.
        around = TestCase._enter_atomics()  # type: ignore[attr-defined]  # not in the stubs
    try:
        with blocker.unblock():
            made = make()
        yield lambda: copy.deepcopy(made)
    finally:
        with blocker.unblock():
            TestCase._rollback_atomics(around)  # type: ignore[attr-defined]  # not in the stubs


def _fixtures(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", ()))


def _asks(item: pytest.Item, module: pytest.Module) -> bool:
    """Whether it is a test of the module that asks the database."""
    named = {"db", "live_server", "transactional_db"} & _fixtures(item)
    is_marked = item.get_closest_marker("django_db") is not None
    return item.getparent(pytest.Module) is module and (bool(named) or is_marked)


def _commits(item: pytest.Item) -> bool:
    named = {"live_server", "transactional_db"} & _fixtures(item)
    marker = item.get_closest_marker("django_db")
    return bool(named) or (marker is not None and bool(marker.kwargs.get("transaction")))
