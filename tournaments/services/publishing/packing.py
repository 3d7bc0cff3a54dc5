"""Pack older publications, a piece in each sweep of a worker; undo packs; discard old bytes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Any, Final

from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Exists, Func, IntegerField, OuterRef
from django.db.models.functions import Length

from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club
from tournaments.models.publication_packs import (
    DISCARDED,
    OWNERS,
    Documents,
    PublicationPack,
    pack,
    unpack,
)
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Change, Publication, PublicationFile
from tournaments.selectors.events.change_log import OF_EVENINGS
from tournaments.selectors.standings.evening_results import LOST_RESULT
from tournaments.services.clubs.names import lock_names
from tournaments.services.db.bulk import in_parts
from tournaments.services.operations import Operation, operation

PACKED_AFTER: Final = timedelta(days=7)
MOST_IN_A_PACK: Final = 64
PACK_BYTES: Final = 500_000
"""A pack is closed beyond this size, so that packing takes a third of a second, reading 3 ms."""
MIGRATION: Final = "0036_publication_packs"


def is_packing_allowed(now: datetime) -> bool:
    """Whether the release before this one, which reads no packs, is a week back.

    Until then an installation can go back to it (docs/upgrading.md).
    """
    applied = MigrationRecorder.Migration.objects.filter(app="tournaments", name=MIGRATION)
    return not applied.filter(applied__gt=now - PACKED_AFTER).exists()


def pack_piece(*, now: datetime) -> int:
    """Pack publications of one event, season, ladder or evening; return how many were packed.

    They are compressed before anything is locked. Then the club's row is locked, as an erasure
    does, and nothing is stored if another one has it or one of the publications has changed.
    The last publication of each owner stays as it is: each read of standings asks for it. Whole
    days (UTC) are packed, so that a pack is not of the few that became a week old just now.
    """
    day = (now - PACKED_AFTER).replace(hour=0, minute=0, second=0, microsecond=0)
    for of in OWNERS:
        newer = Publication.objects.filter(**{of: OuterRef(of)}, number=OuterRef("number") + 1)
        rows = Publication.objects.filter(
            Exists(newer), pack=None, published_at__lt=day, **{f"{of}__isnull": False}
        )
        rows = rows.exclude(LOST_RESULT)
        owner = rows.order_by("published_at").values_list(f"{of}_id", "club_id").first()
        if owner is not None:
            where = {of: owner[0]}
            return _pack(rows.filter(**where).order_by("number"), owner[1], where)
    return 0


def _pack(rows: Any, club_id: int, where: Mapping[str, int]) -> int:
    documents: dict[int, tuple[bytes, bytes]] = {}
    etags = {}
    size = 0
    for row in rows[:MOST_IN_A_PACK].iterator(chunk_size=8):
        documents[row.pk] = (bytes(row.body), bytes(row.csv))
        etags[row.pk] = row.etag
        size += sum(map(len, documents[row.pk]))
        if size > PACK_BYTES:
            break
    content = pack(documents)
    owner = _owner_of_pack(where)
    with transaction.atomic():
        club = Club.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=club_id)
        plain = Publication.objects.filter(pk__in=etags, pack=None)
        if not club.values_list("pk") or dict(plain.values_list("pk", "etag")) != etags:
            return 0
        stored = PublicationPack.objects.create(club_id=club_id, content=content, **owner)
        return plain.update(pack=stored.pk, body=b"", csv=b"")


def _owner_of_pack(where: Mapping[str, int]) -> Mapping[str, int]:
    ((name, pk),) = where.items()
    if name == "season":
        return {"season_id": pk}
    if name == "meeting":
        return {"event_id": Meeting.objects.values_list("event_id", flat=True).get(pk=pk)}
    return {"event_id": pk}


def rewrite_pack(pack_id: int, changed: Documents) -> int:
    """Replace a pack by one with other bytes, of the publications that still name it.

    Return by how many bytes it is smaller. The caller holds the row of the club.
    """
    old = PublicationPack.objects.get(pk=pack_id)
    documents = {**unpack(bytes(old.content)), **changed}
    rows = Publication.objects.filter(pk__in=documents, pack=pack_id)
    packed = set(rows.values_list("pk", flat=True))
    n_bytes = len(old.content)
    if still_packed := {pk: both for pk, both in documents.items() if pk in packed}:
        new = PublicationPack.objects.create(
            club_id=old.club_id,
            event_id=old.event_id,
            season_id=old.season_id,
            content=pack(still_packed),
        )
        rows.update(pack=new.pk)
        n_bytes -= len(new.content)
    old.delete()
    return n_bytes


def undo_packs() -> int:
    """Store all packed publications as they were before, for a release that reads no packs."""
    n = 0
    for pack_id, club_id in list(PublicationPack.objects.values_list("pk", "club_id")):
        with transaction.atomic():
            list(Club.objects.select_for_update(no_key=True).filter(pk=club_id).values_list("pk"))
            old = PublicationPack.objects.filter(pk=pack_id).first()
            if old is None:
                continue
            for pk, (body, csv) in unpack(bytes(old.content)).items():
                rows = Publication.objects.filter(pk=pk, pack=pack_id)
                n += rows.update(pack=None, body=body, csv=csv)
            old.delete()
    return n


PAUSE_AFTER_EVENING: Final = timedelta(hours=6)
"""A publication is the last of its evening if the next one comes this much later."""
AT_ONCE: Final = 500
DISCARDED_OF: Final = tuple(of for of in OWNERS if of != "meeting")
"""Owners whose older publications may be discarded; results of evenings are few and are cited."""


@operation("manage_club", locks=lock_names)
def discard_publications(
    op: Operation, club: Club, /, *, before: datetime, dry_run: bool = False
) -> tuple[int, int, int]:
    """Discard the bytes of a club's publications before a moment; their digests stay.

    Return how many publications these are, the bytes that this frees, and how many stay.

    These are kept: the newest of each event, season and ladder, the last of each evening, all
    results of evenings, the ones before and after each line of the change log, those by which a
    stage was begun, and those with a file (a spreadsheet, a print, or a picture that was made
    because a link was shared).
    """
    pks = sorted(_list_discardable(club, before))
    total = Publication.objects.filter(club=club).exclude(pack=DISCARDED).count()
    n_bytes = 0
    of_packs: dict[int, set[int]] = {}
    for chunk in in_parts(pks, AT_ONCE):
        rows = Publication.objects.filter(pk__in=chunk)
        stored = rows.annotate(n=_stored_length("body") + _stored_length("csv"))
        for pk, pack_id, size in stored.values_list("pk", "pack", "n"):
            if pack_id:
                of_packs.setdefault(pack_id, set()).add(pk)
            else:
                n_bytes += size or 0
        if not dry_run:
            rows.update(pack=DISCARDED, body=b"", csv=b"")
    for pack_id, discarded in sorted(of_packs.items()):
        if dry_run:
            n_bytes += _count_freed(pack_id, discarded)
        else:
            n_bytes += rewrite_pack(pack_id, {})
    if pks and not dry_run:
        op.audit(club, {"publications": len(pks), "before": before.isoformat()})
    return len(pks), n_bytes, total - len(pks)


def _list_discardable(club: Club, before: datetime) -> Iterator[int]:
    rows = Publication.objects.filter(club=club).exclude(pack=DISCARDED).defer("body", "csv")
    files = PublicationFile.objects.filter(club=club)
    with_file = set(files.values_list("publication_id", flat=True))
    lines = AuditLine.objects.filter(club=club, facts__has_key="publication")
    cited = {number for number in lines.values_list("facts__publication", flat=True) if number}
    for of in DISCARDED_OF:
        owned = rows.filter(**{f"{of}__isnull": False}).order_by(of, "number")
        for owner, group in groupby(owned.iterator(), key=lambda row: getattr(row, f"{of}_id")):
            publications = list(group)
            changed = _numbers_of_changes(owner, publications) if of == "event" else set()
            for row, later in pairwise(publications):
                if (
                    row.published_at < before
                    and later.published_at - row.published_at < PAUSE_AFTER_EVENING
                    and row.number not in cited | changed
                    and row.pk not in with_file
                ):
                    yield row.pk


def _numbers_of_changes(event_id: int, publications: Sequence[Publication]) -> set[int]:
    """Return the numbers just before and after each line of an event's change log."""
    lines = Change.objects.filter(event=event_id).exclude(kind__in=OF_EVENINGS).order_by("version")
    numbers: set[int] = set()
    at = 0
    for version in lines.values_list("version", flat=True):
        while at < len(publications) and publications[at].newest_version < version:
            at += 1
        numbers.update(row.number for row in publications[max(at - 1, 0) : at + 1])
    return numbers


def _stored_length(column: str) -> Func:
    """Return the bytes that a value takes: PostgreSQL compresses large ones by itself."""
    if connection.vendor == "postgresql":
        return Func(column, function="pg_column_size", output_field=IntegerField())
    return Length(column)


def _count_freed(pack_id: int, discarded: Collection[int]) -> int:
    """Return by how many bytes a pack is smaller without some of its publications.

    That is less than their share: what publications have in common is stored once.
    """
    content = bytes(PublicationPack.objects.values_list("content", flat=True).get(pk=pack_id))
    rest = {pk: both for pk, both in unpack(content).items() if pk not in discarded}
    return len(content) - (len(pack(rest)) if rest else 0)
