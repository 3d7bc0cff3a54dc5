"""Files of hands: a row is a seat of a hand, or a hand."""

from collections.abc import Sequence
from typing import Final

from tournaments.documents.read.column_plan import labels_of
from tournaments.documents.read.columns import meaning, recognised
from tournaments.documents.read.guess_columns import are_hands, is_running
from tournaments.documents.read.kinds.kind import FileKind, Sample
from tournaments.models.imports import Holds

OF_A_HAND: Final = frozenset({"hand", "seat", "hearts", "cards", "tricks", "moon", "queen_spades"})
"""Columns that a file with totals does not have."""


class Hands(FileKind):
    key = Holds.HANDS

    def score(self, heads: Sequence[str], /) -> int:
        return recognised(heads)

    def why(self, sample: Sample, /) -> str:
        means = set(map(meaning, sample.heads))
        if means & OF_A_HAND or any(each.startswith("=") for each in means):
            return "hand_columns"
        if sample.plan is None or not sample.lines:
            return ""
        if is_running(sample.plan, sample.rows, labels_of(sample.heads), sample.rules):
            return "running"
        return "adds_up" if are_hands(sample.lines, sample.rules) else ""


HANDS: Final = Hands()
