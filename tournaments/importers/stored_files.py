"""Keeping a file that a command or a program brought in, for what of it waits to be settled."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path

from tournaments.importers.mapping.select_plan import SelectedPlan
from tournaments.importers.report import Report
from tournaments.models.imports import Holds, ImportBatch
from tournaments.services.imports.uploads import LARGEST, UploadColumns, store_file


def store_pending_file(
    batch: ImportBatch | None,
    report: Report,
    path: Path,
    *,
    variant: str = "",
    day: date | None = None,
    holds: Holds = Holds.HANDS,
) -> None:
    """Keep the file of a batch that has something to settle; one that is too large is not kept.

    Args:
        variant, day: what stood for columns that the file lacks.
        holds: hands, or totals of whole games.
    """
    if batch is None or not report.waiting or path.stat().st_size > LARGEST:
        return
    store_file(
        batch=batch,
        content=path.read_bytes(),
        rows=report.rows,
        columns=columns_for(report.heads, report.sample, report.chosen),
        variant=variant,
        day=day,
        holds=holds,
    )


def columns_for(
    heads: Sequence[str], sample: Sequence[Sequence[str]], chosen: SelectedPlan | None
) -> UploadColumns:
    """Return the columns of a file as they are kept with it."""
    if chosen is None:
        return UploadColumns(heads, sample)
    return UploadColumns(heads, sample, chosen.plan.as_json(), chosen.values, chosen.kept)
