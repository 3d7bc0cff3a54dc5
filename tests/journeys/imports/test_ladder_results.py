"""`manage.py import_results`: the ladder's two hundred games, one of them corrected later."""

import csv
import json
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client

from scoring.errors import Refused
from tests.support.answers import Json
from tests.support.builders import by_tests, table
from tests.support.cast import NOW
from tests.support.commands import run_command
from tests.support.comparisons.scores import verify_scores
from tests.support.imports.imports import everything
from tests.support.scenarios.ladder_files import ladder_of_files
from tournaments.models.columns import exact
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.imports import ImportBatch, ImportProblem
from tournaments.models.rounds import Meeting, Round
from tournaments.models.standings import Contribution
from tournaments.policy import command
from tournaments.selectors.hands.game_for_update import game_now
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.events.events import create_event, move_event
from tournaments.services.hands.apply_game import apply_game
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.imports import import_results as services
from tournaments.services.imports.undo import request_undo, undo_steps
from tournaments.services.publishing.publications import publish
from tournaments.services.totals.contributions import game_values

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

TESTS = command("tests")
TARGET = ("--club", "riverside", "--event", "ladder")
HEADS = "entry_id,corrects,played_on,player_id,place,points"


run = partial(run_command, "import_results", *TARGET)


def report(*arguments: object) -> Json:
    found: dict[str, Any] = json.loads(run(*arguments, "--json")[1])
    return found


def said(*arguments: object) -> list[tuple[str, str, list[int]]]:
    return [
        (problem["code"], problem["class"], problem["lines"])
        for problem in report(*arguments)["problems"]
    ]


@pytest.fixture
def data(shared: Path) -> Path:
    return shared / "data" / "ladder"


@pytest.fixture
def results(data: Path) -> Path:
    return data / "results.csv"


@pytest.fixture
def event(data: Path) -> Event:
    return ladder_of_files(data)


def written(folder: Path, *lines: str, heads: str = HEADS) -> Path:
    path = folder / "more.csv"
    path.write_text("\n".join([heads, *lines]) + "\n", encoding="utf-8")
    return path


GAME = ("G1,,2025-01-07,L01,1,20", "G1,,2025-01-07,L02,2,30", "G1,,2025-01-07,L03,2,30",
        "G1,,2025-01-07,L04,4,50")  # fmt: skip


def totals(code: str) -> dict[str, int]:
    sheet = SeatScore.objects.filter(seat__table__code=code, entry__hand__number=0)
    rows = sheet.values_list("seat__sittings__player__player_id", "total")
    return {player: int(exact(total)) for player, total in rows}


