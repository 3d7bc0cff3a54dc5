"""The plan of a foreign file's columns: data, stored as JSON, with its checks.

A file has a row for each player in each hand (`seats`), a row for each hand with a column for each
player (`hands`), or a row for each hand with names and numbers in pairs of columns (`names`).
Columns are identified by labels: the head as written, made unique if two are equal."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonObject
from tournaments.documents.read.cells import whole
from tournaments.documents.read.columns import BESIDE_COUNTS, BOARD_BOX, HEADS, meaning, name_of
from tournaments.documents.read.sum_rows import is_sum_of_player
from tournaments.domain.name_matching import folded
from tournaments.errors import refuse_any
from tournaments.models.imports import (
    CHOICE,
    DATES,
    HANDS,
    IGNORE,
    MOST_PLAYERS,
    NAME_OF,
    NAMES,
    PLAYER,
    PLEDGE,
    SEATS,
    VALUE_OF,
)

RUNNING: Final = "running"
CELLS: Final = ("points", "hearts", "cards", RUNNING)
"""Kinds of content of a player's column; `running` is the sum of the points so far."""

OF_A_HAND: Final = (
    *("date", "round", "table", "variant", "hand", "hands", BOARD_BOX.key),
    *("charged", "moon", CHOICE),
)
"""Meanings of columns besides players, cards and pledges, where a row is a hand."""

GIVEN: Final = {"round": "--round", "table": "--table"}
"""Values that can be given once for a file, and the option of the command."""

EMPTY: Final = "empty"
"""Given where an empty cell of somebody at a table means no points, instead of nobody."""

SIGN: Final = "sign"
"""Given where penalty points are written with a minus."""

WAYS_OF_VALUES: Final[Mapping[str, tuple[str, ...]]] = {EMPTY: ("0", "0-"), SIGN: ("-",)}
"""How numbers are written → the values it can have; `0-` means that a dash means no points too."""

NOTHING: Final = frozenset({"", "-", "–", "—"})
"""Value in a player's column where the player did not sit there."""

NO_POINTS: Final[Mapping[str, frozenset[str]]] = {
    "": frozenset(),
    "0": frozenset({""}),
    "0-": NOTHING,
}
"""What is given for `EMPTY` → the cells that are no points."""

SHAPE: Final = ("rows", "columns", "cells", "players", "given")
LONGEST: Final = 200
OF_A_PAIR: Final = re.compile(f"({NAME_OF}|{VALUE_OF})([1-9]|1[0-3])")
"""Meaning of a column of names beside numbers: `player:1`, `value:1` and so on."""

MOST_COLUMNS: Final = 300


