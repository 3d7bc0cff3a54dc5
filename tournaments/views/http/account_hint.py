"""Hints on how to get the permissions of a linked player."""

from typing import Final

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.members import find_own_player
from tournaments.views.http.layout import Link, PageRequest

OF_A_PLAYER: Final = frozenset({"challenge", "confirm_result", "open_dispute", "check_in"})
"""Rights that a player has for themselves; hosts and directors have them for anybody."""


def account_hint(request: PageRequest, read: Club | Event) -> tuple[str, Link | None] | None:
    """Return what the reader lacks to act as a player; one query at most.

    A sentence and the link to follow, if the reader can act. None for a reader who is linked to a
    player of the club, may act for others, or holds a table's link.

    Args:
        read: the page's object, with the reader's `role`.
    """
    actor = request.actor
    if actor.at is not None or may_do(read, "enter_hand"):
        return None
    if actor.kind != "user":
        back = urlencode({"next": request.get_full_path()})
        way = Link(_("Sign in"), f"{reverse('account_login')}?{back}")
        return _("Sign in if you are one of them."), way
    club = read if isinstance(read, Club) else read.club
    if not may_do(read, "edit_own_player"):
        text = _("Your account is not a member of %(club)s. Ask the club for an invitation.")
        return text % {"club": club.name}, None
    if find_own_player(actor, club) is not None:
        return None
    text = _("Your account is not linked to a player. Ask a director to link it.")
    return text, Link(_("This is me"), reverse("tournaments:me"))
