"""Public names of players, addresses of clubs and events, codes of players and entrants."""

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from datetime import datetime
from itertools import count
from typing import Final

import structlog
from django.db.models import F, Q, Value
from django.db.models.functions import Concat

from scoring.errors import Problem, Refused, shown
from tournaments.domain.name_matching import sort_key
from tournaments.domain.people.public_names import STRICTNESS, public_name_of
from tournaments.errors import Conflict
from tournaments.models.clubs import NAME_TO_COME, Club, FormerSlug, NamesPolicy, Player
from tournaments.models.events import Entrant, EntrantKind, Event, FormerEventSlug
from tournaments.models.jobs import FIRST_TRY, Deadline
from tournaments.models.standings import Publication
from tournaments.policy import Actor, command
from tournaments.selectors.clubs.clubs import get_role
from tournaments.services.audit.audit import mark_names_changed
from tournaments.services.db.transactions import atomic_step, unless_taken
from tournaments.services.operations import Operation, operation

log = structlog.get_logger(__name__)
LONGEST_CODE: Final = 40


def lock_names(club: Club) -> Club:
    """Return the club with its row locked and its policy as it is now; in a transaction."""
    return Club.objects.select_for_update(no_key=True).get(pk=club.pk)


@operation("manage_club", locks=lock_names, refuses=("bad_names_policy",))
def set_names_policy(op: Operation, club: Club, /, *, policy: str) -> Club:
    """Choose how much of its players' names the public reads, and return the club as it is then."""
    require_known(policy, "names_policy")
    if (before := club.names_policy) != policy:
        club.names_policy = policy
        club.save(update_fields=["names_policy"])
        refresh_public_names(op.actor, club, Player.objects.filter(club=club), op.now)
        op.audit(club, {"old": before, "new": policy})
    return club


def require_known(policy: str, at: str) -> None:
    if policy not in NamesPolicy.values:
        facts = {"found": shown(policy), "expected": ", ".join(STRICTNESS)}
        raise Refused(Problem("bad_names_policy", (at,), facts))


def refresh_public_names(
    actor: Actor, club: Club, players: Iterable[Player], now: datetime
) -> list[Player]:
    """Store what follows from the names of these players; the caller holds `lock_names`.

    Returns:
        The players whose public name or sort key changed.
    """
    renamed, changed = [], []
    for player in players:
        before = (player.public_name, player.sort_key)
        key = sort_key(player.name)
        player.public_name = public_name_of(player, club)
        player.sort_key = key
        if player.public_name != before[0]:
            renamed.append(player)
        if before != (player.public_name, key):
            changed.append(player)
    Player.objects.bulk_update(changed, ["public_name", "sort_key"], batch_size=500)
    announce_names(actor, club, renamed, now)
    return changed


def announce_names(actor: Actor, club: Club, changed: Iterable[Player], now: datetime) -> None:
    """Mark publications that show these players as older than their names, and schedule new ones.

    The caller holds `lock_names` and has stored the names.
    """
    ids = [player.pk for player in changed]
    if not ids:
        return
    club.names_version += 1
    Club.objects.filter(pk=club.pk).update(names_version=club.names_version)
    events = list(Event.objects.filter(entrants__members__player__in=ids).distinct())
    # What is published and shows none of them is known to have the names of today once it is made
    # again: nothing else of it changes.
    published = Publication.objects.filter(club=club, event__isnull=False).values("event")
    others = Event.objects.filter(pk__in=published).exclude(pk__in=[event.pk for event in events])
    mark_names_changed(events, by=get_role(actor, club.pk), now=now, others=others)


def retry_unknown_deadlines() -> None:
    """Resume deadlines that an older release parked because it does not know their kind.

    Workers of both may run at once, so one call is not enough.
    """
    unknown = Concat(Value("KeyError: '"), F("kind"), Value("'"))
    Deadline.objects.filter(parked=True, error=unknown).update(**FIRST_TRY)


def complete_names(*, everybody: bool, now: datetime) -> None:
    """Make public names and sort keys that an older release left out, each club in a transaction.

    Args:
        everybody: compare every player with what follows from the name, which a worker does once
            after its start; else only those without a public name or a sort key are looked at.
    """
    if everybody:
        some = Q()
    else:
        some = Q(public_name=NAME_TO_COME) | Q(sort_key="")
    rows = Player.objects.filter(some).select_related("club").iterator()
    clubs = {
        row.club_id
        for row in rows
        if row.public_name != public_name_of(row, row.club) or row.sort_key != sort_key(row.name)
    }
    for pk in sorted(clubs):
        _complete(pk, some, now)


