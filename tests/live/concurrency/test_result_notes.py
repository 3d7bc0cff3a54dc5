"""Notes about values beside other notes of the person, their answers and the person's erasure."""

from functools import partial

import pytest
from django.contrib.auth.models import User

from tests.support.builders import by_tests, finished, league, link, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.live.at_once import Within
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.standings import ResultNote
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.selectors.standings.result_notes import get_result_note
from tournaments.services.events.result_notes import (
    MOST_OPEN,
    answer_result_note,
    send_result_note,
)
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import erase_player

pytestmark = pytest.mark.pg


@pytest.fixture
def event(within: Within) -> Event:
    with within():
        cast = enter_the_cast()
        event = league(cast.riverside, settings={"primary": "raw_total"})
        people = players(event.club, "Ada Alder", "Ben Birch", "Cleo Cedar", "Dan Dogwood")
        finished(table(event, people))
        link(people[0], cast.users["piet"])
        return event


def send(event: Event, words: str) -> None:
    piet = Operation(actor_of(User.objects.get(username="piet")), NOW)
    send_result_note(piet, event, about="sum", words=words)


def test_two_notes_at_once_do_not_pass_the_bound(within: Within, event: Event) -> None:
    with within():
        for number in range(MOST_OPEN - 1):
            send(event, f"Note {number}.")
    refused = within.at_once(partial(send, event, "One."), partial(send, event, "Another."))
    assert refused == ["too_many_result_notes"]
    with within():
        assert ResultNote.objects.count() == MOST_OPEN


def test_note_is_answered_once(within: Within, event: Event) -> None:
    with within():
        send(event, "It is 20.")

    def answer(text: str) -> None:
        answer_result_note(by_tests(), get_result_note(event, 1), answer=text)

    refused = within.at_once(partial(answer, "Yes."), partial(answer, "No."))
    assert refused == ["result_note_answered"]


def test_no_note_of_an_erased_person_stays(within: Within, event: Event) -> None:
    def erase() -> None:
        ada = Player.objects.get(user__username="piet")
        erase_player(by_tests(), ada, confirmed=ada.player_id, reason="Asked.")

    within.at_once(partial(send, event, "It is 20."), erase)
    with within():
        assert not ResultNote.objects.exists()
