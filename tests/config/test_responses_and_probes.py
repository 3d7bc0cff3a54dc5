"""What every answer carries, who may sign up, and what the probes say."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import structlog
from django.db import OperationalError, connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone
from pytest_django import Settings

from config.web import refusals
from tests.support.builders import league
from tests.support.cast import enter_the_cast
from tests.support.pages.text import text_of
from tournaments.models.jobs import event_scope
from tournaments.services.jobs.enqueue import mark_changed
from tournaments.tasks import run_job

pytestmark = pytest.mark.django_db


def test_liveness_needs_no_database_and_no_host_name(client: Client) -> None:
    response = client.get("/healthz", headers={"host": "10.1.2.3:8000"})
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert response["Cache-Control"] == "no-store"


def test_page_carries_the_security_headers_and_its_request_id(client: Client) -> None:
    response = client.get("/accounts/login/", headers={"x-request-id": "paper-sheet-7"})
    assert response.status_code == 200
    assert response["X-Request-ID"] == "paper-sheet-7"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    policy = dict(
        part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";")
    )
    assert policy == {
        "default-src": "'self'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }


def test_request_id_that_could_forge_a_log_line_is_replaced(client: Client) -> None:
    response = client.get("/healthz", headers={"x-request-id": 'x" "level": "error'})
    assert len(response["X-Request-ID"]) == 32


def test_stranger_cannot_sign_up(client: Client) -> None:
    page = client.get("/accounts/signup/")
    assert b"<form" not in page.content.split(b"<main", 1)[-1].split(b"</main", 1)[0]
    client.post(
        "/accounts/signup/",
        {"username": "nora", "password1": "a-long-Password-1", "password2": "a-long-Password-1"},
    )
    assert "_auth_user_id" not in client.session


def test_admin_sends_to_the_one_sign_in(client: Client) -> None:
    response = client.get("/admin/", follow=True)
    assert response.redirect_chain[-1][0].startswith("/accounts/login/?next=")


def test_database_that_does_not_answer_is_a_503_with_retry_after(rf: RequestFactory) -> None:
    try:
        raise OperationalError("database is locked")
    except OperationalError:
        response = refusals.handle_server_error(rf.get("/riverside"))
    assert (response.status_code, response["Retry-After"]) == (503, "5")


def test_full_disk_is_a_507_that_says_what_to_do(rf: RequestFactory) -> None:
    try:
        with connection_without_room() as database:
            database.execute("CREATE TABLE hand (number INTEGER)")
    except sqlite3.OperationalError as cause:
        response = response_to(OperationalError("database or disk is full"), cause, rf)
    assert response.status_code == 507
    assert b"was not saved" in response.content


def test_fault_of_a_disk_with_room_is_no_full_disk(rf: RequestFactory, tmp_path: Path) -> None:
    try:
        sqlite3.connect(tmp_path / "nowhere" / "live.sqlite3")
    except sqlite3.OperationalError as cause:
        response = response_to(OperationalError("unable to open database file"), cause, rf)
    assert response.status_code == 503


@contextmanager
def connection_without_room() -> Iterator[sqlite3.Connection]:
    """A database that may not grow beyond its first page."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("PRAGMA max_page_count = 1")
        yield database


def response_to(fault: Exception, cause: Exception, rf: RequestFactory) -> HttpResponse:
    try:
        raise fault from cause
    except OperationalError:
        return refusals.handle_server_error(rf.get("/riverside"))


def test_our_own_mistake_is_a_500(rf: RequestFactory) -> None:
    try:
        raise ValueError("3 totals for 4 places")
    except ValueError:
        response = refusals.handle_server_error(rf.get("/riverside"))
    assert response.status_code == 500
    assert b"3 totals" not in response.content


def test_log_line_names_route_and_no_path(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    client.get("/accounts/login/?next=/secret-token")
    lines = [record.msg for record in caplog.records if record.name == "blacklady.request"]
    assert [line["route"] for line in lines if isinstance(line, dict)] == ["accounts/login/"]
    assert "secret-token" not in caplog.text


def test_log_lines_name_the_club_by_its_id_and_only_where_a_request_is_about_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    cast = enter_the_cast()
    client = cast.client("dirk")
    for path in ("/clubs/riverside", "/help", "/clubs/hilltop", "/api/v1/clubs/riverside"):
        assert client.get(path).status_code == 200
    lines = [record.msg for record in caplog.records if record.name == "blacklady.request"]
    clubs = [line.get("club") for line in lines if isinstance(line, dict)]
    assert clubs == [cast.riverside.pk, None, cast.hilltop.pk, cast.riverside.pk]
    assert "riverside" not in caplog.text


def test_log_lines_of_a_job_name_it(caplog: pytest.LogCaptureFixture) -> None:
    event = league(enter_the_cast().riverside)
    mark_changed(event=event, now=timezone.now())
    log = structlog.get_logger("blacklady.tests")
    run_job(event_scope(event.pk), lambda job: log.warning("within"), limit_s=None)
    log.warning("after")
    lines = [record.msg for record in caplog.records if record.name == "blacklady.tests"]
    jobs = [line.get("job") for line in lines if isinstance(line, dict)]
    assert jobs == [event_scope(event.pk), None]


def test_host_that_is_not_allowed_names_the_setting_and_no_other_host(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["club.example"]
    answer = Client().get("/", headers={"host": "192.168.1.20:8000"})
    assert "add this host name to the setting ALLOWED_HOSTS" in text_of(answer, 400)
    assert b"club.example" not in answer.content


def test_writer_who_waits_for_a_place_is_told_that_others_save(
    rf: RequestFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("of SQLite only")
    monkeypatch.setattr(refusals, "AT_ONCE", 0)
    monkeypatch.setattr(refusals, "WAIT_S", 0)
    guarded = refusals.limit_writers(lambda _request: HttpResponse())
    rest, page = guarded(rf.post("/api/v1/clubs")), guarded(rf.post("/clubs"))
    assert (rest.status_code, rest["Retry-After"]) == (503, "2")
    message = json.loads(rest.content)["errors"][0]["message"]
    assert message.startswith("The database is busy: others were saving")
    assert "Others were saving at the same moment" in page.content.decode()
