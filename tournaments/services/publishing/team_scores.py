"""Scores compared across tables: match points of teams, board means of a duplicate event."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

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

EVERY_ROUND: Final = range(2**31)


class MatchPoints:
    """The results of an event's matches, read once."""

    def __init__(self, event: Event) -> None:
        self._event = event
        self._results = match_points_by_round(event)
        self._carry = carry_rules(event)

    def means(self, rounds: Container[int] = EVERY_ROUND) -> dict[str, Mapping[int, int]]:
        """Return the match points of each team in these rounds, by code and round."""
        by_team: dict[str, dict[int, int]] = defaultdict(dict)
        for number, code, points in self._results:
            if number in rounds:
                by_team[code][number] = by_team[code].get(number, 0) + points
        return dict(by_team)

    def with_means(self, rows: Sequence[Row], rounds: Container[int] = EVERY_ROUND) -> list[Row]:
        """Return rows with their match points, and a row for each team that sat at no table.

        Such a team has a result: it or its opponents were short of people.
        """
        points = self.means(rounds)
        missing = points.keys() - {row.code for row in rows}
        if missing:
            inputs = entrant_inputs(self._event)
            none = Fraction(0)
            rows = [
                *rows,
                *(
                    inputs.row(Sums(code, 0, 0, 0, (0,) * PLACES, 0, none, none, 0, 0))
                    for code in missing
                ),
            ]
            rows = sorted(rows, key=lambda row: row.code)
        return [self._with_points(row, points.get(row.code, {})) for row in rows]

    def _with_points(self, row: Row, by_round: Mapping[int, int]) -> Row:
        lines = carry_lines(row.code, set(by_round), self._carry)
        weights = {number: weight(number, lines) for number in by_round}
        weighted = sum((weights[at] * points for at, points in by_round.items()), Fraction(0))
        counted = sum(points for at, points in by_round.items() if weights[at])
        return replace(
            row,
            sums=replace(row.sums, match_points=Fraction(sum(by_round.values()))),
            counted=row.counted and replace(row.counted, match_points=Fraction(counted)),
            carried=row.carried and replace(row.carried, match_points=weighted),
        )


class BoardMeans:
    """The results of an event's boards, read once."""

    def __init__(self, event: Event) -> None:
        self._results = line_results(event)
        self._low_wins = low_wins(rules_of(default_snapshot(event)))

    def means(self, rounds: Container[int] = EVERY_ROUND) -> dict[str, FieldScore]:
        """Return the means of each entrant over the boards of these rounds, by code."""
        results = (result for result in self._results if result.round in rounds)
        return field_scores(lines_of(results), low_wins=self._low_wins)

    def with_means(self, rows: Sequence[Row], rounds: Container[int] = EVERY_ROUND) -> list[Row]:
        """Return rows with their means; those who played no board have none."""
        means = self.means(rounds)
        return [
            replace(
                row,
                sums=replace(
                    row.sums,
                    matchpoints=means[row.code].percentage,
                    datum=means[row.code].datum / Fraction(UNIT),
                ),
            )
            if row.code in means
            else row
            for row in rows
        ]


def lines_of(results: Iterable[LineResult]) -> list[list[tuple[str, int]]]:
    """Return the results of each line of each board: (code of the entrant, score)."""
    lines: dict[tuple[int, int], list[tuple[str, int]]] = defaultdict(list)
    for result in results:
        lines[result.board, result.line].append((result.entrant, result.score))
    return list(lines.values())
