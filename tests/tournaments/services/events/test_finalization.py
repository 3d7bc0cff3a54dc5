"""From closed to final: the correction window, its deadlines, and what an event waits for."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Dispute, Game, Hand
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Round
from tournaments.models.standings import Change, Publication
from tournaments.policy import Actor
from tournaments.selectors.jobs.queue import list_claimable_scopes, list_failed_jobs
from tournaments.services.events import finalise
from tournaments.services.events.change_event import retry_jobs
from tournaments.services.events.events import move_event
from tournaments.services.events.states import schedule_finalization
from tournaments.services.hands.close_tables import move_game
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import publish_event, run_deadline

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases, pytest.mark.usefixtures("clock")]
WINDOW = timedelta(hours=48)


def played(cast: Cast, *, window: int = 48, slug: str = "league") -> Event:
    event = league(cast.riverside, slug=slug, settings={"correction_window_h": window})
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    move_game(by_tests(timezone.now()), game, to="complete")
    move_round(by_tests(timezone.now()), game.table.round, to="closed")
    # of its mails and its evening; these tests are of the window
    Deadline.objects.filter(kind__in=("digest", "evening_end")).delete()
    return event


def test_round_that_closes_beside_another_keeps_its_deadline(cast: Cast) -> None:
    """As two transactions do: the second one ends between two looks of the first."""
    event = played(cast)
    mine = Deadline.objects.get(event=event)
    closing = Round.objects.get(event=event, number=1)
    looks: list[str] = []

    def closed_meanwhile(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if sql.startswith("SELECT") and len(looks) < 2:
            looks.append(sql)
            if len(looks) == 2:
                close_another()
        return execute(sql, *rest)

    def close_another() -> None:
        Round.objects.create(
                club_id=event.club_id, event=event, stage=closing.stage, number=2,
                state="closed", closed_at=NOW,
            )  # fmt: skip
        Deadline.objects.create(
            club_id=event.club_id, event=event, kind=mine.kind, key="2", due_at=NOW + WINDOW
        )

    with connection.execute_wrapper(closed_meanwhile):
        schedule_finalization(event)
    rows = Deadline.objects.filter(event=event).order_by("key")
    assert [(row.key, row.due_at) for row in rows] == [("1", NOW + WINDOW), ("2", NOW + WINDOW)]


def closed(cast: Cast, *, window: int = 48, slug: str = "league") -> Event:
    event = played(cast, window=window, slug=slug)
    return move_event(by_tests(timezone.now()), event, to="closed")


def state(event: Event) -> tuple[str, str]:
    return Event.objects.get(pk=event.pk).state, Game.objects.get(event=event).state


def final_deadline(event: Event) -> Deadline:
    return Deadline.objects.get(event=event, kind="finalise")


def called() -> list[int]:
    return [
        row.number for row in list_claimable_scopes(timezone.now()) if row.prefix == "deadline:"
    ]


def run_all() -> None:
    for deadline in called():
        run_deadline(deadline)


def test_closed_event_is_final_after_its_window(cast: Cast, clock: time_machine.Traveller) -> None:
    event = closed(cast)
    assert event.closed_at == NOW
    assert final_deadline(event).due_at == NOW + WINDOW
    publish_event(event.pk)
    clock.shift(WINDOW - timedelta(seconds=1))
    assert called() == []
    clock.shift(timedelta(seconds=1))
    assert len(called()) == 2
    run_all()
    assert state(event) == ("final", "final")
    assert called() == []
    publish_event(event.pk)
    assert b'"state":"final"' in bytes(Publication.objects.latest("number").body)
    line = Change.objects.get(kind="finalise_event")
    assert (line.by, line.at) == ("clock", NOW + WINDOW)
    audit = AuditLine.objects.filter(act="move_event").latest("number")
    assert (audit.actor, audit.facts["to"]) == ("command:clock", "final")


def test_director_cannot_make_an_event_final_while_it_may_be_corrected(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    event = closed(cast)
    clock.shift(WINDOW - timedelta(minutes=1))
    with pytest.raises(Conflict) as refused:
        move_event(cast.operation("dirk", timezone.now()), event, to="final")
    assert refused.value.problem.code == "window_not_over"
    assert refused.value.problem.facts == {"until": "2025-11-08 21:00 UTC"}
    assert state(event) == ("closed", "complete")
    clock.shift(timedelta(minutes=1))
    move_event(cast.operation("dirk", timezone.now()), event, to="final")
    assert state(event) == ("final", "final")
    assert Change.objects.get(kind="finalise_event").by == "director"
    assert not Deadline.objects.exists()


def test_event_without_a_window_has_no_clock_and_its_director_makes_it_final(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    event = closed(cast, window=0)
    assert not Deadline.objects.exists()
    clock.shift(timedelta(days=30))
    assert called() == []
    move_event(cast.operation("dirk", timezone.now()), event, to="final")
    assert state(event) == ("final", "final")


def test_clock_stepped_back_makes_nothing_final(cast: Cast, clock: time_machine.Traveller) -> None:
    event = closed(cast)
    row = final_deadline(event)
    clock.shift(timedelta(hours=-1))
    run_deadline(row.pk)
    Deadline.objects.update(due_at=NOW - timedelta(days=1))  # a time that nothing stands behind
    run_all()
    assert state(event) == ("closed", "complete")
    clock.move_to(NOW + WINDOW - timedelta(seconds=1))
    run_all()
    assert state(event) == ("closed", "complete")
    clock.move_to(NOW + WINDOW + timedelta(minutes=1))
    run_all()
    assert state(event) == ("final", "final")


def test_event_that_is_opened_again_has_no_deadline_and_closing_begins_a_new_window(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    event = closed(cast)
    late = final_deadline(event).pk
    clock.shift(timedelta(hours=40))
    event = move_event(by_tests(timezone.now()), event, to="open", reason="A sheet was found.")
    assert event.closed_at is None
    assert not Deadline.objects.filter(kind="finalise").exists()
    clock.shift(timedelta(hours=10))
    run_deadline(late)
    assert state(event)[0] == "open"
    event = move_event(by_tests(timezone.now()), event, to="closed")
    assert final_deadline(event).due_at == NOW + timedelta(hours=50) + WINDOW
    lines = Change.objects.filter(event=event, kind__endswith="_event").order_by("pk")
    assert list(lines.values_list("kind", "reason")) == [
        ("close_event", ""),
        ("reopen_event", "A sheet was found."),
        ("close_event", ""),
    ]


def test_event_waits_for_disputes_and_rulings(cast: Cast, clock: time_machine.Traveller) -> None:
    event = closed(cast)
    Hand.objects.update(state="disputed")
    clock.shift(WINDOW)
    run_all()
    assert state(event) == ("closed", "complete")
    with pytest.raises(Conflict, match="hands_disputed"):
        move_event(by_tests(timezone.now()), event, to="final")
    assert called() == []
    Hand.objects.update(state="accepted")
    dispute = Dispute.objects.create(
        club=event.club, event=event, hand=Hand.objects.get(), number=1, revision=1, words="No.",
        opened_at=NOW,
    )  # fmt: skip
    clock.shift(finalise.LOOK_AGAIN)
    run_all()
    assert state(event) == ("closed", "complete")
    Dispute.objects.filter(pk=dispute.pk).update(state="rejected")
    clock.shift(finalise.LOOK_AGAIN)
    run_all()
    assert state(event) == ("final", "final")


def test_games_of_a_closed_round_are_final_after_their_window_while_the_event_goes_on(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    event = played(cast)
    clock.shift(WINDOW)
    run_all()
    assert state(event) == ("open", "final")
    round_ = Game.objects.get().table.round
    move_round(by_tests(timezone.now()), round_, to="playing", reason="One more hand.")
    assert state(event) == ("open", "complete")
    assert not Deadline.objects.exists()
    round_.refresh_from_db()
    assert round_.closed_at is None
    line = Change.objects.get(kind="reopen_round")
    said = {"round": 1, "from": "closed", "to": "playing"}
    assert (line.facts, line.reason) == (said, "One more hand.")


def test_deadline_that_breaks_is_tried_three_times_then_parked_and_keeps_no_other_waiting(
    cast: Cast, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, other = closed(cast, slug="broken"), None
    other = closed(cast, slug="other")
    meant = finalise.finalise_event

    def poison(event: Event, *, actor: Actor, by: str, now: datetime) -> None:
        if event.pk == broken.pk:
            raise RuntimeError("poison")
        meant(event, actor=actor, by=by, now=now)

    monkeypatch.setattr(finalise, "finalise_event", poison)
    clock.shift(WINDOW)
    for wait in (1, 5, 60):
        run_all()
        run_all()  # too early: the back-off holds
        clock.shift(timedelta(seconds=wait))
    row = final_deadline(broken)
    assert (row.attempts, row.parked, row.error) == (3, True, "RuntimeError: poison")
    assert called() == []
    assert [state(event)[0] for event in (broken, other)] == ["closed", "final"]
    assert list_failed_jobs(broken) == [("finalise", "RuntimeError: poison")]
    monkeypatch.undo()
    assert retry_jobs(cast.operation("dirk", timezone.now()), broken) == 1
    run_all()
    assert state(broken) == ("final", "final")
    assert list_failed_jobs(broken) == []
