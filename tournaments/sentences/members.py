"""Sentences about members of a club, invitations, mails and notifications."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_noop as _

SENTENCES: Final[Mapping[str, str]] = {
    "unknown_claim": _("There is no claim with that id in this club."),
    "not_a_member": _("This account is not a member of the club. Invite the person first."),
    "player_is_erased": _("{player} was erased and cannot have an account."),
    "player_is_merged": _("{player} was merged into {into}. Use {into}."),
    "player_is_linked": _("{player} is already linked to an account. Unlink that account first."),
    "account_is_linked": _(
        "This account is already linked to {player}. An account is one player of a club. Unlink "
        "{player} first."
    ),
    "claim_pending": _(
        "You have already asked to be linked to {player}. Withdraw that first, or wait for the "
        "answer."
    ),
    "claim_is_decided": _("This claim is {state} already."),
    "unknown_membership": _("There is no member with that id in this club."),
    "unknown_notification": _("There is no such kind of notification in a club of yours."),
    "notification_outdated": _(
        "The notification {kind} was changed meanwhile. Load it again, then change it."
    ),
    "unknown_mail": _("There is no mail with that number in this club."),
    "unknown_notice": _("There is no such notice. It may be about something that is over."),
    "mail_is_sent": _("This mail is sent already."),
    "club_has_owner": _(
        "This club has an owner already. Ask an owner to change your role on the page Members."
    ),
    "unknown_invitation": _("There is no pending invitation with that id in this club."),
    "unknown_role": _("“{found}” is not a role. Use one of {expected}."),
    "role_above_own": _("You cannot give the role {role}: your own role is {own}."),
    "owns_clubs_alone": _(
        "You are the last owner of {clubs}. Make somebody else an owner on the club’s page of "
        "members first, or delete the club."
    ),
    "last_owner": _("{user} is the last owner of this club. Make somebody else an owner first."),
    "member_outdated": _(
        "Somebody changed this member meanwhile. The role is {role} now. Load the member again."
    ),
    "bad_email": _(
        "“{found}” is not an e-mail address. Enter one address, such as ana@club.example."
    ),
    "invited_twice": _("{player} is in the list twice. Remove one of the lines."),
    "nobody_to_invite": _("There is nobody to invite. Enter one name on each line."),
    "name_not_decided": _(
        "“{found}” is not the name of one player. Choose which player it is, or that it is none."
    ),
    "too_many_invitations": _(
        "A club can create {expected} invitations within a minute. These {found} are too many now. "
        "Wait {seconds} seconds, or invite fewer people at once."
    ),
    "invitation_opens_nothing": _("This invitation does not work. Ask the club for a new one."),
}
