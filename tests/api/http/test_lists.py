"""Lists: pages in a fixed order, CSV and NDJSON beside them, at a price that does not grow."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from api import lists
from api.schema_views import document
from tests.api.conftest import (
    Evening,
    addresses,
    is_for_directors,
    is_for_importers,
    is_for_members,
)
from tests.support.builders import hand, league, table
from tests.support.cast import NOW, Cast
from tests.support.players import stored_player
from tests.support.rest.crowd import crowd
from tests.support.rest.requests import SignIn
from tournaments.domain.people.public_names import new_player
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.both_databases

PLAYERS = "/api/v1/clubs/riverside/players"
NDJSON = {"accept": "application/x-ndjson"}


def walk(client: Client, address: str | None, direction: str = "next") -> list[list[str]]:
    pages = []
    while address:
        body = client.get(address).json()
        pages.append([row["player_id"] for row in body["results"]])
        address = body[direction]
    return pages


@pytest.fixture
def nine(cast: Cast) -> Event:
    event = league(cast.riverside)
    crowd(cast.riverside, event.pk, 9)
    return event


def test_pages_hold_each_row_once_in_order_both_ways(client: Client, nine: Event) -> None:
    ids = [f"C{n:03d}" for n in range(9)]
    assert walk(client, f"{PLAYERS}?limit=4") == [ids[:4], ids[4:8], ids[8:]]
    last = client.get(client.get(f"{PLAYERS}?limit=4").json()["next"]).json()["next"]
    assert walk(client, last, "previous") == [ids[8:], ids[4:8], ids[:4]]
    assert walk(client, PLAYERS) == [ids]


def test_row_that_comes_in_between_moves_no_page(client: Client, nine: Event, cast: Cast) -> None:
    second = client.get(f"{PLAYERS}?limit=4").json()["next"]
    stored_player(club=cast.riverside, player_id="A001", name="Early Bird")
    assert walk(client, second)[0] == ["C004", "C005", "C006", "C007"]


def test_cursor_is_bound_to_its_list(client: Client, nine: Event) -> None:
    cursor = client.get(f"{PLAYERS}?limit=4").json()["next"].split("cursor=")[1].split("&")[0]
    other = client.get(f"/api/v1/clubs?cursor={cursor}")
    assert (other.status_code, other.json()["errors"][0]["code"]) == (400, "bad_cursor")
    forged = client.get(f"{PLAYERS}?cursor={cursor[:-1]}A")
    assert (forged.status_code, forged.json()["errors"][0]["code"]) == (400, "bad_cursor")


def test_csv_is_the_whole_list(client: Client, nine: Event) -> None:
    response = client.get(f"{PLAYERS}.csv")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    lines = response.content.decode().split("\r\n")
    assert lines[:2] == ["player_id,name,joined", "C000,Player 0,"]
    assert len(lines) == 11


def test_csv_cell_never_starts_a_formula(client: Client, cast: Cast, nine: Event) -> None:
    names = ("=1+1", "+1", "-1", "@x", "\tx", "＝1", 'a "b", c', "O'Neill")
    for number, name in enumerate(names):
        Player.objects.filter(player_id=f"C{number:03d}").update(name=name, public_name=name)
    lines = client.get(f"{PLAYERS}.csv").content.decode().split("\r\n")[1:9]
    assert [line.removeprefix(f"C{n:03d},").removesuffix(",") for n, line in enumerate(lines)] == [
        "'=1+1",
        "'+1",
        "'-1",
        "'@x",
        "'\tx",
        "'＝1",
        '"a ""b"", c"',
        "O'Neill",
    ]


def counted(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        response = client.get(address)
    assert response.status_code == 200, address
    return len(queries)


def test_page_of_a_list_anybody_may_read_is_one_query(evening: Evening, signed_in: SignIn) -> None:
    for address in (PLAYERS, f"{evening.at}/publications"):
        assert counted(Client(), address) == 1
        # The session and its user, then who they are to the club, where that matters.
        assert counted(signed_in("piet"), address) <= 4


def test_pages_of_a_list_for_members_are_theirs_alone(signed_in: SignIn, cast: Cast) -> None:
    event = league(cast.riverside, visibility="members")
    crowd(cast.riverside, event.pk, 9)
    piet = signed_in("piet")
    assert [len(page) for page in walk(piet, f"{PLAYERS}?limit=4")] == [4, 4, 1]
    assert walk(Client(), PLAYERS) == [[]]
    second = piet.get(f"{PLAYERS}?limit=4").json()["next"]
    assert walk(Client(), second) == [[]]
    publications = "/api/v1/clubs/riverside/events/league/publications"
    assert piet.get(publications).json()["results"] == []
    assert Client().get(publications).status_code == 404
    assert signed_in("nora").get(publications).status_code == 404


def costs(client: Client, *, directs: bool = False) -> dict[str, int]:
    """The queries of every address of the league that is there for who asks."""
    paths = addresses("clubs", club="riverside", event="league", code="r1t1", number=1,
                      player_id="RL01")  # fmt: skip
    hidden = [
        path
        for path in paths
        if is_for_importers(path) or is_for_directors(path) or is_for_members(path)
    ]
    there = [path for path in paths if directs or path not in hidden]
    return {path: counted(client, path) for path in there}


def test_no_address_costs_more_queries_with_many_players(cast: Cast, signed_in: SignIn) -> None:
    event = league(cast.riverside)
    seat(cast, event, tables=2)
    anybody, piet, olga = Client(), signed_in("piet"), signed_in("olga")
    few = costs(anybody), costs(piet), costs(olga, directs=True)
    seat(cast, event, tables=98, first=3)
    many = costs(anybody), costs(piet), costs(olga, directs=True)
    assert many == few
    # The first reader of a file of a publication has it made, under a claim.
    made = (".xlsx", ".pdf", ".png")
    assert max(few[0][path] for path in few[0] if not path.endswith(made)) <= 12
    assert max(few[0].values()) <= 14
    assert few[0]["/api/v1/clubs/riverside/events/league/standings"] == 1


def seat(cast: Cast, event: Event, *, tables: int, first: int = 1) -> None:
    """Seat tables of four in round 1, one hand each, and publish."""
    for number in range(first, first + tables):
        people = Player.objects.bulk_create(
            new_player(
                club=cast.riverside,
                player_id=f"RL{4 * number + seat - 4:02d}",
                name=f"Player {number}.{seat}",
            )
            for seat in range(1, 5)
        )
        game = table(event, people, table_number=number)
        if number < first + 3:
            hand(game, 1, [4, 1, 2, 6], 3)
    publish(event.pk, now=NOW)


def batch(client: Client, address: str) -> list[dict[str, Any]]:
    answer = client.get(address, headers=NDJSON)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/x-ndjson")
    assert answer.streaming
    return [json.loads(line) for line in answer.getvalue().decode().splitlines()]


def walked(client: Client, address: str) -> list[dict[str, Any]]:
    rows, following = [], f"{address}?limit=2"
    while following:
        page = client.get(following).json()
        rows += page["results"]
        following = page["next"]
    return rows


@pytest.fixture
def two_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "BATCH", 2)


@pytest.mark.usefixtures("two_at_a_time")
def test_batch_read_has_every_row_of_the_pages(evening: Evening) -> None:
    client = evening.cast.client("olga")
    for slug in ("spring", "summer", "winter", "last"):
        # Created at one moment: the order goes on by the slug.
        league(evening.cast.riverside, slug=slug)
    for address in (PLAYERS, "/api/v1/clubs/riverside/events", f"{evening.at}/rounds",
                    f"{evening.at}/changes", f"{evening.at}/publications",
                    f"{evening.at}/hands", "/api/v1/clubs/riverside/audit"):  # fmt: skip
        assert batch(client, address) == walked(client, address), address
    assert len(batch(client, "/api/v1/clubs/riverside/events")) == 5
    assert len(batch(client, PLAYERS)) == 4


@pytest.mark.usefixtures("two_at_a_time")
def test_batch_read_reads_a_batch_when_it_is_asked_for(client: Client, cast: Cast) -> None:
    crowd(cast.riverside, league(cast.riverside).pk, 9)
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(PLAYERS, headers=NDJSON)
        at_first = len(queries)
        parts = list(answer.streaming_content)  # type: ignore[attr-defined]  # of a stream
    assert [part.count(b"\n") for part in parts] == [2, 2, 2, 2, 1]
    assert (at_first, len(queries)) == (1, 5)


def test_fields_and_filters_hold_and_pages_do_not(client: Client, evening: Evening) -> None:
    names = [row["name"] for row in batch(client, PLAYERS)]
    assert batch(client, f"{PLAYERS}?fields=name") == [{"name": name} for name in names]
    assert batch(client, f"{evening.at}/rounds?state=closed") == []
    refused = client.get(f"{PLAYERS}?limit=3", headers=NDJSON)
    assert refused.status_code == 400
    assert refused.json()["errors"][0]["facts"]["parameter"] == "limit"


def test_refusal_before_rows_is_a_problem(client: Client, cast: Cast, evening: Evening) -> None:
    for address in ("/api/v1/clubs/atlantis/events", "/api/v1/clubs/riverside/audit"):
        refused = client.get(address, headers=NDJSON)
        assert refused.status_code in {401, 404}
        assert refused.headers["Content-Type"] == "application/problem+json"
    assert client.head(PLAYERS, headers=NDJSON).status_code == 200
    # A list that does not grow is always one page.
    assert client.get(f"{evening.at}/entrants", headers=NDJSON).status_code == 406
    assert client.get(PLAYERS, headers={"accept": "*/*"}).json()["results"]


def test_document_names_the_media_type_where_lists_grow() -> None:
    paths = document()["paths"]
    players = paths["/api/v1/clubs/{club}/players"]["get"]["responses"]["200"]["content"]
    assert list(players) == ["application/json", "application/x-ndjson"]
    created = paths["/api/v1/clubs/{club}/players"]["post"]["responses"]["201"]["content"]
    assert list(created) == ["application/json"]
    variants = paths["/api/v1/variants"]["get"]["responses"]["200"]["content"]
    assert list(variants) == ["application/json"]
