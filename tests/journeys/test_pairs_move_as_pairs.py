"""A pairs night: ten pairs are pasted; in round 2 one is replaced and two are swapped.

By REST. Every publication is of whole pairs, and each change is one publication.
"""

import json
from typing import Any

from django.test import Client

from tests.support.answers import Answer, post_json
from tests.support.builders import hand, league
from tests.support.cast import NOW, Cast
from tournaments.domain.event_settings import PRESETS
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Sitting
from tournaments.models.standings import Publication
from tournaments.services.publishing.publications import publish

EVENT = "/clubs/riverside/events/league"
REST = f"/api/v1{EVENT}"
FIRST = ("Ada", "Cy", "Eve", "Gil", "Ida", "Kay", "Max", "Oda", "Quim", "Stan")
SECOND = ("Ben", "Dee", "Fay", "Hal", "Jan", "Lee", "Nia", "Pam", "Rosa", "Theo")
PAIRS = [f"{one} & {other}" for one, other in zip(FIRST, SECOND, strict=True)]
LATE = "Una & Vic"


class Program:
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
        response = self.post(f"tables/{code}/seats/preview", body, 200, If_Match=tag)
        body["previewed"] = response.json()["digest"]
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
