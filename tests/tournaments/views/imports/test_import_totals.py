"""Totals of whole games from a file on a page: looked through, resolved, brought in, undone."""

from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import league, players
from tests.support.cast import NOW, Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.uploads import IMPORTS, import_on_page, send_file
from tests.support.pages.text import text
from tournaments.models.hands import Hand
from tournaments.models.imports import ImportProblem
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HEADS = "date,round,table,player 1,score 1,player 2,score 2,player 3,score 3,player 4,score 4"
GAME = '3.11.2025,1,1,Alma D.,40,"K., Bruno",60,Cleo S.,70,Dario D.,90'
NEXT = "2025-11-04,2,1,Alma D.,40,Bruno K.,60,Cleopatra,70,Dario D.,90"
cast_once, cast = cast_with(*FOUR)


def send(client: Client, folder: Path, *lines: str, name: str = "totals.csv") -> str:
    path = folder / name
    path.write_text("\n".join(lines))
    return send_file(client, path, holds="totals")


def totals() -> list[tuple[str, int, object, int | None]]:
    hands = Hand.objects.select_related("entry").order_by("game__table__code")
    hands = hands.filter(number=0, state="accepted").select_related("game__table")
    return [
        (hand.game.table.code, hand.revision, hand.entry.typed["points"], hand.hands)
        for hand in hands
        if hand.entry is not None
    ]


def test_row_a_game_is_looked_at_and_brought_in(hanna: Client, tmp_path: Path) -> None:
    at = send(hanna, tmp_path, HEADS, GAME, NEXT)
    page = text(hanna.get(at))
    assert "Import 1 result " in page
    assert '"K., Bruno" is read as Bruno K.' in page
    assert 'Line 3: "Cleopatra" is not a player of the club.' in page
    assert totals() == []
    problem = ImportProblem.objects.get(code="unknown_player")
    who = {"do": "player", "player": "RL03"}
    page = text(hanna.post(f"{at}/problems/{problem.position}", who, follow=True))
    assert "Import 2 results" in page
    hanna.post(f"{at}/confirm")
    points = [40, 60, 70, 90]
    assert totals() == [("r1t1", 1, points, None), ("r2t1", 1, points, None)]
    hanna.post(f"{at}/undo")
    assert not Hand.objects.exists()


def test_row_a_player_without_id_is_a_game_of_its_table(hanna: Client, tmp_path: Path) -> None:
    rows = [f"1,1,{name},{points},8" for name, points in
            (("Bruno K.", 61), ("Alma D.", 40), ("Cleo S.", 69), ("Dario D.", 90))]  # fmt: skip
    hanna.post(f"{send(hanna, tmp_path, HEADS, GAME)}/confirm")
    at = send(hanna, tmp_path, "round,table,player,points,hands", *rows, name="later.csv")
    hanna.post(f"{at}/confirm")
    assert totals() == [("r1t1", 1, [40, 60, 70, 90], None)]
    problem = ImportProblem.objects.get(code="hand_exists")
    page = f"{at}/problems/{problem.position}"
    words = "Table 1, totals: the event already has this hand with different content."
    assert words in text(hanna.get(page))
    hanna.post(page, {"do": "use-file", "based_on": 1, "why": "As on paper."})
    assert totals() == [("r1t1", 2, [40, 61, 69, 90], 8)]
    hanna.post(f"{at}/undo")
    assert totals() == [("r1t1", 3, [40, 60, 70, 90], None)]


def test_same_file_brings_nothing_twice(hanna: Client, tmp_path: Path) -> None:
    for _ in range(2):
        at = send(hanna, tmp_path, HEADS, GAME)
        page = text(hanna.get(at))
        hanna.post(f"{at}/confirm")
        assert len(totals()) == 1
    assert "1 hand was already in the event." in page
    assert "This file has nothing new." in page


