"""An edit is based on the ETag that was read: 428 without one, 412 with an old one."""

import json
from dataclasses import replace

import pytest

from api.schema_views import document
from tests.support.answers import Answer, refusal
from tests.support.builders import Cast
from tests.support.rest.worked_calls import placed, prepared

CONDITIONAL = {
    operation["operationId"]: method
    for methods in document()["paths"].values()
    for method, operation in methods.items()
    if any(each["name"] == "If-Match" for each in operation.get("parameters", ()))
}
EDITS = sorted(name for name, method in CONDITIONAL.items() if method == "patch")


def test_there_are_edits_to_try() -> None:
    assert len(EDITS) > 10
    assert len(CONDITIONAL) > len(EDITS) + 8


@pytest.mark.parametrize("name", sorted(CONDITIONAL))
def test_star_matches_whatever_is_there(cast: Cast, name: str) -> None:
    call = prepared(cast, name)
    answer = cast.client(call.who).generic(
        call.method,
        replace(call, path=placed(call.path)).address,
        json.dumps(dict(call.body)) if call.method != "DELETE" or call.body else "",
        content_type="application/json",
        headers={"If-Match": "*", "Idempotency-Key": "star"},
    )
    assert answer.status_code == call.status, answer.content


@pytest.mark.parametrize("name", EDITS)
def test_edit_needs_the_etag_that_was_read(cast: Cast, name: str) -> None:
    call = prepared(cast, name)
    client, address = cast.client(call.who), replace(call, path=placed(call.path)).address

    def edit(**headers: str) -> Answer:
        return client.patch(address, call.body, "application/json", headers=headers)

    read = client.get(address)
    assert refusal(edit()) == (428, ["if_match_needed"])
    outdated = edit(if_match='"0123456789ab"')
    assert outdated.status_code == 412
    assert outdated.json()["code"].endswith("_outdated")
    assert ("there" in outdated.json()) is (name != "change_player")
    assert client.get(address).json() == read.json()
    changed = edit(if_match=read["ETag"])
    assert changed.status_code == 200, changed.content
    assert changed["ETag"] not in ("", read["ETag"])
    assert (client.get(address).json(), client.get(address)["ETag"]) == (
        changed.json(), changed["ETag"],
    )  # fmt: skip
