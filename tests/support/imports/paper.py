"""A night as it stands on paper: the hands of a file of sheets one by one, and what became of each.

`hands_of(path)` reads a semicolon-separated file of counts or points at tables of four.
"""

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.support.answers import Json
from tournaments.models.columns import UNIT
from tournaments.models.hands import Hand, SeatScore
from tournaments.models.imports import ImportProblem

SEATS = "NESW"
WHOLE = re.compile(r"(-?\d+)(,0)?")

Place = tuple[int, int]
"""Table, and place on its sheet from 1."""


@dataclass(frozen=True, slots=True)
class PaperHand:
    """One hand as it is written; `lines` are those of the file, `rows` its cells by column."""

    table: int
    number: int
    lines: tuple[int, ...]
    rows: tuple[Mapping[str, str], ...]

    def entry(self) -> Json:
        mark = [(index, row["moon"]) for index, row in enumerate(self.rows) if row["moon"]]
        marked = (
            {"shooter": mark[0][0], "slam_choice": mark[0][1].partition("+")[0]} if mark else {}
        )
        if any(row["points"] for row in self.rows):
            return {"points": [typed(row["points"]) for row in self.rows], **marked}
        taken = [["QS"] * int(row["queen_spades"]) for row in self.rows]
        return {"hearts": [typed(row["hearts"]) for row in self.rows], "taken": taken, **marked}

    def players(self) -> list[str]:
        """Who is written there: an id, or a name where there is none."""
        return [row["player_id"] or row["player"] for row in self.rows]

    def fields(self) -> dict[str, object]:
        found: dict[str, object] = {}
        for row in self.rows:
            seat = SEATS.index(row["seat"].strip().upper()) + 1
            for kind in ("hearts", "points"):
                if row[kind]:
                    found[f"{kind}-{seat}"] = typed(row[kind])
            if row["queen_spades"] not in ("", "0"):
                found.setdefault("card-QS", []).append(seat)  # type: ignore[attr-defined]  # a list
            if row["moon"]:
                found |= {"shooter": seat, "slam_choice": row["moon"].partition("+")[0]}
        return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a hand: why it waits, or what was stored as typed, and the points a seat."""

    codes: tuple[str, ...] = ()
    typed: Mapping[str, Any] | None = None
    points: tuple[Fraction, ...] = ()


def typed(cell: str) -> int | str:
    """What a person types who reads this cell: a whole number without its decimal comma."""
    match = WHOLE.fullmatch(cell)
    return int(match[1]) if match else cell


def hands_of(path: Path) -> dict[Place, PaperHand]:
    """The hands of a file by table and place; what stands there twice word for word, once."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, delimiter=";")
        lines = [(reader.line_num, row) for row in reader if row["hand"]]
    blocks: list[list[tuple[int, dict[str, str]]]] = []
    for line, row in lines:
        last = blocks[-1] if blocks else []
        there = {(one["table"], one["hand"]) for _, one in last}
        seats = {one["seat"] for _, one in last}
        if (row["table"], row["hand"]) in there and row["seat"] not in seats:
            last.append((line, row))
        else:
            blocks.append([(line, row)])
    found: dict[Place, PaperHand] = {}
    seen: list[Sequence[dict[str, str]]] = []
    for block in blocks:
        rows = tuple(row for _, row in block)
        if rows in seen:
            continue
        seen.append(rows)
        table = int(rows[0]["table"])
        place = 1 + sum(1 for one in found if one[0] == table)
        numbers = tuple(line for line, _ in block)
        found[table, place] = PaperHand(table, int(rows[0]["hand"]), numbers, rows)
    return found


def stored(hand: Hand) -> Outcome:
    if hand.entry is None:
        return Outcome()
    scores = SeatScore.objects.filter(entry=hand.entry).order_by("seat__number")
    points = tuple(Fraction(score, UNIT) for score in scores.values_list("score", flat=True))
    return Outcome((), hand.entry.typed, points)


def outcomes_of_import(
    hands: Mapping[Place, PaperHand], problems: Collection[ImportProblem], round_number: int
) -> dict[Place, Outcome]:
    """What an import made of each hand: what of its lines waits, else what is stored."""
    waiting = [problem for problem in problems if problem.severity in ("ask", "reject")]
    found = {}
    for place, paper in hands.items():
        codes = {one.code for one in waiting if set(one.lines) & set(paper.lines)}
        there = Hand.objects.filter(
            game__table__code=f"r{round_number}t{paper.table}", number=paper.number
        ).select_related("entry")
        found[place] = Outcome(tuple(sorted(codes))) if codes else stored(there.get())
    return found
