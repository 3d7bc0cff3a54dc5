"""The archive of a club as a stream: a zip file of rows, files for people, and checksums."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import IO, Any, Final, TypeAlias, cast

from django.conf import settings
from django.db.models import QuerySet

from tournaments.documents.archive_rows import ClubRows
from tournaments.documents.sheet_files import sheet_lines
from tournaments.domain.archives.format import CHECKSUMS, MANIFEST, Manifest
from tournaments.domain.csv_safety import escape_formula
from tournaments.domain.event_settings import as_stored, settings_of
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event, EventKind, Season
from tournaments.models.meetings import Attendance, Meeting
from tournaments.models.seating_plans import SeatingConstraint
from tournaments.models.standings import Publication
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.events.settings_checks import club_settings

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
archive.json           what an import reads, with rows/ (all tables, one JSON array a line) and
                       files/ (photos of score sheets, the logo, publications, imported files)
SHA256SUMS             checksums of all files: sha256sum --check SHA256SUMS

manage.py import_club reads this file into another installation. Accounts, passwords, invitations,
table links and tokens are not in it.
"""
ANONYMOUS: Final = """Results of a club without names, as of {at}.

archive.json           what manage.py import_club reads, with rows/ (one JSON array a line)
SHA256SUMS             checksums of all files: sha256sum --check SHA256SUMS

Players are called by their number. Reasons, comments, photos, the audit trail and publications are
not in it.
"""

TextFile: TypeAlias = tuple[str, Iterable[str]]
"""The name of a file, and its text in pieces."""


def readable_files(club: Club, settings: object, *, at: str) -> Iterator[TextFile]:
    """Yield the files of a club that people read.

    Args:
        settings: of the club, as REST has them.
        at: the moment, as text.
    """
    yield "README.txt", [README.format(name=club.name, at=at)]
    yield "club.json", [_json(settings)]
    yield "players.csv", _csv(PLAYERS, _players(club))
    for event in Event.objects.filter(club=club).select_related("club").order_by("pk"):
        yield from _files_of_event(event)
    for season in Season.objects.filter(club=club).order_by("pk"):
        yield from _newest(f"seasons/{season.slug}/standings", season=season)
    yield "audit.csv", _csv(AUDIT, _audit(club))


