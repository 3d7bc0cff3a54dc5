"""From the fields of the hand form to an entry and back.

Shape only: what cannot be read as a number stays as it was typed, for the scorer to refuse.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from scoring.cards import codes_in
from scoring.entry import codec
from scoring.entry.codec import OF_A_SEAT, OF_A_UNIT
from scoring.entry.sheet import (
    MOST_OF_A_MELD,
    Box,
    boxes,
    complex_points,
    heart_cards,
    trick_values,
)
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

_OF_A_ROW: Final = (*codec.NUMBERS, "cards", "clean")

_OF_THE_HAND: Final = ("charged", "slam_choice", *OF_A_SEAT)


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
        if not box:
            return {}
        return dict(zip(box.choices, box.labels, strict=True))

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
        return tuple(box for box in self.boxes if box.kind in codec.WAYS[way])


_OWN: Final = {"counts": ("hearts-", "card-", "trick_points-"), "cards": ("cards-",)}
"""Way of writing → how its own fields begin."""


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
    return codec.whole_number(text.replace("\u2212", "-"))


def card_count(fields: Mapping[str, Sequence[str]], card: str, row: int) -> int:
    """Return how many copies of a card a row has."""
    return [number_in(holder) for holder in fields.get(f"card-{card}", ())].count(row)


def count_at(fields: Mapping[str, Sequence[str]], name: str) -> int:
    """Return the whole number that a field holds; 0 for anything else."""
    return number_in(first(fields, name)) or 0


class FormReading(codec.Reading):
    """How the form reads its fields: a blank is 0, and what is no number stays as it was typed."""

    order = (
        "hearts",
        "taken",
        "tricks",
        "clean",
        "points",
        "trick_points",
        "melds",
        "unclaimed",
        "declared",
        "pledges",
        "slam_choice",
        *OF_A_SEAT,
    )

    def values(self, kind: str, texts: Sequence[str]) -> list[ScoreJson | bool | None]:
        if kind == "clean":
            return [bool(text) for text in texts]
        if kind == "pledge":
            return [text or None for text in texts]
        if kind == "tricks" and not any(texts):
            return [None for _ in texts]
        return [_points(text) if kind == "points" else _count(text) for text in texts]

    def note(self, kind: str, texts: Sequence[str]) -> None:
        """Note nothing: the form shows what was typed."""

    def items(self, kind: str, code: str, texts: Sequence[str]) -> list[list[str] | None]:
        if kind == "charged":
            return [[text] for text in texts]
        return [_copies(kind, code, _count(text)) if code else codes_in(text) for text in texts]

    def seat(self, kind: str, texts: Sequence[str]) -> int | None:
        number = number_in(texts[0])
        return number - 1 if number else None

    def moon(self, texts: Sequence[str]) -> JsonDict:
        parts = {"slam_choice": texts[1] or None, "shooter": self.seat("moon", texts)}
        return {key: part for key, part in parts.items() if part is not None}


_READING: Final = FormReading()


def entry_of(sheet: EntryFields, way: str, fields: Mapping[str, Sequence[str]]) -> JsonDict:
    """Return the entry that the fields of one way of writing make (docs/api.md).

    A row that was left empty took nothing; the sum says whether that can be.
    """
    return codec.entry_of(_texts(sheet, way, fields), sheet.seats, _READING)


def _points(text: str) -> ScoreJson:
    if points := complex_points(text):
        return points
    number = _count(text)
    if not isinstance(number, str):
        return number
    return number.replace("\u2212", "-")


def _copies(kind: str, code: str, number: int | str) -> list[str]:
    """Return so many of a card or meld; text that is no number is left to the scorer."""
    if isinstance(number, str):
        return [number]
    return [code] * (min(number, MOST_OF_A_MELD) if kind == "melds" else number)


def _texts(
    sheet: EntryFields, way: str, fields: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Return the fields of one way as texts at the boxes of the sheet."""
    seats = range(1, sheet.seats + 1)
    texts: dict[str, Sequence[str]] = {
        kind: [first(fields, codec.KEYS[kind])] for kind in codec.SEATS
    }
    texts["moon"] = [*texts["moon"], first(fields, "slam_choice")]
    for kind in dict.fromkeys(box.kind for box in sheet.of_way(way)):
        if kind == "card":
            for card in sheet.copies:
                texts[f"cards-{card}"] = [str(card_count(fields, card, seat)) for seat in seats]
        elif kind == "melds":
            for meld in sheet.melds:
                names = (meld_field(seat, meld) for seat in seats)
                texts[f"melds-{meld}"] = [first(fields, name) for name in names]
        elif kind not in texts:
            rows = sheet.rows if kind in OF_A_UNIT else seats
            texts[kind] = [first(fields, f"{kind}-{row}") for row in rows]
    if way != "clean":
        texts["charged"] = [text for text in fields.get("charged", ()) if text]
        texts["unclaimed"] = _unclaimed(sheet, way, fields)
    return texts


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


