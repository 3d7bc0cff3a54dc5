"""Notify people by the ways that each of them chose, and store what they choose and read."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from scoring.errors import Problem, Refused, listed
from tournaments.domain.notices import (
    DEFAULTS,
    KIND_OF,
    Channels,
    Recipients,
    personal_kind,
    stored_notice,
)
from tournaments.errors import Conflict, Forbidden
from tournaments.models.access import (
    VOUCHED,
    Contact,
    PersonalLink,
    personal_token,
    token_digest,
)
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.jobs import Outbox
from tournaments.models.notices import DismissedHint, Notice, NotificationChoice
from tournaments.policy import PUBLIC, Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.notices.notifications import (
    HINTS,
    find_channels_of_members,
    find_mailable,
    get_notice,
    get_own_choice,
    list_choices,
    list_clubs_of_member,
    list_unread_notices,
    tag_of_choice,
)
from tournaments.services.access.tokens import require_own_account
from tournaments.services.db.transactions import is_dry_run
from tournaments.services.operations import Operation, operation


@dataclass(frozen=True, slots=True)
class Message:
    """A message to one reader: `key` names its subject, `facts` are ids and numbers.

    A reader gets one message of a kind and key. Names are read when the message is.
    """

    key: str
    facts: Mapping[str, object]
    path: str = ""


def notify(
    *,
    club: Club,
    to: Recipients,
    kind: str,
    key: str,
    facts: Mapping[str, object],
    now: datetime,
) -> None:
    """Send people of a club the same message, in the caller's transaction."""
    notify_each(club=club, kind=kind, messages=[(to, Message(key, facts))], now=now)


def notify_each(
    *,
    club: Club,
    kind: str,
    messages: Iterable[tuple[Recipients, Message]],
    now: datetime,
    by_mail: bool = True,
) -> None:
    """Write notices and mails for people of a club, in the caller's transaction.

    Accounts that are closed or no members get nothing, nor do players without an account who have
    no address or stopped the kind; the others get a personal link with the mail. At most eight
    statements for any number of people.

    Args:
        by_mail: False for what is no mail, whatever its readers chose.
    """
    accounts, people = dict[int, Message](), dict[int, Message]()
    for to, message in messages:
        accounts |= dict.fromkeys(to.accounts, message)
        people |= dict.fromkeys(to.people, message)
    if is_dry_run():
        return
    notices: list[Notice] = []
    mails: list[tuple[Message, dict[str, int]]] = []

    def columns(message: Message, reader: Mapping[str, int]) -> dict[str, Any]:
        return {"club": club, "kind": kind, "key": message.key, "created_at": now, **reader}

    channels_of = find_channels_of_members(club, accounts, KIND_OF[kind]) if accounts else {}
    for user_id, channels in channels_of.items():
        message, reader = accounts[user_id], {"user_id": user_id}
        if channels.as_notice:
            stored_kind, facts = stored_notice(kind, message.facts)
            row = columns(message, reader) | {"kind": stored_kind, "facts": facts}
            notices.append(Notice(**row, path=message.path))
        if channels.by_mail and by_mail:
            mails.append((message, reader))
    if people and personal_kind(kind) and by_mail:
        mailable = sorted(find_mailable(people, personal_kind(kind)))
        add_personal_links(club, mailable, now=now)
        mails += [(people[player], {"player_id": player}) for player in mailable]
    Notice.objects.bulk_create(notices, ignore_conflicts=True)
    Outbox.objects.bulk_create(
        [
            Outbox(**columns(message, reader), payload={"facts": dict(message.facts)}, due_at=now)
            for message, reader in mails
        ],
        ignore_conflicts=True,
    )


def without_actor(to: Recipients, actor: Actor) -> Recipients:
    person = {actor.person.player_id} if actor.person is not None else set()
    return Recipients(to.accounts - {actor.user_id or 0}, to.people - person)


@operation("own_account", refuses=("bad_choice",))
def save_notifications(op: Operation, *, club: Club, wanted: Mapping[str, Channels]) -> None:
    """Store the channels of some kinds for the actor's account in a club."""
    user_id = require_own_account(op.actor)
    if get_role(op.actor, club.pk) == PUBLIC:
        raise Forbidden("own_account")
    for kind in wanted:
        if kind not in DEFAULTS:
            facts = {"field": "kind", "found": kind[:40], "known": listed(DEFAULTS)}
            raise Refused(Problem("bad_choice", ("kinds", kind[:40]), facts))
    _store(user_id, club, wanted)


