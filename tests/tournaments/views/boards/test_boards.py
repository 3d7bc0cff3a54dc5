"""Pages of boards: made by a director, entered by a host on the phone, shown once played."""

from collections.abc import Sequence
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from scoring.duplicate.deals import commitment_of, deal_from_seed, deal_text
from tests.support.answers import post_json
from tests.support.builders import by_tests
from tests.support.pages.double_entry import require_double_entry
from tests.support.pages.manage import next_step
from tests.support.pages.text import text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.duplicate_nights import (
    SEED,
    DuplicateNight,
    duplicate_night,
    hearts_of,
)
from tournaments.models.boards import Board, Deal
from tournaments.models.hands import Game, Hand, SecondTyping
from tournaments.selectors.rounds.round_progress import minutes_a_round
from tournaments.services.boards import deal_boards

pytestmark = pytest.mark.django_db

E = "/clubs/riverside/events/league"
COUNTS = {"hearts-1": "4", "hearts-2": "1", "hearts-3": "2", "hearts-4": "6", "card-QS": "4"}


@pytest.fixture
def night(db: None) -> DuplicateNight:
    return duplicate_night()


@pytest.fixture
def undealt(db: None) -> DuplicateNight:
    return duplicate_night(boards=0)


def page(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def test_director_deals_boards_on_the_page(undealt: DuplicateNight) -> None:
    assert f'href="{E}/boards"' in page(undealt.director, f"{E}/direct")
    assert next_step(undealt.director, f"{E}/direct") == ("Create the boards", "Create boards")
    assert f'href="{E}/boards/new"' in page(undealt.director, f"{E}/boards")
    typed = {"deal": "yes", "count": "12", "boards_per_round": "4", "first_round": ""}
    said = unescape(undealt.director.post(f"{E}/boards/new", typed, follow=True).content.decode())
    assert "12 boards created." in said
    assert next_step(undealt.director, f"{E}/direct")[1] != "Create boards"
    assert Deal.objects.get().commitment in said
    assert said.count("Secret") == 12
    assert "Print hand records" not in said


def test_director_reads_a_deal_file_on_the_page(undealt: DuplicateNight) -> None:
    text = deal_text([deal_from_seed("file", 3), deal_from_seed("file", 4)])
    file = SimpleUploadedFile("deals.json", text.encode())
    response = undealt.director.post(f"{E}/boards/new", {"load": "yes", "file": file}, follow=True)
    assert "2 boards created." in response.content.decode()
    assert [*Board.objects.order_by("number").values_list("number", flat=True)] == [3, 4]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"deal": "yes", "count": ""}, "0 boards cannot be dealt."),
        ({"deal": "yes", "count": "x"}, "“x” is not a whole number. Enter digits, for example 12."),
        ({"deal": "yes", "count": "4", "first_round": "-1"}, "“-1” is not a whole number."),
        ({"deal": "yes", "count": "1001"}, "1001 boards cannot be dealt."),
        ({"load": "yes"}, "The file has no deals."),
    ],
)
def test_what_cannot_be_made_is_said_beside_its_field(
    undealt: DuplicateNight, typed: dict[str, str], said: str
) -> None:
    answer = undealt.director.post(f"{E}/boards/new", typed)
    assert answer.status_code == 422
    assert said in unescape(answer.content.decode())
    assert not Deal.objects.exists()


def test_form_of_a_hand_asks_for_the_board(night: DuplicateNight) -> None:
    night.seat(1)
    form = page(night.host, f"{E}/tables/r1t1/hands/new")
    assert '<label for="board">Board</label>' in form
    assert 'value="1" data-boards="1 2 3 4"' in form
    typed = {"way": "counts", "number": "1", "key": "k1", "go": "save", **COUNTS}
    missing = night.host.post(f"{E}/tables/r1t1/hands/new", typed)
    assert missing.status_code == 422
    assert "each hand names its board" in unescape(missing.content.decode())
    assert night.host.post(f"{E}/tables/r1t1/hands/new", {**typed, "board": "3"}).status_code == 302
    hand = Hand.objects.get()
    assert 'value="1" data-boards="1 2 4"' in page(night.host, f"{E}/tables/r1t1/hands/new")
    assert hand.board is not None
    assert hand.board.number == 3
    again = page(night.host, f"{E}/tables/r1t1/hands/1/edit")
    assert 'name="board" inputmode="numeric" maxlength="4" size="4" value="3"' in again


