"""The report of an import, as JSON and as lines; the file is stored while problems wait."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from scoring.errors import listed
from scoring.json_types import JsonDict
from tournaments.documents.read.select_plan import SelectedPlan
from tournaments.domain.imports.import_report import NOTE, SKIP, WAITING, Finding, words_for_lines
from tournaments.models.imports import Holds, ImportBatch
from tournaments.services.imports.uploads import LARGEST, store_file


@dataclass(frozen=True, slots=True)
class Report:
    """The report of docs/for-secretaries.md: what a file holds and what became of it.

    `created` names the club, event and players that the import created. `heads` and `sample` are
    the file's own; `chosen` is the plan of a file with foreign heads; `outline` is as
    `SheetImport.outline` returns it.
    """

    file: str
    dry_run: bool
    rows: int
    hands: int
    accepted: int
    added: int
    problems: tuple[Finding, ...]
    heads: tuple[str, ...] = ()
    created: tuple[str, ...] = ()
    noun: str = "hand"
    sample: Sequence[Sequence[str]] = ()
    chosen: SelectedPlan | None = None
    outline: JsonDict | None = None

    @property
    def waiting(self) -> int:
        return sum(1 for problem in self.problems if problem.waits)

    @property
    def already(self) -> int:
        return self.accepted - self.added

    def as_json(self) -> dict[str, object]:
        mapping = {"mapping": self.chosen.name} if self.chosen and self.chosen.name else {}
        return {
            "file": self.file,
            "dry_run": self.dry_run,
            "rows": self.rows,
            "hands": self.hands,
            "accepted": self.accepted,
            "already": self.already,
            "problems": [problem.as_json() for problem in self.problems],
            **mapping,
        }

    def lines(self) -> Iterator[str]:
        yield from problem_lines(self.problems)
        if self.chosen and self.chosen.name:
            yield f"Read with the mapping {self.chosen.name}."
        if self.created:
            yield f"{'Would make' if self.dry_run else 'Made'} {listed(self.created)}."
        yield self._counts()

    def _counts(self) -> str:
        pending = self.hands - self.accepted
        words = [f"{self.file}: {self.rows} rows, {counted(self.hands, self.noun)}."]
        would = "would be" if self.dry_run else "is" if self.accepted == 1 else "are"
        words.append(f"{self.accepted} {would} in the event, {self.added} of them new.")
        if self.already:
            were = "was" if self.already == 1 else "were"
            words.append(f"{counted(self.already, self.noun)} {were} already in the event.")
        if pending:
            waits = "waits" if pending == 1 else "wait"
            words.append(f"{counted(pending, self.noun)} {waits} for a person.")
        elif self.waiting:
            words.append(f"{counted(self.waiting, 'problem')} to look at.")
        if self.dry_run:
            words.append("Nothing was written: this was a dry run.")
        return " ".join(words)


def problem_lines(problems: Sequence[Finding]) -> Iterator[str]:
    for title, severities in (
        ("Pending:", WAITING), ("Read as intended:", (NOTE,)), ("Skipped:", (SKIP,)),
    ):  # fmt: skip
        lines = [f"  {_line(problem)}" for problem in problems if problem.severity in severities]
        if lines:
            yield from (title, *lines, "")


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "hand"), counted(2, "hand")
    ('1 hand', '2 hands')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _line(problem: Finding) -> str:
    lines = words_for_lines(problem.spot.lines)
    text = problem.message
    if not text.startswith(lines):
        text = f"{lines}: {text}"
    if problem.suggestion is None:
        return text
    return f"{text} Perhaps: {problem.suggestion.rstrip('?.')}?"


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings by the first line they concern."""
    return tuple(
        sorted(findings, key=lambda f: (f.spot.lines[:1] or (1,), len(f.spot.lines), f.code))
    )


def store_pending_file(
    batch: ImportBatch | None,
    report: Report,
    path: Path,
    *,
    variant: str,
    day: date | None,
    holds: Holds,
) -> None:
    """Store the file of a batch with open problems, unless it is too large."""
    if batch is None or not report.waiting or path.stat().st_size > LARGEST:
        return
    store_file(
        batch=batch,
        content=path.read_bytes(),
        rows=report.rows,
        columns=upload_columns(report.heads, report.sample, report.chosen),
        variant=variant,
        day=day,
        holds=holds,
    )


def upload_columns(
    heads: Sequence[str], sample: Sequence[Sequence[str]], plan: SelectedPlan | None
) -> dict[str, object]:
    columns: dict[str, object] = {
        "heads": [head.replace("\0", "") for head in heads], "sample": list(sample),
    }  # fmt: skip
    if plan is not None:
        columns |= {
            "plan": plan.plan.as_json(), "given": dict(plan.values), "column_map": plan.key,
        }  # fmt: skip
    return columns
