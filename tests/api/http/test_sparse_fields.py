"""Sparse fields: `?fields=a,b` on every list, in both forms."""

import csv
import io
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from api.schema_views import document
from tests.api.conftest import Evening

pytestmark = pytest.mark.both_databases

NAMES = {
    **{"{club}": "riverside", "{event}": "league", "{code}": "r1t1", "{number}": "1"},
    **{"{player_id}": "RL01", "{day}": "2025-11-06"},
}
PLAYERS = "/api/v1/clubs/riverside/players"


def lists() -> dict[str, tuple[str, ...]]:
    """Address → what `fields` may name there, of every list in the document."""
    found = {}
    for path, methods in document()["paths"].items():
        for each in methods.get("get", {}).get("parameters", ()):
            if each["name"] == "fields":
                found[path] = tuple(each["schema"]["items"]["enum"])
    return found


def at(path: str) -> str | None:
    """An address of the public league, or None where it names what is not there."""
    for name, value in NAMES.items():
        path = path.replace(name, value)
    return None if "{" in path else path


def rows(client: Client, address: str) -> list[dict[str, Any]]:
    response = client.get(address)
    assert response.status_code == 200, (address, response.content[:300])
    if ".csv" in address:
        return list(csv.DictReader(io.StringIO(response.content.decode())))
    return list(response.json()["results"])


def resolved(made: Any, reference: dict[str, str]) -> dict[str, Any]:
    """The component that a schema refers to."""
    found: dict[str, Any] = made["components"]["schemas"][reference["$ref"].rpartition("/")[2]]
    return found


def test_every_list_has_sparse_fields() -> None:
    operations = [each["get"] for each in document()["paths"].values() if "get" in each]
    listed = [each for each in operations if each["operationId"].startswith("list_")]
    assert len(lists()) >= len(listed) > 80


def test_every_list_answers_with_the_members_that_are_asked_for(evening: Evening) -> None:
    client, n_with_rows = evening.cast.client("olga"), 0
    for path, names in lists().items():
        address = at(path)
        if address is None or client.get(address).status_code != 200:
            continue
        whole = rows(client, address)
        first, last = names[0], names[-1]
        expected = [{name: row[name] for name in dict.fromkeys((first, last))} for row in whole]
        assert rows(client, f"{address}?fields={last},{first}") == expected, path
        assert [list(row) for row in rows(client, f"{address}?fields={last},{first}")] == [
            list(row) for row in expected
        ], path
        n_with_rows += bool(whole)
    assert n_with_rows >= 20


def test_unknown_field_is_refused_with_the_known_ones(client: Client, evening: Evening) -> None:
    for address, known in (
        (PLAYERS, "some of player_id, name, joined"),
        (f"{PLAYERS}.csv", "some of player_id, name, joined"),
        (f"{evening.at}/tables/r1t1/hands", "some of table, number"),
    ):
        refused = client.get(f"{address}?fields=player_id,shoe_size")
        assert refused.status_code == 400
        assert refused.headers["Content-Type"] == "application/problem+json"
        error = refused.json()["errors"][-1]
        assert error["code"] == "bad_parameter"
        assert (error["facts"]["parameter"], error["facts"]["found"]) == ("fields", "shoe_size")
        assert error["facts"]["expected"].startswith(known)
    assert client.get(f"{PLAYERS}?fields=").status_code == 400
    assert client.get(f"{PLAYERS}?fields=%00").status_code == 400
    assert client.get(f"{PLAYERS}?fields={'a,' * 900}").status_code == 400


def test_cursor_keeps_the_fields(client: Client, evening: Evening) -> None:
    first = client.get(f"{PLAYERS}?fields=name&limit=1").json()
    second = client.get(first["next"]).json()
    assert [list(row) for page in (first, second) for row in page["results"]] == [["name"]] * 2
    assert first["results"] != second["results"]


def test_sparse_rows_cost_no_further_query(evening: Evening) -> None:
    for address in (PLAYERS, f"{evening.at}/rounds", f"{evening.at}/changes"):
        counts = []
        name = lists()[address.replace("riverside", "{club}").replace("league", "{event}")][0]
        for query in ("", f"?fields={name}"):
            with CaptureQueriesContext(connection) as queries:
                assert Client().get(address + query).status_code == 200
            counts.append(len(queries))
        assert counts[1] <= counts[0]


def test_document_requires_no_member_of_a_sparse_row() -> None:
    made = document()
    answer = made["paths"]["/api/v1/clubs/{club}/players"]["get"]["responses"]["200"]
    whole, sparse = answer["content"]["application/json"]["schema"]["anyOf"]
    row = resolved(made, resolved(made, whole)["properties"]["results"]["items"])
    some = resolved(made, resolved(made, sparse)["properties"]["results"]["items"])
    assert row["required"]
    assert "required" not in some
    assert row["properties"] == some["properties"]
