"""Sessions that expired are deleted, with what is noted of their devices."""

from datetime import timedelta

import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.utils import timezone

from tests.support.cast import Cast
from tournaments.services.people.accounts import delete_expired_sessions

pytestmark = pytest.mark.django_db


def test_expired_sessions_go_and_others_stay(cast: Cast) -> None:
    clients = [cast.client(name) for name in ("olga", "piet")]
    for client, name in zip(clients, ("olga", "piet"), strict=True):
        key = client.session.session_key
        assert key is not None
        UserSession.objects.create(user=cast.users[name], ip="192.0.2.1", session_key=key)
    now = timezone.now()
    gone = Session.objects.filter(session_key=clients[0].session.session_key)
    gone.update(expire_date=now - timedelta(seconds=1))
    delete_expired_sessions(now=now)
    assert Session.objects.count() == 1
    assert [session.user_id for session in UserSession.objects.all()] == [cast.users["piet"].pk]
    assert clients[1].get("/account").status_code == 200
