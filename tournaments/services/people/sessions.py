"""Sessions of an account: which are open, ending them, and deleting those that expired."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction

from tournaments.errors import Missing


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A device that is signed in; `ways` is how it signed in."""

    id: int
    user_agent: str
    address: str
    ways: object
    used_at: datetime
    is_current: bool


def open_sessions(user: User, *, current: str) -> Sequence[OpenSession]:
    """Return where an account is signed in, the present device first; ended ones are forgotten.

    Args:
        current: the key of the session that asks.
    """
    found = [
        OpenSession(
            one.pk,
            one.user_agent,
            one.ip,
            one.data.get("ways"),
            one.last_seen_at,
            one.session_key == current,
        )
        for one in UserSession.objects.purge_and_list(user)
    ]
    newest = sorted(found, key=lambda one: one.used_at, reverse=True)
    return tuple(sorted(newest, key=lambda one: not one.is_current))


@transaction.atomic
def end_session(*, user: User, session_id: int, current: str) -> None:
    """End one session of an account, but not the one that asks.

    Raises:
        Missing: unknown_session, where it has ended, is another's or is the present one.
    """
    others = UserSession.objects.filter(user=user).exclude(session_key=current)
    found = others.filter(pk=session_id).first()
    if found is None:
        raise Missing("session")
    found.end()


@transaction.atomic
def end_other_sessions(*, user: User, current: str) -> int:
    """End all sessions of an account but the one that asks; returns how many."""
    others = list(UserSession.objects.filter(user=user).exclude(session_key=current))
    for session in others:
        session.end()
    return len(others)


def delete_expired_sessions(*, now: datetime) -> None:
    """Delete sessions that expired, and what is noted of the devices of sessions that are gone."""
    Session.objects.filter(expire_date__lt=now).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