def labels_of(heads: Sequence[str]) -> tuple[str, ...]:
    labels: list[str] = []
    folded_labels: set[str] = set()
    for number, head in enumerate(heads, start=1):
        name = _one_line(head)[:LONGEST] or f"column {number}"
        label = name
        copy = 1
        while folded(label) in folded_labels:
            copy += 1
            label = f"{name} ({copy})"
        folded_labels.add(folded(label))
        labels.append(label)
    return tuple(labels)


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """The meanings of a file's columns.

    Attributes:
        rows: `seats`, `hands` or `names`.
        columns: (label, meaning) of each column in the order of the file; `ignore` is one too.
        cells: the kind of number in a player's column, if rows are hands; else `running`, where
            the points are running totals, or empty.
        players: label of a player's column → the player's id, if the label is not enough.
        given: key → the value for a column that the file lacks.
    """

    rows: str
    columns: tuple[tuple[str, str], ...]
    cells: str = ""
    players: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        document: dict[str, Any] = {"rows": self.rows, "columns": dict(self.columns)}
        if self.rows != SEATS or self.cells:
            document["cells"] = self.cells
        if self.rows == HANDS:
            document["players"] = dict(self.players)
        return {**document, "given": dict(self.given)}

    @property
    def means(self) -> set[str]:
        return {means for _, means in self.columns} - {IGNORE}

    def is_player(self, label: str) -> bool:
        return self.rows == HANDS and (label, PLAYER) in self.columns

    def has_numbers(self, label: str) -> bool:
        """Whether a column holds a player's numbers: always the same player's, or a named one's."""
        return self.is_player(label) or label in {value for _, value in self.pairs}

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return (name column, number column) of each player, if names are beside numbers."""
        if self.rows != NAMES:
            return ()
        at = {means: label for label, means in self.columns}
        keys = ((f"{NAME_OF}{n}", f"{VALUE_OF}{n}") for n in range(1, MOST_PLAYERS + 1))
        return tuple((at[name], at[value]) for name, value in keys if name in at and value in at)

    @property
    def key(self) -> str:
        """Return a hash of the heads, without players' columns, which may change."""
        fixed = sorted(folded(label) for label, _ in self.columns if not self.is_player(label))
        text = json.dumps([self.rows, fixed], ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def of_file(self, labels: Sequence[str], is_member: Callable[[str], object]) -> "ColumnPlan":
        """Return the plan for a file of these labels; a member's new column becomes a player's."""
        meanings = {folded(label): means for label, means in self.columns}
        columns = tuple(
            (label, meanings.get(folded(label)) or self._new(label, is_member)) for label in labels
        )
        ids = {folded(label): code for label, code in self.players.items()}
        players = {label: ids[folded(label)] for label in labels if folded(label) in ids}
        return replace(self, columns=columns, players=players)

    def _new(self, label: str, is_member: Callable[[str], object]) -> str:
        return PLAYER if self.rows == HANDS and is_member(label) else IGNORE

    def with_sheets(self, columns: Mapping[str, str]) -> "ColumnPlan":
        """Return the plan for joined sheets whose names fill these columns, label → meaning.

        A plan that was kept when the workbook had one sheet lacks them. With a column of dates its
        evenings are told apart by date, whatever round the one sheet was.
        """
        labels = {folded(label) for label, _ in self.columns}
        new = {
            label: means
            for label, means in columns.items()
            if folded(label) not in labels and means not in self.means
        }
        plan = replace(self, columns=(*new.items(), *self.columns))
        if "date" in new.values() and "round" not in plan.means:
            plan = replace(plan, given={**self.given, "round": DATES})
        return plan

    def missing(self, labels: Sequence[str]) -> list[str]:
        """Return the columns that the plan needs and a file of these labels lacks."""
        file_labels = {folded(label) for label in labels}
        return [
            label
            for label, means in self.columns
            if means != IGNORE and not self.is_player(label) and folded(label) not in file_labels
        ]

    def strange(self, labels: Sequence[str], is_member: Callable[[str], object]) -> list[str]:
        """Return the columns of a file that the plan does not know; it knows those of members."""
        plan_labels = {folded(label) for label, _ in self.columns}
        return [
            label
            for label in labels
            if folded(label) not in plan_labels
            and self._new(label, is_member) == IGNORE
            and not is_sum_of_player(label)
        ]


def plan_from(document: object) -> ColumnPlan:
    if not isinstance(document, dict):
        raise _bad("mapping", document, "an object")
    for name in document:
        if name not in (*SHAPE, "name"):
            raise _bad("mapping", name, ", ".join(SHAPE))
    rows = document.get("rows", SEATS)
    if rows not in (SEATS, HANDS, NAMES):
        raise _bad("rows", rows, f"{SEATS}, {HANDS} or {NAMES}")
    columns = _texts(document, "columns")
    if not columns or len(columns) > MOST_COLUMNS:
        raise _bad("columns", len(columns), f"1 to {MOST_COLUMNS} columns")
    cells = document.get("cells", "")
    if rows != SEATS and cells not in CELLS:
        raise _bad("cells", cells, " or ".join(CELLS))
    players = {label: code for label, code in _texts(document, "players").items() if code}
    values = {key: text for key, text in _texts(document, "given").items() if text}
    used_cells = cells
    if rows == SEATS and cells != RUNNING:
        used_cells = ""
    return ColumnPlan(rows, tuple(columns.items()), used_cells, players, values)


def _texts(document: JsonObject, name: str) -> dict[str, str]:
    texts = document.get(name, {})
    if not isinstance(texts, dict) or not all(isinstance(value, str) for value in texts.values()):
        raise _bad(name, texts, "an object of texts")
    return {
        _one_line(key)[: LONGEST + 10]: text.replace("\0", "").strip()[:LONGEST]
        for key, text in texts.items()
    }


def _one_line(text: str) -> str:
    return " ".join(text.replace("\0", "").split())


def _bad(field: str, value: object, expected: str) -> Refused:
    facts = {"field": field, "found": shown(value), "expected": expected}
    return Refused(Problem("bad_mapping", (field,), facts))


def is_meaning(means: str, rows: str) -> bool:
    """Whether a column can have this meaning.

    >>> is_meaning("queen_spades", SEATS), is_meaning("seat", HANDS), is_meaning("colour", SEATS)
    (True, False, False)
    """
    return (
        means == IGNORE
        or means in ((*HEADS, BOARD_BOX.key) if rows == SEATS else OF_A_HAND)
        or (rows != SEATS and means.startswith(PLEDGE))
        or (rows == HANDS and means == PLAYER)
        or (rows == NAMES and bool(OF_A_PAIR.fullmatch(means)))
        or meaning(means).startswith("=")
    )


def key_of(means: str) -> str:
    """Return the key that rows are read by: a card's code with a `=` before it, or the meaning."""
    key = meaning(means)
    return key if key.startswith("=") else means


def gone_problems(plan: ColumnPlan, labels: Sequence[str]) -> list[Problem]:
    return [Problem("column_gone", (), {"found": label}) for label in plan.missing(labels)]


def problems_of(plan: ColumnPlan, labels: Sequence[str]) -> list[Problem]:
    return [*gone_problems(plan, labels), *_column_problems(plan, labels), *_missing(plan)]


def _column_problems(plan: ColumnPlan, labels: Sequence[str]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    at = {folded(label): number for number, label in enumerate(labels)}
    for label, means in plan.columns:
        where = ("column", at.get(folded(label), 0))
        if not is_meaning(means, plan.rows):
            expected = "a column name from docs/import-columns.md"
            facts = {"field": label, "found": shown(means), "expected": expected}
            yield Problem("bad_mapping", where, facts)
            continue
        if means == IGNORE:
            continue
        if plan.is_player(label):
            # Sheets that were joined may write one person in two ways. A row that has both is
            # refused when it is read (`duplicate_seat`).
            continue
        key = key_of(means)
        if key in first:
            facts = {"found": f"{first[key]}, {label}", "field": means, "name": name_of(means)}
            yield Problem("two_columns", where, facts)
        first.setdefault(key, label)


NEEDED: Final = {
    "date": ("the date of each row", "“Date”"),
    "two players or more": ("whose numbers it holds, for two players or more", "“A player”"),
    "two names beside numbers": (
        "the names and the points of two players or more",
        "“Player 1: name”, “Player 1: points” and so on",
    ),
    "name of player": ("the name of player {n}", "“Player {n}: name”"),
    "numbers of player": ("the points of player {n}", "“Player {n}: points”"),
    "pair_id": ("the pair", "“Pair”"),
    "player or player_id": ("the player", "“Player name” or “Player id”"),
    "counts or points": ("the counts", "“Hearts taken”, a card or “Points”"),
}
"""Missing part of a plan → what no column has, and what to choose for such a column."""


def _needed(plan: ColumnPlan, field_: str, at: tuple[str, ...] = (), n: int = 0) -> Problem:
    says, right = (text.format(n=n) for text in NEEDED[field_])
    columns = ", ".join(f"{label} ({name_of(means)})" for label, means in plan.columns)
    facts = {"field": field_, "says": says, "right": right, "found": columns[:LONGEST] or "nothing"}
    return Problem("column_needed", at, facts)


def _missing(plan: ColumnPlan) -> Iterator[Problem]:
    means = plan.means
    if plan.given.get("round") == DATES and "date" not in means:
        yield _needed(plan, "date", ("round",))
    if table := plan.given.get("table"):
        yield from number_problems("table", table)
    for key, values in WAYS_OF_VALUES.items():
        value = plan.given.get(key, "")
        if value and value not in values:
            facts = {"key": key, "found": shown(value), "expected": " or ".join(values)}
            yield Problem("bad_setting", (key,), facts)
    if plan.rows == HANDS:
        if [column_means for _, column_means in plan.columns].count(PLAYER) < 2:
            yield _needed(plan, "two players or more")
        return
    if plan.rows == NAMES:
        yield from _missing_in_pairs(plan)
        return
    if "side" in means and "seat" not in means:
        if "pair_id" not in means:
            yield _needed(plan, "pair_id")
    elif not means & {"player", "player_id"}:
        yield _needed(plan, "player or player_id")
    if not means - BESIDE_COUNTS:
        yield _needed(plan, "counts or points")


def _missing_in_pairs(plan: ColumnPlan) -> Iterator[Problem]:
    """Yield a problem for each name or number without the other, or for fewer than two pairs."""
    means = plan.means
    halves = 0
    for n in range(1, MOST_PLAYERS + 1):
        has_name, has_value = f"{NAME_OF}{n}" in means, f"{VALUE_OF}{n}" in means
        if has_name != has_value:
            halves += 1
            yield _needed(plan, "numbers of player" if has_name else "name of player", n=n)
    if not halves and len(plan.pairs) < 2:
        yield _needed(plan, "two names beside numbers")


def number_problems(key: str, text: str) -> Iterator[Problem]:
    value = whole(text).value
    if value is None or value < 1:
        facts = {"key": key, "found": shown(text), "expected": "a number from 1 up"}
        yield Problem("bad_setting", (key,), facts)


def values_of(
    plan: ColumnPlan, values: Mapping[str, str], *, of_games: bool = False
) -> dict[str, str]:
    """Return the round and the table that stand for missing columns; games need neither."""
    if of_games:
        return {}
    accepted: dict[str, str] = {}
    problems: list[Problem] = []
    for key, option in GIVEN.items():
        if key in plan.means:
            continue
        default = plan.given.get(key, "")
        text = values.get(key, "").strip() or ("" if default == DATES else default)
        if not text:
            problems.append(Problem("value_needed", (key,), {"field": key, "option": option}))
            continue
        problems.extend(number_problems(key, text))
        accepted[key] = text
    refuse_any(problems)
    return accepted
