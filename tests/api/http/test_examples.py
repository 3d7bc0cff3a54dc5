"""The example of each operation in the OpenAPI document is what the operation answers."""

import base64
import itertools
import json
import os
import secrets

import pytest
import time_machine

from api.openapi_document import EXAMPLES
from api.schema_views import document
from tests.support.builders import Cast
from tests.support.lengths import short_or_long
from tests.support.rest.closed_schema import faults, validator_of_schema
from tests.support.rest.examples import example_of
from tests.support.rest.worked_calls import prepared, send

OPERATIONS = {
    one["operationId"]: one for methods in document()["paths"].values() for one in methods.values()
}
WRITES = os.environ.get("WRITE_EXAMPLES") == "1"
STEP = 1 if WRITES else short_or_long(2, 1)
"""In the tiers that decide every other operation is asked."""
REMEDY = "run: make examples openapi"


@pytest.fixture
def cast(clock: time_machine.Traveller, cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """The cast, while time stands still and nothing is drawn by chance."""
    numbers = itertools.count(1)

    def bytes_of(length: int = 32) -> bytes:
        return next(numbers).to_bytes(length, "big")

    def text_of(length: int = 32) -> str:
        return base64.urlsafe_b64encode(bytes_of(length)).decode().rstrip("=")

    monkeypatch.setattr(secrets, "token_bytes", bytes_of)
    monkeypatch.setattr(secrets, "token_hex", lambda length=32: bytes_of(length).hex())
    monkeypatch.setattr(secrets, "token_urlsafe", text_of)
    return cast


@pytest.mark.parametrize("name", sorted(OPERATIONS)[::STEP])
def test_operation_answers_as_its_example_says(cast: Cast, name: str) -> None:
    call = prepared(cast, name)
    answer = send(cast, call)
    assert answer.status_code == call.status, getattr(answer, "content", b"")
    found = example_of(name, call, answer)
    file = EXAMPLES / f"{name}.json"
    if WRITES:
        text = json.dumps(found, ensure_ascii=False, indent=2, sort_keys=True)
        file.write_text(f"{text}\n", encoding="utf-8")
    documented = OPERATIONS[name]["responses"][str(call.status)]["content"][found["media_type"]]
    if found["media_type"] == "application/json":
        assert faults(validator_of_schema(documented["schema"]), answer.json()) == []
    assert file.exists(), REMEDY
    assert json.loads(file.read_text(encoding="utf-8")) == found, REMEDY


def test_every_example_is_of_an_operation() -> None:
    assert {file.stem for file in EXAMPLES.glob("*.json")} == set(OPERATIONS), REMEDY


def test_document_has_the_examples() -> None:
    standings = OPERATIONS["read_standings"]["responses"]["200"]["content"]["application/json"]
    assert standings["example"]["rows"][0]["rank"] == 1
    entry = OPERATIONS["enter_hand"]["requestBody"]["content"]["application/json"]
    assert entry["example"]["number"] == 3
