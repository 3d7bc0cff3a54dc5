"""The ways to read the numbers of a table, each checked against the rules of the event.

A reading is a column plan. The first rows are hands as written, or by one other reading, which is
proposed; several that give different hands are a question for the file.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Final, TypeAlias

from scoring.errors import Problem
from scoring.game.running_totals import MOST_LINES, Line, booked, find_slips, is_hand
from scoring.rules.rules import Rules
from tournaments.documents.read import cells
from tournaments.documents.read.apply_plan import SAMPLED, MappedTable
from tournaments.documents.read.cells import numbered, plain, whole
from tournaments.documents.read.column_plan import RUNNING, ColumnPlan, labels_of
from tournaments.documents.read.columns import fold, is_sum
from tournaments.documents.read.csv import NO_PLACES, Formulas, Note, Places
from tournaments.documents.read.csv import Line as FileLine
from tournaments.documents.read.people import People
from tournaments.documents.read.ways import (
    AS_WRITTEN,
    DASH_IS_ZERO,
    EMPTY_IS_ZERO,
    EMPTY_WAYS,
    MINUS,
    ROUND_IS_HAND,
    ROUND_WAYS,
    RUNNING_TOTALS,
    SEAT_IS_PLACE,
    SEAT_WAYS,
    SIGN_WAYS,
    SUM_WAYS,
    ways_of,
    with_ways,
)
from tournaments.models.imports import HANDS, NAMES, SEATS

LEAST: Final = Fraction(1, 2)
"""Share of the rows that must be hands, so that a reading is possible."""

PlacesOfHand: TypeAlias = list[tuple[int | None, int | None]]
"""The place and the points of each player of a hand, None where they are no numbers."""

PLACE_HEADS: Final = frozenset({"place", "platz", "position", "pos", "plaats", "rang"})
"""Folded heads of a column of seats that may have places."""

NAMED_BY: Final[Mapping[str, Sequence[str]]] = {
    SEATS: ("player", "player_id", "pair_id"),
    HANDS: ("column",),
    NAMES: ("player", "player_id"),
}
"""Layout → our columns that name a player of a hand, in the words of the file."""

LEAST_PLACED: Final = 3
"""Players of a hand whose order says something."""

GROWING: Final = 3
"""Lines of a table that must be hands both ways, so that it is asked whether they are sums."""


@dataclass(frozen=True, slots=True)
class ReadHand:
    """A hand as a reading has it: its place, and the points of each column or named player."""

    round: str
    table: str
    number: str
    day: str
    names: tuple[str, ...]
    points: tuple[str, ...]

    @property
    def line(self) -> Line | None:
        values = [whole(text).value for text in self.points]
        numbers = tuple(value for value in values if value is not None)
        if len(numbers) < len(values):
            return None
        return numbers


@dataclass(frozen=True, slots=True)
class Reading:
    """A plan for a table, the ways in which it is not as written, and its first hands."""

    plan: ColumnPlan
    ways: tuple[str, ...] = ()
    hands: tuple[ReadHand, ...] = ()
    share: Fraction = Fraction(0)

    @property
    def key(self) -> str:
        """Return what a form and REST call this reading, as `ways_in` reads it."""
        return " ".join(self.ways) or AS_WRITTEN


@dataclass(frozen=True, slots=True)
class Readings:
    """The reading to propose, and those that are as possible and give other hands.

    `ways` are those of every reading that is as possible, also of one that is less usual or gives
    the same hands.
    """

    first: Reading
    others: tuple[Reading, ...] = ()
    ways: Collection[tuple[str, ...]] = ()

    @property
    def is_possible(self) -> bool:
        return self.first.share >= LEAST

    def allows(self, plan: ColumnPlan) -> bool:
        """Whether a plan reads the table in one of these ways, or nobody can tell."""
        ways = ways_of(plan)
        is_one = any(ways == ways_of(reading.plan) for reading in self.all)
        return is_one or not self.is_possible

    def may_be(self, plan: ColumnPlan) -> bool:
        """Whether the table can be read as somebody said of an earlier one with these columns."""
        return ways_of(plan) in self.ways or self.allows(plan)

    @property
    def problem(self) -> Problem:
        """Return the problem that a person has to choose one."""
        return reading_problem([reading.key for reading in self.all])

    @property
    def all(self) -> tuple[Reading, ...]:
        return (self.first, *self.others)


def reading_problem(keys: Sequence[str]) -> Problem:
    return Problem("reading_needed", ("reading",), {"expected": ", ".join(keys)})


@dataclass(frozen=True, slots=True)
class SampleTable:
    """Some rows of a file as a table."""

    heads: tuple[str, ...]
    sample: Sequence[Sequence[str]]
    head_line: int = 1
    notes: Sequence[Note] = ()
    formulas: Formulas = field(default_factory=dict)
    above: Sequence[FileLine] = ()
    file_places: Places = NO_PLACES
    is_padded: bool = False
    sheet: str = ""
    other_sheets: Sequence[str] = ()

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        for line, row in enumerate(self.sample, start=2):
            yield line, list(row)


def read_as(
    plan: ColumnPlan, heads: Sequence[str], sample: Sequence[Sequence[str]], rules: Rules
) -> Readings:
    """Return the readings of a table by its first rows; that of the plan if none is possible."""
    rows = sample[:MOST_LINES]
    checker = _Checker(SampleTable(tuple(heads), rows), rules)
    as_written = checker.read(plan, ())
    readings: dict[object, Reading] = {(False, *as_written.hands): as_written}
    ways_by_hands: dict[object, list[tuple[str, ...]]] = {}
    for ways in _candidates(plan, heads, rows, rules):
        if MINUS in ways and as_written.share == 1:
            continue
        reading = checker.read(plan, ways)
        key = (SEAT_IS_PLACE in ways, *reading.hands)
        readings.setdefault(key, reading)
        ways_by_hands.setdefault(key, []).append(ways_of(reading.plan))
    best = max(reading.share for reading in readings.values())
    if best < 1:
        readings = {key: checker.with_slip(reading) for key, reading in readings.items()}
        best = max(reading.share for reading in readings.values())
    if best < LEAST:
        return Readings(replace(as_written, plan=plan))
    possible = [reading for reading in readings.values() if reading.share == best]
    possible_ways = {
        ways
        for key, reading in readings.items()
        if reading.share == best
        for ways in ways_by_hands.get(key, ())
    }
    possible = _preferred(possible, as_written)
    if _has_a_place_twice(places_in(plan, heads, rows)):
        possible = [reading for reading in possible if SEAT_IS_PLACE in reading.ways] or possible
    first, *others = sorted(possible, key=lambda reading: ROUND_IS_HAND not in reading.ways)
    if not others and EMPTY_IS_ZERO in first.ways:
        others = checker.with_nobody(first)
    return Readings(first, tuple(others), possible_ways)


def _candidates(
    plan: ColumnPlan, heads: Sequence[str], sample: Sequence[Sequence[str]], rules: Rules
) -> Iterator[tuple[str, ...]]:
    """Yield the ways in which a table may be read, as written first."""
    if plan.rows == SEATS:
        of_points = "points" in plan.means
        may_be_sums = not rules.keys.running.resets
    else:
        of_points = plan.cells in ("points", RUNNING)
        may_be_sums = True
    rounds = ROUND_WAYS[:1]
    if _may_be_hands(plan, heads, sample):
        rounds = ROUND_WAYS
    if not of_points:
        yield from rounds
        return
    sums = SUM_WAYS if may_be_sums else SUM_WAYS[:1]
    seats = SEAT_WAYS if are_places(places_in(plan, heads, sample)) else SEAT_WAYS[:1]
    for empty, sign, running, round_ in product(EMPTY_WAYS.values(), SIGN_WAYS, sums, rounds):
        for seat in seats:
            yield (*round_, *running, *sign, *empty, *seat)


def places_in(
    plan: ColumnPlan, heads: Sequence[str], sample: Sequence[Sequence[str]]
) -> list[PlacesOfHand]:
    """Return the place and the points of each player by hand, if seats may be places.

    A column *Platz* is a seat or a place; *Seat* and *Sitz* are seats.
    """
    labels = labels_of(heads)
    at = {means: labels.index(label) for label, means in plan.columns if label in labels}
    if plan.rows != SEATS or not at.keys() >= {"seat", "points"}:
        return []
    if fold(labels[at["seat"]]) not in PLACE_HEADS:
        return []
    hands: dict[tuple[str, ...], PlacesOfHand] = {}
    for row in sample:
        key = tuple(_text(row, at.get(means)) for means in ("date", "round", "table", "hand"))
        place = cells.place(_text(row, at["seat"]))
        hands.setdefault(key, []).append((place, whole(_text(row, at["points"])).value))
    return list(hands.values())


def are_places(hands: Sequence[PlacesOfHand]) -> bool:
    """Whether the numbers of seats have the order of the points in all hands.

    >>> are_places([[(2, 5), (1, 0), (3, 13)]]), are_places([[(1, 5), (2, 0), (3, 13)]])
    (True, False)
    >>> are_places([[(2, 5), (1, 0)]])
    False
    """
    return bool(hands) and all(map(_is_in_order, hands))


def _is_in_order(hand: PlacesOfHand) -> bool:
    whole_pairs = [
        (place, abs(points)) for place, points in hand if place is not None and points is not None
    ]
    if len(whole_pairs) < len(hand) or len(hand) < LEAST_PLACED:
        return False
    rising = sorted(whole_pairs)
    falling = sorted(whole_pairs, key=lambda pair: (pair[0], -pair[1]))
    points = sorted(points for _, points in whole_pairs)
    by_place = [points for _, points in rising]
    from_most = [points for _, points in falling]
    return by_place == points or from_most == points[::-1]


def _has_a_place_twice(hands: Sequence[PlacesOfHand]) -> bool:
    places = [[place for place, _ in hand] for hand in hands]
    return any(len(set(of_hand)) < len(of_hand) for of_hand in places)


def _may_be_hands(plan: ColumnPlan, heads: Sequence[str], sample: Sequence[Sequence[str]]) -> bool:
    """Whether no number of a round is twice at a table, and some table has several."""
    if "hand" in plan.means or "round" not in plan.means:
        return False
    labels = labels_of(heads)
    at = {means: labels.index(label) for label, means in plan.columns if label in labels}
    numbers: dict[tuple[str, ...], list[int | None]] = {}
    of_row = ("player", "player_id") if plan.rows == SEATS else ()
    above = {"table": "", "date": ""}
    for row in _without_unnamed_end(sample, at.get("round")):
        if is_sum(row):
            continue
        texts = {key: _text(row, at.get(key)) for key in ("table", "date", "round")}
        above = {key: texts[key] or above[key] for key in above}
        who = [_text(row, at.get(key)) for key in of_row]
        numbers.setdefault((*above.values(), *who), []).append(
            whole(numbered(texts["round"])).value
        )
    of_tables = list(numbers.values())
    has_twice = any(len(set(of_table)) < len(of_table) for of_table in of_tables)
    has_words = any(None in of_table for of_table in of_tables)
    return not has_twice and not has_words and max(map(len, of_tables), default=0) > 1


def _without_unnamed_end(
    sample: Sequence[Sequence[str]], column: int | None
) -> Sequence[Sequence[str]]:
    """Return some rows without a last one that has no round: it may have sums."""
    if sample and not _text(sample[-1], column):
        return sample[:-1]
    return sample


def _text(row: Sequence[str], index: int | None) -> str:
    if index is None or index >= len(row):
        return ""
    return plain(row[index]).text


def hands_of(plan: ColumnPlan, table: SampleTable, rules: Rules) -> tuple[ReadHand, ...]:
    """Return the hands of a table by a plan, with the names or the heads of the players."""
    # A file without these columns is shown as one table of one round.
    values = {"round": "1", "table": "1"}
    mapped = MappedTable(table, plan, values, People(()), rules=rules)
    at = mapped.columns.at
    rows: dict[tuple[str, str, str, str, int], list[tuple[str, str]]] = {}
    for line, row in mapped.rows():
        name = _name(row, at, NAMED_BY[plan.rows])
        if not row or not name:
            continue
        day = row[at["date"]] if "date" in at else ""
        place = (plain(row[at["round"]]).text, plain(row[at["table"]]).text)
        # Rows of one seat each make up a hand; any other row is a hand of its own.
        of_row = line if plan.rows != SEATS else 0
        key = (*place, plain(row[at["hand"]]).text, day, of_row)
        points = plain(row[at["points"]]).text if "points" in at else ""
        rows.setdefault(key, []).append((name, points))
    hands = [
        ReadHand(*key[:4], tuple(name for name, _ in of_hand), tuple(text for _, text in of_hand))
        for key, of_hand in rows.items()
    ]
    is_cut = plan.rows == SEATS and len(table.sample) >= SAMPLED
    if is_cut and len(hands) > 1:
        hands.pop()  # its other rows may be below the first ones
    return tuple(hands)


def _name(row: Sequence[str], at: Mapping[str, int], keys: Sequence[str]) -> str:
    texts = (plain(row[at[key]]).text for key in keys if row and key in at)
    return next(filter(None, texts), "")


def _by_table(hands: Sequence[ReadHand]) -> list[list[ReadHand]]:
    """Return the hands of one evening at one table: all rounds of the day."""
    tables: dict[tuple[str, str], list[ReadHand]] = {}
    for hand in hands:
        tables.setdefault((hand.day, hand.table), []).append(hand)
    return list(tables.values())


class _Checker:
    """Checks readings of a table against the rules; each hand once.

    The people of a table come and go once. Where no zeros are written, a hand with fewer people
    than usual is not possible otherwise, and neither it is among running totals.
    """

    def __init__(self, table: SampleTable, rules: Rules) -> None:
        self.table = table
        self.rules = rules
        self.writes_zeros: bool | None = None
        self._known: dict[Line, bool] = {}

    def read(self, plan: ColumnPlan, ways: tuple[str, ...]) -> Reading:
        hands = hands_of(with_ways(plan, ways), self.table, self.rules)
        if self.writes_zeros is None:
            self.writes_zeros = any("0" in hand.points for hand in hands)
        n_possible = sum(sum(self._flags(of_table, ways)) for of_table in _by_table(hands))
        share = Fraction(n_possible, len(hands) or 1)
        return Reading(with_ways(plan, ways), ways, hands, share)

    def _flags(self, hands: Sequence[ReadHand], ways: Sequence[str]) -> list[bool]:
        """Return which hands of a table are possible."""
        sizes = Counter(len(hand.points) for hand in hands)
        usual = sizes.most_common(1)[0][0]
        is_one_game = RUNNING_TOTALS in ways
        may_vary = not is_one_game and (self.writes_zeros or _stay_once(hands))
        return [
            (may_vary or len(hand.points) == usual) and self._is_possible(hand) for hand in hands
        ]

    def _is_possible(self, hand: ReadHand) -> bool:
        line = hand.line
        if line is None or len(line) < 2:
            return False
        if line not in self._known:
            self._known[line] = is_hand(self.rules, line)
        return self._known[line]

    def with_slip(self, reading: Reading) -> Reading:
        """Return a reading of running totals as if one wrong total at a table spoilt one hand."""
        if RUNNING_TOTALS not in reading.ways:
            return reading
        n_possible = 0
        for hands in _by_table(reading.hands):
            flags = self._flags(hands, reading.ways)
            lines = [hand.line for hand in hands if hand.line is not None]
            sizes = {len(line) for line in lines}
            is_whole = len(lines) == len(hands) and len(sizes) == 1
            n_bad = flags.count(False)
            may_slip = is_whole and n_bad > 1 and any(flags)
            if may_slip and find_slips(self.rules, booked(self.rules, lines)):
                n_bad = 1
            n_possible += len(hands) - n_bad
        return replace(reading, share=Fraction(n_possible, len(reading.hands) or 1))

    def with_nobody(self, reading: Reading) -> list[Reading]:
        """Return the reading in which empty cells are nobody, if somebody may sit out each hand.

        A hand in which everybody at a table has a number says that nobody does.
        """
        if RUNNING_TOTALS in reading.ways:
            return []
        ways = tuple(way for way in reading.ways if way not in (EMPTY_IS_ZERO, DASH_IS_ZERO))
        otherwise = self.read(reading.plan, ways)
        if len(otherwise.hands) != len(reading.hands):
            return []
        pairs = zip(reading.hands, otherwise.hands, strict=True)
        full = {
            (hand.day, hand.table)
            for hand, written in pairs
            if len(hand.points) == len(written.points)
        }
        tables = {(hand.day, hand.table) for hand in reading.hands}
        if full == tables:
            return []
        return [otherwise]


def _stay_once(hands: Sequence[ReadHand]) -> bool:
    """Whether everybody at a table played there without a break."""
    played: dict[str, list[int]] = {}
    for number, hand in enumerate(hands):
        for name in hand.names:
            played.setdefault(name, []).append(number)
    return all(numbers[-1] - numbers[0] < len(numbers) for numbers in played.values())


def _preferred(possible: list[Reading], as_written: Reading) -> list[Reading]:
    """Return the readings that are as likely as each other.

    A minus is a minus, and an empty cell nobody where zeros are written, if hands come out so.
    Lines are not sums unless several of a table are hands that way too.
    """
    preferred = _without(possible, MINUS)
    if any("0" in hand.points for hand in as_written.hands):
        preferred = _without(preferred, EMPTY_IS_ZERO)
    return [reading for reading in preferred if not _is_short(reading)] or preferred


def _is_short(reading: Reading) -> bool:
    """Whether a reading takes too few lines of each table for running totals to say so."""
    if RUNNING_TOTALS not in reading.ways:
        return False
    lengths = Counter((hand.day, hand.round, hand.table) for hand in reading.hands)
    return max(lengths.values(), default=0) < GROWING


def _without(readings: list[Reading], way: str) -> list[Reading]:
    """Return the readings that do without a way, or all if none does."""
    return [reading for reading in readings if way not in reading.ways] or readings
