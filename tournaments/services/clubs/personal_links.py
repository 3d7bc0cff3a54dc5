"""Make, renew and revoke personal links; store a player's mail address with its consent.

An address that came by a link alone gets mails and confirms nothing else until a director vouches
for it (docs/decisions/0047-addresses-that-came-by-a-link.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from django.db.models import Exists, F, OuterRef, Q

from scoring.errors import Problem, Refused, listed, shown
from tournaments.domain.notices import (
    PERSONAL_CONFIRMATION,
    PERSONAL_KINDS,
    PERSONAL_LINK,
    email_problem,
)
from tournaments.domain.references import person_reference
from tournaments.errors import Conflict, Forbidden, first_or_missing, refuse_any
from tournaments.models.access import (
    AddressOrigin,
    Contact,
    FillInRequest,
    Invitation,
    PersonalLink,
    token_digest,
)
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Player, PlayerMerge, Role
from tournaments.models.jobs import Outbox
from tournaments.selectors.access.invitations import list_pending_invitations
from tournaments.selectors.access.personal_links import (
    confirming_address,
    find_working_link,
    get_contact,
    list_mailable_links,
    list_players_without_link,
)
from tournaments.selectors.jobs.outgoing import SiteMail, get_site_mail
from tournaments.selectors.ladders.challenges import open_challenges_of
from tournaments.selectors.people.merges import records_of
from tournaments.services.clubs.invitations import Invite, invite_many
from tournaments.services.clubs.members import NOT_LINKABLE, require_whole
from tournaments.services.db.locks import lock_club
from tournaments.services.db.transactions import atomic_step
from tournaments.services.notices.notifications import new_personal_link
from tournaments.services.notices.outbox import enqueue_mail
from tournaments.services.operations import Operation, operation

MOST_CONFIRMATIONS: Final = 3
"""Mails that confirm something for one player, within a day."""
MOST_CONFIRMATIONS_OF_CLUB: Final = 200
"""The same for all players of a club: a first address may be that of a stranger."""
NOT_WHOLE: Final = ("player_is_merged", "player_is_erased", "unknown_player")
OF_LINKS: Final = "personal_link"
"""The name under which the site invites whoever asked for an account by a personal link."""

ACTIONS: Final = ("address", "erasure", "account", "challenge")
"""What the holder of a personal link has confirmed by a mail to the player's address."""


def lock_person(player: Player) -> Player:
    """Lock a player and return the row as it is now; one that was merged or erased is refused."""
    # Without `merged_into`: a joined row would be as it was before the lock was had.
    rows = Player.objects.select_for_update(of=("self",), no_key=True).filter(pk=player.pk)
    locked = rows.select_related("club").first()
    if locked is None:
        raise Conflict(Problem("unknown_player", (), {"player": player.player_id}))
    require_whole(locked)
    return locked


def lock_club_and_person(player: Player) -> Player:
    """Lock the club of a player first: an invitation of its link may be accepted at this moment."""
    lock_club(player.club)
    return lock_person(player)


@operation("manage_contacts", locks=lock_club_and_person, refuses=NOT_WHOLE)
def renew_personal_link(op: Operation, player: Player, /) -> PersonalLink:
    """Make the personal link of a player. An earlier one stops working."""
    earlier = _revoke(op, player)
    link = _store_links(op, [player])[0]
    facts = {"link": link.pk} | ({"instead_of": earlier[0]} if earlier else {})
    op.audit(player, facts, name="make_personal_link")
    return link


@operation("manage_contacts")
def make_personal_links(op: Operation, club: Club, /) -> Sequence[PersonalLink]:
    """Make a personal link for each active player who has neither one nor an account.

    Only this answer shows the new links.
    """
    free = list_players_without_link(club).select_for_update(of=("self",), no_key=True)
    rows = list(free.order_by("pk"))
    # Read after the locks were had: somebody else may have pressed at the same moment.
    working = PersonalLink.objects.filter(player__in=rows, revoked_at=None)
    linked = set(working.values_list("player_id", flat=True))
    links = _store_links(op, [player for player in rows if player.pk not in linked])
    if links:
        op.audit(club, {"links": [link.pk for link in links]})
    return links


