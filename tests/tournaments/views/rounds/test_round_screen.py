"""The round on a big screen: the seating by name once it is posted, then its tables."""

import re
from datetime import date

import pytest

from tests.support.builders import TESTS, finished, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Round
from tournaments.services.rounds.rounds import make_round, move_round

pytestmark = pytest.mark.usefixtures("clock")

TONIGHT = date(2025, 11, 6)
SCREEN = "/clubs/riverside/events/league/screen"


def seated(cast: Cast, n_tables: int, *, settings: dict[str, object] | None = None) -> Event:
    """A draft round of so many tables; the first player is Élodie."""
    event = league(cast.riverside, length="hands:4", settings=settings)
    names = ["Élodie", *(f"Player {number:02d}" for number in range(1, 4 * n_tables))]
    people = players(cast.riverside, *names)
    make_round(actor=TESTS, event=event, now=NOW, on=TONIGHT)
    for number in range(n_tables):
        table(event, people[4 * number : 4 * number + 4], table_number=number + 1, on=TONIGHT)
    return event


def post(event: Event) -> Round:
    return move_round(actor=TESTS, round_=Round.objects.get(event=event), to="posted", now=NOW)


def shown(cast: Cast, query: str = "") -> tuple[int, str]:
    """How many pages there are, and the words of the one that is shown."""
    page = cast.client().get(f"{SCREEN}{query}").content.decode()
    own = r"<section data-page( hidden)?[^>]*>(.*?)(?=<section data-page|<footer|$)"
    sections = re.findall(own, page, re.DOTALL)
    words = [re.sub(r"<[^>]*>", " ", text) for hidden, text in sections if not hidden]
    return len(sections), " ".join(words[0].split()) if words else ""


def test_draft_is_not_shown(cast: Cast) -> None:
    seated(cast, 1)
    page = text_of(cast.client().get(SCREEN))
    assert "The seating appears here when a director posts a round." in page
    assert "Player 01" not in page


def test_posted_round_shows_everybody_by_name_until_the_first_hand(cast: Cast) -> None:
    post(seated(cast, 5))
    n_pages, first = shown(cast)
    assert n_pages == 2
    assert first.startswith("Élodie Table 1 N Player 01 Table 1 E Player 02 Table 1 S")
    assert "Player 14" not in first
    assert shown(cast, "?page=2")[1].startswith("Player 14 Table 4 S Player 15")
    hand(Game.objects.get(table__number=1), 1, [4, 1, 2, 6], 3)
    n_pages, board = shown(cast)
    assert n_pages == 1
    assert "Table 1 hand 2 of 4" in board
    assert "Table 5 seated" in board


def test_round_stays_after_its_end_until_the_next_one_is_posted(cast: Cast) -> None:
    event = seated(cast, 1)
    round_ = post(event)
    finished(Game.objects.get())
    move_round(actor=TESTS, round_=round_, to="closed", now=NOW)
    assert "Table 1 sheet complete" in shown(cast)[1]
    people = [seat.sittings.get().player for seat in Game.objects.get().table.seats.all()]
    table(event, people, round_number=2, on=TONIGHT)
    assert "Round 2: seating" in text_of(cast.client().get(SCREEN))


def test_unchanged_screen_answers_304_and_a_hand_is_another(cast: Cast) -> None:
    post(seated(cast, 1))
    live = {"HX-Request": "true"}
    again = {**live, "If-None-Match": cast.client().get(SCREEN, headers=live)["ETag"]}
    assert cast.client().get(SCREEN, headers=again).status_code == 304
    hand(Game.objects.get(), 1, [4, 1, 2, 6], 3)
    assert cast.client().get(SCREEN, headers=again).status_code == 200
