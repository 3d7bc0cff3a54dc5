"""A5: partnership night, both methods: pooled tricks by side, then individual scores in pairs."""

import csv
import json
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest

from tests.support.cast import NOW, Cast
from tests.support.imports.imports import imported, said
from tournaments.models.columns import exact
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, SeatScore
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Contribution, Publication
from tournaments.policy import command
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.services.events.events import create_event, move_event
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.imports.player_lists import import_players
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish

POOLED = "partnership-hearts-pooled"
INDIVIDUAL = "partnership-hearts-individual"
Rows = list[dict[str, str]]


def read(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def night(shared: Path) -> Path:
    return shared / "data" / "partnership_night"


@pytest.fixture
def event(cast: Cast, night: Path) -> Event:
    """The event `pairs` with its eight pairs; wins first, then the difference of points."""
    tests = command("tests")
    event = create_event(
        Operation(tests, NOW), cast.riverside, slug="pairs", name="Partnership night",
        variant=POOLED,
        settings={"length": "open", "primary": "wins", "tie_breaks": ["difference"]},
    )  # fmt: skip
    event = move_event(Operation(tests, NOW), event, to="open")
    path = night / "pairs.csv"
    import_players(
        Operation(tests, NOW), cast.riverside, event, path=path, name=path.name, dry_run=False
    )
    return event


def bring(night: Path) -> tuple[Report, Report]:
    return (
        imported(night / "sheets_partnership1.csv", event="pairs", day=date(2025, 10, 2)),
        imported(
            night / "sheets_partnership2.csv",
            event="pairs",
            day=date(2025, 10, 2),
            variant=INDIVIDUAL,
        ),
    )


def table_of(event: Event) -> list[dict[str, str]]:
    """The published standings in the columns of `pairs_table.csv`."""
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    return [
        {
            "rank": str(row["rank"]),
            "pair_id": row["player_id"],
            "played": str(row["tables"]),
            "won": str(row["wins"] - row["shared_wins"]),
            "lost": str(row["second"]),
            "drawn": str(row["shared_wins"]),
            "points_taken": str(row["points"]),
            "points_opponents": str(row["points"] - row["difference"]),
            "difference": str(row["difference"]),
        }
        for row in json.loads(bytes(publication.body))["rows"]
    ]


def finals(game: Game) -> dict[int, int]:
    last = max(game.hands.values_list("number", flat=True))
    scores = SeatScore.objects.filter(entry__hand__game=game, entry__hand__number=last)
    return {
        number: int(exact(total)) for number, total in scores.values_list("seat__number", "total")
    }


def games(event: Event, rounds: Iterable[int]) -> list[Game]:
    found = Game.objects.filter(event=event, table__round__number__in=rounds)
    return list(found.order_by("table__round__number", "table__number"))


def pairs_of(game: Game) -> tuple[str, str]:
    sittings = Sitting.objects.filter(seat__table=game.table_id).values_list(
        "seat__number", "player__entries_in_events__entrant__code"
    )
    codes = dict(sittings)
    return codes[1], codes[2]


def winner_of(game: Game) -> str:
    return Contribution.objects.get(game=game, place=1).entrant.code


def test_files_of_the_night_go_in_whole(event: Event, night: Path) -> None:
    pooled, individual = bring(night)
    assert (pooled.hands, pooled.accepted) == (100, 100)
    assert (individual.hands, individual.accepted) == (147, 147)
    notes = {code for code, _outcome, _lines in (*said(pooled), *said(individual))}
    assert notes <= {"hand_repeated"}, "two hands of pairs may well have the same points"
    assert _pooled_hands() == read(night / "expected" / "partnership1_hands.csv")
    assert _pooled_games(event) == read(night / "expected" / "partnership1_games.csv")
    assert _individual_games(event) == read(night / "expected" / "partnership2_games.csv")
    assert table_of(event) == read(night / "expected" / "pairs_table.csv")
    sheets = [table_sheet(event, code) for code in ("r1t1", "r4t1")]
    assert [
        [(finish.total, finish.place, finish.is_tied) for finish in sheet.finishes]
        for sheet in sheets
    ] == [
        [(82, 1, False), (100, 2, False), (82, 1, False), (100, 2, False)],
        [(80, 1, False), (101, 2, False), (21, 1, False), (84, 2, False)],
    ]


def _pooled_hands() -> Rows:
    return [
        {
            "round": str(score.seat.table.round.number),
            "table": str(score.seat.table.number),
            "hand": str(score.entry.hand.number),
            "pair_id": pairs_of(score.entry.hand.game)[score.seat.number - 1],
            "points": str(exact(score.score)),
            "running_total": str(exact(score.total)),
        }
        for score in SeatScore.objects.filter(
            seat__table__round__number__lte=3, seat__number__lte=2
        )
        .select_related("seat__table__round", "entry__hand__game__table")
        .order_by("seat__table__code", "entry__hand__number", "seat__number")
    ]


def _pooled_games(event: Event) -> Rows:
    return [
        {
            "round": str(game.table.round.number),
            "table": str(game.table.number),
            "hands": str(game.hands_counted),
            "ns_pair": pairs_of(game)[0],
            "ns_points": str(finals(game)[1]),
            "ew_pair": pairs_of(game)[1],
            "ew_points": str(finals(game)[2]),
            "winner": winner_of(game),
        }
        for game in games(event, [1, 2, 3])
    ]


def _individual_games(event: Event) -> Rows:
    rows = []
    for game in games(event, [4, 5, 6]):
        north, east, south, west = (finals(game)[seat] for seat in (1, 2, 3, 4))
        pairs = pairs_of(game)
        highest = pairs[0] if max(north, south) > max(east, west) else pairs[1]
        rows.append(
            {
                "round": str(game.table.round.number),
                "table": str(game.table.number),
                "hands": str(game.hands_counted),
                "ns_pair": pairs[0],
                "north": str(north),
                "south": str(south),
                "ns_total": str(north + south),
                "ew_pair": pairs[1],
                "east": str(east),
                "west": str(west),
                "ew_total": str(east + west),
                "winner": winner_of(game),
                "winner_includes_highest_player": "yes" if winner_of(game) == highest else "no",
            }
        )
    return rows


def test_each_row_names_its_players_says_what_decided_and_counts_a_pair_once(
    event: Event, night: Path
) -> None:
    bring(night)
    table_of(event)
    body = json.loads(bytes(Publication.objects.get(event=event).body))
    first, second, _, fourth = body["rows"][:4]
    assert (first["player"], first["members"]) == (
        "Aino & Bodil",
        [{"player_id": "P01", "player": "Aino"}, {"player_id": "P02", "player": "Bodil"}],
    )
    assert (first["values"], first["decided_by"], first["reason"]) == (
        {"wins": "4", "difference": "-142"}, None, "",
    )  # fmt: skip
    assert (second["decided_by"], second["reason"]) == (
        "difference", "tied with T1: 4 wins; difference −74 against −142",
    )  # fmt: skip
    assert (fourth["decided_by"], fourth["reason"]) == ("wins", "3 wins, 1 behind T2")
    assert body["scheme"]["tie_breaks"] == ["difference"]
    assert body["columns"][-1]["key"] == "difference"
    rows = body["rows"]
    hands = sum(game.hands_counted for game in games(event, range(1, 7)))
    assert sum(row["hands"] for row in rows) == 2 * hands == 494
    assert sum(row["moons"] for row in rows) == 18 + 12


def test_corrected_hand_moves_both_pairs_and_back_again(event: Event, night: Path) -> None:
    bring(night)
    before = table_of(event)
    game = games(event, [1])[0]
    right = Entry.objects.get(hand__game=game, hand__number=2)
    wrong = {"hearts": [3, 10, 0, 0], "taken": [["QS"], [], [], []]}
    correct(game, wrong, 1)
    moved = {row["pair_id"]: row for row in table_of(event)}
    assert (moved["T1"]["points_taken"], moved["T1"]["difference"]) == ("604", "-144")
    assert (moved["T8"]["points_taken"], moved["T8"]["difference"]) == ("692", "-72")
    correct(game, right.typed, 2)
    assert table_of(event) == before


def correct(game: Game, entry: dict[str, object], based_on: int) -> None:
    record_entry(
        Operation(command("tests"), NOW), game, number=2, entry=entry, based_on=based_on,
        source="host", reason="misread",
    )  # fmt: skip


SIDES = "round,table,hand,side,pair_id,hearts,queen_spades,moon,points"


def written(folder: Path, heads: str, *lines: str) -> Path:
    path = folder / "sides.csv"
    path.write_text("\n".join([heads, *lines]) + "\n", encoding="utf-8")
    return path


def test_sheets_by_side_say_what_is_wrong_with_its_lines(event: Event, tmp_path: Path) -> None:
    path = written(
        tmp_path, SIDES,
        "1,1,1,NS,T1,5,0,,", "1,1,1,EW,T8,7,1,,",  # twelve hearts
        "1,1,2,N/S,T1,13,1,,", "1,1,2,E/W,T8,0,0,,",  # a moon that is not settled
        "1,1,3,NS,T1,4,1,,", "1,1,3,EW,T8,9,0,,",
        "1,2,1,NS,T2,4,1,,", "1,2,1,EW,T99,9,0,,",  # no such pair
        "1,3,1,NS,T3,4,1,,",  # one side only
        "1,4,1,NS,T4,4,1,,", "1,4,1,South,T5,9,0,,",  # no side
        "2,1,1,NS,T1,4,1,,", "2,1,1,EW,T2,9,0,,",
        "2,2,1,NS,T2,4,1,,", "2,2,1,EW,T3,9,0,,",  # T2 sits at table 1
        "3,1,1,NS,T1,4,1,,", "3,1,1,EW,T1,9,0,,",  # against itself
        "4,1,1,NS,T1,,,,17", "4,1,1,EW,T2,,,,9",
        "4,1,2,NS,T1,,,self,-26", "4,1,2,EW,T2,,,,0",
    )  # fmt: skip
    report = imported(path, event="pairs")
    assert said(report) == [
        ("missing_cards", "reject", [2, 3]),
        ("choice_required", "ask", [4, 5]),
        ("unknown_pair", "ask", [9]),
        ("seat_count", "reject", [10]),
        ("unknown_seat", "reject", [12]),
        ("player_at_two_tables", "ask", [15]),
        ("same_player_twice", "ask", [17, 18]),
    ]
    assert [problem.message for problem in report.problems][2:5] == [
        'Line 9: "T99" is not a pair of this event.',
        "Table 3, hand 1: there are one side, expected 2 sides.",
        'Line 12: "South" is not a seat. NS or EW is expected.',
    ]
    assert report.accepted == 3
    points = Game.objects.get(table__code="r4t1")
    assert finals(points) == {1: -9, 2: 9, 3: -9, 4: 9}
    assert Contribution.objects.filter(game=points).count() == 2


def test_individual_rules_need_a_row_a_player(event: Event, tmp_path: Path) -> None:
    path = written(tmp_path, SIDES, "1,1,1,NS,T1,5,0,,", "1,1,1,EW,T8,8,1,,")
    report = imported(path, event="pairs", variant=INDIVIDUAL)
    assert said(report) == [("seats_needed", "reject", [2, 3])]


def test_pooled_sheets_may_have_a_row_a_player(event: Event, tmp_path: Path) -> None:
    heads = "round,table,hand,seat,player_id,hearts,queen_spades,points"
    path = written(
        tmp_path, heads,
        "1,1,1,N,P01,2,0,", "1,1,1,E,P15,5,0,", "1,1,1,S,P02,4,0,", "1,1,1,W,P16,2,1,",
        "1,1,2,N,P01,,,17", "1,1,2,E,P15,,,9", "1,1,2,S,P02,,,17", "1,1,2,W,P16,,,9",
        "1,1,3,N,P01,,,17", "1,1,3,E,P15,,,9", "1,1,3,S,P02,,,0", "1,1,3,W,P16,,,9",
    )  # fmt: skip
    assert said(imported(path, event="pairs")) == [("partners_disagree", "ask", [10, 11, 12, 13])]
    game = Game.objects.get(table__code="r1t1")
    assert finals(game) == {1: 6 + 17, 2: 20 + 9, 3: 6 + 17, 4: 20 + 9}


def test_player_in_another_pair_than_written_is_asked_about(event: Event, tmp_path: Path) -> None:
    heads = "round,table,hand,seat,pair_id,player_id,hearts,queen_spades"
    path = written(
        tmp_path, heads,
        "4,1,1,N,T1,P01,2,0", "4,1,1,E,T4,P07,5,0", "4,1,1,S,T2,P02,4,0", "4,1,1,W,T4,P08,2,1",
    )  # fmt: skip
    report = imported(path, event="pairs", variant=INDIVIDUAL)
    assert [(row.code, row.spot.lines, row.message, row.suggestion) for row in report.problems] == [
        (
            "pair_disagrees", (4,), "Line 4: Bodil (P02) does not play in the pair T2.", "T1",
        )
    ]  # fmt: skip
    assert report.accepted == 0
