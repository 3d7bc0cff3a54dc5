"""Names to sign in under are no part of what is public: "Entered by …" says a role or a name."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.builders import counts, league, link, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.pages.text import text_of
from tournaments.models.clubs import Membership, Player
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db

PAGE = "/clubs/riverside/events/league/tables/r1t1"
REST = f"/api/v1{PAGE}"
SECRET = "canary-login"


@pytest.fixture
def cast() -> Cast:
    """Hanna signs in as `canary-login`, and enters hand 1 and its revision over REST."""
    cast = enter_the_cast()
    User.objects.filter(pk=cast.users["hanna"].pk).update(username=SECRET)
    event = league(cast.riverside)
    table(event, players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B."))
    hanna = cast.client("hanna")
    first = {"number": 1, "entry": counts([4, 1, 2, 6], 3)}
    made = hanna.post(f"{REST}/hands", json.dumps(first), content_type="application/json")
    assert (made.status_code, made.json()["entered_by"]) == (201, SECRET)
    again = {"entry": counts([4, 2, 1, 6], 3), "reason": "Swapped."}
    revised = hanna.put(
        f"{REST}/hands/1",
        json.dumps(again),
        content_type="application/json",
        headers={"If-Match": '"1"'},
    )
    assert revised.status_code == 200
    hanna.post(f"{PAGE}/read-back", {"do": "same", "sheet": "x"})
    publish(event.pk, now=NOW)
    return cast


def everywhere() -> list[str]:
    return [
        PAGE,
        f"{PAGE}/hands/1",
        "/clubs/riverside/events/league/rounds/1",
        "/clubs/riverside/events/league/rounds/1/board",
        "/clubs/riverside/events/league/changes",
        REST,
        f"{REST}/hands",
        f"{REST}/hands.csv",
        f"{REST}/hands/1",
        f"{REST}/hands/1/revisions",
        f"{REST}/hands/1/revisions.csv",
        "/api/v1/clubs/riverside/events/league/changes",
        "/api/v1/clubs/riverside/events/league/changes.csv",
    ]


def said(client: Client) -> tuple[str, str, str]:
    """Who entered the hand by its page, over REST and in the revisions."""
    by_page = text_of(client.get(PAGE)).partition("Entered by ")[2].partition(".")[0]
    revisions: Any = client.get(f"{REST}/hands/1/revisions").json()["results"]
    return by_page, client.get(f"{REST}/hands/1").json()["entered_by"], revisions[0]["entered_by"]


@pytest.mark.parametrize("reader", ["", "nora"])
def test_public_and_strangers_read_a_sign_in_name_nowhere(cast: Cast, reader: str) -> None:
    client = cast.client(reader)
    for path in everywhere():
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert SECRET not in answer.content.decode(), path
    assert said(client) == ("a host", "a host", "a host")


def test_members_read_who_it_was(cast: Cast) -> None:
    assert said(cast.client("piet")) == (SECRET, SECRET, SECRET)


def test_name_of_the_account_is_no_more_public_than_the_one_to_sign_in_under(cast: Cast) -> None:
    User.objects.filter(pk=cast.users["hanna"].pk).update(first_name="Hanna", last_name="Vogel")
    assert said(cast.client()) == ("a host", "a host", "a host")


def test_name_of_a_player_stands_where_that_player_has_sat_in_the_event(cast: Cast) -> None:
    link(Player.objects.get(player_id="RL02"), cast.users["hanna"])
    assert said(cast.client()) == ("Xenia S", "Xenia S.", "Xenia S.")


def test_name_of_a_player_who_has_not_sat_in_the_event_is_not_public(cast: Cast) -> None:
    (absent,) = players(cast.riverside, "Hanna Vogel")
    link(absent, cast.users["hanna"])
    elsewhere = league(cast.riverside, slug="members", visibility="members")
    table(elsewhere, [absent, *Player.objects.filter(player_id__in=("RL01", "RL02", "RL03"))])
    assert said(cast.client()) == ("a host", "a host", "a host")


def test_who_has_left_the_club_is_an_official(cast: Cast) -> None:
    Membership.objects.filter(user=cast.users["hanna"]).delete()
    assert said(cast.client()) == ("an official", "an official", "an official")
