"""Select the plan that a file is read by: a new one, a stored mapping, or our own heads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from scoring.entry.sheet import Box
from scoring.errors import Problem, Refused, listed
from tournaments.documents.read.column_plan import (
    MOST_COLUMNS,
    ColumnPlan,
    gone_problems,
    labels_of,
    plan_from,
    problems_of,
    values_of,
)
from tournaments.documents.read.columns import meaning
from tournaments.documents.read.csv import SheetTable, Unreadable
from tournaments.documents.read.people import People
from tournaments.domain.messages import sentence

StoredMapping = tuple[int, str, Mapping[str, Any]]
"""A column mapping of the club: its row id, its name, and its plan as JSON."""

SAMPLED: Final = 5
"""So many rows are shown of a file whose columns are not understood."""

LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class SelectedPlan:
    """A plan for one file; `strange` are the columns that it does not know.

    `key` is the row id of the club's mapping and `name` its name, None and empty without one.
    """

    plan: ColumnPlan
    values: Mapping[str, str]
    name: str = ""
    key: int | None = None
    strange: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The caller's choice of columns: a plan, the name of a stored one, or our own heads;
    and the round and the table, if the file has no column for them.
    """

    plan: ColumnPlan | None = None
    name: str = ""
    key: int | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    is_ours: bool = False


NO_PLAN_REQUEST: Final = PlanRequest()


class NotMapped(Unreadable):
    """The columns of a table are not understood; a person has to map them. Nothing was written.

    `problem` is for programs; `heads` and `sample` (a few rows) are the file's; `chosen` is the
    mapping that was tried, if there was one.
    """

    def __init__(
        self,
        problem: Problem,
        heads: Sequence[str],
        sample: Sequence[Sequence[str]],
        text: str = "",
        chosen: SelectedPlan | None = None,
    ) -> None:
        super().__init__(text or sentence(problem))
        self.problem = problem
        self.heads = tuple(heads)
        self.sample = sample
        self.chosen = chosen


def sample_of(table: SheetTable) -> list[list[str]]:
    rows: list[list[str]] = []
    for _, row in table.rows():
        if row and "".join(row).strip():
            rows.append([cell.replace("\0", "").strip()[:LONGEST] for cell in row])
        if len(rows) == SAMPLED:
            break
    return rows


def select_plan(
    table: SheetTable,
    *,
    added: int,
    request: PlanRequest,
    mappings: Sequence[StoredMapping],
    people: People,
) -> SelectedPlan | None:
    """Return the plan that a file is read by; None if its heads are our own.

    `added` is the number of heads that corrections added; a member may have a column.
    """
    heads = table.heads[: len(table.heads) - added]
    labels = labels_of(heads)
    match = None if request.is_ours else _match(labels, request, mappings, people)
    if match is None:
        return None
    plan, name, pk = match
    strange = tuple(plan.strange(labels, people.called))
    fitted = plan.of_file(labels, people.called)
    selected = SelectedPlan(fitted, {}, name, pk, strange)
    problems = gone_problems(plan, labels) or problems_of(fitted, labels)
    if not problems:
        try:
            return replace(selected, values=values_of(fitted, request.values))
        except Refused as refused:
            problems = list(refused.problems)
    text = " ".join(sentence(problem) for problem in problems)
    if name:
        text = f"Mapping {name}: {text}"
    raise NotMapped(problems[0], heads, sample_of(table), text, selected)


def _match(
    labels: Sequence[str], request: PlanRequest, mappings: Sequence[StoredMapping], people: People
) -> tuple[ColumnPlan, str, int | None] | None:
    if request.plan is not None:
        return request.plan, request.name, request.key
    if request.name:
        for key, name, document in mappings:
            if name.casefold() == request.name.casefold():
                return plan_from(dict(document)), name, key
        names = listed([name for _, name, _ in mappings]) or "none"
        raise Unreadable(f"No mapping is called {request.name}. Kept in this club: {names}.")
    for key, name, document in mappings:
        plan = plan_from(dict(document))
        if not plan.missing(labels) and not plan.strange(labels, people.called):
            return plan, name, key
    return None


def unknown_heads(
    heads: Sequence[str], boxes: Sequence[Box], fault: Unreadable, table: SheetTable
) -> NotMapped:
    """Return the error that the heads of a file are not ours, with the unknown ones."""
    if len(heads) > MOST_COLUMNS:
        raise Unreadable(
            f"The file has {len(heads)} columns; at most {MOST_COLUMNS} can be mapped."
        )
    strange = [head for head in labels_of(heads) if not meaning(head, boxes)]
    facts: dict[str, Any] = {"why": str(fault), "found": listed(strange) or "nothing else"}
    return NotMapped(Problem("unknown_heads", ("file",), facts), heads, sample_of(table))
