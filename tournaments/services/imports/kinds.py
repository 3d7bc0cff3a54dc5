"""Find out what an uploaded file holds."""

import tempfile
from collections.abc import Generator
from pathlib import Path

from tournaments.documents.read.apply_plan import sample_of
from tournaments.documents.read.csv import SheetTable, open_table
from tournaments.documents.read.kinds import Kind, find_kind, recognised_anyhow
from tournaments.documents.read.people import People
from tournaments.documents.read.spreadsheets import is_spreadsheet, open_spreadsheet
from tournaments.models.events import Event
from tournaments.models.imports import Holds, Upload
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import Target


def kind_steps(target: Target, request: ImportRequest) -> Generator[object, None, Holds]:
    """Return what a file holds, a little at a time; a club's own mapping is one of hands."""
    if not is_spreadsheet(request.path):
        return _kind_of(target, request, open_table(request.path, recognised_anyhow))
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        table = yield from open_spreadsheet(request.path, Path(folder), recognised_anyhow)
        return _kind_of(target, request, table)


def kind_of_upload(event: Event, upload: Upload) -> Kind:
    """Return what the file of an import looks like, by the rows that were kept of it."""
    club = event.club
    target = Target(club.slug, event.slug, club, event, create=False, time_zone=club.time_zone)
    rules = target.rules(upload.variant)
    if rules is None:
        raise AssertionError("an event has rules")
    return find_kind(upload.heads, upload.sample, People(target.members()), rules)


def _kind_of(target: Target, request: ImportRequest, table: SheetTable) -> Holds:
    rules = target.rules(request.variant)
    if rules is None:
        return Holds.HANDS
    return find_kind(table.heads, sample_of(table), People(target.members()), rules).holds
