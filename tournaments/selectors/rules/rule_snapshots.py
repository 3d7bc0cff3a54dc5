"""The rules that tables of an event were played under, as they are kept with it."""

from typing import Final

from django.db.models import Count, QuerySet

from tournaments.errors import Missing
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game

LEAST_OF_A_HASH: Final = 8


def snapshots_of(event: Event) -> QuerySet[Snapshot]:
    """Return the rules that an event keeps, each with its `n_tables`; not the rules themselves."""
    kept = Snapshot.objects.filter(event=event).annotate(n_tables=Count("games"))
    return kept.defer("rules").order_by("variant_name", "pk")


def snapshot_at(event: Event, version: str) -> Snapshot:
    """Return the rules whose content hash begins with `version`, eight letters of it at least.

    Raises:
        Missing: rules.
    """
    if len(version) >= LEAST_OF_A_HASH:
        kept = Snapshot.objects.filter(event=event, content_hash__startswith=version)
        found = kept.order_by("pk").first()
        if found is not None:
            return found
    raise Missing("rules", {"found": version})


def rules_at(event: Event, code: str) -> tuple[Snapshot, int]:
    """Return the rules that the table under `code` plays, and how many seats it has.

    Raises:
        Missing: table.
    """
    games = Game.objects.filter(event=event, table__code=code).select_related("snapshot")
    found = games.annotate(n_seats=Count("table__seats")).first()
    if found is None:
        raise Missing("table", {"table": code})
    return found.snapshot, found.n_seats


def tables_under(event: Event, snapshot: Snapshot) -> int:
    """Return how many tables of an event were played under these rules, or are being played."""
    return Game.objects.filter(event=event, snapshot=snapshot).exclude(state="seated").count()
