"""Every error is problem details, and each code has a heading in docs/errors.md."""

import ast
import os
import re
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from api.problems import pointer
from scoring.errors import SENTENCES as OF_THE_SCORER
from tests.api.conftest import Evening, addresses
from tests.support.cast import Cast
from tests.support.error_codes import error_codes
from tests.support.rest.requests import codes, database_raises, problem, refusal
from tournaments.domain.imports.import_report import SENTENCES as OF_AN_IMPORT
from tournaments.domain.messages import SENTENCES as OF_THE_APP
from tournaments.domain.messages import SUBJECTS

pytestmark = pytest.mark.django_db

PLAIN = {"/api/v1/docs", "/api/v1/docs/errors.md", "/api/v1/"}
CODES = {*OF_THE_SCORER, *OF_THE_APP, *OF_AN_IMPORT}


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("get", "/api/v1/nothing", 404, "unknown_address"),
        ("post", "/api/v1/nothing", 404, "unknown_address"),
        ("get", "/api/nothing", 404, "unknown_address"),
        ("get", "/api/v1/clubs/", 404, "unknown_address"),
        ("get", "/api/v1/clubs/atlantis", 404, "unknown_club"),
        ("get", "/api/v1/clubs/riverside/events/x", 404, "unknown_event"),
        ("get", "/api/v1/clubs/riverside/players/x", 404, "unknown_player"),
        ("get", "/api/v1/clubs/a%00b", 404, "unknown_address"),
        ("get", "/api/v1", 404, "unknown_address"),
        ("get", "/api/v1/variants/xyz", 404, "unknown_variant"),
        ("get", "/api/v1/variants/hearts/entry-schema?seats=99", 400, "bad_parameter"),
        ("get", "/api/v1/clubs?limit=0", 400, "bad_parameter"),
        ("get", "/api/v1/clubs?limit=٣", 400, "bad_parameter"),
        ("get", "/api/v1/clubs?cursor=cD0x", 400, "bad_cursor"),
        ("delete", "/api/v1/clubs", 405, "method_not_allowed"),
        ("put", "/api/v1/clubs/riverside", 405, "method_not_allowed"),
        ("options", "/api/v1/clubs", 405, "method_not_allowed"),
        ("post", "/api/v1/docs", 405, "method_not_allowed"),
    ],
)
def test_wrong_request_names_its_code(
    client: Client, cast: Cast, method: str, path: str, status: int, code: str
) -> None:
    response = getattr(client, method)(path)
    assert (response.status_code, codes(response)) == (status, [code])
    assert problem(response)["instance"] == path.split("?", maxsplit=1)[0].replace("%00", "\x00")


def test_each_unknown_parameter_is_named_with_those_that_are_known(client: Client) -> None:
    found = problem(client.get("/api/v1/clubs?sort=name&page=2&limit=5"))
    assert [error["facts"] for error in found["errors"]] == [
        {"parameter": "page", "expected": "cursor, limit, fields"},
        {"parameter": "sort", "expected": "cursor, limit, fields"},
    ]


def test_no_address_takes_a_parameter_it_does_not_know(client: Client, evening: Evening) -> None:
    """Asked by an owner: who may not read a list at all is told of that first."""
    client.force_login(evening.cast.users["olga"])
    for path in addresses(
        "", club="riverside", event="league", code="r1t1", number=1, player_id="RL01",
        variant="hearts",
    ):  # fmt: skip
        if path not in PLAIN:
            send = client.post if path.endswith("/score") else client.get
            assert refusal(send(f"{path}?colour=red")) == (400, ["unknown_parameter"]), path


def test_refused_method_comes_with_those_that_are_allowed(client: Client) -> None:
    response = client.delete("/api/v1/clubs")
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}
    assert problem(response)["detail"] == "This endpoint does not support DELETE."


def test_form_that_an_address_does_not_have_is_406(client: Client, evening: Evening) -> None:
    response = client.get(f"{evening.at}/standings", headers={"accept": "text/csv"})
    assert (response.status_code, codes(response)) == (406, ["not_acceptable"])
    csv = client.get(f"{evening.at}/standings.csv", headers={"accept": "text/csv"})
    assert csv.status_code == 200


