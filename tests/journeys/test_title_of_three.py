"""A title between three becomes one between two at a table of four, with two neutral players: by
pages and by REST, and counted again from the hands as they were typed."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.support.builders import players
from tests.support.cast import Cast
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import summary, text_of
from tests.support.scenarios.playoffs import look, standing, tied, view
from tournaments.models.clubs import Player
from tournaments.models.events import Event

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

AT = "/clubs/riverside/events/league"
API = f"/api/v1{AT}"
NAMES = {"A": "Ada", "B": "Ben", "C": "Cleo", "D": "Dora"}
HANDS: Sequence[tuple[str, Mapping[str, int]]] = (
    ("r2t1", {"Ada": 3, "Ben": 3, "Cleo": 20}),
    ("r3t1", {"Ada": 6, "Ben": 6, "Cleo": 1, "Kim": 13}),
    ("r3t1", {"Ada": 10, "Ben": 3, "Cleo": 0, "Kim": 13}),
)
"""What everybody takes: two are tied after the first, and after the second again."""


class ByPages:
    """A director who uses the pages."""

    def __init__(self, cast: Cast) -> None:
        self.client = cast.client("dirk")

    def seats_neutrals(self) -> None:
        body = {"act": "neutral", "neutral-0": "Cleo", "neutral-1": "Kim"}
        answer = self.client.post(f"{AT}/playoffs/1/direct", body)
        assert answer.status_code == 302, summary(answer)

    def enters(self, code: str, number: int, hearts: list[int], queen: int) -> None:
        host = Host(self.client, f"{AT}/tables/{code}/hands/new")
        answer = host.send(typed(hearts, queen))
        assert answer.status_code == 302, summary(answer)


class ByRest(ByPages):
    """A director who uses a program."""

    def seats_neutrals(self) -> None:
        body = {"players": ["Cleo", "Kim"]}
        self._post(f"{API}/playoffs/1/neutral", body, 200)

    def enters(self, code: str, number: int, hearts: list[int], queen: int) -> None:
        taken: list[list[str]] = [[] for _ in hearts]
        taken[queen - 1] = ["QS"]
        body = {"number": number, "entry": {"hearts": hearts, "taken": taken}}
        self._post(f"{API}/tables/{code}/hands", body, 201)

    def _post(self, address: str, body: object, status: int) -> None:
        answer = self.client.post(address, body, content_type="application/json")
        assert answer.status_code == status, answer.content


def enter(door: ByPages, number: int, code: str, points: Mapping[str, int]) -> None:
    seats = door.client.get(f"{API}/tables/{code}").json()["seats"]
    hearts = [points[seat["player"]] for seat in seats]
    queen = next(at for at, count in enumerate(hearts) if count >= 13)
    hearts[queen] -= 13
    door.enters(code, number, hearts, queen + 1)


def recounted(door: ByPages) -> tuple[list[str], dict[str, list[int]]]:
    """Who won over whom, and what each made in each leg, from the hands as they were typed."""
    legs: dict[str, list[int]] = {name: [] for name in ("Ada", "Ben", "Cleo")}
    playing, order = list(legs), list[str]()
    for code, number in (("r2t1", 1), ("r3t1", 1), ("r3t1", 2)):
        hand: dict[str, Any] = door.client.get(f"{API}/tables/{code}/hands/{number}").json()
        entry = hand["entry"]
        points = {
            seat["player"]: entry["hearts"][at] + 13 * ("QS" in entry["taken"][at])
            for at, seat in enumerate(hand["seats"])
        }
        for name in playing:
            legs[name].append(points[name])
        best = min(points[name] for name in playing)
        out = sorted((name for name in playing if points[name] > best), key=points.__getitem__)
        order = [*out, *order]
        playing = [name for name in playing if name not in out]
    return [*playing, *order], legs


def totals(door: ByPages, code: str) -> dict[str, object]:
    """The totals that the sheet of a table ends with, by name."""
    sheet = door.client.get(f"{API}/tables/{code}").json()
    return {seat["player"]: seat["total"] for seat in sheet["seats"]}


@pytest.fixture
def event(cast: Cast) -> Event:
    event = tied(cast.riverside)
    for letter, name in NAMES.items():
        Player.objects.filter(club=cast.riverside, name=letter).update(name=name, public_name=name)
    players(cast.riverside, "Kim")
    look(event)
    return event


@pytest.mark.parametrize("by", [ByPages, ByRest])
def test_title_of_three_becomes_one_of_two_with_neutral_players(
    cast: Cast, event: Event, by: type[ByPages]
) -> None:
    door = by(cast)
    enter(door, 1, *HANDS[0])
    page = text_of(door.client.get(f"{AT}/playoffs/1"))
    assert "The two players sit at a table of four with two neutral players" in page
    assert page.count("Neutral player at round 3, table 1") == 2, page
    assert "continues at round 3, table 1" in text_of(
        door.client.get(f"{AT}/tables/r2t1/hands/new")
    )
    door.seats_neutrals()
    enter(door, 1, *HANDS[1])
    assert [(table.code, table.is_open) for table in view(event).tables] == [
        ("r2t1", False), ("r3t1", True),
    ]  # fmt: skip
    assert totals(door, "r3t1") == {"Ada": 6, "Ben": 6, "Cleo": None, "Kim": None}
    enter(door, 2, *HANDS[2])
    look(event)

    order, legs = recounted(door)
    members = view(event).members
    assert [member.player for member in members] == order == ["Ben", "Ada", "Cleo"]
    assert {member.player: list(map(int, member.made)) for member in members} == legs
    assert totals(door, "r2t1") == {"Ada": 3, "Ben": 3, "Cleo": 20}
    assert totals(door, "r3t1") == {"Ada": 10, "Ben": 3, "Cleo": None, "Kim": None}
    assert [(name, row["rank"]) for name, row in standing(event).items()] == [
        ("Ben", 1), ("Ada", 2), ("Cleo", 3), ("Dora", 4),
    ]  # fmt: skip
    page = text_of(door.client.get(f"{AT}/players/RL01"))
    assert "tied with Ben: 4.0000; lost the play-off 10 to 3" in page


def test_member_who_is_out_and_sits_there_as_a_neutral_player_may_be_replaced(
    cast: Cast, event: Event
) -> None:
    door = ByRest(cast)
    enter(door, 1, *HANDS[0])
    door.seats_neutrals()
    players(cast.riverside, "Lou")
    body = {"players": ["Lou"]}
    answer = door.client.post(f"{API}/playoffs/1/neutral", body, content_type="application/json")
    assert [chair["player"] for chair in answer.json()["chairs"]] == ["Lou", "Kim"]
    body = {"players": ["Kim"]}
    answer = door.client.post(f"{API}/playoffs/1/neutral", body, content_type="application/json")
    assert [chair["player"] for chair in answer.json()["chairs"]] == ["Kim", ""], (
        "nobody sits twice"
    )
