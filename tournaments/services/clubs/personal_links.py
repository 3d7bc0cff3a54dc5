"""Make, renew and revoke personal links; store a player's mail address with its consent."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from scoring.errors import Problem, Refused, shown
from tournaments.domain.notices import PERSONAL_CONFIRMATION, PERSONAL_KINDS
from tournaments.errors import Conflict, Forbidden, refuse_any
from tournaments.models.clubs import Club, Player
from tournaments.models.contacts import MOST_REFUSALS, Contact, PersonalLink
from tournaments.models.jobs import Outbox
from tournaments.selectors.access.personal_links import (
    find_working_link,
    get_contact,
    list_players_without_link,
)
from tournaments.services.clubs.invitations import email_problem
from tournaments.services.clubs.members import require_whole
from tournaments.services.notices.outbox import enqueue_mail
from tournaments.services.notices.personal_mails import new_personal_link
from tournaments.services.operations import Operation, operation

MOST_CONFIRMATIONS: Final = 3
"""Mails that confirm something for one player, within a day."""
NOT_WHOLE: Final = ("player_is_merged", "player_is_erased", "unknown_player")


def lock_person(player: Player) -> Player:
    """Lock a player and return the row as it is now; one that was merged or erased is refused."""
    rows = Player.objects.select_for_update(of=("self",), no_key=True).filter(pk=player.pk)
    locked = rows.select_related("club", "merged_into").first()
    if locked is None:
        raise Conflict(Problem("unknown_player", (), {"player": player.player_id}))
    require_whole(locked)
    return locked


@operation("manage_contacts", locks=lock_person, refuses=NOT_WHOLE)
def renew_personal_link(op: Operation, player: Player, /) -> PersonalLink:
    """Make the personal link of a player. An earlier one stops working."""
    return _make(op, player)


@operation("manage_contacts")
def make_personal_links(op: Operation, club: Club, /) -> Sequence[PersonalLink]:
    """Make a personal link for each active player who has neither one nor an account.

    Only this answer shows the new links.
    """
    players = list_players_without_link(club).select_for_update(of=("self",), no_key=True)
    return [_make(op, player, club=club) for player in players.order_by("pk")]


@operation("manage_contacts", locks=lock_person, refuses=NOT_WHOLE)
def revoke_personal_link(op: Operation, player: Player, /) -> bool:
    """Revoke the personal link of a player; return whether there was one."""
    link = find_working_link(player)
    if link is not None:
        PersonalLink.objects.filter(pk=link.pk).update(revoked_at=op.now)
        op.audit(player, {"link": link.pk})
    return link is not None


def use_personal_link(link: PersonalLink, *, now: datetime) -> None:
    """Store when a link was used first."""
    if link.used_at is None:
        PersonalLink.objects.filter(pk=link.pk, used_at=None).update(used_at=now)


def _make(op: Operation, player: Player, *, club: Club | None = None) -> PersonalLink:
    before = find_working_link(player)
    if before is not None:
        PersonalLink.objects.filter(pk=before.pk).update(revoked_at=op.now)
    new_link = new_personal_link(player.club_id, player.pk, op.now)
    new_link.made_by_id = op.actor.user_id
    # A mail that is written at the same moment may have made one, without the player's row.
    PersonalLink.objects.bulk_create([new_link], ignore_conflicts=True)
    link = PersonalLink.objects.get(player=player, revoked_at=None)
    link.player = player
    facts = {"link": link.pk} | ({"instead_of": before.pk} if before is not None else {})
    op.audit(club or player, facts, name="make_personal_link", subject=player.audit_subject)
    return link


@operation(
    "manage_contacts",
    locks=lock_person,
    refuses=("bad_email", "consent_needed", *NOT_WHOLE),
)
def set_contact(
    op: Operation, player: Player, /, *, email: str, has_consent: bool = False
) -> Contact:
    """Store the mail address of a player, or remove it; the person has agreed to be written to.

    Args:
        email: empty = remove the address and its consent.
        has_consent: whether the person agreed; asked for a new address.
    """
    email = email.strip()
    contact = get_contact(player)
    if problem := email_problem(email, ("email",)):
        raise Refused(problem)
    if email and email != contact.email and not has_consent:
        raise Refused(Problem("consent_needed", ("has_consent",)))
    store_address(op, contact, email)
    return contact


def store_address(op: Operation, contact: Contact, email: str) -> None:
    """Store an address of a locked player, with who noted the consent and when."""
    if email == contact.email:
        return
    contact.email, contact.new_email, contact.refusals, contact.refusal = email, "", 0, ""
    is_noted = bool(email) and op.actor.kind == "user"
    contact.consent_at = op.now if email else None
    contact.consent_by_id = op.actor.user_id if is_noted else None
    contact.consent_as = op.actor.name[:120] if is_noted else ""
    contact.save()
    op.audit(contact.player, {"has_address": bool(email)}, name="set_contact")


def store_addresses(op: Operation, club: Club, addresses: Mapping[Player, str]) -> None:
    """Store the addresses of players who were just added or named by a list, with consent.

    The caller has checked the right and the addresses, and holds the rows of the players.
    """
    stored = {row.player_id: row for row in Contact.objects.filter(player__in=addresses)}
    for player, email in addresses.items():
        contact = stored.get(player.pk) or Contact(club=club, player=player)
        store_address(op, contact, email.strip())


@operation("own_link", refuses=("bad_choice",))
def choose_mails(op: Operation, club: Club, /, *, wanted: Iterable[str]) -> None:
    """Store which kinds of mails the holder of a personal link wants; all others are stopped."""
    player = _locked_holder(op)
    contact, kinds = get_contact(player), set(wanted)
    if unknown := sorted(kinds - {*PERSONAL_KINDS}):
        raise Refused(Problem("bad_choice", ("kinds",), {"field": "kind", "found": unknown[0]}))
    contact.stopped = [kind for kind in PERSONAL_KINDS if kind not in kinds]
    contact.save()


ACTIONS: Final = ("address", "erasure", "account", "challenge")
"""What the holder of a personal link has confirmed by a mail to the player's address."""


