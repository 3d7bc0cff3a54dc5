"""The page of mails says when a result is written, and writes it at once on request."""

from datetime import date, timedelta

import pytest
import time_machine
from django.test import Client

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.evening_work import work_on_evenings
from tests.support.pages.text import text_of
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import EVENING_END, EVENING_RESULT, Deadline
from tournaments.models.rounds import Round
from tournaments.selectors.events.meetings import LULL, meeting_on
from tournaments.selectors.notices.pending_results import list_pending_results
from tournaments.selectors.standings.evening_results import results_of
from tournaments.services.events.change_event import change_event
from tournaments.services.hands.close_tables import close_tables
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.pending_results import draw_result_now
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.django_db

TONIGHT = date(2025, 11, 6)
HOUR = timedelta(hours=1)
PAGE = "/clubs/riverside/mail"
NOW_ADDRESS = "/clubs/riverside/events/league/meetings/2025-11-06/result-now"


@pytest.fixture
def night(cast: Cast) -> Event:
    """An evening whose last round was closed at 21:00."""
    event = league(cast.riverside)
    people = players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B.")
    game = table(event, people, on=TONIGHT)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    close_tables(by_tests(), game.table.round)
    move_round(by_tests(), game.table.round, to="closed")
    return event


def read(client: Client) -> str:
    answer = client.get(PAGE)
    assert answer.status_code == 200
    return text_of(answer)


def numbers(event: Event) -> list[int]:
    return [result.number for result in results_of(meeting_on(event, TONIGHT))]


def correct(event: Event) -> None:
    game = Game.objects.get(event=event)
    hand(game, 1, [1, 4, 2, 6], queen=3, based_on=1, reason="Sheet.", now=NOW + 2 * HOUR)
    work_on_evenings(event, NOW + 2 * HOUR)


def test_page_says_when_the_evening_ends_and_when_a_corrected_result_is_written(
    night: Event, cast: Cast, clock: time_machine.Traveller
) -> None:
    owner = cast.client("olga")
    address = NOW_ADDRESS.removesuffix("result-now")
    assert f'action="{address}end"' in owner.get(PAGE).content.decode()
    page = read(owner)
    assert "The evening ends 6 Nov 2025, 22:00 unless another round is posted." in page
    assert "Close the evening" in page
    clock.shift(HOUR)
    work_on_evenings(night, NOW + HOUR)
    assert "Results of evenings" not in read(owner)
    clock.shift(HOUR)
    correct(night)
    assert f'action="{NOW_ADDRESS}"' in owner.get(PAGE).content.decode()
    assert (
        "The result is written 6 Nov 2025, 23:15, when nothing was changed for 15 minutes."
        in read(owner)
    )


def test_who_presses_gets_the_result_without_its_lull(
    night: Event, cast: Cast, clock: time_machine.Traveller
) -> None:
    work_on_evenings(night, NOW + HOUR)
    correct(night)
    clock.shift(2 * HOUR + timedelta(minutes=1))
    answer = cast.client("olga").post(NOW_ADDRESS)
    assert (answer.status_code, answer["Location"]) == (302, PAGE)
    work_on_evenings(night, NOW + 2 * HOUR + timedelta(minutes=1))
    assert numbers(night) == [2, 1]
    assert AuditLine.objects.filter(act="draw_result_now").count() == 1


def test_nothing_is_drawn_where_no_result_is_pending(night: Event) -> None:
    draw_result_now(by_tests(), meeting_on(night, TONIGHT))
    work_on_evenings(night, NOW)
    assert numbers(night) == []
    assert not AuditLine.objects.filter(act="draw_result_now").exists()


@pytest.mark.parametrize("told", [True, False])
def test_evenings_that_nobody_is_told_of_are_not_listed(night: Event, told: bool) -> None:
    if not told:
        change_event(by_tests(), night, visibility="held")
    pending = list_pending_results(night.club, now=NOW)
    assert [each.due_at for each in pending] == [NOW + HOUR] * told


def test_result_that_is_due_is_no_longer_announced(night: Event) -> None:
    assert list_pending_results(night.club, now=NOW + HOUR - timedelta(seconds=1))
    assert not list_pending_results(night.club, now=NOW + HOUR)


def test_evening_that_was_closed_by_hand_no_longer_ends(night: Event) -> None:
    end_evening(by_tests(NOW + HOUR / 2), meeting_on(night, TONIGHT))
    assert Deadline.objects.filter(kind=EVENING_END, done_at=None, due_at__gt=NOW).exists()
    pending = list_pending_results(night.club, now=NOW)
    assert [(each.due_at, each.ends) for each in pending] == [(NOW + HOUR / 2, False)]


def test_result_of_an_evening_that_goes_on_again_is_not_listed(night: Event) -> None:
    work_on_evenings(night, NOW + HOUR)
    correct(night)
    assert list_pending_results(night.club, now=NOW + 2 * HOUR)
    round_ = Round.objects.get(event=night)
    move_round(by_tests(NOW + 2 * HOUR), round_, to="playing", reason="A hand is missing.")
    assert Deadline.objects.filter(kind=EVENING_RESULT, done_at=None).exists()
    assert not list_pending_results(night.club, now=NOW + 2 * HOUR)


def test_lull_of_the_page_is_that_of_the_results() -> None:
    assert timedelta(minutes=15) == LULL
