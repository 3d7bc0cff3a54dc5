"""Completes what processes of the release before this one leave, while both run or after a return.

The release before 0.3.0 knows no public names: a player that it adds has none, and one that it
renames keeps the former one. A deadline of a kind that it does not know it parks after three tries.
See docs/upgrading.md.
"""

from datetime import datetime
from typing import Final

import structlog
from django.db.models import F, Q, Value
from django.db.models.functions import Concat

from tournaments.domain.people.public_names import public_name_of
from tournaments.models.clubs import NAME_TO_COME, Club, Player
from tournaments.models.outbox import FIRST_TRY, Deadline
from tournaments.policy import command
from tournaments.services.clubs.names import lock_names, refresh_public_names
from tournaments.services.db.transactions import atomic_act

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