@operation("own_link", refuses=("no_address", "bad_email", "too_many_confirmations", *NOT_WHOLE))
def ask_confirmation(
    op: Operation, club: Club, /, *, action: str, email: str = "", challenge: int | None = None
) -> Contact:
    """Mail the player a link that confirms an action of `ACTIONS`.

    The mail goes to the stored address; that for a first address, to the new one.

    Args:
        email: the new address, for `address`.
        challenge: the row of the challenge, for `challenge`.
    """
    player = _locked_holder(op)
    contact = get_contact(player)
    if action == "address":
        email = email.strip()
        refuse_any([problem] if (problem := email_problem(email, ("email",))) else [])
        if not email:
            raise Refused(Problem("bad_email", ("email",), {"found": shown(email)}))
        contact.new_email = email
        contact.save()
    is_first = action == "address" and not contact.email
    if not is_first and (not contact.email or contact.refusals >= MOST_REFUSALS):
        raise Conflict(Problem("no_address"))
    about = f"person:{player.pk}"
    day = op.now.replace(hour=0, minute=0, second=0, microsecond=0)
    if Outbox.objects.filter(about=about, created_at__gte=day).count() >= MOST_CONFIRMATIONS:
        raise Conflict(Problem("too_many_confirmations", (), {"expected": MOST_CONFIRMATIONS}))
    facts = {"action": action, "email": email, "challenge": challenge}
    enqueue_mail(
        club=club, kind=PERSONAL_CONFIRMATION, to=player, now=op.now, about=about,
        payload={"facts": facts},
    )  # fmt: skip
    return contact


@operation("confirmed_link", refuses=("address_outdated", *NOT_WHOLE))
def confirm_address(op: Operation, club: Club, /, *, email: str) -> Contact:
    """Take the new address that the holder of a personal link asked for, confirmed by mail."""
    contact = get_contact(_locked_holder(op))
    if not email or email != contact.new_email:
        raise Conflict(Problem("address_outdated"))
    store_address(op, contact, email)
    return contact


def _locked_holder(op: Operation) -> Player:
    person = op.actor.person
    player = Player.objects.filter(pk=person.player_id).first() if person is not None else None
    if player is None:
        raise Forbidden("own_link")
    return lock_person(player)
