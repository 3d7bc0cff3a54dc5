"""A hand that a phone without a signal sends after its evening was closed."""

from datetime import date, timedelta

import pytest
import time_machine

from tests.support.builders import by_tests
from tests.support.cast import NOW
from tests.support.evening_work import work_on_evenings
from tests.support.pages.hand_entry import NEW, Host, stored, typed
from tests.support.pages.outbox import send, shell
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.selectors.events.meetings import LULL, is_over, meeting_on
from tournaments.selectors.standings.evening_results import results_of
from tournaments.services.hands.close_tables import move_game

pytestmark = pytest.mark.django_db

FIRST = date(2025, 11, 6)
RIGHT = typed([4, 1, 2, 6], queen=3)


def results(event: Event) -> list[tuple[int, int]]:
    """Return the number of each result of the evening and how many hands it has."""
    rows = results_of(meeting_on(event, FIRST)).order_by("number")
    return [(row.number, row.document["as_of"]["hands"]) for row in rows]


def test_hand_stays_on_the_phone_until_a_director_saves_it_in_the_next_result(
    clock: time_machine.Traveller, evenings: Evenings
) -> None:
    event = evenings.event
    hanna = evenings.client("hanna")
    dirk = evenings.client("dirk")
    owner = shell(hanna.get(NEW))["owner"]  # the form is open; then there is no signal
    for game in Game.objects.filter(event=event, table__round__number=1):
        move_game(by_tests(), game, to="complete")
    dirk.post(f"{ADDRESS}/meetings/2025-11-06/end")
    assert is_over(meeting_on(event, FIRST))
    work_on_evenings(event, NOW)
    assert results(event) == [(1, 3)]

    late = NOW + timedelta(minutes=20)
    clock.move_to(late)
    answer = send(hanna, RIGHT, owner=owner)
    assert (answer.status_code, answer.json()["state"]) == (403, "refused")
    assert "closed" in answer.json()["reason"]
    assert stored() == []
    work_on_evenings(event, late + LULL)
    assert results(event) == [(1, 3)]
    assert is_over(meeting_on(event, FIRST)), "a refused hand opens nothing"

    assert Host(dirk).send(RIGHT).status_code == 302
    work_on_evenings(event, late)
    assert results(event) == [(1, 3)]
    work_on_evenings(event, late + LULL)
    assert results(event) == [(1, 3), (2, 4)]
    other = send(hanna, typed([1, 4, 2, 6], queen=3), owner=owner)
    assert other.json()["state"] == "refused", "the table has other numbers"
    again = send(hanna, RIGHT, owner=owner)
    assert (again.status_code, again.json()["state"]) == (200, "there")
    assert len(stored()) == 1
