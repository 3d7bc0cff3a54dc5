"""Accounts of players over REST: links by directors, claims of members, and who may."""

import pytest
from django.test import Client
from pytest_django import Settings

from tests.support.answers import Answer, post_json
from tests.support.builders import league, players, table
from tests.support.cast import Cast
from tests.support.rest.requests import codes, refusal
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Membership, Player

CLUB = "/api/v1/clubs/riverside"


@pytest.fixture
def cast(cast: Cast) -> Cast:
    players(cast.riverside, "Cleo S.", "Carla K.")
    return cast


def member(cast: Cast, name: str) -> str:
    return str(Membership.objects.get(club=cast.riverside, user=cast.users[name]).public_id)


def link(client: Client, player_id: str, member_id: str | None) -> Answer:
    return post_json(client, f"{CLUB}/players/{player_id}/link", {"member": member_id})


def claim(client: Client, player_id: str) -> Answer:
    return post_json(client, f"{CLUB}/players/{player_id}/claim", {})


def decide(client: Client, claim_id: str, to: str) -> Answer:
    return post_json(client, f"{CLUB}/claims/{claim_id}/{to}", {})


def account_of(player_id: str) -> str:
    user = Player.objects.get(club__slug="riverside", player_id=player_id).user
    return user.username if user else ""


def test_director_reads_who_may_be_linked_links_and_unlinks(cast: Cast, dirk: Client) -> None:
    body = dirk.get(f"{CLUB}/players/RL01/link").json()
    assert (body["player_id"], body["player"], body["member"]) == ("RL01", "Cleo S.", None)
    offered = {one["username"]: one["id"] for one in body["unlinked_members"]}
    assert offered == {name: member(cast, name) for name in ("dirk", "hanna", "olga", "piet")}
    piet = {"id": offered["piet"], "username": "piet", "name": "piet", "role": "player"}
    linked = link(dirk, "RL01", offered["piet"])
    assert (linked.status_code, linked.json()["member"]) == (200, piet)
    assert account_of("RL01") == "piet"
    assert link(dirk, "RL01", None).json()["member"] is None
    assert account_of("RL01") == ""


def test_only_members_of_the_club_are_linked(cast: Cast, dirk: Client) -> None:
    for nobody in (str(Membership.objects.get(user=cast.users["nora"]).public_id), "no-id", ""):
        assert refusal(link(dirk, "RL02", nobody)) == (422, ["not_a_member"])


def test_member_claims_a_player_and_a_director_confirms(cast: Cast) -> None:
    piet, hanna, dirk = (cast.client(name) for name in ("piet", "hanna", "dirk"))
    made = claim(piet, "RL01")
    assert (made.status_code, made["Location"]) == (201, f"{CLUB}/claims")
    body = made.json()
    assert claim(piet, "RL01").json()["id"] == body["id"]
    assert codes(claim(piet, "RL02")) == ["claim_pending"]
    rival = claim(hanna, "RL01").json()
    read = {
        name: [result["id"] for result in cast.client(name).get(f"{CLUB}/claims").json()["results"]]
        for name in ("nora", "piet", "hanna", "dirk", "olga")
    }
    both = [body["id"], rival["id"]]
    assert read == {**{"nora": [], "piet": both[:1], "hanna": both[1:], "dirk": both, "olga": both}}
    confirmed = decide(dirk, body["id"], "confirm").json()
    assert (confirmed["state"], account_of("RL01")) == ("confirmed", "piet")
    states = {
        result["id"]: result["state"] for result in dirk.get(f"{CLUB}/claims").json()["results"]
    }
    assert states == {body["id"]: "confirmed", rival["id"]: "rejected"}
    assert refusal(decide(dirk, rival["id"], "confirm")) == (409, ["claim_is_decided"])
    assert codes(claim(hanna, "RL01")) == ["player_is_linked"]
    assert codes(claim(piet, "RL02")) == ["account_is_linked"]


def test_stranger_claims_a_player_only_with_open_sign_up(cast: Cast, settings: Settings) -> None:
    people = [*Player.objects.all(), *players(cast.riverside, "Hugo K.", "Mina D.")]
    table(league(cast.riverside), people)
    assert claim(cast.client("nora"), "RL01").status_code == 403
    settings.SIGN_UP = "open"
    assert claim(cast.client("nora"), "RL01").status_code == 201


def test_claim_is_rejected_withdrawn_and_made_again(piet: Client, dirk: Client) -> None:
    first = claim(piet, "RL01").json()["id"]
    assert codes(decide(dirk, first, "withdraw")) == ["unknown_claim"]
    assert decide(dirk, first, "reject").json()["state"] == "rejected"
    assert decide(piet, claim(piet, "RL01").json()["id"], "withdraw").json()["state"] == "withdrawn"
    assert claim(piet, "RL02").status_code == 201
    assert account_of("RL01") == ""


def test_record_holds_each_act_without_a_name(cast: Cast, piet: Client, dirk: Client) -> None:
    decide(dirk, claim(piet, "RL01").json()["id"], "reject")
    mine = claim(piet, "RL01").json()["id"]
    decide(dirk, mine, "confirm")
    link(dirk, "RL01", None)
    lines = AuditLine.objects.filter(subject="player:RL01").exclude(act="add_player")
    assert [line.act for line in lines.order_by("number")] == [
        *("claim_player", "reject_claim", "claim_player", "link_player", "unlink_player")
    ]
    user = cast.users["piet"].pk
    assert all(line.facts["user"] == user for line in lines)
    assert AuditLine.objects.get(act="link_player").facts == {"user": user, "claims": [mine]}
