"""Notify people by the ways that each of them chose, and store what they choose and read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from scoring.errors import Problem, Refused, listed
from tournaments.domain.people.notification_kinds import DEFAULTS, KIND_OF, Channels
from tournaments.errors import Conflict, Forbidden
from tournaments.models.clubs import Club, Membership
from tournaments.models.notices import Notice, NotificationChoice
from tournaments.models.outbox import Outbox
from tournaments.policy import PUBLIC, Actor
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.notices.notifications import (
    OwnChoice,
    find_channels_of_members,
    get_notice,
    get_own_choice,
    list_choices,
    list_clubs_of_member,
    list_unread_notices,
)
from tournaments.services.access.tokens import require_own_account
from tournaments.services.db.transactions import atomic_act, is_dry_run


@dataclass(frozen=True, slots=True)
class Message:
    """A message to one account: `key` names its subject, `facts` are ids and numbers.

    An account gets one message of a kind and key. Names are read when the message is.
    """

    key: str
    facts: Mapping[str, object]
    path: str = ""


def notify(
    *,
    club: Club,
    user_ids: Iterable[int | None],
    kind: str,
    key: str,
    facts: Mapping[str, object],
    now: datetime,
) -> None:
    """Send members of a club the same message, in the caller's transaction; None is passed over."""
    message = Message(key, facts)
    messages = {user_id: message for user_id in user_ids if user_id is not None}
    notify_each(club=club, kind=kind, told=messages, now=now)


def notify_each(*, club: Club, kind: str, told: Mapping[int, Message], now: datetime) -> None:
    """Write notices and mails for members of a club, in the caller's transaction.

    Accounts that are closed or no members get nothing.
    """
    if not told or is_dry_run():
        return
    notices, mails = [], []
    for user_id, channels in find_channels_of_members(club, told, KIND_OF[kind]).items():
        message = told[user_id]
        row: dict[str, Any] = {
            "club": club,
            "user_id": user_id,
            "kind": kind,
            "key": message.key,
            "created_at": now,
        }
        facts = dict(message.facts)
        if channels.as_notice:
            notices.append(Notice(**row, facts=facts, path=message.path))
        if channels.by_mail:
            mails.append(Outbox(**row, payload={"facts": facts}, due_at=now))
    Notice.objects.bulk_create(notices, ignore_conflicts=True)
    Outbox.objects.bulk_create(mails, ignore_conflicts=True)


@atomic_act
def save_notifications(*, actor: Actor, club: Club, wanted: Mapping[str, Channels]) -> None:
    """Store the channels of some kinds for the actor's account in a club."""
    user_id = require_own_account(actor)
    if get_role(actor, club.pk) == PUBLIC:
        raise Forbidden("own_account")
    for kind in wanted:
        if kind not in DEFAULTS:
            facts = {"field": "kind", "found": kind[:40], "known": listed(DEFAULTS)}
            raise Refused(Problem("bad_choice", ("kinds", kind[:40]), facts))
    _store(user_id, club, wanted)


@atomic_act
def change_notification(
    *,
    actor: Actor,
    club: str,
    kind: str,
    based_on: str | None,
    by_mail: bool | None = None,
    as_notice: bool | None = None,
) -> OwnChoice:
    """Change one kind in one club of the actor's account; None leaves a way as it is."""
    user_id = require_own_account(actor)
    # Of two at once the second one waits here, and reads the choice of the first one.
    club_row = Club.objects.filter(memberships__user_id=user_id, slug=club).first()
    list(Membership.objects.select_for_update(no_key=True).filter(user_id=user_id, club=club_row))
    choice = get_own_choice(actor, club, kind)
    if club_row is None or based_on not in (None, choice.tag):
        problem = Problem("notification_outdated", facts={"kind": kind})
        stored = {"by_mail": choice.by_mail, "as_notice": choice.as_notice}
        raise Conflict(problem, there=stored)
    changed = replace(
        choice,
        by_mail=choice.by_mail if by_mail is None else by_mail,
        as_notice=choice.as_notice if as_notice is None else as_notice,
    )
    _store(user_id, club_row, {kind: Channels(changed.by_mail, changed.as_notice)})
    return changed


@atomic_act
def stop_all_mails(*, actor: Actor) -> None:
    """Stop the mails of every kind in every club of the actor's account; notices stay."""
    user_id = require_own_account(actor)
    for club in list_clubs_of_member(user_id):
        now = list_choices(user_id, club)
        stopped = {kind: Channels(False, channels.as_notice) for kind, channels in now.items()}
        _store(user_id, club, stopped)


@atomic_act
def unsubscribe(*, club: Club, user_id: int, kind: str) -> None:
    """Stop the mails of a kind; the bearer of the link in a mail may, without signing in."""
    now = list_choices(user_id, club)[kind]
    _store(user_id, club, {kind: Channels(False, now.as_notice)})


def read_notice(*, actor: Actor, public_id: UUID, now: datetime) -> Notice:
    """Note that the actor has read one of their notices."""
    notice = get_notice(require_own_account(actor), public_id)
    Notice.objects.filter(pk=notice.pk, read_at__isnull=True).update(read_at=now)
    return notice


def read_all_notices(*, actor: Actor, now: datetime) -> int:
    """Note that the actor has read all of their notices; returns how many were new."""
    rows = list_unread_notices(require_own_account(actor)).values("pk")
    return Notice.objects.filter(pk__in=rows).update(read_at=now)


def _store(user_id: int, club: Club, choices: Mapping[str, Channels]) -> None:
    NotificationChoice.objects.bulk_create(
        [
            NotificationChoice(
                club=club,
                user_id=user_id,
                kind=kind,
                by_mail=channels.by_mail,
                as_notice=channels.as_notice,
            )
            for kind, channels in sorted(choices.items())
        ],
        update_conflicts=True,
        unique_fields=["club", "user", "kind"],
        update_fields=["by_mail", "as_notice"],
    )
