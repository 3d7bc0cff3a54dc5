"""Files of hands and of totals for an event of pairs: one score a side, and who plays with whom."""

from pathlib import Path

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, league, players
from tests.support.cast import Cast
from tests.support.imports.uploads import IMPORTS, post_file
from tests.support.pages.text import text
from tournaments.models.columns import exact
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportProblem
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Aggregate
from tournaments.services.events.entrants import add_entrant

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


def hand(*seats: str) -> list[str]:
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


def test_correction_keeps_the_sides(cast: Cast, event: Event, tmp_path: Path, dirk: Client) -> None:
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
def test_impossible_totals_wait(hanna: Client, tmp_path: Path, lines: list[str], says: str) -> None:
    at = send(hanna, tmp_path, *lines, holds="totals")["Location"]
    page = text(hanna.get(at))
    assert says in page
    assert "Import 1 result" not in page


def test_pairs_in_a_file_of_single_scores_are_told_what_to_do(cast: Cast, tmp_path: Path) -> None:
    league(cast.riverside, variant="hearts")
    page = send(cast.client("hanna"), tmp_path, *FORMS[0], holds="totals")
    assert page.status_code == 422
    assert "is scored by player. Name a player in each row, not a pair." in text(page)


def test_partners_who_are_no_pair_are_asked_about_and_seated(hanna: Client, tmp_path: Path) -> None:
    lines = [SHEET, *hand("Anna", "Bob", "Cleo", "Dirk")]
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


def test_known_pairs_and_a_file_saying_so_are_not_asked(hanna: Client, tmp_path: Path) -> None:
    whole = [SHEET, *hand("Anna", "Cleo", "Bob", "Dirk")]
    assert "Import 1 hand" in text(hanna.get(send(hanna, tmp_path, *whole)["Location"]))
    split = [f"{row},{'As written' if row.startswith('2025-11-03,1,1,1,N') else ''}"
             for row in hand("Anna", "Bob", "Cleo", "Dirk")]  # fmt: skip
    page = text(hanna.get(send(hanna, tmp_path, f"{SHEET},sides", *split)["Location"]))
    assert "Import 1 hand" in page
