"""A file without a column for boards in a duplicate event: one problem for all of its hands."""

from collections.abc import Sequence
from dataclasses import replace

from tournaments.domain.imports.import_report import Finding, Spot, finding

NEEDED = "board_needed"


def one_for_the_file(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings with one in the place of all hands that name no board.

    It has the lines and rows of all of them.
    """
    of_hands = [one for one in findings if one.code == NEEDED]
    if not of_hands:
        return list(findings)
    lines = tuple(sorted({line for one in of_hands for line in one.spot.lines}))
    rows = {line: row for one in of_hands for line, row in one.rows}
    whole = finding("board_column_missing", Spot(lines), found=str(len(of_hands)))
    others = [one for one in findings if one.code != NEEDED]
    return [*others, replace(whole, rows=tuple(sorted(rows.items())))]