@operation("own_account", refuses=("notification_outdated", "unknown_notification"))
def change_notification(
    op: Operation,
    *,
    club: str,
    kind: str,
    based_on: str | None,
    by_mail: bool | None = None,
    as_notice: bool | None = None,
) -> NotificationChoice:
    """Change whether a kind of notification comes by mail or as a notice.

    `If-Match` is the ETag of the choice that you read, or `*`.
    """
    user_id = require_own_account(op.actor)
    # Of two at once the second one waits here, and reads the choice of the first one.
    members = Membership.objects.select_for_update(of=("self",), no_key=True)
    list(members.filter(user_id=user_id, club__slug=club))
    choice = get_own_choice(op.actor, club, kind)
    if based_on not in (None, tag_of_choice(choice)):
        problem = Problem("notification_outdated", facts={"kind": kind})
        stored = {"by_mail": choice.by_mail, "as_notice": choice.as_notice}
        raise Conflict(problem, there=stored)
    if by_mail is not None:
        choice.by_mail = by_mail
    if as_notice is not None:
        choice.as_notice = as_notice
    _store(user_id, choice.club, {kind: Channels(choice.by_mail, choice.as_notice)})
    return choice


@operation("own_account")
def stop_all_mails(op: Operation) -> None:
    """Stop the mails of every kind in every club of the actor's account; notices stay."""
    user_id = require_own_account(op.actor)
    for club in list_clubs_of_member(user_id):
        now = list_choices(user_id, club)
        stopped = {kind: Channels(False, channels.as_notice) for kind, channels in now.items()}
        _store(user_id, club, stopped)


@transaction.atomic
def unsubscribe(club: Club, kind: str, reader: int | Player) -> None:
    """Stop the mails of a kind; the bearer of the link in a mail may, without signing in."""
    if isinstance(reader, Player):
        stop_mails(reader, kind)
    else:
        now = list_choices(reader, club)[kind]
        _store(reader, club, {kind: Channels(False, now.as_notice)})


@operation("own_account", refuses=("unknown_notice",))
def read_notice(op: Operation, *, public_id: UUID) -> Notice:
    """Note that the actor has read one of their notices."""
    notice = get_notice(require_own_account(op.actor), public_id)
    Notice.objects.filter(pk=notice.pk, read_at__isnull=True).update(read_at=op.now)
    return notice


@operation("own_account")
def read_all_notices(op: Operation) -> int:
    """Note that the actor has read all of their notices; returns how many were new."""
    rows = list_unread_notices(require_own_account(op.actor)).values("pk")
    return Notice.objects.filter(pk__in=rows).update(read_at=op.now)


@operation("own_account")
def dismiss_hint(op: Operation, *, key: str) -> None:
    """Show the actor a hint of a page no more; one that is unknown is not kept."""
    if key in HINTS:
        DismissedHint.objects.get_or_create(user_id=require_own_account(op.actor), key=key)


def _store(user_id: int, club: Club, choices: Mapping[str, Channels]) -> None:
    NotificationChoice.objects.bulk_create(
        [
            NotificationChoice(club=club, user_id=user_id, kind=kind, **asdict(channels))
            for kind, channels in sorted(choices.items())
        ],
        update_conflicts=True,
        unique_fields=["club", "user", "kind"],
        update_fields=["by_mail", "as_notice"],
    )


SEED_BYTES: Final = 32


def new_personal_link(club_id: int, player_id: int, now: datetime) -> PersonalLink:
    """Return a link that is not stored yet."""
    seed = secrets.token_urlsafe(SEED_BYTES)
    digest = token_digest(personal_token(seed))
    return PersonalLink(
        club_id=club_id, player_id=player_id, seed=seed, token_digest=digest, made_at=now
    )


def add_personal_links(club: Club, players: Sequence[int], *, now: datetime) -> None:
    """Make personal links for those of some players, in ascending order, who have none.

    For the mails that are written to them, so that no account is noted; at most two statements. An
    address that came by an earlier link alone gets no new one.
    """
    contacts = Contact.objects.filter(VOUCHED, player__in=players).exclude(
        player__personal_links__in=PersonalLink.objects.filter(revoked_at=None)
    )
    unlinked = set(contacts.values_list("player_id", flat=True))
    links = [new_personal_link(club.pk, player, now) for player in players if player in unlinked]
    PersonalLink.objects.bulk_create(links, ignore_conflicts=True)


def stop_mails(player: Player, kind: str) -> None:
    """Stop a kind of mails of a player, in a transaction; the bearer of the link in a mail may.

    Without an address nothing is stored.
    """
    # The lock of all that is changed of a person.
    list(Player.objects.select_for_update(no_key=True).filter(pk=player.pk))
    contact = Contact.objects.filter(player=player).first()
    if contact is not None and kind not in contact.stopped:
        contact.stopped = [*contact.stopped, kind]
        contact.save(update_fields=["stopped"])
