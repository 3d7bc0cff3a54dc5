"""There are no catalogues yet, so that every browser reads English, dates included."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.pages.templates import FORMS, PAGES
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings

pytestmark = pytest.mark.django_db

GERMAN = "de-DE,de;q=0.9,fr;q=0.5"
SIGN_IN = ("/accounts/login/", "/accounts/password/reset/", "/accounts/signup/", "/t")
ADMIN = (
    "/admin/",
    "/admin/tournaments/club/add/",
    "/admin/tournaments/event/",
    "/admin/tournaments/meeting/",
)


def page(client: Client, path: str, language: str) -> str:
    """What a page says, without what is new each time."""
    answer = client.get(path, headers={"accept-language": language}, follow=True)
    assert answer.status_code < 500, path
    text = answer.content.decode()
    assert re.search(r'<html[^>]* lang="en(-us)?"', text), path
    return re.sub(r"(page|grid)-[0-9a-f-]{36}|reference: [0-9a-f]{8}", "", text_of(answer))


@pytest.fixture
def reader(evenings: Evenings) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


def test_standings_are_dated_in_english(evenings: Evenings) -> None:
    page_ = evenings.client().get(ADDRESS, headers={"accept-language": GERMAN})
    assert "Thursday 13 November 2025" in text_of(page_)
    assert "Donnerstag" not in text_of(page_)
    assert page_["Content-Language"] == "en"


@pytest.mark.parametrize("path", [*PAGES, *FORMS, *ADMIN])
def test_page_says_the_same_to_a_german_browser(reader: Client, path: str) -> None:
    assert page(reader, path, GERMAN) == page(reader, path, "en")


@pytest.mark.parametrize("path", SIGN_IN)
@pytest.mark.usefixtures("evenings")  # all of this module lies in one transaction
def test_sign_in_says_the_same_to_a_german_browser(client: Client, path: str) -> None:
    assert page(client, path, GERMAN) == page(client, path, "en")


def test_rest_refuses_in_english(client: Client, evenings: Evenings) -> None:
    answers = [
        client.get("/api/v1/clubs/nowhere", headers={"accept-language": language}).json()["errors"]
        for language in (GERMAN, "en")
    ]
    assert answers[0] == answers[1]
