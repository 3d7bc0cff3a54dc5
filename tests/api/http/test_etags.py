"""An edit is based on the ETag that was read: 428 without one, 412 with an old one."""

from dataclasses import replace

import pytest

from api.schema_views import document
from tests.support.answers import Answer
from tests.support.cast import Cast
from tests.support.rest.requests import refusal
from tests.support.rest.worked_acts import placed, prepared

EDITS = sorted(
    operation["operationId"]
    for methods in document()["paths"].values()
    for method, operation in methods.items()
    if method == "patch"
    and any(each["name"] == "If-Match" for each in operation.get("parameters", ()))
)


def test_there_are_edits_to_try() -> None:
    assert len(EDITS) > 10


@pytest.mark.parametrize("name", EDITS)
def test_edit_needs_the_etag_that_was_read(cast: Cast, name: str) -> None:
    act = prepared(cast, name)
    client, address = cast.client(act.who), replace(act, path=placed(act.path)).address

    def edit(**headers: str) -> Answer:
        return client.patch(address, act.body, "application/json", headers=headers)

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
