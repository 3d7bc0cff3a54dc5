"""Every list that can be limited to a state has the rows in that state and no others."""

import pytest

from api.schema_views import document
from tests.support.cast import Cast
from tests.support.rest.worked_acts import READS

pytestmark = pytest.mark.both_databases

STATES = {
    operation["operationId"]: parameter["schema"]["enum"]
    for methods in document()["paths"].values()
    for operation in methods.values()
    for parameter in operation.get("parameters", ())
    if parameter["name"] == "state" and parameter["in"] == "query"
}
LISTS = sorted(name for name in STATES if not name.endswith("_csv"))


def test_there_are_lists_with_states() -> None:
    assert LISTS == [
        "list_challenges", "list_claims", "list_disputes", "list_entrants", "list_event_hands",
        "list_events", "list_import_problems", "list_imports", "list_mails", "list_meetings",
        "list_rounds", "list_webhook_deliveries",
    ]  # fmt: skip
    assert {f"{name}_csv" for name in LISTS} == {*STATES} - {*LISTS}


@pytest.mark.parametrize("name", LISTS)
def test_rows_are_those_in_the_state(cast: Cast, name: str) -> None:
    act = READS[name]
    act.prepare(cast)
    client = cast.client(act.who)
    rows = client.get(act.address).json()["results"]
    assert rows
    shown = {}
    for state in STATES[name]:
        answer = client.get(f"{act.address}?state={state}")
        assert answer.status_code == 200, answer.content[:300]
        shown[state] = answer.json()["results"]
    assert shown == {
        state: [row for row in rows if row["state"] == state] for state in STATES[name]
    }
    assert sum(map(len, shown.values())) == len(rows)


def test_problems_are_those_with_the_code(cast: Cast) -> None:
    act = READS["list_import_problems"]
    act.prepare(cast)
    client = cast.client(act.who)
    rows = client.get(act.address).json()["results"]
    code = rows[0]["code"]
    found = client.get(f"{act.address}?code={code}").json()["results"]
    assert found == [row for row in rows if row["code"] == code]
    assert client.get(f"{act.address}?code=no_such_code").json()["results"] == []
