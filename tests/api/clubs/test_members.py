"""Members and invitations over REST, as design and docs promise them."""

from typing import Any

import pytest
from django.core.cache import cache

from tests.support.answers import Answer
from tests.support.builders import NOW, Cast, enter_the_cast, link, players
from tournaments.models.access import Invitation
from tournaments.models.clubs import Player

C = "/api/v1/clubs/riverside"
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


def test_members_are_listed_with_their_players(cast: Cast) -> None:
    link(Player.objects.get(player_id="RL01"), cast.users["piet"])
    rows = send(cast, "GET", "/members").json()["results"]
    assert [(row["username"], row["role"], row["player_id"], row["player"]) for row in rows] == [
        ("olga", "owner", None, None),
        ("dirk", "director", None, None),
        ("hanna", "host", None, None),
        ("piet", "player", "RL01", "Cleo S."),
    ]


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
