"""Nothing that the OpenAPI document of the last release promised is taken away."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from releasing.release import ROOT, releases
from scoring.json_types import JsonDict
from tests.support.rest.openapi_differences import removals

CLUB = "/api/v1/clubs/{club}"
EVENT = f"{CLUB}/events/{{event}}"
CREATIONS = [
    *("/api/v1/clubs 201", "/api/v1/tokens 201", f"{EVENT}/imports 200", f"{EVENT}/imports 202"),
    *(f"{CLUB}/{rows} 201" for rows in ("events", "players", "seasons", "webhooks")),
    *(f"{EVENT}/{rows} 201" for rows in ("absences", "challenges", "constraints", "meetings")),
    f"{EVENT}/rounds 201",
]

ACCEPTED = {
    "0.4.0": {
        f"POST {creation.replace(' ', ', ')}: application/x-ndjson removed": "it always was JSON"
        for creation in CREATIONS
    }
}
"""Release → what today's document has otherwise, and why no program notices it.

A row of an older release than the last can be deleted.
"""


def git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", *words],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def document_of(commit: str) -> JsonDict:
    """Return the OpenAPI document of a commit; skip where the repository has no history."""
    shown = git("show", f"{commit}:openapi.yaml")
    if shown.returncode:
        clone = git("rev-parse", "--show-toplevel", "--is-shallow-repository").stdout.split("\n")
        is_complete = clone[:2] == [str(ROOT), "false"]
        assert not is_complete, f"releases.toml names a commit that is not there: {shown.stderr}"
        pytest.skip(f"commit {commit} is not in this copy; `git fetch --unshallow` gets it")
    return load(shown.stdout)


def load(text: str) -> JsonDict:
    document: JsonDict = yaml.load(text, Loader=yaml.CSafeLoader)
    return document


def test_nothing_is_taken_away_since_the_last_release(project_root: Path) -> None:
    last = releases()[-1]
    today = load((project_root / "openapi.yaml").read_text(encoding="utf-8"))
    accepted = ACCEPTED.get(last.version, {})
    found = removals(document_of(last.commit), today)
    assert found == sorted(accepted), "docs/api.md, What may change"


WORDS: JsonDict = {"type": "string", "enum": ["open", "closed"]}
ROUND: JsonDict = {
    "type": "object",
    "properties": {"number": {"type": "integer"}, "state": WORDS, "note": {"type": "string"}},
    "required": ["number"],
    "additionalProperties": False,
}


def document(
    *,
    sent: JsonDict = ROUND,
    answered: JsonDict = ROUND,
    path: str = "/rounds/{number}",
    method: str = "post",
    status: str = "200",
    **operation: Any,
) -> JsonDict:
    """Return a document of one operation that takes and answers a round."""
    ref = {"$ref": "#/components/schemas/Round"}
    return {
        "paths": {
            path: {
                method: {
                    "parameters": [{"in": "query", "name": "table", "schema": {"type": "integer"}}],
                    "requestBody": {"content": {"application/json": {"schema": sent}}},
                    "responses": {
                        status: {
                            "headers": {"ETag": {}},
                            "content": {"application/json": {"schema": ref}},
                        }
                    },
                    **operation,
                }
            }
        },
        "components": {"schemas": {"Round": answered, "Sent": ROUND, "Words": WORDS}},
    }


def with_member(name: str, schema: JsonDict, *required: str) -> JsonDict:
    properties = {**ROUND["properties"], name: schema}
    return {**ROUND, "properties": properties, "required": ["number", *required]}


def without_member(name: str) -> JsonDict:
    properties = {key: value for key, value in ROUND["properties"].items() if key != name}
    required = [key for key in ROUND["required"] if key != name]
    return {**ROUND, "properties": properties, "required": required}


def parameter(name: str, kind: str = "integer", *, required: bool = False) -> JsonDict:
    return {"in": "query", "name": name, "schema": {"type": kind}, "required": required}


AT = "POST /rounds/{number}"


@pytest.mark.parametrize(
    ("new", "breaks"),
    [
        (document(path="/tables/{number}"), f"{AT}: operation removed"),
        (document(method="put"), f"{AT}: operation removed"),
        (document(parameters=[]), f"{AT}, query table: removed"),
        (document(parameters=[parameter("table", "boolean")]),
         f"{AT}, query table: type integer refused now"),
        (document(parameters=[parameter("table", required=True)]),
         f"{AT}, query table: required now"),
        (document(parameters=[parameter("table"), parameter("seat", required=True)]),
         f"{AT}, query seat: required now"),
        (document(requestBody={**document()["paths"]["/rounds/{number}"]["post"]["requestBody"],
                               "required": True}), f"{AT}, body: required now"),
        (document(requestBody={"content": {"text/csv": {}}}),
         f"{AT}, body: application/json removed"),
        (document(sent=without_member("note")), f"{AT}, body.note: removed"),
        (document(sent=with_member("seed", {"type": "string"}, "seed")),
         f"{AT}, body.seed: required now"),
        (document(sent=with_member("state", {"type": "string", "enum": ["open"]})),
         f"{AT}, body.state: word closed removed"),
        (document(sent=with_member("note", WORDS)), f"{AT}, body.note: certain words only now"),
        (document(sent=with_member("number", {"type": "string"})),
         f"{AT}, body.number: type integer refused now"),
        (document(status="201"), f"{AT}, 200: removed"),
        (document(responses={"200": {"headers": {"ETag": {}}}}),
         f"{AT}, 200: application/json removed"),
        (document(responses={"200": document()["paths"]["/rounds/{number}"]["post"]["responses"][
            "200"] | {"headers": {}}}), f"{AT}, 200: header ETag removed"),
        (document(answered=without_member("note")), "Round in answers.note: removed"),
        (document(answered={**ROUND, "required": []}),
         "Round in answers.number: may be missing now"),
        (document(answered=with_member("state", {"type": "string", "enum": ["open"]})),
         "Round in answers.state: word closed removed"),
        (document(answered=with_member("state", {"type": "string"})),
         "Round in answers.state: any word now"),
        (document(answered=with_member("note", {"type": ["string", "null"]})),
         "Round in answers.note: type null new"),
        (document(answered=with_member("number", {"type": "number"})),
         "Round in answers.number: type number new"),
    ],
)  # fmt: skip
def test_what_breaks_a_program_is_found(new: JsonDict, breaks: str) -> None:
    assert removals(document(), new) == [breaks]


@pytest.mark.parametrize(
    "new",
    [
        document(path="/rounds/{round}"),
        document(parameters=[parameter("table", "number"), parameter("seat")]),
        document(sent=with_member("seed", {"type": "string"})),
        document(sent={**ROUND, "required": []}),
        document(sent={"$ref": "#/components/schemas/Sent"}),
        document(sent={"allOf": [{"$ref": "#/components/schemas/Sent"}]}),
        document(sent={"oneOf": [{"type": "string"}, {"$ref": "#/components/schemas/Sent"}]}),
        document(sent={"allOf": [without_member("note"), without_member("state"), {}]}),
        document(sent=with_member("number", {"type": ["number", "null"]})),
        document(answered=with_member("seed", {"type": "string"}, "seed", "note")),
        document(
            answered=with_member("state", {"type": "string", "enum": ["closed", "x", "open"]})
        ),
        document(answered={"anyOf": [ROUND, {"$ref": "#/components/schemas/RoundFields"}]}),
        document(
            answered=with_member(
                "state",
                {
                    "oneOf": [
                        {"$ref": "#/components/schemas/Words"},
                        {"type": "string", "enum": [""]},
                    ]
                },
            )
        ),
    ],
    ids=range(13),
)
def test_what_breaks_no_program_is_accepted(new: JsonDict) -> None:
    assert removals(document(), new) == []


def test_schema_that_refers_to_itself_is_compared_once() -> None:
    nested = {"type": "array", "items": {"$ref": "#/components/schemas/Round"}}
    old = document(answered=with_member("after", nested))
    new = json.loads(json.dumps(old))
    assert removals(old, new) == []
    del new["components"]["schemas"]["Round"]["properties"]["note"]
    assert removals(old, new) == ["Round in answers.note: removed"]
