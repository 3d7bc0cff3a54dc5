"""A typed client can be generated from the OpenAPI document, whole and without a warning."""

from pathlib import Path

import pytest

from api.schema_views import document
from tests.support.rest.generated_client import GeneratedClient, folder_of, generate


@pytest.fixture(scope="module")
def client_package(tmp_path_factory: pytest.TempPathFactory, project_root: Path) -> GeneratedClient:
    return generate(folder_of(tmp_path_factory), project_root)


def test_generator_takes_every_operation_and_warns_of_nothing(
    client_package: GeneratedClient,
) -> None:
    operations = {
        one["operationId"] for methods in document()["paths"].values() for one in methods.values()
    }
    assert client_package.printed.startswith("0\n"), client_package.printed[:2000]
    assert "WARN" not in client_package.printed.upper()
    assert client_package.operations == operations


def test_every_module_of_the_client_can_be_imported(client_package: GeneratedClient) -> None:
    assert len(list(client_package.modules())) > len(client_package.operations)


def test_row_of_standings_has_its_rank(client_package: GeneratedClient) -> None:
    row = client_package.model("StandingsRow")
    assert {"rank", "player", "points", "win_share"} <= {one.name for one in row.__attrs_attrs__}


def test_file_is_sent_as_it_is(client_package: GeneratedClient) -> None:
    file = client_package.module("types").File
    sent = client_package.model("SheetFile")(file=file(payload=b"date,round"))
    assert dict(sent.to_multipart())["file"][1] == b"date,round"
