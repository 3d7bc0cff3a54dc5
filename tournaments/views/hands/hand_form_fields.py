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
"""Letters of one value; the rest is cut off."""

LONGEST_PILE: Final = 1_000
"""Letters of one pile typed card by card: every card of six packs."""

_OF_A_ROW: Final = (*codec.NUMBERS, "cards", "clean")
"""Kinds with a field in each row: `hearts-1`."""

_OF_THE_HAND: Final = ("charged", "slam_choice", *OF_A_SEAT)
"""Fields that a hand has once."""

_CARD_FIELDS: Final = {"counts": ("hearts-", "card-", "trick_points-"), "cards": ("cards-",)}
"""Way of writing cards → how the fields begin that only this way has."""


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
        """Return the row of a seat (from 1), UNCLAIMED where no row has it."""
        for side in self.sides:
            if seat in side:
                return side[0]
        return UNCLAIMED

    def box(self, kind: str) -> Box | None:
        return next((box for box in self.boxes if box.kind == kind), None)

    @property
    def copies(self) -> dict[str, int]:
        """The cards with a field of their own, each with how many of it a hand has."""
        copies = {}
        for box in self.boxes:
            if box.kind == "card" and box.card:
                copies[box.card] = box.maximum or 1
        return copies

    @property
    def meld_labels(self) -> dict[str, str]:
        """The melds of the sheet, by id, with their names."""
        box = self.box("melds")
        if box is None:
            return {}
        return dict(zip(box.choices, box.labels, strict=True))

    @property
    def melds(self) -> tuple[str, ...]:
        return tuple(self.meld_labels)

    @property
    def trick_total(self) -> int:
        """The sum of the trick points of all seats; 0 where the sheet does not ask for them."""
        box = self.box("trick_points")
        if box is None:
            return 0
        return box.maximum or 0

    @property
    def ways(self) -> tuple[str, ...]:
        if self.box("clean"):
            return ("counts", "clean", "cards", "points")
        return ("counts", "cards", "points")

    def of_way(self, way: str) -> tuple[Box, ...]:
        return tuple(box for box in self.boxes if box.kind in codec.WAYS[way])


def sheet_of(rules: Rules, seats: int, sides: Sequence[Sequence[int]] | None) -> EntryFields:
    """Return the sheet of some rules; `sides` are the seat indices of each side, if there are."""
    rows: list[tuple[int, ...]] = [(seat,) for seat in range(1, seats + 1)]
    if rules.keys.teams.mode == "pooled" and sides:
        rows = [tuple(seat + 1 for seat in side) for side in sides]
    trick_cards, last_trick = trick_values(rules, seats)
    return EntryFields(
        boxes=boxes(rules, seats),
        seats=seats,
        sides=tuple(rows),
        hearts=heart_cards(rules, seats),
        trick_cards=trick_cards,
        last_trick=last_trick,
    )


def posted_fields(sheet: EntryFields, posted: Mapping[str, Sequence[str]]) -> Fields:
    """Return the posted fields that the sheet has, without blanks and cut to their lengths."""
    names = {*_OF_THE_HAND}
    for row in (UNCLAIMED, *sheet.rows):
        names.update(f"{kind}-{row}" for kind in _OF_A_ROW)
    for seat in range(1, sheet.seats + 1):
        names.add(f"pledge-{seat}")
        names.update(meld_field(seat, meld) for meld in sheet.melds)
    names.update(f"card-{card}" for card in sheet.copies)

    fields: Fields = {}
    for name, values in posted.items():
        if name not in names:
            continue
        longest = LONGEST_PILE if name.startswith("cards-") else LONGEST
        texts = [value.strip() for value in values[: sheet.seats * 4]]
        fields[name] = [text[:longest] for text in texts if text]
    return fields


def first(fields: Mapping[str, Sequence[str]], name: str) -> str:
    """Return the first value of a field; "" where it has none."""
    values = fields.get(name)
    if not values:
        return ""
    return values[0]


def number_in(text: str) -> int | None:
    """Return the whole number that a field holds; `None` for an empty field or anything else."""
    return codec.whole_number(text.replace("\u2212", "-"))


def natural_number(text: str) -> int | None:
    """Return the same, but `None` for a negative number too."""
    number = number_in(text)
    if number is None or number < 0:
        return None
    return number


