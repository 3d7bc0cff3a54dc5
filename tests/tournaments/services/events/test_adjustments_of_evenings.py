"""Penalties and bonuses of an evening: which evenings have them, and what becomes of them there."""

from datetime import date, timedelta

import pytest

from scoring.errors import Refused
from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import Change, LedgerLine
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.events.adjustments import withdraw_line
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.meetings import change_meeting, plan_meeting, remove_meeting

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TONIGHT = date(2025, 11, 6)
PLANNED = date(2025, 11, 13)
LATER = date(2025, 11, 20)
OP = by_tests()


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside)
    game = table(event, players(cast.riverside, *"ABCD"), on=TONIGHT)
    hand(game, 1, [4, 1, 2, 6], 3)
    plan_meeting(OP, event, day=PLANNED)
    return event


def penalize_on(event: Event, day: date) -> LedgerLine:
    return penalize(event, "RL02", "2", "Late.", meeting=day)


def test_line_names_its_evening_in_the_change_log_and_the_audit_trail(event: Event) -> None:
    line = penalize_on(event, TONIGHT)
    assert line.meeting == meeting_on(event, TONIGHT)
    facts = {"line": 1, "entrant": "RL02", "amount": 2, "meeting": "2025-11-06"}
    assert Change.objects.get().facts == facts
    audited = AuditLine.objects.order_by("number").last()
    assert audited is not None
    assert audited.facts == {**facts, "reason": "Late."}
    withdraw_line(OP, line, reason="The bus was late.")
    assert Change.objects.order_by("pk").last().facts == {  # type: ignore[union-attr]
        **facts,
        "kind": "penalty",
    }


def test_line_without_an_evening_is_the_seasons(event: Event) -> None:
    line = penalize(event, "RL02", "2", "Late.")
    assert line.meeting is None
    assert "meeting" not in Change.objects.get().facts


def test_line_of_no_evening_or_of_another_events_is_refused(cast: Cast, event: Event) -> None:
    plan_meeting(OP, league(cast.riverside, slug="other"), day=LATER)
    before = event_version(event)
    with pytest.raises(Refused) as refusal:
        penalize(event, "RL99", "2", "Late.", meeting=LATER)
    assert [(problem.code, problem.at) for problem in refusal.value.problems] == [
        ("unknown_entrant", ("entrant",)),
        ("unknown_meeting", ("meeting",)),
    ]
    assert (LedgerLine.objects.count(), event_version(event)) == (0, before)


def test_line_of_a_cancelled_evening_is_refused(event: Event) -> None:
    change_meeting(OP, meeting_on(event, PLANNED), state="cancelled", reason="Snow.")
    with pytest.raises(Conflict) as refusal:
        penalize_on(event, PLANNED)
    problem = refusal.value.problem
    assert (problem.code, problem.at) == ("meeting_is_cancelled", ("meeting",))
    assert not LedgerLine.objects.exists()


def test_line_of_an_evening_whose_cancelled_date_was_played_is_taken(event: Event) -> None:
    Meeting.objects.filter(event=event, date=TONIGHT).update(state="cancelled")
    assert penalize_on(event, TONIGHT).meeting is not None


def test_evening_of_a_ladder_has_no_line(event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(kind="ladder")
    event.refresh_from_db()
    with pytest.raises(Refused) as refusal:
        penalize_on(event, TONIGHT)
    (problem,) = refusal.value.problems
    assert (problem.code, problem.at) == ("evening_of_ladder", ("meeting",))
    assert penalize(event, "RL02", "2", "Late.").meeting is None


def test_evening_with_a_line_is_neither_cancelled_nor_removed(event: Event) -> None:
    line = penalize_on(event, PLANNED)
    meeting = meeting_on(event, PLANNED)
    with pytest.raises(Conflict) as refusal:
        change_meeting(OP, meeting, state="cancelled", reason="Snow.")
    facts = {"date": "2025-11-13", "lines": "1"}
    assert (refusal.value.problem.code, refusal.value.problem.facts) == (
        "meeting_has_adjustments",
        facts,
    )
    with pytest.raises(Conflict, match="meeting_has_adjustments"):
        remove_meeting(OP, meeting)
    assert meeting_on(event, PLANNED).state == "planned"
    withdraw_line(OP, line, reason="It did not take place.")
    remove_meeting(OP, meeting_on(event, PLANNED))
    line.refresh_from_db()
    assert (line.meeting_id, line.withdrawn_at) == (None, NOW)


def test_evening_whose_line_was_withdrawn_is_cancelled(event: Event) -> None:
    withdraw_line(OP, penalize_on(event, PLANNED), reason="It did not take place.")
    cancelled = change_meeting(OP, meeting_on(event, PLANNED), state="cancelled", reason="Snow.")
    assert cancelled.state == "cancelled"


def test_line_moves_with_its_evening_and_the_event_is_published_again(event: Event) -> None:
    line = penalize_on(event, PLANNED)
    publish(event.pk, now=NOW)
    change_meeting(OP, meeting_on(event, PLANNED), day=LATER)
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    rows = {row["player_id"]: row["ledger"] for row in publication.document["rows"]}
    assert rows["RL02"][0]["meeting"] == "2025-11-20"
    line.refresh_from_db()
    assert line.meeting == meeting_on(event, LATER)


def test_line_of_a_date_of_sheets_goes_to_the_evening_that_is_moved_there(event: Event) -> None:
    Meeting.objects.filter(event=event, date=TONIGHT).update(gathers=False)
    line = penalize_on(event, TONIGHT)
    moved = change_meeting(OP, meeting_on(event, PLANNED), day=TONIGHT)
    line.refresh_from_db()
    assert line.meeting == moved
    assert Round.objects.get(event=event).meeting == moved


def test_line_that_lost_its_evening_to_an_older_release_is_the_seasons(event: Event) -> None:
    line = penalize_on(event, PLANNED)
    Meeting.objects.filter(event=event, date=PLANNED)._raw_delete("default")
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    rows = {row["player_id"]: row["ledger"] for row in publication.document["rows"]}
    assert "meeting" not in rows["RL02"][0]
    make_all(event.pk)
    withdraw_line(OP, line, reason="The bus was late.")


def test_line_of_an_evening_ahead_counts_in_the_season_at_once(event: Event) -> None:
    penalize(event, "RL02", "2", "Late.", meeting=PLANNED, now=NOW - timedelta(days=1))
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    make_all(event.pk)
    (row,) = (row for row in publication.document["rows"] if row["player_id"] == "RL02")
    assert [line["meeting"] for line in row["ledger"]] == ["2025-11-13"]
