"""The title of a page says first that nothing was saved."""

import re
from html import unescape

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.cast import Cast

NEW_SEASON = "/clubs/riverside/new-season"


def title(page: Answer) -> str:
    found = re.search(r"<title>(.*?)</title>", page.content.decode(), re.DOTALL)
    assert found is not None
    return " ".join(unescape(found[1]).split())


@pytest.fixture
def dirk(cast: Cast) -> Client:
    return cast.client("dirk")


def test_refused_form_is_said_before_the_name_of_the_page(dirk: Client) -> None:
    shown = title(dirk.get(NEW_SEASON))
    assert not shown.startswith("Not saved")
    refused = dirk.post(NEW_SEASON, {"name": ""})
    assert refused.status_code == 422
    assert title(refused) == f"Not saved: {shown}"


def test_search_that_finds_nothing_was_not_to_be_saved(dirk: Client) -> None:
    page = dirk.get("/clubs/riverside/events/none/standings?round=first")
    assert page.status_code == 404
    assert not title(page).startswith("Not saved")


def test_sign_in_that_failed_has_the_focus_on_why(cast: Cast, client: Client) -> None:
    page = client.post("/accounts/login/", {"login": "dirk", "password": "wrong"}).content.decode()
    assert re.search(r'role="alert"[^>]*\bautofocus\b', page)
    assert page.count(" autofocus") == 1
