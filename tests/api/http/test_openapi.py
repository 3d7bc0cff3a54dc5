"""The OpenAPI document is complete and current, its links lead on, and a client fits it."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from api import openapi_document
from api.openapi_document import EXAMPLES, with_examples, with_links
from api.schema_views import document
from api.urls import urlpatterns
from tests.support.lengths import only_long
from tests.support.rest.generated_client import GeneratedClient, folder_of, generate

UNDOCUMENTED = {"schema", "reference", "error_codes", "unknown_address"}
REMEDY = "python manage.py spectacular --file openapi.yaml"


def test_committed_document_is_the_one_that_the_code_makes(project_root: Path) -> None:
    text = (project_root / "openapi.yaml").read_text(encoding="utf-8")
    assert yaml.load(text, Loader=yaml.CSafeLoader) == plain(document()), f"run: {REMEDY}"


def plain(made: object) -> object:
    if isinstance(made, dict):
        return {str(key): plain(value) for key, value in made.items()}
    if isinstance(made, list | tuple):
        return [plain(value) for value in made]
    return made if isinstance(made, bool | int | float) or made is None else str(made)


def test_document_is_valid_and_made_without_a_warning() -> None:
    GENERATOR_STATS.reset()
    document.cache_clear()
    with GENERATOR_STATS.silence():
        made = document()
    validate_schema(made)  # type: ignore[no-untyped-call]  # untyped there
    assert dict(GENERATOR_STATS._warn_cache) == {}
    assert dict(GENERATOR_STATS._error_cache) == {}
    assert made["openapi"] == "3.1.0"


@cache
def operations() -> dict[str, Any]:
    paths = document()["paths"].values()
    return {one["operationId"]: one for methods in paths for one in methods.values()}


def test_every_address_is_in_the_document() -> None:
    views: list[Any] = [pattern.callback for pattern in urlpatterns]
    declared = {name for view in views for name in view.operations.values() if name}
    named = {pattern.name for pattern in urlpatterns} - UNDOCUMENTED
    assert set(operations()) == declared | named


def test_example_without_an_answer_is_one_of_the_request_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`make examples` begins with it and writes the answer."""
    example = {"status": 201, "request": {"name": "Cup"}}
    (tmp_path / "create_thing.json").write_text(json.dumps(example), encoding="utf-8")
    monkeypatch.setattr(openapi_document, "EXAMPLES", tmp_path)
    bodies: dict[str, Any] = {"application/json": {}}
    answers: dict[str, Any] = {"application/json": {}}
    operation = {
        "operationId": "create_thing",
        "requestBody": {"content": bodies},
        "responses": {"201": {"content": answers}},
    }
    with_examples({"paths": {"/things": {"post": operation}}})
    assert bodies == {"application/json": {"example": {"name": "Cup"}}}
    assert answers == {"application/json": {}}


def test_every_operation_says_what_it_does_and_how_it_fails() -> None:
    for name, operation in operations().items():
        assert operation["description"], name
        failure = operation["responses"]["default"]["content"]
        assert list(failure) == ["application/problem+json"], name


def test_no_address_ends_in_a_slash() -> None:
    assert [path for path in document()["paths"] if path.endswith("/")] == []


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("*/*", "application/json"),
        only_long("application/vnd.oai.openapi", "application/vnd.oai.openapi"),
        only_long("application/yaml", "application/yaml"),
    ],
)
def test_document_is_served_as_json_and_yaml(client: Client, accept: str, media_type: str) -> None:
    response = client.get("/api/v1/schema", headers={"accept": accept})
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith(media_type)
    assert yaml.load(response.content, Loader=yaml.CSafeLoader)["info"]["title"] == "Blacklady"


@pytest.fixture(scope="module")
def client_package(tmp_path_factory: pytest.TempPathFactory, project_root: Path) -> GeneratedClient:
    return generate(folder_of(tmp_path_factory), project_root)


def test_generator_takes_all_operations_without_warning(client_package: GeneratedClient) -> None:
    assert client_package.printed.startswith("0\n"), client_package.printed[:2000]
    assert "WARN" not in client_package.printed.upper()
    assert client_package.operations == set(operations())


def test_every_module_of_the_client_can_be_imported(client_package: GeneratedClient) -> None:
    assert len(list(client_package.modules())) > len(client_package.operations)


def test_row_of_standings_has_its_rank(client_package: GeneratedClient) -> None:
    row = client_package.model("StandingsRow")
    assert {"rank", "player", "points", "win_share"} <= {one.name for one in row.__attrs_attrs__}


def test_file_is_sent_as_it_is(client_package: GeneratedClient) -> None:
    file = client_package.module("types").File
    sent = client_package.model("SheetFile")(file=file(payload=b"date,round"))
    assert dict(sent.to_multipart())["file"][1] == b"date,round"


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
    paths = {"/api/v1/clubs": {"post": {"operationId": "copy_event", "responses": {"201": {}}}}}
    with pytest.raises(KeyError, match=r"/clubs/\{club\}"):
        with_links({"paths": paths})
