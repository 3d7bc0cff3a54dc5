"""Discard the bytes of older publications, except those that somebody may look up."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Any, Final

from django.db.models.functions import Length

from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club
from tournaments.models.publication_packs import DISCARDED, OWNERS, PublicationPack, unpack
from tournaments.models.standings import Change, Publication, PublicationFile
from tournaments.selectors.events.change_log import OF_EVENINGS
from tournaments.services.clubs.names import lock_names
from tournaments.services.operations import Operation, operation
from tournaments.services.publishing.packing import rewrite_pack

PAUSE_AFTER_EVENING: Final = timedelta(hours=6)
"""A publication is the last of its evening if the next one comes this much later."""
AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True)
class DiscardedBytes:
    """How many publications, the bytes that they take as stored, and how many stay."""

    publications: int
    bytes: int
    left: int


@operation("manage_club", locks=lock_names)
def discard_publications(
    op: Operation, club: Club, /, *, before: datetime, dry_run: bool = False
) -> DiscardedBytes:
    """Discard the bytes of a club's publications before a moment; their digests stay.

    These are kept: the newest of each event, season and ladder, the last of each evening, the ones
    before and after each line of the change log, those by which a stage was begun, and those with a
    file (a spreadsheet, a print, or a picture that was made because a link was shared).
    """
    pks = sorted(_list_discardable(club, before))
    total = Publication.objects.filter(club=club).exclude(pack=DISCARDED).count()
    counted = DiscardedBytes(len(pks), _count_bytes(pks), total - len(pks))
    if pks and not dry_run:
        packs: set[int] = set()
        for chunk in _chunks(pks):
            rows = Publication.objects.filter(pk__in=chunk)
            packs.update(filter(None, rows.values_list("pack", flat=True)))
            rows.update(pack=DISCARDED, body=b"", csv=b"")
        for pack_id in sorted(packs):
            rewrite_pack(pack_id, {})
        op.audit(club, {"publications": counted.publications, "before": before.isoformat()})
    return counted


def _list_discardable(club: Club, before: datetime) -> Iterator[int]:
    rows = Publication.objects.filter(club=club).exclude(pack=DISCARDED).defer("body", "csv")
    files = PublicationFile.objects.filter(club=club)
    with_file = set(files.values_list("publication_id", flat=True))
    lines = AuditLine.objects.filter(club=club, facts__has_key="publication")
    cited = {number for number in lines.values_list("facts__publication", flat=True) if number}
    for of in OWNERS:
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


def _count_bytes(pks: Collection[int]) -> int:
    """Return how many bytes publications take; of a pack, their share of it."""
    total = 0
    of_packs: dict[int, int] = {}
    for chunk in _chunks(sorted(pks)):
        rows = Publication.objects.filter(pk__in=chunk).annotate(n=Length("body") + Length("csv"))
        for packed, size in rows.values_list("pack", "n"):
            total += size
            if packed:
                of_packs[packed] = of_packs.get(packed, 0) + 1
    for pack_id, n in of_packs.items():
        content = bytes(PublicationPack.objects.values_list("content", flat=True).get(pk=pack_id))
        total += len(content) * n // len(unpack(content))
    return total


def _chunks(pks: Sequence[int]) -> Iterator[Sequence[Any]]:
    return (pks[at : at + AT_ONCE] for at in range(0, len(pks), AT_ONCE))
