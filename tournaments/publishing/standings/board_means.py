"""Mean matchpoints and datum of a duplicate event's entrants: each board compared across tables."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from scoring.duplicate.matchpoints import FieldScore, field_scores
from scoring.standings.rows import Row
from tournaments.models.events import Event
from tournaments.models.numbers import UNIT
from tournaments.selectors.boards.board_results import LineResult, line_results
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.events.events import default_snapshot


class BoardMeans:
    """The results of an event's boards, read once; means as of any of its rounds."""

    def __init__(self, event: Event) -> None:
        self._results = line_results(event)
        self._low_wins = low_wins(rules_of(default_snapshot(event)))

    def means(
        self, until_round: int | None = None, rounds: Collection[int] | None = None
    ) -> dict[str, FieldScore]:
        """Return the means of each entrant by code, over the boards played up to a round.

        Args:
            rounds: take only the boards of these rounds.
        """
        results = (
            one
            for one in self._results
            if (until_round is None or one.round <= until_round)
            and (rounds is None or one.round in rounds)
        )
        return field_scores(lines_of(results), low_wins=self._low_wins)

    def with_means(
        self,
        rows: Sequence[Row],
        until_round: int | None = None,
        rounds: Collection[int] | None = None,
    ) -> list[Row]:
        """Return rows with their means; those who played no board have none."""
        means = self.means(until_round, rounds)
        return [_with_mean(row, means.get(row.code)) for row in rows]


def lines_of(results: Iterable[LineResult]) -> list[list[tuple[str, int]]]:
    """Return the results of each line of each board: (code of the entrant, score)."""
    lines: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    for one in results:
        lines[one.board, one.line].append((one.entrant, one.score))
    return list(lines.values())


def _with_mean(row: Row, mean: FieldScore | None) -> Row:
    if mean is None:
        return row
    datum = mean.datum / Fraction(UNIT)
    return replace(row, sums=replace(row.sums, matchpoints=mean.percentage, datum=datum))
