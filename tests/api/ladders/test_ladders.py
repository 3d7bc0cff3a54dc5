"""Ladders over REST: bytes as published, moves, ratings, what a night would do, and who may ask."""

import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.api.conftest import filled
from tests.support.answers import Answer, post_json
from tests.support.builders import finished, hand, ladder, players, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.routes import routes
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Publication
from tournaments.services.publishing.ladders import publish_ladder

LADDER = "/api/v1/clubs/riverside/events/ladder"
ADDRESSES = (
    "/ladder", "/ladder.csv", "/ladder/publications/1", "/ladder/publications/1.csv",
    "/ladder/moves", "/ladder/moves.csv", "/ladder/members/RL01",
    "/ladder/members/RL01/ratings", "/ladder/members/RL01/ratings.csv", "/ladder/what-if",
    "/ratings", "/ratings.csv", "/ladder.xlsx", "/ladder.pdf", "/ladder.png",
    "/ladder/publications/1.xlsx", "/ladder/publications/1.pdf", "/ladder/publications/1.png",
    "/ladder/challenges.txt",
)  # fmt: skip


def climbed(cast: Cast, people: list[Player], visibility: str = "public") -> tuple[Event, Game]:
    """A ladder with one table, which RL02 won, published."""
    event = ladder(cast.riverside, visibility=visibility)
    game = finished(table(event, people))
    publish_all(event)
    return event, game


@pytest.fixture
def game(cast: Cast, riverside: list[Player]) -> Game:
    return climbed(cast, riverside)[1]


def answer(path: str, **headers: str) -> Answer:
    return Client().get(LADDER + path, headers=headers)


def test_ladder_is_served_byte_for_byte_and_not_again(game: Game) -> None:
    stored = Publication.objects.get(ladder=game.event)
    for path, content in (("/ladder", stored.body), ("/ladder.csv", stored.csv)):
        for at in (path, path.replace("/ladder", "/ladder/publications/1", 1)):
            served = answer(at)
            assert (served.content, served["ETag"]) == (bytes(content), stored.etag)
            again = answer(at, **{"If-None-Match": stored.etag})
            assert (again.status_code, again.content) == (304, b"")
    body = answer("/ladder").json()
    assert [(row["place"], row["player_id"], row["up"]) for row in body["rows"]] == [
        (1, "RL02", 1), (2, "RL03", 1), (3, "RL01", -2), (4, "RL04", 0),
    ]  # fmt: skip
    assert body["rows"][0]["story"] == (
        "up 1: won a table with Ruth K., Elsa D. and Omar B. on 6 November"
    )
    assert body["publication"]["number"] == 1


def test_reading_a_ladder_is_one_query_and_bytes_are_kept(game: Game) -> None:
    for _ in range(2):
        with CaptureQueriesContext(connection) as asked:
            assert answer("/ladder").status_code == 200
        assert len(asked) == 1


def test_next_publication_is_named_in_the_links_of_the_one_before(game: Game) -> None:
    hand(game, 1, [1, 4, 2, 6], 3, based_on=1, reason="the first two were swapped")
    publish_all(game.event)
    assert answer("/ladder/publications/1")["Link"] == (
        f'<{LADDER}/ladder>; rel="latest-version", '
        f'<{LADDER}/ladder/publications/2>; rel="successor-version"'
    )
    assert answer("/ladder").json()["publication"]["number"] == 2
    assert answer("/ladder/publications/3").json()["errors"][0]["code"] == "unknown_publication"


def test_moves_lead_to_their_table_a_page_at_a_time(game: Game) -> None:
    rows, address = [], f"{LADDER}/ladder/moves?limit=2"
    while address:
        page = Client().get(address).json()
        rows += page["results"]
        address = page["next"]
    assert [(row["player_id"], row["before"], row["after"], row["table"]) for row in rows] == [
        ("RL01", 1, 3, "r1t1"), ("RL02", 2, 1, "r1t1"), ("RL03", 3, 2, "r1t1"),
        ("RL04", None, 4, None), ("RL03", None, 3, None), ("RL02", None, 2, None),
        ("RL01", None, 1, None),
    ]  # fmt: skip
    assert rows[0]["story"] == ("down 2: 3rd at a table behind Xenia S. and Ruth K. on 6 November")
    assert len(answer("/ladder/moves.csv").content.splitlines()) == 1 + len(rows)


