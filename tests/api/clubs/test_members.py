"""Members and invitations over REST, as design and docs promise them."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import link, players
from tests.support.cast import NOW, Cast, enter_the_cast
from tournaments.models.access import Invitation
from tournaments.models.clubs import Player
from tournaments.policy import command
from tournaments.services.access.tokens import make_token
from tournaments.services.operations import Operation

C = "/api/v1/clubs/riverside"
PASSWORD = "Nine lives, one queen"

pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture
def cast(db: None) -> Cast:
    cast = enter_the_cast()
    players(cast.riverside, "Cleo S.", "Carla K.")
    cache.clear()
    return cast


def send(
    cast: Cast, method: str, path: str, body: object = None, by: str = "olga", **headers: str
) -> Answer:
    client: Any = cast.client(by)
    sent = {"data": body, "content_type": "application/json"} if body is not None else {}
    answer: Answer = getattr(client, method.lower())(f"{C}{path}", headers=headers, **sent)
    return answer


def codes(answer: Answer) -> list[str]:
    return [error["code"] for error in answer.json()["errors"]]


def test_members_are_listed_with_their_players(cast: Cast) -> None:
    link(Player.objects.get(player_id="RL01"), cast.users["piet"])
    rows = send(cast, "GET", "/members").json()["results"]
    assert [(row["username"], row["role"], row["player_id"], row["player"]) for row in rows] == [
        ("olga", "owner", None, None),
        ("dirk", "director", None, None),
        ("hanna", "host", None, None),
        ("piet", "player", "RL01", "Cleo S."),
    ]


def test_invitation_is_created_accepted_and_gone(cast: Cast) -> None:
    made = send(cast, "POST", "/invitations", {"role": "host", "player_id": "RL01"})
    assert made.status_code == 201
    body = made.json()
    assert (body["role"], body["player_id"], body["player"]) == ("host", "RL01", "Cleo S.")
    (row,) = send(cast, "GET", "/invitations").json()["results"]
    assert row == {key: value for key, value in body.items() if key != "url"}
    phone = Client()
    assert phone.get(body["url"])["Location"] == "/invitations/join"
    new = {"email": "cleo@riverside.example", "password1": PASSWORD}
    assert phone.post("/invitations/join", new).status_code == 302
    assert phone.get("/clubs/riverside").status_code == 200
    assert send(cast, "GET", "/invitations").json()["results"] == []
    assert Player.objects.get(player_id="RL01").user is not None
    again = send(cast, "POST", "/invitations", {"role": "host", "player_id": "RL01"})
    assert (again.status_code, codes(again)) == (409, ["player_is_linked"])


def test_invitation_is_sent_again_with_another_link(cast: Cast) -> None:
    first = send(cast, "POST", "/invitations", {"role": "host", "player_id": "RL01"}).json()
    again = send(cast, "POST", f"/invitations/{first['id']}/resend", {})
    assert (again.status_code, again["Cache-Control"]) == (201, "private, no-store")
    assert again["Location"] == f"{C}/invitations"
    (row,) = send(cast, "GET", "/invitations").json()["results"]
    assert {**row, "url": again.json()["url"]} == again.json()
    assert Client().get(first["url"]).status_code == 404
    assert Client().get(again.json()["url"])["Location"] == "/invitations/join"


def test_many_invitations_in_a_minute_are_slowed_down(cast: Cast) -> None:
    statuses = [
        send(cast, "POST", "/invitations", {"role": "player"}).status_code for _ in range(3)
    ]
    some = Invitation.objects.all()[0]
    Invitation.objects.bulk_create(
        Invitation(
            club=some.club, role="player", seed=f"s{at}", token_digest=f"t{at}", created_at=NOW,
            expires_at=some.expires_at,
        )
        for at in range(197)
    )  # fmt: skip
    late = send(cast, "POST", "/invitations", {"role": "player"})
    assert (statuses, late.status_code, codes(late)) == (
        [201] * 3, 429, ["too_many_invitations"],
    )  # fmt: skip
    assert late["Retry-After"] == "60"


def test_token_makes_no_owner_over_rest(cast: Cast) -> None:
    token = make_token(
        Operation(command("tests"), NOW), cast.riverside, user=cast.users["olga"], scope="manage"
    )
    program = Client(headers={"Authorization": f"Bearer {token}"})
    answer = program.post(f"{C}/invitations", {"role": "owner"}, "application/json")
    assert (answer.status_code, codes(answer)) == (422, ["owner_by_token"])
    hanna = next(
        row for row in program.get(f"{C}/members").json()["results"] if row["username"] == "hanna"
    )
    path = f"{C}/members/{hanna['id']}"
    answer = program.patch(path, {"role": "owner"}, "application/json", headers={"If-Match": "*"})
    assert (answer.status_code, codes(answer)) == (422, ["owner_by_token"])
    answer = program.patch(
        path, {"role": "director"}, "application/json", headers={"If-Match": "*"}
    )
    assert (answer.status_code, answer.json()["role"]) == (200, "director")
    assert not Invitation.objects.exists()
