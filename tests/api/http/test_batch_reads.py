"""Batch reads: a whole list as NDJSON, with flat memory."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from api.lists import pagination
from api.schema_views import document
from tests.api.conftest import Evening
from tests.support.builders import league
from tests.support.cast import Cast
from tests.support.rest.crowd import crowd

pytestmark = pytest.mark.both_databases

PLAYERS = "/api/v1/clubs/riverside/players"
NDJSON = {"accept": "application/x-ndjson"}


def batch(client: Client, address: str) -> list[dict[str, Any]]:
    """Every row of a list."""
    answer = client.get(address, headers=NDJSON)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/x-ndjson")
    assert answer.streaming
    return [json.loads(line) for line in answer.getvalue().decode().splitlines()]


def walked(client: Client, address: str) -> list[dict[str, Any]]:
    """The same rows, a page at a time."""
    rows, following = [], f"{address}?limit=2"
    while following:
        page = client.get(following).json()
        rows += page["results"]
        following = page["next"]
    return rows


@pytest.fixture
def two_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pagination, "BATCH", 2)


@pytest.mark.usefixtures("two_at_a_time")
def test_batch_read_has_every_row_of_the_pages(evening: Evening) -> None:
    client = evening.cast.client("olga")
    for slug in ("spring", "summer", "winter", "last"):
        # Created at one moment: the order goes on by the slug.
        league(evening.cast.riverside, slug=slug)
    for address in (PLAYERS, "/api/v1/clubs/riverside/events", f"{evening.at}/rounds",
                    f"{evening.at}/changes", f"{evening.at}/publications",
                    f"{evening.at}/hands", "/api/v1/clubs/riverside/audit"):  # fmt: skip
        rows = batch(client, address)
        assert rows == walked(client, address), address
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


def test_refusal_before_the_first_row_is_problem_details(
    client: Client, cast: Cast, evening: Evening
) -> None:
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
    variants = paths["/api/v1/variants"]["get"]["responses"]["200"]["content"]
    assert list(variants) == ["application/json"]
