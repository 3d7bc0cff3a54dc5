"""Sheets of a file that the event has already, under another round or table."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from django.db.models import F, Q
from django.utils.translation import gettext, ngettext

from scoring.errors import listed
from tournaments.domain.imports import alike
from tournaments.domain.imports.aligned_hands import Alignment, Shift
from tournaments.domain.imports.alike import ALIKE
from tournaments.domain.imports.import_report import (
    HAND_INSERTED,
    HAND_NOT_IN_FILE,
    HAND_TWICE,
    SHEET_ELSEWHERE,
    Finding,
    Offer,
    Spot,
    finding,
)
from tournaments.domain.imports.imported_sheets import NOBODY, SheetHand, TypedSheet
from tournaments.domain.replay_game import TOTALS
from tournaments.domain.seating_runs import has_hand
from tournaments.models.events import Event
from tournaments.models.hands import HandState, SeatScore
from tournaments.models.imports import ImportProblem, ProblemState
from tournaments.models.rounds import Sitting
from tournaments.selectors.hands.double_entry import turned_entry
from tournaments.services.imports.existing_tables import ExistingTable, Key
from tournaments.services.rounds.seating import table_code

HandPoints = frozenset[tuple[int, int, int | None]]
"""A hand: each player with the two columns of their score, in whatever order they sat."""

PointsOf = Callable[[TypedSheet], Mapping[int, HandPoints]]
"""Returns the hands of a sheet that can be scored, by their numbers."""

Players = Callable[[int], Mapping[int, int]]
"""Returns who sat in a hand of a table: number of the seat → player."""

PLACE: Final = "place"
IS_ONE: Final = "is_one"
IS_CHOSEN: Final = "is_chosen"
"""Members of an answer to the question about a sheet: its round and table, whether the event has
it, and whether a person chose this answer."""

ONE_SHEET: Final = "It is one sheet."
ANOTHER_GAME: Final = "It is another game."
"""Reasons of answered questions."""


@dataclass(frozen=True, slots=True)
class SheetAnswer:
    """What a person said of a sheet: its round and table, and whether the event has it already."""

    key: Key
    is_one: bool


Answers = Mapping[int, SheetAnswer]
"""The answers about the sheets of a file: line → answer."""


@dataclass(frozen=True, slots=True)
class SameSheet:
    """A table of the event whose hands are mostly those of a sheet; `n_hands` of the shorter.

    `is_of_another`: another sheet of the file is likely that table, or was said to be it.
    """

    key: Key
    n_same: int
    n_hands: int
    is_of_another: bool = False


@dataclass(slots=True)
class _Table:
    key: Key
    day: date | None
    runs: list[tuple[int, int, int, int | None]]

    @property
    def people(self) -> set[int]:
        return {player for _, player, _, _ in self.runs}

    def players(self, hand: int) -> dict[int, int]:
        return {
            seat: player for seat, player, first, last in self.runs if has_hand(hand, first, last)
        }


def find_same_sheets(
    event: Event, sheets: Sequence[TypedSheet], points_of: PointsOf, claimed: Collection[Key]
) -> dict[Key, SameSheet]:
    """Return the tables that have more than half of the hands of sheets, by the sheets' places.

    A table is that of one sheet only: of the one with most of its hands, unless it is `claimed`.
    The same people sat there, and the dates are the same, or one of them is not known. Three
    queries at most, whatever the number of sheets.
    """
    tables = _tables_of(event, sheets)
    candidates = {
        (sheet.round, sheet.table): [pk for pk, table in tables.items() if _may_be(sheet, table)]
        for sheet in sheets
    }
    points = hand_points({pk: tables[pk].players for pks in candidates.values() for pk in pks})
    same: dict[Key, SameSheet] = {}
    for sheet in sheets:
        key = (sheet.round, sheet.table)
        stored = [(tables[pk].key, points[pk]) for pk in candidates[key] if points[pk]]
        if stored and (best := _best(points_of(sheet), stored)):
            same[key] = best
    taken = set(claimed)
    for key, best in sorted(same.items(), key=lambda item: (-item[1].n_same, item[0])):
        same[key] = replace(best, is_of_another=best.key in taken)
        taken.add(best.key)
    return same


def _tables_of(event: Event, sheets: Sequence[TypedSheet]) -> dict[int, _Table]:
    """Return the tables where people of sheets sat, on their dates or on an unknown one."""
    people = {player for sheet in sheets for player in _people(sheet)}
    days = {sheet.day for sheet in sheets}
    sat = Sitting.objects.filter(round__event=event, player__in=people)
    if None not in days:
        sat = sat.filter(Q(round__meeting=None) | Q(round__meeting__date__in=days))
    rows = Sitting.objects.filter(seat__table__in=sat.values("seat__table"))
    tables: dict[int, _Table] = {}
    for pk, number, day, table, seat, player, first, last in rows.values_list(
        "seat__table_id",
        "round__number",
        "round__meeting__date",
        "seat__table__number",
        "seat__number",
        "player_id",
        "from_hand",
        "to_hand",
    ):
        stored = tables.setdefault(pk, _Table((number, table), day, []))
        stored.runs.append((seat, player, first, last))
    return tables


def _people(sheet: TypedSheet) -> set[int]:
    return {player for seats in sheet.sat.values() for player in seats} - {NOBODY}


def _may_be(sheet: TypedSheet, table: _Table) -> bool:
    people = _people(sheet)
    seated = table.people
    is_same_day = table.day is None or sheet.day is None or table.day == sheet.day
    has_same_people = bool(people) and (people <= seated or seated <= people)
    return is_same_day and has_same_people and table.key != (sheet.round, sheet.table)


def hand_points(tables: Mapping[int, Players]) -> dict[int, dict[int, HandPoints]]:
    """Return the accepted hands of tables: row id → number → points. One query."""
    hands: dict[tuple[int, int], set[tuple[int, int, int | None]]] = {}
    scores = SeatScore.objects.filter(
        seat__table__in=tables,
        entry=F("entry__hand__entry"),
        entry__hand__state=HandState.ACCEPTED,
    )
    for pk, number, seat, score, score_im in scores.values_list(
        "seat__table_id", "entry__hand__number", "seat__number", "score", "score_im"
    ):
        player = tables[pk](number).get(seat, NOBODY)
        hands.setdefault((pk, number), set()).add((player, score, score_im))
    points: dict[int, dict[int, HandPoints]] = {pk: {} for pk in tables}
    for (pk, number), scores_of_hand in hands.items():
        points[pk][number] = frozenset(scores_of_hand)
    return points


def _best(
    written: Mapping[int, HandPoints], stored: Sequence[tuple[Key, Mapping[int, HandPoints]]]
) -> SameSheet | None:
    """Return the table with most hands of a sheet, if these are more than half of them."""
    equal = []
    for key, hands in stored:
        n_same, n_hands = _compare(written, hands)
        if n_same * 2 > n_hands:
            equal.append(SameSheet(key, n_same, n_hands))
    return min(equal, key=lambda same: (-same.n_same, same.key), default=None)


def _compare(
    written: Mapping[int, HandPoints], stored: Mapping[int, HandPoints]
) -> tuple[int, int]:
    """Return how many hands are equal, and of how many; totals of a game equal its hands."""
    if (TOTALS in written) != (TOTALS in stored):
        return int(_totals(written) == _totals(stored)), 1
    n_same = (Counter(written.values()) & Counter(stored.values())).total()
    return n_same, min(len(written), len(stored))


def _totals(hands: Mapping[int, HandPoints]) -> Mapping[int, tuple[int, int]]:
    totals: dict[int, tuple[int, int]] = {}
    for hand in hands.values():
        for player, score, score_im in hand:
            total, total_im = totals.get(player, (0, 0))
            totals[player] = (total + score, total_im + (score_im or 0))
    return totals


def ask_same_sheet(sheet: TypedSheet, same: SameSheet, own_place: Key) -> Finding:
    """Return the question about a sheet, with both answers; `own_place` is that of another game."""
    round_, table = same.key
    question = finding(
        SHEET_ELSEWHERE,
        Spot(sheet.lines),
        round=round_,
        table=table,
        same=same.n_same,
        hands=same.n_hands,
        found=table_code(round_, table),
    )
    add_new = gettext("It is one sheet: add only what is new")
    add_all = gettext("Another game: add it")
    one: Offer = {"text": add_new, PLACE: list(same.key), IS_ONE: True, ALIKE: alike.ONE_SHEET}
    other: Offer = {
        "text": add_all,
        PLACE: list(own_place),
        IS_ONE: False,
        ALIKE: alike.ANOTHER_GAME,
    }
    if same.is_of_another:
        return replace(question, offers=(other,))
    return replace(question, offers=(one, other))


def turned_sheet(sheet: TypedSheet, table: ExistingTable) -> TypedSheet:
    """Return a sheet with its people in their seats at the table of the event.

    A hand that other people played stays as it is.
    """
    hands = []
    sat = dict(sheet.sat)
    labels = sheet.labels
    for hand in sheet.hands:
        seated = table.players(hand.number)
        if NOBODY in hand.players or sorted(seated) != sorted(hand.players):
            hands.append(hand)
            continue
        order = [seated.index(player) for player in hand.players]
        places = [order.index(seat) for seat in range(len(order))]
        if labels == sheet.labels and labels:
            labels = tuple(labels[place] for place in places)
        turned = replace(
            hand,
            entry=turned_entry(hand.entry, order),
            players=seated,
            seat_lines=tuple(hand.seat_lines[place] for place in places),
            columns=tuple(hand.columns[place] for place in places if hand.columns),
        )
        hands.append(turned)
        sat[hand.number] = seated
    return replace(sheet, hands=tuple(hands), sat=sat, labels=labels)


def renumbered(sheet: TypedSheet, alignment: Alignment) -> tuple[TypedSheet, list[Finding]]:
    """Return a sheet with the numbers of its table, and the questions about its held hands."""
    hands = []
    findings = []
    last = max(alignment.numbers.values(), default=0)
    for hand in sheet.hands:
        number = alignment.numbers[hand.number]
        is_unclear = hand.number in alignment.unclear
        hands.append(replace(hand, number=number, is_held=hand.is_held or is_unclear))
        if is_unclear:
            findings.append(_ask_new_hand(sheet, hands[-1], last))
    hands.sort(key=lambda hand: hand.number)
    sat = {alignment.numbers[number]: players for number, players in sheet.sat.items()}
    return replace(sheet, hands=tuple(hands), sat=dict(sorted(sat.items()))), findings


def _ask_new_hand(sheet: TypedSheet, hand: SheetHand, last: int) -> Finding:
    offer: Offer = {
        "text": gettext("Another hand: add it"),
        ALIKE: alike.NEW_HAND,
        "cells": {str(line): {"hand": str(last)} for line in hand.lines},
    }
    return replace(finding("hand_unclear", sheet.spot(hand)), offers=(offer,))


def with_numbers(sheet: TypedSheet, numbers: Mapping[int, int]) -> TypedSheet:
    """Return a sheet whose hands have the numbers of its table."""
    hands = [replace(hand, number=numbers[hand.number]) for hand in sheet.hands]
    hands.sort(key=lambda hand: hand.number)
    sat = {numbers[number]: players for number, players in sheet.sat.items()}
    return replace(sheet, hands=tuple(hands), sat=dict(sorted(sat.items())))


def with_held(sheet: TypedSheet, numbers: Collection[int]) -> TypedSheet:
    """Return a sheet of which the hands with some numbers wait."""
    hands = [replace(hand, is_held=hand.is_held or hand.number in numbers) for hand in sheet.hands]
    return replace(sheet, hands=tuple(hands))


def ask_shift(sheet: TypedSheet, shift: Shift) -> Finding | None:
    """Return the question about hands with other numbers in the file; None if all are known."""
    first, now = shift.first_moved
    if shift.inserted:
        lines = [
            line for hand in sheet.hands if hand.number in shift.inserted for line in hand.lines
        ]
        spot = Spot(tuple(sorted(lines)), sheet.round, sheet.table)
        question = finding(
            HAND_INSERTED, spot, found=listed(map(str, shift.inserted)), first=first, now=now
        )
        numbers = sorted(shift.numbers[row] for row in shift.inserted)
        text = ngettext(
            "Add it as hand %(numbers)s: the others keep their numbers",
            "Add them as hands %(numbers)s: the others keep their numbers",
            len(numbers),
        ) % {"numbers": listed(map(str, numbers))}
        return _with_right(question, text)
    if shift.missing:
        found = listed(map(str, shift.missing))
        question = finding(HAND_NOT_IN_FILE, sheet.spot(), found=found, first=first, now=now)
        return _with_right(question, gettext("It was played: change nothing"))
    return None


def ask_moved(sheet: TypedSheet, hand: SheetHand, stored_number: int) -> Finding:
    """Return the question about a new hand that equals one with another number."""
    question = finding(
        HAND_TWICE, sheet.spot(hand), found=str(hand.number), expected=str(stored_number)
    )
    return _with_right(question, gettext("Another hand: add it"))


def _with_right(question: Finding, text: str) -> Finding:
    offer: Offer = {"text": text, "is_right": True, ALIKE: alike.IS_RIGHT}
    return replace(question, offers=(offer,))


def find_answers(
    event: Event | None, digest: str, *, sheet: str, reads_hidden: bool
) -> dict[int, SheetAnswer]:
    """Return what people answered to `ask_same_sheet`, in every import of the file.

    Lines count what is read of the file: one `sheet` of a spreadsheet, and its hidden rows or not.
    """
    # One that is settled without a reason has gone by itself: nobody answered it.
    problems = ImportProblem.objects.filter(
        event=event,
        code=SHEET_ELSEWHERE,
        state=ProblemState.SETTLED,
        batch__file_digest=digest,
        batch__upload__sheet=sheet,
        batch__upload__reads_hidden=reads_hidden,
    ).exclude(reason="")
    answers: dict[int, SheetAnswer] = {}
    for problem in problems.order_by("pk"):
        for offer in problem.offers:
            if offer.get(IS_CHOSEN):
                round_, table = offer[PLACE]
                answer = SheetAnswer((round_, table), offer[IS_ONE])
                answers.update(dict.fromkeys(problem.lines, answer))
    return answers
