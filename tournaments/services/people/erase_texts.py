"""Take a person's names out of texts, files, mails and stored publications."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from email import message_from_bytes, policy
from functools import reduce
from itertools import groupby
from operator import attrgetter, or_
from pathlib import Path
from typing import Any, Final

import structlog
from django.apps import apps
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.db import OperationalError, connection
from django.db.models import (
    CharField,
    EmailField,
    ForeignKey,
    JSONField,
    Model,
    Q,
    QuerySet,
    SlugField,
    TextField,
)
from django.db.models.functions import Cast

from scoring.json_types import JsonDict
from tournaments.domain.people.name_eraser import NameEraser, erase_in_file
from tournaments.domain.people.public_names import NewNames, redact_publication
from tournaments.models.access import CalendarLink, Contact, SetupLink, TableLink
from tournaments.models.audit import AuditHead, AuditLine, RefusedAct, Reply
from tournaments.models.clubs import Club, ClubLogo, FormerSlug, Membership, Player
from tournaments.models.events import Entrant, EntrantKind, Event, FormerEventSlug, Season, Snapshot
from tournaments.models.imports import ClubImportPiece, Upload
from tournaments.models.jobs import Dirty, Heartbeat, MailboxSlot
from tournaments.models.notices import DismissedHint
from tournaments.models.publication_packs import DISCARDED, PublicationPack
from tournaments.models.rounds import Picture
from tournaments.models.rules import HouseVariant
from tournaments.models.standings import (
    LADDER_EVENING,
    Publication,
    PublicationFile,
    StoredHistory,
)
from tournaments.services.publishing.packing import rewrite_pack
from tournaments.services.publishing.publication_files import drop_files

log = structlog.get_logger(__name__)

LEFT: Final[frozenset[type[Model]]] = frozenset(
    {
        *(Club, ClubLogo, FormerSlug, Membership, Player),
        *(Event, FormerEventSlug, Season, Snapshot, HouseVariant),
        *(AuditHead, AuditLine, Publication, StoredHistory, Picture, TableLink, SetupLink),
        *(RefusedAct, Heartbeat, Reply, PublicationFile, CalendarLink, ClubImportPiece),
        *(DismissedHint, PublicationPack, MailboxSlot),
    }
)
"""Tables that are not searched."""

CODES: Final = frozenset({"code", "key", "seed", "etag", "scope"})
"""Columns that name rows, and people by their number only."""


def remove_traces(eraser: NameEraser, mails: Iterable[int] = ()) -> None:
    """Delete the files of some mails, and of those that contain a name.

    A SQLite file is rebuilt without the deleted data.
    """
    if folder := getattr(settings, "EMAIL_FILE_PATH", None):
        # A mail may have an earlier address alone; named by delivery.mail.files.message_id_of.
        keys = {f"outbox-{mail}" for mail in mails}
        for file in list(Path(folder).glob("*.eml")):
            if file.name.rpartition("@")[0].rpartition("-")[0] in keys or _names(file, eraser):
                file.unlink(missing_ok=True)
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        try:  # free pages would keep deleted data; after a timeout, the next erasure does it
            with connection.cursor() as cursor:
                cursor.execute("VACUUM")
                cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except OperationalError as fault:
            log.warning("vacuum_failed", fault=str(fault))


def _names(file: Path, eraser: NameEraser) -> bool:
    mail = message_from_bytes(file.read_bytes(), policy=policy.default)
    texts = [str(value) for value in mail.values()]
    parts = [part for part in mail.walk() if part.get_content_maintype() == "text"]
    texts.extend(part.get_content() for part in parts)
    return any(eraser.text(text) != text for text in texts)


def erase_publications(
    player: Player, codes: Collection[str], label: str, eraser: NameEraser
) -> tuple[int, set[str]]:
    """Replace a person's name in all publications of the club that show it.

    Args:
        codes: under which the person competes, alone; the player's own number is one of them.
        eraser: for sentences and names of pairs.

    Returns:
        How many publications have other bytes now, and the names that they had shown.
    """
    names: set[str] = set()
    n = 0
    rows = Publication.objects.filter(club=player.club_id).exclude(pack=DISCARDED)
    by_pack = rows.order_by("pack", "pk").iterator(chunk_size=20)
    for pack_id, publications in groupby(by_pack, key=attrgetter("pack")):
        changed: dict[int, tuple[bytes, bytes]] = {}
        for row in publications:
            body = bytes(row.body)
            names.update(_names_in(body, codes))
            typed = dict.fromkeys(eraser.occurrences(body.decode()), label)
            new = NewNames(dict.fromkeys(codes, label), typed)
            columns = redact_publication(body, bytes(row.csv), new)
            if columns is not None:
                n += 1
                if pack_id is not None:
                    changed[row.pk] = (columns.pop("body"), columns.pop("csv"))
                Publication.objects.filter(pk=row.pk).update(is_redacted=True, **columns)
                drop_files(row.pk)
        if changed:
            rewrite_pack(pack_id, changed)
    return n, names - {label, *codes}


def codes_of(player: Player) -> set[str]:
    entrants = Entrant.objects.filter(members__player=player, kind=EntrantKind.PLAYER)
    return {player.player_id, *entrants.values_list("code", flat=True)}


def drop_histories(events: Collection[Event]) -> list[int]:
    """Delete what is made of an event's games anew; return the events that had any, by key."""
    rows = StoredHistory.objects.filter(event__in=[event.pk for event in events])
    rows = rows.exclude(kind=LADDER_EVENING)
    had = sorted(set(rows.values_list("event_id", flat=True)))
    rows.delete()
    return had


