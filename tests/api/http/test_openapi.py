"""The OpenAPI document is complete, without a warning, and the one that is committed."""

from pathlib import Path

import pytest
import yaml
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from api.schema_views import document
from api.urls import urlpatterns
from tests.support.lengths import only_long

WRITING = {
    "check_sheet",
    "enter_second",
    "map_import_columns",
    "enter_hand",
    "revise_hand",
    "link_player",
    "add_player",
    "change_player",
    "import_sheets",
    "resolve_import_problem",
    "add_ledger_line",
    "create_token",
    "change_notification",
    "withdraw_ledger_line",
    "open_dispute",
    "rule_on_dispute",
    "withdraw_dispute",
    "issue_challenge",
    "tell_absence",
    "change_settings",
    "change_seats",
    "make_round",
    "change_round_game",
    "make_house_rules",
    "add_house_version",
    "delete_house_version",
    "make_cut",
    "change_stage",
    "remove_stage",
    "change_club",
    "set_logo",
    "add_photo",
    "change_event",
    "change_member",
    "remove_member",
    "create_invitation",
    "create_webhook",
    "change_webhook",
    "remove_webhook",
    "delete_event",
    "add_constraint",
    "make_deals",
    "add_entrant",
    "add_meeting_guest",
    "change_meeting",
    "make_plans",
    "form_tables",
    "plan_meeting",
    "create_club",
    "create_season",
    "change_season",
    "create_event",
    "create_link",
    "remove_meeting",
    "remove_table",
    "remove_round",
}
"""Operations at an address that is named for what it reads."""

UNDOCUMENTED = {"schema", "reference", "error_codes", "unknown_address"}
REMEDY = "python manage.py spectacular --file openapi.yaml"


def test_committed_document_is_the_one_that_the_code_makes(project_root: Path) -> None:
    text = (project_root / "openapi.yaml").read_text(encoding="utf-8")
    committed = yaml.load(text, Loader=yaml.CSafeLoader)
    assert committed == plain(document()), f"run: {REMEDY}"


def plain(made: object) -> object:
    """The document as YAML gives it back."""
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


def test_every_address_is_in_the_document() -> None:
    operations = {
        operation["operationId"]
        for path in document()["paths"].values()
        for operation in path.values()
    }
    assert operations == {pattern.name for pattern in urlpatterns} - UNDOCUMENTED | WRITING


def test_every_operation_says_what_it_does_and_how_it_fails() -> None:
    for path, methods in document()["paths"].items():
        for operation in methods.values():
            assert operation["description"], path
            failure = operation["responses"]["default"]["content"]
            assert list(failure) == ["application/problem+json"], path


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
