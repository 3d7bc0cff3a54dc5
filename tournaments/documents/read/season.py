"""The season so far from a list of a club: players down, evenings across, or one total each."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from itertools import islice, pairwise
from pathlib import Path
from typing import Final

from django.utils.translation import gettext

from scoring.rules.rules import Rules
from tournaments.documents.read.blocks import find_table
from tournaments.documents.read.cells import day, plain, thousands, whole
from tournaments.documents.read.column_plan import NOTHING
from tournaments.documents.read.columns import HEADS, fold, is_sum
from tournaments.documents.read.csv import SHAPE_ROWS, Unreadable, run_steps
from tournaments.documents.read.people import ClubPlayer, People, RowPerson
from tournaments.documents.read.sheet_rows import filled_rows, settled
from tournaments.documents.read.source_file import read_source

COLUMNS: Final = {
    "player": (*HEADS["player"], *HEADS["player_id"]),
    "total": (*HEADS["points"], "total", "totaal", "gesamt", "summe", "stand", "points so far"),
    "games": ("games", "played", "spiele", "partien", "partijen", "parties", "gespielt"),
    "wins": ("won", "wins", "tables won", "siege", "gewonnen", "gagnés"),
    "hands": ("hands", "deals", "blätter", "giften", "donnes"),
    "penalty": ("penalty", "penalties", "strafe", "strafpunkte", "abzug", "straf", "pénalité"),
    "place": ("place", "rank", "platz", "rang", "plaats", "pos", "nr", "no"),
}
"""Column of a season → the heads that it may have."""

KEYS: Final = {fold(head): key for key, heads in COLUMNS.items() for head in heads}

ROUND_WORDS: Final = frozenset(
    {
        *map(fold, HEADS["round"]),
        "r",
        "week",
        "woche",
        "session",
        "evening",
        "spieltag",
        "spielabend",
    }
    | {"speelavond", "avond", "speeldag", "soirée", "tour", "matchday"}
)
"""Folded heads of evenings, before their number."""

MOST_ROWS: Final = 1000
LEAST: Final = 2
"""Number of evenings, or of players, that make a list a season."""

AMOUNT: Final = re.compile(r"-?\d{1,9}(?:[.,]\d{1,6})?")


@dataclass(frozen=True, slots=True)
class SeasonValue:
    """What somebody has of one evening, or of all of them: texts as they are written."""

    day: date
    value: str
    counts: Mapping[str, int] = field(default_factory=dict)
    penalty: str = ""
    is_evening: bool = False


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """A player of a season. `total` is the written one where it is not a value itself."""

    line: int
    person: RowPerson
    values: tuple[SeasonValue, ...]
    total: str = ""
    faults: tuple[str, ...] = ()
    """Cells that are no number."""

    @property
    def member(self) -> ClubPlayer | None:
        return self.person.member


def may_be_so_far(rows: Sequence[SeasonRow]) -> bool:
    """Whether the columns of evenings may have the points so far: the numbers of nobody fall.

    Where the list has totals which are the sums of all evenings, and not the last numbers, they
    have the points of each evening.
    """
    lines = [_amounts(row) for row in rows if row.values]
    is_of_evenings = any(value.is_evening for row in rows for value in row.values)
    if not is_of_evenings or max(map(len, lines), default=0) < LEAST:
        return False
    for amounts in lines:
        if not amounts or any(after < before for before, after in pairwise(amounts)):
            return False
    totals = [(_amounts(row), _amount(row.total)) for row in rows if row.values]
    written = [(amounts, total) for amounts, total in totals if total is not None]
    are_sums = all(sum(amounts) == total for amounts, total in written)
    are_last = all(amounts[-1] == total for amounts, total in written)
    return are_last or not are_sums


def points_of_evenings(rows: Sequence[SeasonRow]) -> Sequence[SeasonRow]:
    """Return a season with the points of each evening, of one that has the points so far.

    Somebody whose points stay the same did not play.
    """
    return [replace(row, values=tuple(_differences(row))) for row in rows]


def _differences(row: SeasonRow) -> Iterator[SeasonValue]:
    before = Fraction(0)
    for value in row.values:
        amount = _amount(value.value)
        if amount is None:
            yield value
            continue
        if amount != before:
            yield replace(value, value=f"{float(amount - before):g}")
        before = amount


def _amounts(row: SeasonRow) -> list[Fraction]:
    """Return the numbers of a row; none if one cell has another content."""
    amounts = [_amount(value.value) for value in row.values]
    numbers = [amount for amount in amounts if amount is not None]
    if len(numbers) < len(amounts):
        return []
    return numbers


def _amount(text: str) -> Fraction | None:
    if AMOUNT.fullmatch(text) is None:
        return None
    return Fraction(text.replace(",", "."))


def columns_in(heads: Sequence[str], today: date) -> tuple[dict[str, int], dict[int, date]]:
    """Return the columns of a season by their key, and those of evenings with their dates."""
    at: dict[str, int] = {}
    evenings: dict[int, date] = {}
    orders = {day(head).value.order for head in heads} - {""}
    orders = orders if len(orders) == 1 else {"day"}
    for index, head in enumerate(heads):
        if key := _key_of(head):
            at.setdefault(key, index)
        elif (evening := settled(day(head).value, orders, today)) is not None:
            evenings[index] = evening
    return at, evenings


def heads_fault(heads: Sequence[str], today: date) -> str:
    """Return in a sentence which dates of evenings cannot be told; empty if all can."""
    _, evenings = columns_in(heads, today)
    if len(names := _player_heads(heads)) > 1:
        return f"Several columns have players: {', '.join(names)}. Put them below each other."
    for index, head in enumerate(heads):
        if index not in evenings and day(head).value.is_date:
            return f"The head {plain(head).text} can mean several dates. Write it as 2025-10-13."
    for index, on in evenings.items():
        if list(evenings.values()).index(on) < list(evenings).index(index):
            return f"Two columns have the date {on}. Put the values of an evening in one column."
    if not evenings and (undated := undated_rounds(heads)):
        return (
            f"The column {undated[0]} has no date. Write the date of each evening as its head, "
            "for example 2025-10-13, or remove these columns: then the total is read."
        )
    return ""


def _player_heads(heads: Sequence[str]) -> Sequence[str]:
    words = frozenset(map(fold, HEADS["player"]))
    return [head.strip() for head in heads if fold(head) in words]


def undated_rounds(heads: Sequence[str]) -> Sequence[str]:
    """Return the heads of evenings that have a number instead of a date; none if it is one.

    >>> undated_rounds(["Name", "Runde 1", "Runde 2"]), undated_rounds(["Name", "Round 1"])
    (['Runde 1', 'Runde 2'], [])
    """
    words = {head: re.fullmatch(r"(\D+)\d{1,3}", fold(head)) for head in heads}
    rounds = [head.strip() for head, match in words.items() if match and match[1] in ROUND_WORDS]
    return rounds if len(rounds) >= LEAST else []


def _without_own_heads(
    heads: Sequence[str], rows: Sequence[tuple[int, list[str]]]
) -> list[tuple[int, list[str]]]:
    """Return the rows of a list without its heads again; Unreadable where others are below it.

    A row that has the head of the names again, or several dates, is heads.
    """
    at = [index for index, head in enumerate(heads) if _key_of(head) == "player"]
    own = [fold(head) for head in heads if head.strip()]
    of_list = []
    for line, row in rows:
        has_names = any(_key_of(row[index]) == "player" for index in at if index < len(row))
        n_dates = sum(day(cell).value.is_date for cell in row)
        if not has_names and n_dates < LEAST:
            of_list.append((line, row))
        elif [fold(cell) for cell in row if cell.strip()] != own:
            raise Unreadable(
                f"Line {line} has the heads of another list. Put each list in a file of its own."
            )
    return of_list


def results_fault(
    heads: Sequence[str],
    lines: Sequence[tuple[int, Sequence[str]]],
    rows: Sequence["SeasonRow"],
    today: date,
) -> str:
    """Return in a sentence why a list has results and no season; empty if it may be one.

    It has a column of dates, and several rows of one player.
    """
    at, evenings = columns_in(heads, today)
    others = set(range(len(heads))) - set(at.values()) - set(evenings)
    of_players = {row.line for row in rows}
    rows_of_players = [row for line, row in lines if line in of_players]
    dated = []
    for index in others:
        cells = [row[index] for row in rows_of_players if index < len(row) and row[index].strip()]
        if cells and all(day(cell).value.is_date for cell in cells):
            dated.append(index)
    n_rows = Counter(fold(row.person.found) for row in rows)
    repeated = next((row.person.found for row in rows if n_rows[fold(row.person.found)] > 1), "")
    if not dated or not repeated:
        return ""
    text = gettext(
        "This list has a column of dates, and %(name)s has several rows. So it has results, and "
        "is not a season so far. Import it as hands or as totals of whole games. For a season so "
        "far write one row for each player, with a column for each evening."
    )
    return text % {"name": repeated}


def value_fault(rows: Sequence["SeasonRow"]) -> str:
    """Return in a sentence which value may have a separator of thousands or of decimals."""
    texts = {each.value: row.line for row in rows for each in row.values}
    for text, number in thousands(texts).items():
        return f"Line {texts[text]}: {text} may be {number}. Write the number without a separator."
    return ""


def count_season_heads(heads: Sequence[str]) -> int:
    return sum(1 for head in heads if _key_of(head) or day(head).value.is_date)


def _key_of(head: str) -> str:
    """Return the column that a head names, a sign too; empty if it names none."""
    if head.strip() == "#":
        return "place"
    return KEYS.get(fold(head), "")


def has_each_player_once(rows: Sequence["SeasonRow"]) -> bool:
    return len({fold(row.person.found) for row in rows}) == len(rows)


def is_season(heads: Sequence[str], sample: Sequence[Sequence[str]], today: date) -> bool:
    """Whether a list has each player once: with evenings as columns, or with a total alone."""
    at, evenings = columns_in(heads, today)
    if "player" not in at or _player_heads(heads)[1:]:
        return False
    names = [plain(row[at["player"]]).text for row in sample if at["player"] < len(row)]
    if len(names) < LEAST or len(set(names)) < len(names):
        return False
    if len(evenings) >= LEAST or undated_rounds(heads):
        return True
    others = [head for head in heads if head.strip() and not is_sum([head]) and not _key_of(head)]
    return not evenings and not others and "total" in at


def read_season_file(
    path: Path, folder: Path, people: People, rules: Rules | None, today: date, until: date
) -> tuple[Sequence[SeasonRow], str]:
    """Return the season in a file, and its list as CSV; Unreadable if there is none."""
    source = run_steps(read_source(path, folder))
    table = run_steps(find_table(source, (count_season_heads,), people, rules=rules))
    lines = list(islice(filled_rows(table), SHAPE_ROWS + 1))
    if len(lines) > SHAPE_ROWS:
        raise Unreadable(f"The list has more than {SHAPE_ROWS} rows; {MOST_ROWS} players at most.")
    if fault := heads_fault(table.heads, today):
        raise Unreadable(fault)
    lines = _without_own_heads(table.heads, lines)
    rows = read_season(table.heads, lines, people, today, until)
    if fault := results_fault(table.heads, lines, rows, today):
        raise Unreadable(fault)
    if not rows:
        raise Unreadable("No column has the names of players. Its head is, for example, Name.")
    if fault := value_fault(rows):
        raise Unreadable(fault)
    if len(rows) > MOST_ROWS:
        raise Unreadable(f"The list has {len(rows)} players. The maximum is {MOST_ROWS}.")
    text = io.StringIO()
    csv.writer(text).writerows([table.heads, *(row for _, row in lines)])
    return rows, text.getvalue()


def read_season(
    heads: Sequence[str],
    rows: Sequence[tuple[int, Sequence[str]]],
    people: People,
    today: date,
    until: date,
) -> Sequence[SeasonRow]:
    """Return the players of a season with their values.

    With evenings as columns each filled cell is a value, and a total is only compared; otherwise
    the total is one value of the date `until`.
    """
    at, evenings = columns_in(heads, today)
    found = []
    for line, row in rows:
        cells = [plain(cell).text for cell in row] + [""] * len(heads)
        name = cells[at["player"]] if "player" in at else ""
        if not name or is_sum(row, people):
            continue
        is_id = people.has_id(name)
        person = people.person(name if is_id else "", "" if is_id else name)
        total = cells[at["total"]] if "total" in at else ""
        counts = {key: cells[at[key]] for key in ("games", "wins", "hands") if key in at}
        if evenings:
            values = tuple(
                SeasonValue(on, cells[index], is_evening=True)
                for index, on in sorted(evenings.items(), key=lambda pair: pair[1])
                if cells[index] not in NOTHING
            )
        else:
            whole_counts: dict[str, int] = {
                key: n for key in counts if (n := whole(counts[key]).value) is not None
            }
            penalty = cells[at["penalty"]] if "penalty" in at else ""
            value = SeasonValue(until, total, whole_counts, penalty)
            values, total = ((value,) if total not in NOTHING else ()), ""
        bad = [
            text
            for key, text in counts.items()
            if text not in NOTHING and whole(text).value is None
        ]
        found.append(SeasonRow(line, person, values, total, tuple(bad)))
    return found
