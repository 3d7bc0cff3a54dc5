"""From the fields of the hand form to an entry and back.

Shape only: what cannot be read as a number stays as it was typed, for the scorer to refuse.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from scoring.cards import codes_in
from scoring.entry.sheet import Box, boxes, complex_points, heart_cards, points_text, trick_values
from scoring.entry.typed_hand import form_of
from scoring.json_types import JsonDict, JsonObject
from scoring.numbers import ScoreJson
from scoring.rules.rules import Rules
from tournaments.selectors.hands.score_sheet_views import HandView

Fields: TypeAlias = dict[str, list[str]]
"""Values of the form: field name → its values; a seat's fields end in its number from 1."""

UNCLAIMED: Final = 0
"""The row of the cards that nobody gets."""
LONGEST: Final = 40
LONGEST_PILE: Final = 1_000
"""Letters of one pile typed card by card: every card of six packs."""

_WHOLE: Final = re.compile(r"-?(0|[1-9][0-9]{0,8})")
_OF_A_ROW: Final = ("hearts", "cards", "tricks", "trick_points", "clean", "points")
MARKED: Final = ("shooter", "first_trick_by", "passer", "last_trick", "declared_out")
"""Fields that hold the number of a seat."""
_OF_THE_HAND: Final = ("charged", "slam_choice", *MARKED)
MOST_OF_A_MELD: Final = 20
"""Maximum number of one meld; no pack allows more."""
_WAYS: Final = {
    "counts": (
        "hearts",
        "card",
        "tricks",
        "pledge",
        "charged",
        "passer",
        "melds",
        "trick_points",
        "declared_out",
    ),
    "cards": (
        "cards",
        "tricks",
        "pledge",
        "charged",
        "passer",
        "melds",
        "last_trick",
        "declared_out",
    ),
    "clean": ("clean",),
    "points": ("points", "pledge", "charged", "passer", "declared_out"),
}
"""Way of writing a hand → the kinds of boxes it fills."""


@dataclass(frozen=True, slots=True)
class EntryFields:
    """The fields of the page for one table.

    Attributes:
        boxes: the boxes of the rules for so many seats.
        seats: players at the table.
        sides: the seats (from 1) of each row: one, or both of a side that pools.
        hearts: the hearts that a count of them covers.
        trick_cards: card → its trick points, where rules with melds have them.
        last_trick: the points of the last trick there.
    """

    boxes: tuple[Box, ...]
    seats: int
    sides: tuple[tuple[int, ...], ...]
    hearts: tuple[str, ...]
    trick_cards: Mapping[str, int] = field(default_factory=dict)
    last_trick: int = 0

    @property
    def rows(self) -> tuple[int, ...]:
        return tuple(side[0] for side in self.sides)

    def row_of(self, seat: int) -> int:
        return next((side[0] for side in self.sides if seat in side), UNCLAIMED)

    def box(self, kind: str) -> Box | None:
        return next((box for box in self.boxes if box.kind == kind), None)

    @property
    def copies(self) -> dict[str, int]:
        """The cards with a field of their own, each with how many of it a hand has."""
        return {box.card: box.maximum or 1 for box in self.boxes if box.kind == "card" and box.card}

    @property
    def meld_labels(self) -> dict[str, str]:
        """The melds of the sheet, by id, with their names."""
        box = self.box("melds")
        return dict(zip(box.choices, box.labels, strict=True)) if box else {}

    @property
    def melds(self) -> tuple[str, ...]:
        return tuple(self.meld_labels)

    @property
    def trick_total(self) -> int:
        """What the trick points of all seats total; 0 where the sheet does not ask for them."""
        box = self.box("trick_points")
        return (box.maximum or 0) if box else 0

    @property
    def ways(self) -> tuple[str, ...]:
        clean = ("clean",) if self.box("clean") else ()
        return ("counts", *clean, "cards", "points")

    def of_way(self, way: str) -> tuple[Box, ...]:
        return tuple(box for box in self.boxes if box.kind in _WAYS[way])


def sheet_of(rules: Rules, seats: int, sides: Sequence[Sequence[int]] | None) -> EntryFields:
    """Return the sheet of some rules; `sides` are the seat indices of each side, if there are."""
    rows: list[tuple[int, ...]] = [(seat,) for seat in range(1, seats + 1)]
    if rules.keys.teams.mode == "pooled" and sides:
        rows = [tuple(seat + 1 for seat in side) for side in sides]
    hearts, (cards, last) = heart_cards(rules, seats), trick_values(rules, seats)
    return EntryFields(boxes(rules, seats), seats, tuple(rows), hearts, cards, last)


