"""A5 of the variants: a night of Cancellation Hearts under both rules for the last trick."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoring.cases import Captures
from scoring.entry.hand_reader import read_entry
from scoring.game.game import GameState, new_game, play
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from tests.support.answers import Json
from tests.support.cast import NOW, Cast
from tests.support.imports.imports import SHEETS, imported, said
from tests.support.players import stored_player
from tournaments.models.columns import exact
from tournaments.models.hands import SeatScore
from tournaments.policy import command
from tournaments.services.events.events import create_event, move_event
from tournaments.services.operations import Operation

NIGHT = SHEETS / "cancellation_night"
VARIANT = "cancellation-hearts"
TO_PREVIOUS: dict[str, Any] = {}
NOT_COUNTED: dict[str, Any] = {"last_stalled": "uncounted"}
RULES = pytest.mark.parametrize(
    ("options", "letter", "column"),
    [
        (TO_PREVIOUS, "A", "points_last_trick_to_previous_winner"),
        (NOT_COUNTED, "B", "points_last_trick_not_counted"),
    ],
    ids=["to the previous winner", "not counted"],
)


def rows(name: str) -> list[dict[str, str]]:
    with (NIGHT / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def tables() -> list[Json]:
    found: list[dict[str, Any]] = json.loads((NIGHT / "tables.json").read_text())["tables"]
    return found


def places(totals: list[int]) -> list[int]:
    return [1 + sum(other < total for other in totals) for total in totals]


def written(cards: list[str]) -> list[str]:
    return [card.replace("T", "10") for card in cards]


def replayed(table: Json, options: Json) -> Iterator[GameState]:
    people = table["players"]
    rules = catalogue().rules(VARIANT, options)
    ready, state = prepare(rules, len(people)), new_game(rules, len(people))
    for hand in table["hands"]:
        tricks = [
            (people.index(trick["lead"]), tuple(written([card for _, card in trick["plays"]])))
            for trick in hand["tricks"]
        ]
        found = Captures(ready, tricks, written(hand["kitty"]))
        before = [written(hand["captures_before_last_trick_rule"][name]) for name in people]
        left = written(hand["unclaimed_at_end"])
        if options:
            assert (list(map(list, found.taken)), list(found.unclaimed)) == (before, left)
        else:
            assert sum(map(len, found.taken)) == 104
        winners = [trick["winner"] for trick in hand["tricks"]]
        assert list(found.counts) == [winners.count(name) for name in people]
        entry = {
            "taken": list(map(list, found.taken)),
            "unclaimed": list(found.unclaimed) if options else None,
            "tricks": list(found.counts),
        }
        typed = read_entry(entry, rules, len(people))
        state = play(rules, state, typed)[1]
        yield state


@RULES
def test_tricks_give_expected_scores(options: dict[str, object], letter: str, column: str) -> None:
    expected = rows("expected_scores.csv")
    at_the_end: list[Any] = []
    for table in tables():
        before = [0] * len(table["players"])
        for number, state in enumerate(replayed(table, options), 1):
            scores = [after - total for after, total in zip(state.totals, before, strict=True)]
            wanted = [
                int(row[column])
                for row in expected
                if (row["table"], row["hand"]) == (str(table["table"]), str(number))
            ]
            assert scores == wanted, (table["table"], number)
            before = [int(str(total)) for total in state.totals]
        at_the_end += zip(before, places(before), strict=True)
    assert at_the_end == [
        (int(row[f"total_{letter}"]), int(row[f"place_{letter}"]))
        for row in rows("expected_totals.csv")
    ]


def sheet(letter: str) -> Iterator[str]:
    """The night as a file of sheets, with the cards that nobody got under rule B."""
    yield "round,table,hand,seat,player_id,hearts,queen_spades,tricks,unclaimed"
    counts = {(row["table"], row["hand"], row["player"]): row for row in rows("counts.csv")}
    for table in tables():
        for hand in table["hands"]:
            for seat, name in enumerate(table["players"], 1):
                row = counts[str(table["table"]), str(hand["hand"]), name]
                nobody = hand["unclaimed_at_end"] if letter == "B" and seat == 1 else []
                cells = (1, table["table"], hand["hand"], seat, name, row[f"hearts_{letter}"],
                         row[f"queens_{letter}"], row["tricks_won"], " ".join(nobody))  # fmt: skip
                yield ",".join(map(str, cells))


@pytest.mark.django_db
@RULES
def test_sheets_of_the_night_come_to_the_expected_scores(
    options: dict[str, object], letter: str, column: str, cast: Cast, tmp_path: Path
) -> None:
    tests = command("tests")
    for table in tables():
        for name in table["players"]:
            stored_player(club=cast.riverside, player_id=name, name=name)
    event = create_event(
        Operation(tests, NOW), cast.riverside, slug="cancel", name="Cancellation night",
        variant=VARIANT, options=options,
        settings={"length": "open", "primary": "raw_total", "mixed_raw": True},
    )  # fmt: skip
    move_event(Operation(tests, NOW), event, to="open")
    path = tmp_path / "night.csv"
    path.write_text("\n".join(sheet(letter)) + "\n", encoding="utf-8")
    report = imported(path, event="cancel", now=NOW)
    assert (report.hands, report.accepted, said(report)) == (12, 12, [])
    scores = SeatScore.objects.filter(seat__table__event=event).order_by(
        "seat__table__number", "entry__hand__number", "seat__number"
    )
    assert [int(exact(score)) for score in scores.values_list("score", flat=True)] == [
        int(row[column]) for row in rows("expected_scores.csv")
    ]
    last = scores.filter(entry__hand__number=6).values_list("total", flat=True)
    assert [int(exact(total)) for total in last] == [
        int(row[f"total_{letter}"]) for row in rows("expected_totals.csv")
    ]


def test_copies_of_the_shared_night_are_up_to_date(shared: Path) -> None:
    there = shared / "data" / "cancellation_night"
    assert [(NIGHT / file.name).read_bytes() == file.read_bytes() for file in there.iterdir()] == (
        [True] * 5
    )
