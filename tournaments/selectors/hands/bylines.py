"""Who entered something, as a reader may know them: members read the name they sign in under,
everybody else the name of a player who sat in this event, or the role alone."""

from collections.abc import Collection, Mapping
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Subquery
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.models.meetings import Sitting
from tournaments.policy import DIRECTOR, HOST, OWNER, PLAYER, PUBLIC

_MEMBERS: Final = frozenset({PLAYER, HOST, DIRECTOR, OWNER})
_WORDS: Final[Mapping[str, str | Promise]] = {
    PLAYER: _("a player"),
    HOST: _("a host"),
    DIRECTOR: _("a director"),
    OWNER: _("a director"),
}
_SOMEBODY: Final = _("an official")
"""Somebody who has left the club, or runs the site."""

Bylines = Mapping[int, str]
"""By account, what is shown in the place of the name that is stored."""


def is_for_members(event: Event) -> bool:
    """Whether the actor that the event was read for belongs to its club."""
    return str(getattr(event, "role", PUBLIC)) in _MEMBERS


def bylines(event: Event, users: Collection[int | None]) -> Bylines:
    """Return what is shown of these accounts in the place of what is stored; one query at most.

    A name to sign in under is half of what a stranger needs to do so. What the public reads of a
    player it reads in the events that they sat in, and no other name.
    """
    wanted = {one for one in users if one is not None}
    if not wanted or is_for_members(event):
        return {}
    seated = Sitting.objects.filter(seat__table__event=event, player=OuterRef("pk"))
    player = Player.objects.filter(Exists(seated), club=event.club_id, user=OuterRef("pk"))
    role = Membership.objects.filter(club=event.club_id, user=OuterRef("pk"))
    rows = User.objects.filter(pk__in=wanted).values_list(
        "pk",
        Subquery(player.order_by("pk").values("public_name")[:1]),
        Subquery(role.values("role")[:1]),
    )
    return {pk: name or str(_WORDS.get(its or "", _SOMEBODY)) for pk, name, its in rows}