def test_board_is_secret_on_its_page_until_every_table_has_played_it(night: DuplicateNight) -> None:
    night.seat(1)
    night.play(1, (1, 2))
    cards = deal_from_seed(SEED, 2).hands[0]
    secret = page(night.director, f"{E}/boards/2")
    assert "This deal is secret." in secret
    assert "Results" not in secret
    none_yet = night.director.get(f"{E}/boards/hand-records", follow=True)
    assert "No deal may be shown yet." in unescape(none_yet.content.decode())
    assert night.enter(1, 3, 1, 2).status_code == 201
    public = page(night.cast.client(), f"{E}/boards/2")
    assert "Matchpoints" in public
    spades = " ".join(card[:-1] for card in reversed(cards) if card.endswith("S")) or "–"
    assert f"<td>♠ {spades}</td>" in public
    assert night.cast.client().get(f"{E}/boards/hand-records").content[:4] == b"%PDF"


def test_ordinary_event_has_no_field_and_no_link(night: DuplicateNight) -> None:
    night.event.settings["duplicate"] = False
    night.event.save()
    night.seat(1)
    assert 'name="board"' not in page(night.host, f"{E}/tables/r1t1/hands/new")
    assert f'href="{E}/boards"' not in page(night.director, f"{E}/direct")
    assert "is not duplicate" in page(night.director, f"{E}/boards/new")


def test_director_prints_secret_deals_and_the_page_says_who_did(night: DuplicateNight) -> None:
    assert f'href="{E}/boards/deals"' in page(night.director, f"{E}/boards")
    sent = {"deal": commitment_of(SEED), "go": "print"}
    assert night.director.post(f"{E}/boards/deals", sent)["Content-Type"] == "application/pdf"
    assert "Printed by dirk before play," in page(night.director, f"{E}/boards")
    assert "Printed by a director before play," in page(night.cast.client(), f"{E}/boards")
    assert f'href="{E}/boards/deals"' not in page(night.cast.client(), f"{E}/boards")


def test_director_deletes_deals_until_one_was_played(night: DuplicateNight) -> None:
    night.seat(1)
    sent = {"deal": commitment_of(SEED), "go": "delete"}
    assert night.enter(1, 1, 1, 3).status_code == 201
    assert "Delete deals" not in page(night.director, f"{E}/boards/deals")
    deal_boards(by_tests(), night.event, count=2, seed="more")
    assert page(night.director, f"{E}/boards/deals").count("Delete deals") == 1
    more = {**sent, "deal": commitment_of("more")}
    gone = night.director.post(f"{E}/boards/deals", more, follow=True)
    assert "2 boards deleted." in gone.content.decode()
    assert Board.objects.count() == 12


@pytest.mark.parametrize("path", ["boards", "boards/deals", "boards/hand-records", "boards/1"])
def test_pages_ask_the_database_no_more_for_more_boards(night: DuplicateNight, path: str) -> None:
    night.seat(1)
    night.play(1, (1,))
    for table in (2, 3):
        night.enter(1, table, 1, 1)
    post = {"deal": commitment_of(SEED), "go": "print"}
    night.director.post(f"{E}/boards/deals", post)
    assert night.director.get(f"{E}/{path}").status_code == 200  # what is read once is in memory
    with CaptureQueriesContext(connection) as few:
        night.director.get(f"{E}/{path}")
    for table in (2, 3):
        for hand, board in ((2, 2), (3, 3), (4, 4)):
            assert night.enter(1, table, hand, board).status_code == 201
    deal_boards(by_tests(), night.event, count=20, seed="b", boards_per_round=1, first_round=4)
    night.director.post(f"{E}/boards/deals", {**post, "deal": commitment_of("b")})
    with CaptureQueriesContext(connection) as many:
        night.director.get(f"{E}/{path}")
    assert len(many) == len(few)


