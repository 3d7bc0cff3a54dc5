"""Where an import goes: a club and an event that are there, or that it may make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scoring.entry.sheet import Box
from scoring.errors import Problem, Refused, listed
from tournaments.documents.read.column_plan import (
    MOST_COLUMNS,
    ColumnPlan,
    labels_of,
    plan_from,
    problems_of,
    values_of,
)
from tournaments.documents.read.columns import meaning
from tournaments.documents.read.csv import SheetTable, Unreadable
from tournaments.documents.read.people import People
from tournaments.domain.messages import sentence


@dataclass(frozen=True, slots=True)
class StoredMapping:
    """A mapping that the club keeps: its row id, its name, and what the columns are."""

    key: int
    name: str
    plan: Mapping[str, Any]


SAMPLED: Final = 5

"""So many rows are shown of a file whose columns are not understood."""


LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class SelectedPlan:
    """A plan for one file: `columns` are its own labels, `strange` those that it does not know.

    `kept` is the row id of the club's mapping and `name` its name, None and empty without one.
    """

    plan: ColumnPlan
    values: Mapping[str, str]
    name: str = ""
    kept: int | None = None
    strange: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What a caller says of columns: a plan, the name of a kept one, or that they are ours;
    and the round and the table, where the file has no column for them."""

    plan: ColumnPlan | None = None
    name: str = ""
    kept: int | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    is_ours: bool = False


NO_PLAN_REQUEST: Final = PlanRequest()


class NotMapped(Unreadable):
    """A table whose columns a person has to say something about. Nothing was written.

    `problem` is what is wrong, for programs; `heads` and `sample` (a few rows) are the file's;
    `plan` and `kept` the mapping that was tried, if one was.
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
    """Return the first few rows of a file that are not blank."""
    found: list[list[str]] = []
    for _, row in table.rows():
        if row and "".join(row).strip():
            found.append([cell.replace("\0", "").strip()[:LONGEST] for cell in row])
        if len(found) == SAMPLED:
            break
    return found


def select_plan(
    table: SheetTable,
    *,
    added: int,
    wanted: PlanRequest,
    kept: Sequence[StoredMapping],
    people: People,
) -> SelectedPlan | None:
    """Return the plan that a file is read by; None where its heads are to be understood as ours.

    Args:
        added: so many of the heads came with mending.
        people: those of the club, who have columns of their own.

    Raises:
        NotMapped: the plan does not fit the file, or something must be given for it.
        Unreadable: there is no mapping of that name.
    """
    heads = table.heads[: len(table.heads) - added]
    labels = labels_of(heads)
    found = None if wanted.is_ours else _found(labels, wanted, kept, people)
    if found is None:
        return None
    plan, name, pk = found
    strange = tuple(plan.strange(labels, people.called))
    whole = plan.of_file(labels, people.called)
    chosen = SelectedPlan(whole, {}, name, pk, strange)
    gone = [Problem("column_gone", (), {"found": label}) for label in plan.gone(labels)]
    problems = gone or problems_of(whole, labels)
    if not problems:
        try:
            return SelectedPlan(whole, values_of(whole, wanted.values), name, pk, strange)
        except Refused as refused:
            problems = list(refused.problems)
    text = " ".join(sentence(problem) for problem in problems)
    if name:
        text = f"Mapping {name}: {text}"
    raise NotMapped(problems[0], heads, sample_of(table), text, chosen)


def _found(
    labels: Sequence[str], wanted: PlanRequest, kept: Sequence[StoredMapping], people: People
) -> tuple[ColumnPlan, str, int | None] | None:
    if wanted.plan is not None:
        return wanted.plan, wanted.name, wanted.kept
    if wanted.name:
        for one in kept:
            if one.name.casefold() == wanted.name.casefold():
                return _read(one), one.name, one.key
        there = listed([one.name for one in kept]) or "none"
        raise Unreadable(f"No mapping is called {wanted.name}. Kept in this club: {there}.")
    for one in kept:
        plan = _read(one)
        if not plan.gone(labels) and not plan.strange(labels, people.called):
            return plan, one.name, one.key
    return None


def _read(kept: StoredMapping) -> ColumnPlan:
    return plan_from(dict(kept.plan))


def unknown_heads(
    heads: Sequence[str], boxes: Sequence[Box], fault: Unreadable, table: SheetTable
) -> NotMapped:
    """Return that the heads of a file are not ours, and which of them are not understood.

    Raises:
        Unreadable: it has more columns than anybody would say something about.
    """
    if len(heads) > MOST_COLUMNS:
        raise Unreadable(
            f"The file has {len(heads)} columns; at most {MOST_COLUMNS} can be mapped."
        )
    strange = [head for head in labels_of(heads) if not meaning(head, boxes)]
    facts: dict[str, Any] = {"why": str(fault), "found": listed(strange) or "nothing else"}
    return NotMapped(Problem("unknown_heads", ("file",), facts), heads, sample_of(table))