def test_ratings_are_those_of_the_publication(game: Game) -> None:
    rows = answer("/ratings").json()["results"]
    assert [(row["player_id"], row["rating"], row["change"], row["rank"]) for row in rows] == [
        ("RL02", 1532.0, 32.0, None), ("RL03", 1510.667, 10.667, None),
        ("RL01", 1489.333, -10.667, None), ("RL04", 1468.0, -32.0, None),
    ]  # fmt: skip
    assert answer("/ladder/members/RL02/ratings").json()["results"] == [
        {"sequence": 0, "on": "2025-11-06", "table": "r1t1", "games": 1, "before": 1500.0,
         "after": 1532.0, "change": 32.0, "spread": None, "rating_shown": "1532.0"},
    ]  # fmt: skip
    member = answer("/ladder/members/RL02").json()
    assert (member["place"]["place"], member["rating"]["rating"]) == (1, 1532.0)
    assert answer("/ladder/members/RL99").json()["errors"][0]["code"] == "unknown_player"


def test_what_if_tells_what_each_place_would_change(game: Game) -> None:
    found = answer("/ladder/what-if?player=RL02&player=RL04").json()["players"]
    assert [one["player_id"] for one in found] == ["RL02", "RL04"]
    win, loss = found[0]["changes"]
    assert win == pytest.approx(64 / (1 + 10 ** (64 / 400)), abs=1e-3)
    assert win - loss == pytest.approx(64, abs=2e-3)
    assert [-change for change in found[1]["changes"][::-1]] == [win, loss]


@pytest.mark.parametrize(
    ("asked", "codes"),
    [
        ("player=RL01", ["rated_sides"]),
        ("player=RL01&player=RL01", ["ladder_member_twice"]),
        ("player=RL01&player=RL77&player=x", ["not_on_ladder", "not_on_ladder"]),
        ("&".join(f"player=RL0{n}" for n in (1, 2, 3, 4) * 3),
         ["rated_sides", *["ladder_member_twice"] * 8]),
        ("table=1", ["unknown_parameter"]),
    ],
)  # fmt: skip
def test_what_if_refuses_with_every_reason(game: Game, asked: str, codes: list[str]) -> None:
    refused = answer(f"/ladder/what-if?{asked}")
    assert refused.status_code in (400, 422)
    assert sorted(error["code"] for error in refused.json()["errors"]) == sorted(codes)


def test_new_ladder_is_read_before_its_first_result(cast: Cast, riverside: list[Player]) -> None:
    climbed(cast, riverside)
    body = {"name": "Spring", "kind": "ladder", "variant": "hearts", "entrants_of": "ladder"}
    response = post_json(cast.client("dirk"), "/api/v1/clubs/riverside/events", body)
    publish_ladder(Event.objects.get(slug="spring").pk, now=NOW)
    new = cast.client("dirk").get(f"{response['Location']}/ladder").json()
    assert [row["place"] for row in new["rows"]] == [*range(1, len(new["rows"]) + 1)]
    assert {row["player_id"] for row in new["rows"]} == {one.player_id for one in riverside}


def test_league_has_no_ladder_and_a_new_ladder_no_publication(cast: Cast) -> None:
    event = ladder(cast.riverside)
    unpublished = {path: answer(path) for path in ("/ladder", "/ladder.csv", "/ratings")}
    codes = {path: one.json()["errors"][0]["code"] for path, one in unpublished.items()}
    assert set(codes.values()) == {"not_published"}
    Event.objects.filter(pk=event.pk).update(kind="league")
    for path in ADDRESSES:
        refused = answer(path)
        assert (refused.status_code, refused.json()["errors"][0]["code"]) == (
            404, "unknown_ladder",
        ), path  # fmt: skip


def test_names_that_would_calculate_are_guarded_in_every_csv(cast: Cast) -> None:
    climbed(cast, players(cast.riverside, "=1+1", "+Bo", "@Cy", "-Di"))
    for path in ADDRESSES:
        if path.endswith(".csv"):
            content = answer(path).content.decode()
            assert ",=1+1" not in content
            assert ",@Cy" not in content
    assert "'=1+1" in answer("/ladder.csv").content.decode()


def test_body_names_no_clock_and_no_database_id(game: Game) -> None:
    body = json.loads(bytes(Publication.objects.get(ladder=game.event).body))
    del body["publication"]
    assert body["event"] == {
        "slug": "ladder", "name": "Ladder", "kind": "ladder", "state": "open",
    }  # fmt: skip
    assert body["as_of"] == {"on": "2025-11-06", "steps": 5, "games": 1}


def test_every_address_below_a_ladder_is_walked_here() -> None:
    names = {"club": "riverside", "event": "ladder", "player_id": "RL01", "number": 1}
    below = "api/v1/clubs/<name:club>/events/<name:event>/"
    found = {
        "/" + filled(route.pattern, names)
        for route in routes()
        if route.pattern.startswith((f"{below}ladder", f"{below}ratings"))
    }
    assert found == {LADDER + path for path in ADDRESSES}
