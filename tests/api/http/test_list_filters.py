"""Filters and sparse fields of lists: what they leave, what they refuse, kept by cursors."""

import csv
import io
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from api.schema_views import document
from tests.api.conftest import Evening
from tests.support.builders import league
from tests.support.cast import NOW, Cast
from tests.support.rest.requests import SignIn
from tests.support.rest.worked_calls import READS
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.both_databases

EVENTS = "/api/v1/clubs/riverside/events"
STATES = {
    operation["operationId"]: parameter["schema"]["enum"]
    for methods in document()["paths"].values()
    for operation in methods.values()
    for parameter in operation.get("parameters", ())
    if parameter["name"] == "state" and parameter["in"] == "query"
}
LISTS = sorted(name for name in STATES if not name.endswith("_csv"))
NAMES = {
    **{"{club}": "riverside", "{event}": "league", "{code}": "r1t1", "{number}": "1"},
    **{"{player_id}": "RL01", "{day}": "2025-11-06"},
}
PLAYERS = "/api/v1/clubs/riverside/players"


def found(client: Client, address: str, name: str) -> list[object]:
    answer = client.get(address)
    assert answer.status_code == 200, answer.content[:300]
    return [row[name] for row in answer.json()["results"]]


def test_events_are_limited_by_state_kind_and_season(client: Client, cast: Cast) -> None:
    for slug, state in (("spring", "final"), ("summer", "open"), ("winter", "open")):
        league(cast.riverside, slug=slug)
        Event.objects.filter(slug=slug).update(state=state)
    assert found(client, f"{EVENTS}?state=final", "slug") == ["spring"]
    assert found(client, f"{EVENTS}?state=open&kind=ladder", "slug") == []
    assert found(client, f"{EVENTS}?season=autumn", "slug") == []
    assert client.get(f"{EVENTS}.csv?state=final&fields=slug").content == b"slug\r\nspring\r\n"
    first = client.get(f"{EVENTS}?state=open&limit=1").json()
    rest = client.get(first["next"]).json()
    slugs = [row["slug"] for page in (first, rest) for row in page["results"]]
    assert sorted(slugs) == ["summer", "winter"]
    assert rest["next"] is None


def test_rounds_are_limited_by_state_and_meeting(client: Client, evening: Evening) -> None:
    rounds = f"{evening.at}/rounds"
    assert found(client, f"{rounds}?state=playing&meeting=2025-11-06", "number") == [1]
    assert found(client, f"{rounds}?state=closed", "number") == []
    assert found(client, f"{rounds}?meeting=2025-11-07", "number") == []


def test_entrants_disputes_and_changes_are_limited(evening: Evening, signed_in: SignIn) -> None:
    olga = signed_in("olga")
    everybody = found(olga, f"{evening.at}/entrants", "player_id")
    assert found(olga, f"{evening.at}/entrants?kind=player", "player_id") == everybody
    assert found(olga, f"{evening.at}/entrants?kind=team", "player_id") == []
    sent = {"hand": 1, "table": "r1t1", "words": "Ruth had the queen."}
    response = olga.post(f"{evening.at}/disputes", sent, content_type="application/json")
    assert response.status_code == 201, response.content[:300]
    assert found(olga, f"{evening.at}/disputes?state=open&table=r1t1", "hand") == [1]
    assert found(olga, f"{evening.at}/disputes?table=r1t2", "hand") == []
    body = {"reason": "Entered twice."}
    at = f"{evening.at}/tables/r1t1/hands/2/void"
    assert olga.post(at, body, content_type="application/json").status_code == 200
    assert found(olga, f"{evening.at}/changes?kind=void_hand&table=r1t1", "number") == [2]
    assert found(olga, f"{evening.at}/changes?kind=void_hand&table=r1t2", "number") == []
    assert found(olga, f"{evening.at}/changes?kind=correct_hand", "number") == []


def test_since_a_version_has_later_and_deleted_hands(evening: Evening, signed_in: SignIn) -> None:
    olga, at = signed_in("olga"), evening.at
    first = evening.publication.version
    for address in (f"{at}/publications", f"{at}/changes"):
        assert found(olga, f"{address}?since={first}", "version") == []
    assert found(Client(), f"{at}/publications?since={first - 1}", "version") == [first]
    body = {"reason": "Entered twice."}
    olga.post(f"{at}/tables/r1t1/hands/2/void", body, content_type="application/json")
    assert found(olga, f"{at}/changes?since={first}", "kind") == ["void_hand"]
    assert found(olga, f"{at}/publications?since={first}", "version") == []
    later = publish(evening.event.pk, now=NOW)
    assert later is not None
    assert found(Client(), f"{at}/publications?since={first}", "version") == [later.version]
    csv = Client().get(f"{at}/publications.csv?since={later.version}&fields=version")
    assert csv.content == b"version\r\n"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("rounds?state=open", "one of draft, posted, playing, closed"),
        ("rounds?state=", "one of draft, posted, playing, closed"),
        ("rounds?meeting=20251106", "a day as in 2025-11-06"),
        ("rounds?meeting=2025-02-30", "a day as in 2025-11-06"),
    ],
)
def test_filter_that_means_nothing_is_refused(
    client: Client, evening: Evening, query: str, expected: str
) -> None:
    refused = client.get(f"{evening.at}/{query}")
    assert refused.status_code == 400
    error = refused.json()["errors"][0]
    assert (error["code"], error["facts"]["expected"]) == ("bad_parameter", expected)


def test_there_are_lists_with_states() -> None:
    assert LISTS == [
        "list_challenges", "list_claims", "list_disputes", "list_entrants", "list_event_hands",
        "list_events", "list_import_problems", "list_imports", "list_mails", "list_meetings",
        "list_result_notes", "list_rounds", "list_webhook_deliveries",
    ]  # fmt: skip
    assert {f"{name}_csv" for name in LISTS} == {*STATES} - {*LISTS}


@pytest.mark.parametrize("name", LISTS)
def test_rows_are_those_in_the_state(cast: Cast, name: str) -> None:
    call = READS[name]
    call.prepare(cast)
    client = cast.client(call.who)
    rows = client.get(call.address).json()["results"]
    assert rows
    shown = {}
    for state in STATES[name]:
        answer = client.get(f"{call.address}?state={state}")
        assert answer.status_code == 200, answer.content[:300]
        shown[state] = answer.json()["results"]
    assert shown == {
        state: [row for row in rows if row["state"] == state] for state in STATES[name]
    }
    assert sum(map(len, shown.values())) == len(rows)


def test_problems_are_those_with_the_code(cast: Cast) -> None:
    call = READS["list_import_problems"]
    call.prepare(cast)
    client = cast.client(call.who)
    rows = client.get(call.address).json()["results"]
    code = rows[0]["code"]
    found = client.get(f"{call.address}?code={code}").json()["results"]
    assert found == [row for row in rows if row["code"] == code]
    assert client.get(f"{call.address}?code=no_such_code").json()["results"] == []


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