def rows_of(table: int, boards: Sequence[str], key: str = "k") -> dict[str, str]:
    """A sheet of the grid: a row a board, with what the table made of it."""
    sent = {"go": "save", "way": "counts"}
    for hand, board in enumerate(boards, start=1):
        hearts, queen = hearts_of(1, table, hand)
        cells = [f"{one}q" if seat == queen else str(one) for seat, one in enumerate(hearts)]
        sent |= {f"c-{hand}-{seat}": text for seat, text in enumerate(cells, start=1)}
        sent |= {
            f"key-{hand}": f"{key}{table}{hand}",
            f"way-{hand}": "counts",
            f"board-{hand}": board,
        }
    return sent


def boards_in(table: str) -> list[tuple[int, int]]:
    hands = Hand.objects.filter(game__table__code=table).order_by("number")
    return [*hands.values_list("number", "board__number")]


def test_grid_takes_a_board_in_each_row_and_says_which_cannot_be(night: DuplicateNight) -> None:
    night.seat(1)
    grid = f"{E}/tables/r1t1/grid"
    empty = page(night.host, grid)
    assert "Hand, board" in empty
    assert '<th scope="col" class="p2">Pass</th>' not in empty  # it is that of the board
    refused = unescape(night.host.post(grid, rows_of(1, ["2", "", "2", "9"])).content.decode())
    assert "each hand names its board" in refused
    assert "has already played board 2, in hand 1" in refused
    assert "Board 9 belongs to round 3" in refused
    assert boards_in("r1t1") == [(1, 2)]
    night.host.post(grid, rows_of(1, ["2", "1", "4", "3"]))
    assert boards_in("r1t1") == [(1, 2), (2, 1), (3, 4), (4, 3)]
    assert 'name="board-3" value="4"' in page(night.host, grid)


def test_board_of_a_row_is_corrected_alone(night: DuplicateNight) -> None:
    night.seat(1)
    assert night.enter(1, 1, 1, 1).status_code == 201
    grid = f"{E}/tables/r1t1/grid"
    sent = {**rows_of(1, ["3"]), "based_on-1": "1", "reason": "The board was misread."}
    assert "board-1" in page(night.host, grid)
    night.host.post(grid, sent)
    assert boards_in("r1t1") == [(1, 3)]
    assert Hand.objects.get().revision == 2


@pytest.mark.both_databases
def test_corrections_looked_at_lock_all_boards_before_sums(night: DuplicateNight) -> None:
    night.seat(1)
    grid = f"{E}/tables/r1t1/grid"
    night.host.post(grid, rows_of(1, ["1", "2"]))
    sent = {**rows_of(1, ["3", "4"], "d"), "based_on-1": "1", "based_on-2": "1", "go": "look"}
    with CaptureQueriesContext(connection) as asked:
        looked = night.director.post(grid, {**sent, "reason": "The boards were misread."})
    assert looked.status_code == 200
    assert boards_in("r1t1") == [(1, 1), (2, 2)]
    locks = [one["sql"] for one in asked if " FOR NO KEY UPDATE" in one["sql"]]
    order = [sql.partition(" FROM ")[2].split()[0].strip('"') for sql in locks]
    if connection.vendor == "postgresql":  # SQLite locks everything at once
        looks = [at for at, table in enumerate(order) if table == "tournaments_event"]
        assert len(looks) > 1
        for start in looks:
            own = order[start:]
            board = own.index("tournaments_board")
            assert own.index("tournaments_game") < board < own.index("tournaments_aggregate")
            assert "IN (3, 4)" in locks[start + board]


