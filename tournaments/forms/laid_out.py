"""The host's page laid out: rows, fields and the running line, ready for a template to print.

Pure: made from the sheet's boxes and the fields as they stand, without a query.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.cards import card_name, card_sign
from scoring.sheet import Box
from tournaments.forms.changes import hearts_in, rest_of
from tournaments.forms.entry import UNCLAIMED, Fields, Sheet, first, number_in
from tournaments.forms.mending import Told

INLINE: Final = 3
"""So many single cards stand beside a seat's number; more of them get a table of their own."""
COMPACT_FROM: Final = 5
"""From so many rows on they are made lower, so that more of them fit a phone."""
_SUITS: Final = {"S": "spade", "H": "heart", "D": "diamond", "C": "club"}


@dataclass(frozen=True, slots=True)
class Person:
    """Who a row is for, and how they stand before this hand."""

    number: int
    name: str
    total: Any = None
    place: int | None = None
    is_tied: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a row, with what is wrong with it."""

    name: str
    value: str
    label: str
    most: int | None = None
    choices: tuple[str, ...] = ()
    told: Told | None = None


@dataclass(frozen=True, slots=True)
class Card:
    """A card as it is shown: rank and suit's sign, or its whole name where it has no suit."""

    code: str
    rank: str
    suit: str
    name: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A place to tap: this card to this row. One of several copies where the pack has them."""

    id: str
    row: int
    is_on: bool
    label: str
    card: Card
    is_one_of_many: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One row: a seat, a side, or the cards that nobody gets."""

    person: Person
    hearts: Field | None
    tricks: Field | None
    pledge: Field | None
    clean: Field | None
    points: Field | None
    marks: tuple[Mark, ...]
    rest: int | None


@dataclass(frozen=True, slots=True)
class CardLine:
    """One single card with a place to tap for each row."""

    card: Card
    marks: tuple[Mark, ...]
    told: Told | None


@dataclass(frozen=True, slots=True)
class Tally:
    """The running line: `ok`, `need` (something is open) or `no` (it cannot be), in words."""

    state: str
    text: str
    hearts: int
    open_cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HandForm:
    """Everything that the form of one hand prints."""

    way: str
    lines: tuple[Line, ...]
    cards: tuple[Card, ...]
    card_lines: tuple[CardLine, ...]
    charged: tuple[tuple[Card, bool], ...]
    hidden: tuple[tuple[str, str], ...]
    tally: Tally
    words: str
    hearts: int
    is_compact: bool
    start: str
    problems: tuple[Told, ...]
    first_trick: Field | None
    passer: Field | None

    @property
    def pips(self) -> tuple[bool, ...]:
        """One for each heart of a single pack, on where it is written; else nothing."""
        on = min(max(self.tally.hearts, 0), self.hearts)
        return tuple(place < on for place in range(self.hearts)) if self.hearts <= 13 else ()

    @property
    def card_pips(self) -> tuple[tuple[Card, bool], ...]:
        """The single cards beside the hearts, on where somebody has them."""
        return tuple((card, card.code not in self.tally.open_cards) for card in self.cards)


def hand_form(
    sheet: Sheet,
    way: str,
    fields: Fields,
    people: Sequence[Person],
    *,
    problems: Sequence[Told] = (),
    points_total: int | None = None,
    moon: frozenset[str] = frozenset(),
) -> HandForm:
    """Return the form of a hand as its fields stand.

    Args:
        people: one for each row of the sheet, in order.
        points_total: what the points of an ordinary hand add up to, where that is a number.
        moon: the cards that a moon asks for; one key gives them all to a seat.
    """
    maker = _Maker(sheet, way, fields, {told.field: told for told in reversed(problems)})
    shown = {box.kind for box in sheet.of_way(way)}
    tally = tally_of(sheet, way, fields, points_total)
    lines = tuple(maker.lines(people))
    return HandForm(
        way=way,
        lines=lines,
        cards=tuple(_card(box) for box in sheet.cards) if way == "counts" else (),
        card_lines=tuple(maker.card_lines(people)) if way == "counts" else (),
        charged=tuple(maker.charged()) if "charged" in shown else (),
        hidden=tuple(_hidden(fields, shown)),
        tally=tally,
        words=json.dumps(_words(sheet, way, points_total, moon), ensure_ascii=False),
        hearts=len(sheet.hearts) if way == "counts" else 0,
        is_compact=len(lines) >= COMPACT_FROM,
        start=_start(lines),
        problems=tuple(problems),
        first_trick=maker.first_trick(problems),
        passer=maker.passer(),
    )


