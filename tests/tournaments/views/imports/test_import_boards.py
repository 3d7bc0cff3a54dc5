"""Files of boards and of pairs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.support.answers import Answer, post_json, text
from tests.support.builders import Cast, by_tests, league, link, players
from tests.support.imports.imports import imported, written
from tests.support.imports.uploads import IMPORTS, import_on_page, post_file, send_file
from tests.support.scenarios.duplicate_nights import ROUNDS, DuplicateNight, E, duplicate_night
from tournaments.documents.sheet_files import sheet_lines
from tournaments.models.boards import Deal
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportProblem
from tournaments.models.numbers import exact
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Aggregate
from tournaments.services.boards import deal_boards
from tournaments.services.events.entrants import add_entrant

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HEADS = "round,table,hand,Brett,seat,player_id,hearts,queen_spades"


@pytest.fixture
def night(db: None) -> DuplicateNight:
    return duplicate_night()


def hand(
    night: DuplicateNight,
    number: int,
    board: object,
    *,
    round_: int = 1,
    table: int = 1,
    seats: Sequence[int] = (),
    hearts: Sequence[int] = (4, 1, 2, 6),
) -> list[str]:
    """The rows of a hand; the board is in the row of N alone."""
    people = [night.codes[one - 1] for one in seats or ROUNDS[round_ - 1][table - 1]]
    return [
        f"{round_},{table},{number},{'' if at else board},{'NESW'[at]},{code},{taken},{at // 3}"
        for at, (code, taken) in enumerate(zip(people, hearts, strict=True))
    ]


def codes(folder: Path, *hands: Sequence[str], heads: str = HEADS) -> list[str]:
    return [one.code for one in imported(written(folder, *hands, heads=heads)).problems]


def boards() -> list[tuple[str, int, int | None]]:
    found = Hand.objects.order_by("game__table__code", "number")
    return [
        (code, number, board)
        for code, number, board in found.values_list("game__table__code", "number", "board__number")
    ]


def test_boards_of_a_file_come_back_from_its_export(night: DuplicateNight, tmp_path: Path) -> None:
    first = [hand(night, 1, 2), hand(night, 2, 1), hand(night, 1, 2, table=2)]
    assert codes(tmp_path, *first) == []
    assert boards() == [("r1t1", 1, 2), ("r1t1", 2, 1), ("r1t2", 1, 2)]
    # An existing table takes a further hand, and the same hands are no others.
    assert codes(tmp_path, *first, hand(night, 3, 4)) == []
    assert boards()[2] == ("r1t1", 3, 4)
    lines = list(sheet_lines(night.event))
    assert lines[0].startswith("date,round,table,variant,hand,board,seat,")
    path = tmp_path / "export.csv"
    path.write_bytes("".join(lines).encode())
    again = imported(path)
    assert ([*again.problems], again.accepted, again.added) == ([], 4, 0)
    other = league(night.cast.riverside, slug="other", settings=night.event.settings)
    deal_boards(by_tests(), other, count=12, seed="another", boards_per_round=4)
    assert imported(path, event="other").added == 4
    assert list(sheet_lines(other)) == lines


@pytest.mark.parametrize(
    ("second", "code"),
    [
        ({"board": ""}, "board_needed"),
        ({"board": "two"}, "bad_board"),
        ({"board": 99}, "no_such_board"),
        ({"board": 5}, "board_of_another_round"),
        ({"board": 1}, "board_played_at_table"),
        ({"board": 1, "number": 1, "table": 2}, ""),
    ],
)
def test_board_that_cannot_be_is_said_and_the_other_hand_goes_in(
    night: DuplicateNight, tmp_path: Path, second: dict[str, object], code: str
) -> None:
    facts: dict[str, Any] = {"number": 2, **second}
    report = imported(written(tmp_path, hand(night, 1, 1), hand(night, **facts), heads=HEADS))
    assert [one.code for one in report.problems] == ([code] if code else [])
    assert Hand.objects.count() == (1 if code else 2)


def test_player_plays_a_board_once_in_a_file_and_beside_the_event(
    night: DuplicateNight, tmp_path: Path
) -> None:
    deal_boards(by_tests(), night.event, count=1, seed="m", boards_per_round=0)
    night.seat(1)
    assert night.enter(1, 1, 1, 13).status_code == 201
    assert codes(tmp_path, hand(night, 1, 13, round_=2)) == ["board_played_by_player"]
    assert ImportProblem.objects.get().message.endswith("Nobody plays a board twice.")
    two = [hand(night, 1, 13, table=2), hand(night, 1, 13, round_=2, table=3)]
    assert codes(tmp_path, *two) == ["board_played_by_player"]
    assert Hand.objects.filter(board__number=13).count() == 2


def test_player_who_printed_the_deals_is_found_in_a_file(
    night: DuplicateNight, tmp_path: Path
) -> None:
    body = {"commitment": Deal.objects.get().commitment}
    assert post_json(night.director, f"{E}/boards/print", body).status_code == 201
    link(Player.objects.get(player_id=night.codes[2]), night.cast.users["dirk"])
    assert codes(tmp_path, hand(night, 1, 1), hand(night, 1, 1, table=2)) == [
        "board_known_to_player"
    ]
    assert boards() == [("r1t2", 1, 1)]


def test_ordinary_event_ignores_the_column(night: DuplicateNight, tmp_path: Path) -> None:
    night.event.settings["duplicate"] = False
    night.event.save()
    assert codes(tmp_path, hand(night, 1, 99)) == ["unknown_column"]
    assert boards() == [("r1t1", 1, None)]


def test_board_is_corrected_on_the_page(night: DuplicateNight, tmp_path: Path) -> None:
    path = written(tmp_path, hand(night, 1, 1), hand(night, 2, 7), heads=HEADS)
    address = send_file(night.host, path)
    problem = ImportProblem.objects.get()
    assert (problem.code, problem.lines) == ("board_of_another_round", [6, 7, 8, 9])
    page = night.host.get(f"{address}/problems/{problem.position}").content.decode()
    assert "board 7 belongs to round 2" in page
    night.host.post(f"{address}/problems/{problem.position}", {"do": "mend", "c-6-3": "3"})
    night.host.post(f"{address}/confirm")
    assert boards() == [("r1t1", 1, 1), ("r1t1", 2, 3)]


def test_other_board_in_a_file_is_a_conflict_and_its_undoing_brings_the_first_back(
    night: DuplicateNight, tmp_path: Path
) -> None:
    night.seat(1)
    assert codes(tmp_path, hand(night, 1, 1)) == []
    path = written(tmp_path, hand(night, 1, 2), heads=HEADS, name="other.csv")
    address = import_on_page(night.host, path)
    problem = ImportProblem.objects.get()
    assert (problem.code, problem.found, problem.expected) == ("hand_exists", "board 2", "board 1")
    page = text(night.director.get(f"{address}/problems/{problem.position}"))
    assert "Board 1" in page
    assert "Board 2 (differs)" in page
    typed = {"do": "use-file", "based_on": 1, "why": "The slip says board 2."}
    night.director.post(f"{address}/problems/{problem.position}", typed)
    assert boards() == [("r1t1", 1, 2)]
    night.director.post(f"{address}/undo", {"why": "The wrong slip."})
    assert boards() == [("r1t1", 1, 1)]


def test_file_without_a_column_for_boards_has_one_problem(
    night: DuplicateNight, tmp_path: Path
) -> None:
    heads = HEADS.replace("Brett,", "")
    hands = [
        [",".join(one.split(",")[:3] + one.split(",")[4:]) for one in hand(night, number, 1)]
        for number in (1, 2, 3)
    ]
    report = imported(written(tmp_path, *hands, heads=heads))
    (only,) = report.problems
    assert (only.code, only.found, len(only.spot.lines)) == ("board_column_missing", "3", 12)
    assert "has no column for the board. 3 hands need one" in only.message
    assert len(only.rows) == 12
    assert (report.added, Hand.objects.count()) == (0, 0)


SHEET = "date,round,table,hand,seat,player,hearts,queen_spades"
SPLIT = "Table 1: Anna (RL01) and Cleo (RL03) are not a pair. If you seat them anyway"


@pytest.fixture
def event(cast: Cast) -> Event:
    """Anna and Bob are the Aces, Cleo and Dirk a pair without a name; one score a side."""
    made = league(cast.riverside, variant="partnership-hearts-pooled")
    people = players(cast.riverside, "Anna", "Bob", "Cleo", "Dirk")
    for at, name in ((0, "Aces"), (2, "")):
        add_entrant(by_tests(), made, kind="pair", players=people[at : at + 2], name=name)
    return made


def send(client: Client, folder: Path, *lines: str, holds: str = "hands") -> Answer:
    path = folder / "night.csv"
    path.write_text("\n".join(lines))
    return post_file(client, path, holds=holds)


def text_in_csv(client: Client, address: str) -> list[str]:
    return list(client.get(address).content.decode().splitlines())


def brought(client: Client, folder: Path, *lines: str) -> str:
    at = str(send(client, folder, *lines, holds="totals")["Location"])
    client.post(f"{at}/confirm")
    return at


def totals() -> list[tuple[str, int, object, int | None]]:
    rows = Hand.objects.filter(number=0, state="accepted").order_by("game__table__code")
    return list(rows.values_list("game__table__code", "revision", "entry__typed__points", "hands"))


def seated() -> list[str]:
    rows = Sitting.objects.filter(seat__table__code="r1t1").order_by("seat__number")
    return [row.player.name for row in rows.select_related("player")]


def points() -> dict[str, object]:
    rows = Aggregate.objects.filter(games__gt=0)
    return {str(code): exact(value) for code, value in rows.values_list("entrant__code", "points")}


def hand_rows(*seats: str) -> list[str]:
    cells = zip("NESW", seats, ("4,0", "1,0", "2,0", "6,1"), strict=True)
    return [f"2025-11-03,1,1,1,{seat},{who},{n}" for seat, who, n in cells]


FORMS = [
    ["date,round,table,pair 1,score 1,pair 2,score 2,hands",
     "2025-11-03,1,1,aces,40,Cleo & Dirk,90,9"],
    ["date,round,table,side 1,score 1,side 2,score 2,hands",
     "2025-11-03,1,1,Bob & Anna,40,pair-2,90,9"],
    ["date,round,table,pair_id,points,hands",
     "2025-11-03,1,1,pair-1,40,9", "2025-11-03,1,1,pair-2,90,9"],
    ["date,round,table,player,points,hands", "2025-11-03,1,1,Anna,40,9",
     "2025-11-03,1,1,Bob,40,9", "2025-11-03,1,1,Cleo,90,9", "2025-11-03,1,1,Dirk,90,9"],
    ["date,round,table,player 1,score 1,player 2,score 2,player 3,score 3,player 4,score 4,hands",
     "2025-11-03,1,1,Anna,40,Cleo,90,Bob,40,Dirk,90,9"],
]  # fmt: skip


@pytest.mark.parametrize("lines", FORMS, ids=["pairs", "names", "rows", "players", "game"])
def test_totals_are_read_by_side(hanna: Client, tmp_path: Path, lines: list[str]) -> None:
    at = brought(hanna, tmp_path, *lines)
    assert totals() == [("r1t1", 1, [40, 90], 9)], text(hanna.get(at))
    assert {seated()[0], seated()[2]} == {"Anna", "Bob"}
    assert points() == {"pair-1": 40, "pair-2": 90}
    again = text(hanna.get(str(send(hanna, tmp_path, *lines, holds="totals")["Location"])))
    assert "This file has nothing new." in again


def test_conflict_of_totals_shows_what_differs_side_by_side(hanna: Client, tmp_path: Path) -> None:
    brought(hanna, tmp_path, *FORMS[0])
    at = brought(hanna, tmp_path, FORMS[0][0], FORMS[0][1].replace(",40,", ",66,") + "0")
    problem = ImportProblem.objects.get(code="hand_exists")
    page = hanna.get(f"{at}/problems/{problem.position}").content.decode()
    own = text(hanna.get(f"{at}/problems/{problem.position}")).partition("In the file")[2]
    assert "Anna & Bob points only: 66 (differs) +66 (differs) Cleo & Dirk points only: 90" in own
    assert "Hands played 90 (differs)" in own
    assert "nothing" not in page.partition('id="infile"')[2]


def test_correction_names_the_result_and_keeps_the_sides(
    cast: Cast, event: Event, tmp_path: Path
) -> None:
    dirk = cast.client("dirk")
    heads = "entry_id,corrects,played_on,pair,points"
    game = ["G1,,2025-11-03,Aces,40", "G1,,2025-11-03,pair-2,90"]
    brought(dirk, tmp_path, heads, *game)
    fixed = ["G2,G1,2025-11-03,pair-2,92", "G2,G1,2025-11-03,Aces,38"]
    at = brought(cast.client("hanna"), tmp_path, heads, *game, *fixed)
    assert "corrects a game of a closed round. A director may" in text(dirk.get(at))
    at = brought(dirk, tmp_path, heads, *game, *fixed)
    assert totals() == [("r1t1", 2, [38, 92], None)], text(dirk.get(at))


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([*FORMS[4][:1], "2025-11-03,1,1,Anna,40,Cleo,90,Bob,41,Dirk,90,9"],
         "Line 2: partners have one score, but the file has 40 and 41. Name the pair"),
        ([*FORMS[0][:1], "2025-11-03,1,1,Acers,40,pair-2,90,9"],
         "“Acers” is not a pair of this event."),
        ([*FORMS[4][:1], "2025-11-03,1,1,Anna,40,Bob,90,Cleo,40,Dirk,90,9"],
         "Line 2: partners have one score, but the file has 40 and 90. Name the pair"),
    ],
)  # fmt: skip
def test_totals_that_no_side_can_have_wait(
    hanna: Client, tmp_path: Path, lines: list[str], says: str
) -> None:
    at = send(hanna, tmp_path, *lines, holds="totals")["Location"]
    page = text(hanna.get(at))
    assert says in page
    assert "Import 1 result" not in page


def test_pairs_in_a_file_of_single_scores_are_refused_with_what_to_do(
    cast: Cast, tmp_path: Path
) -> None:
    league(cast.riverside, variant="hearts")
    page = send(cast.client("hanna"), tmp_path, *FORMS[0], holds="totals")
    assert page.status_code == 422
    assert "is scored by player. Name a player in each row, not a pair." in text(page)


def test_partners_who_are_no_pair_are_asked_about_and_seated_as_written(
    hanna: Client, tmp_path: Path
) -> None:
    lines = [SHEET, *hand_rows("Anna", "Bob", "Cleo", "Dirk")]
    at = str(send(hanna, tmp_path, *lines)["Location"])
    page = text(hanna.get(at))
    assert SPLIT in page
    assert "Seat them as written" in page
    assert "Import the" not in page
    problem = ImportProblem.objects.filter(code="side_of_two_pairs").earliest("position")
    hanna.post(f"{at}/problems/{problem.position}", {"do": "offer-0"})
    page = text(hanna.get(at))
    assert "Import 1 hand" in page
    hanna.post(f"{at}/confirm")
    assert seated() == ["Anna", "Bob", "Cleo", "Dirk"]
    assert points() == {}
    again = text(hanna.get(str(send(hanna, tmp_path, *lines)["Location"])))
    assert "This file has nothing new." in again, "seated people are not asked about"
    exported = text_in_csv(hanna, f"{IMPORTS.removesuffix('/imports')}/sheets.csv")
    hanna.post(f"{at}/undo")
    for lines in (exported, text_in_csv(hanna, f"{at}/undone-hands.csv")):
        page = text(hanna.get(str(send(hanna, tmp_path, *lines)["Location"])))
        assert "Import 1 hand" in page, "neither does the file that was exported"


def test_pairs_as_they_are_and_a_file_that_says_so_are_not_asked_about(
    hanna: Client, tmp_path: Path
) -> None:
    whole = [SHEET, *hand_rows("Anna", "Cleo", "Bob", "Dirk")]
    assert "Import 1 hand" in text(hanna.get(send(hanna, tmp_path, *whole)["Location"]))
    split = [f"{row},{'As written' if row.startswith('2025-11-03,1,1,1,N') else ''}"
             for row in hand_rows("Anna", "Bob", "Cleo", "Dirk")]  # fmt: skip
    page = text(hanna.get(send(hanna, tmp_path, f"{SHEET},sides", *split)["Location"]))
    assert "Import 1 hand" in page
