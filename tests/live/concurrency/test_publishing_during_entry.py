"""Hands are entered while an event is being ranked, and no publication loses or mixes them."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
from django.db import connection

from tests.live.conftest import Inside
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.project import LiveProject
from tests.support.scenarios.playoffs import tied
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import Dirty, event_scope
from tournaments.models.playoffs import Playoff
from tournaments.models.standings import Publication
from tournaments.services.playoffs.director_actions import move_playoff
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.schedule_playoffs import schedule_playoffs

Hold = Callable[[str, Callable[[], object]], AbstractContextManager[Future[object]]]
DRAFT = "tournaments.services.publishing.publications.draft_standings"
INPUTS = "tournaments.services.publishing.schedule_playoffs.entrant_inputs"
LONG_S = 60.0
"""Nobody waits as long as this; where somebody does, it is for ever."""


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.pg)])
def project(
    request: pytest.FixtureRequest, live_project: Callable[..., LiveProject], migrated: Path
) -> LiveProject:
    """An installation on either database; nothing runs."""
    if request.param == "postgresql":
        return live_project(DATABASE_URL=request.getfixturevalue("migrated_pg_url"))
    made = live_project()
    (made.place / "live.sqlite3").write_bytes(migrated.read_bytes())
    return made


class Gate:
    """Stops whoever comes through a function for the first time, until it is opened."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function
        self._opened = threading.Event()
        self._reached = threading.Event()

    def __call__(self, *args: Any, **more: Any) -> Any:
        if not self._reached.is_set():
            self._reached.set()
            assert self._opened.wait(LONG_S)
        return self._function(*args, **more)

    @contextmanager
    def held(self, work: Callable[[], object]) -> Iterator[Future[object]]:
        """Let `work` run as far as the gate; it is opened at the end of the block."""
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(work)
            future.add_done_callback(lambda _: self._reached.set())  # it failed before the gate
            try:
                assert self._reached.wait(LONG_S)
                assert not future.done(), future.exception()
                yield future
            finally:
                self._opened.set()


def wait_for_no_lock() -> None:
    """Let this connection give up where it would have to wait for whoever is held."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET lock_timeout = '10s'")
        else:
            cursor.execute("PRAGMA busy_timeout = 10000")


def newest(event: Event) -> Publication:
    return Publication.objects.filter(event=event).order_by("-number")[0]


def hands_in(publication: Publication) -> int:
    found: int = json.loads(bytes(publication.body))["as_of"]["hands"]
    return found


def points_in(publication: Publication) -> int:
    return sum(row["points"] for row in json.loads(bytes(publication.body))["rows"])


@pytest.fixture
def hold(inside: Inside, project: LiveProject, monkeypatch: pytest.MonkeyPatch) -> Hold:
    """Let a worker do something in another thread as far as the function of a dotted name."""

    @contextmanager
    def held(at: str, work: Callable[[], object]) -> Iterator[Future[object]]:
        gate = Gate(resolve_name(at))
        monkeypatch.setattr(at, gate)

        def worker() -> object:
            with inside(project):
                return work()

        wait_for_no_lock()
        with gate.held(worker) as future:
            yield future

    return held


@pytest.fixture
def game(inside: Inside, project: LiveProject) -> Game:
    """The game of a league, whose first hand is in."""
    with inside(project):
        club = enter_the_cast().riverside
        game = table(league(club), players(club, "Anna", "Bert", "Cora", "Dora"))
        hand(game, 1, [4, 1, 2, 6], 3, now=NOW)
    return game


@pytest.fixture
def tied_game(inside: Inside, project: LiveProject) -> Game:
    """The game of an event that is over, in which three are tied for the title."""
    with inside(project):
        event = tied(enter_the_cast().riverside, (4, 4, 4, 1))
        games = Game.objects.select_related("event", "club", "snapshot", "table__round")
        return games.get(event=event, counts=True)


def test_hand_is_taken_while_its_event_is_ranked_and_comes_with_the_next_publication(
    inside: Inside, project: LiveProject, hold: Hold, game: Game
) -> None:
    event = game.event
    publish_now = partial(publish, event.pk, now=NOW)
    with inside(project):
        first = Dirty.objects.get(scope=event_scope(event.pk)).version
        with hold(DRAFT, publish_now) as ranking:
            second = hand(game, 2, [3, 6, 2, 2], 0, now=NOW).event_version
            assert not ranking.done()
        ranking.result()
        old = newest(event)
        row = Dirty.objects.get(scope=event_scope(event.pk))
        # Its rows were read after the second hand was there, and are those of its version.
        assert (old.version, hands_in(old), points_in(old)) == (first, 1, 26)
        assert (row.version, row.done) == (second, first)
        publish_now()
        new = newest(event)
        assert (new.number, new.version, hands_in(new), points_in(new)) == (2, second, 2, 52)


def test_publication_that_was_ranked_late_never_replaces_a_newer_one(
    inside: Inside, project: LiveProject, hold: Hold, game: Game
) -> None:
    event = game.event
    publish_now = partial(publish, event.pk, now=NOW)
    with inside(project):
        with hold(DRAFT, publish_now) as late:
            version = hand(game, 2, [3, 6, 2, 2], 0, now=NOW).event_version
            publish_now()
        late.result()
        assert list(Publication.objects.values_list("number", "version")) == [(1, version)]
        row = Dirty.objects.get(scope=event_scope(event.pk))
        assert (row.version, row.done) == (version, version)
        assert hands_in(newest(event)) == 2


def test_correction_is_taken_while_ties_are_looked_for_and_they_are_looked_for_again(
    inside: Inside, project: LiveProject, hold: Hold, tied_game: Game
) -> None:
    event = tied_game.event
    look = partial(schedule_playoffs, event.pk, now=NOW)
    with inside(project):
        before = Playoff.objects.get().pk
        with hold(INPUTS, look) as looking:
            revision = Hand.objects.get(game=tied_game).revision
            hand(tied_game, 1, [1, 4, 5, 3], 3, reason="wrong", based_on=revision)
        assert looking.result() is False
        assert list(Playoff.objects.values_list("pk", "state")) == [(before, "scheduled")]
        publish(event.pk, now=NOW)
        assert look()
        assert list(Playoff.objects.values_list("pk", "state")) == [(before, "void")]


def test_playoff_that_a_director_decides_while_ties_are_looked_for_stays_as_decided(
    inside: Inside, project: LiveProject, hold: Hold, tied_game: Game
) -> None:
    event = tied_game.event
    with inside(project):
        with hold(INPUTS, partial(schedule_playoffs, event.pk, now=NOW)) as looking:
            hand(tied_game, 1, [1, 4, 5, 3], 3, reason="wrong", based_on=1)
            move_playoff(by_tests(), event, number=1, to="by_lot", seed="a")
        assert looking.result() is False
        assert list(Playoff.objects.values_list("number", "state")) == [(1, "by_lot")]