def test_game_of_a_file_without_rounds_is_asked_about_once(hanna: Client, tmp_path: Path) -> None:
    hanna.post(f"{send(hanna, tmp_path, HEADS, GAME)}/confirm")
    lines = (HEADS.replace("round,table,", ""), GAME.replace("1,1,", "", 1))
    at = send(hanna, tmp_path, *lines)
    hanna.post(f"{at}/confirm")
    assert len(totals()) == 1
    problem = ImportProblem.objects.get(code="sheet_elsewhere")
    hanna.post(f"{at}/problems/{problem.position}", {"do": "offer-1"})
    assert len(totals()) == 2


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("2025-11-05,3,1,Alma D.,1,200,Bruno K.,60,Cleo S.,70,Dario D.,90",
         "Line 4 has 12 cells, there are 11 heads. Is a comma in a number?"),
        ("2025-11-05,3,1,Alma D.,40,Bruno K.,60,Cleo S.,70",
         "Line 4 has 9 cells, there are 11 heads. Is the row cut short?"),
        ("2025-11-03,1,2,Alma D.,40,Emil,60,Frieda,70,Gero,90",
         "Alma D. (RL01) sits at tables 1 and 2 in round 1. Their sheets in the file are pending."),
        ("2025-11-05,3,1,Alma D.,40,Bruno K.,60,Cleo S.,70,Dario D.,9999999999",
         '"9999999999" is not a number of points.'),
    ],
)  # fmt: skip
def test_row_that_may_mean_something_else_waits_by_its_own_name(
    cast: Cast, hanna: Client, tmp_path: Path, row: str, says: str
) -> None:
    players(cast.riverside, "Emil", "Frieda", "Gero")
    at = send(hanna, tmp_path, HEADS, GAME, NEXT.replace("Cleopatra", "Cleo S."), row)
    page = text(hanna.get(at))
    assert says in page
    assert "is not a player of the club" not in page
    hanna.post(f"{at}/confirm")
    there = ["r2t1"] if "two tables" in page or "tables 1 and 2" in page else ["r1t1", "r2t1"]
    assert [total[0] for total in totals()] == there


def test_smaller_games_without_empty_cells_are_read(hanna: Client, tmp_path: Path) -> None:
    rows = [f"2025-11-05,{n},1,Alma D.,40,Bruno K.,60,Cleo S.,56" for n in (3, 4)]
    hanna.post(f"{send(hanna, tmp_path, HEADS, *rows)}/confirm")
    assert [total[0] for total in totals()] == ["r3t1", "r4t1"]


class TestAmongSheets:
    """Totals in a file of sheets, where `totals` stands for the number of a hand."""

    HEADS = "date,round,table,hand,seat,player,hearts,queen_spades,points,hands"
    PEOPLE = ("Alma D.", "Bruno K.", "Cleo S.", "Dario D.")

    def rows(self, word: str, points: tuple[int, ...], *, hands: str = "8") -> list[str]:
        seats = zip("NESW", self.PEOPLE, points, strict=True)
        return [f"2025-11-03,1,1,{word},{seat},{who},,,{n},{hands}" for seat, who, n in seats]

    def send(self, client: Client, folder: Path, *lines: str) -> str:
        path = folder / "sheets.csv"
        path.write_text("\n".join((self.HEADS, *lines)))
        return send_file(client, path)

    def test_export_has_them_and_brings_them_again(self, hanna: Client, tmp_path: Path) -> None:
        game = f"{GAME},10"
        hanna.post(f"{send(hanna, tmp_path, f'{HEADS},hands', game)}/confirm")
        there = [("r1t1", 1, [40, 60, 70, 90], 10)]
        assert totals() == there
        exported = hanna.get(f"{IMPORTS.removesuffix('imports')}sheets.csv").content.decode()
        heads, first, *_ = exported.split("\r\n")
        assert heads.endswith(",points,hands")
        assert first.startswith("2025-11-03,1,1,hearts,totals,N,RL01,Alma D.,")
        assert first.endswith(",40,10")
        path = tmp_path / "exported.csv"
        path.write_text(exported)
        assert "This file has nothing new." in text(hanna.get(send_file(hanna, path)))
        hanna.post(f"{IMPORTS}/1/undo")
        assert hanna.get(f"{IMPORTS}/1/undone-hands.csv").content.decode() == exported
        import_on_page(hanna, path)
        assert totals() == there

    def test_other_number_of_hands_is_a_conflict(self, hanna: Client, tmp_path: Path) -> None:
        points = (40, 60, 70, 90)
        hanna.post(f"{self.send(hanna, tmp_path, *self.rows('Totals', points))}/confirm")
        assert totals() == [("r1t1", 1, list(points), 8)]
        at = self.send(hanna, tmp_path, *self.rows("total", points, hands="10"))
        hanna.post(f"{at}/confirm")
        problem = ImportProblem.objects.get(code="hand_exists")
        page = f"{at}/problems/{problem.position}"
        hanna.post(page, {"do": "use-file", "based_on": 1, "why": "Ten of them."})
        assert totals() == [("r1t1", 2, list(points), 10)]

    def test_row_of_totals_below_hands_holds_none(self, hanna: Client, tmp_path: Path) -> None:
        hand = [
            f"2025-11-03,1,1,1,{seat},{who},{n},{int(seat == 'W')},,"
            for seat, who, n in zip("NESW", self.PEOPLE, (4, 1, 2, 6), strict=True)
        ]
        at = self.send(hanna, tmp_path, *hand, *self.rows("Total", (4, 1, 2, 19)))
        page = text(hanna.get(at))
        assert "Import 1 hand" in page
        assert 'the hand is written as "Total". A number from 1 to' in page

    @pytest.mark.parametrize(
        ("row", "says"),
        [
            (",,1,", "totals of a whole game are points only. Leave the other columns empty."),
            (",,1,1000", '"1000" is not a number of hands.'),
            (",,1,x", '"x" is not a number of hands. A number from 1 to 999 is expected.'),
        ],
    )
    def test_bad_total_waits(self, hanna: Client, tmp_path: Path, row: str, says: str) -> None:
        lines = self.rows("totals", (40, 60, 70, 90), hands=row.rpartition(",")[2] or "8")
        if row == ",,1,":
            lines[0] = lines[0].replace("Alma D.,,", "Alma D.,13,")
        page = text(hanna.get(self.send(hanna, tmp_path, *lines)))
        assert says in page
        assert "Import the" not in page


