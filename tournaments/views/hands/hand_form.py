"""The hand form laid out for a template, without a query: rows, fields and running line."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.cards import card_name, card_sign
from scoring.entry.sheet import Box
from scoring.json_types import JsonDict
from scoring.offline_checks import offline_checks
from scoring.rules.rules import Rules
from tournaments.selectors.hands.entry_display import SUITS
from tournaments.views.hands.form_feedback import (
    INLINE,
    FieldProblems,
    counted_kind,
    every_card,
    open_copies,
    rest_of,
    running_total,
)
from tournaments.views.hands.hand_form_fields import (
    UNCLAIMED,
    EntryFields,
    Fields,
    card_count,
    first,
    meld_field,
)

COMPACT_FROM: Final = 5
"""With this many rows or more, rows are shorter, to fit a phone."""

BY_NAME: Final = 3
"""With this many copies of a card or more, a name is above its row."""


@dataclass(frozen=True, slots=True)
class RowPlayer:
    """The player of a row, and their standing before this hand."""

    number: int
    name: str
    total: Any = None
    place: int | None = None
    is_tied: bool = False


@dataclass(frozen=True, slots=True)
class RowField:
    name: str
    value: str
    label: str
    most: int | None = None
    choices: tuple[str, ...] = ()
    problem: FieldProblems | None = None


class CardFace:
    """A card as it is shown: rank and suit's sign, or a word for a suit that has none."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.rank = code[:-1]
        self.name = card_name(code)
        self.suit = SUITS.get(code[-1:], "")
        self.word = ""
        if not self.suit:
            _rank, _space, self.word = card_sign(code).partition(" ")
        self.is_red = self.suit in ("heart", "diamond")


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One row: a seat, a side, or the cards that nobody gets.

    A mark is a place to tap: a card, or one of its copies, to this row.
    """

    person: RowPlayer
    hearts: RowField | None = None
    cards: RowField | None = None
    tricks: RowField | None = None
    clean: RowField | None = None
    points: RowField | None = None
    marks: tuple[dict[str, object], ...] = ()
    rest: int | None = None
    rest_button: str = ""
    trick_points: RowField | None = None
    melds: tuple[RowField, ...] = ()

    @property
    def problems(self) -> tuple[FieldProblems, ...]:
        fields = (
            self.hearts,
            self.cards,
            self.points,
            self.tricks,
            self.clean,
            self.trick_points,
            *self.melds,
        )
        return tuple(field.problem for field in fields if field is not None and field.problem)


def checks_of(rules: Rules, sheet: EntryFields, people: Sequence[RowPlayer]) -> JsonDict:
    """Return the checks of one hand for the page's script; `people` are in row order."""
    sides = [[seat - 1 for seat in side] for side in sheet.sides]
    checks = offline_checks(rules, sheet.seats, sides)
    totals = [0 if person.total is None else person.total for person in people]
    has_whole_totals = all(type(total) is int for total in totals)
    return {
        **checks,
        "names": [person.name for person in people],
        "totals": totals if has_whole_totals else None,
        "signs": {card: card_sign(card) for card in checks["deck"]},
        "inline": INLINE,
        "say": _texts(),
    }


def _texts() -> dict[str, str]:
    return {
        "empty": _("Nothing is entered."),
        "hearts_short": _("{found} of {total} hearts, {n} missing."),
        "hearts_over": _("{found} of {total} hearts, {n} too many."),
        "cards_short": _("{found} of {total} cards assigned."),
        "card_short": _("{card} is missing."),
        "copies_short": _("{found} of {total} {card}."),
        "card_over": _("{card} is assigned {found} times, {total} expected."),
        "unknown": _("“{text}” is not a card of this game."),
        "bad_count": _("“{text}” is not a number."),
        "tricks": _("{found} of {total} tricks."),
        "tricks_needed": _("The tricks are missing."),
        "trickless": _("{name} has cards but no trick."),
        "points": _("The points total {found}. A hand totals {total}."),
        "impossible": _("No deal of the cards gives these points."),
        "settle": _("A player took everything. Enter what each player gets for the moon."),
        "all_clean": _(
            "At least one player took a card, so not all players can be marked as "
            "having taken nothing."
        ),
        "unclaimed": _("In this game every card belongs to a player."),
        "nobody_shot": _("A moon settlement is chosen, but no player took every card."),
        "moon": _("{name} shot the moon. How is the moon settled?"),
        "slam": _("{name} took every card that makes a {slam}. How is it settled?"),
        "self": _("Take {self} off {name}"),
        "others": _("Give {others} to each of the others"),
        "nothing": _("nothing"),
        "n_points": _("{n} points"),
        "one_point": _("1 point"),
        "n_tricks": _("{n} trick points"),
        "one_trick_point": _("1 trick point"),
        "trick_points": _("The trick points total {found}. All tricks of a hand have {total}."),
        "last_trick": _("The winner of the last trick is missing."),
        "meld_over": _("{meld} is entered {found} times. The pack allows {total}."),
        "total": _("total {n}"),
    }