@operation("manage_contacts", locks=lock_club_and_person, refuses=NOT_WHOLE)
def revoke_personal_link(op: Operation, player: Player, /) -> bool:
    """Revoke the personal link of a player, and those of the records merged into it.

    It returns whether there was one.
    """
    links = _revoke(op, player)
    if links:
        op.audit(player, {"link": links[0]})
    return bool(links)


@operation("manage_contacts", refuses=("nobody_to_mail", "site_sends_no_mail"))
def mail_personal_links(op: Operation, club: Club, /, *, player: Player | None = None) -> int:
    """Mail their personal link to all players with a link and an address, or to one of them.

    A link is mailed at most once a day. An address that came by an earlier link alone gets none.
    It returns how many mails were written.
    """
    _require_site_mail()
    links = list_mailable_links(club)
    if player is not None:
        links = links.filter(player=player)
    mailed = list(links)
    if not mailed:
        raise Conflict(Problem("nobody_to_mail"))
    keys = {f"{link.pk}:{op.now:%Y%m%d}": link for link in mailed}
    written = Outbox.objects.filter(kind=PERSONAL_LINK, key__in=keys)
    for key in written.values_list("key", flat=True):
        keys.pop(key, None)
    Outbox.objects.bulk_create(
        [
            Outbox(
                club=club,
                player=link.player,
                kind=PERSONAL_LINK,
                payload={},
                due_at=op.now,
                created_at=op.now,
                key=key,
            )
            for key, link in keys.items()
        ],
        ignore_conflicts=True,
    )
    if keys:
        op.audit(club, {"links": [link.pk for link in keys.values()]})
    return len(keys)


def _require_site_mail() -> None:
    """Refuse what only a mail can do where nobody would get it."""
    if get_site_mail() == SiteMail.NONE:
        raise Conflict(Problem("site_sends_no_mail"))


def _revoke(op: Operation, player: Player) -> list[int]:
    """Revoke all links that open a player; return their rows, that of the player itself first."""
    working = PersonalLink.objects.filter(player__in=records_of(player), revoked_at=None)
    rows = sorted(working, key=lambda link: (link.player_id != player.pk, link.pk))
    PersonalLink.objects.filter(pk__in=[link.pk for link in rows]).update(revoked_at=op.now)
    return [link.pk for link in rows]


def use_personal_link(link: PersonalLink, *, now: datetime) -> None:
    """Store when a link was used first."""
    if link.used_at is None:
        PersonalLink.objects.filter(pk=link.pk, used_at=None).update(used_at=now)