@atomic_step
def _complete(club: int, some: Q, now: datetime) -> None:
    locked = lock_names(Club(pk=club))
    players = Player.objects.filter(some, club=locked)
    changed = refresh_public_names(command("upgrade"), locked, players, now)
    if changed:
        log.info("public_names_completed", club=club, players=len(changed))


def taken_slugs() -> AbstractSet[str]:
    former = FormerSlug.objects.values_list("slug", flat=True)
    return {*Club.objects.values_list("slug", flat=True), *former}


def require_not_former(row: Club | Event) -> None:
    """Refuse a new, stored address that another club, or another event of the club, had before.

    Call it after the address is written, when a concurrent release of it has committed.
    """
    if isinstance(row, Club):
        others = FormerSlug.objects.filter(slug=row.slug).exclude(club=row).exists()
    else:
        former = FormerEventSlug.objects.filter(club_id=row.club_id, slug=row.slug)
        others = former.exclude(event=row).exists()
    if others:
        raise slug_taken(row.slug)


def change_slug(row: Club | Event, slug: str, *, now: datetime) -> None:
    """Give a club or an event another address; the old one redirects to it.

    The last statement of its transaction. It locks the row against all rows that reference it, as
    each row of a hand does at its commit, when its transaction holds the head of the audit chain
    (docs/decisions/0029-one-lock-order.md).
    """
    of_event = {"club_id": row.club_id} if isinstance(row, Event) else {}
    with unless_taken(slug_taken(slug)):
        row.former_slugs.filter(slug=slug).delete()
        row.former_slugs.create(slug=row.slug, changed_at=now, **of_event)
        row.slug = slug
        row.save(update_fields=["slug"])
    require_not_former(row)


def slug_taken(slug: str) -> Conflict:
    return Conflict(Problem("slug_taken", ("slug",), {"slug": slug}))


def taken_event_slugs(club: Club) -> AbstractSet[str]:
    former = FormerEventSlug.objects.filter(club=club).values_list("slug", flat=True)
    return {*Event.objects.filter(club=club).values_list("slug", flat=True), *former}


def require_free_event_slug(event: Event, slug: str) -> None:
    """Refuse an address that another event of the club has or had.

    Call it before the audit trail is locked: a transaction that writes the row of that other event
    may wait for the trail.
    """
    others = Event.objects.filter(club_id=event.club_id, slug=slug).exclude(pk=event.pk)
    former = FormerEventSlug.objects.filter(club_id=event.club_id, slug=slug)
    if others.exists() or former.exclude(event=event).exists():
        raise slug_taken(slug)


def group_codes(club: Club, ids: Collection[str] | None = None) -> dict[str, str]:
    """Return the codes of the pairs and teams in the club's events, each with an event's name.

    Args:
        ids: the codes that are asked about; None for all.
    """
    groups = Entrant.objects.filter(club=club).exclude(kind=EntrantKind.PLAYER)
    if ids is not None:
        groups = groups.filter(code__in=ids)
    return dict(groups.order_by("-event_id").values_list("code", "event__name"))


def group_problem(player_id: str, groups: dict[str, str]) -> Problem | None:
    """Return what is wrong with a player id that is one of `groups` (`group_codes`), if it is."""
    if player_id not in groups:
        return None
    facts = {"player_id": player_id, "event": groups[player_id]}
    return Problem("player_id_is_a_code", ("player_id",), facts)


def code_for(event: Event, player_id: str) -> str:
    """Return the code under which a player competes alone: their id, or the next that is free."""
    return codes_for(event, [player_id])[player_id]


def codes_for(event: Event, ids: Collection[str]) -> dict[str, str]:
    """Return, by player id, the codes under which players compete alone, as `code_for` does.

    A code that is not free gets a number behind it, cut so that it fits.
    """
    entrants = Entrant.objects.filter(event=event)
    clashing = set(entrants.filter(code__in=ids).values_list("code", flat=True))
    if not clashing:
        return dict(zip(ids, ids, strict=True))
    in_use = set(entrants.values_list("code", flat=True))
    in_use |= set(Player.objects.filter(club_id=event.club_id).values_list("player_id", flat=True))
    codes = dict(zip(ids, ids, strict=True))
    for player_id in clashing:
        tails = (f"-{number}" for number in count(2))
        numbered = (f"{player_id[: LONGEST_CODE - len(tail)]}{tail}" for tail in tails)
        codes[player_id] = next(code for code in numbered if code not in in_use)
    return codes
