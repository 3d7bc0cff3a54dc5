"""Asking the role table before an act; the only caller of `policy.may` for services."""

from django.conf import settings

from tournaments.errors import BeyondScope, Forbidden
from tournaments.models.clubs import Club
from tournaments.policy import Actor, may
from tournaments.selectors.clubs.clubs import role_of


def require(actor: Actor, club: Club, act: str, *, table_id: int | None = None) -> None:
    """Let `actor` do `act` in `club`, or at one of its tables, or refuse.

    Raises:
        Forbidden: the role table says no, or the caller's token is not made for it.
    """
    require_role(actor, role_of(actor, club.pk, table_id=table_id), act)


def require_role(actor: Actor, role: str, act: str) -> None:
    """Let `actor`, whose role in the club in question is `role`, do `act` there, or refuse.

    Raises:
        Forbidden: as `require`.
    """
    if not actor.is_within_scope(act):
        raise BeyondScope(act, actor.scope)
    if not may(role, act):
        raise Forbidden(act)


def may_make_club(actor: Actor) -> bool:
    """Whether `actor` may create a club: any account, where the site does not reserve it."""
    if not actor.is_within_scope("manage_club") or actor.club_id is not None:
        return False
    return actor.is_site_admin or (actor.kind == "user" and not settings.RESERVE_CLUBS)