def posted_fields(sheet: EntryFields, posted: Mapping[str, Sequence[str]]) -> Fields:
    names = {f"{kind}-{row}" for kind in _OF_A_ROW for row in (UNCLAIMED, *sheet.rows)}
    names |= {f"card-{card}" for card in sheet.copies} | set(_OF_THE_HAND)
    names |= {f"pledge-{seat}" for seat in range(1, sheet.seats + 1)}
    names |= {meld_field(seat, meld) for seat in range(1, sheet.seats + 1) for meld in sheet.melds}
    cut = {name: LONGEST_PILE if name.startswith("cards-") else LONGEST for name in names}
    return {
        name: [value.strip()[: cut[name]] for value in values[: sheet.seats * 4] if value.strip()]
        for name, values in posted.items()
        if name in names
    }


def first(fields: Mapping[str, Sequence[str]], name: str) -> str:
    values = fields.get(name) or [""]
    return values[0]


def number_in(text: str) -> int | None:
    """Return the whole number that a field holds; `None` for an empty field or anything else."""
    text = text.replace("\u2212", "-")
    return int(text) if _WHOLE.fullmatch(text) and text != "-0" else None


def card_count(fields: Mapping[str, Sequence[str]], card: str, row: int) -> int:
    """Return how many copies of a card a row has."""
    return [number_in(holder) for holder in fields.get(f"card-{card}", ())].count(row)


def count_at(fields: Mapping[str, Sequence[str]], name: str) -> int:
    """Return the whole number that a field holds; 0 for anything else."""
    return number_in(first(fields, name)) or 0


def entry_of(sheet: EntryFields, way: str, fields: Mapping[str, Sequence[str]]) -> JsonDict:
    """Return the entry that the fields of one way of writing make (docs/api.md).

    A row that was left empty took nothing; the sum says whether that can be.
    """
    entry: dict[str, Any] = {}
    if way == "points":
        entry["points"] = [_points(first(fields, f"points-{row}")) for row in sheet.rows]
    elif way == "clean":
        entry["clean"] = [bool(first(fields, f"clean-{row}")) for row in sheet.rows]
    elif way == "cards":
        entry |= _cards_of_seats(sheet, fields)
    elif sheet.melds:
        entry["trick_points"] = _per_seat(sheet, "trick_points", fields)
    else:
        entry |= _counts(sheet, fields)
    if sheet.melds and way != "points":
        entry["melds"] = [_melds_of(sheet, seat, fields) for seat in range(1, sheet.seats + 1)]
    if way != "clean":
        entry |= _extras(sheet, way, fields)
    if choice := first(fields, "slam_choice"):
        entry["slam_choice"] = choice
    for mark in MARKED:
        if seat := number_in(first(fields, mark)):
            entry[mark] = seat - 1
    return entry


def with_unshown(sheet: EntryFields, entry: JsonDict, hand: HandView | None) -> JsonDict:
    """Return a correction with the members of the hand's stored entry that no field shows.

    Such are the kitty, and tricks that the rules do not ask for. Points or clean hands in place of
    cards, or cards in place of these, keep nothing.
    """
    stored = hand.entry if hand is not None else None
    forms = {form_of(entry), form_of(stored or entry)}
    if not stored or (len(forms) > 1 and not forms <= {"counts", "cards"}):
        return entry
    shown = entry_of(sheet, way_of(sheet, stored), fields_of(sheet, stored))
    unshown = {key: value for key, value in stored.items() if key not in shown}
    return {key: value for key, value in unshown.items() if value not in (None, [], "")} | entry


def meld_field(seat: int, meld: str) -> str:
    return f"melds-{seat}-{meld}"


def _melds_of(sheet: EntryFields, seat: int, fields: Mapping[str, Sequence[str]]) -> list[str]:
    melds: list[str] = []
    for meld in sheet.melds:
        count = _count(first(fields, meld_field(seat, meld)))
        if isinstance(count, int):
            melds += [meld] * min(count, MOST_OF_A_MELD)
        else:
            melds.append(count)
    return melds


