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
    """A moon mark of a sheet: the seat (index from 0), how and by how much it was settled."""

    seat: int
    choice: str | None
    amount: int | None
    text: str


@dataclass(frozen=True, slots=True)
class TypedHand:
    """One hand of a sheet.

    `lines` are those of its rows, `seat_lines` the line of each seat clockwise; `players` the
    players' keys clockwise, `NOBODY` where that is open. A held hand is checked but not taken.
    Number 0 is a sheet with totals only, `hands` then how many were played, if known. `key` is
    kept with the entry, so that what it came from is known again. `columns` are the file's columns
    of the seats clockwise, where a hand is one line. `board` is the number of the board that was
    played, where the file names one.
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

    `sat` says who had each seat in every hand that is written, held and refused ones included.
    `labels` are what the seats are called, where the file has no seats: by who sat there. With
    `keeps_sides` partners who are no pair are seated all the same.
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
        """Return what the seats are called, clockwise."""
        return self.labels or seat_names(self.seats)


@dataclass(frozen=True, slots=True)
class SheetRules:
    """The rules that a variant written on a sheet means in an event."""

    name: str
    rules: Rules
    options: Mapping[str, object]


def same_entry(
    there: Mapping[str, object],
    brought: Mapping[str, object],
    moon: Mapping[str, object] | None = None,
) -> bool:
    """Whether two entries say the same, however they are written.

    Neither the order of cards nor the spelling of a ten says anything, nor does an empty list, or
    the kitty, which no rule looks at. Where the entry that is there leaves open who shot, a mark at
    the seat that the engine found, with the settlement that it found, says no more.

    Args:
        moon: what the engine found in the entry that is there, as stored.

    >>> same_entry({"taken": [["QS", "TH"]]}, {"taken": [["10H", "QS"]], "declared": []})
    True
    """
    one, other = _plain(there), _plain(brought)
    by = (moon or {}).get("by")
    shooter = other.get("shooter")
    is_found = isinstance(by, list) and isinstance(shooter, int) and shooter + 1 in by
    if is_found and "shooter" not in one:
        del other["shooter"]
        if "slam_choice" not in one and other.get("slam_choice") == (moon or {}).get("choice"):
            other.pop("slam_choice", None)
    return one == other


def _plain(entry: Mapping[str, object]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in entry.items():
        if value is not None and key != "kitty":
            plain = _plain_value(key, value)
            if plain != []:
                found[key] = plain
    return found


def _plain_value(key: str, value: object) -> object:
    """Return a member of an entry with its cards in order; an empty list where it says nothing."""
    if not isinstance(value, list):
        return value
    if key in ("declared", "unclaimed"):
        return _cards(value)
    if key in ("taken", "pledges"):
        piles = [_cards(one) if isinstance(one, list) else one for one in value]
        return piles if any(piles) else []
    return value


def _cards(pile: Sequence[object]) -> list[str]:
    return sorted(read_card(card) or str(card) for card in pile)


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """One player as listed; an empty id is to be made, an empty name is known to the club."""

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
    """What the hands that can be imported make.

    Attributes:
        evenings: the dates, ascending; empty where no date is known.
        tables: how many tables get hands.
        new_rounds: numbers of the rounds that the event does not have yet, ascending.
        rounds: numbers of the event's own rounds that get hands, ascending.
        has_totals: whether of some table only the totals are known.
        has_unknown_hands: whether of some of these nobody knows how many hands they stand for.
    """

    evenings: tuple[date, ...]
    tables: int
    new_rounds: tuple[int, ...]
    rounds: tuple[int, ...]
    has_totals: bool = False
    has_unknown_hands: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the outline as it is kept."""
        return {
            "evenings": [day.isoformat() for day in self.evenings],
            "tables": self.tables,
            "new_rounds": list(self.new_rounds),
            "rounds": list(self.rounds),
            "has_totals": self.has_totals,
            "has_unknown_hands": self.has_unknown_hands,
        }


def outline_from(kept: Mapping[str, Any]) -> ImportOutline:
    """Return the outline that was kept."""
    return ImportOutline(
        tuple(date.fromisoformat(day) for day in kept["evenings"]),
        kept["tables"],
        tuple(kept["new_rounds"]),
        tuple(kept["rounds"]),
        kept["has_totals"],
        kept["has_unknown_hands"],
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
        """Return what all tables make together."""
        days = {day for day, _ in self.tables.values() if day is not None}
        new = {round_ for (round_, _), (_, is_new) in self.tables.items() if is_new}
        there = {round_ for round_, _ in self.tables} - new
        return ImportOutline(
            tuple(sorted(days)), len(self.tables), tuple(sorted(new)), tuple(sorted(there)),
            self.has_totals, self.has_unknown_hands,
        )  # fmt: skip
