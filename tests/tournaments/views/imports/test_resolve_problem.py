"""Settling what an import asks, in place: choose, say who it is, mend, dismiss."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.test import Client

from tests.support.builders import players
from tests.support.cast import Cast
from tests.support.fixtures import FOUR, cast_with
from tests.support.imports.imports import HEADS, hand_scores, imported, rows, written
from tests.support.imports.uploads import IMPORTS, send_file
from tests.support.pages.text import text_of
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Entry, Hand
from tournaments.models.imports import ImportBatch, ImportProblem, Upload
from tournaments.models.rounds import Round
from tournaments.services.imports.uploads import LARGEST

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
CAST = {"N": ",Alma D.", "E": ",Bruno K.", "S": ",Cleo S.", "W": ",Dario D."}


cast_once, cast = cast_with(*FOUR, "Emil E.")


def sent(client: Client, folder: Path, *hands: Iterable[str], heads: str = HEADS) -> str:
    return send_file(client, written(folder, *hands, heads=heads))


def settle(client: Client, address: str, code: str, **typed: str) -> str:
    one = ImportProblem.objects.filter(code=code, state="open").order_by("position")[0]
    response = client.post(f"{address}/problems/{one.position}", typed, follow=True)
    assert response.status_code in (200, 422), response.status_code
    return str(response.content.decode())


def open_codes() -> list[str]:
    return [
        problem.code for problem in ImportProblem.objects.filter(state="open").order_by("position")
    ]


def misspelt(folder: Path, client: Client) -> str:
    return sent(client, folder, rows(cast=CAST | {"S": ",Cleo  S"}), rows(2, cast=CAST))


def test_settled_problem_leads_to_the_next_that_waits(hanna: Client, tmp_path: Path) -> None:
    few = [rows(number, (3, 1, 2, 6), cast=CAST) for number in (1, 2, 3)]
    address = sent(hanna, tmp_path, *few)
    first, second, third = ImportProblem.objects.filter(state="open").order_by("position")
    ways = []
    for one in (second, third, first):
        typed = {"do": "dismiss", "reason": "It was not written down."}
        response = hanna.post(f"{address}/problems/{one.position}", typed)
        ways.append(response["Location"].removeprefix(address))
    assert ways == [f"#problem-{third.position}", f"#problem-{first.position}", ""]


def test_page_of_a_problem_goes_on_to_the_next_page(hanna: Client, tmp_path: Path) -> None:
    address = sent(hanna, tmp_path, *(rows(n, (3, 1, 2, 6), cast=CAST) for n in (1, 2)))
    first, second = ImportProblem.objects.filter(state="open").order_by("position")
    here, there = (f"{address}/problems/{one.position}" for one in (first, second))
    assert f'href="{there}"' in hanna.get(here).content.decode()
    gone = hanna.post(f"{here}?next", {"do": "dismiss", "reason": "It was not written down."})
    assert gone["Location"] == there
    assert f'href="{here}"' not in hanna.get(there).content.decode()


def test_findings_are_grouped_by_hand_and_filtered_by_kind(hanna: Client, tmp_path: Path) -> None:
    cast = CAST | {"S": ",Zeno Z."}
    address = sent(hanna, tmp_path, rows(1, (3, 1, 2, 6), cast=cast), rows(2, cast=cast))
    page = text_of(hanna.get(address))
    assert "All 2 Pending 2 Players 1 Sheets 1 Round 11, table 1 " in page
    assert page.index("Round 11, table 1 ") < page.index("Round 11, table 1, hand 1 ")
    assert "Round 11, table 1, hand 1" not in text_of(hanna.get(f"{address}?kind=players"))


def test_number_with_decimals_is_offered_without_them(hanna: Client, tmp_path: Path) -> None:
    hand = [row.replace(",1,N,", ",1.000,N,") for row in rows(1, cast=CAST)]
    address = sent(hanna, tmp_path, hand, rows(2, cast=CAST))
    assert "1.000 → 1" in text_of(hanna.get(address))
    settle(hanna, address, "bad_number", do="offer-0")
    assert open_codes() == []
    hanna.post(f"{address}/confirm")
    assert Hand.objects.count() == 2


class TestWho:
    """Somebody sat there whom the club does not know by what is written."""

    def test_likely_member_is_one_button(self, hanna: Client, tmp_path: Path) -> None:
        address = misspelt(tmp_path, hanna)
        assert "Cleo S is Cleo S." in text_of(hanna.get(address))
        problem = ImportProblem.objects.get(code="unknown_player")
        page = hanna.get(f"{address}/problems/{problem.position}").content.decode()
        people = re.findall(r'<option value="([^"]+)">', page)
        assert people == ["Cleo S.", "Emil E."], "the others sit at the table"
        page = settle(hanna, address, "unknown_player", do="offer-0")
        assert "Import 2 hands" in page
        hanna.post(f"{address}/confirm")
        assert {row[5] for row in hand_scores()} == {"RL01", "RL02", "RL03", "RL04"}

    def test_unknown_name_is_refused_and_stays_typed(self, hanna: Client, tmp_path: Path) -> None:
        address = misspelt(tmp_path, hanna)
        page = settle(hanna, address, "unknown_player", do="player", player="Zeno")
        assert 'value="Zeno"' in page
        assert "“Zeno” is not on the club&#x27;s list of players." in page
        assert open_codes() == ["unknown_player"]

    def test_each_likely_name_is_a_button(self, cast: Cast, hanna: Client, tmp_path: Path) -> None:
        players(cast.riverside, *[f"Member {n}" for n in range(6, 10)], "Emilia")
        address = misspelt(tmp_path, hanna)
        page = settle(hanna, address, "unknown_player", do="player", player="Emi")
        matches = re.findall(r'name="pick" value="([^"]+)"', page)
        assert matches == ["player=Emil E. (RL05)", "player=Emilia (RL10)"]
        assert open_codes() == ["unknown_player"]
        settle(hanna, address, "unknown_player", player="Emi", pick=matches[1])
        hanna.post(f"{address}/confirm")
        assert "RL10" in {row[5] for row in hand_scores()}

    def test_host_adds_a_guest_by_the_name_written(self, hanna: Client, tmp_path: Path) -> None:
        address = misspelt(tmp_path, hanna)
        problem = ImportProblem.objects.get(code="unknown_player")
        page = hanna.get(f"{address}/problems/{problem.position}").content.decode()
        assert 'value="Cleo S"' in page
        assert "Add as a guest" in page
        assert 'name="player_id"' not in page
        settle(hanna, address, "unknown_player", do="newcomer", name="Cleo Sommer")
        assert Player.objects.get(player_id="P0001").name == "Cleo Sommer"
        assert open_codes() == []
        assert AuditLine.objects.filter(act="add_guest").count() == 1

    def test_guest_of_an_event_that_ranks_guests_apart_is_none_of_its_members(
        self, hanna: Client, tmp_path: Path
    ) -> None:
        address = misspelt(tmp_path, hanna)
        event = ImportProblem.objects.get(code="unknown_player").batch.event
        Event.objects.filter(pk=event.pk).update(settings={**event.settings, "guests": "evening"})
        settle(hanna, address, "unknown_player", do="newcomer", name="Cleo Sommer")
        hanna.post(f"{address}/confirm")
        guests = Entrant.objects.filter(event=event, guest=True)
        assert [*guests.values_list("code", flat=True)] == ["P0001"]
        assert "P0001" in {row[5] for row in hand_scores()}

    @pytest.mark.parametrize(("written_id", "offered"), [("RL77", "RL77"), ("RL05", "")])
    def test_number_on_the_sheet_is_offered_for_somebody_new_where_it_is_free(
        self, cast: Cast, hanna: Client, tmp_path: Path, written_id: str, offered: str
    ) -> None:
        address = sent(hanna, tmp_path, rows(cast=CAST | {"S": f"{written_id},Cleo Sommer"}))
        problem = ImportProblem.objects.get(state="open")
        page = cast.client("dirk").get(f"{address}/problems/{problem.position}").content.decode()
        field = re.search(r'<input[^>]*name="player_id"[^>]*>', page)
        assert field
        value = re.search(r'value="([^"]*)"', field[0])
        assert (value[1] if value else "") == offered

    def test_file_without_a_column_of_numbers_gets_one(self, hanna: Client, tmp_path: Path) -> None:
        heads = "date,round,table,hand,seat,player,points"
        names = ("Alma D.", "Bruno K.", "Cleo Ess", "Dario D.")
        body = [
            f"2025-11-13,1,1,1,{seat},{name},{points}"
            for seat, name, points in zip("NESW", names, (4, 1, 2, 19), strict=True)
        ]
        address = sent(hanna, tmp_path, body, heads=heads)
        page = settle(hanna, address, "unknown_player", do="player", player="RL03")
        assert "Import 1 hand<" in re.sub(r"\s+<", "<", page)
        assert Upload.objects.get().added == ["player_id"]


class TestMoon:
    """A moon that nobody settled."""

    @pytest.mark.parametrize(("offer", "scores"), [(0, [-26, 0, 0, 0]), (1, [0, 26, 26, 26])])
    def test_settlement_is_chosen_for_counted_cards(
        self, hanna: Client, tmp_path: Path, offer: int, scores: list[int]
    ) -> None:
        address = sent(hanna, tmp_path, rows(1, (13, 0, 0, 0), "N"))
        texts = [one["text"] for one in ImportProblem.objects.get(code="choice_required").offers]
        assert texts == ["N: taken off that seat", "N: added to the others"]
        settle(hanna, address, "choice_required", do=f"offer-{offer}")
        hanna.post(f"{address}/confirm")
        assert [int(row[6]) for row in hand_scores()] == [
            scores["NESW".index(row[4])] for row in hand_scores()
        ]

    def test_settlement_is_chosen_for_bare_points(self, hanna: Client, tmp_path: Path) -> None:
        address = sent(hanna, tmp_path, rows(1, points=(0, 26, 0, 0)))
        assert open_codes() == ["choice_required"]
        settle(hanna, address, "choice_required", do="offer-0")
        assert open_codes() == []
        hanna.post(f"{address}/confirm")
        assert {row[4]: row[6] for row in hand_scores()} in (
            {"N": "0", "E": "-26", "S": "0", "W": "0"},
            {"N": "26", "E": "0", "S": "26", "W": "26"},
        )


class TestMend:
    """A row is mended as it was typed, and judged again."""

    def mended(self, client: Client, address: str, **cells: str) -> str:
        return settle(client, address, "missing_cards", do="mend", **cells)

    def test_correction_that_was_tried_is_one_button(self, hanna: Client, tmp_path: Path) -> None:
        address = sent(hanna, tmp_path, rows(1, (3, 1, 2, 6)))
        problem = ImportProblem.objects.get(code="missing_cards", state="open")
        page = hanna.get(f"{address}/problems/{problem.position}").content.decode()
        assert "Bruno B.: 2 instead of 1 (hearts)" in page or len(problem.offers) == 4, (
            problem.offers
        )
        assert len(problem.offers) == 4
        page = settle(hanna, address, "missing_cards", do="offer-2")
        assert "Import 1 hand<" in re.sub(r"\s+<", "<", page)
        hanna.post(f"{address}/confirm")
        assert sum(Entry.objects.get().typed["hearts"]) == 13

    def test_mend_that_does_not_help_says_why(self, hanna: Client, tmp_path: Path) -> None:
        address = sent(hanna, tmp_path, rows(1, (3, 1, 2, 6)))
        page = self.mended(hanna, address, **{"c-2-8": "5"})
        assert open_codes() == ["too_many_copies"] or "14" in page
        problem = ImportProblem.objects.get(state="open")
        assert 'value="5"' in hanna.get(f"{address}/problems/{problem.position}").content.decode()

    def test_mended_row_joins_its_batch_after_import(self, hanna: Client, tmp_path: Path) -> None:
        address = sent(hanna, tmp_path, rows(1), rows(2, (3, 1, 2, 6)))
        hanna.post(f"{address}/confirm")
        assert Round.objects.get().state == "playing"
        assert "2 hands imported" in self.mended(hanna, address, **{"c-6-8": "4"})
        assert Entry.objects.get(hand__number=2).typed["hearts"] == [4, 1, 2, 6]
        assert b",N,RL01,Alma D.,3," in bytes(Upload.objects.get().content)
        assert Hand.objects.count() == 2
        assert ImportBatch.objects.get().added == 2
        assert Round.objects.get().state == "closed"


class TestDismiss:
    """What is dismissed stays out, with a reason."""

    def test_reason_is_asked_for(self, hanna: Client, tmp_path: Path) -> None:
        page = settle(hanna, misspelt(tmp_path, hanna), "unknown_player", do="dismiss", reason="  ")
        assert "Enter a reason in one sentence." in page
        assert open_codes() == ["unknown_player"]

    def test_dismissed_before_import_it_stays_out(self, hanna: Client, tmp_path: Path) -> None:
        address = misspelt(tmp_path, hanna)
        settle(hanna, address, "unknown_player", do="dismiss", reason="A sheet of the juniors.")
        page = hanna.post(f"{address}/confirm", follow=True).content.decode()
        assert "A sheet of the juniors." in page
        assert "1 hand imported" in page
        assert list(Hand.objects.values_list("number", flat=True)) == [2]
        assert Round.objects.get().state == "closed"

    def test_dismissed_after_import_lets_a_round_close(self, hanna: Client, tmp_path: Path) -> None:
        imported(written(tmp_path, rows(1), rows(2, (3, 1, 2, 6))))
        assert Round.objects.get().state == "playing"
        settle(hanna, f"{IMPORTS}/1", "missing_cards", do="dismiss", reason="Never played.")
        assert Round.objects.get().state == "closed"
        assert AuditLine.objects.get(act="dismiss_problem").facts == {"code": "missing_cards"}

    def test_file_of_the_command_is_mended_on_the_page(self, hanna: Client, tmp_path: Path) -> None:
        imported(written(tmp_path, rows(1, (3, 1, 2, 6)), rows(2)))
        settle(hanna, f"{IMPORTS}/1", "missing_cards", **{"do": "mend", "c-2-8": "4"})
        assert open_codes() == []
        assert sorted(Hand.objects.values_list("number", flat=True)) == [1, 2]
        batch = ImportBatch.objects.get()
        assert (batch.made_as, batch.state, batch.added) == ("hanna", "done", 2)

    def test_file_of_the_command_without_problems_goes(self, event: Event, tmp_path: Path) -> None:
        imported(written(tmp_path, rows(1)))
        assert not Upload.objects.exists()

    @pytest.mark.tier_all
    def test_very_large_file_is_mended_where_it_lies(self, hanna: Client, tmp_path: Path) -> None:
        path = written(tmp_path, rows(1, (3, 1, 2, 6)))
        with path.open("ab") as file:
            file.write((b" " * 998 + b"\r\n") * (LARGEST // 1000 + 1))
        imported(path)
        page = settle(hanna, f"{IMPORTS}/1", "missing_cards", do="mend")
        assert "This file is not stored here" in page