def tally_of(sheet: Sheet, way: str, fields: Fields, points_total: int | None) -> Tally:
    """Return the running line: what is there and what is open."""
    if way == "points":
        return _points_tally(sheet, fields, points_total)
    if way == "clean":
        return Tally("need", _("Tick who took nothing"), 0, ())
    hearts, total = hearts_in(sheet, fields), len(sheet.hearts)
    open_cards = tuple(
        box.card or "" for box in sheet.cards if len(fields.get(f"card-{box.card}", ())) < _of(box)
    )
    said = [_("%(found)s of %(total)s hearts") % {"found": hearts, "total": total}] if total else []
    all_in = all(first(fields, f"hearts-{row}") for row in sheet.rows)
    if hearts > total:
        said.append(_("%(n)s too many") % {"n": hearts - total})
    elif hearts < total and all_in:
        said.append(_("%(n)s missing") % {"n": total - hearts})
    said += _open_words(sheet, open_cards)
    wrong = bool(total) and (hearts > total or (hearts < total and all_in))
    whole = hearts == total and not open_cards
    text = ", ".join(said)
    if whole:
        parts = [_("%(n)s hearts") % {"n": total}] if total else []
        parts += [card_sign(box.card or "") for box in sheet.cards] if total else [_("every card")]
        text = _("It adds up: %(what)s") % {"what": ", ".join(parts)}
    return Tally("ok" if whole else "no" if wrong else "need", text, hearts, open_cards)


def _of(box: Box) -> int:
    return box.maximum or 1


def _open_words(sheet: Sheet, open_cards: Sequence[str]) -> Iterator[str]:
    if len(open_cards) > INLINE:
        there = len(sheet.cards) - len(open_cards)
        yield _("%(found)s of %(total)s cards given out") % {
            "found": there,
            "total": len(sheet.cards),
        }
        return
    for card in open_cards:
        yield _("%(card)s open") % {"card": card_sign(card)}


def _points_tally(sheet: Sheet, fields: Fields, total: int | None) -> Tally:
    texts = [first(fields, f"points-{row}") for row in sheet.rows]
    numbers = [number_in(text) for text in texts]
    found = sum(number or 0 for number in numbers)
    if total is None:
        return Tally("need", _("The points of each seat, as on paper"), 0, ())
    said = _("%(found)s of %(total)s points") % {"found": found, "total": total}
    if found == total:
        return Tally("ok", _("It adds up: %(what)s") % {"what": said}, 0, ())
    if all(texts):
        said += ", " + _("unless somebody shot the moon")
    return Tally("need", said, 0, ())


def _words(
    sheet: Sheet, way: str, points_total: int | None, moon: frozenset[str]
) -> dict[str, Any]:
    """What the page's script needs for saying the same while somebody types."""
    return {
        "way": way,
        "hearts": len(sheet.hearts),
        "points": points_total,
        "inline": INLINE,
        "cards": [
            {"code": box.card, "copies": _of(box), "sign": card_sign(box.card or ""),
             "key": (box.card or " ")[0].replace("1", "t").lower(), "moon": box.card in moon}
            for box in sheet.cards
        ],
        "moon": bool(moon) and (not sheet.hearts or set(sheet.hearts) <= moon),
        "say": {
            "hearts": _("%(found)s of %(total)s hearts"),
            "over": _("%(n)s too many"),
            "missing": _("%(n)s missing"),
            "open": _("%(card)s open"),
            "given": _("%(found)s of %(total)s cards given out"),
            "whole": _("It adds up: %(what)s"),
            "n_hearts": _("%(n)s hearts"),
            "every": _("every card"),
            "points": _("%(found)s of %(total)s points"),
            "unless": _("unless somebody shot the moon"),
            "rest": _("the rest: %(n)s"),
        },
    }  # fmt: skip


def _card(box: Box) -> Card:
    code = box.card or ""
    suit = _SUITS.get(code[-1:], "")
    return Card(code, code[:-1] if suit else card_sign(code), suit, card_name(code))


def _hidden(fields: Fields, shown: set[str]) -> Iterator[tuple[str, str]]:
    """What another way of writing holds travels along, so that a change of mind loses nothing."""
    always = {"slam_choice", "shooter"}
    for name, values in fields.items():
        if name in always or (name != "first_trick_by" and name.partition("-")[0] not in shown):
            yield from ((name, value) for value in values)