def _unclaimed(sheet: EntryFields, way: str, fields: Mapping[str, Sequence[str]]) -> list[str]:
    if way == "cards":
        return [first(fields, f"cards-{UNCLAIMED}")]
    n_hearts = count_at(fields, f"hearts-{UNCLAIMED}")
    unclaimed = list(sheet.hearts[: max(n_hearts, 0)])
    for card in sheet.copies:
        unclaimed += [card] * card_count(fields, card, UNCLAIMED)
    return unclaimed


def _count(text: str) -> int | str:
    number = number_in(text)
    if number is not None:
        return number
    return text or 0


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
    way = way or way_of(sheet, entry)
    counted = _counted(sheet, entry, way)
    unclaimed = entry.get("unclaimed") or []
    sides = [[seat - 1 for seat in side] for side in sheet.sides]
    cards = () if way == "cards" else sheet.copies
    texts = codec.texts_of(counted, sheet.seats, sides=sides, cards=cards, melds=sheet.melds)
    texts.pop("melds", None)  # only those with a field of their own are shown
    if way != "cards":
        del texts["cards"]
    fields: Fields = {}
    for box, cells in texts.items():
        start = 0 if box.startswith("cards") else 1
        for seat, text in (
            enumerate(cells, start) if box not in (*codec.CARDS, *codec.SEATS) else ()
        ):
            _fill(fields, box, seat, sheet.row_of(seat), text)
    if way != "cards" and (n_hearts := sum(card in sheet.hearts for card in unclaimed)):
        fields[f"hearts-{UNCLAIMED}"] = [str(n_hearts)]
    fields["charged"] = [str(card) for card in entry.get("declared") or []]
    if entry.get("slam_choice"):
        fields["slam_choice"] = [str(entry["slam_choice"])]
    for mark in OF_A_SEAT:
        if isinstance(counted.get(mark), int):
            fields[mark] = [str(sheet.row_of(counted[mark] + 1))]
    return fields


def _counted(sheet: EntryFields, entry: JsonObject, way: str) -> JsonDict:
    """Return an entry as the fields of a way count it; its first pile are the unclaimed cards."""
    counted = dict(entry)
    piles = entry.get("taken") or []
    counted["taken"] = [entry.get("unclaimed") or [], *piles]
    if way == "cards":
        counted.pop("hearts", None)
    elif piles and sheet.hearts and entry.get("hearts") is None:
        counted["hearts"] = [sum(card in sheet.hearts for card in pile) for pile in piles]
    if sheet.melds and way == "counts":
        last = counted.pop("last_trick", None)  # the trick points have it
        if piles and entry.get("trick_points") is None:
            counted["trick_points"] = [
                sum(sheet.trick_cards.get(card, 0) for card in pile)
                + sheet.last_trick * (seat == last)
                for seat, pile in enumerate(piles)
            ]
    return counted


def _fill(fields: Fields, box: str, seat: int, row: int, text: str) -> None:
    """Put the text of a seat into its row: numbers of partners are added, their cards joined."""
    kind, _dash, code = box.partition("-")
    if kind == "pledge":
        name = f"pledge-{seat}"
    else:
        name = f"{kind}-{row}"
    before = number_in(first(fields, name))
    number = number_in(text)
    if not text or (number == 0 and (code or kind == "clean")):
        return
    if kind == "melds":
        fields[meld_field(seat, code)] = [text]
    elif code:
        fields[f"card-{code}"] = [*fields.get(f"card-{code}", ()), *[str(row)] * (number or 0)]
    elif kind == "cards":
        fields[name] = [f"{first(fields, name)} {text}".lstrip()]
    elif name not in fields:
        fields[name] = [text]
    elif kind not in OF_A_UNIT and before is not None and number is not None:
        fields[name] = [str(before + number)]


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


def natural_number(text: str) -> int | None:
    number = number_in(text)
    return number if number is not None and number >= 0 else None
