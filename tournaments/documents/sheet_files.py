"""The hands of an event as a file of sheets, with the columns that an import reads."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from scoring.entry.codec import KEYS, NUMBERS, texts_of
from scoring.entry.hand_reader import unit_sides
from scoring.entry.sheet import Box, boxes, seat_names
from scoring.json_types import JsonDict
from scoring.rules.rules import Rules
from tournaments.domain.csv_safety import escape_formula
from tournaments.domain.event_settings import settings_of
from tournaments.domain.imports.imported_sheets import AS_WRITTEN
from tournaments.domain.replay_game import TOTALS
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.imports import ImportBatch
from tournaments.selectors.hands.played_hands import (
    EnteredHand,
    Under,
    has_totals,
    played_hands,
    played_under,
)
from tournaments.selectors.imports import undone_played, undone_totals, undone_under
from tournaments.selectors.rounds.tables import PlayingGroups
from tournaments.selectors.rules.rule_sets import rules_of


class Partners:
    """The pairs and teams of an event; three queries, two if there are none.

    The answers about tables are remembered.
    """

    def __init__(self, event: Event) -> None:
        self._groups = PlayingGroups(event)
        players = Player.objects.filter(club=event.club_id)
        rows = players.values_list("player_id", "pk") if self._groups.of else ()
        self._rows = dict(rows)
        self._answers: dict[tuple[str, ...], bool] = {}

    @property
    def has_any(self) -> bool:
        return bool(self._groups.of)

    def are_split(self, rules: Rules, players: Sequence[str]) -> bool:
        """Whether an import would ask about people who sit together without being a pair."""
        if not self.has_any:
            return False
        key = (rules.content_hash, *players)
        if key not in self._answers:
            seats = [self._rows.get(code) for code in players]
            self._answers[key] = any(True for _ in self._groups.split(rules, seats, str))
        return self._answers[key]


PLACED: Final = ("date", "round", "table", "variant", "hand", "seat", "player_id", "player")
"""The columns that say which row of which hand it is."""

TICK: Final = "x"
BOARD: Final = "board"
"""The column of duplicate events in which each hand names its board."""
SIDES: Final = "sides"
"""The column of events of pairs or teams in which such partners sat together."""
OF_TOTALS: Final = ("points", "hands")
"""Columns of a sheet of totals only, in files that have one."""
TEXTS: Final = frozenset(
    {"date", "variant", "seat", "player_id", "player", "sides"}
    | (KEYS.keys() - {*NUMBERS, "clean"})
)
"""Columns whose cells are text, though they may look like numbers."""

Cells = dict[str, str]


VariantColumns = tuple[str, Rules, Sequence[Sequence[int]], Mapping[str, str]]
"""The columns of a variant: its id, its rules, the sides, the keys of counted cards."""


def sheet_lines(event: Event) -> Iterator[str]:
    """Yield the head and then a line for each player in each hand that counts.

    No text begins like a formula of a spreadsheet (`escape_formula`).
    """
    yield from _lines(rows_of_event(event))


def undone_lines(batch: ImportBatch) -> Iterator[str]:
    """Yield the hands that an undo removed, in the same columns.

    Each hand as it was entered last; deleted ones are left out.
    """
    totals = undone_totals(batch)
    partners = Partners(batch.event)
    hands = undone_played(batch)
    boards = settings_of(batch.event).duplicate
    rows = cells_of(hands, undone_under(batch), partners, totals=totals, boards=boards)
    yield from _lines(rows)


def rows_of_event(event: Event) -> Iterator[list[str]]:
    hands = played_hands(event)
    totals = has_totals(event)
    boards = settings_of(event).duplicate
    under = played_under(event)
    partners = Partners(event)
    return cells_of(hands, under, partners, totals=totals, boards=boards)


def cells_of(
    hands: Iterable[EnteredHand], under: Under, partners: Partners, *, totals: bool, boards: bool
) -> Iterator[list[str]]:
    """Yield the cells of the head and of the rows of hands that are played `under` these rules."""
    heads, columns_by_kind = _columns(under)
    if boards:
        heads.insert(heads.index("hand") + 1, BOARD)
    if partners.has_any:
        heads.append(SIDES)
    if totals:
        heads += [head for head in OF_TOTALS if head not in heads]
    yield heads
    for hand in hands:
        boxes_here = columns_by_kind[hand.snapshot, hand.seats]
        rows = rows_of(hand, boxes_here)
        if partners.are_split(boxes_here[1], [code for code, _name in hand.players]):
            for row in rows:
                row[SIDES] = AS_WRITTEN
        for row in rows:
            yield [row.get(head, "") for head in heads]


def _columns(under: Under) -> tuple[list[str], dict[tuple[int, int], VariantColumns]]:
    heads = [*PLACED]
    columns_by_kind: dict[tuple[int, int], VariantColumns] = {}
    for pk, (snapshot, sizes) in under.items():
        rules = rules_of(snapshot)
        for seats in sorted(sizes):
            sheet_boxes: Sequence[Box] = boxes(rules, seats)
            heads += [box.key for box in sheet_boxes if box.key not in heads]
            keys = {box.card: box.key for box in sheet_boxes if box.card}
            sides = unit_sides(rules, seats, None)
            columns_by_kind[pk, seats] = (snapshot.variant, rules, sides, keys)
    return heads, columns_by_kind


def rows_of(hand: EnteredHand, columns: VariantColumns) -> list[Cells]:
    variant, _rules, sides, keys = columns
    rows: list[Cells] = []
    for seat, (player_id, name) in enumerate(hand.players):
        number = "totals" if hand.number == TOTALS else hand.number
        placed = (hand.date or "", hand.round, hand.table, variant, number)
        cells = [
            *map(str, placed),
            seat_names(hand.seats)[seat],
            escape_formula(player_id),
            escape_formula(name),
        ]
        board = "" if hand.board is None else str(hand.board)
        rows.append(dict(zip(PLACED, cells, strict=True)) | {BOARD: board})
    texts = texts_of(_with_moon(hand), hand.seats, sides=sides, cards=keys, tick=TICK)
    for box, cells in texts.items():
        code = box.removeprefix("cards-")
        for row, text in zip(rows, cells, strict=False):
            row[keys.get(code, box)] = _of_column(box, text)
    if hand.number == TOTALS and hand.hands is not None:
        for row in rows:
            row["hands"] = str(hand.hands)
    return rows


def _with_moon(hand: EnteredHand) -> JsonDict:
    """Return the entry with its shooter; with points alone, the one that the engine found."""
    entry = {key: value for key, value in hand.typed.items() if value is not None}
    if hand.shooter is None or "shooter" in entry:
        return entry
    if "slam_choice" in entry:
        return entry | {"shooter": hand.shooter}
    if "points" in entry and not {"hearts", "taken"} & entry.keys() and hand.choice:
        return entry | {"shooter": hand.shooter, "slam_choice": hand.choice}
    return entry


def _of_column(box: str, text: str) -> str:
    """Return a text; a number may begin with a minus, points of two parts are escaped."""
    is_escaped = box == "points" and not text.removeprefix("-").isdecimal()
    if not is_escaped:
        return text
    return escape_formula(text)


def _lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for cells in rows:
        text = io.StringIO()
        csv.writer(text, lineterminator="\r\n").writerow(cells)
        yield text.getvalue()
