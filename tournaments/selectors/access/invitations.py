"""Which invitation a link opens, its secret, and the invitations of a club.

Every look-up makes one query, so that a used, revoked, expired or unknown invitation cannot be told
from another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.db.models import F, Q, QuerySet, TextChoices
from django.utils.crypto import constant_time_compare

from tournaments.errors import first_or_missing
from tournaments.models.access import Invitation, token_digest, token_of_seed
from tournaments.models.clubs import Club
from tournaments.models.jobs import Outbox
from tournaments.selectors.jobs.mail_states import GIVEN_UP, mail_state
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail

INVITATION_COOKIE: Final = f"{settings.COOKIE_PREFIX}invitation"
"""Cookie of an invitation after its first use."""

_SALT: Final = "tournaments.invitations"


class InvitationState(TextChoices):
    NOT_OPENED = "not_opened"
    OPENED = "opened"
    MAIL_REFUSED = "mail_refused"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class OpenedInvitation:
    """An invitation that works; `was_mailed` where the link came out of the mail to its address."""

    invitation: Invitation
    was_mailed: bool = False


@dataclass(frozen=True, slots=True)
class InvitationRow:
    invitation: Invitation
    state: InvitationState
    url: str = ""
    """The link, where the invitation was just made."""
    mail: str = ""
    """The state of its mail, of `MAIL_STATES`; "" without one, as where no address is known."""

    @property
    def id(self) -> UUID:
        return self.invitation.public_id

    @property
    def label(self) -> str:
        """The invited person: a player's name, the name on the card, or the e-mail address."""
        return label_of(self.invitation)


def label_of(invitation: Invitation) -> str:
    player = invitation.player
    if player is not None:
        return player.name
    return invitation.name or invitation.email


def invitation_token(seed: str) -> str:
    return token_of_seed(f"{_SALT}.token", seed)


def printable_token(invitation: Invitation) -> str:
    """Return the token of an invitation; "" if the server's key has changed."""
    token = invitation_token(invitation.seed)
    return token if token_digest(token) == invitation.token_digest else ""


def mail_mark(seed: str) -> str:
    """Return the part that only the mailed link has: it proves that its bearer reads that mail."""
    return token_of_seed(f"{_SALT}.mail", seed)


def find_invitation_by_token(token: str, mark: str, now: datetime) -> OpenedInvitation | None:
    """Return the invitation that works and has this token; `mark` is that of its mail, if any."""
    invitation = list_working_invitations(now).filter(token_digest=token_digest(token)).first()
    if invitation is None:
        return None
    was_mailed = bool(mark) and constant_time_compare(mark, mail_mark(invitation.seed))
    return OpenedInvitation(invitation, was_mailed)


def find_invitation_in_cookie(cookie: str, now: datetime) -> OpenedInvitation | None:
    try:
        seed, was_mailed = signing.loads(cookie, salt=_SALT)
    except (signing.BadSignature, ValueError, TypeError):
        seed, was_mailed = "", False
    invitation = list_working_invitations(now).filter(seed=str(seed)).first()
    if invitation is None:
        return None
    return OpenedInvitation(invitation, bool(was_mailed))


def invitation_cookie(opened: OpenedInvitation) -> str:
    return signing.dumps([opened.invitation.seed, opened.was_mailed], salt=_SALT)


def list_working_invitations(now: datetime) -> QuerySet[Invitation]:
    """Return the invitations that can be accepted, with their clubs and players."""
    can_be_linked = Q(
        player__user__isnull=True, player__merged_into__isnull=True, player__erased_at__isnull=True
    )
    # What the holder of a personal link asked for ends with the link.
    has_link = Q(personal_link__isnull=True) | Q(personal_link__revoked_at__isnull=True)
    return (
        list_pending_invitations()
        .filter(Q(player__isnull=True) | can_be_linked, has_link, expires_at__gt=now)
        .filter(club__delete_after__isnull=True)
        .select_related("club", "player", "created_by")
    )


def list_pending_invitations() -> QuerySet[Invitation]:
    """Return the invitations that are neither accepted nor revoked, expired ones included."""
    return Invitation.objects.filter(accepted_at__isnull=True, revoked_at__isnull=True)


def invitations_of(club: Club) -> QuerySet[Invitation]:
    rows = list_pending_invitations().filter(club=club).select_related("player", "club")
    return rows.order_by(F("created_at").desc(), "pk")


def list_invitation_rows(club: Club, now: datetime) -> Sequence[InvitationRow]:
    rows = list(invitations_of(club))
    mails = find_mail_states(rows)
    return tuple(
        InvitationRow(row, _state(row, mails.get(row.pk, ""), now), mail=mails.get(row.pk, ""))
        for row in rows
    )


def find_mail_states(invitations: Sequence[Invitation]) -> dict[int, str]:
    """Return the state of the mail of each invitation that has one, by its row; one query.

    None has one where the site has no mail server: what is written then reaches nobody.
    """
    if get_site_mail() == SiteMail.NONE:
        return {}
    rows = {row.audit_subject: row.pk for row in invitations if row.email}
    mails = Outbox.objects.filter(about__in=rows).order_by("pk")
    return {rows[mail.about]: mail_state(mail) for mail in mails}


def get_invitation(club: Club, public_id: UUID) -> Invitation:
    return first_or_missing(invitations_of(club).filter(public_id=public_id), "invitation")


def made_with(club: Club, public_id: UUID, now: datetime) -> QuerySet[Invitation]:
    """Return the working invitations of those made in one operation with the one named."""
    invitation = first_or_missing(
        Invitation.objects.filter(club=club, public_id=public_id), "invitation"
    )
    rows = invitations_of(club).filter(expires_at__gt=now)
    return rows.filter(created_at=invitation.created_at, created_by=invitation.created_by_id)


def _state(row: Invitation, mail: str, now: datetime) -> InvitationState:
    if row.expires_at <= now:
        return InvitationState.EXPIRED
    if mail in GIVEN_UP:
        return InvitationState.MAIL_REFUSED
    return InvitationState.OPENED if row.opened_at else InvitationState.NOT_OPENED
