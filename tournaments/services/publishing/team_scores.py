"""Scores compared across tables: match points of teams, board means of a duplicate event."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from scoring.duplicate.matchpoints import FieldScore, field_scores
from scoring.standings.counting import carry_lines, weight
from scoring.standings.rows import PLACES, Row, Sums
from tournaments.models.events import Event
from tournaments.models.numbers import UNIT
from tournaments.selectors.boards.board_results import LineResult, line_results
from tournaments.selectors.events.settings_checks import default_snapshot
from tournaments.selectors.rounds.rounds import match_points_by_round
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.services.publishing.entrant_rows import entrant_inputs
from tournaments.services.publishing.tie_break_evidence import carry_rules


class MatchPoints:
    """The results of an event's matches, read once."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._results = match_points_by_round(event)
        self._carry = carry_rules(event)

    def means(
        self, until_round: int | None = None, rounds: Collection[int] | None = None
    ) -> dict[str, Mapping[int, int]]:
        """Return the match points of each team by code and round, up to a round.

        Args:
            rounds: take only the matches of these rounds.
        """
        found: dict[str, dict[int, int]] = defaultdict(dict)
        for number, code, points in self._results:
            if rounds is not None and number not in rounds:
                continue
            if until_round is None or number <= until_round:
                found[code][number] = found[code].get(number, 0) + points
        return dict(found)

    def with_means(
        self,
        rows: Sequence[Row],
        until_round: int | None = None,
        rounds: Collection[int] | None = None,
    ) -> list[Row]:
        """Return rows with their match points, and a row for each team that sat at no table.

        Such a team has a result all the same: others were short of people, or it was itself.
        """
        points = self.means(until_round, rounds)
        missing = points.keys() - {row.code for row in rows}
        if missing:
            beside = entrant_inputs(self._event)
            rows = [*rows, *(beside.row(_nothing_played(code)) for code in missing)]
            rows = sorted(rows, key=lambda row: row.code)
        return [self._with_points(row, points.get(row.code, {})) for row in rows]

    def _with_points(self, row: Row, by_round: Mapping[int, int]) -> Row:
        lines = carry_lines(row.code, set(by_round), self._carry)
        counting = sum((weight(at, lines) * own for at, own in by_round.items()), Fraction(0))
        whole = sum(own for at, own in by_round.items() if weight(at, lines))
        return replace(
            row,
            sums=replace(row.sums, match_points=Fraction(sum(by_round.values()))),
            counted=row.counted and replace(row.counted, match_points=Fraction(whole)),
            carried=row.carried and replace(row.carried, match_points=counting),
        )


def _nothing_played(code: str) -> Sums:
    """Return the sums of a team that sat at no table so far."""
    return Sums(code, 0, 0, 0, (0,) * PLACES, 0, Fraction(0), Fraction(0), 0, 0)


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
            result
            for result in self._results
            if (until_round is None or result.round <= until_round)
            and (rounds is None or result.round in rounds)
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
    for result in results:
        lines[result.board, result.line].append((result.entrant, result.score))
    return list(lines.values())


def _with_mean(row: Row, mean: FieldScore | None) -> Row:
    if mean is None:
        return row
    datum = mean.datum / Fraction(UNIT)
    return replace(row, sums=replace(row.sums, matchpoints=mean.percentage, datum=datum))
