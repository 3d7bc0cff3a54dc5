"""Hands are entered while an event is being ranked, and no publication loses or mixes them."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.live.conftest import Inside
from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.project import LiveProject
from tests.support.scenarios.playoffs import tied
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.outbox import Dirty, event_scope
from tournaments.models.playoffs import Playoff
from tournaments.models.standings import Publication
from tournaments.services.playoffs.director_actions import move_playoff
from tournaments.services.publishing.entrant_rows import entrant_inputs
from tournaments.services.publishing.publications import publish
from tournaments.services.publishing.schedule_playoffs import schedule_playoffs
from tournaments.services.publishing.standings import draft_standings

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


def test_hand_is_taken_while_its_event_is_ranked_and_comes_with_the_next_publication(
    inside: Inside, project: LiveProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(draft_standings)
    monkeypatch.setattr("tournaments.services.publishing.publications.draft_standings", gate)
    with inside(project):
        club = enter_the_cast().riverside
        event = league(club)
        game = table(event, players(club, "Anna", "Bert", "Cora", "Dora"))
        first = hand(game, 1, [4, 1, 2, 6], 3, now=NOW).event_version

    def worker() -> None:
        with inside(project):
            publish(event.pk, now=NOW)

    with inside(project):
        wait_for_no_lock()
        with gate.held(worker) as ranking:
            second = hand(game, 2, [3, 6, 2, 2], 0, now=NOW).event_version
            assert not ranking.done()
        ranking.result()
        old = newest(event)
        row = Dirty.objects.get(scope=event_scope(event.pk))
        # Its rows were read after the second hand was there, and are those of its version.
        assert (old.version, hands_in(old), points_in(old)) == (first, 1, 26)
        assert (row.version, row.done) == (second, first)
        publish(event.pk, now=NOW)
        new = newest(event)
        assert (new.number, new.version, hands_in(new), points_in(new)) == (2, second, 2, 52)


def test_publication_that_was_ranked_late_never_replaces_a_newer_one(
    inside: Inside, project: LiveProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(draft_standings)
    monkeypatch.setattr("tournaments.services.publishing.publications.draft_standings", gate)
    with inside(project):
        club = enter_the_cast().riverside
        event = league(club)
        game = table(event, players(club, "Anna", "Bert", "Cora", "Dora"))
        hand(game, 1, [4, 1, 2, 6], 3, now=NOW)

    def worker() -> None:
        with inside(project):
            publish(event.pk, now=NOW)

    with inside(project):
        wait_for_no_lock()
        with gate.held(worker) as late:
            version = hand(game, 2, [3, 6, 2, 2], 0, now=NOW).event_version
            publish(event.pk, now=NOW)
        late.result()
        assert list(Publication.objects.values_list("number", "version")) == [(1, version)]
        row = Dirty.objects.get(scope=event_scope(event.pk))
        assert (row.version, row.done) == (version, version)
        assert hands_in(newest(event)) == 2


def test_correction_is_taken_while_ties_are_looked_for_and_they_are_looked_for_again(
    inside: Inside, project: LiveProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    with inside(project):
        event = tied(enter_the_cast().riverside, (4, 4, 4, 1))
        game = Game.objects.select_related("event", "club", "snapshot", "table__round").get(
            event=event, counts=True
        )
        before = Playoff.objects.get().pk
    gate = Gate(entrant_inputs)
    monkeypatch.setattr("tournaments.services.publishing.schedule_playoffs.entrant_inputs", gate)

    def worker() -> bool:
        with inside(project):
            return schedule_playoffs(event.pk, now=NOW)

    with inside(project):
        wait_for_no_lock()
        with gate.held(worker) as looking:
            revision = Hand.objects.get(game=game).revision
            hand(game, 1, [1, 4, 5, 3], 3, reason="wrong", based_on=revision)
        assert looking.result() is False
        assert list(Playoff.objects.values_list("pk", "state")) == [(before, "scheduled")]
        publish(event.pk, now=NOW)
        assert schedule_playoffs(event.pk, now=NOW)
        assert list(Playoff.objects.values_list("pk", "state")) == [(before, "void")]


def test_playoff_that_a_director_decides_while_ties_are_looked_for_stays_as_decided(
    inside: Inside, project: LiveProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    with inside(project):
        event = tied(enter_the_cast().riverside, (4, 4, 4, 1))
        game = Game.objects.select_related("event", "club", "snapshot", "table__round").get(
            event=event, counts=True
        )
    gate = Gate(entrant_inputs)
    monkeypatch.setattr("tournaments.services.publishing.schedule_playoffs.entrant_inputs", gate)

    def worker() -> bool:
        with inside(project):
            return schedule_playoffs(event.pk, now=NOW)

    with inside(project):
        wait_for_no_lock()
        with gate.held(worker) as looking:
            hand(game, 1, [1, 4, 5, 3], 3, reason="wrong", based_on=1)
            move_playoff(actor=TESTS, event=event, number=1, to="by_lot", now=NOW, seed="a")
        assert looking.result() is False
        assert list(Playoff.objects.values_list("number", "state")) == [(1, "by_lot")]
