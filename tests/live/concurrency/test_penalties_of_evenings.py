"""A penalty of an evening that ends, moves, is cancelled or removed at the same moment."""

from datetime import date, timedelta

import pytest

from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.at_once import Action, Within
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import LedgerLine
from tournaments.selectors.events.meetings import is_over, meeting_on
from tournaments.services.events.adjustments import withdraw_line
from tournaments.services.hands.close_tables import move_game
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.meetings import change_meeting, plan_meeting, remove_meeting
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.pg

TONIGHT = date(2025, 11, 6)
PLANNED = date(2025, 11, 13)
MOVED_TO = date(2025, 11, 20)
LATER = NOW + timedelta(hours=1)


@pytest.fixture
def event(within: Within) -> Event:
    """An evening whose round is closed, and one that is planned."""
    with within():
        event = league(enter_the_cast().riverside)
        game = table(event, players(event.club, *"ABCD"), on=TONIGHT)
        hand(game, 1, [4, 1, 2, 6], queen=3)
        move_game(by_tests(), game, to="complete")
        move_round(by_tests(), Round.objects.get(event=event, number=1), to="closed")
        plan_meeting(by_tests(), event, day=PLANNED)
        return event


def penalize_on(event: Event, day: date) -> Action:
    def action() -> None:
        penalize(event, "RL02", "1", "Late.", meeting=day, now=LATER)

    return action


def end(event: Event) -> Action:
    def action() -> None:
        end_evening(by_tests(LATER), meeting_on(event, TONIGHT))

    return action


def move(event: Event) -> Action:
    def action() -> None:
        change_meeting(by_tests(LATER), meeting_on(event, PLANNED), day=MOVED_TO)

    return action


def cancel(event: Event) -> Action:
    def action() -> None:
        meeting = meeting_on(event, PLANNED)
        change_meeting(by_tests(LATER), meeting, state="cancelled", reason="Snow.")

    return action


def remove(event: Event) -> Action:
    def action() -> None:
        remove_meeting(by_tests(LATER), meeting_on(event, PLANNED))

    return action


def days_of_lines(event: Event) -> list[date | None]:
    lines = LedgerLine.objects.filter(event=event).order_by("number")
    return list(lines.values_list("meeting__date", flat=True))


def test_penalty_beside_the_end_is_of_the_evening_and_its_end_stays(
    within: Within, event: Event
) -> None:
    refused = within.at_once(end(event), penalize_on(event, TONIGHT), penalize_on(event, TONIGHT))
    with within():
        assert refused == []
        assert is_over(meeting_on(event, TONIGHT))
        assert days_of_lines(event) == [TONIGHT, TONIGHT]


def test_penalty_beside_a_move_goes_along_or_finds_no_evening(within: Within, event: Event) -> None:
    refused = within.at_once(move(event), penalize_on(event, PLANNED))
    with within():
        assert Meeting.objects.filter(event=event, date=MOVED_TO).exists()
        lines = days_of_lines(event)
        assert (refused, lines) in (([], [MOVED_TO]), (["unknown_meeting"], []))


@pytest.mark.parametrize(("change", "code"), [(cancel, "meeting_is_cancelled"), (remove, "")])
def test_evening_with_a_penalty_stays_or_the_penalty_is_refused(
    within: Within, event: Event, change: object, code: str
) -> None:
    assert callable(change)
    refused = within.at_once(change(event), penalize_on(event, PLANNED))
    with within():
        lines = days_of_lines(event)
        planned = Meeting.objects.filter(event=event, date=PLANNED, state="planned").exists()
        assert (refused, lines, planned) in (
            (["meeting_has_adjustments"], [PLANNED], True),
            ([code or "unknown_meeting"], [], False),
        )


def test_evening_is_removed_beside_the_withdrawal_of_its_penalty_or_stays(
    within: Within, event: Event
) -> None:
    with within():
        penalize(event, "RL02", "1", "Late.", meeting=PLANNED)

    def withdraw() -> None:
        withdraw_line(by_tests(LATER), event.ledger_lines.get(), reason="It did not take place.")

    refused = within.at_once(remove(event), withdraw)
    with within():
        assert LedgerLine.objects.get(event=event).withdrawn_at == LATER
        is_there = Meeting.objects.filter(event=event, date=PLANNED).exists()
        assert (refused, is_there, days_of_lines(event)) in (
            ([], False, [None]),
            (["meeting_has_adjustments"], True, [PLANNED]),
        )