def _counts(sheet: EntryFields, fields: Mapping[str, Sequence[str]]) -> dict[str, object]:
    entry: dict[str, Any] = {}
    piles: list[list[str]] = [[] for _ in range(sheet.seats)]
    if sheet.hearts:
        entry["hearts"] = _per_seat(sheet, "hearts", fields)
    for card in sheet.copies:
        for holder in fields.get(f"card-{card}", ()):
            if 0 < (seat := number_in(holder) or 0) <= sheet.seats:
                piles[seat - 1].append(card)
    return entry | {"taken": piles} | _tricks(sheet, fields)


def _cards_of_seats(sheet: EntryFields, fields: Mapping[str, Sequence[str]]) -> JsonDict:
    piles: list[list[str]] = [[] for _ in range(sheet.seats)]
    for row in sheet.rows:
        piles[row - 1] = codes_in(first(fields, f"cards-{row}"))
    return {"taken": piles} | _tricks(sheet, fields)


def _tricks(sheet: EntryFields, fields: Mapping[str, Sequence[str]]) -> dict[str, object]:
    is_written = any(first(fields, f"tricks-{row}") for row in sheet.rows)
    if not (sheet.box("tricks") and is_written):
        return {}
    return {"tricks": _per_seat(sheet, "tricks", fields)}


def _unclaimed(sheet: EntryFields, way: str, fields: Mapping[str, Sequence[str]]) -> list[str]:
    if way == "cards":
        return codes_in(first(fields, f"cards-{UNCLAIMED}"))
    n_hearts = count_at(fields, f"hearts-{UNCLAIMED}")
    unclaimed = list(sheet.hearts[: max(n_hearts, 0)])
    for card in sheet.copies:
        unclaimed += [card] * card_count(fields, card, UNCLAIMED)
    return unclaimed


def _extras(sheet: EntryFields, way: str, fields: Mapping[str, Sequence[str]]) -> JsonDict:
    entry: dict[str, Any] = {}
    if unclaimed := _unclaimed(sheet, way, fields):
        entry["unclaimed"] = unclaimed
    if charged := [value for value in fields.get("charged", ()) if value]:
        entry["declared"] = charged
    pledges = [first(fields, f"pledge-{seat}") or None for seat in range(1, sheet.seats + 1)]
    if sheet.box("pledge") and any(pledges):  # each player's own, in a side too
        entry["pledges"] = pledges
    return entry


def _per_seat(
    sheet: EntryFields, kind: str, fields: Mapping[str, Sequence[str]]
) -> list[int | str]:
    texts = (first(fields, f"{kind}-{seat}") for seat in range(1, sheet.seats + 1))
    return [_count(text) for text in texts]


def _count(text: str) -> int | str:
    number = number_in(text)
    return (text or 0) if number is None else number


def _points(text: str) -> ScoreJson:
    if points := complex_points(text):
        return points
    number = _count(text)
    return number.replace("\u2212", "-") if isinstance(number, str) else number


_OWN: Final = {"counts": ("hearts-", "card-", "trick_points-"), "cards": ("cards-",)}
"""Way of writing → how its own fields begin."""


def way_of(sheet: EntryFields, entry: JsonObject) -> str:
    """Return the way in which an entry was written.

    Cards that the page has no mark for, the hearts that are counted above all, were typed.
    """
    if sheet.melds and ("taken" in entry or "points" not in entry):
        return "cards" if "taken" in entry and "trick_points" not in entry else "counts"
    if "hearts" in entry or "taken" in entry:
        cards = {code for pile in entry.get("taken") or () for code in pile}
        has_hearts_listed = entry.get("hearts") is None and not cards <= sheet.copies.keys()
        return "cards" if has_hearts_listed else "counts"
    return "clean" if "clean" in entry and "clean" in sheet.ways else "points"


