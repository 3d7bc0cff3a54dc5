"""Takes a person's names out of everything that people typed into a club: texts, reports, files.

Goes through all tables that belong to a club, so that a table made later is not forgotten. Left out
are rows that say who somebody else is, what clubs and events are called, publications, which are
replaced row by row (erase_publications.py), and the audit trail, whose chain holds ids only.
"""

import json
from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import Any, Final

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.db.models import (
    CharField,
    ForeignKey,
    JSONField,
    Model,
    Q,
    QuerySet,
    SlugField,
    TextField,
)
from django.db.models.functions import Cast

from tournaments.domain.people.name_eraser import NameEraser
from tournaments.models.audit import AuditHead, AuditLine, RefusedAct
from tournaments.models.calendars import CalendarLink
from tournaments.models.club_imports import ClubImportPiece
from tournaments.models.clubs import Club, ClubLogo, FormerSlug, Membership, Player
from tournaments.models.events import Event, FormerEventSlug, Season, Snapshot, Stage
from tournaments.models.imports import Upload
from tournaments.models.invitations import SetupLink
from tournaments.models.links import TableLink
from tournaments.models.outbox import Dirty, Heartbeat
from tournaments.models.photos import Picture
from tournaments.models.replies import Reply
from tournaments.models.standings import Publication, PublicationFile, StoredHistory
from tournaments.models.variants import HouseVariant

LEFT: Final[frozenset[type[Model]]] = frozenset(
    {
        *(Club, ClubLogo, FormerSlug, Membership, Player),
        *(Event, FormerEventSlug, Season, Stage, Snapshot, HouseVariant),
        *(AuditHead, AuditLine, Publication, StoredHistory, Picture, TableLink, SetupLink),
        *(RefusedAct, Heartbeat, Reply, PublicationFile, CalendarLink, ClubImportPiece),
    }
)
"""Tables that are not searched."""

CODES: Final = frozenset({"code", "key", "seed", "etag", "scope"})
"""Columns that name rows, and people by their number only."""

SIGNED: Final = {
    "by": ("by_as",),
    "made_by": ("made_as",),
    "undo_by": ("undo_label",),
    "added_by": ("added_as",),
    "ruled_by": ("ruled_as",),
    "opened_by": ("opened_as",),
    "entered_by": ("entered_as",),
    "confirmed_by": ("confirmed_name",),
}
"""Column with an account → columns with the name that it had then."""


def erase_texts(club: Club, eraser: NameEraser) -> int:
    """Replace the names in every text of a club; returns how many rows held one."""
    n = 0
    for model in _searched():
        rows = _of_club(model, club)
        columns = [one for one in model._meta.concrete_fields if _is_text(one)]
        if not columns or not eraser.hints:
            continue
        n += sum(_erase(row, columns, eraser) for row in _suspects(rows, columns, eraser))
    n += sum(_erase_file(upload, eraser) for upload in Upload.objects.filter(club=club))
    return n + _erase_replies(eraser)


def erase_signatures(club: Club, user_id: int, label: str) -> None:
    """Replace the names under which an account signed what it did in a club."""
    for model in _searched():
        names = {one.name for one in model._meta.concrete_fields}
        for column, signed in SIGNED.items():
            if column not in names or not isinstance(model._meta.get_field(column), ForeignKey):
                continue
            rows = _of_club(model, club).filter(**{column: user_id})
            for one in signed:
                if one in names:
                    rows.exclude(**{one: ""}).update(**{one: label})


def erase_log_entries(player: Player) -> None:
    """Replace the name of a player in the log of the site administration."""
    rows = LogEntry.objects.filter(content_type__model="player", object_id=str(player.pk))
    rows.filter(content_type__app_label="tournaments").update(object_repr=player.name)


def _searched() -> Iterator[type[Model]]:
    for model in apps.get_app_config("tournaments").get_models():
        if model not in LEFT:
            yield model


def _of_club(model: type[Model], club: Club) -> QuerySet[Any]:
    """Return a table's rows of a club; all of them where rows are of no club."""
    rows = model._default_manager.all()
    if model is Dirty:
        return rows
    if any(one.name == "club" for one in model._meta.concrete_fields):
        return rows.filter(club=club)
    raise AssertionError(f"{model._meta.label} is of no club: add it to LEFT, or say whose it is")


def _is_text(field: Any) -> bool:
    if field.choices or isinstance(field, SlugField) or field.name in CODES:
        return False
    return isinstance(field, CharField | TextField | JSONField)


def _suspects(rows: QuerySet[Any], columns: Iterable[Any], eraser: NameEraser) -> Iterator[Any]:
    """Return the rows in which a word of the names is found; JSON is searched as it is stored."""
    found: list[Q] = []
    for column in columns:
        name, hints = column.name, eraser.hints
        if isinstance(column, JSONField):
            rows = rows.annotate(**{f"text_of_{name}": Cast(name, TextField())})
            name = f"text_of_{name}"
            hints = [*hints, *(json.dumps(one)[1:-1] for one in hints)]
        found.extend(Q(**{f"{name}__contains": one}) for one in dict.fromkeys(hints))
    return rows.filter(reduce(or_, found)).iterator()


def _erase(row: Any, columns: Iterable[Any], eraser: NameEraser) -> bool:
    changed = {}
    for column in columns:
        before = getattr(row, column.attname)
        is_json = isinstance(column, JSONField)
        after = eraser.json(before) if is_json else eraser.text(before or "")
        if before not in (None, after):
            longest = column.max_length
            changed[column.name] = after[:longest] if isinstance(after, str) and longest else after
    if changed:
        type(row)._default_manager.filter(pk=row.pk).update(**changed)
    return bool(changed)


def _erase_file(upload: Upload, eraser: NameEraser) -> bool:
    before = bytes(upload.content)
    after = eraser.file(before)
    if after != before:
        Upload.objects.filter(pk=upload.pk).update(content=after)
    return after != before


def _erase_replies(eraser: NameEraser) -> int:
    """Delete answers that are kept for a repeated request and hold a name."""
    gone = [
        reply.pk
        for reply in Reply.objects.exclude(status=None).iterator()
        if _differs(bytes(reply.body), eraser)
    ]
    Reply.objects.filter(pk__in=gone).delete()
    return len(gone)


def _differs(body: bytes, eraser: NameEraser) -> bool:
    text = body.decode(errors="replace")
    return eraser.text(text) != text
