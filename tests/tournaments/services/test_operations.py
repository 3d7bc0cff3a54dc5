"""Operations: right, lock, nesting, notes at the end, repetition, declared refusals."""

from typing import Any

import psycopg
import pytest
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext
from structlog.testing import capture_logs

from scoring.errors import Problem, Refused
from tests.support.builders import by_tests
from tests.support.cast import NOW, Cast, enter_the_cast
from tournaments.errors import Conflict, Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.jobs import Dirty, event_scope
from tournaments.policy import command
from tournaments.services.db.locks import lock_event
from tournaments.services.db.transactions import current_operations, dry_run, join_operations
from tournaments.services.operations import Operation, operation

pytestmark = pytest.mark.django_db


@operation("manage_event", locks=lock_event, refuses=("unlucky",))
def rename(op: Operation, event: Event, /, *, name: str, is_refused: bool = False) -> Event:
    event.name = name
    event.save(update_fields=["name"])
    op.changed(event)
    op.audit(event, {"length": len(name)})
    if is_refused:
        raise Refused(Problem("unlucky"))
    return event


@operation("manage_event", locks=lock_event, refuses=("unlucky",))
def rename_twice(op: Operation, event: Event, /, *, is_second_refused: bool = False) -> Event:
    op.audit(event, name="rename_begun")
    rename(op, event, name="First")
    try:
        return rename(op, event, name="Second", is_refused=is_second_refused)
    except Refused:
        return event


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def lines() -> list[str]:
    return list(
        AuditLine.objects.filter(act__startswith="rename")
        .order_by("pk")
        .values_list("act", flat=True)
    )


def version(event: Event) -> int:
    return (
        Dirty.objects.filter(scope=event_scope(event.pk)).values_list("version", flat=True).first()
        or 0
    )


def test_notes_are_written_at_the_end_of_the_outermost(event: Event) -> None:
    before = version(event)
    op = by_tests()
    with CaptureQueriesContext(connection) as queries:
        rename_twice(op, event)
    assert lines() == ["rename_begun", "rename", "rename"]
    assert version(event) == op.versions[event.pk] == before + 2
    wrote = [
        query["sql"]
        for query in queries
        if not query["sql"].startswith(("SAVEPOINT", "RELEASE", "BEGIN"))
    ]
    ends = [at for at, sql in enumerate(wrote) if "auditline" in sql.lower() or "_dirty" in sql]
    renamed = [at for at, sql in enumerate(wrote) if sql.startswith('UPDATE "tournaments_event"')]
    assert max(renamed) < min(ends)


def test_what_an_inner_one_noted_goes_with_it(event: Event) -> None:
    rename_twice(by_tests(), event, is_second_refused=True)
    assert lines() == ["rename_begun", "rename"]
    assert Event.objects.get(pk=event.pk).name == "First"


def test_refusal_writes_nothing(event: Event) -> None:
    op = by_tests()
    with pytest.raises(Refused):
        rename(op, event, name="No", is_refused=True)
    assert (lines(), Event.objects.get(pk=event.pk).name != "No", current_operations()) == (
        [],
        True,
        [],
    )
    rename(op, event, name="Yes")
    assert lines() == ["rename"]


def test_right_comes_first_and_a_command_has_it(cast: Cast, event: Event) -> None:
    with pytest.raises(Forbidden):
        rename(cast.operation("hanna"), event, name="No")
    rename(Operation(command("tidy"), NOW), event, name="Yes")
    assert AuditLine.objects.get(act="rename").actor == "command:tidy"


def test_check_runs_before_the_transaction_and_may_replace_arguments(event: Event) -> None:
    def prepare(_event: Event, /, *, name: str) -> dict[str, str]:
        assert current_operations() == []
        return {"name": name.title()}

    @operation("manage_event", locks=lock_event, check=prepare)
    def rename_neatly(op: Operation, event: Event, /, *, name: str) -> str:
        return name

    assert rename_neatly(by_tests(), event, name="winter cup") == "Winter Cup"


def test_two_operations_have_two_names() -> None:
    with pytest.raises(ValueError, match="two operations are named rename"):

        @operation("manage_event", name="rename")
        def rename_again(op: Operation) -> None: ...


def test_preview_leaves_nothing(event: Event) -> None:
    op, before = by_tests(), version(event)
    with dry_run():
        assert rename(op, event, name="Draft").name == "Draft"
    assert op.versions[event.pk] == before + 1
    assert (lines(), version(event), Event.objects.get(pk=event.pk).name != "Draft") == (
        [],
        before,
        True,
    )