def _names_in(body: bytes, codes: Collection[str]) -> Iterator[str]:
    document: Mapping[str, list[JsonDict]] = json.loads(body)
    for part in ("rows", "provisional_rows", "ratings"):
        for row in document.get(part, ()):
            for member in row.get("members") or (row,):
                if member["player_id"] in codes:
                    yield member["player"]


SIGNED: Final = {
    "by": "by_as",
    "made_by": "made_as",
    "undo_by": "undo_label",
    "added_by": "added_as",
    "ruled_by": "ruled_as",
    "opened_by": "opened_as",
    "entered_by": "entered_as",
    "confirmed_by": "confirmed_name",
    "consent_by": "consent_as",
}
"""Column with an account → column with the name that it had then."""


def erase_texts(club: Club, eraser: NameEraser) -> int:
    """Replace the names in every text of a club; returns how many rows held one."""
    n = 0
    for rows in _searched(club):
        columns = list(filter(_is_text, rows.model._meta.concrete_fields))
        if columns and eraser.search_words:
            suspects = _find_suspects(rows, columns, eraser)
            n += sum(_erase(row, columns, eraser) for row in suspects)
    for upload in Upload.objects.filter(club=club):
        before = bytes(upload.content)
        if (after := erase_in_file(eraser, before)) != before:
            n += Upload.objects.filter(pk=upload.pk).update(content=after)
    return n + _erase_replies(eraser)


def erase_signatures(club: Club, user_id: int, label: str) -> None:
    """Replace the names under which an account signed what it did in a club."""
    for rows in _searched(club):
        fields = {field.name: field for field in rows.model._meta.concrete_fields}
        for column, signature in SIGNED.items():
            if isinstance(fields.get(column), ForeignKey) and signature in fields:
                signed = rows.filter(**{column: user_id}).exclude(**{signature: ""})
                signed.update(**{signature: label})


def erase_log_entries(player: Player) -> None:
    rows = LogEntry.objects.filter(content_type__model="player", object_id=str(player.pk))
    rows.filter(content_type__app_label="tournaments").update(object_repr=player.name)


def _searched(club: Club) -> Iterator[QuerySet[Any]]:
    """Yield the club's rows of each table that is searched; all rows of the queue."""
    for model in apps.get_app_config("tournaments").get_models():
        if model is Dirty:
            yield model._default_manager.all()
        elif model not in LEFT:
            if not any(field.name == "club" for field in model._meta.concrete_fields):
                name = model._meta.label
                raise AssertionError(f"{name} is of no club: add it to LEFT, or say whose it is")
            yield model._default_manager.filter(club=club)


def _is_text(field: Any) -> bool:
    if field.choices or isinstance(field, SlugField) or field.name in CODES:
        return False
    if field.model is Contact and isinstance(field, EmailField):
        return False  # another person's, also where the name is a part of it
    return isinstance(field, CharField | TextField | JSONField)


def _find_suspects(
    rows: QuerySet[Any], columns: Iterable[Any], eraser: NameEraser
) -> Iterator[Any]:
    conditions: list[Q] = []
    for column in columns:
        name = column.name
        words = eraser.search_words
        if isinstance(column, JSONField):
            rows = rows.annotate(**{f"text_of_{name}": Cast(name, TextField())})
            name = f"text_of_{name}"
            words = [*words, *(json.dumps(word)[1:-1] for word in words)]
        conditions.extend(Q(**{f"{name}__contains": word}) for word in dict.fromkeys(words))
    return rows.filter(reduce(or_, conditions)).iterator()


def _erase(row: Any, columns: Iterable[Any], eraser: NameEraser) -> bool:
    changed = {}
    for column in columns:
        before = getattr(row, column.attname)
        is_json = isinstance(column, JSONField)
        if is_json:
            after = eraser.json(before)
        else:
            after = eraser.text(before or "")
        if before not in (None, after):
            longest = column.max_length
            changed[column.name] = after[:longest] if isinstance(after, str) and longest else after
    if changed:
        type(row)._default_manager.filter(pk=row.pk).update(**changed)
    return bool(changed)


def _erase_replies(eraser: NameEraser) -> int:
    bodies = (
        (reply.pk, bytes(reply.body).decode(errors="replace"))
        for reply in Reply.objects.exclude(status=None).iterator()
    )
    naming = [pk for pk, body in bodies if eraser.text(body) != body]
    Reply.objects.filter(pk__in=naming).delete()
    return len(naming)
