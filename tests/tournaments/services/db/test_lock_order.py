"""The recorder that watches all services fails an act that takes its rows in another order."""

import pytest
from django.db import connection, transaction

from tests.support.builders import TESTS, league, players
from tests.support.cast import NOW, Cast
from tests.support.lock_order import STEPS, LockRecorder, is_running
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.services.audit import audit
from tournaments.services.audit.audit import lock_audit_head
from tournaments.services.clubs.clubs import add_player
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.rounds.plan_rounds import WantedTable, make_seated_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def recorder(locks_in_order: LockRecorder | None) -> LockRecorder:
    if locks_in_order is None:
        pytest.skip("SQLite locks no rows")
    return locks_in_order


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside)


def taken_from(recorder: LockRecorder) -> list[str]:
    """What came too late; the test does not fail for it any more."""
    found = [fault.partition(" (")[0] for fault in recorder.faults]
    recorder.faults.clear()
    return found


@atomic_act
def take_head_early(event: Event) -> None:
    lock_audit_head(event.club)
    lock_event(event)
    mark_changed(event=event, now=NOW)


def test_act_that_takes_the_audit_row_early_is_named(recorder: LockRecorder, event: Event) -> None:
    take_head_early(event)
    assert taken_from(recorder) == [
        "take_head_early holds audithead and takes event",
        "take_head_early holds audithead and takes event_dirty",
    ]


def test_service_whose_lines_were_written_at_once_is_named(
    recorder: LockRecorder, event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = players(event.club, "Ann", "Ben", "Cem", "Dora")
    tables = [WantedTable(None, tuple(player.player_id for player in people))]
    monkeypatch.setattr(audit, "write_last", lambda write, order: write())
    make_seated_round(actor=TESTS, event=event, tables=tables, now=NOW)
    assert taken_from(recorder) == ["make_seated_round holds audithead and takes player"]


def test_fault_says_where_both_rows_were_taken(recorder: LockRecorder, event: Event) -> None:
    take_head_early(event)
    first = recorder.faults[0]
    recorder.faults.clear()
    assert "audithead taken at:\n" in first
    assert "services/audit/audit.py" in first
    assert "services/db/locks.py" in first


def test_acts_of_a_plain_transaction_are_one_where_the_product_began_it(
    recorder: LockRecorder, event: Event
) -> None:
    with transaction.atomic():  # the test's own: two acts
        add_player(actor=TESTS, club=event.club, name="Ann", now=NOW)
        lock_event(event)
    assert not is_running()
    assert taken_from(recorder) == []


def test_rows_of_the_act_itself_and_of_a_savepoint_that_is_gone_wait_for_nobody(
    recorder: LockRecorder, event: Event
) -> None:
    @atomic_act
    def fail(club: Club) -> None:
        lock_audit_head(club)
        raise ValueError("no")

    @atomic_act
    def add(club: Club) -> None:
        with pytest.raises(ValueError, match="no"):
            fail(club)
        lock_event(event)
        made = Player.objects.create(club=club, player_id="N1", name="Nora")
        lock_audit_head(club)
        require_not_merged([made.pk])

    add(event.club)
    assert taken_from(recorder) == []


def test_dirty_rows_of_events_come_in_ascending_id(
    recorder: LockRecorder, event: Event, cast: Cast
) -> None:
    other = league(cast.riverside, slug="other")

    @atomic_act
    def mark(first: Event, second: Event) -> None:
        for one in (first, second):
            mark_changed(event=one, now=NOW)

    mark(event, other)
    assert taken_from(recorder) == []
    mark(other, event)
    assert len(taken_from(recorder)) == 1


def test_each_table_of_the_decision_is_one_of_the_database() -> None:
    there = {*connection.introspection.table_names(), "event_dirty", "other_dirty"}
    named = {
        name.removeprefix("tournaments_") if name.endswith("_dirty") else name for name in STEPS
    }
    assert named <= there
    assert len(STEPS) >= 18