def test_second_entry_with_another_board_differs_and_may_be_right(night: DuplicateNight) -> None:
    require_double_entry(night.event)
    night.seat(1)
    night.host.post(f"{E}/tables/r1t1/grid", rows_of(1, ["1", "2", "3"]))
    night.host.post(f"{E}/tables/r1t1/grid", {**rows_of(1, ["1", "2", "3", "4"]), "go": "save"})
    again = f"{E}/tables/r1t1/grid/second"
    missing = night.director.post(again, rows_of(1, ["1", "", "3", "4"]))
    assert "each hand names its board" in unescape(missing.content.decode())
    night.director.post(again, rows_of(1, ["1", "3", "2", "4"], "again"))
    assert page(night.director, f"{E}/tables/r1t1/grid/differences").count("Board") >= 2
    newest = {typing.number: typing for typing in SecondTyping.objects.order_by("pk")}
    assert {n: one.agreed for n, one in newest.items()} == {1: True, 2: False, 3: False, 4: True}


def test_table_names_no_pass_before_its_first_board(night: DuplicateNight) -> None:
    night.seat(1)
    for path in (f"{E}/tables/r1t1", "/me"):
        said = page(night.host, path)
        assert "Passing in hand 1" not in said
        assert "passes to" not in said
    assert "Dealer and pass: see the board" in page(night.host, f"{E}/tables/r1t1")


def test_table_is_complete_after_the_boards_of_its_round() -> None:
    night = duplicate_night(hands=None)
    night.seat(1)
    night.play(1, tables=(2,))
    assert Game.objects.get(table__code="r1t2").state == "complete"
    for hand in (1, 2, 3):
        assert night.enter(1, 1, hand, hand).status_code == 201
    form = f"{E}/tables/r1t1/hands/new"
    assert "hand 4 of 4" in page(night.host, form)
    typed = {"way": "counts", "number": "4", "key": "k4", "go": "save", "board": "4", **COUNTS}
    saved = unescape(night.host.post(form, typed, follow=True).content.decode())
    assert "Hand 4 saved. All boards of this round are entered." in saved
    game = Game.objects.get(table__code="r1t1")
    assert game.state == "complete"
    refused = post_json(night.director, f"/api/v1{E}/tables/r1t1/state", {"to": "playing"})
    assert (refused.status_code, codes(refused)) == (409, ["game_is_over"])
    delete_hand(night, 4)
    game.refresh_from_db()
    assert game.state == "playing"


def test_table_waits_for_as_many_sheets_as_its_round_has_boards() -> None:
    night = duplicate_night(hands=None)
    night.seat(1)
    assert night.enter(1, 1, 1, 1).status_code == 201
    night.play(1, tables=(2,))
    sheets = text_of(night.director.get(f"{E}/rounds/1/pile"))
    assert "1 of 4" in sheets
    assert "2 sheets of 3 to enter" in sheets
    assert "1 of 4 hands entered" in text_of(night.director.get(f"{E}/tables/r1t1/grid"))
    board = text_of(night.director.get(f"{E}/rounds/1/board"))
    assert "hand 2 of 4" in board
    assert "1 of 4 hands entered" in board
    assert night.enter(1, 1, 2, 2).status_code == 201
    assert "hand 3 of 4" in text_of(night.director.get(f"{E}/screen"))


def test_round_of_boards_is_planned_by_their_number() -> None:
    night = duplicate_night(hands=None)
    assert minutes_a_round(night.event) == 24
    Board.objects.update(round=None)
    assert minutes_a_round(night.event) == 48, "nothing says how many a table plays"


def test_table_goes_on_where_boards_belong_to_no_round() -> None:
    night = duplicate_night(hands=None, boards=4, per_round=0)
    night.seat(1)
    for hand in range(1, 5):
        assert night.enter(1, 1, hand, hand).status_code == 201
    assert Game.objects.get(table__code="r1t1").state == "playing"


def delete_hand(night: DuplicateNight, number: int) -> None:
    path = f"/api/v1{E}/tables/r1t1/hands/{number}/void"
    done = post_json(night.director, path, {"reason": "Entered at the wrong table."})
    assert done.status_code == 200, done.content
