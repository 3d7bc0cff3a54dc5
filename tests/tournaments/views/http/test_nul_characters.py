"""A NUL character is a mistake of who sends it, on every database and through every input."""

from typing import Any

import pytest
from django.conf import settings
from django.db import DataError
from django.test import Client

from tests.support.pages.hand_entry import NEW, TABLE, hidden, typed
from tests.support.rest.requests import codes, database_raises
from tests.support.scenarios.evenings import Evenings
from tournaments.models.hands import Entry

EVENT = "/clubs/riverside/events/league"
SAYS = "contains a NUL character (U+0000). Remove it. Nothing was changed."


@pytest.mark.parametrize("sent", [r'"\000"', r'"abcdefgh\000ijklmnop"'])
def test_session_cookie_with_one_is_no_session(evenings: Evenings, sent: str) -> None:
    client = Client(raise_request_exception=False)
    for path in ("/", EVENT, f"{EVENT}/direct", "/api/v1/clubs"):
        headers = {"cookie": f"{settings.SESSION_COOKIE_NAME}={sent}"}
        expected = client.get(path).status_code
        assert client.get(path, headers=headers).status_code == expected, path


@pytest.mark.parametrize(
    "path", ["/ladder/what-if?player=%00", "/standings?%00=1", "/meetings?cursor=a%00"]
)
def test_query_with_one_is_refused_over_rest(evenings: Evenings, path: str) -> None:
    answer = Client(raise_request_exception=False).get(f"/api/v1{EVENT}{path}")
    assert (answer.status_code, codes(answer)) == (400, ["nul_character"])


def test_query_with_one_is_refused_on_a_page(evenings: Evenings) -> None:
    answer = Client(raise_request_exception=False).get(f"{EVENT}?player=%00")
    assert answer.status_code == 400
    assert f"The query {SAYS}" in answer.content.decode()
    assert answer.headers["Content-Security-Policy"], "the headers of every page"


@pytest.mark.parametrize("field", ["key", "reason", "way", "hearts-1"])
@pytest.mark.parametrize("path", [NEW, f"{TABLE}/hands/1/edit"])
def test_form_of_a_hand_with_one_saves_nothing(evenings: Evenings, path: str, field: str) -> None:
    client: Any = evenings.client("hanna")
    client.raise_request_exception = False
    fields: dict[str, object] = {**hidden(client.get(path)), **typed([4, 1, 2, 6], 3)}
    before = Entry.objects.count()
    answer = client.post(path, {**fields, "reason": "Again.", "go": "save", field: "a\0b"})
    assert answer.status_code == 400
    assert f"The form {SAYS}" in answer.content.decode()
    assert Entry.objects.count() == before


def test_one_that_only_the_database_finds_is_no_mistake_of_ours(evenings: Evenings) -> None:
    client = Client(raise_request_exception=False)
    with database_raises(DataError, "PostgreSQL text fields cannot contain NUL (0x00) bytes"):
        page, rest = client.get(EVENT), client.get("/api/v1/clubs")
    assert page.status_code == 400
    assert f"The request {SAYS}" in page.content.decode()
    assert (rest.status_code, codes(rest)) == (400, ["nul_character"])


def test_names_with_one_are_refused_on_every_page_of_names(evenings: Evenings) -> None:
    client: Any = evenings.client("olga")
    client.raise_request_exception = False
    club = "/clubs/riverside"
    paths = ("/clubs/new", f"{club}/new-event", f"{club}/players/add", f"{club}/house-rules/new")
    for path in (*paths, f"{EVENT}/settings", f"{EVENT}/adjustments", f"{TABLE}/change-players"):
        answer = client.post(path, {"name": "A\0b", "reason": "A\0b", "summary": "\0"})
        assert answer.status_code in (400, 404), path
        if answer.status_code == 400:
            assert f"The form {SAYS}" in answer.content.decode(), path
