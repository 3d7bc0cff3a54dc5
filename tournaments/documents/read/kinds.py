"""What a file holds, by its heads and its first rows: hands, or totals of whole games."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from scoring.game.running_totals import MOST_LINES, are_running_totals, is_hand
from scoring.rules.rules import Rules
from tournaments.documents.read.column_plan import ColumnPlan, labels_of
from tournaments.documents.read.columns import (
    RESULTS,
    fold,
    meaning,
    recognised,
    recognised_results,
    seats_in,
)
from tournaments.documents.read.guess_columns import guess, is_running, lines_by_table
from tournaments.documents.read.people import People
from tournaments.models.imports import NAMES, SEATS, Holds

OF_A_HAND: Final = frozenset({"hand", "seat", "hearts", "cards", "tricks", "moon", "queen_spades"})
"""Columns that a file with totals does not have."""


MOST_COUNTED: Final = 40
"""Maximum number of hearts, or of points, that are shared out in a hand of any usual game."""


class Kind(NamedTuple):
    """What a file holds, and why: a key of `WHY` of the pages, or `unclear`."""

    holds: Holds
    why: str


def recognised_anyhow(heads: Sequence[str]) -> int:
    """Return how many heads have a meaning in the kind of file where most have one."""
    return max(recognised(heads), recognised_results(heads))


def find_kind(
    heads: Sequence[str], sample: Sequence[Sequence[str]], people: People, rules: Rules
) -> Kind:
    """Return what a file likely holds; hands where nothing tells."""
    means = {meaning(head) for head in heads}
    if means & OF_A_HAND or any(each.startswith("=") for each in means):
        return Kind(Holds.HANDS, "hand_columns")
    plan = _plan(heads, sample, people)
    lines = lines_by_table(plan, sample, labels_of(heads)) if plan is not None else []
    if plan is not None and lines:
        if is_running(plan, sample, labels_of(heads), rules):
            return Kind(Holds.HANDS, "running")
        add_up = are_hands([line for table in lines for line in table], rules)
        return Kind(*(Holds.HANDS, "adds_up") if add_up else (Holds.TOTALS, "adds_not_up"))
    if seats_in(heads):
        return Kind(Holds.TOTALS, "one_score")
    folded = set(map(fold, heads))
    keys = {key for key, names in RESULTS.items() if folded & set(map(fold, names))}
    if "points" in keys and keys & {"player", "player_id", "pair"}:
        return Kind(Holds.TOTALS, "one_score")
    return Kind(Holds.HANDS, "unclear")


def _plan(
    heads: Sequence[str], sample: Sequence[Sequence[str]], people: People
) -> ColumnPlan | None:
    """Return the likely plan of a file in which a row is a hand or a game."""
    plan = guess(heads, sample, people, ())
    is_of_hands = plan.rows == NAMES or (plan.rows != SEATS and len(plan.players) > 1)
    return plan if is_of_hands else None


def are_hands(lines: Sequence[Sequence[int]], rules: Rules, *, by_sum: bool = True) -> bool:
    """Whether at least half of the lines are points of a hand, or all are running totals of them.

    With `by_sum` also where all have the same small sum: hearts are as many in each hand.
    """
    some = [tuple(line) for line in lines[:MOST_LINES]]
    sums = set(map(sum, some))
    return bool(some) and (
        sum(is_hand(rules, line) for line in some) * 2 >= len(some)
        or (by_sum and len(sums) == 1 and max(sums) <= MOST_COUNTED)
        or are_running_totals(rules, some)
    )