def card_count(fields: Mapping[str, Sequence[str]], card: str, row: int) -> int:
    """Return how many copies of a card a row has; each value of its field is the row of one."""
    rows = [number_in(text) for text in fields.get(f"card-{card}", ())]
    return rows.count(row)


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
        if kind == "points":
            return [_points(text) for text in texts]
        return [_count(text) for text in texts]

    def note(self, kind: str, texts: Sequence[str]) -> None:
        """Note nothing: the form shows what was typed."""

    def items(self, kind: str, code: str, texts: Sequence[str]) -> list[list[str] | None]:
        if kind == "charged":
            return [[text] for text in texts]
        if code:
            return [_copies(kind, code, _count(text)) for text in texts]
        return [codes_in(text) for text in texts]

    def seat(self, kind: str, texts: Sequence[str]) -> int | None:
        number = number_in(texts[0])
        if not number:
            return None
        return number - 1

    def moon(self, texts: Sequence[str]) -> JsonDict:
        """Return the parts of a moon; `texts` are its shooter and its settlement."""
        shooter_row, slam_choice = texts
        parts: JsonDict = {}
        if slam_choice:
            parts["slam_choice"] = slam_choice
        shooter = self.seat("moon", [shooter_row])
        if shooter is not None:
            parts["shooter"] = shooter
        return parts


_READING: Final = FormReading()


def entry_of(sheet: EntryFields, way: str, fields: Mapping[str, Sequence[str]]) -> JsonDict:
    """Return the entry that the fields of one way of writing make (docs/api.md).

    A row that was left empty took nothing; the sum says whether that can be.
    """
    return codec.entry_of(_texts(sheet, way, fields), sheet.seats, _READING)


def _points(text: str) -> ScoreJson:
    points = complex_points(text)
    if points is not None:
        return points
    count = _count(text)
    if isinstance(count, str):
        return count.replace("\u2212", "-")
    return count


def _count(text: str) -> int | str:
    """Return a number, 0 for a blank; other text as it was typed."""
    number = number_in(text)
    if number is not None:
        return number
    return text or 0


def _copies(kind: str, code: str, count: int | str) -> list[str]:
    """Return so many of a card or meld; text that is no number is left to the scorer."""
    if isinstance(count, str):
        return [count]
    if kind == "melds":
        return [code] * min(count, MOST_OF_A_MELD)
    return [code] * count


