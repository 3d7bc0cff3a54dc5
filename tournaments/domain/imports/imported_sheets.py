"""What a reader of files returns: sheets with their entries, and lists of players."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from scoring.cards import read_card
from scoring.entry.sheet import seat_names
from scoring.rules.rules import Rules

NOBODY = 0
"""The key of a player that is not known (yet)."""
AS_WRITTEN = "as written"
"""Value of the column `sides` where partners who are no pair are meant."""


@dataclass(frozen=True, slots=True)
class MoonMark:
    """A moon mark: its choice and amount, if they are written; not read if they contradict."""

    text: str
    choice: str | None = None
    amount: int | None = None
    is_read: bool = True


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
    first, other, moon = _plain(stored_entry), _plain(new_entry), moon or {}
    by, shooter = moon.get("by"), other.get("shooter")
    is_shooter = isinstance(by, list) and isinstance(shooter, int) and shooter + 1 in by
    if is_shooter and "shooter" not in first:
        del other["shooter"]
        if "slam_choice" not in first and other.get("slam_choice") == moon.get("choice"):
            other.pop("slam_choice", None)
    return first == other


def _plain(entry: Mapping[str, object]) -> dict[str, object]:
    values = {key: _plain_value(key, value) for key, value in entry.items() if key != "kitty"}
    return {key: value for key, value in values.items() if value is not None and value != []}


def _plain_value(key: str, value: object) -> object:
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
