"""A round's board, who is told, and printing the round."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.imports.imports import imported
from tests.support.pages.queries import count_queries
from tests.support.pages.text import text_of
from tests.support.printed_sheets import DOTS, found_codes, grey_image
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.documents.round_documents import round_document
from tournaments.documents.typesetting import typeset_images
from tournaments.domain.sheets.sheet_fields import CARDS, LIST, SHEETS, PrintOptions
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Round, Sitting
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import list_linked_tables, printable_secret
from tournaments.selectors.events import events
from tournaments.selectors.events.events import get_event
from tournaments.selectors.rounds.round_board import RoundBoard, Tile
from tournaments.services.access.table_links import make_links
from tournaments.services.hands.close_tables import move_game
from tournaments.services.operations import Operation
from tournaments.views.http.print_forms import RoundPrintForm

EVENT = "/clubs/riverside/events/league"
BOARD = f"{EVENT}/rounds/1/board"
SHEET = (
    "date,round,table,variant,hand,seat,player_id,player,hearts,queen_spades\n"
    "2025-11-06,1,{table},hearts,{hand},N,RL01,,4,0\n"
    "2025-11-06,1,{table},hearts,{hand},E,RL02,,1,0\n"
    "2025-11-06,1,{table},hearts,{hand},S,RL03,,2,0\n"
    "2025-11-06,1,{table},hearts,{hand},W,RL04,,{west},1\n"
)


@pytest.fixture
def event(cast: Cast) -> Event:
    players(cast.riverside, *(f"Player {n:02d}" for n in range(1, 25)))
    return league(cast.riverside, length="hands:6")


def seat(event: Event, tables: int) -> list[Game]:
    people = [*event.club.players.order_by("player_id")]
    return [table(event, people[4 * n : 4 * n + 4], table_number=n + 1) for n in range(tables)]


def tiles(cast: Cast, name: str = "dirk") -> list[Tile]:
    event = get_event(cast.actor(name), "riverside", "league")
    return [*RoundBoard(event, Round.objects.get(number=1), names=False).tiles]


def test_tile_says_how_far_its_table_is(cast: Cast, event: Event) -> None:
    seated, begun, done, given_up, disputed, empty = seat(event, 6)
    for number in (1, 2, 3):
        hand(begun, number, [4, 1, 2, 6], queen=3)
    for number in range(1, 7):
        hand(done, number, [4, 1, 2, 6], queen=3)
    hand(given_up, 1, [4, 1, 2, 6], queen=3)
    move_game(by_tests(), given_up, to="abandoned", reason="Somebody fell ill.")
    hand(disputed, 1, [4, 1, 2, 6], queen=3)
    hand(disputed, 2, [4, 1, 2, 6], queen=3)
    Hand.objects.filter(game=disputed, number=2).update(state="disputed")
    empty.table.seats.all().delete()
    found = tiles(cast)
    assert [one.state for one in found] == ["seated", "play", "in", "over", "disp", "empty"]
    assert [one.hand for one in found[:2]] == [1, 4]
    assert [one.n_hands for one in found] == [0, 3, 6, 1, 1, 0]
    assert found[0].pips == ("", "", "", "", "", "")
    assert found[1].pips == ("f", "f", "f", "c", "", "")
    assert (found[2].pips, found[4].disputed) == ((), (2,))
    assert [one["total"] for one in found[1].seats] == [12, 3, 6, 57]
    assert (found[0].seats[0]["label"], found[0].seats[0]["name"]) == ("N", "Player 01")
    assert seated.state == "seated"


def test_seat_somebody_left_keeps_its_letter_and_says_who_left(cast: Cast, event: Event) -> None:
    """Who sits after the empty seat keeps their own letter too."""
    (game,) = seat(event, 1)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    sitting = Sitting.objects.get(seat__table=game.table, seat__number=2)
    Sitting.objects.filter(pk=sitting.pk).update(to_hand=1)
    text = text_of(cast.client().get(BOARD))
    assert "N Player 01 4 E Player 02 left 1 S Player 03 2 W Player 04 19" in text
    newcomer = event.club.players.get(name="Player 05")
    Sitting.objects.create(
        club=event.club, seat=sitting.seat, round=sitting.round, player=newcomer, from_hand=2
    )
    text = text_of(cast.client().get(BOARD))
    assert "N Player 01 4 E Player 05 1 S Player 03 2 W Player 04 19" in text


def test_table_that_everybody_left_names_them_and_is_not_seated(cast: Cast, event: Event) -> None:
    seat(event, 1)
    Sitting.objects.update(to_hand=1)
    assert "empty N Player 01 left E Player 02 left" in text_of(cast.client().get(BOARD))


def test_hand_left_out_is_missing_and_one_that_is_void_is_not(cast: Cast, event: Event) -> None:
    (game,) = seat(event, 1)
    for number in (1, 2, 5):
        hand(game, number, [4, 1, 2, 6], queen=3)
    Hand.objects.filter(number=2).update(state="void")
    assert tiles(cast)[0].missing == (3, 4)
    text = text_of(cast.client().get(BOARD))
    assert "Hands 3–4 skipped" in text
    assert "hands 3–4 skipped" in text
    assert "2 of 6 hands entered" in text


def test_sheet_that_an_import_cannot_take_has_no_total_until_it_is_resolved(
    cast: Cast, event: Event, tmp_path: Path
) -> None:
    seat(event, 2)
    for number, (table_number, west) in enumerate([(1, 5), (9, 5)]):
        file = tmp_path / f"sheet{number}.csv"
        file.write_text(SHEET.format(table=table_number, hand=1, west=west), encoding="utf-8")
        imported(file)
    assert [tile.state for tile in tiles(cast)] == ["bad", "seated"]
    text = text_of(cast.client("hanna").get(BOARD))
    assert "1 wrong total N Player 01" in text
    assert "Table 1, hand 1: the hearts total 12, expected 13." in text
    assert "Import Table 9, hand 1:" in text, "what no table is there for is named below"
    for stranger in ("", "piet"):
        told = text_of(cast.client(stranger).get(BOARD))
        assert "wrong total" not in told
        assert "expected 13" not in told


def test_board_says_what_is_missing_and_that_nothing_is(cast: Cast, event: Event) -> None:
    hand(seat(event, 3)[1], 1, [4, 1, 2, 6], queen=3)
    text = text_of(cast.client().get(BOARD))
    assert "0 complete · 1 playing · 2 without hands" in text
    assert "Table 1 no hands yet Table 2 1 of 6 hands entered Table 3 no hands yet" in text
    Game.objects.update(state="complete")
    done = text_of(cast.client().get(BOARD))
    assert "3 complete · 0 playing" in done
    assert "No sheets missing." in done


def test_directors_read_who_entered_what_and_when(cast: Cast, event: Event, tmp_path: Path) -> None:
    first, second = seat(event, 2)
    hanna = cast.actor("hanna")
    hand(first, 1, [4, 1, 2, 6], queen=3, actor=hanna)
    hand(second, 1, [4, 1, 2, 6], queen=3, actor=hanna, now=NOW + timedelta(minutes=5))
    hand(
        first, 1, [4, 2, 1, 6], queen=3, actor=cast.actor("dirk"), based_on=1,
        reason="East and South were swapped.", now=NOW + timedelta(minutes=2),
    )  # fmt: skip
    text = text_of(cast.client("dirk").get(BOARD))
    assert (
        "Hand Entered by When Table 1, hand 1 revision 2 Dirk host’s page 21:02 "
        "Table 2, hand 1 Hanna host’s page 21:05 Table 1, hand 1 Hanna host’s page 21:00"
    ) in text, "the order is that of the entries, not of their clocks"
    for name in ("", "piet", "hanna"):
        told = text_of(cast.client(name).get(BOARD))
        assert "Latest entries" not in told
        assert "Hanna" not in told


def test_board_costs_as_many_queries_with_six_tables_as_with_one(cast: Cast, event: Event) -> None:
    client = cast.client("dirk")

    people = [*event.club.players.order_by("player_id")]
    hand(table(event, people[:4]), 1, [4, 1, 2, 6], queen=3)
    few = count_queries(client, BOARD)
    for n in range(1, 6):
        game = table(event, people[4 * n : 4 * n + 4], table_number=n + 1)
        for number in range(1, n + 1):
            hand(game, number, [4, 1, 2, 6], queen=3)
    assert count_queries(client, BOARD) == few <= 20


PRINT = f"{ADDRESS}/rounds/1/print"
ENTRANCE = "https://club.example/t"


def codes_of(evenings: Evenings, actor: Actor, *parts: str) -> list[str]:
    event = events.get_event(actor, "riverside", "league")
    round_ = events.get_round(event, 1)
    made = round_document(event, round_, parts, options=PrintOptions(), entrance=ENTRANCE, now=NOW)
    images = typeset_images(made, dots_per_inch=DOTS)
    return sorted(code.text for png in images for code in found_codes(grey_image(png)))


def test_director_opens_all_parts_as_a_pdf(evenings: Evenings) -> None:
    answer = evenings.client("dirk").get(PRINT, {"what": "all", "paper": "letter"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert answer["Content-Disposition"] == 'inline; filename="league-round-1-all.pdf"'
    assert answer.content.startswith(b"%PDF")


def test_host_prints_sheets_and_list_but_no_links(evenings: Evenings) -> None:
    host = evenings.client("hanna")
    assert "Table cards" not in text_of(host.get(PRINT))
    for what in (LIST, SHEETS):
        assert host.get(PRINT, {"what": what}).status_code == 200
    everything = RoundPrintForm({"what": "all"}, prints_links=False)
    assert everything.is_valid()
    assert everything.parts == (LIST, SHEETS)
    assert host.get(PRINT, {"what": CARDS}).status_code == 403


def test_unknown_words_are_refused_with_what_was_found(evenings: Evenings) -> None:
    director = evenings.client("dirk")
    for wrong in (
        {"what": "posters"},
        {"what": "all", "paper": "a3"},
        {"what": "all", "layout": "x"},
    ):
        answer = director.get(PRINT, wrong)
        assert f"“{list(wrong.values())[-1]}” is not in the list" in text_of(answer, 422)


def test_round_without_tables_says_that_there_is_nothing_to_print(evenings: Evenings) -> None:
    director = evenings.client("dirk")
    director.post(f"{ADDRESS}/new-round", {"number": "3", "on": "2025-11-20"})
    page = director.get(f"{ADDRESS}/rounds/3/print", {"what": "all"})
    assert page["Content-Type"].startswith("text/html")
    assert "There is nothing to print before the tables are seated." in text_of(page)


def test_card_opens_its_table_and_no_sheet_carries_a_token(evenings: Evenings) -> None:
    director = evenings.cast.actor("dirk")
    event = events.get_event(director, "riverside", "league")
    make_links(Operation(director, NOW), events.get_round(event, 1))
    links = [one.link for one in list_linked_tables(event, NOW, round_number=1)]
    tokens = [secrets.token for link in links if link and (secrets := printable_secret(link))]
    assert len(tokens) == 2
    opened = sorted(f"{ENTRANCE}/{token}" for token in tokens)
    assert codes_of(evenings, director, CARDS) == opened
    sheets = codes_of(evenings, director, SHEETS)
    assert [text.split(":")[:4] for text in sheets] == [
        ["BL1", "riverside", "league", "r1t1"],
        ["BL1", "riverside", "league", "r1t2"],
    ]
    assert not any(token in text for token in tokens for text in sheets)


def test_printing_makes_no_links(evenings: Evenings) -> None:
    assert codes_of(evenings, evenings.cast.actor("dirk"), CARDS) == []
    assert "2 tables have no link." in text_of(evenings.client("dirk").get(PRINT))


def test_queries_do_not_grow_with_the_tables(evenings: Evenings) -> None:
    director = evenings.client("dirk")
    counts = []
    for number in (1, 2):
        with CaptureQueriesContext(connection) as caught:
            director.get(f"{ADDRESS}/rounds/{number}/print", {"what": "all"})
        counts.append(len(caught))
    assert counts[0] == counts[1]


def test_blank_sheet_of_any_game_is_public() -> None:
    client = Client()
    assert "Print blank score sheet" in text_of(client.get("/variants/hearts"))
    form = client.get("/variants/cancellation-hearts/score-sheet", {"seats": "7"})
    assert 'value="7" selected' in form.content.decode()


def test_board_has_the_tables_of_its_own_round(cast: Cast, event: Event) -> None:
    first, second = seat(event, 2)
    people = [*event.club.players.order_by("player_id")]
    table(event, people[:4], round_number=2)
    assert [tile.code for tile in tiles(cast)] == [first.table.code, second.table.code]