def _texts(
    sheet: EntryFields, way: str, fields: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Return the fields of one way as texts at the boxes of the sheet."""
    seats = range(1, sheet.seats + 1)
    texts: dict[str, Sequence[str]] = {
        kind: [first(fields, codec.KEYS[kind])] for kind in codec.SEATS
    }
    texts["moon"] = [*texts["moon"], first(fields, "slam_choice")]

    # A kind with a box for each card occurs several times.
    kinds = dict.fromkeys(box.kind for box in sheet.of_way(way))
    for kind in kinds:
        if kind == "card":
            for card in sheet.copies:
                texts[f"cards-{card}"] = [str(card_count(fields, card, seat)) for seat in seats]
        elif kind == "melds":
            for meld in sheet.melds:
                names = [meld_field(seat, meld) for seat in seats]
                texts[f"melds-{meld}"] = [first(fields, name) for name in names]
        elif kind in OF_A_UNIT:
            texts[kind] = [first(fields, f"{kind}-{row}") for row in sheet.rows]
        elif kind not in texts:
            texts[kind] = [first(fields, f"{kind}-{seat}") for seat in seats]

    if way != "clean":
        texts["charged"] = [text for text in fields.get("charged", ()) if text]
        texts["unclaimed"] = _unclaimed(sheet, way, fields)
    return texts


def _unclaimed(sheet: EntryFields, way: str, fields: Mapping[str, Sequence[str]]) -> list[str]:
    if way == "cards":
        return [first(fields, f"cards-{UNCLAIMED}")]
    n_hearts = count_at(fields, f"hearts-{UNCLAIMED}")
    unclaimed = list(sheet.hearts[: max(n_hearts, 0)])
    for card in sheet.copies:
        unclaimed += [card] * card_count(fields, card, UNCLAIMED)
    return unclaimed


def with_unshown(sheet: EntryFields, entry: JsonDict, hand: HandView | None) -> JsonDict:
    """Return a correction with the members of the hand's stored entry that no field shows.

    Such are the kitty, and tricks that the rules do not ask for. Points or clean hands in place of
    cards, or cards in place of these, keep nothing.
    """
    if hand is None or not hand.entry:
        return entry
    stored = hand.entry
    form, stored_form = form_of(entry), form_of(stored)
    if form != stored_form and {form, stored_form} != {"counts", "cards"}:
        return entry

    in_fields = entry_of(sheet, way_of(sheet, stored), fields_of(sheet, stored))
    unshown: JsonDict = {}
    for key, value in stored.items():
        if key not in in_fields and value not in (None, [], ""):
            unshown[key] = value
    return unshown | entry


def meld_field(seat: int, meld: str) -> str:
    return f"melds-{seat}-{meld}"


def way_of(sheet: EntryFields, entry: JsonObject) -> str:
    """Return the way in which an entry was written.

    Cards that the page has no mark for, the hearts that are counted above all, were typed.
    """
    if sheet.melds and ("taken" in entry or "points" not in entry):
        if "taken" in entry and "trick_points" not in entry:
            return "cards"
        return "counts"
    if "hearts" in entry or "taken" in entry:
        cards = {code for pile in entry.get("taken") or () for code in pile}
        if entry.get("hearts") is None and not cards <= sheet.copies.keys():
            return "cards"
        return "counts"
    if "clean" in entry and "clean" in sheet.ways:
        return "clean"
    return "points"


def fields_of(sheet: EntryFields, entry: JsonObject, way: str = "") -> Fields:
    """Return the fields that show an entry again, for a revision of it, in its way or another."""
    way = way or way_of(sheet, entry)
    counted = _counted(sheet, entry, way)
    texts = codec.texts_of(
        counted,
        sheet.seats,
        sides=[[seat - 1 for seat in side] for side in sheet.sides],
        cards=() if way == "cards" else sheet.copies,
        melds=sheet.melds,
    )
    # Cards and melds without a field of their own are not shown.
    texts.pop("melds", None)
    if way != "cards":
        del texts["cards"]

    fields: Fields = {}
    for box, cells in texts.items():
        if box in codec.CARDS or box in codec.SEATS:
            continue
        # Of cards, `_counted` has put the unclaimed ones before those of the first seat.
        start = UNCLAIMED if box.startswith("cards") else 1
        for seat, text in enumerate(cells, start):
            _fill(fields, box, seat, sheet.row_of(seat), text)
    if way != "cards":
        n_hearts = sum(card in sheet.hearts for card in entry.get("unclaimed") or [])
        if n_hearts:
            fields[f"hearts-{UNCLAIMED}"] = [str(n_hearts)]
    fields["charged"] = [str(card) for card in entry.get("declared") or []]
    if entry.get("slam_choice"):
        fields["slam_choice"] = [str(entry["slam_choice"])]
    for mark in OF_A_SEAT:
        if isinstance(counted.get(mark), int):
            fields[mark] = [str(sheet.row_of(counted[mark] + 1))]
    return fields


def _counted(sheet: EntryFields, entry: JsonObject, way: str) -> JsonDict:
    """Return an entry as the fields of a way count it; its first pile is the unclaimed cards."""
    counted = dict(entry)
    piles = entry.get("taken") or []
    counted["taken"] = [entry.get("unclaimed") or [], *piles]
    if way == "cards":
        counted.pop("hearts", None)
    elif piles and sheet.hearts and entry.get("hearts") is None:
        counted["hearts"] = [sum(card in sheet.hearts for card in pile) for pile in piles]
    if sheet.melds and way == "counts":
        last_trick_by = counted.pop("last_trick", None)  # the trick points have it
        if piles and entry.get("trick_points") is None:
            trick_points = []
            for seat, pile in enumerate(piles):
                points = sum(sheet.trick_cards.get(card, 0) for card in pile)
                if seat == last_trick_by:
                    points += sheet.last_trick
                trick_points.append(points)
            counted["trick_points"] = trick_points
    return counted


def _fill(fields: Fields, box: str, seat: int, row: int, text: str) -> None:
    """Put the text of a seat into its row: numbers of partners are added, their cards joined."""
    kind, _dash, code = box.partition("-")
    number = number_in(text)
    if not text or (number == 0 and (code or kind == "clean")):
        return
    name = f"{kind}-{row}"
    if kind == "pledge":
        # Partners pledge each for themselves.
        name = f"pledge-{seat}"
    before = number_in(first(fields, name))
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

    Counted hearts cannot be listed as cards; everything else can. No 0 is filled in.
    """
    if way == to or way not in _CARD_FIELDS or to not in _CARD_FIELDS:
        return fields
    if any(name.startswith(_CARD_FIELDS[to]) for name in fields):
        return fields

    entry = entry_of(sheet, way, fields)
    if entry.pop("hearts", None):
        entry.pop("unclaimed", None)
    converted = dict(fields)
    for name, values in fields_of(sheet, entry, to).items():
        if name.startswith(("hearts-", "trick_points-")) and values == ["0"]:
            continue
        if name.startswith(_CARD_FIELDS[to]):
            converted[name] = values
    return converted
