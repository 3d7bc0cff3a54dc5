"""A computation that does not end is ended, and counted against its scope."""

import itertools
import signal
import threading
from collections.abc import Callable
from datetime import datetime

import pytest
from django.db import connection, connections

from tests.support.builders import hand
from tests.support.live.project import PATIENCE_S
from tests.tournaments.test_tasks import game as game
from tests.tournaments.test_tasks import row
from tournaments import tasks
from tournaments.domain.time_limits import TooLong, bounded
from tournaments.models.hands import Game
from tournaments.services.publishing import publications as publishing_publish_event
from tournaments.tasks import publish_event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_computation_that_does_not_end_is_ended() -> None:
    forever = threading.Event()
    with pytest.raises(TooLong), bounded(0.05):
        forever.wait()


def in_a_thread(work: Callable[[], object]) -> list[TooLong]:
    """Do the work in a thread of its own, as a dispatcher without a broker does; what it raised."""
    raised: list[TooLong] = []

    def do() -> None:
        try:
            work()
        except TooLong as fault:
            raised.append(fault)
        finally:
            connections.close_all()

    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    thread.join(timeout=PATIENCE_S)
    assert not thread.is_alive(), "the work goes on"
    return raised


def compute_for_ever() -> None:
    for _ in itertools.count():
        pass


def test_computation_of_another_thread_that_does_not_end_is_ended() -> None:
    def work() -> None:
        with bounded(0.05):
            compute_for_ever()

    assert [str(fault) for fault in in_a_thread(work)] == ["not finished after 0.05 s"]


def test_work_of_another_thread_that_ends_in_time_is_left_alone() -> None:
    done = []

    def work() -> None:
        with bounded(60):
            done.append("in time")
        done.append("afterwards")

    assert (in_a_thread(work), done) == ([], ["in time", "afterwards"])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("of_another_thread", [False, True])
def test_work_that_is_ended_amid_a_statement_is_counted_against_its_scope(
    game: Game, monkeypatch: pytest.MonkeyPatch, *, of_another_thread: bool
) -> None:
    def slow(event_id: int, *, now: datetime) -> None:
        if connection.vendor != "postgresql":
            compute_for_ever()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(60)")

    hand(game, 1, [7, 4, 1, 1], 0)
    monkeypatch.setattr(publishing_publish_event, "publish", slow)
    monkeypatch.setattr(tasks, "LIMIT_S", 0.05)
    if of_another_thread:
        assert in_a_thread(lambda: publish_event(game.event_id)) == []
    else:
        publish_event(game.event_id)
    assert (row(game.event).attempts, row(game.event).error[:8]) == (1, "TooLong:")


def test_alarm_that_was_set_before_goes_on_afterwards() -> None:
    before, _ = signal.getitimer(signal.ITIMER_REAL)
    handler = signal.getsignal(signal.SIGALRM)
    with bounded(5):
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 5
    after, _ = signal.getitimer(signal.ITIMER_REAL)
    assert signal.getsignal(signal.SIGALRM) is handler
    assert (after > 0) is (before > 0)
