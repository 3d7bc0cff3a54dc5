"""Telling people something by the ways that each of them chose for it in a club."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from tournaments.domain.people.notification_kinds import KIND_OF
from tournaments.models.clubs import Club
from tournaments.models.notices import Notice
from tournaments.models.outbox import Outbox
from tournaments.selectors.notices.notifications import channels_of_members
from tournaments.services.db.transactions import is_dry_run


@dataclass(frozen=True, slots=True)
class Message:
    """What one account is told: `key` names what it tells of, `facts` are ids and numbers.

    The same account is told once of a kind and key. Names are read when the message is.
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
    path: str = "",
) -> None:
    """Tell members of a club the same, in the caller's transaction; see `notify_each`.

    Args:
        user_ids: accounts; None is passed over, so that a player's `user_id` can be given as it is.
    """
    message = Message(key, facts, path)
    told = {user_id: message for user_id in user_ids if user_id is not None}
    notify_each(club=club, kind=kind, told=told, now=now)


def notify_each(*, club: Club, kind: str, told: Mapping[int, Message], now: datetime) -> None:
    """Write notices and mails for members of a club, each their own, in the caller's transaction.

    Who is no member (any more), or whose account was closed, is told nothing.

    Args:
        kind: one of `notification_kinds.KIND_OF`.
        told: what each account is told.
    """
    if not told or is_dry_run():
        return
    channels = channels_of_members(club, told.keys(), KIND_OF[kind])
    notices = [
        Notice(
            club=club,
            user_id=user_id,
            kind=kind,
            key=told[user_id].key,
            facts=dict(told[user_id].facts),
            path=told[user_id].path,
            created_at=now,
        )
        for user_id, chosen in channels.items()
        if chosen.as_notice
    ]
    mails = [
        Outbox(
            club=club,
            user_id=user_id,
            kind=kind,
            key=told[user_id].key,
            payload={"facts": dict(told[user_id].facts)},
            created_at=now,
            due_at=now,
        )
        for user_id, chosen in channels.items()
        if chosen.by_mail
    ]
    Notice.objects.bulk_create(notices, ignore_conflicts=True)
    Outbox.objects.bulk_create(mails, ignore_conflicts=True)
