"""Whoever may not read a thing is told the same as where there is none."""

from collections.abc import Callable

import pytest
from django.test import Client

from tests.api.conftest import (
    Evening,
    addresses,
    is_for_directors,
    is_for_importers,
    is_for_members,
)
from tests.support.answers import Answer
from tests.support.lengths import only_long
from tests.support.rest.requests import SignIn
from tournaments.models.clubs import Club

EVENT = "clubs/<name:club>/events/<name:event>"
IMPORTERS = {"olga", "dirk", "hanna"}
"""Who may import, and so have the sheets as they were typed."""
DIRECTORS = {"olga", "dirk"}
EVERYBODY = IMPORTERS | {"piet", "nora"}


def below(event: str) -> list[str]:
    return addresses(EVENT, club="riverside", event=event, code="r1t1", number=1, player_id="RL01")


def comparable(response: Answer) -> tuple[int, str, dict[str, str]]:
    """An answer without what names the event that was asked for, its own id and its size."""
    own = {"X-Request-ID", "Content-Length"}
    content = response.content.decode()
    headers = dict(response.headers)
    return (
        response.status_code,
        content.replace("inside", "EVENT").replace("nowhere", "EVENT"),
        {name: value for name, value in headers.items() if name not in own},
    )


def test_there_are_addresses_to_walk() -> None:
    assert len(below("league")) == 62


@pytest.mark.parametrize(
    ("who", "visibility"),
    [("nora", "members"), (None, "held"), only_long("nora", "held"), only_long(None, "members")],
)
def test_outsider_finds_nothing_at_any_address_of_a_private_event(
    play: Callable[..., Evening], signed_in: SignIn, who: str | None, visibility: str
) -> None:
    play("inside", visibility)
    client = signed_in(who) if who else Client()
    answers = {path: client.get(path).status_code for path in below("inside")}
    assert answers == dict.fromkeys(answers, 404)


def test_private_event_is_not_told_from_one_that_does_not_exist(
    play: Callable[..., Evening], nora: Client
) -> None:
    play("inside", "members")
    for private, absent in zip(below("inside"), below("nowhere"), strict=True):
        assert comparable(nora.get(private)) == comparable(nora.get(absent))


def _who(path: str) -> set[str]:
    """Who reads an address of an event that they may read."""
    if is_for_directors(path):
        return DIRECTORS
    if is_for_members(path):
        return IMPORTERS | {"piet"}
    return IMPORTERS if is_for_importers(path) else EVERYBODY


def test_private_club_is_not_there_for_outsiders(evening: Evening, signed_in: SignIn) -> None:
    Club.objects.filter(slug="riverside").update(is_public=False)
    everywhere = addresses("clubs/", club="riverside", event="league", code="r1t1", number=1,
                           player_id="RL01")  # fmt: skip
    assert len(everywhere) > 50
    for client, status in ((Client(), 404), (signed_in("nora"), 404), (signed_in("piet"), 200)):
        answers = {path: client.get(path).status_code for path in everywhere}
        assert answers == {path: status if "piet" in _who(path) else 404 for path in answers}
    assert [club["slug"] for club in Client().get("/api/v1/clubs").json()["results"]] == ["hilltop"]


def test_outsiders_know_of_players_only_from_events_that_they_may_read(
    play: Callable[..., Evening], signed_in: SignIn
) -> None:
    play("inside", "members")
    path = "/api/v1/clubs/riverside/players"
    assert Client().get(path).json()["results"] == []
    assert Client().get(f"{path}/RL01").status_code == 404
    assert len(signed_in("piet").get(path).json()["results"]) == 4
    assert signed_in("piet").get(f"{path}/RL01").json()["events"] == ["inside"]
    play("league", "public")
    assert len(Client().get(path).json()["results"]) == 4
    assert Client().get(f"{path}/RL01").json()["events"] == ["league"]


def test_no_answer_shows_a_row_number(evening: Evening, client: Client) -> None:
    for path in below("league"):
        content = client.get(path).content.decode(errors="replace")
        assert '"id":' not in content.replace('{"id":"moon"', ""), path
        assert '"pk":' not in content, path
