"""The archive of a club as a stream: a zip file of rows, files for people, and checksums."""

import csv
import hashlib
import io
import json
import zipfile
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import IO, Any, Final, TypeAlias, cast

from django.conf import settings
from django.db import models
from django.db.models import QuerySet

from tournaments.documents.sheet_files import sheet_lines
from tournaments.domain.archives.format import (
    CHECKSUMS,
    MANIFEST,
    ROWS_IN_A_FILE,
    JobInArchive,
    Manifest,
    TableInArchive,
    line_of,
    rows_file,
)
from tournaments.domain.archives.tables import (
    FILES,
    Field,
    Numbered,
    RowNumbers,
    deadline_key,
    fields_of,
    is_left_out,
    may_stay,
    removal_order,
    renumbered,
    renumbers,
    table_of,
)
from tournaments.domain.csv_safety import escape_formula
from tournaments.domain.event_settings import as_stored, settings_of
from tournaments.domain.people.public_names import erased_name
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, Event, Season
from tournaments.models.imports import ImportBatch
from tournaments.models.jobs import (
    IMPORT_PREFIX,
    PREFIXES_OF_EVENTS,
    SEASON_PREFIX,
    SEATING_PREFIX,
    Deadline,
    Dirty,
)
from tournaments.models.rounds import Attendance, Meeting, Picture, SheetPhoto
from tournaments.models.seating_plans import SeatingConstraint, SeatingPlan
from tournaments.models.standings import Publication
from tournaments.selectors.attendance.excuses import excuses_that_count
from tournaments.selectors.db.statements import snapshot_read
from tournaments.selectors.events.settings_checks import club_settings
from tournaments.selectors.standings.evening_results import LOST_RESULT

Model: TypeAlias = type[models.Model]

JOBS: Final = {
    **dict.fromkeys(PREFIXES_OF_EVENTS, Event),
    SEASON_PREFIX: Season,
    IMPORT_PREFIX: ImportBatch,
    SEATING_PREFIX: SeatingPlan,
}
"""Prefix of a background job → whose row its number is."""

NAMED: Final[Mapping[Model, Sequence[Model]]] = {
    SeatingPlan: (Player, Entrant, Meeting),
    Deadline: (Meeting,),
}
"""Models whose JSON names rows of others (`RowNumbers`)."""

PUBLICATIONS_AT_ONCE: Final = 64
"""Publications in memory: they are much larger than other rows."""

AUDIT: Final = ("number", "at", "actor", "act", "subject", "facts", "digest")
PLAYERS: Final = ("player_id", "name", "nickname", "joined", "is_active")

ANONYMOUS: Final = """Results of a club without names, as of {at}.

archive.json           what manage.py import_club reads, with rows/ (one JSON array a line)
SHA256SUMS             checksums of all files: sha256sum --check SHA256SUMS

Players are called by their number. Reasons, comments, photos, the audit trail and publications are
not in it.
"""

TextFile: TypeAlias = tuple[str, Iterable[str]]
"""The name of a file, and its text in pieces."""

PACKED: Final = (".jpeg", ".png", ".upload")
"""Files that are not made smaller once more."""


@lru_cache(maxsize=1)
def archive_order() -> Sequence[Model]:
    """Return the models of an archive, the club first, each after those that it refers to.

    Only columns of `later_columns` refer to later rows.
    """
    base: list[Model] = []
    for model, _emptied in reversed(removal_order()):
        base.append(model)
        if model is SheetPhoto:  # a picture has no column for its club
            base.append(Picture)
    order: list[Model] = [Club]
    for model in base:
        _place(model, base, order)
    return tuple(model_ for model_ in order if not is_left_out(model_, anonymous=False))


def _place(model: Model, base: Sequence[Model], order: list[Model]) -> None:
    if model in order:
        return
    place = base.index(model)
    targets: list[Any] = [target_.related_model for target_ in model._meta.concrete_fields]
    pointed_at = [target_ for target_ in targets if target_ in base and base.index(target_) < place]
    for target in (*pointed_at, *NAMED.get(model, ())):
        _place(target, base, order)
    order.append(model)