def _start(lines: Sequence[Line]) -> str:
    """Return the field to begin at: the first one that is empty."""
    for line in lines:
        for field in (line.hearts, line.points):
            if field is not None and not field.value and line.person.number != UNCLAIMED:
                return field.name
    return ""


class _Maker:
    """Makes the rows of one form."""

    def __init__(self, sheet: Sheet, way: str, fields: Fields, told: Mapping[str, Told]) -> None:
        self.sheet, self.fields, self.told = sheet, fields, told
        self.boxes = {box.kind: box for box in sheet.of_way(way)}
        self.is_inline = way == "counts" and len(sheet.cards) <= INLINE
        self.missing = rest_of(sheet, fields)
        self.is_begun = any(first(fields, f"hearts-{row}") for row in sheet.rows)

    def lines(self, people: Sequence[Person]) -> Iterator[Line]:
        for person in people:
            yield self._line(person)
        if self.sheet.box("unclaimed") and self.boxes.keys() & {"hearts", "card"}:
            yield self._line(Person(UNCLAIMED, _("Unclaimed")))

    def _line(self, person: Person) -> Line:
        hearts = self._field("hearts", person, _("Hearts of %(name)s"))
        is_open = hearts is not None and not hearts.value and self.is_begun and self.missing >= 0
        is_seat = person.number != UNCLAIMED
        return Line(
            person=person,
            hearts=hearts,
            tricks=self._field("tricks", person, _("Tricks of %(name)s")) if is_seat else None,
            pledge=self._field("pledge", person, _("Pledge of %(name)s")) if is_seat else None,
            clean=self._field("clean", person, _("%(name)s took nothing")) if is_seat else None,
            points=self._field("points", person, _("Points of %(name)s")) if is_seat else None,
            marks=tuple(self._marks(person)) if self.is_inline else (),
            rest=self.missing if is_open and is_seat else None,
        )

    def _field(self, kind: str, person: Person, label: str) -> Field | None:
        box = self.boxes.get(kind)
        if box is None:
            return None
        name = f"{kind}-{person.number}"
        value = first(self.fields, name)
        return Field(
            name, value, label % {"name": person.name}, box.maximum, box.choices,
            self.told.get(name),
        )  # fmt: skip

    def _marks(self, person: Person) -> Iterator[Mark]:
        for box in self.sheet.cards:
            yield from self._copies(box, person)

    def _copies(self, box: Box, person: Person) -> Iterator[Mark]:
        card, many = _card(box), _of(box) > 1
        held = self.fields.get(f"card-{box.card}", []).count(str(person.number))
        for copy in range(_of(box)):
            words = {"card": card.name, "name": person.name, "n": copy + 1}
            text = _("%(card)s, copy %(n)s, to %(name)s") if many else _("%(card)s to %(name)s")
            yield Mark(
                f"card-{box.card}-{person.number}-{copy}", person.number, copy < held,
                text % words, card, many,
            )  # fmt: skip

    def card_lines(self, people: Sequence[Person]) -> Iterator[CardLine]:
        if self.is_inline:
            return
        rows = [*people]
        if self.sheet.box("unclaimed"):
            rows.append(Person(UNCLAIMED, _("Unclaimed")))
        for box in self.sheet.cards:
            marks = tuple(mark for person in rows for mark in self._copies(box, person))
            yield CardLine(_card(box), marks, self.told.get(f"card-{box.card}"))

    def charged(self) -> Iterator[tuple[Card, bool]]:
        box = self.boxes["charged"]
        for code in box.choices:
            suit = _SUITS.get(code[-1:], "")
            card = Card(code, code[:-1] if suit else code, suit, card_name(code))
            yield card, code in self.fields.get("charged", ())

    def first_trick(self, problems: Sequence[Told]) -> Field | None:
        """Who won the first trick: asked once it matters."""
        name = "first_trick_by"
        value = first(self.fields, name)
        if not value and all(told.field != name for told in problems):
            return None
        return Field(name, value, _("Who won the first trick?"), told=self.told.get(name))

    def passer(self) -> Field | None:
        """Who passed to the one who took every trick; asked where a rule makes that player pay."""
        if "passer" not in self.boxes:
            return None
        name, label = "passer", _("Who passed to the player who took every trick?")
        return Field(name, first(self.fields, name), label, told=self.told.get(name))
