"""What a file holds, by the heads of its table and some rows: hands, totals, a season, people."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Final

from scoring.rules.rules import Rules
from tournaments.documents.read.cells import whole
from tournaments.documents.read.column_plan import ColumnPlan, labels_of
from tournaments.documents.read.columns import fold, is_sum, meaning, recognised
from tournaments.documents.read.guess_columns import are_hands, guess, is_running, lines_by_table
from tournaments.documents.read.people import People
from tournaments.documents.read.people_files import is_list_of_people
from tournaments.documents.read.season import is_season
from tournaments.documents.read.totals import RESULTS, count_result_heads, seats_in
from tournaments.models.imports import IGNORE, NAMES, SEATS, Holds


@dataclass(frozen=True)
class Sample:
    """The heads of a table and some of its rows, for an event of a club."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    people: People
    rules: Rules
    today: date

    @cached_property
    def plan(self) -> ColumnPlan | None:
        """The likely plan of a table in which a row is a hand or a game."""
        plan = guess(self.heads, self.rows, self.people, ())
        is_of_hands = plan.rows == NAMES or (plan.rows != SEATS and len(plan.players) > 1)
        return plan if is_of_hands else None

    @cached_property
    def lines(self) -> Sequence[Sequence[int]]:
        """The numbers of the players in each row of such a table."""
        tables = lines_by_table(self.plan, self.rows, labels_of(self.heads)) if self.plan else []
        return [line for table in tables for line in table]

    @cached_property
    def hands_of_people(self) -> Sequence[Sequence[int]]:
        """The points of each hand of a table in which a row is a player's in a numbered hand.

        The sample may end in the middle of the last one.
        """
        plan = guess(self.heads, self.rows, self.people, ())
        at = {means: at for at, (_, means) in enumerate(plan.columns) if means != IGNORE}
        if plan.rows != SEATS or not {"hand", "points"} <= at.keys():
            return []
        hands: dict[tuple[str, ...], list[int]] = {}
        for row in self.rows:
            if is_sum(row) or len(row) <= max(at.values()):
                continue
            points = whole(row[at["points"]]).value
            if points is None:
                return []
            key = tuple(row[at[key]] for key in ("date", "round", "table", "hand") if key in at)
            hands.setdefault(key, []).append(points)
        return list(hands.values())[:-1] if len(hands) > 1 else list(hands.values())


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

GAMES: Final = (Holds.HANDS, Holds.TOTALS)
HEADS_OF_GAMES: Final = (recognised, count_result_heads)


def _why_hands(sample: Sample) -> str:
    means = set(map(meaning, sample.heads))
    if means & OF_A_HAND or any(each.startswith("=") for each in means):
        return "hand_columns"
    if sample.hands_of_people and are_hands(sample.hands_of_people, sample.rules, by_sum=False):
        return "adds_up"
    if sample.plan is None or not sample.lines:
        return ""
    if is_running(sample.plan, sample.rows, labels_of(sample.heads), sample.rules):
        return "running"
    return "adds_up" if are_hands(sample.lines, sample.rules) else ""


def _why_totals(sample: Sample) -> str:
    """It is asked after `_why_hands`."""
    if sample.lines:
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
