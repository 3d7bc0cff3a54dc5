"""Lines of the audit trail are written when the outermost act ends, once, and only if it stays."""

import threading
from collections.abc import Callable

import pytest
from django.db import OperationalError, connection, transaction

from tests.support.builders import TESTS
from tests.support.cast import NOW, Cast
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club
from tournaments.services.audit.audit import append_audit
from tournaments.services.clubs.clubs import create_club
from tournaments.services.db.transactions import atomic_act, current_acts, dry_run, join_acts
from tournaments.services.verification.audit_chain import verify_audit

pytestmark = pytest.mark.django_db


class Deadlock(Exception):
    sqlstate = "40P01"


@pytest.fixture
def club(cast: Cast) -> Club:
    return cast.riverside


def note(club: Club, act: str) -> AuditLine:
    return append_audit(club=club, actor=TESTS, act=act, subject="club:x", facts={}, now=NOW)


@atomic_act
def noted(club: Club, *acts: str, fault: Exception | None = None) -> list[str]:
    """Note some acts; returns what is stored of them before the end."""
    for act in acts:
        note(club, act)
    if fault is not None:
        raise fault
    return lines(club)


def lines(*clubs: Club) -> list[str]:
    rows = AuditLine.objects.filter(club__in=clubs, subject="club:x").order_by("pk")
    return list(rows.values_list("act", flat=True))


def test_lines_wait_for_the_end_of_the_outermost_act(club: Club) -> None:
    with join_acts("outer"):
        assert noted(club, "one", "two") == []
        line = note(club, "three")
        assert lines(club) == []
        assert current_acts() == ["outer"]
    assert lines(club) == ["one", "two", "three"]
    assert line.number == AuditLine.objects.filter(club=club).count()
    assert verify_audit(club).fault == ""
    assert current_acts() == []


def test_line_outside_of_any_act_is_written_at_once(club: Club) -> None:
    with transaction.atomic():
        assert note(club, "one").number
        assert lines(club) == ["one"]


def test_act_in_a_plain_transaction_writes_at_its_own_end(club: Club) -> None:
    with transaction.atomic():
        noted(club, "one")
        assert lines(club) == ["one"]


def test_parts_that_are_rolled_back_leave_no_line(club: Club) -> None:
    with join_acts("outer"):
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
    assert verify_audit(club).fault == ""


def test_act_that_fails_leaves_nothing_to_the_next(club: Club) -> None:
    with pytest.raises(ValueError, match="no"):
        noted(club, "one", fault=ValueError("no"))
    with join_acts("undone"):
        note(club, "two")
        transaction.set_rollback(True)
    noted(club, "three")
    assert lines(club) == ["three"]


def test_lines_of_several_clubs_come_club_by_club(club: Club) -> None:
    other = create_club(actor=TESTS, name="Other", now=NOW)
    with join_acts("outer"):
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

    @atomic_act
    def act() -> None:
        note(club, "one")
        fail()

    act()
    assert lines(club) == ["one"]
    assert connection.run_on_commit == []


@pytest.mark.django_db(transaction=True)
def test_fault_carries_the_names_of_its_acts(club: Club) -> None:
    @atomic_act
    def act() -> None:
        raise OperationalError("gone") from Deadlock()

    with pytest.raises(OperationalError) as raised:
        act()
    assert raised.value.__notes__[-1].endswith("act")


def test_threads_do_not_share_acts(club: Club) -> None:
    seen: list[list[str]] = []
    with join_acts("outer"):
        other = threading.Thread(target=lambda: seen.append(current_acts()))
        other.start()
        other.join()
    assert seen == [[]]
