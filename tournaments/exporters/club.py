"""The data of a club as one ZIP of files that other programs read.

Sheets as `import_sheets` takes them, standings as published, people, the audit trail. Photos of
sheets and the logo are not in it.
"""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, Final

from django.db.models import QuerySet

from tournaments.csv_safety import escape_formula
from tournaments.domain.event_settings import as_stored, settings_of
from tournaments.exporters.sheets import sheet_lines
from tournaments.models.attendance import Attendance
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event, EventKind, Season
from tournaments.models.meetings import Meeting
from tournaments.models.seating_plans import SeatingConstraint
from tournaments.models.standings import Publication

AUDIT: Final = ("number", "at", "actor", "act", "subject", "facts", "digest")
PLAYERS: Final = ("player_id", "name", "nickname", "joined", "is_active")
README: Final = """Data of {name}, as of {at}.

club.json              the settings of the club
players.csv            the people of the club
audit.csv              who did what, each line chained to the one before by its digest
events/<event>/        event.json: its settings; sheets.csv: all hands, as import_sheets reads them;
                       meetings.csv, attendance.csv: the evenings, and the players there;
                       constraints.csv: players to be kept apart, together, or at one table;
                       standings.json and .csv, ladder.json and .csv: the newest publication
seasons/<season>/      standings.json and .csv: the newest publication

Photos of score sheets and the logo are not included.
"""


def write_club(into: IO[bytes], club: Club, settings: object, *, at: str) -> None:
    """Write the data of a club into a file, as a ZIP.

    Args:
        settings: of the club, as REST has them.
        at: the moment, in words.
    """
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README.format(name=club.name, at=at))
        archive.writestr("club.json", _json(settings))
        _write(archive, "players.csv", _csv(PLAYERS, _players(club)))
        for event in Event.objects.filter(club=club).select_related("club").order_by("pk"):
            _write_event(archive, event)
        for season in Season.objects.filter(club=club).order_by("pk"):
            _write_newest(archive, f"seasons/{season.slug}/standings", season=season)
        _write(archive, "audit.csv", _csv(AUDIT, _audit(club)))


def _write_event(archive: zipfile.ZipFile, event: Event) -> None:
    folder = f"events/{event.slug}"
    about = {
        "slug": event.slug,
        "name": event.name,
        "kind": event.kind,
        "state": event.state,
        "visibility": event.visibility,
        "variant": event.variant,
        "options": event.options,
        "settings": as_stored(settings_of(event)),
        "seed": event.seed,
    }
    archive.writestr(f"{folder}/event.json", _json(about))
    _write(archive, f"{folder}/sheets.csv", sheet_lines(event))
    for name, columns, rows in _evenings(event):
        if found := list(rows.values_list(*columns.values())):
            _write(archive, f"{folder}/{name}.csv", _csv(tuple(columns), found))
    _write_newest(archive, f"{folder}/standings", event=event)
    if event.kind == EventKind.LADDER:
        _write_newest(archive, f"{folder}/ladder", ladder=event)


def _evenings(event: Event) -> Iterator[tuple[str, Mapping[str, str], QuerySet[Any]]]:
    """Yield the files about evenings: name, columns with their source, and rows."""
    own = ("date", "time", "place", "state", "cancel_reason")
    meetings = Meeting.objects.filter(event=event).order_by("date")
    yield "meetings", {name: name for name in own}, meetings
    stated = ("state", "from_round", "leaves_after_round", "arrived_at", "stated_at", "guest")
    whose = {"date": "meeting__date", "player_id": "player__player_id"}
    rows = Attendance.objects.filter(meeting__event=event)
    ordered = rows.order_by("meeting__date", "player__player_id")
    yield "attendance", {**whose, **{name: name for name in stated}}, ordered
    asked = {"kind": "kind", "player_id": "player__player_id", "other_id": "other__player_id"}
    constraints = SeatingConstraint.objects.filter(event=event).order_by("pk")
    yield "constraints", {**asked, "table": "table_number", "reason": "reason"}, constraints


def _write_newest(archive: zipfile.ZipFile, name: str, **of: Event | Season) -> None:
    """Write the newest publication, byte for byte; nothing before the first."""
    newest = Publication.objects.filter(**of).order_by("-number").first()
    if newest is not None:
        archive.writestr(f"{name}.json", bytes(newest.body))
        archive.writestr(f"{name}.csv", bytes(newest.csv))


def _write(archive: zipfile.ZipFile, name: str, lines: Iterable[str]) -> None:
    with archive.open(name, "w") as file:
        for line in lines:
            file.write(line.encode())


def _json(found: object) -> str:
    return json.dumps(found, ensure_ascii=False, indent=1, default=str)


def _players(club: Club) -> Iterator[Sequence[object]]:
    rows = Player.objects.filter(club=club, merged_into=None).order_by("player_id")
    yield from rows.values_list(*PLAYERS).iterator()


def _audit(club: Club) -> Iterator[Sequence[object]]:
    rows = AuditLine.objects.filter(club=club).order_by("number")
    for number, at, actor, act, subject, facts, digest in rows.values_list(*AUDIT).iterator():
        yield number, at.isoformat(), actor, act, subject, json.dumps(facts), digest


def _csv(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    for row in (heads, *rows):
        text = io.StringIO(newline="")
        csv.writer(text).writerow([escape_formula(str("" if one is None else one)) for one in row])
        yield text.getvalue()
