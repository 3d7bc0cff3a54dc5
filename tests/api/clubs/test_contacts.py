"""Mail addresses and personal links of players over REST; no other answer has them."""

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import league, players, table
from tests.support.cast import NOW, Cast
from tests.support.rest.requests import codes
from tournaments.models.access import AddressOrigin, Contact, PersonalLink
from tournaments.policy import command
from tournaments.services.access.tokens import make_token
from tournaments.services.operations import Operation

CLUB = "/api/v1/clubs/riverside"
ANNA = "anna@mail.example"


@pytest.fixture
def cast(cast: Cast) -> Cast:
    table(league(cast.riverside), players(cast.riverside, "Anna", "Bert", "Cora", "Dora"))
    return cast


def put(cast: Cast, who: str = "dirk", **body: object) -> Answer:
    address = f"{CLUB}/players/RL01/contact"
    return cast.client(who).put(address, body, content_type="application/json")


def test_contact_is_stored_read_and_removed(cast: Cast) -> None:
    dirk, address = cast.client("dirk"), f"{CLUB}/players/RL01/contact"
    assert codes(put(cast, email=ANNA)) == ["consent_needed"]
    stored = put(cast, email=ANNA, has_consent=True).json()
    expected = {"player_id": "RL01", "email": ANNA, "consent_by": "dirk", "refusals": 0}
    assert expected.items() <= stored.items()
    assert dirk.get(address).json() == stored
    removed = dirk.delete(address).json()
    assert (removed["email"], removed["consent_at"]) == ("", None)


def test_address_is_in_no_other_answer(cast: Cast) -> None:
    put(cast, email=ANNA, has_consent=True)
    paths = (
        *("players", "players.csv", "players/RL01", "search?q=anna", "members", "audit"),
        *("events/league/standings", "events/league/entrants", "players/RL01/link"),
    )
    for who in ("dirk", "hanna", "piet"):
        for path in paths:
            assert ANNA not in cast.client(who).get(f"{CLUB}/{path}").content.decode(), (who, path)
    for who in ("hanna", "piet", "nora"):
        answer = cast.client(who).get(f"{CLUB}/players/RL01/contact")
        assert (answer.status_code, codes(answer)) == (404, ["unknown_player"])


def test_link_is_renewed_made_where_missing_and_revoked(cast: Cast) -> None:
    dirk, address = cast.client("dirk"), f"{CLUB}/players/RL01/personal-link"
    first, second = (dirk.post(address, {}, "application/json").json() for _ in range(2))
    assert first["url"] != second["url"]
    assert PersonalLink.objects.filter(revoked_at=None).count() == 1
    body = dirk.post(f"{CLUB}/personal-links", {}, "application/json").json()
    assert [link["player_id"] for link in body["results"]] == ["RL02", "RL03", "RL04"]
    assert dirk.delete(address).json() == {"revoked": True}
    assert dirk.delete(address).json() == {"revoked": False}


def test_list_stores_addresses_with_consent_alone_and_its_undo_removes_them(cast: Cast) -> None:
    dirk = cast.client("dirk")
    people = [
        {"name": "Zoë", "email": "zoe@mail.example"}, {"name": "Tom"},
        {"name": "Bert", "email": "bert@mail.example"},
    ]  # fmt: skip

    def add(**more: object) -> Answer:
        return dirk.post(f"{CLUB}/rosters", {"players": people, **more}, "application/json")

    without = add().json()
    assert (without["added"], without["addresses"], Contact.objects.count()) == (2, 0, 0)
    dirk.post(f"{CLUB}/rosters/{without['number']}/undo", {}, "application/json")
    consented = add(has_consent=True).json()
    assert (consented["added"], consented["addresses"]) == (2, 2)
    stored = Contact.objects.order_by("email").values_list("player__name", "email", "consent_as")
    assert list(stored) == [
        ("Bert", "bert@mail.example", "dirk"), ("Zoë", "zoe@mail.example", "dirk"),
    ]  # fmt: skip
    undone = dirk.post(f"{CLUB}/rosters/{consented['number']}/undo", {}, "application/json")
    assert undone.json()["addresses"] == 2
    assert not Contact.objects.exists()
    people[1]["email"] = "tom at home"
    refused = add(has_consent=True)
    assert (refused.status_code, codes(refused)) == (422, ["bad_email"])
    assert refused.json()["errors"][0]["pointer"] == "/players/1/email"


@pytest.mark.parametrize(("scope", "n"), [("read", 0), ("enter", 0), ("manage", 1)])
def test_address_that_came_by_a_link_waits_for_tokens_to_manage_alone(
    cast: Cast, scope: str, n: int
) -> None:
    put(cast, email=ANNA, has_consent=True)
    Contact.objects.update(origin=AddressOrigin.LINK)
    op = Operation(command("tests"), NOW)
    token = make_token(op, cast.riverside, user=cast.users["dirk"], scope=scope)
    program = Client(headers={"Authorization": f"Bearer {token}"})
    for path in ("waiting", "waiting.csv"):
        assert program.get(f"{CLUB}/{path}").content.decode().count(ANNA) == n
