"""Ask the role table before an operation; the only caller of `policy.may` for services."""

from django.conf import settings

from tournaments.errors import BeyondScope, ClubIsReadOnly, Forbidden, SecondFactorNeeded
from tournaments.models.clubs import Club
from tournaments.policy import CLOSING, OWNER, WITHHELD, Actor, may
from tournaments.selectors.clubs.clubs import creates_events, get_role


def require(actor: Actor, club: Club, right: str, *, table_id: int | None = None) -> None:
    """Let `actor` use `right` in `club`, or at one of its tables, or refuse.

    A club may leave `create_event` to its owners.
    """
    role = get_role(actor, club.pk, table_id=table_id)
    if actor.is_site_admin and club.delete_after is not None:
        role = CLOSING
    require_role(actor, role, right)
    if right == "create_event" and not creates_events(club, role):
        raise Forbidden(right)


def require_role(actor: Actor, role: str, right: str) -> None:
    """Let `actor` use `right` in a club where its role is `role`, or refuse."""
    if not actor.is_within_scope(right):
        raise BeyondScope(right, actor.scope)
    if may(role, right):
        return
    if role == CLOSING and may(OWNER, right):
        raise ClubIsReadOnly(right)
    if (role == WITHHELD or actor.lacks_factor) and may(OWNER, right):
        raise SecondFactorNeeded(right)
    raise Forbidden(right)


def may_make_club(actor: Actor) -> bool:
    """Whether `actor` may create a club: any account, where the site does not reserve it."""
    if not actor.is_within_scope("manage_club") or actor.club_id is not None:
        return False
    return actor.is_site_admin or (actor.kind == "user" and not settings.RESERVE_CLUBS)