def right_results(path: Path) -> dict[str, dict[str, int]]:
    """The games as if the right result had been there from the start."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[row["corrects"] or row["entry_id"]][row["player_id"]] = int(row["points"])
    return found


def test_results_become_games_of_their_own_in_the_order_typed(event: Event, results: Path) -> None:
    assert run(results) == (
        0,
        "results.csv: 804 rows, 201 results. 201 are in the event, 201 of them new.\n",
        "",
    )
    assert Game.objects.filter(event=event, state="complete").count() == 200
    assert Round.objects.filter(event=event, state="closed").count() == 200
    right = right_results(results)
    found = [totals(f"r{number}t1") for number in (1, 87, 140, 200)]
    assert found == [right["G001"], right["G087"], right["G140"], right["G200"]]
    hand = Hand.objects.get(game__table__code="r1t1")
    assert (hand.number, hand.hands, hand.state) == (0, None, "accepted")
    entry = Entry.objects.get(hand=hand)
    assert (entry.form, entry.verified, entry.key) == ("points", "typed", "result:G001")
    # A correction is a revision; the game keeps its date and place.
    corrected = Hand.objects.get(game__table__code="r87t1")
    revisions = corrected.entries.order_by("revision")
    assert list(revisions.values_list("revision", "key", "reason")) == [
        (1, "result:G087", ""), (2, "result:C001", "Result C001 corrects G087."),
    ]  # fmt: skip
    assert totals("r87t1") == {"L24": 34, "L30": 69, "L12": 81, "L29": 102}
    assert str(Meeting.objects.get(rounds__number=87, event=event).date) == "2025-03-18"
    before = everything()
    again = report(results)
    assert (again["hands"], again["accepted"], again["problems"]) == (201, 201, [])
    assert everything() == before


def test_standings_are_as_if_the_right_result_had_been_there(event: Event, results: Path) -> None:
    run(results)
    told = verify_scores(event)
    assert (told.games, told.hands, told.differences) == (200, 200, [])
    before = sums(event)
    games = Game.objects.filter(event=event).select_related("snapshot", "event", "table")
    for sample in games[80:90]:
        there = game_now(sample)
        played = apply_game(game=sample, stored=there)
        assert len(game_values(rules_of(sample.snapshot), played, there.sat, placement={})) == 4
    assert sums(event) == before
    beaten: dict[str, list[Fraction]] = defaultdict(list)
    for game in right_results(results).values():
        for player, own in game.items():
            worse = sum(1 for other in game.values() if other > own)
            level = sum(1 for other in game.values() if other == own) - 1
            beaten[player].append(Fraction(2 * worse + level, 6))
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    body = json.loads(bytes(publication.body))
    found = {row["player_id"]: row["values"]["beaten_mean"] for row in body["rows"]}
    assert found == {code: str(sum(all_) / len(all_)) for code, all_ in beaten.items()}
    assert {row["average_per_hand"] for row in body["rows"]} == {None}


def sums(event: Event) -> Sequence[tuple[object, ...]]:
    rows = Contribution.objects.filter(event=event).order_by("game__table__code", "entrant__code")
    return list(rows.values_list("game__table__code", "entrant__code", "points", "place", "hands"))


def test_every_problem_is_said_with_its_lines_others_go_in(event: Event, tmp_path: Path) -> None:
    path = written(
        tmp_path,
        *GAME,
        "G2,,2025-01-08,L01,1,20", "G2,,2025-01-08,L02,2,30", "G2,,2025-01-08,L99,3,40",
        "G3,,2025-01-08,L01,1,20", "G3,,2025-01-08,L02,2,3O", "G3,,2025-01-08,L03,3,",
        ",,2025-01-08,L01,1,20",
        "G4,,2025-01-08,L01,1,20", "G4,,2025-01-09,L02,2,30", "G4,,2025-01-08,L03,3,40",
        "G5,,2025-01-08,L01,1,20", "G5,,2025-01-08,L02,1,30", "G5,,2025-01-08,L03,3,40",
        "G6,,2025-01-08,L01,1,20", "G6,,2025-01-08,L02,2,30",
        "G7,,2025-02-30,L01,1,20", "G7,,2025-02-30,L02,2,30", "G7,,2025-02-30,L03,3,40",
        "G8,,2025-01-08,L01,1,20", "G8,,2025-01-08,L01,2,30", "G8,,2025-01-08,L03,3,40",
        "C9,G9,2025-01-08,L01,1,20", "C9,G9,2025-01-08,L02,2,30", "C9,G9,2025-01-08,L03,3,40",
        "C1,G1,2025-01-07,L01,1,10", "C1,G1,2025-01-07,L02,2,30", "C1,G1,2025-01-07,L03,2,30",
        "C1,G1,2025-01-07,L05,4,50",
        "G1,,2025-01-07,L01,1,20",
    )  # fmt: skip
    assert said(path) == [
        ("unknown_player", "ask", [8]),
        ("bad_points", "reject", [10]),
        ("bad_points", "reject", [11]),
        ("no_result_id", "reject", [12]),
        ("result_rows_disagree", "ask", [13, 14, 15]),
        ("place_disagrees", "ask", [17]),
        ("seat_count", "reject", [19, 20]),
        ("bad_date", "reject", [21, 22, 23]),
        ("same_player_twice", "ask", [24, 25, 26]),
        ("unknown_result", "ask", [27, 28, 29]),
        ("players_disagree", "ask", [30, 31, 32, 33]),
        ("duplicate_row", "skip", [34]),
    ]
    assert run(path)[0] == 1
    assert Game.objects.filter(event=event).count() == 1
    assert ImportProblem.objects.filter(event=event, state="open").count() == 11
    assert totals("r1t1") == {"L01": 20, "L02": 30, "L03": 30, "L04": 50}


def test_other_content_under_a_known_id_is_only_asked_about(event: Event, tmp_path: Path) -> None:
    run(written(tmp_path, *GAME))
    other = [line.replace(",1,20", ",1,21").replace(",50", ",49") for line in GAME]
    path = written(tmp_path, *other)
    assert said(path) == [("result_exists", "ask", [2, 3, 4, 5])]
    assert totals("r1t1")["L01"] == 20
    correction = [line.replace("G1,,", "C1,G1,") for line in other]
    again = [
        line.replace("C1,G1,", "C2,C1,").replace(",1,21", ",1,22").replace(",49", ",48")
        for line in correction
    ]
    path = written(tmp_path, *GAME, *correction, *again)
    assert run(path)[0] == 0
    assert totals("r1t1")["L01"] == 22
    before = everything()
    assert run(path)[0] == 0
    assert (totals("r1t1")["L01"], everything()) == (22, before)


def test_correction_is_of_the_game_of_its_own_event(event: Event, tmp_path: Path) -> None:
    other = create_event(by_tests(), event.club, slug="other", name="Other", variant="hearts")
    table(move_event(by_tests(), other, to="open"), list(event.club.players.all()[:4]))
    correction = [line.replace("G1,,", "C1,G1,") for line in GAME]
    corrected = [line.replace(",1,20", ",1,21").replace(",50", ",49") for line in correction]
    assert run(written(tmp_path, *GAME, *corrected))[0] == 0
    assert Hand.objects.get(game__event=event).revision == 2
    assert not Hand.objects.filter(game__event=other).exists()


def test_rows_that_disagree_are_named_with_what_each_has(event: Event, tmp_path: Path) -> None:
    lines = [f"{line},{hands}" for line, hands in zip(GAME, ("5", "5", "", ""), strict=True)]
    problems = report(written(tmp_path, *lines, heads=f"{HEADS},hands"))["problems"]
    (message,) = [each["message"] for each in problems if each["code"] == "result_rows_disagree"]
    assert "the rows of G1 do not agree: 5 and nothing." in message


def test_rows_of_one_date_and_table_are_one_game_without_ids(event: Event, tmp_path: Path) -> None:
    lines = [
        f"2025-01-07,{table_number},L0{seat},{points}"
        for table_number, seats in ((1, (1, 2, 3, 4)), (2, (5, 6, 7, 8)))
        for seat, points in zip(seats, (20, 30, 30, 50), strict=True)
    ]
    path = written(tmp_path, *lines, heads="played_on,table,player_id,points")
    assert run(path)[0] == 0
    assert Game.objects.filter(event=event).count() == 2


def test_totals_stand_alone_in_their_game(event: Event, tmp_path: Path) -> None:
    run(written(tmp_path, *GAME))
    game = Game.objects.get(table__code="r1t1")
    before = everything()
    with pytest.raises(Refused) as refused:
        record_entry(
            by_tests(), game, number=1, source="host",
            entry={"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]},
        )  # fmt: skip
    assert [problem.code for problem in refused.value.problems] == ["totals_alone"]
    with pytest.raises(Refused) as refused:
        record_entry(
            by_tests(), game, number=0, source="host", based_on=1, reason="typed",
            entry={"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]},
        )  # fmt: skip
    assert [problem.code for problem in refused.value.problems] == ["points_needed"]
    assert everything() == before


def test_number_of_hands_is_kept_where_it_is_written(event: Event, tmp_path: Path) -> None:
    assert run(written(tmp_path, *(f"{line},5" for line in GAME), heads=f"{HEADS},hands"))[0] == 0
    assert Hand.objects.get(game__event=event).hands == 5
    assert set(Contribution.objects.filter(event=event).values_list("hands", flat=True)) == {5}


@pytest.mark.parametrize(
    ("hands", "seat", "points"),
    [("5", ",1,20", ",1,21"), ("6", ",1,20", ",1,20"), ("", ",4,50", ",4,51")],
)
def test_totals_that_no_hands_make_are_asked_about(
    event: Event, tmp_path: Path, hands: str, seat: str, points: str
) -> None:
    lines = [f"{line.replace(seat, points)},{hands}" for line in GAME]
    told = said(written(tmp_path, *lines, heads=f"{HEADS},hands"))
    assert [code for code, _, _ in told] == ["impossible_totals"]
    assert not Hand.objects.filter(game__event=event).exists()


def test_event_ranked_by_points_a_hand_ranks_nobody(data: Path, tmp_path: Path) -> None:
    event = ladder_of_files(data, primary="raw_per_hand")
    assert said(written(tmp_path, *GAME)) == [("hands_unknown", "accept-note", [1])]
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    body = json.loads(bytes(publication.body))
    assert (body["rows"], [row["rank"] for row in body["provisional_rows"]]) == ([], [None] * 4)


def test_undone_results_come_back_when_imported_again(event: Event, tmp_path: Path) -> None:
    other = [line.replace(",1,20", ",1,21").replace(",50", ",49") for line in GAME]
    correction = [line.replace("G1,,", "C1,G1,") for line in other]
    path = written(tmp_path, *GAME, *correction)
    run(path)
    batch = ImportBatch.objects.get(event=event)
    request_undo(by_tests(), batch)
    for _ in undo_steps(batch, now=NOW):
        pass
    assert not Hand.objects.filter(game__event=event).exists()
    assert run(path)[0] == 0
    assert totals("r1t1")["L01"] == 21
    hand = Hand.objects.get(game__event=event)
    assert (hand.state, hand.revision) == ("accepted", 2)
    before = everything()
    assert run(path)[0] == 0
    assert everything() == before


def test_sheet_of_totals_opens(event: Event, tmp_path: Path, client: Client) -> None:
    run(written(tmp_path, *GAME))
    sheet = table_sheet(event, "r1t1")
    assert [(finish.total, finish.place) for finish in sheet.finishes] == [
        (20, 1),
        (30, 2),
        (30, 2),
        (50, 4),
    ]
    base = "/clubs/riverside/events/ladder/tables/r1t1"
    assert client.get(base).status_code == 200
    assert client.get(f"{base}/hands/0").status_code == 200
    assert client.get(f"/api/v1{base}/hands").status_code == 200


def test_closed_event_takes_no_results(event: Event, tmp_path: Path) -> None:
    move_event(by_tests(), event, to="closed")
    before = everything()
    status, _, err = run(written(tmp_path, *GAME))
    assert (status, everything()) == (2, before)
    assert "The event is not open: closed." in err


@pytest.mark.parametrize(
    ("heads", "line", "reason"),
    [
        ("entry_id,place", "G1,1", "No column for Player name or player id; Points."),
        (HEADS, "", "but no rows."),
    ],
)
def test_file_that_is_no_list_of_results_ends_with_2(
    event: Event, tmp_path: Path, heads: str, line: str, reason: str
) -> None:
    before = everything()
    status, _, err = run(written(tmp_path, line, heads=heads))
    assert (status, everything()) == (2, before)
    assert reason in err


class Deadlock(Exception):
    sqlstate = "40P01"


@pytest.mark.django_db(transaction=True)
def test_results_that_a_deadlock_ended_are_taken_once_more(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = ladder_of_files(data)
    corrected = [
        line.replace("G1,,", "G2,G1,").replace("1,20", "1,10").replace("4,50", "4,60")
        for line in GAME
    ]
    path = written(tmp_path, *GAME, *corrected)
    tries: list[int] = []

    def deadlocked(*on: Any, **facts: Any) -> Any:
        tries.append(Hand.objects.count())
        if len(tries) == 1:
            raise OperationalError("deadlock detected") from Deadlock()
        return record_entry(*on, **facts)

    monkeypatch.setattr(services, "record_entry", deadlocked)
    found = "more.csv: 8 rows, 2 results. 2 are in the event, 2 of them new.\n"
    assert run(path) == (0, found, "")
    assert tries == [1, 1]
    assert [hand.revision for hand in Hand.objects.filter(game__event=event)] == [2]
    assert ImportBatch.objects.count() == 1
