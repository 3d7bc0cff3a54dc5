"""Pairs and teams on pages: sides that are replaced or swapped, and teams that forfeit."""

import json
from typing import Any

import pytest
from django.test import Client

from tests.support.answers import Answer, codes, post_json, text_of
from tests.support.builders import NOW, Cast, by_tests, hand, league
from tests.support.evenings import evening
from tournaments.domain.event_settings import PRESETS
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Game
from tournaments.models.playoffs import WalkOver
from tournaments.models.rounds import Match, Round, Sitting
from tournaments.models.seating_plans import SeatingPlan
from tournaments.models.standings import Publication
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.django_db
EVENT = "/clubs/riverside/events/league"
REST = f"/api/v1{EVENT}"
FIRST = ("Ada", "Cy", "Eve", "Gil", "Ida", "Kay", "Max", "Oda", "Quim", "Stan")
SECOND = ("Ben", "Dee", "Fay", "Hal", "Jan", "Lee", "Nia", "Pam", "Rosa", "Theo")
PAIRS = [f"{one} & {other}" for one, other in zip(FIRST, SECOND, strict=True)]
LATE = "Una & Vic"


class Program:
    """What Dirk, a director, uses."""

    def __init__(self, cast: Cast) -> None:
        self.client: Client = cast.client("dirk")

    def paste(self, *lines: str) -> None:
        self.post("rosters", {"lines": lines, "new_players": True}, 201)

    def seat(self, number: int, matches: list[tuple[str, str]]) -> None:
        tables = []
        for one, other in matches:
            (north, south), (east, west) = (ids(one), ids(other))
            tables.append({"seats": [north, east, south, west]})
        self.post("rounds", {"number": number, "tables": tables}, 201)
        self.post(f"rounds/{number}/state", {"to": "posted"}, 200)

    def change(self, act: str, code: str, seat: int, pair: str) -> None:
        tag = self.client.get(f"{REST}/tables/{code}/seats")["ETag"]
        body: dict[str, object] = {"act": act, "seat": seat, "side": ids(pair)}
        body["reason"] = "They came late."
        shown = self.post(f"tables/{code}/seats/preview", body, 200, If_Match=tag)
        body["previewed"] = shown.json()["digest"]
        self.post(f"tables/{code}/seats", body, 200, If_Match=tag)

    def post(self, address: str, body: object, status: int, **headers: str) -> Answer:
        answer = post_json(self.client, f"{REST}/{address}", body, **headers)
        assert answer.status_code == status, answer.content
        return answer


def ids(pair: str) -> list[str]:
    return [Player.objects.get(name=name).player_id for name in pair.split(" & ")]


def seated(number: int) -> dict[str, list[str]]:
    """The pairs of each table of a round; each side has to be one of them."""
    pair_of = dict(EntrantMember.objects.values_list("player_id", "entrant__code"))
    rows = Sitting.objects.filter(round__number=number, to_hand=None).order_by("seat__number")
    tables: dict[str, list[str]] = {}
    for code, player in rows.values_list("seat__table__code", "player_id"):
        tables.setdefault(code, []).append(pair_of[player])
    for sides in tables.values():
        assert sides[:2] == sides[2:]
    return {code: sides[:2] for code, sides in sorted(tables.items())}


def published(event: Event) -> dict[str, dict[str, Any]]:
    """The rows of the standings as they are published now: whole pairs, two at every game."""
    publication = publish(event.pk, now=NOW)
    assert publication is not None
    rows = {row["player_id"]: row for row in json.loads(bytes(publication.body))["rows"]}
    assert all(code.startswith("pair-") for code in rows)
    played = Game.objects.filter(event=event, hands__state="accepted").distinct().count()
    assert sum(row["tables"] for row in rows.values()) == 2 * played
    return rows


def test_pair_is_replaced_and_two_are_swapped_in_a_round_that_is_played(cast: Cast) -> None:
    event = league(cast.riverside, variant="partnership-hearts-pooled", settings=PRESETS["pairs"])
    director = Program(cast)
    director.paste(*PAIRS)
    for number in (1, 2):
        director.seat(number, [(PAIRS[at], PAIRS[5 + (at + number) % 5]) for at in range(5)])
        for game in Game.objects.filter(table__round__number=number):
            hand(game, 1, [4, 1, 2, 6], queen=3)
    before = published(event)
    assert {code: row["tables"] for code, row in before.items()} == {
        f"pair-{number}": 2 for number in range(1, 11)
    }
    director.paste(LATE)
    published(event)
    numbers, acts = Publication.objects.count(), AuditLine.objects.count()
    director.change("replace", "r2t4", 1, LATE)
    assert published(event)["pair-11"]["tables"] == 1
    director.change("swap", "r2t1", 1, PAIRS[8])
    rows = published(event)
    assert Publication.objects.count() == numbers + 2
    assert AuditLine.objects.count() == acts + 2
    assert seated(2) == {
        "r2t1": ["pair-9", "pair-8"],
        "r2t2": ["pair-2", "pair-1"],
        "r2t3": ["pair-3", "pair-10"],
        "r2t4": ["pair-11", "pair-6"],
        "r2t5": ["pair-5", "pair-7"],
    }
    north, east = 6, 20
    assert {code: row["points"] for code, row in rows.items()} == {
        **{"pair-1": north + east, "pair-9": east + north, "pair-4": north, "pair-11": north},
        **{f"pair-{number}": 2 * north for number in (2, 3, 5)},
        **{f"pair-{number}": 2 * east for number in (6, 7, 8, 10)},
    }