def _store_links(op: Operation, players: Sequence[Player]) -> Sequence[PersonalLink]:
    """Store a link of each locked player.

    A mail that is written at the same moment, without the lock, may have made one already.
    """
    links = [new_personal_link(player.club_id, player.pk, op.now) for player in players]
    for link in links:
        link.made_by_id = op.actor.user_id
    PersonalLink.objects.bulk_create(links, ignore_conflicts=True)
    stored = PersonalLink.objects.filter(player__in=players, revoked_at=None)
    return list(stored.select_related("player").order_by("player"))


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
        has_consent: whether the person agreed; asked for a new address. For the stored one it says
            that this is the person's address, as `confirm_contact` does.
    """
    email = email.strip()
    contact = get_contact(player)
    if problem := email_problem(email, ("email",)):
        raise Refused(problem)
    if email and email != contact.email and not has_consent:
        raise Refused(Problem("consent_needed", ("has_consent",)))
    if email == contact.email and has_consent:
        _vouch(op, contact)
    store_address(op, contact, email)
    return contact


@operation("manage_contacts", locks=lock_person, refuses=("address_outdated", *NOT_WHOLE))
def confirm_contact(op: Operation, player: Player, /, *, email: str) -> Contact:
    """Confirm that an address, which came by the personal link alone, is that of the player.

    From then on it may confirm an account, an erasure and answers to challenges.

    Args:
        email: the address that you read; with another one stored meanwhile the answer is 409.
    """
    contact = get_contact(player)
    if not contact.email or email.strip() != contact.email:
        raise Conflict(Problem("address_outdated"))
    _vouch(op, contact)
    return contact


def _vouch(op: Operation, contact: Contact) -> None:
    if contact.is_vouched or not contact.email:
        return
    contact.origin, contact.origin_at = AddressOrigin.CLUB, contact.consent_at
    contact.save(update_fields=["origin", "origin_at"])
    op.audit(contact.player, name="confirm_contact")


def store_address(op: Operation, contact: Contact, email: str) -> None:
    """Store an address of a locked player, with who noted the consent and when."""
    if email == contact.email:
        return
    _put_address(op, contact, email)
    contact.save()
    if not email:
        Outbox.objects.filter(player=contact.player_id).update(sent_to="")
    if merges := PlayerMerge.objects.filter(target=contact.player_id):
        forget_moved_contacts(merges)
    op.audit(contact.player, {"has_address": bool(email)}, name="set_contact")


def _put_address(op: Operation, contact: Contact, email: str) -> Contact:
    """Give a contact another address.

    A person confirmed theirs in the mailbox of the one before, which may have come by the link.
    """
    origin = AddressOrigin.CLUB
    if op.actor.kind == "person":
        origin = AddressOrigin.MAILBOX if contact.is_vouched else AddressOrigin.LINK
    contact.origin = origin
    contact.email = email
    contact.new_email = ""
    contact.refusals = 0
    contact.refusal = ""
    is_noted = bool(email) and op.actor.kind != "person"
    contact.consent_at = op.now if email else None
    contact.origin_at = contact.consent_at
    contact.consent_by_id = op.actor.user_id if is_noted else None
    contact.consent_as = op.actor.name[:120] if is_noted else ""
    return contact


def store_addresses(op: Operation, club: Club, addresses: Mapping[Player, str]) -> list[int]:
    """Store the addresses of listed players, with the consent that a list notes.

    Only players without an address get one, and those whose address came by their link alone: a
    director's list knows better. The caller has checked the right and the addresses, holds the
    club's row, and audits the rows of players that are returned. Players who were merged or erased
    get none.
    """
    listed = Player.objects.select_for_update(of=("self",), no_key=True).filter(
        pk__in=[player.pk for player in addresses], club=club
    )
    held = {row.pk for row in listed.order_by("pk") if not (row.merged_into_id or row.erased_at)}
    stored = {row.player_id: row for row in Contact.objects.filter(player__in=held)}
    new, changed = [], []
    for player, email in addresses.items():
        contact = stored.get(player.pk)
        if contact is None and player.pk in held:
            new.append(_put_address(op, Contact(club=club, player=player), email))
        elif contact is not None and not contact.is_vouched:
            changed.append(_put_address(op, contact, email))
    Contact.objects.bulk_create(new, batch_size=500)
    columns = (
        "email",
        "new_email",
        "consent_at",
        "consent_by",
        "consent_as",
        "refusals",
        "refusal",
        "origin",
        "origin_at",
    )
    Contact.objects.bulk_update(changed, columns, batch_size=500)
    return [contact.player_id for contact in (*new, *changed)]


def forget_contacts(players: Sequence[Player]) -> Sequence[int]:
    """Remove what is kept of people without an account of these players, and their mails.

    It returns the rows of those mails, which may be in files too.
    """
    about = Q(player__in=players) | Q(about__in=[person_reference(player.pk) for player in players])
    mails = list(Outbox.objects.filter(about).values_list("pk", flat=True))
    Outbox.objects.filter(pk__in=mails).delete()
    Contact.objects.filter(player__in=players).delete()
    PersonalLink.objects.filter(player__in=players).delete()
    FillInRequest.objects.filter(filled_by__in=players).update(filled_by=None)
    forget_moved_contacts(PlayerMerge.objects.filter(Q(source__in=players) | Q(target__in=players)))
    return mails


def complete_contacts(*, now: datetime) -> None:
    """Complete what an older release wrote beside this one, and an import of its archives.

    What it left of players whom it erased or removed is removed. The address of a player whom it
    merged is given to the player that was kept. Addresses that it stored get their origin, and
    invitations that it made for holders of personal links get that link.
    """
    whole = Player.objects.filter(erased_at=None, pk=OuterRef("player"))
    for model in (Contact, PersonalLink, Outbox):
        model.objects.filter(~Exists(whole), player__isnull=False).delete()
    merged = Contact.objects.filter(player__merged_into__isnull=False)
    for contact in merged.select_related("player__club"):
        _give_to_kept(contact)
    _complete_origins()
    _complete_invitations(now)


def _complete_origins() -> None:
    """Note the origin of addresses: the club noted the consent, or they came by the link."""
    unknown = Q(origin_at=None) | ~Q(origin_at=F("consent_at"))
    contacts = Contact.objects.filter(unknown, consent_at__isnull=False)
    noted = contacts.filter(~Q(consent_as="") | Q(consent_by__isnull=False))
    noted.update(origin=AddressOrigin.CLUB, origin_at=F("consent_at"))
    contacts.update(origin=AddressOrigin.LINK, origin_at=F("consent_at"))


MOST_COMPLETED: Final = 500
"""Invitations that one sweep compares with the audit trail."""


def _complete_invitations(now: datetime) -> None:
    """Note the personal links by which an older release made invitations; the audit names these.

    All others of nobody are noted as reviewed, so that the next sweep does not look again.
    """
    of_nobody = Invitation.objects.filter(
        personal_link=None, reviewed_at=None, created_by=None, player__isnull=False, email=""
    )
    rows = list(of_nobody.select_related("player").order_by("pk")[:MOST_COMPLETED])
    if not rows:
        return
    lines = AuditLine.objects.filter(
        club__in={row.club_id for row in rows},
        actor=f"command:{OF_LINKS}",
        act="invite",
        at__in={row.created_at for row in rows},
    )
    by_link = {public_id for line in lines for public_id in line.facts["invitations"]}
    others = [row.pk for row in rows if str(row.public_id) not in by_link]
    Invitation.objects.filter(pk__in=others).update(reviewed_at=now)
    for row in rows:
        if str(row.public_id) in by_link:
            _complete_invitation(row, now)


def _complete_invitation(invitation: Invitation, now: datetime) -> None:
    player = invitation.player
    if player is None:
        return
    links = PersonalLink.objects.filter(
        player__in=records_of(player), made_at__lte=invitation.created_at
    )
    link = links.order_by("-made_at").first()
    rows = Invitation.objects.filter(pk=invitation.pk)
    if link is None:
        rows.update(reviewed_at=now)
        return
    rows.update(personal_link=link)
    if not get_contact(player).is_vouched:
        list_pending_invitations().filter(pk=invitation.pk).update(revoked_at=now)


@atomic_step
def _give_to_kept(contact: Contact) -> None:
    """Give a contact of a merged player to the player that was kept, who keeps an own one.

    Both are read again under the club's lock, which the undoing of a merge takes too.
    """
    lock_club(contact.player.club)
    pair = filter(None, [contact.player_id, contact.player.merged_into_id])
    players = Player.objects.select_for_update(no_key=True).filter(pk__in=pair).order_by("pk")
    merged_into = {player.pk: player.merged_into_id for player in players}.get(contact.player_id)
    if merged_into is not None and not Contact.objects.filter(player=merged_into).exists():
        Contact.objects.filter(pk=contact.pk).update(player=merged_into)
    elif merged_into is not None:
        Contact.objects.filter(pk=contact.pk).delete()


def forget_moved_contacts(merges: Iterable[PlayerMerge]) -> None:
    """Remove the deleted contacts that merges keep for their undoing."""
    label = Contact._meta.label_lower
    for merge in merges:
        steps = merge.moved.get("steps", [])
        rest = [step for step in steps if step["model"] != label or "deleted" not in step]
        if rest != steps:
            PlayerMerge.objects.filter(pk=merge.pk).update(moved={**merge.moved, "steps": rest})


@operation("own_link", refuses=("bad_choice",))
def choose_mails(op: Operation, club: Club, /, *, wanted: Iterable[str]) -> None:
    """Store which kinds of mails the holder of a personal link wants; all others are stopped."""
    player = _locked_holder(op)
    contact = get_contact(player)
    kinds = set(wanted)
    if unknown := sorted(kinds - {*PERSONAL_KINDS}):
        facts = {"field": "kind", "found": unknown[0][:40], "known": listed(PERSONAL_KINDS)}
        raise Refused(Problem("bad_choice", ("kinds",), facts))
    contact.stopped = [kind for kind in PERSONAL_KINDS if kind not in kinds]
    contact.save()


@operation(
    "own_link",
    refuses=(
        *("no_address", "address_by_link", "bad_email", "too_many_confirmations"),
        *("site_sends_no_mail", "unknown_challenge"),
        *NOT_WHOLE,
    ),
)
def ask_confirmation(
    op: Operation, club: Club, /, *, action: str, email: str = "", challenge: int | None = None
) -> Contact:
    """Mail the player a link that confirms an action of `ACTIONS`.

    The mail goes to the stored address; that for a first address, to the new one.

    Args:
        email: the new address, for `address`.
        challenge: the row of an open challenge of the player, for `challenge`.
    """
    _require_site_mail()
    player = _locked_holder(op)
    contact = get_contact(player)
    if action == "address":
        email = email.strip()
        refuse_any([problem] if (problem := email_problem(email, ("email",))) else [])
        if not email:
            raise Refused(Problem("bad_email", ("email",), {"found": shown(email)}))
        contact.new_email = email
        contact.save()
    _require_confirming(contact, action)
    if action == "challenge":
        first_or_missing(open_challenges_of(player).filter(pk=challenge or 0), "challenge")
    about = person_reference(player.pk)
    day = op.now.replace(hour=0, minute=0, second=0, microsecond=0)
    confirmations = Outbox.objects.filter(
        club=club, kind=PERSONAL_CONFIRMATION, created_at__gte=day
    )
    for rows, most in (
        (confirmations.filter(about=about), MOST_CONFIRMATIONS),
        (confirmations, MOST_CONFIRMATIONS_OF_CLUB),
    ):
        if rows.count() >= most:
            raise Conflict(Problem("too_many_confirmations", (), {"expected": most}))
    facts = {"action": action, "email": email, "challenge": challenge}
    enqueue_mail(
        club=club,
        kind=PERSONAL_CONFIRMATION,
        to=player,
        now=op.now,
        about=about,
        payload={"facts": facts},
    )
    return contact


def _require_confirming(contact: Contact, action: str) -> None:
    """Refuse an action that no mail to the player may confirm now."""
    if action != "address" and contact.email and not contact.is_vouched:
        raise Conflict(Problem("address_by_link"))
    link = find_working_link(contact.player)
    address = confirming_address(contact, link, action) if link is not None else ""
    is_refused = address == contact.email and contact.is_refused
    if not address or is_refused:
        raise Conflict(Problem("no_address"))


@operation("confirmed_link", refuses=("address_outdated", *NOT_WHOLE))
def confirm_address(op: Operation, club: Club, /, *, email: str, digest: str) -> Contact:
    """Take the new address that the holder of a personal link asked for, confirmed by mail.

    Args:
        digest: that of the address whose mailbox confirms it.
    """
    contact = get_contact(_locked_holder(op))
    link = find_working_link(contact.player)
    address = confirming_address(contact, link, "address") if link is not None else ""
    # Under the lock: a director may have stored another address since the mail was read.
    if not email or email != contact.new_email or digest != token_digest(address):
        raise Conflict(Problem("address_outdated"))
    store_address(op, contact, email)
    return contact


@operation(
    "confirmed_link",
    refuses=(
        *("address_by_link", "address_outdated", "too_many_invitations", "unknown_player"),
        *NOT_LINKABLE,
    ),
)
def ask_account(op: Operation, club: Club, /, *, digest: str) -> Invitation:
    """Invite the holder of a personal link, whom a mail confirmed, to make their account.

    The invitation ends with the link. It has the address whose mailbox confirmed it, so that the
    account needs no further mail.

    Args:
        digest: that of the address whose mailbox confirms it.
    """
    person = op.actor.person
    player = Player.objects.filter(pk=person.player_id).first() if person is not None else None
    if person is None or player is None:
        raise Forbidden("confirmed_link")
    site = op.as_site(OF_LINKS)
    invitation = invite_many(site, club, role=Role.PLAYER, people=[Invite(player)])[0]
    # Read after the locks of the invitation were had: club, then player.
    contact = get_contact(player)
    if not contact.is_vouched:
        raise Conflict(Problem("address_by_link"))
    if digest != token_digest(contact.email):
        raise Conflict(Problem("address_outdated"))
    invitation.personal_link_id, invitation.reviewed_at = person.link_id, op.now
    invitation.email = contact.email
    invitation.save(update_fields=["personal_link", "reviewed_at", "email"])
    return invitation


def _locked_holder(op: Operation) -> Player:
    person = op.actor.person
    player = Player.objects.filter(pk=person.player_id).first() if person is not None else None
    if player is None:
        raise Forbidden("own_link")
    return lock_person(player)
