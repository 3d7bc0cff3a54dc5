"""What a file holds, by the heads of its table and some rows: hands, totals, a season, people."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Final

from scoring.game.running_totals import Line, are_running_totals, is_hand
from scoring.rules.rules import Rules
from tournaments.documents.read.cells import numbered, whole
from tournaments.documents.read.column_plan import ColumnPlan
from tournaments.documents.read.columns import fold, meaning, recognised
from tournaments.documents.read.guess_columns import are_hands, guess
from tournaments.documents.read.people import People
from tournaments.documents.read.people_files import is_list_of_people
from tournaments.documents.read.readings import Readings, are_places, places_in, read_as
from tournaments.documents.read.season import is_season
from tournaments.documents.read.totals import RESULTS, count_result_heads, seats_in
from tournaments.documents.read.ways import RUNNING_TOTALS
from tournaments.models.imports import NAMES, SEATS, Holds


@dataclass(frozen=True)
class Sample:
    """The heads of a table and some of its rows, for an event of a club."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    people: People
    rules: Rules
    today: date

    @cached_property
    def plan(self) -> ColumnPlan:
        return guess(self.heads, self.rows, self.people, ())

    @property
    def has_players(self) -> bool:
        """Whether a row is a hand or a game, with a number for each player."""
        plan = self.plan
        return plan.rows == NAMES or (plan.rows != SEATS and len(plan.players) > 1)

    @cached_property
    def readings(self) -> Readings | None:
        """How the rows can be read as hands; None if they name no players, or no hands."""
        means = self.plan.means
        is_of_seats = self.plan.rows == SEATS and "points" in means
        has_names = is_of_seats and bool(means & {"player", "player_id"})
        if not self.has_players and not has_names:
            return None
        return read_as(self.plan, self.heads, self.rows, self.rules)


SEASON: Final = "season"
PEOPLE: Final = "players"
ELSEWHERE: Final = {
    SEASON: "This file has the points of a season so far, not of games. A director adds it under "
    "Values from before.",
    PEOPLE: "This file is a list of people, not of games. A director adds them under Players.",
}
"""What has no games → where it belongs."""

OF_A_HAND: Final = frozenset({"hand", "seat", "hearts", "cards", "tricks", "moon", "queen_spades"})
"""Columns that a file with totals does not have."""

STRICT: Final = 3
"""Hands of which no other sum may be possible, so that they are told from totals of games."""

GAMES: Final = (Holds.HANDS, Holds.TOTALS)
HEADS_OF_GAMES: Final = (recognised, count_result_heads)


def _why_hands(sample: Sample) -> str:
    means = set(map(meaning, sample.heads))
    if are_places(places_in(sample.plan, sample.heads, sample.rows)):
        means.discard("seat")
    if means & OF_A_HAND or any(each.startswith("=") for each in means):
        return "hand_columns"
    readings = sample.readings
    if readings is None:
        return ""
    if not sample.has_players and not _are_hands_of_seats(sample, readings):
        return ""
    if readings.is_possible and RUNNING_TOTALS in readings.first.ways:
        return "running"
    if readings.is_possible:
        return "adds_up"
    if sample.has_players and are_hands(_lines(readings), sample.rules):
        return "adds_up"
    if sample.has_players and _are_sums_of_evenings(sample, readings):
        return "running"
    return ""


def _are_sums_of_evenings(sample: Sample, readings: Readings) -> bool:
    """Whether the rows are running totals that begin again wherever the rounds do."""
    if "round" not in sample.plan.means:
        return False
    evenings: list[list[Line]] = []
    last = 0
    for hand in readings.first.hands:
        number = whole(numbered(hand.round)).value
        if hand.line is None or number is None:
            return False
        if not evenings or number <= last:
            evenings.append([])
        evenings[-1].append(hand.line)
        last = number
    several = [lines for lines in evenings if len(lines) > 1]
    return bool(several) and all(are_running_totals(sample.rules, lines) for lines in several)


def _are_hands_of_seats(sample: Sample, readings: Readings) -> bool:
    """Whether rows of one player each are hands: they have its number, or no other sum is one."""
    if not readings.is_possible:
        return False
    if "hand" in sample.plan.means:
        return True
    others = [(line[0] + 1, *line[1:]) for line in _lines(readings)[:STRICT]]
    return not any(is_hand(sample.rules, line) for line in others)


def _lines(readings: Readings) -> list[Sequence[int]]:
    lines = (hand.line for hand in readings.first.hands)
    return [line for line in lines if line is not None]


def _why_totals(sample: Sample) -> str:
    """It is asked after `_why_hands`."""
    if sample.has_players and sample.readings is not None and _lines(sample.readings):
        return "adds_not_up"
    folded_heads = set(map(fold, sample.heads))
    keys = {key for key, names in RESULTS.items() if folded_heads & set(map(fold, names))}
    has_points = "points" in keys and keys & {"player", "player_id", "pair"}
    return "one_score" if has_points or seats_in(sample.heads) else ""


KINDS: Final[Mapping[str, Callable[[Sample], str]]] = {
    SEASON: lambda sample: SEASON * is_season(sample.heads, sample.rows, sample.today),
    PEOPLE: lambda sample: PEOPLE * is_list_of_people(sample.heads, sample.rows),
    Holds.HANDS: _why_hands,
    Holds.TOTALS: _why_totals,
}
"""Kind of file → why a table is of it, a key of a reason or nothing; in the order of asking."""


def find_kind(sample: Sample, kinds: Iterable[str] = KINDS) -> tuple[str, str]:
    """Return the first of `kinds` that has a reason for a table, with it: a key of `WHY` of pages.

    Where nothing tells it is hands, and the reason `unclear`.
    """
    reasons = ((kind, KINDS[kind](sample)) for kind in kinds)
    return next((reason for reason in reasons if reason[1]), (Holds.HANDS, "unclear"))