@pytest.fixture
def event(cast: Cast) -> Event:
    """Two teams of four whose match is posted at two tables."""
    settings = {"primary": "match_points", "tie_breaks": ["difference"]}
    event = league(cast.riverside, variant="partnership-hearts-pooled", settings=settings)
    _meeting, people = evening(event, 8)
    dirk = cast.client("dirk")
    for team in (people[:4], people[4:]):
        seats = {f"seat-{at}": one.player_id for at, one in enumerate(team, 1)}
        assert dirk.post(f"{EVENT}/new-entrant", {"kind": "team", **seats}).status_code == 302
    wanted = {"movement": "teams", "variation": "two_tables", "rounds": 1}
    made = post_json(dirk, f"{REST}/meetings/2025-11-13/plans", wanted)
    assert made.status_code == 201, made.content
    plan = made.json()["plans"][0]["id"]
    assert post_json(dirk, f"{REST}/plans/{plan}/choose", {}).status_code == 200
    chosen = SeatingPlan.objects.select_related("event__club", "meeting", "club").get()
    round_ = make_round_of_plan(by_tests(), chosen)
    move_round(by_tests(), round_, to="posted")
    return event


def result(client: Client) -> dict[str, int | None]:
    """The match points of each team."""
    (match,) = client.get(f"{REST}/rounds/1").json()["matches"]
    return {team["player_id"]: team["match_points"] for team in match["teams"]}


def states() -> list[str]:
    games = Game.objects.order_by("table__number")
    return list(games.values_list("state", flat=True))


def test_team_forfeits_by_page_and_it_is_undone_at_the_other_table(
    event: Event, cast: Cast
) -> None:
    dirk = cast.client("dirk")
    sent = {"walk_over": "record", "player_id": "team-1", "reason": "The car broke down."}
    done = dirk.post(f"{EVENT}/tables/r1t1/close", sent, follow=True)
    assert "The walk-over has been recorded." in text_of(done)
    assert result(dirk) == {"team-1": 0, "team-2": 2}
    assert states() == ["abandoned", "abandoned"]
    for path in ("rounds/1/direct", "meetings/2025-11-13/seating"):
        shown = text_of(dirk.get(f"{EVENT}/{path}", follow=True)).lower()
        assert shown.count("decided by walk-over") == 2
    words = " ".join(text_of(cast.client().get(f"{EVENT}/rounds/1")).split())
    assert "0 : 2" in words or "2 : 0" in words
    at_the_other = dirk.get(f"{EVENT}/tables/r1t2/close")
    assert "does not play here." in text_of(at_the_other)
    undo = {"walk_over": "record", "undo": "team-1", "reason": "They came."}
    undone = dirk.post(f"{EVENT}/tables/r1t2/close", undo, follow=True)
    assert "The walk-over has been undone." in text_of(undone)
    assert result(dirk) == {"team-1": None, "team-2": None}
    assert states() == ["seated", "seated"]


def test_second_team_cannot_forfeit_the_match_at_the_other_table(event: Event, cast: Cast) -> None:
    dirk = cast.client("dirk")
    body = {"player_id": "team-2", "reason": "Ill."}
    done = post_json(dirk, f"{REST}/tables/r1t2/walk-overs", body)
    assert (done.status_code, done.json()["state"]) == (200, "abandoned")
    assert [one["player_id"] for one in done.json()["walk_overs"]] == ["team-2"]
    refused = post_json(dirk, f"{REST}/tables/r1t1/walk-overs", body | {"player_id": "team-1"})
    assert (refused.status_code, codes(refused)) == (409, ["nobody_goes_on"])
    assert WalkOver.objects.count() == 1
    assert result(dirk) == {"team-1": 2, "team-2": 0}
    assert Match.objects.filter(forfeited_by__code="team-2").count() == 1
    assert Round.objects.get().state == "playing"
