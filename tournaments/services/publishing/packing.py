"""Pack older publications, a piece in each sweep of a worker; rewrite and undo packs."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Exists, OuterRef

from tournaments.models.clubs import Club
from tournaments.models.publication_packs import OWNERS, Documents, PublicationPack, pack, unpack
from tournaments.models.standings import Publication

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
    """Pack publications of one event, season or ladder; return how many were packed.

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
    owner = (
        {"season_id": where["season"]}
        if "season" in where
        else {"event_id": next(iter(where.values()))}
    )
    with transaction.atomic():
        club = Club.objects.select_for_update(no_key=True, skip_locked=True).filter(pk=club_id)
        plain = Publication.objects.filter(pk__in=etags, pack=None)
        if not club.values_list("pk") or dict(plain.values_list("pk", "etag")) != etags:
            return 0
        stored = PublicationPack.objects.create(club_id=club_id, content=content, **owner)
        return plain.update(pack=stored.pk, body=b"", csv=b"")


def rewrite_pack(pack_id: int, changed: Documents) -> None:
    """Replace a pack by one with other bytes, of the publications that still name it.

    The caller holds the row of the club.
    """
    old = PublicationPack.objects.get(pk=pack_id)
    documents = {**unpack(bytes(old.content)), **changed}
    rows = Publication.objects.filter(pk__in=documents, pack=pack_id)
    packed = set(rows.values_list("pk", flat=True))
    if still_packed := {pk: both for pk, both in documents.items() if pk in packed}:
        new = PublicationPack.objects.create(
            club_id=old.club_id,
            event_id=old.event_id,
            season_id=old.season_id,
            content=pack(still_packed),
        )
        rows.update(pack=new.pk)
    old.delete()


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
