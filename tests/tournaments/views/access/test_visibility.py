"""What is public, for members, or held back; and whose name to sign in under is shown to whom."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.builders import counts, hand, league, link, players, table
from tests.support.cast import NOW, Cast, enter_the_cast
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.clubs import Membership, Player
from tournaments.models.events import Event
from tournaments.services.publishing import publications
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db


def published(evenings: Evenings, visibility: str) -> str:
    event: Event = league(
        evenings.cast.riverside, slug="other", name="Board cup", visibility=visibility
    )
    game = table(event, players(evenings.cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publications.publish(event.pk, now=NOW)
    make_all(event.pk)
    return f"/clubs/riverside/events/{event.slug}"


def test_hidden_event_and_unknown_event_give_the_same_page(evenings: Evenings) -> None:
    hidden = evenings.client().get(published(evenings, "held"))
    unknown = evenings.client().get("/clubs/riverside/events/never")
    assert hidden.status_code == unknown.status_code == 404
    same = [page.content.decode().partition("quote")[0] for page in (hidden, unknown)]
    assert same[0].replace("/other", "") == same[1].replace("/never", "")


@pytest.mark.parametrize("path", ["/clubs/riverside/players", "/api/v1/clubs/riverside/players"])
def test_player_without_a_readable_event_is_for_members_only(evenings: Evenings, path: str) -> None:
    published(evenings, "held")
    players(evenings.cast.riverside, "Helga H.")
    for player in ("RL09", "RL13"):  # in the event that is held back; in none at all
        assert {
            name: evenings.client(name).get(f"{path}/{player}").status_code
            for name in ("", "nora", "piet", "dirk")
        } == {"": 404, "nora": 404, "piet": 200, "dirk": 200}, player
    assert "Helga" not in evenings.client().get(f"{path}/RL13").content.decode()
    assert evenings.client().get(f"{path}/RL01").status_code == 200


def test_masthead_says_who_is_signed_in_and_in_which_role(evenings: Evenings) -> None:
    page = evenings.client("dirk").get("/clubs/riverside").content.decode()
    assert "dirk, your page, Director" in re.sub("<[^>]+>", "", page)
    assert "Sign out" in page
    assert "Sign in" in evenings.client().get("/clubs/riverside").content.decode()


def test_pages_of_a_signed_in_reader_are_kept_by_no_shared_cache(evenings: Evenings) -> None:
    assert "private" in evenings.client("dirk").get(ADDRESS)["Cache-Control"]
    public = evenings.client().get(ADDRESS)
    assert public["Cache-Control"] == "no-cache"
    assert "Cookie" in public["Vary"]


PAGE = "/clubs/riverside/events/league/tables/r1t1"
REST = f"/api/v1{PAGE}"
SECRET = "canary-login"


@pytest.fixture
def entered() -> Cast:
    """Hanna signs in as `canary-login`, and enters hand 1 and its revision over REST."""
    cast = enter_the_cast()
    User.objects.filter(pk=cast.users["hanna"].pk).update(username=SECRET)
    event = league(cast.riverside)
    table(event, players(cast.riverside, "Elsa D.", "Xenia S.", "Ruth K.", "Omar B."))
    hanna = cast.client("hanna")
    first = {"number": 1, "entry": counts([4, 1, 2, 6], 3)}
    response = hanna.post(f"{REST}/hands", json.dumps(first), content_type="application/json")
    assert (response.status_code, response.json()["entered_by"]) == (201, SECRET)
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
    by_page = text_of(client.get(PAGE)).partition("Entered by ")[2].partition(".")[0]
    revisions: Any = client.get(f"{REST}/hands/1/revisions").json()["results"]
    return by_page, client.get(f"{REST}/hands/1").json()["entered_by"], revisions[0]["entered_by"]


@pytest.mark.parametrize("reader", ["", "nora"])
def test_public_and_strangers_read_a_sign_in_name_nowhere(entered: Cast, reader: str) -> None:
    client = entered.client(reader)
    for path in everywhere():
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert SECRET not in answer.content.decode(), path
    assert said(client) == ("a host", "a host", "a host")


def test_name_is_public_where_its_player_sat_and_members_read_the_account(entered: Cast) -> None:
    hanna = entered.users["hanna"]
    assert said(entered.client("piet")) == (SECRET, SECRET, SECRET)
    User.objects.filter(pk=hanna.pk).update(first_name="Hanna", last_name="Vogel")
    assert said(entered.client()) == ("a host", "a host", "a host")
    (absent,) = players(entered.riverside, "Hanna Vogel")
    link(absent, hanna)
    elsewhere = league(entered.riverside, slug="members", visibility="members")
    table(elsewhere, [absent, *Player.objects.filter(player_id__in=("RL01", "RL02", "RL03"))])
    assert said(entered.client()) == ("a host", "a host", "a host")
    absent.user = None
    absent.save()
    link(Player.objects.get(player_id="RL02"), hanna)
    assert said(entered.client()) == ("Xenia S", "Xenia S.", "Xenia S.")
    Player.objects.update(user=None)
    Membership.objects.filter(user=hanna).delete()
    assert said(entered.client()) == ("an official", "an official", "an official")
