"""A foreign file as rows of our own columns, by a plan; each row keeps the line it came from.

Where a row is a hand it becomes a row for each player who has something in their column, or whose
name is beside their number. Mending and what is kept of a problem are about the file's own
cells, which stay as they are."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tournaments.documents.read import cells
from tournaments.documents.read.cells import plain
from tournaments.documents.read.column_plan import ColumnPlan, key_of, labels_of
from tournaments.documents.read.columns import ColumnIndex
from tournaments.documents.read.csv import Formulas, SheetTable
from tournaments.documents.read.people import People, letters
from tournaments.domain.name_matching import folded
from tournaments.models.imports import CHOICE, DATES, IGNORE, PLEDGE, SEATS

PLACES: Final = ("date", "round", "table", "variant", "hand", "board")

OF_A_SEAT: Final = ("player_id", "player", "points", "hearts", "cards", "charged", "pledge", "moon")

ODD: Final = "odd"

"""A column of our rows: what in a row of the file cannot be understood, with its own head."""


COLUMN: Final = "column"

"""A column of our rows: the file's column that a seat's number stands in."""


NOTHING: Final = frozenset({"", "-", "–", "—"})

"""Value in a player's column where the player did not sit there."""


SUMS: Final = frozenset({"total", "totals", "sum", "subtotal", "summe", "gesamt", "zwischensumme"})

"""What a row of sums begins with, where a row is a hand."""


BETWEEN: Final = re.compile(r"[,;/&+]")

"""What may stand between two names in one cell."""


EMPTY_SEAT: Final = NOTHING | {"0"}

"""Value for the number of a seat that nobody is named for."""


@dataclass(frozen=True, slots=True)
class PlayerColumn:
    """A column of one player's numbers, and every name that may mean the player, folded.

    `name` is what the file calls the player.
    """

    index: int
    label: str
    player_id: str
    name: str
    names: frozenset[str]


