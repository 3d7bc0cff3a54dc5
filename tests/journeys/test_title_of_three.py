"""A title between three becomes one between two at a table of four, with two neutral players: by
pages, and counted again from the hands as they were typed."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.support.builders import players
from tests.support.cast import Cast
from tests.support.pages.hand_entry import Host, typed
from tests.support.pages.text import summary, text_of
from tests.support.rest.requests import codes
from tests.support.scenarios.playoffs import look, play, standing, tied, view
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


class Director:
    def __init__(self, cast: Cast) -> None:
        self.client = cast.client("dirk")

    def seats_neutrals(self) -> None:
        body = {"act": "neutral", "neutral-0": "Cleo", "neutral-1": "Kim"}
        answer = self.client.post(f"{AT}/playoffs/1/direct", body)
        assert answer.status_code == 302, summary(answer)

    def enters(self, code: str, number: int, hearts: list[int], queen: int) -> None:
        answer = Host(self.client, f"{AT}/tables/{code}/hands/new").send(typed(hearts, queen))
        assert answer.status_code == 302, summary(answer)


def enter(door: Director, number: int, code: str, points: Mapping[str, int]) -> None:
    seats = door.client.get(f"{API}/tables/{code}").json()["seats"]
    hearts = [points[seat["player"]] for seat in seats]
    queen = next(at for at, count in enumerate(hearts) if count >= 13)
    hearts[queen] -= 13
    door.enters(code, number, hearts, queen + 1)


def recounted(door: Director) -> tuple[list[str], dict[str, list[int]]]:
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


def totals(door: Director, code: str) -> dict[str, object]:
    sheet = door.client.get(f"{API}/tables/{code}").json()
    return {seat["player"]: seat["total"] for seat in sheet["seats"]}


def assert_old_table_is_closed(door: Director) -> None:
    """The table of three takes no hand any more, and says where the play-off continues."""
    old = f"{AT}/tables/r2t1"
    page = text_of(door.client.get(f"{old}/hands/new"))
    assert "The play-off continues at round 3, table 1." in page
    assert "reopens" not in page
    sheet = text_of(door.client.get(old))
    assert "This table is closed. The play-off continues in round 3." in sheet
    assert "Enter hand 2" not in sheet
    body = {"number": 2, "entry": {"hearts": [13, 0, 0], "taken": [[], ["QS"], []]}}
    answer = door.client.post(f"{API}/tables/r2t1/hands", body, content_type="application/json")
    assert (answer.status_code, codes(answer)) == (409, ["playoff_moved"])
    assert totals(door, "r2t1") == {"Ada": 3, "Ben": 3, "Cleo": 20}


@pytest.fixture
def event(cast: Cast) -> Event:
    event = tied(cast.riverside)
    for letter, name in NAMES.items():
        Player.objects.filter(club=cast.riverside, name=letter).update(name=name, public_name=name)
    players(cast.riverside, "Kim")
    look(event)
    return event


def test_title_of_three_becomes_one_of_two_with_neutral_players(cast: Cast, event: Event) -> None:
    door = Director(cast)
    enter(door, 1, *HANDS[0])
    page = text_of(door.client.get(f"{AT}/playoffs/1"))
    assert "The two players sit at a table of four with two neutral players" in page
    assert page.count("Neutral player at round 3, table 1") == 2, page
    assert_old_table_is_closed(door)
    step = (
        "Ada and Ben play on at round 3, table 1. Neutral players are missing. The results cannot "
        "become final before it is decided. Seat neutral players"
    )
    assert step in text_of(door.client.get(f"{AT}/direct"))
    door.seats_neutrals()
    manage = text_of(door.client.get(f"{AT}/direct"))
    assert "Ada and Ben play on at round 3, table 1. The results cannot" in manage
    named = "Neutral players: Cleo and Kim. Their scores do not count."
    for path in ("playoffs/1", "tables/r3t1/hands/new"):
        assert named in text_of(door.client.get(f"{AT}/{path}"))
    enter(door, 1, *HANDS[1])
    assert [(table["code"], table["is_open"]) for table in view(event).tables] == [
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
    page = text_of(door.client.get(f"{AT}/playoffs/1"))
    assert "Hand Ben Ada Cleo Round 2, table 1, hand 1 3 3 20" in page
    assert "Round 3, table 1, hand 1 6 6 – Round 3, table 1, hand 2 3 10 –" in page
    steps = door.client.get(f"{API}/playoffs/1").json()["steps"]
    assert [sorted(step["scores"]) for step in steps] == [
        ["RL01", "RL02", "RL03"], ["RL01", "RL02"], ["RL01", "RL02"],
    ]  # fmt: skip
    page = text_of(door.client.get(f"{AT}/players/RL01"))
    assert "tied with Ben: 4.0000; lost the play-off 10 to 3" in page


def test_member_out_who_sits_there_as_neutral_may_be_replaced(cast: Cast, event: Event) -> None:
    door = Director(cast)
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


def test_form_names_each_neutral_player_at_her_own_chair(cast: Cast, event: Event) -> None:
    door = Director(cast)
    enter(door, 1, *HANDS[0])
    door.seats_neutrals()
    players(cast.riverside, "Lou")
    page = door.client.get(f"{AT}/playoffs/1").content.decode()
    assert [page.count(f'value="{who}"') for who in ("Cleo (RL03)", "Kim (RL05)")] == [2, 2]
    body = {"act": "neutral", "neutral-0": "", "neutral-1": "Lou"}
    assert door.client.post(f"{AT}/playoffs/1/direct", body).status_code == 302
    assert [chair["player"] for chair in view(event).chairs] == ["Cleo", "Lou"]


def test_hand_sat_in_as_a_neutral_player_never_counts_for_her(cast: Cast, event: Event) -> None:
    """A correction has her tied with Ada instead of Ben: they play at a table of their own."""
    door = Director(cast)
    enter(door, 1, *HANDS[0])
    door.seats_neutrals()
    enter(door, 1, *HANDS[1])
    corrected = {"Ada": 3, "Ben": 20, "Cleo": 3}
    play(event, 1, corrected, code="r2t1", based_on=1, reason="Misread.")
    found = view(event)
    assert [(member.player, member.status, member.total) for member in found.members] == [
        ("Ada", "playing", "0"), ("Cleo", "playing", "0"), ("Ben", "below", None),
    ]  # fmt: skip
    (table,) = found.open_tables
    assert (table["code"], sorted(table["members"])) == ("r4t1", ["RL01", "RL03"])
    page = text_of(door.client.get(f"{AT}/playoffs/1"))
    assert "Hand Ada Cleo Ben Round 2, table 1, hand 1 3 3 20" in page
    assert "Round 3, table 1, hand 1 6 – 6" in page
