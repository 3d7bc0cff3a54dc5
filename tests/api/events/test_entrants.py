"""Entrants over REST: pairs and teams are entered, changed and withdrawn by directors."""

from datetime import date

import pytest
from django.test import Client

from tests.support.answers import Answer, post_json
from tests.support.builders import hand, league, players, table
from tests.support.cast import Cast
from tests.support.evenings import evening
from tests.support.rest.requests import codes, errors
from tournaments.models.audit import AuditLine
from tournaments.models.events import Entrant, Event
from tournaments.models.meetings import Attendance

pytestmark = pytest.mark.django_db

E = "/api/v1/clubs/riverside/events/league"
ENTRANTS = f"{E}/entrants"


@pytest.fixture
def event(cast: Cast) -> Event:
    made = league(cast.riverside, variant="partnership-hearts-pooled")
    players(cast.riverside, *(f"P{number}" for number in range(1, 9)))
    return made


@pytest.fixture
def dirk(cast: Cast, event: Event) -> Client:
    return cast.client("dirk")


def change(client: Client, code: str, sent: object) -> Answer:
    return client.patch(f"{ENTRANTS}/{code}", sent, content_type="application/json")


def pair(client: Client, one: str, other: str, **more: str) -> dict[str, object]:
    sent = {"kind": "pair", "players": [one, other], **more}
    made = post_json(client, ENTRANTS, sent)
    assert made.status_code == 201, made.content
    return made.json()  # type: ignore[no-any-return]


def test_director_enters_pairs_and_teams(dirk: Client) -> None:
    assert pair(dirk, "RL02", "RL01", name="Aces") == {
        "player_id": "pair-1",
        "player": "Aces",
        "kind": "pair",
        "state": "active",
        "members": [{"player_id": "RL01", "player": "P1"}, {"player_id": "RL02", "player": "P2"}],
    }
    team = {"kind": "team", "players": ["RL03", "RL04", "RL05", "RL06"], "code": "reds"}
    made = post_json(dirk, ENTRANTS, team)
    assert (made.status_code, made.json()["player_id"]) == (201, "reds")
    assert made["Location"] == ENTRANTS
    assert [one["player_id"] for one in dirk.get(ENTRANTS).json()["results"]] == ["pair-1", "reds"]


@pytest.mark.parametrize(
    ("sent", "code", "pointer"),
    [
        ({"kind": "pair", "players": ["RL03", "RL01"]}, "competes_already", "/players/1"),
        ({"kind": "pair", "players": ["RL03", "RL99"]}, "unknown_player", "/players/1"),
        ({"kind": "duo", "players": ["RL03", "RL04"]}, "bad_entrant_kind", "/kind"),
        ({"kind": "pair", "players": "RL03"}, "bad_text", "/players"),
    ],
)
def test_bad_entrant_is_refused_at_its_place(
    dirk: Client, sent: dict[str, object], code: str, pointer: str
) -> None:
    pair(dirk, "RL01", "RL02")
    refused = post_json(dirk, ENTRANTS, sent)
    assert refused.status_code == 422
    (error,) = refused.json()["errors"]
    assert (error["code"], error["pointer"]) == (code, pointer)
    assert Entrant.objects.count() == 1


def test_pair_is_renamed_and_gets_another_player_until_a_hand_counts(
    dirk: Client, event: Event
) -> None:
    pair(dirk, "RL01", "RL02")
    assert change(dirk, "pair-1", {"name": "Aces"}).json()["player"] == "Aces"
    changed = change(dirk, "pair-1", {"players": ["RL01", "RL03"]})
    assert [one["player_id"] for one in changed.json()["members"]] == ["RL01", "RL03"]
    assert changed.json()["player"] == "Aces", "the name stays"
    pair(dirk, "RL04", "RL05")
    people = {one.player_id: one for one in event.club.players.all()}
    game = table(event, [people[f"RL0{n}"] for n in (1, 4, 3, 5)])
    hand(game, 1, [4, 1, 2, 6], 3)
    assert codes(change(dirk, "pair-1", {"players": ["RL01", "RL02"]})) == ["entrant_has_results"]
    assert change(dirk, "pair-9", {"name": "x"}).status_code == 404


