"""Files with the totals of whole games: a row for each player, or a row for each game."""

from collections.abc import Sequence
from typing import Final

from tournaments.documents.read.columns import fold
from tournaments.documents.read.kinds.kind import FileKind, Sample
from tournaments.documents.read.kinds.result_columns import KNOWN, NUMBERED, RESULTS, seats_in
from tournaments.models.imports import Holds


class Totals(FileKind):
    """It is asked after `Hands`."""

    key = Holds.TOTALS

    def score(self, heads: Sequence[str], /) -> int:
        return sum(1 for head in heads if fold(head) in KNOWN or NUMBERED.fullmatch(fold(head)))

    def why(self, sample: Sample, /) -> str:
        if sample.lines:
            return "adds_not_up"
        folded = set(map(fold, sample.heads))
        keys = {key for key, names in RESULTS.items() if folded & set(map(fold, names))}
        has_points = "points" in keys and keys & {"player", "player_id", "pair"}
        return "one_score" if has_points or seats_in(sample.heads) else ""


TOTALS: Final = Totals()