def test_host_name_that_is_not_ours_is_refused_in_the_same_form(client: Client) -> None:
    response = client.get("/api/v1/clubs", headers={"host": "evil.example"})
    assert (response.status_code, codes(response)) == (400, ["bad_request"])


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_database_that_is_away_is_503_with_a_time(client: Client, error: type[Exception]) -> None:
    with database_raises(error, "server closed the connection"):
        response = client.get("/api/v1/clubs")
    assert (response.status_code, codes(response)) == (503, ["try_again"])
    assert response.headers["Retry-After"] == "2"
    assert "connection" not in response.content.decode()


@pytest.mark.parametrize(
    "cause", [psycopg.errors.DeadlockDetected(), psycopg.errors.LockNotAvailable()]
)
def test_database_that_is_busy_is_not_said_to_be_away(
    cause: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client(raise_request_exception=False)
    with database_raises(OperationalError, "somebody was first", cause):
        response, page = client.get("/api/v1/clubs"), client.get("/clubs/riverside")
    assert (response.status_code, codes(response)) == (503, ["try_again"])
    assert problem(response)["errors"][0]["message"].startswith("The database is busy: others")
    assert page.status_code == 503
    assert "Others were saving at the same moment" in page.content.decode()
    assert "database_busy" in caplog.text
    assert "database_away" not in caplog.text


def test_our_own_mistake_is_500_with_the_reference_of_the_log(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with database_raises(ValueError, "three totals for four places"):
        response = client.get("/api/v1/clubs", headers={"x-request-id": "paper-sheet-7"})
    assert (response.status_code, codes(response)) == (500, ["internal_error"])
    assert problem(response)["errors"][0]["facts"] == {"reference": "paper-sheet-7"}
    assert "three totals" not in response.content.decode()
    logged: list[Any] = [record.msg for record in caplog.records if record.name == "blacklady.api"]
    assert [line["reference"] for line in logged] == ["paper-sheet-7"]
    assert "three totals for four places" in logged[0]["exception"]


def test_pointer_is_a_json_pointer() -> None:
    assert pointer(("entry", "hearts", 2)) == "/entry/hearts/2"
    assert pointer(("a/b", "m~n")) == "/a~1b/m~0n"


def test_pages_are_none_of_its_business(client: Client) -> None:
    response = client.get("/clubs/atlantis")
    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("text/html")
    assert "Access-Control-Allow-Origin" not in response.headers


def test_error_pages_of_the_reference_are_readable(client: Client) -> None:
    response = client.get("/api/v1/docs/errors.md")
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "### missing_cards" in response.content.decode()


def headings(project_root: Path) -> set[str]:
    text = (project_root / "docs" / "errors.md").read_text(encoding="utf-8")
    return set(re.findall(r"^### ([a-z_]+)$", text, re.M))


def raised(project_root: Path) -> set[str]:
    """Each code that stands in the code as `Problem("…")`."""
    found = set()
    for package in ("scoring", "tournaments", "api"):
        for file in (project_root / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "Problem":
                    first = node.args[0] if node.args else None
                    if isinstance(first, ast.Constant):
                        found.add(str(first.value))
    return found


def missing_kinds(project_root: Path) -> set[str]:
    """Each code that `Missing("…")` makes."""
    found = set()
    for file in (project_root / "tournaments").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        found |= {f"unknown_{kind}" for kind in re.findall(r"Missing\(\s*\"([a-z_]+)\"", text)}
    return found


def test_every_code_is_explained_and_nothing_else_is(project_root: Path) -> None:
    assert headings(project_root) == CODES
    path = project_root / "docs" / "errors.md"
    text = path.read_text(encoding="utf-8")
    if os.environ.get("WRITE_ERRORS"):
        path.write_text(error_codes(text), encoding="utf-8")
    assert text == error_codes(text), "make errors writes it"


def test_every_code_that_is_raised_has_a_sentence(project_root: Path) -> None:
    assert raised(project_root) | missing_kinds(project_root) <= CODES


def test_every_code_stands_in_one_subject() -> None:
    assert sum(len(subject) for subject in SUBJECTS) == len(OF_THE_APP)