def later_columns(model: Model) -> list[Field]:
    """Return the columns of a model that refer to rows of its own table, or of a later one."""
    order = archive_order()
    at = order.index(model)
    return [
        column
        for column in fields_of(model)
        if column.is_relation and column.related_model in order[at:]
    ]


class ClubRows:
    """The rows of one club, read table by table; `tables` has those that were read."""

    def __init__(self, club: Club, *, is_anonymous: bool) -> None:
        self.club = club
        self.is_anonymous = is_anonymous
        self.tables: dict[str, TableInArchive] = {}
        self._ids: dict[Model, Sequence[int]] = {}

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield (name, content) of the files of all tables."""
        for model in archive_order():
            if not is_left_out(model, anonymous=self.is_anonymous):
                yield from self._table(model)

    def _table(self, model: Model) -> Iterator[tuple[str, bytes]]:
        fields = fields_of(model)
        columns = [self._column(model, column) for column in fields]
        lines: list[str] = []
        number = files = 0
        names = [column.attname for column in fields]
        for row in values_of(model, self.club, names, is_anonymous=self.is_anonymous):
            number += 1
            values: list[Any] = []
            for name, value, convert in zip(names, row, columns, strict=True):
                ending = FILES.get((table_of(model), name))
                if ending is not None:
                    file_name = f"files/{table_of(model)}/{number}.{ending}"
                    yield file_name, bytes(value)
                    values.append(file_name)
                else:
                    values.append(value if convert is None else convert(value))
            self._finish(model, names, values)
            lines.append(line_of(values))
            if len(lines) == ROWS_IN_A_FILE:
                files += 1
                yield rows_file(table_of(model), files), "".join(lines).encode()
                lines = []
        if lines:
            yield rows_file(table_of(model), files + 1), "".join(lines).encode()
        names_of_columns = tuple(column.name for column in fields)
        self.tables[table_of(model)] = TableInArchive(names_of_columns, number)

    def _column(self, model: Model, column: Field) -> Callable[[Any], Any] | None:
        """Return the conversion of a column's values; None if they stay as they are."""
        if column.is_relation:
            target: Any = column.related_model
            return self._numbered(target)
        if self.is_anonymous and not may_stay(model, column):
            blank: Any = None if column.null else ""
            return lambda _value: blank
        if renumbers(table_of(model), column.name):
            return lambda value: renumbered(table_of(model), column.name, value, self.numbers())
        return None

    def _finish(self, model: Model, names: Sequence[str], values: list[Any]) -> None:
        if model is Deadline:
            kind, key = names.index("kind"), names.index("key")
            values[key] = deadline_key(values[kind], values[key], self.numbers())
        if self.is_anonymous and model in (Player, Entrant):
            code = values[names.index("player_id" if model is Player else "code")]
            for name in ("name", "public_name"):
                if name in names:
                    values[names.index(name)] = erased_name(code)

    def jobs(self) -> Iterator[JobInArchive]:
        """Yield the background jobs of the rows that were read, done or not."""
        for prefix, model in JOBS.items():
            number_of = self._numbered(model)
            table = table_of(model)
            if table not in self.tables:
                continue
            scopes = {f"{prefix}{pk}": pk for pk in self._ids[model]}
            for row in Dirty.objects.filter(scope__startswith=prefix).order_by("pk").iterator():
                number = number_of(scopes.get(row.scope, 0))
                if number is not None:
                    yield JobInArchive(prefix, number, row.version, row.done)

    def numbers(self) -> RowNumbers:
        """Return the numbers in an archive of the rows that JSON names."""
        return RowNumbers({model: self._numbered(model) for model in (Player, Entrant, Meeting)})

    def _numbered(self, model: Model) -> Numbered:
        if is_left_out(model, anonymous=self.is_anonymous):
            return lambda _pk: None
        if model not in self._ids:
            pks = rows_of(model, self.club).values_list("pk", flat=True)
            self._ids[model] = array("q", pks.iterator(ROWS_IN_A_FILE))
        ids = self._ids[model]

        def number(pk: int | None) -> int | None:
            if pk is None:
                return None
            at = bisect_left(ids, pk)
            if at < len(ids) and ids[at] == pk:
                return at + 1
            return None

        return number


