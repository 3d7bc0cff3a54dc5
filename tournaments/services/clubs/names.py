"""The public names of players: kept in step with the club and with each player."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

import structlog
from django.db.models import F, Q, Value
from django.db.models.functions import Concat

from scoring.errors import Problem, Refused, shown
from tournaments.domain.people.public_names import STRICTNESS, public_name_of
from tournaments.models.clubs import NAME_TO_COME, Club, NamesPolicy, Player
from tournaments.models.events import Event
from tournaments.models.outbox import FIRST_TRY, Deadline
from tournaments.models.standings import Publication
from tournaments.policy import Actor, command
from tournaments.selectors.clubs.clubs import get_role
from tournaments.services.audit.audit import append_audit
from tournaments.services.audit.change_log import mark_names_changed
from tournaments.services.db.transactions import atomic_act
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.services.permissions import require


@atomic_act
def set_names_policy(*, actor: Actor, club: Club, policy: str, now: datetime) -> Club:
    """Choose how much of its players' names the public reads, and return the club as it is then."""
    require(actor, club, "manage_club")
    require_known(policy, "names_policy")
    locked = lock_names(club)
    before = locked.names_policy
    if before == policy:
        return locked
    Club.objects.filter(pk=club.pk).update(names_policy=policy)
    locked.names_policy = policy
    refresh_public_names(actor, locked, Player.objects.filter(club=club), now)
    append_audit(
        club,
        actor,
        "set_names_policy",
        f"club:{locked.slug}",
        facts={"old": before, "new": policy},
        now=now,
    )
    return locked


def require_known(policy: str, at: str) -> None:
    if policy not in NamesPolicy.values:
        facts = {"found": shown(policy), "expected": ", ".join(STRICTNESS)}
        raise Refused(Problem("bad_names_policy", (at,), facts))


def lock_names(club: Club) -> Club:
    """Return the club with its row locked and its policy as it is now; in a transaction."""
    return Club.objects.select_for_update(no_key=True).get(pk=club.pk)


def refresh_public_names(
    actor: Actor, club: Club, players: Iterable[Player], now: datetime
) -> list[Player]:
    """Store what the public reads of these players from now on; the caller holds `lock_names`.

    Returns:
        Those of whom it reads another name than before.
    """
    changed = []
    for player in players:
        if player.public_name != (name := public_name_of(player, club)):
            player.public_name = name
            changed.append(player)
    Player.objects.bulk_update(changed, ["public_name"], batch_size=500)
    announce_names(actor, club, changed, now)
    return changed


def announce_names(actor: Actor, club: Club, changed: Iterable[Player], now: datetime) -> None:
    """Have publications that show these players known as older than their names, and made again.

    The caller holds `lock_names` and has stored the names.
    """
    ids = [player.pk for player in changed]
    if not ids:
        return
    club.names_version += 1
    Club.objects.filter(pk=club.pk).update(names_version=club.names_version)
    events = list(Event.objects.filter(entrants__members__player__in=ids).distinct())
    mark_names_changed(events, by=get_role(actor, club.pk), now=now)
    # What is published and shows none of them is known to have the names of today once it is made
    # again: nothing else of it changes.
    published = Publication.objects.filter(club=club, event__isnull=False).values("event")
    others = Event.objects.filter(pk__in=published).exclude(pk__in=[event.pk for event in events])
    for event in others.order_by("pk"):
        mark_changed(event=event, now=now)


UPGRADE: Final = command("upgrade")


log = structlog.get_logger(__name__)


def retry_unknown_deadlines() -> None:
    """Let deadlines run that an older release parked because it does not know their kind.

    Workers of both may run at once, so one call is not enough.
    """
    unknown = Concat(Value("KeyError: '"), F("kind"), Value("'"))
    Deadline.objects.filter(parked=True, error=unknown).update(**FIRST_TRY)


def complete_names(*, everybody: bool, now: datetime) -> None:
    """Make public names that an older release left out; each club in a transaction of its own.

    Args:
        everybody: compare every player with the name that the public should read, which a worker
            does once after its start; else only those without one are looked at.
    """
    some = Q() if everybody else Q(public_name=NAME_TO_COME)
    rows = Player.objects.filter(some).select_related("club").iterator()
    clubs = {row.club_id for row in rows if row.public_name != public_name_of(row, row.club)}
    for pk in sorted(clubs):
        _complete(pk, some, now)


@atomic_act
def _complete(club: int, some: Q, now: datetime) -> None:
    locked = lock_names(Club(pk=club))
    players = Player.objects.filter(some, club=locked)
    changed = refresh_public_names(UPGRADE, locked, players, now)
    if changed:
        log.info("public_names_completed", club=club, players=len(changed))
