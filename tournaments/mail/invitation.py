"""The mail that invites somebody into a club; its link is made when it is sent."""

from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from tournaments.mail.files import are_kept
from tournaments.mail.message import MailText
from tournaments.models.invitations import Invitation
from tournaments.selectors.access.invitations import (
    mail_mark,
    pending_invitations,
    printable_token,
)
from tournaments.selectors.clubs.clubs import actor_of


def invitation_text(payload: dict[str, Any]) -> MailText | None:
    """Return an invitation as its mail; None where it was accepted or revoked meanwhile."""
    rows = pending_invitations().select_related("club", "player", "created_by")
    invitation = rows.filter(public_id=payload["invitation"]).first()
    token = printable_token(invitation) if invitation is not None else ""
    if invitation is None or not token:
        return None
    club = invitation.club.name
    path = reverse("tournaments:open-invitation", args=(token,))
    # The mark confirms the address: not where others than its owner read the mail (mail/files.py).
    mark = "" if are_kept() else f"?m={mail_mark(invitation.seed)}"
    return MailText(
        subject=_("Invitation to %s") % club,
        paragraphs=(
            _whom(invitation, club),
            _("Open the link to create an account, or to join with the account that you have."),
            _("The link works once, until %s. Do not pass it on: it is for you.")
            % date_format(localtime(invitation.expires_at), "l j F Y"),
        ),
        link=_("Join %s") % club,
        url=f"{settings.SITE_URL}{path}{mark}",
        club=club,
        footer=_("%s entered your address for this invitation. Nobody else writes to it.") % club,
    )


def _whom(invitation: Invitation, club: str) -> str:
    """Say who invites whom, as which player or in which role."""
    by = invitation.created_by
    facts = {"club": club, "inviter": actor_of(by).name if by is not None else club}
    player = invitation.player
    if player is not None:
        facts |= {"name": player.name, "id": player.player_id}
        said = _("%(inviter)s invites you to %(club)s. You are on its list as %(name)s (%(id)s).")
        return said % facts
    facts |= {"role": str(invitation.get_role_display()).lower()}
    return _("%(inviter)s invites you to %(club)s. Your role there will be %(role)s.") % facts
