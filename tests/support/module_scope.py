"""What the tests of a module begin with, made once for the module; a plugin.

It is made in a transaction around those of the tests, so each finds it as it was made. A test that
commits, or asks the database without it, must not find it: it is undone before such a test and
made again for the next one that asks. Tests that begin with the same run after one another.
"""

import copy
import inspect
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Generic, TypeVar

import pytest
from django.test import TestCase
from pytest_django import DjangoDbBlocker

Made = TypeVar("Made")

ENDING = "_once"
"""How the fixture of a module is called, after the name by which tests ask for what it makes."""
KEY = pytest.StashKey[list["Once[Any]"]]()
"""In a session: what the current module makes once, each resting on those before it."""
CURRENT = pytest.StashKey[pytest.Item]()
"""In a session: the test that is being set up."""
COPIES = pytest.StashKey[dict[int, Any]]()
"""In a session: what that test was given, so that two things it is given are of one world."""


class Once(Generic[Made]):
    """One thing that is there for some tests of a module."""

    def __init__(
        self, name: str, make: Callable[[], Made], session: pytest.Session, blocker: DjangoDbBlocker
    ) -> None:
        self.name = name
        self._make = make
        self._session = session
        self._blocker = blocker
        self._around: Any = None
        self._made: list[Made] = []

    @property
    def is_there(self) -> bool:
        return bool(self._made)

    @property
    def original(self) -> Made:
        """What was made; a test gets a copy, and so does what rests on it."""
        return self._made[0]

    def given(self) -> Made | None:
        """A test's own copy, or None where the test makes its own."""
        return copy.deepcopy(self.original, self._session.stash[COPIES]) if self._made else None

    def begin(self) -> None:
        with self._blocker.unblock(), ExitStack() as undo:
            # As TestCase does it for its class: only so a durable transaction may begin in a test.
            self._around = TestCase._enter_atomics()  # type: ignore[attr-defined]  # not in the stubs
            undo.callback(self.end)
            self._made.append(self._make())
            undo.pop_all()

    def end(self) -> None:
        self._made.clear()
        if self._around is not None:
            with self._blocker.unblock():
                TestCase._rollback_atomics(self._around)  # type: ignore[attr-defined]  # not in the stubs
            self._around = None


def once_a_module(
    request: pytest.FixtureRequest, blocker: DjangoDbBlocker, make: Callable[[], Made], name: str
) -> Iterator[Once[Made]]:
    """Yield what gives each test of a module its own copy; for a fixture of module scope.

    `name` is the fixture by which tests ask for it. That of the module is called `<name>_once`.
    """
    one = Once(name, make, request.session, blocker)
    all_of_them = request.session.stash[KEY]
    all_of_them.append(one)
    try:
        if name in asked_by(request.session.stash[CURRENT]):
            one.begin()
        yield one
    finally:
        one.end()
        all_of_them.remove(one)


def made_once(name: str, make: Callable[..., Any]) -> tuple[Any, Any]:
    """Give a module a fixture that is made once: `event_once, event = made_once("event", make)`.

    The parameters of `make` are names of fixtures that are made once too.
    """
    needs = tuple(inspect.signature(make).parameters)

    @pytest.fixture(scope="module", name=f"{name}{ENDING}")
    def once(
        request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
    ) -> Iterator[Once[Any]]:
        below = [request.getfixturevalue(f"{each}{ENDING}") for each in needs]

        def made() -> Any:
            copies: dict[int, Any] = {}
            return make(*(copy.deepcopy(one.original, copies) for one in below))

        yield from once_a_module(request, django_db_blocker, made, name)

    def each(**fixtures: Any) -> Any:
        given = fixtures[f"{name}{ENDING}"].given()
        return make(*(fixtures[need] for need in needs)) if given is None else given

    names = (f"{name}{ENDING}", "db", *needs)
    each.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # what pytest asks for
        [inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY) for one in names]
    )
    return once, pytest.fixture(name=name)(each)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    stash = item.session.stash
    stash[CURRENT], stash[COPIES] = item, {}
    known = stash.setdefault(KEY, [])
    asked = asked_by(item)
    differ = [place for place, one in enumerate(known) if one.is_there != (one.name in asked)]
    if not differ or not uses_database(item):
        return
    for one in reversed(known[differ[0] :]):
        one.end()
    for one in known[differ[0] :]:
        if one.name in asked:
            one.begin()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    modules: dict[object, int] = {}
    groups: dict[tuple[int, frozenset[str]], int] = {}
    order: list[tuple[int, int]] = []
    for item in items:
        module = modules.setdefault((item.getparent(pytest.Module), _commits(item)), len(modules))
        group = groups.setdefault((module, asked_by(item)), len(groups))
        order.append((module, group))
    places = sorted(range(len(items)), key=order.__getitem__)
    items[:] = [items[place] for place in places]


def asked_by(item: pytest.Item) -> frozenset[str]:
    """The names of what a test begins with; a test that commits begins with nothing."""
    names = _fixtures(item)
    if _commits(item):
        return frozenset()
    return frozenset(name for name in names if f"{name}{ENDING}" in names)


def uses_database(item: pytest.Item) -> bool:
    named = {"db", "live_server", "transactional_db"} & _fixtures(item)
    return bool(named) or item.get_closest_marker("django_db") is not None


def _fixtures(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", ()))


def _commits(item: pytest.Item) -> bool:
    named = {"live_server", "transactional_db"} & _fixtures(item)
    marker = item.get_closest_marker("django_db")
    return bool(named) or (marker is not None and bool(marker.kwargs.get("transaction")))