def hand_form(
    sheet: EntryFields,
    way: str,
    fields: Fields,
    people: Sequence[RowPlayer],
    *,
    problems: Sequence[FieldProblems],
    players: Sequence[RowPlayer],
    points_total: int | None,
    moon: frozenset[str],
) -> dict[str, object]:
    """Return the context of the form of one hand, with its current fields.

    Args:
        people: one for each row of the sheet, in order.
        players: one for each seat, if a row is a side's; the form asks for each one's pledge.
        points_total: the total of an ordinary hand's points, if that is a number.
        moon: the cards that a moon needs; one key gives them all to a seat.
    """
    problem_of: dict[str, FieldProblems] = {}
    for problem in problems:
        problem_of.setdefault(problem.field, problem)
    maker = _Maker(sheet, way, fields, problem_of)
    kinds = maker.boxes.keys()
    tally = running_total(sheet, way, fields, points_total)
    lines = list(maker.lines(people))

    pledges = []
    for player in players:
        pledge = maker.field("pledge", player, "%(name)s")
        if pledge is not None:
            pledges.append(pledge)
    one_pledge = ""
    if pledges and len(pledges[0].choices) == 1:
        one_pledge = pledges[0].choices[0].replace("-", " ")

    charged = []
    if "charged" in kinds:
        for code in maker.boxes["charged"].choices:
            charged.append((CardFace(code), code in fields.get("charged", ())))

    n_hearts = 0
    cards = []
    if way == "counts":
        n_hearts = len(sheet.hearts)
        cards = [CardFace(card) for card in sheet.copies]
    # A pip stands for a heart of a single pack, or a card beside them; it is on once written.
    pips = []
    if n_hearts <= 13:
        n_written = min(max(tally.hearts, 0), n_hearts)
        pips = [place < n_written for place in range(n_hearts)]

    first_trick = None
    if first(fields, "first_trick_by") or "first_trick_by" in problem_of:
        first_trick = maker.question("first_trick_by", _("Who won the first trick?"))
    questions: dict[str, RowField | None] = {}
    for kind, text in (
        ("passer", _("Who passed to the player who took every trick?")),
        ("last_trick", _("Who won the last trick?")),
        ("declared_out", _("Did a player declare out?")),
    ):
        questions[kind] = maker.question(kind, text) if kind in kinds else None

    return {
        "way": way,
        "lines": lines,
        "cards": cards,
        "charged": charged,
        "pledges": pledges,
        "one_pledge": one_pledge,
        "hidden": list(_hidden(fields, kinds, maker.unclaimed_kinds)),
        "tally": tally,
        "words": json.dumps(texts_json(sheet, way, points_total, moon), ensure_ascii=False),
        "hearts": n_hearts,
        "pips": pips,
        "card_pips": [(card, card.code not in tally.open_cards) for card in cards],
        "style": " ".join(_style(sheet, way, lines)),
        "start": _start(lines),
        "problems": problems,
        "first_trick": first_trick,
        **questions,
    }


