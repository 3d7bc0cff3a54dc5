"""The clock of a round, the round on a big screen, and what players read before the first hand."""

import re
from datetime import date, timedelta

import pytest
import time_machine
from django.test import Client

from tests.support.builders import by_tests, finished, hand, league, link, players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.services.rounds.rounds import make_round, move_round

pytestmark = pytest.mark.usefixtures("clock")

TONIGHT = date(2025, 11, 6)
EVENT = "/clubs/riverside/events/league"
BOARD = f"{EVENT}/rounds/1/board"
EXTEND = f"{EVENT}/rounds/1/extend"
API = "/api/v1/clubs/riverside/events/league/rounds/1"


@pytest.fixture
def event(cast: Cast) -> Event:
    """A league with a clock of 40 minutes, whose first round was just posted at two tables."""
    made = league(cast.riverside, length="hands:4", settings={"round_minutes": 40})
    people = players(cast.riverside, *(f"Player {letter}." for letter in "ABCDEFGH"))
    round_ = make_round(by_tests(), made, on=TONIGHT)
    table(made, people[:4], on=TONIGHT)
    table(made, people[4:], table_number=2, on=TONIGHT)
    move_round(by_tests(), round_, to="posted")
    return made


def clock_in(page: str) -> str:
    match = re.search(r'<div class="(?:clock|timer)[^>]*role="timer".*?</div>', page, re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", match[0]).split()) if match else ""


def read(cast: Cast, who: str = "", page: str = BOARD) -> str:
    return cast.client(who).get(page).content.decode()


def test_board_and_manage_show_the_clock_its_warning_and_its_end(
    clock: time_machine.Traveller, cast: Cast, event: Event
) -> None:
    assert clock_in(read(cast)) == "40 min left, until 21:40"
    clock.shift(timedelta(minutes=36))
    assert clock_in(read(cast)) == "4 min left: last 5 minutes, until 21:40"
    assert clock_in(read(cast, "dirk", f"{EVENT}/direct")) == clock_in(read(cast))
    clock.shift(timedelta(minutes=4))
    assert clock_in(read(cast)) == "Time is over since 21:40"


def test_table_that_misses_hands_after_the_clock_is_late(
    clock: time_machine.Traveller, cast: Cast, event: Event
) -> None:
    hand(Game.objects.get(table__number=1), 1, [4, 1, 2, 6], 3)
    clock.shift(timedelta(minutes=41))
    page = text_of(cast.client().get(BOARD))
    assert "Table 1 late, hand 2 of 4" in page
    assert "Table 2 late" in page
    assert "2 late" in page


def test_unchanged_board_is_sent_again_when_the_time_is_over(
    clock: time_machine.Traveller, cast: Cast, event: Event
) -> None:
    live = {"HX-Request": "true"}
    tag = cast.client().get(BOARD, headers=live)["ETag"]
    assert cast.client().get(BOARD, headers={**live, "If-None-Match": tag}).status_code == 304
    clock.shift(timedelta(minutes=41))
    over = cast.client().get(BOARD, headers={**live, "If-None-Match": tag})
    assert over.status_code == 200
    assert "Time is over" in over.content.decode()


@pytest.mark.parametrize(("who", "offered"), [("hanna", True), ("dirk", True), ("piet", False)])
def test_hosts_and_directors_extend_a_round_and_a_second_press_does_not(
    cast: Cast, event: Event, who: str, offered: bool
) -> None:
    client = cast.client(who)
    assert ("Extend by 5 minutes" in text_of(client.get(BOARD))) is offered
    answer = client.post(EXTEND, {"minutes": "5", "extra": "0"}, follow=True)
    assert answer.status_code == (200 if offered else 403)
    assert (
        clock_in(read(cast))
        == f"{45 if offered else 40} min left, until 21:{45 if offered else 40}"
    )
    again = client.post(EXTEND, {"minutes": "5", "extra": "0"}, follow=True)
    assert ("5 minutes were added so far" in text_of(again)) is offered
    assert [line.facts for line in AuditLine.objects.filter(act="extend_round")] == (
        [{"minutes": 5, "extra_minutes": 5}] if offered else []
    )


def test_page_of_a_table_asks_for_a_clock_that_was_extended(cast: Cast, event: Event) -> None:
    sheet, piet = f"{EVENT}/tables/r1t1", cast.client("piet")
    assert f'data-from="{sheet}"' in piet.get(sheet).content.decode()
    assert "data-from" not in read(cast)  # the board's own live part brings it
    cast.client("hanna").post(EXTEND, {"minutes": "5", "extra": "0"})
    part = piet.get(sheet, headers={"HX-Request": "true"}).content.decode()
    assert clock_in(part) == "45 min left, until 21:45"
    assert f'data-from="{sheet}"' in part
    assert "<h1" not in part
    Round.objects.update(state="closed")
    assert not piet.get(sheet, headers={"HX-Request": "true"}).content.strip()


def test_round_is_extended_over_rest(hanna: Client, event: Event) -> None:
    response = hanna.post(f"{API}/extend", {"minutes": 10}, "application/json")
    assert response.json() == {
        "ends_at": "2025-11-06T21:50:00Z", "is_estimated": False, "extra_minutes": 10,
    }  # fmt: skip
    assert hanna.get(API).json()["clock"] == response.json()
    wrong = hanna.post(f"{API}/extend", {"minutes": 0}, "application/json")
    assert (wrong.status_code, wrong.json()["errors"][0]["code"]) == (422, "bad_minutes")
    Round.objects.update(state="closed")
    late = hanna.post(f"{API}/extend", {"minutes": 5}, "application/json")
    assert (late.status_code, late.json()["errors"][0]["code"]) == (409, "round_has_no_clock")


def test_complete_table_has_no_estimated_end(cast: Cast) -> None:
    own = league(cast.riverside, length="hands:1")
    game = table(own, players(cast.riverside, "Ann", "Ben", "Cleo", "Dora"), on=TONIGHT)
    sheet = f"{EVENT}/tables/{game.table.code}"
    assert "estimated end" in read(cast, "dirk", sheet)
    hand(game, 1, [4, 1, 2, 6], 3)
    game.refresh_from_db()
    assert game.state == "complete"
    assert "estimated end" not in read(cast, "dirk", sheet)
    answer = cast.client("dirk").get(sheet, headers={"HX-Request": "true"})
    assert (answer.status_code, "estimated end" in answer.content.decode()) == (200, False)


SCREEN = "/clubs/riverside/events/league/screen"


def seated(cast: Cast, n_tables: int, *, settings: dict[str, object] | None = None) -> Event:
    event = league(cast.riverside, length="hands:4", settings=settings)
    names = ["Élodie", *(f"Player {number:02d}" for number in range(1, 4 * n_tables))]
    people = players(cast.riverside, *names)
    make_round(by_tests(), event, on=TONIGHT)
    for number in range(n_tables):
        table(event, people[4 * number : 4 * number + 4], table_number=number + 1, on=TONIGHT)
    return event


def post(event: Event) -> Round:
    return move_round(by_tests(), Round.objects.get(event=event), to="posted")


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
    assert "Player 10" not in first
    assert shown(cast, "?page=2")[1].startswith("Player 10 Table 3 S Player 11")
    hand(Game.objects.get(table__number=1), 1, [4, 1, 2, 6], 3)
    n_pages, board = shown(cast)
    assert n_pages == 1
    assert "Table 1 hand 2 of 4" in board
    assert "Table 5 seated" in board


def test_round_stays_after_its_end_until_the_next_one_is_posted(cast: Cast) -> None:
    event = seated(cast, 1)
    round_ = post(event)
    finished(Game.objects.get())
    move_round(by_tests(), round_, to="closed")
    assert "Table 1 sheet complete" in shown(cast)[1]
    people = [seat.sittings.get().player for seat in Game.objects.get().table.seats.all()]
    table(event, people, round_number=2, on=TONIGHT)
    assert "Round 2 · seating" in text_of(cast.client().get(SCREEN))


SHEET = "/clubs/riverside/events/league/tables/r1t1"


def night(cast: Cast, variant: str) -> Event:
    event = league(cast.riverside, variant=variant, settings={"round_minutes": 40})
    people = players(cast.riverside, "Ann", "Ben", "Cleo", "Piet")
    link(people[3], cast.users["piet"])
    table(event, people, on=TONIGHT)
    return event


OWN = "/clubs/riverside/events/league/meetings/2025-11-06/players/RL04"


def test_own_page_and_table_name_the_receivers_until_the_first_hand(cast: Cast) -> None:
    event = night(cast, "hearts")
    assert "Table 1, seat W" in text_of(cast.client("piet").get("/me"))
    page = text_of(cast.client("piet").get(OWN))
    assert "Hand 1: you pass to Ann (N)." in page
    assert "40 min left, until 21:40" in page
    assert "partner" not in page
    page = text_of(cast.client().get(SHEET))
    assert "North: Ann, passes to Ben (E)" in page
    assert "West: Piet, passes to Ann (N)" in page
    assert "40 min left, until 21:40" in page
    hand(event.tables.get().game, 1, [4, 1, 2, 6], 3)
    assert "passes to" not in text_of(cast.client().get(SHEET))
    assert "you pass" not in text_of(cast.client("piet").get(OWN))


def test_partners_are_named(cast: Cast) -> None:
    night(cast, "partnership-hearts-individual")
    assert "Your partner: Ben (E)." in text_of(cast.client("piet").get(OWN))
    assert "partner of Piet (W)" in text_of(cast.client().get(SHEET))
