"""Every address and method, asked by everybody: the answers are those of two tables.

`rights.csv` and `routes.csv` beside this are written by hand from who may do what
(docs/contracts.md, Roles); an address without a line fails. The short form asks two callers of each
line, by turns and with different answers due where there are such; the long tier asks all thirteen.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import transaction
from pytest_django import Settings

from tests.support.answers import close_answer
from tests.support.lengths import has_its_turn, is_long, short_or_long
from tests.support.policy_table import (
    HIDDEN,
    NO,
    OF_OTHERS,
    SIGN_IN,
    YES,
    Row,
    addresses,
    meaning,
    rows_of,
    table,
    unused,
)
from tests.support.routes import METHODS, Route
from tests.support.scenarios.every_right import CALLERS, World, every_right
from tournaments.policy import MAY

pytestmark = pytest.mark.tier_all

BY_TURNS = short_or_long(2, len(CALLERS))
"""How many callers ask at each line."""
EVENT = ":event>"
OF_NO_ROLE = {"read_public", "own_account", "make_club", "join_club"}
"""Rights of whoever asks: what is public is said by the visibility of clubs and events."""
WITH_ROLE = {
    "public": "stranger",
    **{role: role for role in ("player", "host", "director", "owner")},
}
"""Role → the caller who has it."""
BROKEN = 4
"""Rights that the short form breaks; the long tier breaks every one."""


@dataclass
class Walked:
    """What was asked, and what was not answered as it should be."""

    found: Counter[str] = field(default_factory=Counter)
    addresses: set[str] = field(default_factory=set)
    methods: set[tuple[str, str]] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def note(
        self, row: Row, caller: str, visibility: str, expected: Sequence[str], found: str
    ) -> None:
        self.found[found] += 1
        self.addresses.add(row.route)
        self.methods.add((row.route, row.method))
        if found not in expected:
            what = " ".join(filter(None, (row.method, row.route, row.about, row.sends)))
            self.wrong.append(
                f"{what} ({visibility}): {caller} got {found}, not {' or '.join(expected)}"
            )

    def summary(self) -> str:
        refused = self.found[NO] + self.found[SIGN_IN]
        return (
            f"\n{len(self.addresses)} addresses, {len(self.methods)} with their methods, "
            f"{self.found.total()} cells: {self.found[YES]} allowed, {refused} refused "
            f"({self.found[SIGN_IN]} asked to sign in), {self.found[HIDDEN]} hidden, "
            f"{self.found['405']} without such a method"
        )


@pytest.fixture
def world(db: None, tmp_path: Path, settings: Settings) -> World:
    """One of everything; what counts tries does so in memory, where it is soon forgotten."""
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    return every_right(tmp_path)


def asked(world: World, row: Row, caller: str) -> str:
    """What a caller gets; whatever it did is undone."""
    path = Route(row.route, None).path(world.names_of(row.route, row.about))
    who = world.callers[caller]
    invitation = f"/invitations/{world.names['token']}" if row.about == "invited" else ""
    cache.clear()
    with transaction.atomic():
        answer = who.ask(row.method, path, row.sends, invitation=invitation)
        close_answer(answer)
        transaction.set_rollback(True)
    return meaning(answer)


def turns(row: Row, visibility: str, at: int) -> Sequence[str]:
    """Some of the callers, others at each line: as many answers that are due as may be."""
    if len(CALLERS) == BY_TURNS:
        return CALLERS
    around = [*CALLERS[at % len(CALLERS) :], *CALLERS[: at % len(CALLERS)]]
    due = {tuple(row.expected(caller, visibility)): caller for caller in reversed(around)}
    kinds = list(due.values())
    first = at % len(kinds)
    return list(dict.fromkeys((*kinds[first:], *kinds[:first], *around)))[:BY_TURNS]


def walk(world: World, rows: Iterable[Row], visibility: str = "public") -> Walked:
    done = Walked()
    for at, row in enumerate(rows):
        for caller in turns(row, visibility, at):
            expected = row.expected(caller, visibility)
            done.note(row, caller, visibility, expected, asked(world, row, caller))
    return done


def lines() -> Iterator[Row]:
    for route in addresses():
        yield from rows_of(route.pattern)


def without_a_line() -> Iterator[Row]:
    """Every method that an address does not offer; in the short form one of a third of them."""
    for at, route in enumerate(addresses()):
        if not has_its_turn(route.pattern, 0, 3):
            continue
        known = {row.method for row in rows_of(route.pattern)}
        if not route.pattern.startswith(OF_OTHERS):
            missing = [method for method in METHODS if method not in known]
            by_turns = missing if is_long() or not missing else [missing[at % len(missing)]]
            for method in by_turns:
                yield Row(route.pattern, method, "", "", "", "")


def rights() -> dict[str, list[Row]]:
    """Return the lines of each right that an address names, where a role in the club decides."""
    found: dict[str, list[Row]] = {}
    for route in addresses():
        named = getattr(route.view, "rights", {})
        for row in rows_of(route.pattern):
            right = named.get(row.method.lower(), getattr(route.view, "right", ""))
            if right and right not in OF_NO_ROLE:
                found.setdefault(right, []).append(row)
    return found


def wrong_for(world: World, caller: str, rows: Iterable[Row]) -> list[str]:
    """What a caller gets otherwise than the tables say."""
    done = Walked()
    for row in rows:
        done.note(row, caller, "public", row.expected(caller), asked(world, row, caller))
    return done.wrong


def test_every_address_has_its_lines_and_every_line_an_address() -> None:
    assert [route.pattern for route in addresses() if not rows_of(route.pattern)] == []
    assert list(unused()) == []
    once = Counter((row.route, row.method, row.about, row.sends) for row in table())
    assert [what for what, n in once.items() if n > 1] == []


@pytest.mark.timeout(1800)
def test_everybody_gets_what_tables_say(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    done = walk(world, lines())
    of_events = [row for row in lines() if EVENT in row.route and row.method == "GET"]
    for visibility in short_or_long(("held",), ("members", "held")):
        world.show_to(visibility)
        again = walk(world, of_events, visibility)
        done.found += again.found
        done.wrong += again.wrong
    world.show_to("public")
    for at, row in enumerate(without_a_line()):
        for caller in CALLERS if is_long() else (CALLERS[at % len(CALLERS)],):
            done.note(row, caller, "public", ["405"], asked(world, row, caller))
    with capsys.disabled():
        print(done.summary())
    assert not done.wrong, "\n".join(done.wrong)


def test_rights_broken_at_random_are_found(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    of_rights = rights()
    of_links = {"own_link", "confirmed_link"}  # no member has them: test_personal.py
    pairs = sorted((right, role) for right in of_rights.keys() - of_links for role in WITH_ROLE)
    chosen = pairs if is_long() else random.Random(17).sample(pairs, BROKEN)  # noqa: S311 - no secret
    for right, role in chosen:
        caller = WITH_ROLE[role]
        assert wrong_for(world, caller, of_rights[right]) == []
        with monkeypatch.context() as broken:
            broken.setitem(MAY, right, MAY[right] ^ {role})
            assert wrong_for(world, caller, of_rights[right]) != [], (right, role)