class MappedTable:
    """The rows of a file by a plan.

    Args:
        plan: it fits the file's heads (`problems_of` finds nothing).
        values: what stands for the round and the table, where they have no column.

    Attributes:
        columns: where what stands in our rows.
        own: key → the file's own head of it.
        width: columns of the file itself.
    """

    def __init__(
        self,
        table: SheetTable,
        plan: ColumnPlan,
        values: Mapping[str, str],
        people: People,
        added: int = 0,
    ) -> None:
        self.table = table
        self.plan = plan
        self.people = people
        self.values = values
        self.width = len(table.heads)
        labels = labels_of(table.heads)
        first_added = self.width - added
        means = {folded(label): one for label, one in plan.columns}
        found = [means.get(folded(label), IGNORE) for label in labels[:first_added]]
        found += [" ".join(head.split()) for head in table.heads[first_added:]]
        self.at: dict[str, int] = {}
        players: list[PlayerColumn] = []
        for index, (label, one) in enumerate(zip(labels, found, strict=True)):
            if plan.is_player(label):
                players.append(_player(index, label, plan.players.get(label, ""), people))
            elif one != IGNORE:
                self.at.setdefault(key_of(one), index)
        self.players = tuple(players)
        at = {label: index for index, label in enumerate(labels)}
        self.pairs = tuple((at[name], at[value], value) for name, value in plan.pairs)
        self.added = frozenset(range(first_added, self.width))
        self.own = {key: labels[index] for key, index in self.at.items()}
        self.columns = self._columns()
        self._out = {**self.columns.at, **{f"={c}": i for c, i in self.columns.cards.items()}}

    def _columns(self) -> ColumnIndex:
        keys: list[str] = [key for key in PLACES if key in self.at]
        keys += [key for key in ("round", "table", "hand") if key not in self.at]
        if self.plan.rows != SEATS:
            keys += [*OF_A_SEAT, COLUMN, ODD]
            cards = [key for key in self.at if key.startswith("=")]
        else:
            keys += [key for key in self.at if key not in PLACES and not key.startswith("=")]
            cards = [key for key in self.at if key.startswith("=")]
        at = {key: number for number, key in enumerate(keys)}
        codes = {key[1:]: len(keys) + number for number, key in enumerate(cards)}
        return ColumnIndex(len(keys) + len(cards), at, codes)

    @property
    def heads(self) -> tuple[str, ...]:
        """Return the heads of the file itself."""
        return self.table.heads

    @property
    def head_line(self) -> int:
        """Return the line of the heads."""
        return self.table.head_line

    @property
    def notes(self) -> Sequence[tuple[str, int, str, str]]:
        """Return what is to be said of how the file is written."""
        return self.table.notes

    @property
    def formulas(self) -> Formulas:
        """Return the formulas without a value in columns that the plan reads."""
        used = {*self.at.values(), *(one.index for one in self.players)}
        return {
            line: found
            for line, cells in self.table.formulas.items()
            if (found := [one for one in cells if one[0] in used])
        }

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, cells) of each of our rows; those of one line follow each other."""
        given = _GivenValues(self)
        for line, row in self.table.rows():
            if not row or not "".join(row).strip():
                yield line, []
                continue
            own = row + [""] * (self.width - len(row))
            beyond = own[self.width :] if "".join(own[self.width :]).strip() else []
            of_row = self._of_seat if self.plan.rows == SEATS else self._of_hand
            for made in of_row(own, given):
                yield line, [*made, *beyond]
                beyond = []  # said once of the line

    def _empty(self) -> list[str]:
        return [""] * self.columns.width

    def _of_seat(self, own: Sequence[str], given: "_GivenValues") -> Iterator[list[str]]:
        made = self._empty()
        for key, index in self.at.items():
            made[self._out[key]] = own[index]
        who = [self.at[key] for key in ("player_id", "player", "pair_id") if key in self.at]
        if any(own[index].strip() for index in who):
            given.fill(made, folded(" ".join(own[index] for index in who)))
        yield made

    def _of_hand(self, own: Sequence[str], given: "_GivenValues") -> Iterator[list[str]]:
        sat = self._sat(own)
        made = self._empty()
        for key in PLACES:
            if key in self.at:
                made[self._out[key]] = own[self.at[key]]
        if not sat or _is_sum(own):
            yield made  # without a player it is no row of a hand
            return
        given.fill(made, "")
        rows = [list(made) for _ in sat]
        for row, one in zip(rows, sat, strict=True):
            row[self._out["player_id"]] = one.player_id
            row[self._out["player"]] = "" if one.player_id else one.name
            row[self._out[COLUMN]] = one.label
            row[self._out[self.plan.cells]] = self._cell(own[one.index])
        rows[0][self._out["charged"]] = own[self.at["charged"]] if "charged" in self.at else ""
        rows[0][self._out[ODD]] = "; ".join(self._named(own, sat, rows))
        yield from rows

    def _sat(self, own: Sequence[str]) -> list[PlayerColumn]:
        """Return who sat at the table of a row, each with the column of their number."""
        if not self.pairs:
            return [one for one in self.players if plain(own[one.index]).text not in NOTHING]
        return [
            _named_player(value, label, own[name], self.people)
            for name, value, label in self.pairs
            if plain(own[name]).text not in NOTHING or plain(own[value]).text not in EMPTY_SEAT
        ]

    def _cell(self, cell: str) -> str:
        """Return what stands in a player's column; a 0 among cards is an empty pile."""
        return "" if self.plan.cells == "cards" and plain(cell).text == "0" else cell

    def _named(
        self, own: Sequence[str], sat: Sequence[PlayerColumn], rows: Sequence[list[str]]
    ) -> Iterator[str]:
        """Put what columns name somebody for into the rows; yield what names nobody there."""
        choice = plain(own[self.at[CHOICE]]).text if CHOICE in self.at else ""
        shooter = False
        for key, index in self.at.items():
            is_card, is_pledge = key.startswith("="), key.startswith(PLEDGE)
            if not (is_card or is_pledge or key == "moon"):
                continue
            text = plain(own[index]).text
            is_one = _seat_of(text, sat) is not None  # of a name with a comma too
            for name in [text] if is_one else BETWEEN.split(text):
                if not name.strip() or name.strip() in NOTHING:
                    continue
                seat = _seat_of(name, sat)
                if seat is None:
                    yield f"{self.own[key]}: {name.strip()}"
                elif is_card:
                    at = self._out[key]
                    rows[seat][at] = str(int(rows[seat][at] or 0) + 1)
                elif is_pledge:
                    rows[seat][self._out["pledge"]] = key.removeprefix(PLEDGE)
                else:
                    rows[seat][self._out["moon"]] = choice or "x"
                    shooter = True
        if choice and not shooter and self.plan.cells == "hearts":
            yield from self._settled(choice, sat, rows)

    def _settled(
        self, choice: str, sat: Sequence[PlayerColumn], rows: Sequence[list[str]]
    ) -> Iterator[str]:
        """Put how a moon was settled beside who took most hearts: nobody else can have shot."""
        taken = [cells.whole(row[self._out["hearts"]]).value or 0 for row in rows]
        most = [seat for seat, number in enumerate(taken) if number == max(taken)]
        if len(most) == 1:
            rows[most[0]][self._out["moon"]] = choice
        else:
            yield f"{self.own[CHOICE]}: {choice}"


