"""Making and revoking rows of invitations, for services that hold the club's row."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet

from tournaments.models.access import Invitation
from tournaments.models.clubs import Club, Player
from tournaments.selectors.access.invitations import list_pending_invitations, token_of
from tournaments.selectors.access.tokens import digest_of

VALID_FOR: Final = timedelta(days=14)
SEED_BYTES: Final = 32


def new_invitation(
    club: Club,
    role: str,
    player: Player | None,
    name: str,
    email: str,
    created_by: int | None,
    now: datetime,
) -> Invitation:
    seed = secrets.token_urlsafe(SEED_BYTES)
    return Invitation(
        club=club,
        role=role,
        player=player,
        name=name,
        email=email,
        seed=seed,
        token_digest=digest_of(token_of(seed)),
        created_by_id=created_by,
        created_at=now,
        expires_at=now + VALID_FOR,
    )


def revoke_of_players(players: Sequence[Player], now: datetime) -> list[str]:
    """Revoke the pending invitations of players; returns their ids, for the audit line."""
    return _revoke(list_pending_invitations().filter(player__in=players).order_by("pk"), now)


def revoke_made_by(club: Club, user_id: int, now: datetime) -> list[str]:
    """Revoke the pending invitations that an account made in a club; returns their ids."""
    invitations = list_pending_invitations().filter(club=club, created_by=user_id)
    return _revoke(invitations.order_by("pk"), now)


def _revoke(invitations: QuerySet[Invitation], now: datetime) -> list[str]:
    rows = list(invitations)
    Invitation.objects.filter(pk__in=[row.pk for row in rows]).update(revoked_at=now)
    return [str(row.public_id) for row in rows]