def fields_of(sheet: EntryFields, entry: JsonObject, way: str = "") -> Fields:
    """Return the fields that show an entry again, for a revision of it, in its way or another."""
    fields: Fields = {}
    piles, unclaimed = entry.get("taken") or [], entry.get("unclaimed") or []
    way = way or way_of(sheet, entry)
    row_piles = [(UNCLAIMED, unclaimed)]
    row_piles += [(sheet.row_of(seat), pile) for seat, pile in enumerate(piles, start=1)]
    if way == "cards":
        _fill_piles(fields, row_piles)
    else:
        hearts = entry.get("hearts")
        if hearts is None and piles and sheet.hearts:
            hearts = [sum(card in sheet.hearts for card in pile) for pile in piles]
        _fill(fields, sheet, "hearts", hearts)
        _fill_cards(fields, sheet, row_piles)
    _fill(fields, sheet, "tricks", entry.get("tricks"))
    _fill(fields, sheet, "trick_points", _trick_points_of(sheet, entry, way))
    _fill_melds(fields, sheet, entry.get("melds"))
    pledges = enumerate(entry.get("pledges") or [], start=1)
    fields |= {f"pledge-{seat}": [str(pledge)] for seat, pledge in pledges if pledge}
    for kind in ("points", "clean"):
        for row, value in zip(sheet.rows, entry.get(kind) or [], strict=False):
            if value is not False:
                fields[f"{kind}-{row}"] = ["1" if value is True else points_text(value)]
    fields["charged"] = [str(card) for card in entry.get("declared") or []]
    if entry.get("slam_choice"):
        fields["slam_choice"] = [str(entry["slam_choice"])]
    for mark in MARKED:
        if mark == "last_trick" and sheet.melds and way == "counts":
            continue  # the trick points have it
        if isinstance(entry.get(mark), int):
            fields[mark] = [str(sheet.row_of(entry[mark] + 1))]
    return fields


def _trick_points_of(sheet: EntryFields, entry: JsonObject, way: str) -> Sequence[object] | None:
    points: Sequence[Any] | None = entry.get("trick_points")
    if points is None and entry.get("taken") and sheet.melds and way == "counts":
        last = entry.get("last_trick")
        points = [
            sum(sheet.trick_cards.get(card, 0) for card in pile) + sheet.last_trick * (seat == last)
            for seat, pile in enumerate(entry["taken"])
        ]
    return points


def _fill(
    fields: Fields, sheet: EntryFields, kind: str, seat_values: Sequence[object] | None
) -> None:
    for seat, value in enumerate(seat_values or [], start=1):
        name = f"{kind}-{sheet.row_of(seat)}"
        values = fields.get(name)
        was = number_in(values[0]) if values else None
        if isinstance(value, int) and was is not None:
            fields[name] = [str(value + was)]
        elif value is not None and not values:
            fields[name] = [str(value)]


def _fill_melds(fields: Fields, sheet: EntryFields, melds: object) -> None:
    for seat, names in enumerate(melds if isinstance(melds, list) else (), start=1):
        for meld in sheet.melds if isinstance(names, list) else ():
            if times := names.count(meld):
                fields[meld_field(seat, meld)] = [str(times)]


def _fill_cards(
    fields: Fields, sheet: EntryFields, piles: Sequence[tuple[int, Sequence[str]]]
) -> None:
    for card in sheet.copies:
        if holders := [str(row) for row, pile in piles for code in pile if code == card]:
            fields[f"card-{card}"] = holders
    if n_hearts := sum(card in sheet.hearts for card in piles[0][1]):
        fields[f"hearts-{UNCLAIMED}"] = [str(n_hearts)]


def _fill_piles(fields: Fields, piles: Sequence[tuple[int, Sequence[str]]]) -> None:
    for row, pile in piles:
        if pile:
            name = f"cards-{row}"
            fields[name] = [" ".join([*fields.get(name, ()), *map(str, pile)])]


def converted_fields(sheet: EntryFields, way: str, to: str, fields: Fields) -> Fields:
    """Return the fields with the cards converted from one way of writing to the other, if empty.

    Counted hearts cannot be listed as cards; everything else can.
    """
    if way == to or not {way, to} <= _OWN.keys() or any(n.startswith(_OWN[to]) for n in fields):
        return fields
    entry = entry_of(sheet, way, fields)
    if entry.pop("hearts", None):
        entry.pop("unclaimed", None)
    converted = fields_of(sheet, entry, to)
    way_fields = {name: values for name, values in converted.items() if name.startswith(_OWN[to])}
    numbers = [name for name in way_fields if name.startswith(("hearts-", "trick_points-"))]
    nothing = {name for name in numbers if way_fields[name] == ["0"]}
    return fields | {name: way_fields[name] for name in way_fields.keys() - nothing}
