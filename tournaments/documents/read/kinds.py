"""What a file holds, by its heads and its first rows: hands, or totals of whole games."""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from scoring.game.running_totals import are_running_totals, is_hand
from scoring.rules.rules import Rules
from tournaments.documents.read.cells import whole
from tournaments.documents.read.column_plan import labels_of
from tournaments.documents.read.columns import (
    RESULTS,
    fold,
    meaning,
    recognised,
    recognised_results,
    seats_in,
)
from tournaments.documents.read.guess_columns import guess
from tournaments.documents.read.people import People
from tournaments.models.imports import NAMES, SEATS, Holds

OF_A_HAND: Final = frozenset({"hand", "seat", "hearts", "cards", "tricks", "moon", "queen_spades"})
"""Columns that a file with totals does not have."""


class Kind(NamedTuple):
    """What a file holds, and the key of the reason in `WHY`."""

    holds: Holds
    why: str


WHY: Final = ("hand_columns", "running", "adds_up", "adds_not_up", "one_score", "unclear")


def recognised_anyhow(heads: Sequence[str]) -> int:
    """Return how many heads have a meaning in the kind of file where most have one."""
    return max(recognised(heads), recognised_results(heads))


def find_kind(
    heads: Sequence[str], sample: Sequence[Sequence[str]], people: People, rules: Rules
) -> Kind:
    """Return what a file likely holds; hands where nothing tells."""
    means = {meaning(head) for head in heads}
    if means & OF_A_HAND:
        return Kind(Holds.HANDS, "hand_columns")
    lines = list(_lines(heads, sample, people))
    if lines:
        if are_running_totals(rules, lines):
            return Kind(Holds.HANDS, "running")
        n_hands = sum(is_hand(rules, line) for line in lines)
        add_up = n_hands * 2 >= len(lines)
        return Kind(*(Holds.HANDS, "adds_up") if add_up else (Holds.TOTALS, "adds_not_up"))
    if seats_in(heads):
        return Kind(Holds.TOTALS, "one_score")
    folded = set(map(fold, heads))
    keys = {key for key, names in RESULTS.items() if folded & set(map(fold, names))}
    if "points" in keys and keys & {"player", "player_id", "pair"}:
        return Kind(Holds.TOTALS, "one_score")
    return Kind(Holds.HANDS, "unclear")


def _lines(
    heads: Sequence[str], sample: Sequence[Sequence[str]], people: People
) -> Iterator[tuple[int, ...]]:
    """Yield the numbers of the players in each row, where a row is a hand or a game."""
    labels, seats = labels_of(heads), seats_in(heads)
    at = [columns["points"] for _, columns in sorted(seats.items())]
    if not at:
        plan = guess(heads, sample, people, ())
        if plan.rows == SEATS or (plan.rows != NAMES and len(plan.players) < 2):
            return
        at = [index for index, label in enumerate(labels) if plan.has_numbers(label)]
    for row in sample:
        numbers = [whole(row[index]).value for index in at if index < len(row) and row[index]]
        line = tuple(number for number in numbers if number is not None)
        if len(line) == len(numbers) and len(line) > 1:
            yield line