def test_undeclared_refusal_is_our_bug(event: Event) -> None:
    @operation("manage_event")
    def refuse(op: Operation, event: Event, /) -> None:
        raise Conflict(Problem("surprise"))

    with pytest.raises(AssertionError, match="surprise"):
        refuse(by_tests(), event)


def test_right_in_the_body_must_be_checked(cast: Cast, event: Event) -> None:
    @operation("manage_event", right_in_body=True)
    def rename_by_role(op: Operation, event: Event, /, *, role: str) -> None:
        event.name = "Changed"
        event.save(update_fields=["name"])
        if role:
            op.allow("manage_event", role)

    op = cast.operation("hanna")
    with pytest.raises(Forbidden):
        rename_by_role(op, event, role="player")
    with pytest.raises(RuntimeError, match="rename_by_role has checked no right"):
        rename_by_role(op, event, role="")
    assert Event.objects.get(pk=event.pk).name != "Changed"
    rename_by_role(op, event, role="director")
    assert op.allowed == ["manage_event"]


def test_who_comes_second_is_audited_after_the_rollback(event: Event) -> None:
    def note_second(op: Operation, refusal: Conflict, event: Event, /, *, name: str) -> None:
        op.audit(event, {"code": refusal.problem.code}, name="rename_refused")

    @operation("manage_event", refuses=("taken",), audits_refusals=note_second)
    def rename_once(op: Operation, event: Event, /, *, name: str) -> None:
        op.audit(event)
        raise Conflict(Problem("taken"))

    with pytest.raises(Conflict):
        rename_once(by_tests(), event, name="Second")
    assert lines() == ["rename_refused"]


def test_version_is_known_in_the_body_and_the_site_acts_too(cast: Cast, event: Event) -> None:
    @operation("manage_event", locks=lock_event)
    def rename_by_vote(op: Operation, event: Event, /) -> int:
        rename(op.as_site("votes"), event, name="Voted")
        return op.mark(event)

    before, op = version(event), cast.operation("dirk")
    assert rename_by_vote(op, event) == before + 1
    assert version(event) == op.versions[event.pk] == before + 2
    assert AuditLine.objects.get(act="rename").actor == "command:votes"


def test_refusal_is_logged_with_the_outermost_operation_and_not_of_a_dry_run(event: Event) -> None:
    @operation("manage_event", refuses=("unlucky",))
    def rename_by_another(op: Operation, event: Event, /) -> None:
        rename(op, event, name="No", is_refused=True)

    op = by_tests()
    with capture_logs() as logged, pytest.raises(Refused), transaction.atomic():
        rename_by_another(op, event)
    assert [(line["event"], line["act"], line["codes"]) for line in logged] == [
        ("act_refused", "rename_by_another", ("unlucky",))
    ]
    with capture_logs() as logged, pytest.raises(Refused), dry_run():
        rename_by_another(op, event)
    assert logged == []


def test_names_that_an_interface_sends_are_compared_with_the_arguments() -> None:
    rename.require_arguments({"name", "is_refused"}, {"name"})
    with pytest.raises(TypeError, match="rename takes no title"):
        rename.require_arguments({"name", "title"}, {"name"})
    with pytest.raises(TypeError, match="rename needs name"):
        rename.require_arguments({"name"}, ())


@pytest.mark.django_db(transaction=True)
def test_deadlock_is_tried_once_more_with_its_notes_once(event: Event) -> None:
    tries: list[str] = []

    @operation("manage_event", locks=lock_event)
    def rename_late(op: Operation, event: Event, /) -> None:
        op.audit(event)
        tries.append(event.name)
        if len(tries) == 1:
            raise OperationalError from psycopg.errors.DeadlockDetected()

    rename_late(by_tests(), event)
    assert (len(tries), lines()) == (2, ["rename_late"])


def test_operation_is_one_of_several_in_a_block(event: Event) -> None:
    op = by_tests()
    with join_operations("rename_all"):
        rename(op, event, name="First")
        assert lines() == []
        rename(op, event, name="Second")
    assert lines() == ["rename", "rename"]
    assert not transaction.get_connection().needs_rollback


def test_operation_outside_of_any_club_has_no_subject(cast: Cast) -> None:
    @operation("make_club")
    def found_club(op: Operation, /, *, name: str) -> str:
        return name

    result: Any = found_club(cast.operation("nora"), name="New")
    assert result == "New"
