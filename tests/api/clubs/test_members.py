"""Members and invitations over REST, as design and docs promise them."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import link, players
from tests.support.cast import NOW, Cast, enter_the_cast
from tournaments.models.access import Invitation
from tournaments.models.audit import Reply
from tournaments.models.clubs import Membership, Player

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
    return [one["code"] for one in answer.json()["errors"]]


def member_of(cast: Cast, name: str) -> str:
    return str(Membership.objects.get(club=cast.riverside, user=cast.users[name]).public_id)


def test_members_are_listed_with_their_players(cast: Cast) -> None:
    link(Player.objects.get(player_id="RL01"), cast.users["piet"])
    rows = send(cast, "GET", "/members").json()["results"]
    assert [(row["username"], row["role"], row["player_id"], row["player"]) for row in rows] == [
        ("olga", "owner", None, None),
        ("dirk", "director", None, None),
        ("hanna", "host", None, None),
        ("piet", "player", "RL01", "Cleo S."),
    ]
    assert set(rows[0]) == {
        "id", "username", "email", "role", "player_id", "player", "last_sign_in",
    }  # fmt: skip


def test_role_is_changed_with_the_etag_that_was_read(cast: Cast) -> None:
    path = f"/members/{member_of(cast, 'hanna')}"
    read = send(cast, "GET", path)
    assert send(cast, "PATCH", path, {"role": "director"}).status_code == 428
    changed = send(cast, "PATCH", path, {"role": "director"}, **{"If-Match": read["ETag"]})
    assert (changed.status_code, changed.json()["role"]) == (200, "director")
    stale = send(cast, "PATCH", path, {"role": "host"}, **{"If-Match": read["ETag"]})
    assert (stale.status_code, codes(stale)) == (412, ["member_outdated"])
    assert stale.json()["there"] == {"role": "director"}
    assert send(cast, "PATCH", path, {"role": "host"}, **{"If-Match": "*"}).json()["role"] == "host"
    odd = send(cast, "PATCH", path, {"role": "king"}, **{"If-Match": "*"})
    assert (odd.status_code, codes(odd)) == (422, ["unknown_role"])


def test_removed_member_has_no_rights_at_the_next_request(cast: Cast) -> None:
    path = f"/members/{member_of(cast, 'dirk')}"
    cast.riverside.is_public = False
    cast.riverside.save()
    dirk = cast.client("dirk")
    assert dirk.get(C).status_code == 200
    assert send(cast, "DELETE", path).status_code == 200
    assert dirk.get(C).status_code == 404
    assert send(cast, "DELETE", path).status_code == 404


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
    assert (again.status_code, again["Cache-Control"]) == (201, "no-store")
    assert (again.json()["role"], again.json()["player_id"]) == ("host", "RL01")
    assert again.json()["url"] != first["url"]
    (row,) = send(cast, "GET", "/invitations").json()["results"]
    assert row["id"] == again.json()["id"]
    assert Client().get(first["url"]).status_code == 404
    assert Client().get(again.json()["url"])["Location"] == "/invitations/join"
    assert send(cast, "POST", f"/invitations/{first['id']}/resend", {}).status_code == 404


def test_one_key_makes_one_invitation_and_keeps_no_token(cast: Cast) -> None:
    key = {"Idempotency-Key": "card-1"}
    first, second = (
        send(cast, "POST", "/invitations", {"role": "player"}, **key) for _ in range(2)
    )
    assert (first.json(), Invitation.objects.count()) == (second.json(), 1)
    token = first.json()["url"].rpartition("/")[2]
    assert token not in str([bytes(reply.body) for reply in Reply.objects.all()])


def test_revoked_invitation_is_gone(cast: Cast) -> None:
    made = send(cast, "POST", "/invitations", {"role": "player"}).json()
    path = f"/invitations/{made['id']}"
    assert send(cast, "DELETE", path).status_code == 200
    assert send(cast, "DELETE", path).status_code == 404
    assert Client().get(made["url"]).status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"role": "king"}, 422, "unknown_role"),
        ({"role": "player", "player_id": "RL99"}, 404, "unknown_player"),
        ({"role": "player", "email": "a@b.example\r\nBcc: c@d.example"}, 422, "bad_email"),
        ({"role": "player", "name": "x" * 121}, 422, "name_too_long"),
        ([{"role": "player"}], 400, "bad_json"),
        ({"role": "player", "players": []}, 400, "unknown_member"),
    ],
)
def test_what_cannot_be_invited_is_refused(
    cast: Cast, body: object, status: int, code: str
) -> None:
    assert codes(send(cast, "POST", "/invitations", body)) == [code]
    assert not Invitation.objects.exists()


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
