"""A hand as texts at the boxes of its sheet ↔ its entry: for forms, grids, pasted text and files.

Pure. Texts are kept by box, one for each place: a seat, or a side where sides share one pile. A box
is a kind (`hearts`), or a kind with one card or meld (`cards-QS`, `melds-dix`). A `Reading` says
how an interface reads one text; what a blank among others means is the same for all of them.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

from scoring.cards import read_card
from scoring.entry.sheet import points_text
from scoring.json_types import JsonDict, JsonObject, is_list

KEYS: Final = {
    "hearts": "hearts", "cards": "taken", "tricks": "tricks", "trick_points": "trick_points",
    "melds": "melds", "pledge": "pledges", "points": "points", "clean": "clean",
    "charged": "declared", "unclaimed": "unclaimed", "moon": "shooter",
    "first_trick": "first_trick_by", "passer": "passer", "last_trick": "last_trick",
    "declared_out": "declared_out",
}  # fmt: skip
"""Kind of box → the key of the entry; a moon has `slam_choice` too."""
NUMBERS: Final = ("hearts", "points", "tricks", "trick_points")
"""Kinds with a number at each place."""
BLANKS: Final = {**dict.fromkeys(NUMBERS, 0), "pledge": None, "clean": False}
"""Kinds with a number, a word or a tick at each place → what a blank among others means."""
LISTS: Final = ("cards", "melds")
"""Kinds with a list at each place; a card or meld may have a box for its number."""
CARDS: Final = ("charged", "unclaimed")
"""Kinds that list cards of the whole hand."""
SEATS: Final = ("moon", "first_trick", "passer", "last_trick", "declared_out")
"""Kinds that name one seat of the hand."""
OF_A_SEAT: Final = tuple(KEYS[kind] for kind in SEATS)
"""Keys of an entry whose value is a seat from 0."""
OF_A_UNIT: Final = ("points", "clean")
"""Keys of an entry with one value for a side that pools; each is the kind of its box too."""
BY_SEAT: Final = tuple(KEYS[kind] for kind in (*BLANKS, *LISTS))
"""Keys of an entry whose value is a list with a part for each seat, or side."""
TELLING: Final = ("hearts", "cards", "trick_points", "melds", "points")
"""Kinds that tell one hand from another: where they are all blank or 0, equal hands are usual."""
_BESIDE = {"pledge", "charged", "passer", "declared_out"}
WAYS: Final = {
    "counts": {"hearts", "card", "tricks", "melds", "trick_points", *_BESIDE},
    "cards": {"cards", "tricks", "melds", "last_trick", *_BESIDE},
    "clean": {"clean"},
    "points": {"points", *_BESIDE},
}
"""Way of writing a hand → the kinds of boxes that it fills."""

Texts: TypeAlias = Mapping[str, Sequence[str]]
"""Box → the text at each place; a kind of the whole hand may have all its texts in any places."""

_IN_ORDER: Final = tuple(dict.fromkeys((*LISTS, *NUMBERS, *KEYS)))
"""The kinds in the order in which they are read: what is noted of cards comes before the rest."""
_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]{0,8})")


class Reading(Protocol):
    """How one interface reads its texts; None is a blank."""

    order: Sequence[str]
    """The keys in the order in which the interface stores them."""

    def values(self, kind: str, texts: Sequence[str]) -> list[Any]:
        """Return numbers, ticks or words; other text is left to the scorer."""

    def note(self, kind: str, texts: Sequence[str]) -> None:
        """Note what is odd about numbers, if anything; one that is blank among others is 0."""

    def items(self, kind: str, code: str, texts: Sequence[str]) -> list[list[str] | None]:
        """Return the cards or melds that each text lists, or as many of `code` as it says."""

    def seat(self, kind: str, texts: Sequence[str]) -> int | str | None:
        """Return the seat that is named; other text is left to the scorer."""

    def moon(self, texts: Sequence[str]) -> JsonDict:
        """Return who shot and the settlement, as far as they are written."""


def whole_number(text: str) -> int | None:
    """The whole number that a text is.

    >>> whole_number("-7"), whole_number("07"), whole_number("-0"), whole_number("٣")
    (-7, None, None, None)
    """
    if _WHOLE.fullmatch(text) and text != "-0":
        return int(text)
    return None


def entry_of(texts: Texts, places: int, reading: Reading) -> JsonDict:
    """The entry that texts make; a kind whose texts are all blank is left out."""
    entry: JsonDict = {}
    written = {box.partition("-")[0] for box in texts}
    for kind in _IN_ORDER:
        part = _part(kind, texts, places, reading) if kind in written else None
        if part is not None:
            entry[KEYS[kind]] = part
    if "hearts" in entry:
        entry.setdefault("taken", [[] for _ in range(places)])
    if "moon" in texts:
        entry |= reading.moon(texts["moon"])
    return {key: entry[key] for key in reading.order if key in entry}


def _part(kind: str, texts: Texts, places: int, reading: Reading) -> object:
    if kind in BLANKS:
        return _values(kind, texts[kind], reading)
    if kind in LISTS:
        return _lists(kind, texts, places, reading)
    if kind in CARDS:
        items = reading.items(kind, "", texts[kind])
        return [code for codes in items for code in codes or ()] or None
    if kind == "moon":
        return None
    return reading.seat(kind, texts[kind])


def _values(kind: str, texts: Sequence[str], reading: Reading) -> list[Any] | None:
    values = reading.values(kind, texts)
    if values.count(None) == len(values):
        return None
    if kind in NUMBERS:
        reading.note(kind, texts)
    return [BLANKS[kind] if value is None else value for value in values]


def _lists(kind: str, texts: Texts, places: int, reading: Reading) -> list[list[str]] | None:
    lists: list[list[str]] = [[] for _ in range(places)]
    is_written = False
    for box, cells in texts.items():
        box_kind, _dash, code = box.partition("-")
        for place, items in enumerate(reading.items(kind, code, cells) if box_kind == kind else ()):
            if items is not None:
                lists[place] += items
                is_written = True
    return lists if is_written else None


def texts_of(
    entry: JsonObject,
    places: int,
    *,
    sides: Sequence[Sequence[int]],
    cards: Collection[str],
    melds: Collection[str] = (),
    tick: str = "x",
) -> dict[str, list[str]]:
    """The texts that show an entry at the places of a sheet.

    Args:
        sides: the seats of each unit; partners who pool have the same points.
        cards: the cards with a box of their own; `melds`: the melds with one.
        tick: what marks a seat; a settlement takes its place.
    """
    unit_of = {seat: unit for unit, side in enumerate(sides) for seat in side}
    texts: dict[str, list[str]] = {}
    for kind, key in KEYS.items():
        value = entry.get(key)
        if value is None or (kind not in SEATS and not is_list(value)):
            continue
        if kind in LISTS:
            texts |= _list_texts(kind, value, cards if kind == "cards" else melds)
        elif kind in CARDS:
            texts[kind] = [" ".join(map(str, value)), *[""] * (places - 1)]
        elif kind in SEATS:
            mark = str(entry.get("slam_choice") or tick) if kind == "moon" else tick
            texts[kind] = [mark if place == value else "" for place in range(places)]
        else:
            units = [
                unit_of.get(seat, seat) if key in OF_A_UNIT else seat for seat in range(places)
            ]
            texts[kind] = [_text(value[unit]) if unit < len(value) else "" for unit in units]
    return texts


def _list_texts(
    kind: str, lists: Sequence[Sequence[object] | None], codes: Collection[str]
) -> dict[str, list[str]]:
    """Count what has a box of its own; list the rest."""
    written = [[read_card(item) or str(item) for item in items or ()] for items in lists]
    texts = {f"{kind}-{code}": [str(items.count(code)) for items in written] for code in codes}
    rest = [" ".join(item for item in items if item not in codes) for items in written]
    return texts | {kind: rest}


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return points_text(value)


def same_entry(
    stored_entry: Mapping[str, object],
    new_entry: Mapping[str, object],
    moon: Mapping[str, object] | None = None,
) -> bool:
    """Whether two entries have the same content, however they are written.

    The order of cards and melds, the spelling of a ten, empty lists and the kitty, which no rule
    looks at, do not matter. If the stored entry does not name the shooter, a mark at the seat that
    the engine found, with the choice that it found, adds nothing.

    Args:
        moon: what the engine found in the stored entry.

    >>> same_entry({"taken": [["QS", "TH"]]}, {"taken": [["10H", "QS"]], "declared": []})
    True
    """
    first, other, moon = _plain(stored_entry), _plain(new_entry), moon or {}
    by = moon.get("by")
    shooter = other.get("shooter")
    is_shooter = isinstance(by, list) and isinstance(shooter, int) and shooter + 1 in by
    if is_shooter and "shooter" not in first:
        del other["shooter"]
        if "slam_choice" not in first and other.get("slam_choice") == moon.get("choice"):
            other.pop("slam_choice", None)
    return first == other


def is_repeated(
    stored_entry: Mapping[str, object],
    new_entry: Mapping[str, object],
    moon: Mapping[str, object] | None = None,
) -> bool:
    """Whether a new hand looks like a stored one that was entered again.

    Hands in which nothing is counted (all zeros, or only who took nothing) do not.

    >>> is_repeated({"points": [20, 6, 0, 0]}, {"points": [20, 6, 0, 0]})
    True
    >>> is_repeated({"points": [0, 0, 0, 0]}, {"points": [0, 0, 0, 0]})
    False
    """
    return tells(new_entry) and same_entry(stored_entry, new_entry, moon)


def tells(entry: Mapping[str, object]) -> bool:
    """Whether an entry counts anything: cards, melds or a number that is not 0."""
    values = [entry.get(KEYS[kind]) for kind in TELLING]
    return any(any(value) for value in values if isinstance(value, list))


def _plain(entry: Mapping[str, object]) -> dict[str, object]:
    values = {key: _plain_value(key, value) for key, value in entry.items() if key != "kitty"}
    return {key: value for key, value in values.items() if value is not None and value != []}


def _plain_value(key: str, value: object) -> object:
    if not isinstance(value, list):
        return value
    if key in ("declared", "unclaimed"):
        return _cards(value)
    if key in ("taken", "pledges", "melds"):
        piles = [_cards(pile) if isinstance(pile, list) else pile for pile in value]
        return piles if any(piles) else []
    return value


def _cards(pile: Sequence[object]) -> list[str]:
    return sorted(read_card(card) or str(card) for card in pile)
