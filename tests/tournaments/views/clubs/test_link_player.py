"""The account of a player on pages: a director links it, or a member says "This is me"."""

import re

import pytest
from django.db.models import F
from django.test import Client
from pytest_django import Settings

from tests.support.answers import Answer
from tests.support.builders import league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import beside, text_of
from tournaments.models.clubs import Club, Membership, Player

CLUB = "/clubs/riverside"
CLEO = f"{CLUB}/players/RL01"


@pytest.fixture
def cast(cast: Cast) -> Cast:
    """The cast, with two players, the second under a number with a slash."""
    players(cast.riverside, "Cleo S.", "Carla K.")
    Player.objects.filter(player_id="RL02").update(player_id="RL/02")
    return cast


def member(cast: Cast, name: str) -> str:
    return str(Membership.objects.get(club=cast.riverside, user=cast.users[name]).public_id)


def account_of(player_id: str) -> str:
    user = Player.objects.get(club__slug="riverside", player_id=player_id).user
    return user.username if user else ""


def decide(client: Client, page: str, to: str) -> Answer:
    """Press a button of the first claim on a page."""
    found = re.search(r'action="([^"]*/claims/[^"]*/decide)"', client.get(page).content.decode())
    assert found
    return client.post(found[1], {"to": to}, follow=True)


@pytest.mark.parametrize("player_id", ["RL01", "RL/02"])
def test_director_links_a_member_and_unlinks_again(cast: Cast, player_id: str) -> None:
    dirk, page = cast.client("dirk"), f"{CLUB}/players/{player_id}"
    link = f"{CLUB}/link-player/{player_id}"
    assert "No account. Link account" in text_of(dirk.get(page))
    assert "piet (Player)" in text_of(dirk.get(link))
    linked = dirk.post(link, {"member": member(cast, "piet")}, follow=True)
    assert linked.redirect_chain == [(page, 302)]
    assert "is linked. The member now acts as this player." in text_of(linked)
    assert "Account: piet." in text_of(linked)
    assert account_of(player_id) == "piet"
    assert "This is you." in text_of(cast.client("piet").get(page))
    assert "piet (Player)" not in text_of(dirk.get(link))
    assert "has no account now." in text_of(dirk.post(link, {"unlink": "yes"}, follow=True))
    assert account_of(player_id) == ""


def test_form_says_what_is_missing(cast: Cast) -> None:
    dirk = cast.client("dirk")
    refused = dirk.post(f"{CLUB}/link-player/RL01", {"member": ""})
    assert (refused.status_code, beside(refused, "member")) == (422, "Choose a member of the club.")
    dirk.post(f"{CLUB}/link-player/RL01", {"member": member(cast, "piet")})
    twice = dirk.post(f"{CLUB}/link-player/RL/02", {"member": member(cast, "piet")})
    assert (twice.status_code, beside(twice, "member")) == (
        422,
        "This account is already linked to RL01. An account is one player of a club. Unlink RL01 "
        "first.",
    )


def test_member_says_this_is_me_and_a_director_confirms(cast: Cast) -> None:
    piet = cast.client("piet")
    assert 'action="/clubs/riverside/claim-player/RL01"' in piet.get(CLEO).content.decode()
    assert "Are you Cleo S.?" in text_of(piet.get(f"{CLUB}/claim-player/RL01"))
    sent = piet.post(f"{CLUB}/claim-player/RL01", follow=True)
    assert "Your claim of Cleo S. (RL01) is pending. A director has to confirm it." in text_of(sent)
    assert "claim-player" not in piet.get(f"{CLUB}/players/RL/02").content.decode()
    for name in ("olga", "dirk"):
        for page in (f"{CLUB}/players", f"{CLUB}/claims", CLEO, f"{CLUB}/members"):
            if (name, page) == ("dirk", f"{CLUB}/members"):
                continue
            says = "piet says: “This is me”, Cleo S. (RL01)"
            assert says in text_of(cast.client(name).get(page)), page
    for name in ("", "hanna"):
        assert "This is me”" not in text_of(cast.client(name).get(f"{CLUB}/players"))
    done = decide(cast.client("dirk"), f"{CLUB}/claims", "confirm")
    assert "Claim confirmed: Cleo S. is linked to the account." in text_of(done)
    assert account_of("RL01") == "piet"


def test_claim_is_rejected_or_withdrawn(cast: Cast) -> None:
    piet, dirk = cast.client("piet"), cast.client("dirk")
    piet.post(f"{CLUB}/claim-player/RL01")
    rejected = decide(dirk, f"{CLUB}/claims", "reject")
    assert "Claim rejected: Cleo S. stays without this account." in text_of(rejected)
    piet.post(f"{CLUB}/claim-player/RL01")
    assert "Claim of RL01 withdrawn." in text_of(decide(piet, f"{CLUB}/claims", "withdraw"))
    assert "No pending claims" in text_of(dirk.get(f"{CLUB}/claims"))


def test_stranger_claims_only_where_anybody_signs_up_and_becomes_a_member(
    cast: Cast, settings: Settings
) -> None:
    more = players(cast.riverside, "Hugo K.", "Mina D.")
    table(league(cast.riverside), [*Player.objects.filter(name__startswith="C"), *more])
    Club.objects.filter(pk=cast.riverside.pk).update(names_policy="number")
    Player.objects.update(public_name=F("player_id"))
    nora = cast.client("nora")
    assert "This is me" not in text_of(nora.get(CLEO))
    assert nora.post(f"{CLUB}/claim-player/RL01").status_code == 403
    settings.SIGN_UP = "open"
    assert "This is me" in text_of(nora.get(CLEO))
    asked = text_of(nora.get(f"{CLUB}/claim-player/RL01"))
    sent = text_of(nora.post(f"{CLUB}/claim-player/RL01", follow=True))
    own = nora.get(f"/api/v1{CLUB}/claims").json()["results"]
    assert ("Are you RL01?" in asked, "Cleo" in asked + sent + str(own)) == (True, False)
    decide(cast.client("dirk"), f"{CLUB}/claims", "confirm")
    member = Membership.objects.get(club=cast.riverside, user=cast.users["nora"])
    assert (member.role, account_of("RL01")) == ("player", "nora")
