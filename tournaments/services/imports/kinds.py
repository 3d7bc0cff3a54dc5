"""Find out what an uploaded file holds."""

import csv
import io
import tempfile
from collections.abc import Generator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from tournaments.documents.read.apply_plan import sample_of
from tournaments.documents.read.blocks import open_file
from tournaments.documents.read.column_plan import labels_of, plan_from
from tournaments.documents.read.csv import Unreadable, text_of
from tournaments.documents.read.kinds import Kind, find_kind, recognised_anyhow
from tournaments.documents.read.people import People
from tournaments.documents.read.people_list import (
    are_names,
    is_list_of_people,
    recognised_people,
)
from tournaments.documents.read.season import is_season
from tournaments.documents.read.spreadsheets import is_spreadsheet
from tournaments.models.events import Event
from tournaments.models.imports import Holds, Upload
from tournaments.services.imports.import_sheets import ImportRequest, run_steps
from tournaments.services.imports.targets import Target

IS_SEASON: Final = (
    "This file has the points of a season so far, not of games. A director adds it under Values "
    "from before."
)


IS_PEOPLE: Final = (
    "This file is a list of people, not of games. Add them under Players with Add players."
)


def kind_steps(
    target: Target, request: ImportRequest, *, now: datetime
) -> Generator[object, None, Holds]:
    """Return what a file holds, a little at a time."""
    rules = target.rules(request.variant)
    if rules is None:
        return Holds.HANDS
    people = People(target.members())
    today = now.astimezone(ZoneInfo(target.time_zone)).date()
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        try:
            table = yield from open_file(
                request.path,
                Path(folder),
                recognised_anyhow,
                people,
                sheet=request.sheet,
                rules=rules,
            )
        except Unreadable as fault:
            if not is_spreadsheet(request.path) and are_names(text_of(request.path)):
                raise Unreadable(IS_PEOPLE) from fault
            raise
        if is_season(table.heads, sample_of(table), today):
            raise Unreadable(IS_SEASON)
        if is_list_of_people(table.heads, sample_of(table)):
            raise Unreadable(IS_PEOPLE)
        return (
            _of_mapping(target, table.heads, people)
            or find_kind(table.heads, sample_of(table), people, rules).holds
        )


def text_of_people(content: bytes) -> str:
    """Return a file as the text of a list of people: of a spreadsheet the rows below its heads."""
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        path = Path(folder) / "people"
        path.write_bytes(content)
        if not is_spreadsheet(path):
            return text_of(path)
        table = run_steps(open_file(path, Path(folder), recognised_people, People([])))
        text = io.StringIO()
        csv.writer(text, delimiter="\t").writerows([table.heads, *(row for _, row in table.rows())])
        return text.getvalue()


def _of_mapping(target: Target, heads: Sequence[str], people: People) -> Holds | None:
    """Return what a file holds by the club's mapping for its heads: games have no round, no table.

    None without a mapping.
    """
    labels = labels_of(heads)
    for _, _, document in target.maps():
        plan = plan_from(dict(document))
        if not plan.missing(labels) and not plan.strange(labels, people.called):
            is_of_hands = {"round", "table"} & (plan.means | plan.given.keys())
            return Holds.HANDS if is_of_hands else Holds.TOTALS
    return None


def kind_of_upload(event: Event, upload: Upload) -> Kind:
    """Return what the file of an import looks like, by the rows that were kept of it."""
    club = event.club
    target = Target(club.slug, event.slug, club, event, create=False, time_zone=club.time_zone)
    rules = target.rules(upload.variant)
    if rules is None:
        raise AssertionError("an event has rules")
    return find_kind(upload.heads, upload.sample, People(target.members()), rules)
