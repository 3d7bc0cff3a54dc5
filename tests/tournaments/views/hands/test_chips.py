"""A game for chips: the event says how many each begins with, and the game ends by them."""

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import TESTS, hand, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import beside, text_of
from tournaments.domain.event_settings import settings_of
from tournaments.models.events import Event
from tournaments.models.hands import SeatScore
from tournaments.selectors.hands.games import game_standing
from tournaments.services.events.events import move_event

NEW = "/clubs/riverside/new-event"
TYPED = {
    "name": "Chip night", "variant": "hearts for chips (pool)", "preset": "wins",
    "kind": "league", "visibility": "public",
}  # fmt: skip


@pytest.fixture
def dirk(cast: Cast) -> Client:
    client = Client()
    client.force_login(cast.users["dirk"])
    return client


def send(client: Client, **more: str) -> Answer:
    return client.post(NEW, TYPED | more, follow=True)


def test_event_for_chips_asks_how_many_and_no_other_event_does(dirk: Client) -> None:
    page = send(dirk)
    assert page.status_code == 422
    said = "Enter the number of chips for each player, for example 20."
    assert beside(page, "start_totals") == said
    assert beside(send(dirk, start_totals="many"), "start_totals") == said
    send(dirk, start_totals="20")
    made = dirk.get("/clubs/riverside/events/chip-night/settings")
    assert "Chips for each player 20" in text_of(made)
    assert settings_of(Event.objects.get(slug="chip-night")).start_totals == 20
    assert "Chips for each player" not in text_of(dirk.get(NEW, {"variant": "hearts"}))


def test_hands_at_a_table_of_their_own_number_need_no_chips(dirk: Client) -> None:
    send(dirk, hands="8")
    assert settings_of(Event.objects.get(slug="chip-night")).start_totals == 0


def test_chips_go_round_until_somebody_has_none(cast: Cast, dirk: Client) -> None:
    send(dirk, start_totals="2")
    event = Event.objects.get(slug="chip-night")
    event = move_event(actor=TESTS, event=event, to="open", now=NOW)
    game = table(event, players(cast.riverside, "A A.", "B B.", "C C.", "D D."))
    before = game_standing(event, "r1t1")
    assert (before.finished, before.hands) == (False, 0)
    hand(game, 1, [4, 4, 4, 1], queen=0)
    assert not game_standing(event, "r1t1").finished
    hand(game, 2, [4, 0, 4, 5], queen=0)
    stands = game_standing(event, "r1t1")
    assert (stands.finished, stands.winners) == (True, (2,))
    last = SeatScore.objects.filter(entry__hand__number=2).order_by("seat__number")
    assert [int(total) // 360360 for total in last.values_list("total", flat=True)] == [0, 8, 0, 0]
