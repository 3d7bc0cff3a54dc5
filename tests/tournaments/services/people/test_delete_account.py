"""Deleting one's own account: results stay, a club keeps an owner, the person is asked again."""

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from tests.support.builders import hand, league, link, players, table
from tests.support.cast import Cast, enter_the_cast
from tests.support.pages.text import text_of
from tournaments.errors import Forbidden
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Membership, Player
from tournaments.models.hands import Entry
from tournaments.policy import ANYBODY, Actor
from tournaments.services.operations import Operation
from tournaments.services.people.accounts import delete_account

pytestmark = pytest.mark.django_db

PASSWORD = "Nine lives, one queen"


@pytest.fixture
def cast() -> Cast:
    cache.clear()
    cast = enter_the_cast()
    for user in cast.users.values():
        user.set_password(PASSWORD)
        user.save()
    return cast


def enter(name: str) -> Client:
    client = Client()
    client.post("/accounts/login/", {"login": name, "password": PASSWORD})
    return client


def test_player_and_results_stay_and_the_account_is_gone(cast: Cast) -> None:
    people = players(cast.riverside, "Piet P.", "Elsa D.", "Zoë K.", "Anton S.")
    link(people[0], cast.users["piet"])
    hand(table(league(cast.riverside), people), 1, [4, 1, 2, 6], queen=3)
    Entry.objects.update(entered_by=cast.users["piet"])
    client = enter("piet")
    assert "Piet P., RL01 (Riverside)" in text_of(client.get("/account/delete"))
    response = client.post("/account/delete")
    assert response["Location"] == "/accounts/reauthenticate/?next=%2Faccount%2Fdelete"
    assert User.objects.filter(username="piet").exists()
    again = {"password": PASSWORD, "next": "/account/delete"}
    done = client.post("/accounts/reauthenticate/", again, follow=True)
    assert "Your account is deleted." in text_of(done)
    assert not User.objects.filter(username="piet").exists()
    assert Player.objects.get(pk=people[0].pk).user is None
    assert Entry.objects.count() == 1
    assert client.get("/account").status_code == 302
    line = AuditLine.objects.get(act="delete_account")
    assert (line.subject, line.facts) == (f"user:{cast.users['piet'].pk}", {"role": "player"})


def test_last_owner_is_told_which_club_and_what_to_do(cast: Cast) -> None:
    client = enter("olga")
    assert "You are the last owner of Riverside." in text_of(client.get("/account/delete"))
    assert client.get("/account/delete").content.count(b'action="/account/delete"') == 0
    client.post("/account/delete")
    again = {"password": PASSWORD, "next": "/account/delete"}
    text = text_of(client.post("/accounts/reauthenticate/", again, follow=True))
    assert "Make somebody else an owner on the club’s page of members first" in text
    assert User.objects.filter(username="olga").exists()
    Membership.objects.filter(user=cast.users["dirk"]).update(role="owner")
    client.post("/account/delete")
    assert not User.objects.filter(username="olga").exists()


@pytest.mark.parametrize("actor", [ANYBODY, Actor("user", user_id=1, scope="manage")])
def test_nobody_deletes_an_account_without_its_session(cast: Cast, actor: Actor) -> None:
    with pytest.raises(Forbidden):
        delete_account(Operation(actor, cast.riverside.created_at))