class _GivenValues:
    """Values for columns that a file lacks, while its rows are read in their order."""

    def __init__(self, mapped: MappedTable) -> None:
        self.mapped = mapped
        self.values = mapped.values
        self.by_date = mapped.plan.given.get("round") == DATES and "round" not in mapped.at
        self.days: dict[object, int] = {}
        self.hands: dict[tuple[str, str, str], int] = {}

    def fill(self, row: list[str], who: str) -> None:
        """Fill the round, the table and the number of the hand of a row, where they are given.

        The n-th row of somebody at a table is hand n; so is the n-th row of a table, where a row
        is a hand.
        """
        at, mapped = self.mapped.columns.at, self.mapped
        if "round" not in mapped.at:
            row[at["round"]] = self._round(row) if self.by_date else self.values.get("round", "")
        if "table" not in mapped.at:
            row[at["table"]] = self.values.get("table", "")
        column = mapped.at.get("hand")
        if column is None or (column in mapped.added and not row[at["hand"]].strip()):
            place = (plain(row[at["round"]]).text, plain(row[at["table"]]).text, who)
            self.hands[place] = self.hands.get(place, 0) + 1
            row[at["hand"]] = str(self.hands[place])

    def _round(self, row: Sequence[str]) -> str:
        day = cells.day(row[self.mapped.columns.at["date"]])
        first = int(self.values["round"])
        return str(first + self.days.setdefault(day.value.options or day.text, len(self.days)))


def _is_sum(own: Sequence[str]) -> bool:
    first = next((text for cell in own if (text := plain(cell).text)), "")
    return first.rstrip(": ").casefold() in SUMS


def _player(index: int, label: str, player_id: str, people: People) -> PlayerColumn:
    person = people.person(player_id, "" if player_id else label)
    member = person.member or (None if player_id else people.called(label))
    names = {folded(label)}
    if member is not None:
        names |= {folded(member.name), folded(member.player_id)}
    own = player_id or (member.player_id if member is not None else "")
    return PlayerColumn(index, label, own, label, frozenset(names))


def _named_player(index: int, label: str, cell: str, people: People) -> PlayerColumn:
    """Return whose number stands in a column, by the name or id that a row has beside it."""
    text = plain(cell).text
    is_id = people.has_id(text)
    person = people.person(text if is_id else "", "" if is_id else cell)
    names = {folded(label), folded(text)}
    if person.member is not None:
        names |= {folded(person.member.name), folded(person.member.player_id)}
    return PlayerColumn(index, label, text if is_id else "", cell, frozenset(names))


def _seat_of(name: str, sat: Sequence[PlayerColumn]) -> int | None:
    """Return which of those who sat there a cell names: as written, without accents, or begun."""
    wanted = folded(name)
    plainer = letters(name)
    tests = (
        lambda one: wanted == one,
        lambda one: plainer == letters(one),
        lambda one: letters(one).startswith(f"{plainer} "),
    )
    for test in tests:
        seats = [seat for seat, one in enumerate(sat) if any(test(known) for known in one.names)]
        if len(seats) == 1:
            return seats[0]
    return None