def _files_of_event(event: Event) -> Iterator[TextFile]:
    folder = f"events/{event.slug}"
    settings_ = {
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
    yield f"{folder}/event.json", [_json(settings_)]
    yield f"{folder}/sheets.csv", sheet_lines(event)
    for name, columns, rows in _evenings(event):
        if values := list(rows.values_list(*columns.values())):
            yield f"{folder}/{name}.csv", _csv(tuple(columns), values)
    yield from _newest(f"{folder}/standings", event=event)
    if event.kind == EventKind.LADDER:
        yield from _newest(f"{folder}/ladder", ladder=event)


def _evenings(event: Event) -> Iterator[tuple[str, Mapping[str, str], QuerySet[Any]]]:
    """Yield the files about evenings: name, columns with their source, and rows."""
    names = ("date", "time", "place", "state", "cancel_reason")
    meetings = Meeting.objects.filter(event=event).order_by("date")
    yield "meetings", {name: name for name in names}, meetings
    stated = ("state", "from_round", "leaves_after_round", "arrived_at", "stated_at", "guest")
    whose = {"date": "meeting__date", "player_id": "player__player_id"}
    rows = Attendance.objects.filter(meeting__event=event)
    ordered = rows.order_by("meeting__date", "player__player_id")
    yield "attendance", {**whose, **{name: name for name in stated}}, ordered
    columns = {"kind": "kind", "player_id": "player__player_id", "other_id": "other__player_id"}
    constraints = SeatingConstraint.objects.filter(event=event).order_by("pk")
    yield "constraints", {**columns, "table": "table_number", "reason": "reason"}, constraints


def _newest(name: str, **of: Event | Season) -> Iterator[TextFile]:
    """Yield the newest publication, byte for byte; nothing before the first."""
    newest = Publication.objects.filter(**of).order_by("-number").first()
    if newest is not None:
        yield f"{name}.json", [bytes(newest.body).decode()]
        yield f"{name}.csv", [bytes(newest.csv).decode()]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


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
        csv.writer(text).writerow(
            [escape_formula(str("" if cell is None else cell)) for cell in row]
        )
        yield text.getvalue()


PACKED: Final = (".jpeg", ".png", ".upload")
"""Files that are not made smaller once more."""


def archive_chunks(club: Club, *, anonymous: bool = False, now: datetime) -> Iterator[bytes]:
    """Yield the archive of a club piece by piece, as of one moment.

    Only one file of rows is in memory at a time; nothing is locked.

    Args:
        anonymous: without names, pictures, and texts that people wrote.
    """
    with snapshot_read():
        club = Club.objects.get(pk=club.pk)
        writer = _ZipStream(now)
        at = now.isoformat(timespec="seconds")
        texts = (
            [("README.txt", [ANONYMOUS.format(at=at)])]
            if anonymous
            else readable_files(club, club_settings(club), at=at)
        )
        for name, text in texts:
            yield from writer.add(name, (piece.encode() for piece in text))
        rows = ClubRows(club, is_anonymous=anonymous)
        for name, content in rows.files():
            yield from writer.add(name, [content])
        manifest = Manifest(
            slug=club.slug,
            name=club.name,
            made_at=at,
            release=settings.VERSION,
            is_anonymous=anonymous,
            tables=rows.tables,
            publications={} if anonymous else publication_digests(club),
            jobs=() if anonymous else tuple(rows.jobs()),
        )
        text = json.dumps(manifest.as_json(), ensure_ascii=False, indent=1)
        yield from writer.add(MANIFEST, [text.encode()])
        yield from writer.close()


def publication_digests(club: Club) -> dict[str, list[str]]:
    digests: dict[str, list[str]] = {}
    rows = Publication.objects.filter(club=club).order_by("number")
    columns = ("event__slug", "season__slug", "ladder__slug", "digest")
    for event, season, ladder, digest in rows.values_list(*columns).iterator():
        of = f"event:{event}" if event else f"season:{season}" if season else f"ladder:{ladder}"
        digests.setdefault(of, []).append(digest)
    return dict(sorted(digests.items()))


class _Sink:
    """A write-only file for the zip; its bytes are taken piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes, /) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> object:
        """Do nothing: `taken` returns the pieces."""

    def taken(self) -> bytes:
        content = b"".join(self._pieces)
        self._pieces.clear()
        return content


class _ZipStream:
    """A zip that is sent while it is written, and the checksums of its files."""

    def __init__(self, now: datetime) -> None:
        self._sink = _Sink()
        self._zip = zipfile.ZipFile(cast(IO[bytes], self._sink), "w", zipfile.ZIP_DEFLATED)
        self._moment = (now.year, now.month, now.day, now.hour, now.minute, now.second)
        self._sums: list[str] = []

    def add(self, name: str, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Write one file, and yield the finished bytes of the zip."""
        entry = zipfile.ZipInfo(name, self._moment)
        entry.external_attr = 0o644 << 16
        is_packed = name.endswith(PACKED)
        entry.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
        digest = hashlib.sha256()
        with self._zip.open(entry, "w") as file:
            for piece in pieces:
                digest.update(piece)
                file.write(piece)
                if piece_of_zip := self._sink.taken():
                    yield piece_of_zip
        self._sums.append(f"{digest.hexdigest()}  {name}\n")
        yield self._sink.taken()

    def close(self) -> Iterator[bytes]:
        """Write the checksums and the end of the zip."""
        yield from self.add(CHECKSUMS, ["".join(self._sums).encode()])
        self._zip.close()
        yield self._sink.taken()
