"""The end of an operation: its audit lines, its locks in order, what is logged of a refusal."""

import threading
from collections.abc import Callable

import pytest
from django.db import OperationalError, connection, transaction

from tests.support.builders import TESTS, by_tests, league, players
from tests.support.cast import NOW, Cast
from tests.support.lock_order import STEPS, LockRecorder, blocks, blocks_of_tests, is_running
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.selectors.clubs.find_players import require_not_merged
from tournaments.services.audit import audit
from tournaments.services.audit.audit import append_audit, lock_audit_head, verify_audit
from tournaments.services.clubs.clubs import add_player, create_club
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import (
    atomic_step,
    current_operations,
    dry_run,
    join_operations,
)
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.rounds.plan_rounds import make_seated_round

pytestmark = pytest.mark.django_db


class Deadlock(Exception):
    sqlstate = "40P01"


@pytest.fixture
def club(cast: Cast) -> Club:
    return cast.riverside


def note(club: Club, operation: str) -> AuditLine:
    return append_audit(
        club=club, actor=TESTS, operation=operation, subject="club:x", facts={}, now=NOW
    )


@atomic_step
def noted(club: Club, *operations: str, fault: Exception | None = None) -> list[str]:
    """Note some operations; returns what is stored of them before the end."""
    for operation in operations:
        note(club, operation)
    if fault is not None:
        raise fault
    return lines(club)


def lines(*clubs: Club) -> list[str]:
    rows = AuditLine.objects.filter(club__in=clubs, subject="club:x").order_by("pk")
    return list(rows.values_list("act", flat=True))


def test_lines_wait_for_the_end_of_the_outermost_act(club: Club) -> None:
    with join_operations("outer"):
        assert noted(club, "one", "two") == []
        line = note(club, "three")
        assert lines(club) == []
        assert current_operations() == ["outer"]
    assert lines(club) == ["one", "two", "three"]
    assert line.number == AuditLine.objects.filter(club=club).count()
    assert verify_audit(club)[2] == ""
    assert current_operations() == []


def test_line_outside_of_any_act_is_written_at_once_and_of_an_act_at_its_end(club: Club) -> None:
    with transaction.atomic():
        assert note(club, "one").number
        assert lines(club) == ["one"]
        noted(club, "two")
        assert lines(club) == ["one", "two"]


def test_parts_that_are_rolled_back_leave_no_line(club: Club) -> None:
    with join_operations("outer"):
        note(club, "first")
        with pytest.raises(ValueError, match="no"):
            noted(club, "nested", fault=ValueError("no"))
        with transaction.atomic():
            noted(club, "inner")
            transaction.set_rollback(True)
        with dry_run():
            noted(club, "tried")
        note(club, "last")
    assert lines(club) == ["first", "last"]
    assert verify_audit(club)[2] == ""


def test_act_that_fails_leaves_nothing_to_the_next(club: Club) -> None:
    with pytest.raises(ValueError, match="no"):
        noted(club, "one", fault=ValueError("no"))
    with join_operations("undone"):
        note(club, "two")
        transaction.set_rollback(True)
    noted(club, "three")
    assert lines(club) == ["three"]


def test_lines_of_several_clubs_come_club_by_club(club: Club) -> None:
    other = create_club(by_tests(), name="Other")
    with join_operations("outer"):
        note(other, "b1")
        note(club, "a1")
        note(other, "b2")
        note(club, "a2")
    assert lines(club, other) == ["a1", "a2", "b1", "b2"]


def deadlocked_once() -> Callable[[], None]:
    left = [OperationalError("deadlock detected")]

    def fail() -> None:
        if left:
            raise left.pop() from Deadlock()

    return fail


@pytest.mark.django_db(transaction=True)
def test_repeated_transaction_writes_its_lines_once(club: Club) -> None:
    fail = deadlocked_once()

    @atomic_step
    def operation() -> None:
        note(club, "one")
        fail()

    operation()
    assert lines(club) == ["one"]
    assert connection.run_on_commit == []


@pytest.mark.django_db(transaction=True)
def test_fault_carries_the_names_of_its_acts(club: Club) -> None:
    @atomic_step
    def operation() -> None:
        raise OperationalError("gone") from Deadlock()

    with pytest.raises(OperationalError) as raised:
        operation()
    assert raised.value.__notes__[-1].endswith("operation")


def test_threads_do_not_share_acts(club: Club) -> None:
    seen: list[list[str]] = []
    with join_operations("outer"):
        other = threading.Thread(target=lambda: seen.append(current_operations()))
        other.start()
        other.join()
    assert seen == [[]]


@pytest.fixture
def recorder(locks_in_order: LockRecorder | None) -> LockRecorder:
    if locks_in_order is None:
        pytest.skip("SQLite locks no rows")
    return locks_in_order


def taken_from(recorder: LockRecorder) -> list[str]:
    """What came too late; the test does not fail for it any more."""
    found = [fault.partition(" (")[0] for fault in recorder.faults]
    recorder.faults.clear()
    return found


@atomic_step
def take_head_early(event: Event) -> None:
    lock_audit_head(event.club)
    lock_event(event)
    mark_changed(event=event, now=NOW)


def test_act_that_takes_the_audit_row_early_is_named(recorder: LockRecorder, event: Event) -> None:
    take_head_early(event)
    first = recorder.faults[0]
    assert "audithead taken at:\n" in first
    assert "services/audit/audit.py" in first
    assert "services/db/locks.py" in first
    assert taken_from(recorder) == [
        "take_head_early holds audithead and takes event",
        "take_head_early holds audithead and takes event_dirty",
    ]


def test_service_whose_lines_were_written_at_once_is_named(
    recorder: LockRecorder, event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = players(event.club, "Ann", "Ben", "Cem", "Dora")
    tables = [(None, [person.player_id for person in people], "")]
    monkeypatch.setattr(audit, "write_last", lambda write, order: write())
    make_seated_round(by_tests(), event, tables=tables)
    assert taken_from(recorder) == ["make_seated_round holds audithead and takes player"]


@pytest.mark.parametrize("number", range(2))
def test_no_block_of_an_earlier_test_counts_as_one_of_this_test(
    recorder: LockRecorder, number: int
) -> None:
    # Else an operation whose block is at the same place in memory goes unrecorded.
    assert recorder.faults == []
    assert blocks_of_tests() == blocks()


def test_acts_of_a_plain_transaction_are_one(recorder: LockRecorder, event: Event) -> None:
    with transaction.atomic():  # the test's own: two operations
        add_player(by_tests(), event.club, name="Ann")
        lock_event(event)
    assert not is_running()
    assert taken_from(recorder) == []


def test_rows_of_the_act_itself_and_of_a_savepoint_that_is_gone_wait_for_nobody(
    recorder: LockRecorder, event: Event
) -> None:
    @atomic_step
    def fail(club: Club) -> None:
        lock_audit_head(club)
        raise ValueError("no")

    @atomic_step
    def add(club: Club) -> None:
        with pytest.raises(ValueError, match="no"):
            fail(club)
        lock_event(event)
        made = Player.objects.create(club=club, player_id="N1", name="Nora")
        lock_audit_head(club)
        require_not_merged([made.pk])

    add(event.club)
    assert taken_from(recorder) == []


def test_dirty_rows_of_events_come_by_id(recorder: LockRecorder, event: Event, cast: Cast) -> None:
    other = league(cast.riverside, slug="other")

    @atomic_step
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