class TestRoundsByDate:
    """Totals with a date and no round: tables of one date are one round."""

    HEADS = HEADS.replace("round,", "")
    FIRST = "16.10.2025,1,Alma D.,40,Bruno K.,60,Cleo S.,70,Dario D.,90"
    OTHER = "16.10.2025,2,Egon T.,50,Flora U.,55,Greta V.,60,Hugo W.,69"
    LATER = "23.10.2025,1,Alma D.,45,Bruno K.,65,Cleo S.,75,Dario D.,101"

    @pytest.fixture(autouse=True)
    def _more_people(self, cast: Cast) -> None:
        players(cast.riverside, "Egon T.", "Flora U.", "Greta V.", "Hugo W.")

    def codes(self) -> list[str]:
        return [total[0] for total in totals()]

    def test_tables_of_one_date_are_said_to_be_a_round(self, hanna: Client, tmp_path: Path) -> None:
        at = send(hanna, tmp_path, self.HEADS, self.FIRST, self.OTHER)
        page = text(hanna.get(at))
        assert "2 results in the file: 2 ready, 0 pending." in page
        assert "The import makes 1 evening (16 Oct 2025), 2 tables, new round 1." in page
        hanna.post(f"{at}/confirm")
        assert self.codes() == ["r1t1", "r1t2"]
        assert "The import makes" not in text(hanna.get(at))
        again = send(hanna, tmp_path, self.HEADS, self.FIRST, self.OTHER, self.LATER, name="b.csv")
        page = text(hanna.get(again))
        assert "The import makes 1 evening (23 Oct 2025), 1 table, new round 2." in page
        assert "It adds to what the event has" not in page
        hanna.post(f"{again}/confirm")
        assert self.codes() == ["r1t1", "r1t2", "r2t1"]

    def test_tie_breaks_that_lose_their_effect_are_named_before_the_import(
        self, cast: Cast, hanna: Client, tmp_path: Path
    ) -> None:
        chain = ("wins", "index", "moons_shot", "moons_against", "lot")
        league(cast.riverside, slug="season", settings={"primary": "wins", "tie_breaks": chain})
        path = tmp_path / "totals.csv"
        path.write_text(f"{self.HEADS}\n{self.FIRST}\n")
        new = f"{IMPORTS}/new".replace("league", "season")
        with path.open("rb") as file:
            at = hanna.post(new, {"file": file, "holds": "totals"})["Location"]
        page = text(hanna.get(at))
        words = "the tie-breaks Index, Moons shot and Moons against have no effect"
        assert f"After this import {words}: the file has totals, no hands." in page
        outline = hanna.get(f"/api/v1{at}").json()["outline"]
        assert outline == {
            "evenings": ["2025-10-16"], "new_evenings": ["2025-10-16"], "tables": 1,
            "new_tables": 1, "new_rounds": [1], "rounds": [], "loses_places": False,
            "lost_tie_breaks": ["index", "moons_shot", "moons_against"],
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("primary", "hands", "is_warned"),
        [("raw_per_hand", "", True), ("raw_per_hand", "9", False), ("wins", "", False)],
    )
    def test_players_who_will_have_no_place_are_told_before_the_import(
        self, cast: Cast, hanna: Client, tmp_path: Path, primary: str, hands: str, is_warned: bool
    ) -> None:
        league(cast.riverside, slug="season", settings={"primary": primary})
        path = tmp_path / "totals.csv"
        path.write_text(f"{self.HEADS},hands\n{self.FIRST},{hands}\n")
        new = f"{IMPORTS}/new".replace("league", "season")
        with path.open("rb") as file:
            at = hanna.post(new, {"file": file, "holds": "totals"})["Location"]
        words = "After this import their players have no place."
        assert (words in text(hanna.get(at))) == is_warned
        outline = hanna.get(f"/api/v1{at}").json()["outline"]
        assert outline["loses_places"] == is_warned

    def test_later_table_joins_the_round_of_its_date(self, hanna: Client, tmp_path: Path) -> None:
        hanna.post(f"{send(hanna, tmp_path, self.HEADS, self.FIRST)}/confirm")
        at = send(hanna, tmp_path, self.HEADS, self.OTHER, name="other.csv")
        page = text(hanna.get(at))
        assert "The import makes 1 table." in page
        assert "It adds to what the event has: 1 evening (16 Oct 2025), round 1." in page
        assert "Tie-breaks without effect" not in page  # they have none already
        hanna.post(f"{at}/confirm")
        assert self.codes() == ["r1t1", "r1t2"]

    def test_second_game_on_a_date_is_the_next_round(self, hanna: Client, tmp_path: Path) -> None:
        second = "16.10.2025,1,Alma D.,45,Bruno K.,65,Egon T.,75,Dario D.,101"
        other = self.OTHER.replace("Egon T.", "Cleo S.")
        heads = self.HEADS.replace("table,", "")
        lines = [line.replace("5,1,", "5,", 1).replace("5,2,", "5,", 1)
                 for line in (self.FIRST, second, other)]  # fmt: skip
        hanna.post(f"{send(hanna, tmp_path, heads, *lines)}/confirm")
        assert self.codes() == ["r1t1", "r2t1", "r2t2"]

    def test_row_a_player_of_date_and_table_is_a_game(self, hanna: Client, tmp_path: Path) -> None:
        games = ((1, ("Alma D.", "Bruno K.", "Cleo S.")), (2, ("Egon T.", "Flora U.", "Greta V.")))
        rows = [f"2025-10-16,{table},{name},{25 + n}"
                for table, names in games for n, name in enumerate(names)]  # fmt: skip
        hanna.post(f"{send(hanna, tmp_path, 'date,table,player,points', *rows)}/confirm")
        assert self.codes() == ["r1t1", "r1t2"]

    def test_older_evening_that_comes_later_is_not_the_latest(
        self, cast: Cast, hanna: Client, tmp_path: Path
    ) -> None:
        for number, line in enumerate((self.LATER, self.FIRST)):
            at = send(hanna, tmp_path, self.HEADS, line, name=f"{number}.csv")
            hanna.post(f"{at}/confirm")
        assert self.codes() == ["r1t1", "r2t1"]
        publish(cast.riverside.events.get().pk, now=NOW)
        assert "Last tables, 23 Oct 2025" in text(hanna.get("/clubs/riverside"))
        own = text(hanna.get("/clubs/riverside/events/league/players/RL01"))
        assert own.index("1 23 Oct Table 1") < own.index("2 16 Oct Table 1")