def _style(sheet: EntryFields, way: str, lines: Sequence[EntryRow]) -> Iterator[str]:
    """Yield the classes of the form."""
    is_counting = way == "counts"
    if len(lines) >= COMPACT_FROM:
        yield "compact"
    copies = max(sheet.copies.values(), default=0)
    if copies > 1 and (is_counting or sheet.box("unclaimed")):
        yield "packs"
    n_cards = len(sheet.copies)
    if is_counting and n_cards > INLINE:
        yield "piles"
    has_sides = any(len(side) > 1 for side in sheet.sides)
    has_many_boxes = bool(sheet.melds or n_cards > 1 or copies >= BY_NAME or sheet.box("tricks"))
    if way == "cards" or has_sides or (is_counting and has_many_boxes):
        yield "many"


def _hidden(
    fields: Fields, kinds: Collection[str], unclaimed: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield hidden fields that keep the values of the other input modes.

    `unclaimed` are the kinds of boxes in the row of unclaimed cards, in any input mode.
    """
    for name, values in fields.items():
        kind, _dash, row = name.partition("-")
        # The first trick is asked for in every mode, once it has an answer.
        if kind in kinds or name == "first_trick_by":
            continue
        for value in values:
            row_of_value = value if kind == "card" else row
            if kind not in unclaimed or row_of_value != str(UNCLAIMED):
                yield name, value


def _start(lines: Sequence[EntryRow]) -> str:
    """Return the name of the first empty field, where typing starts; "" for none."""
    for line in lines:
        for field in (line.hearts, line.trick_points, line.cards, line.points):
            if field is not None and not field.value and line.person.number != UNCLAIMED:
                return field.name
    return ""


class _Maker:
    """Makes the rows and fields of one form, each with its value and its first problem."""

    def __init__(
        self, sheet: EntryFields, way: str, fields: Fields, problem_of: Mapping[str, FieldProblems]
    ) -> None:
        self.sheet = sheet
        self.way = way
        self.fields = fields
        self.problem_of = problem_of
        self.boxes = {box.kind: box for box in sheet.of_way(way)}
        self.missing = rest_of(sheet, fields)
        self.open_copies = open_copies(sheet, fields)
        self.n_open = sum(self.open_copies.values())
        counted = counted_kind(sheet)
        self.is_begun = any(first(fields, f"{counted}-{row}") for row in sheet.rows)
        self.is_dealt = any(fields.get(f"card-{card}") for card in sheet.copies)
        self.unclaimed_kinds: frozenset[str] = frozenset()
        if sheet.box("unclaimed") and way == "points":
            self.unclaimed_kinds = frozenset({"hearts", "card"})

    def lines(self, people: Sequence[RowPlayer]) -> Iterator[EntryRow]:
        for person in people:
            yield self._line(person)
        if self.sheet.box("unclaimed") and self.way != "clean":
            yield self._unclaimed()

    def _line(self, person: RowPlayer) -> EntryRow:
        hearts = self.field("hearts", person, _("Hearts of %(name)s"))
        trick_points = self.field("trick_points", person, _("Trick points of %(name)s"))
        rest = None
        rest_button = ""
        if self.boxes.keys() & {"hearts", "card", "trick_points"}:
            rest, rest_button = self._rest(person, counted=hearts or trick_points)
        marks: tuple[dict[str, object], ...] = ()
        if "card" in self.boxes:
            marks = tuple(self._marks(person))
        melds = []
        if "melds" in self.boxes:
            for meld, label in self.sheet.meld_labels.items():
                melds.append(self.question(meld_field(person.number, meld), label))

        return EntryRow(
            person=person,
            hearts=hearts,
            cards=self.field("cards", person, _("Cards of %(name)s")),
            tricks=self.field("tricks", person, _("Tricks of %(name)s")),
            clean=self.field("clean", person, _("%(name)s took nothing")),
            points=self.field("points", person, _("Points of %(name)s")),
            marks=marks,
            rest=rest,
            rest_button=rest_button,
            trick_points=trick_points,
            melds=tuple(melds),
        )

    def _rest(self, person: RowPlayer, counted: RowField | None) -> tuple[int | None, str]:
        """Return how much of what is counted a button gives to a row, if any, and its value.

        Without a counted field it gives the cards that nobody has yet.
        """
        if counted is None:
            button = f"left:{person.number}"
            if self.n_open and self.is_dealt:
                return self.n_open, button
            return None, button
        button = f"rest:{person.number}"
        if not counted.value and self.is_begun and self.missing >= 0:
            return self.missing, button
        return None, button

    def _unclaimed(self) -> EntryRow:
        person = RowPlayer(UNCLAIMED, _("Unclaimed"))
        if self.way == "cards":
            return EntryRow(person, cards=self.field("cards", person, _("Unclaimed cards")))
        box = self.sheet.box("unclaimed")
        if box and box.choices:
            return EntryRow(person, marks=tuple(self._marks(person, box.choices)))
        hearts_box = self.sheet.box("hearts") or self.boxes.get("hearts")
        hearts = None
        if hearts_box is not None:
            hearts = self._field_of(hearts_box, person, _("Unclaimed hearts"))
        return EntryRow(person, hearts=hearts, marks=tuple(self._marks(person)))

    def field(self, kind: str, person: RowPlayer, label: str) -> RowField | None:
        """Return the field of a box in a row; None if the input mode has no such box."""
        box = self.boxes.get(kind)
        if box is None:
            return None
        return self._field_of(box, person, label)

    def _field_of(self, box: Box, person: RowPlayer, label: str) -> RowField:
        name = f"{box.kind}-{person.number}"
        return RowField(
            name=name,
            value=first(self.fields, name),
            label=label % {"name": person.name},
            most=box.maximum,
            choices=box.choices,
            problem=self.problem_of.get(name),
        )

    def question(self, name: str, label: str) -> RowField:
        value = first(self.fields, name)
        return RowField(name, value, label, problem=self.problem_of.get(name))

    def _marks(self, person: RowPlayer, among: Collection[str] = ()) -> Iterator[dict[str, object]]:
        for code, copies in self.sheet.copies.items():
            if among and code not in among:
                continue
            card = CardFace(code)
            n_held = card_count(self.fields, code, person.number)
            if copies > 1:
                text = _("%(card)s, copy %(n)s, to %(name)s")
            else:
                text = _("%(card)s to %(name)s")
            for copy in range(copies):
                yield {
                    "id": f"card-{code}-{person.number}-{copy}",
                    "row": person.number,
                    "is_on": copy < n_held,
                    "is_gone": not n_held and not self.open_copies[code],
                    "label": text % {"card": card.name, "name": person.name, "n": copy + 1},
                    "card": card,
                    "is_one_of_many": copies > 1,
                }


def texts_json(
    sheet: EntryFields, way: str, points_total: int | None, moon: frozenset[str]
) -> dict[str, object]:
    deck = every_card(sheet) if way == "cards" else {}
    return {
        "way": way,
        "deck": [
            {"code": card, "copies": copies, "sign": card_sign(card)}
            for card, copies in deck.items()
        ],
        "hearts": len(sheet.hearts),
        "trick_points": sheet.trick_total,
        "points": points_total,
        "inline": INLINE,
        "cards": [
            {
                "code": card,
                "copies": copies,
                "sign": card_sign(card),
                "key": card[0].replace("1", "t").lower(),
                "moon": card in moon,
            }
            for card, copies in sheet.copies.items()
        ],
        "moon": bool(moon) and (not sheet.hearts or set(sheet.hearts) <= moon),
        "say": {
            "hearts": _("%(found)s of %(total)s hearts"),
            "over": _("%(n)s too many"),
            "missing": _("%(n)s missing"),
            "open": _("%(card)s open"),
            "some": _("%(found)s of %(total)s %(card)s"),
            "often": _("%(card)s too often"),
            "odd": _("“%(text)s” is not a card"),
            "given": _("%(found)s of %(total)s cards assigned"),
            "whole": _("Complete: %(what)s"),
            "n_hearts": _("%(n)s hearts"),
            "every": _("every card"),
            "points": _("%(found)s of %(total)s points"),
            "tricks": _("%(found)s of %(total)s trick points"),
            "unless": _("unless a player shot the moon"),
            "rest": _("the rest: %(n)s"),
        },
    }
