"""Whether a file of foreign heads can be read in one way only: then nobody is asked how.

What is said here of the first rows is checked on all of them when the file is read: a hand that is
impossible, or somebody unknown, leaves the question about the columns.
"""

from collections.abc import Sequence
from itertools import chain

from scoring.game.running_totals import are_running_totals, is_hand
from scoring.rules.rules import Rules
from tournaments.documents.read.cells import plain, whole
from tournaments.documents.read.column_plan import NOTHING, RUNNING, ColumnPlan, problems_of
from tournaments.documents.read.columns import is_sum
from tournaments.documents.read.guess_columns import lines_by_table
from tournaments.documents.read.sum_rows import is_sum_of_player
from tournaments.models.imports import IGNORE, SEATS

Rows = Sequence[Sequence[str]]


def is_read_one_way(
    plan: ColumnPlan, labels: Sequence[str], sample: Rows, rules: Rules, *, has_day: bool
) -> bool:
    """Whether the likely plan of a file is the only one that its first rows allow.

    Args:
        has_day: whether the title, the sheet or the name of the file has the date.
    """
    if problems_of(plan, labels) or not sample:
        return False
    if not plan.means & {"date", "round"} and not has_day:
        return False  # nothing says which evening it is
    if unread_numbers(plan, labels, sample):
        return False
    if plan.rows == SEATS:
        return True
    if "round" in plan.means and "hand" not in plan.means:
        return False  # its numbers may count the hands of one round
    return not _has_doubtful_gaps(plan, labels, sample) and _has_sure_cells(
        plan, labels, sample, rules
    )


def unread_columns(plan: ColumnPlan, labels: Sequence[str], sample: Rows) -> list[str]:
    """Return the labels of columns with something in them that the plan does not read."""
    ignored = {label for label, means in plan.columns if means == IGNORE}
    return [
        label
        for index, label in enumerate(labels)
        if label in ignored
        and not is_sum_of_player(label)
        and any(_cell(row, index) not in NOTHING for row in sample)
    ]


def unread_numbers(plan: ColumnPlan, labels: Sequence[str], sample: Rows) -> list[str]:
    """Return those of them with numbers, which may be somebody's points."""
    at = {label: index for index, label in enumerate(labels)}
    return [
        label
        for label in unread_columns(plan, labels, sample)
        if not is_sum([label])
        and any(whole(_cell(row, at[label])).value is not None for row in sample)
    ]


def _cell(row: Sequence[str], index: int) -> str:
    if index >= len(row):
        return ""
    return plain(row[index]).text


def _has_doubtful_gaps(plan: ColumnPlan, labels: Sequence[str], sample: Rows) -> bool:
    """Whether an empty cell of a player may be nobody, or nothing taken: no 0 is written."""
    numbers = [index for index, label in enumerate(labels) if plan.has_numbers(label)]
    cells = [_cell(row, index) for row in sample if not is_sum(row) for index in numbers]
    return any(cell in NOTHING for cell in cells) and "0" not in cells


def _has_sure_cells(plan: ColumnPlan, labels: Sequence[str], sample: Rows, rules: Rules) -> bool:
    """Whether the numbers of players are certainly points, running totals, or counts."""
    tables = lines_by_table(plan, sample, labels)
    lines = list(chain.from_iterable(tables))
    if not lines:
        return False
    are_points = all(is_hand(rules, line) for line in lines)
    several = [table for table in tables if len(table) > 1]
    are_totals = bool(several) and all(are_running_totals(rules, table) for table in several)
    if plan.cells == "points":
        return are_points and not are_totals
    if plan.cells == RUNNING:
        return are_totals and not are_points
    return not are_points and not are_totals
