"""Help beside what it explains: terms, the tour of the demo club, what can be shared."""

import re

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from tests.support.builders import TESTS
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.sources import ROOT
from tournaments.domain.help.documents import glossary_term
from tournaments.selectors.clubs.demo_club import tour_stops
from tournaments.services.demo import set_up_sign_in

QR = "/qr.svg?page="


def page_at(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def test_every_term_that_a_template_explains_is_in_the_glossary() -> None:
    words = {
        word
        for path in (ROOT / "templates").rglob("*.html")
        for word in re.findall(r'\{% term "([^"]+)" %\}', path.read_text(encoding="utf-8"))
    }
    assert {"cut-off", "moon", "double entry", "under review"} <= words
    assert all(glossary_term(word).meaning for word in words)


def test_standings_explain_how_they_are_ranked_once_and_lead_to_the_glossary(
    evenings: Evenings,
) -> None:
    page = page_at(Client(), ADDRESS)
    assert page.count("What is “average a hand”?") == 1
    assert '<a href="/help/glossary#average-a-hand">' in page
    assert '<tr id="average-a-hand">' in page_at(Client(), "/help/glossary")


def test_tour_leads_through_five_pages_of_the_demo_club_only(evenings: Evenings) -> None:
    owner = evenings.client("olga")
    assert "This site has no demo club." in page_at(Client(), "/help/tour")
    set_up_sign_in(
        actor=TESTS,
        club=evenings.cast.riverside,
        username="riverside-owner",
        password="seven hearts of a club",
        now=timezone.now(),
    )
    first, *_, last = tour_stops()
    assert f'href="{first.url}">Start tour</a>' in page_at(Client(), "/help/tour")
    page = page_at(Client(), first.url)
    assert "Stop 1 of 5: Standings" in page
    assert f'<a class="btn" href="{tour_stops()[1].url}">Next: Why a place</a>' in page
    assert "Stop 5 of 5: Manage" in page_at(owner, last.url)
    assert "Stop 1 of 5" not in page_at(Client(), ADDRESS)
    assert "Stop" not in page_at(Client(), f"{ADDRESS}/meetings?tour=1")


def test_link_and_text_to_share_are_those_of_the_page_without_the_tour(
    evenings: Evenings,
) -> None:
    page = page_at(Client(), f"{ADDRESS}?tour=1&player=RL02")
    assert f'id="share-link" readonly value="http://testserver{ADDRESS}?player=RL02"' in page
    text = page.partition('<textarea id="share-text"')[2].partition("</textarea>")[0]
    assert "\n1. Zoë K.  1.0000\n2. Elsa" in text
    assert text.endswith(f"\nhttp://testserver{ADDRESS}?player=RL02")
    assert "Everybody can open this link" in page
    assert "share-text" not in page_at(Client(), f"{ADDRESS}?sort=points")


def test_manage_of_a_round_shares_the_public_page(evenings: Evenings) -> None:
    public = "/clubs/riverside/events/league/rounds/1"
    page = page_at(evenings.client("dirk"), f"{public}/direct")
    assert f'id="share-link" readonly value="http://testserver{public}"' in page
    assert "Share the public page" in page
    assert "data-print" not in page


def test_code_to_scan_is_drawn_for_pages_of_this_site_only(evenings: Evenings) -> None:
    answer = Client().get(f"{QR}{ADDRESS}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    assert answer.content.startswith(b"<?xml")
    for other in ("//evil.example/x", "https://evil.example/", "/no/such/page", "", "/" * 600):
        assert Client().get(f"{QR}{other}").status_code == 404, other


@pytest.mark.django_db
def test_reference_of_the_look_is_there_in_debug_only(settings: Settings) -> None:
    assert Client().get("/styleguide/").status_code == 404
    settings.DEBUG = True
    assert "<h1>Style guide</h1>" in page_at(Client(), "/styleguide/")
