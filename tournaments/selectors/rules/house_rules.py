"""A club's house rules and their versions; the rules that tables of an event were played under."""

from collections.abc import Sequence
from typing import Final

from django.db.models import Count, Prefetch, QuerySet

from tournaments.errors import Missing, first_or_missing
from tournaments.models.clubs import Club
from tournaments.models.events import Event, Snapshot
from tournaments.models.hands import Game
from tournaments.models.rules import HouseVariant, HouseVersion
from tournaments.selectors.clubs.clubs import readable_rounds


def house_rules_of(club: Club) -> QuerySet[HouseVariant]:
    """Return the club's house rules by name, each with its `versions`, the newest first."""
    newest = HouseVersion.objects.order_by("-number")
    house_variants = HouseVariant.objects.filter(club=club).select_related("club")
    return house_variants.order_by("name", "slug").prefetch_related(Prefetch("versions", newest))


def get_house_rules(club: Club, slug: str) -> HouseVariant:
    return first_or_missing(house_rules_of(club).filter(slug=slug), "house_rules", found=slug)


def newest(rules: HouseVariant) -> HouseVersion:
    return list_versions(rules)[0]


def list_versions(rules: HouseVariant) -> Sequence[HouseVersion]:
    return sorted(rules.versions.all(), key=lambda version: -version.number)


def get_version_at(rules: HouseVariant, number: int) -> HouseVersion:
    for house_version in list_versions(rules):
        if house_version.number == number:
            return house_version
    raise Missing("house_version", {"found": number})


def list_events_with(version: HouseVersion) -> QuerySet[Event]:
    """Return the events that keep a snapshot of a version, by name."""
    snapshots = Snapshot.objects.filter(club_id=version.club_id, variant=version.code)
    return (
        Event.objects.filter(club_id=version.club_id, snapshots__in=snapshots)
        .distinct()
        .order_by("name", "slug")
    )


def find_house_version(event: Event) -> HouseVersion | None:
    """Return the version of house rules that an event's new tables play, if they play one."""
    versions = HouseVersion.objects.filter(club=event.club_id, code=event.variant)
    return versions.select_related("variant").first()


def find_newer_house_version(event: Event) -> HouseVersion | None:
    """Return the newest version of the house rules that an event plays, where it plays another."""
    playing = find_house_version(event)
    if playing is None or playing.variant.is_archived:
        return None
    later = HouseVersion.objects.filter(variant=playing.variant_id, number__gt=playing.number)
    return later.select_related("variant").order_by("-number").first()


LEAST_OF_A_HASH: Final = 8


def list_snapshots(event: Event) -> QuerySet[Snapshot]:
    """Return the rules that an event keeps, each with its `n_tables`; not the rules themselves."""
    snapshots = Snapshot.objects.filter(event=event).annotate(n_tables=Count("games"))
    return snapshots.defer("rules").order_by("variant_name", "pk")


def get_snapshot(event: Event, version: str) -> Snapshot:
    """Return the rules whose content hash begins with `version`, eight letters of it at least."""
    if len(version) >= LEAST_OF_A_HASH:
        snapshots = Snapshot.objects.filter(event=event, content_hash__startswith=version)
        snapshot = snapshots.order_by("pk").first()
        if snapshot is not None:
            return snapshot
    raise Missing("rules", {"found": version})


def rules_at(event: Event, code: str) -> tuple[Snapshot, int]:
    games = Game.objects.filter(event=event, table__code=code).select_related("snapshot")
    games = games.filter(readable_rounds(event, "table__round__"))
    game = first_or_missing(games.annotate(n_seats=Count("table__seats")), "table", table=code)
    return game.snapshot, game.n_seats


def count_tables_under(event: Event, snapshot: Snapshot) -> int:
    """Return how many tables of an event were played under these rules, or are being played."""
    return Game.objects.filter(event=event, snapshot=snapshot).exclude(state="seated").count()