def test_who_withdraws_is_checked_out_of_the_newest_evening_on_request(
    dirk: Client, event: Event
) -> None:
    early, people = evening(event, 4, on=date(2025, 10, 2))
    newest, _people = evening(event, 4, on=date(2025, 11, 13))
    pair(dirk, "RL01", "RL02")
    state = f"{ENTRANTS}/pair-1/state"
    gone = {"to": "withdrawn", "reason": "Ill."}
    assert codes(post_json(dirk, state, gone | {"check_out": "yes"})) == ["bad_setting"]
    assert post_json(dirk, state, gone | {"check_out": True}).status_code == 200
    here = Attendance.objects.filter(state="here", player__in=people[:2])
    assert set(here.values_list("meeting", flat=True)) == {early.pk}
    assert Attendance.objects.filter(meeting=newest, state="left").count() == 2
    back = {"to": "active", "reason": "Back.", "check_out": True}
    assert post_json(dirk, state, back).status_code == 200
    pair(dirk, "RL03", "RL04")
    post_json(dirk, f"{ENTRANTS}/pair-2/state", gone)
    assert Attendance.objects.filter(meeting=newest, state="here").count() == 2, "not asked for"


def test_entrant_is_withdrawn_with_a_reason_and_returns(dirk: Client) -> None:
    pair(dirk, "RL01", "RL02")
    state = f"{ENTRANTS}/pair-1/state"
    assert codes(post_json(dirk, state, {"to": "withdrawn", "reason": ""})) == ["reason_required"]
    gone = post_json(dirk, state, {"to": "withdrawn", "reason": "Moved away."})
    assert (gone.status_code, gone.json()["state"]) == (200, "withdrawn")
    again = post_json(dirk, state, {"to": "withdrawn", "reason": "Moved away."})
    assert (again.status_code, codes(again)) == (409, ["state_not_allowed"])
    assert post_json(dirk, state, {"to": "active", "reason": "Back."}).json()["state"] == "active"
    assert [line.act for line in AuditLine.objects.order_by("pk")][-3:] == [
        "add_entrant",
        "withdraw_entrant",
        "return_entrant",
    ]


def test_list_of_players_competes_all_or_none(dirk: Client, event: Event) -> None:
    pair(dirk, "RL01", "RL02", name="Aces")
    sent = {"players": ["RL04", "RL01", "RL03", "RL04"]}
    made = post_json(dirk, f"{E}/rosters", sent)
    assert (made.status_code, made.json()["added"]) == (201, 2)
    assert [one["player_id"] for one in made.json()["entrants"]] == ["RL04", "pair-1", "RL03"]
    assert made["Location"] == ENTRANTS
    again = post_json(dirk, f"{E}/rosters", sent)
    assert (again.status_code, again.json()["added"]) == (201, 0)
    assert Entrant.objects.count() == 3
    odd = post_json(dirk, f"{E}/rosters", {"players": ["RL05", "RL99"]})
    assert (odd.status_code, errors(odd)) == (422, [("unknown_player", "/players/1")])
    for few_or_many in ([], ["RL05"] * 1001):
        refused = post_json(dirk, f"{E}/rosters", {"players": few_or_many})
        assert (refused.status_code, errors(refused)) == (422, [("members_count", "/players")])
    assert Entrant.objects.count() == 3


def test_lines_name_pairs_and_teams_and_new_players_where_they_may(
    dirk: Client, event: Event
) -> None:
    lines = ["Kay & RL01", "Spades: RL02, Lee, RL03"]
    refused = post_json(dirk, f"{E}/rosters", {"lines": lines})
    assert (refused.status_code, errors(refused)) == (
        422, [("nobody_of_that_name", "/lines/0"), ("nobody_of_that_name", "/lines/1")],
    )  # fmt: skip
    assert not Entrant.objects.exists()
    made = post_json(dirk, f"{E}/rosters", {"lines": lines, "new_players": True})
    assert (made.status_code, made.json()["added"]) == (201, 2)
    assert [(one["player_id"], len(one["members"])) for one in made.json()["entrants"]] == [
        ("pair-1", 2), ("team-1", 3),
    ]  # fmt: skip
    twice = post_json(dirk, f"{E}/rosters", {"lines": ["RL04", "RL05 & RL01"]})
    assert errors(twice) == [("competes_already", "/lines/1")]


def test_new_player_who_is_spelled_in_two_ways_is_one_person(dirk: Client, event: Event) -> None:
    lines = ["Zoë C.", "ZOË  c."]
    made = post_json(dirk, f"{E}/rosters", {"lines": lines, "new_players": True})
    assert made.status_code == 201, made.json()
    assert [one["player"] for one in made.json()["entrants"]] == ["Zoë C."]
