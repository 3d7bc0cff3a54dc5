"""Links of the OpenAPI document lead to operations with the names that they need."""

import json
from functools import cache
from typing import Any

import pytest

from api.openapi_document import EXAMPLES, with_links
from api.schema_views import document


@cache
def operations() -> dict[str, Any]:
    """Each operation by its id."""
    paths = document()["paths"].values()
    return {one["operationId"]: one for methods in paths for one in methods.values()}


@cache
def links() -> dict[tuple[str, str, str], Any]:
    """Each link by the operation and the status that it belongs to, and where it leads."""
    return {
        (name, status, target): link
        for name, said in operations().items()
        for status, answer in said["responses"].items()
        for target, link in answer.get("links", {}).items()
    }


@pytest.mark.parametrize(
    ("name", "status", "target"),
    [
        ("create_club", "201", "create_event"),
        ("create_event", "201", "read_event"),
        ("create_event", "201", "make_round"),
        ("add_player", "201", "read_player"),
        ("create_webhook", "201", "test_webhook"),
        ("import_sheets", "202", "confirm_import"),
        ("read_round", "200", "enter_hand"),
        ("list_clubs", "200", "read_club"),
    ],
)
def test_answer_leads_to_what_can_be_done_next(name: str, status: str, target: str) -> None:
    assert (name, status, target) in links()


def test_etag_of_an_answer_is_what_the_edit_is_based_on() -> None:
    for name, target in (("read_event", "change_event"), ("enter_hand", "revise_hand")):
        status = "201" if name == "enter_hand" else "200"
        parameters = links()[name, status, target]["parameters"]
        assert parameters["header.If-Match"] == "$response.header.ETag"
    assert "header.If-Match" not in links()["create_event", "201", "change_settings"]["parameters"]


def test_link_has_every_name_of_the_address_that_it_leads_to() -> None:
    for (name, _, target), link in links().items():
        assert link["operationId"] == target
        known = operations()[target].get("parameters", ())
        needed = {one["name"] for one in known if one["in"] == "path"}
        assert set(link.get("parameters", ())) - {"header.If-Match"} == needed, (name, target)
        own = {
            one["name"] for one in operations()[name].get("parameters", ()) if one["in"] == "path"
        }
        for said in link.get("parameters", {}).values():
            assert not said.startswith("$request.path.") or said.rpartition(".")[2] in own


def test_names_are_where_the_examples_have_them() -> None:
    looked_up = 0
    for (name, status, target), link in links().items():
        example = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
        if str(example["status"]) != status:
            continue
        for said in link.get("parameters", {}).values():
            if said.startswith("$response.body#/"):
                found: Any = example["answer"]
                for step in said.removeprefix("$response.body#/").split("/"):
                    found = found[int(step) if isinstance(found, list) else step]
                assert isinstance(found, str | int), (name, target)
                looked_up += 1
    assert looked_up > 100


def test_address_that_the_document_lacks_is_an_error() -> None:
    paths = {"/api/v1/clubs": {"post": {"operationId": "create_club", "responses": {"201": {}}}}}
    with pytest.raises(KeyError, match=r"/clubs/\{club\}"):
        with_links({"paths": paths})