def rows_of(model: Model, club: Club) -> QuerySet[Any]:
    """Return a club's rows of a table, in the order in which they were created."""
    if model is Club:
        return Club.objects.filter(pk=club.pk)
    if model is Picture:
        return Picture.objects.filter(photo__club=club).order_by("pk")
    if model is Publication:
        return Publication.objects.filter(club=club).exclude(LOST_RESULT).order_by("pk")
    return model._default_manager.filter(club=club).order_by("pk")


def values_of(
    model: Model, club: Club, names: Sequence[str], *, is_anonymous: bool = False
) -> Iterator[Sequence[Any]]:
    """Yield the columns of a club's rows; a publication's bytes are read out of their pack.

    Of the attendance an anonymous archive has what standings are made of.
    """
    rows = rows_of(model, club)
    if is_anonymous and model is Attendance:
        rows = excuses_that_count(rows, Event.objects.filter(club=club)).order_by("pk")
    if model is not Publication:
        yield from rows.values_list(*names).iterator(ROWS_IN_A_FILE)
        return
    for row in rows.iterator(PUBLICATIONS_AT_ONCE):
        yield [getattr(row, name) if row.pack else row.__dict__[name] for name in names]


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


def readable_files(club: Club, settings: object, *, at: str) -> Iterator[TextFile]:
    yield "README.txt", [README.format(name=club.name, at=at)]
    yield "club.json", [_json(settings)]
    yield "players.csv", _csv(PLAYERS, _players(club))
    for event in Event.objects.filter(club=club).select_related("club").order_by("pk"):
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
        if event.is_ladder:
            yield from _newest(f"{folder}/ladder", ladder=event)
    for season in Season.objects.filter(club=club).order_by("pk"):
        yield from _newest(f"seasons/{season.slug}/standings", season=season)
    yield "audit.csv", _csv(AUDIT, _audit(club))


def _evenings(event: Event) -> Iterator[tuple[str, Mapping[str, str], QuerySet[Any]]]:
    names = ("date", "time", "place", "state", "cancel_reason")
    meetings = Meeting.objects.filter(event=event).order_by("date")
    yield "meetings", {name: name for name in names}, meetings
    stated = (
        *("state", "from_round", "leaves_after_round", "arrived_at", "stated_at", "guest"),
        *("answered_at", "excused"),
    )
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


def archive_chunks(club: Club, *, anonymous: bool = False, now: datetime) -> Iterator[bytes]:
    """Yield the archive of a club piece by piece, as of one moment.

    Only one file of rows is in memory at a time; nothing is locked.
    """
    with snapshot_read():
        club = Club.objects.get(pk=club.pk)
        writer = _ZipStream(now)
        at = now.isoformat(timespec="seconds")
        texts: Iterable[tuple[str, Iterable[str]]]
        if anonymous:
            texts = [("README.txt", [ANONYMOUS.format(at=at)])]
        else:
            texts = readable_files(club, club_settings(club), at=at)
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
    rows = Publication.objects.filter(club=club).exclude(LOST_RESULT).order_by("number")
    columns = ("event__slug", "season__slug", "ladder__slug", "digest")
    of_evenings = ("meeting__event__slug", "meeting__date")
    for event, season, ladder, digest, of_meeting, day in rows.values_list(
        *columns, *of_evenings
    ).iterator():
        if event:
            of = f"event:{event}"
        elif season:
            of = f"season:{season}"
        elif ladder:
            of = f"ladder:{ladder}"
        else:
            of = f"evening:{of_meeting}/{day.isoformat()}"
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
        yield from self.add(CHECKSUMS, ["".join(self._sums).encode()])
        self._zip.close()
        yield self._sink.taken()
