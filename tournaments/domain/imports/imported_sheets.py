"""What a reader of files returns: sheets with their entries, lists of players, outlines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from scoring.cards import read_card
from scoring.entry.sheet import seat_names
from scoring.rules.rules import Rules

NOBODY = 0
"""The key of a player that is not known (yet)."""
AS_WRITTEN = "as written"
"""Value of the column `sides` where partners who are no pair are meant."""


@dataclass(frozen=True, slots=True)
class MoonMark:
    """A moon mark of a sheet: the seat (index from 0), its choice and its amount."""

    seat: int
    choice: str | None
    amount: int | None
    text: str


@dataclass(frozen=True, slots=True)
class TypedHand:
    """One hand of a sheet.

    `lines` are those of its rows, `seat_lines` the line of each seat clockwise; `players` the
    players' keys clockwise, `NOBODY` for open seats. A held hand is checked but not accepted.
    Number 0 is a sheet with totals only, `hands` then how many were played, if known. `key` is
    stored with the entry and identifies its source. `columns` are the file's columns of the seats
    clockwise, if a hand is one line. `board` is the number of the board, if the file has one.
    """

    number: int
    lines: tuple[int, ...]
    seat_lines: tuple[int, ...]
    entry: dict[str, object]
    players: tuple[int, ...]
    mark: MoonMark | None
    is_held: bool
    hands: int | None = 1
    key: str | None = None
    columns: tuple[str, ...] = ()
    board: int | None = None


@dataclass(frozen=True, slots=True)
class TypedSheet:
    """One table's sheet as typed, ready to be judged.

    `sat` has the players of every written hand, held and refused ones included. `labels` are the
    names of the seats if the file has no seats: their players. With `keeps_sides` partners who are
    no pair are seated all the same.
    """

    round: int
    table: int
    lines: tuple[int, ...]
    day: date | None
    variant: str
    seats: int
    hands: tuple[TypedHand, ...]
    sat: Mapping[int, tuple[int, ...]]
    labels: tuple[str, ...] = ()
    keeps_sides: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Return the labels of the seats, clockwise."""
        return self.labels or seat_names(self.seats)


@dataclass(frozen=True, slots=True)
class SheetRules:
    """The rules that a variant written on a sheet means in an event."""

    name: str
    rules: Rules
    options: Mapping[str, object]


def same_entry(
    stored_entry: Mapping[str, object],
    new_entry: Mapping[str, object],
    moon: Mapping[str, object] | None = None,
) -> bool:
    """Whether two entries have the same content, however they are written.

    The order of cards, the spelling of a ten, empty lists and the kitty, which no rule looks at, do
    not matter. If the stored entry does not name the shooter, a mark at the seat that the engine
    found, with the choice that it found, adds nothing.

    Args:
        moon: what the engine found in the stored entry.

    >>> same_entry({"taken": [["QS", "TH"]]}, {"taken": [["10H", "QS"]], "declared": []})
    True
    """
    first, other = _plain(stored_entry), _plain(new_entry)
    by = (moon or {}).get("by")
    shooter = other.get("shooter")
    is_found = isinstance(by, list) and isinstance(shooter, int) and shooter + 1 in by
    if is_found and "shooter" not in first:
        del other["shooter"]
        if "slam_choice" not in first and other.get("slam_choice") == (moon or {}).get("choice"):
            other.pop("slam_choice", None)
    return first == other


def _plain(entry: Mapping[str, object]) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in entry.items():
        if value is not None and key != "kitty":
            plain = _plain_value(key, value)
            if plain != []:
                values[key] = plain
    return values


def _plain_value(key: str, value: object) -> object:
    """Return a member of an entry with its cards in order; an empty list where it says nothing."""
    if not isinstance(value, list):
        return value
    if key in ("declared", "unclaimed"):
        return _cards(value)
    if key in ("taken", "pledges"):
        piles = [_cards(pile) if isinstance(pile, list) else pile for pile in value]
        return piles if any(piles) else []
    return value


def _cards(pile: Sequence[object]) -> list[str]:
    return sorted(read_card(card) or str(card) for card in pile)


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """One player of a list; an empty id is to be assigned, an empty name is that in the club."""

    line: int
    player_id: str
    name: str
    joined: date | None = None
    start_position: int | None = None


@dataclass(frozen=True, slots=True)
class ListedPair:
    """One pair as listed: its own id and its two players."""

    line: int
    pair_id: str
    players: tuple[ListedPlayer, ListedPlayer]


@dataclass(frozen=True, slots=True)
class ImportOutline:
    """The evenings, tables and rounds of the hands that can be imported.

    Attributes:
        evenings: the dates, ascending; empty if no date is known.
        tables: how many tables get hands.
        new_rounds: numbers of the rounds that the event does not have yet, ascending.
        rounds: numbers of the event's own rounds that get hands, ascending.
        has_totals: whether some table has only totals.
        has_unknown_hands: whether some totals stand for an unknown number of hands.
    """

    evenings: tuple[date, ...]
    tables: int
    new_rounds: tuple[int, ...]
    rounds: tuple[int, ...]
    has_totals: bool = False
    has_unknown_hands: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the outline as it is stored."""
        return {
            "evenings": [day.isoformat() for day in self.evenings],
            "tables": self.tables,
            "new_rounds": list(self.new_rounds),
            "rounds": list(self.rounds),
            "has_totals": self.has_totals,
            "has_unknown_hands": self.has_unknown_hands,
        }


def outline_from(document: Mapping[str, Any]) -> ImportOutline:
    return ImportOutline(
        tuple(date.fromisoformat(day) for day in document["evenings"]),
        document["tables"],
        tuple(document["new_rounds"]),
        tuple(document["rounds"]),
        document["has_totals"],
        document["has_unknown_hands"],
    )


@dataclass(slots=True)
class OutlineNotes:
    """The tables of a file so far, each with its date and whether its round is new."""

    tables: dict[tuple[int, int], tuple[date | None, bool]] = field(default_factory=dict)
    has_totals: bool = False
    has_unknown_hands: bool = False

    def add_totals(self, hands: int | None) -> None:
        """Note that a table has totals, and how many hands they stand for."""
        self.has_totals = True
        self.has_unknown_hands = self.has_unknown_hands or hands is None

    def add(self, round_: int, table: int, day: date | None, *, is_new: bool) -> None:
        """Note that a table gets hands."""
        self.tables[round_, table] = (day, is_new)

    def outline(self) -> ImportOutline:
        """Return the outline of all tables together."""
        days = {day for day, _ in self.tables.values() if day is not None}
        new_rounds = {round_ for (round_, _), (_, is_new) in self.tables.items() if is_new}
        event_rounds = {round_ for round_, _ in self.tables} - new_rounds
        return ImportOutline(
            tuple(sorted(days)), len(self.tables), tuple(sorted(new_rounds)),
            tuple(sorted(event_rounds)), self.has_totals, self.has_unknown_hands,
        )  # fmt: skip
