"""The documentation as pages, its search, and help beside what it explains."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver, resolve
from django.utils import timezone
from pytest_django import Settings

from tests.support.builders import TESTS
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.sources import ROOT
from tournaments.domain.help import documents
from tournaments.domain.help.documents import glossary_term
from tournaments.selectors.clubs.demo_club import tour_stops
from tournaments.services.demo import set_up_sign_in
from tournaments.templatetags.help import TOPICS, topic_url

pytestmark = pytest.mark.django_db

NAMES = sorted(
    str(path.relative_to(ROOT / "docs").with_suffix("")) for path in (ROOT / "docs").rglob("*.md")
)


def page_at(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def address(name: str) -> str:
    return "/help" if name == "index" else f"/help/{name}"


def test_every_document_is_a_page_whose_links_and_images_are_there(client: Client) -> None:
    pages = {address(name): page_at(client, address(name)) for name in NAMES}
    pages |= {path: page_at(client, path) for path in ("/help/algorithms", "/help/decisions")}
    ids = {path: set(re.findall(r' id="([^"]+)"', page)) for path, page in pages.items()}
    dead = []
    for path, page in pages.items():
        assert page.count("<h1") == 1, path
        captions = re.findall(r'<table class="t">\s*<caption class="vh">[^<]+</caption>', page)
        assert len(captions) == page.count("<table"), path
        article = page.partition("<article")[2].partition("</article>")[0]
        for link in map(unescape, re.findall(r'<a href="([^"]+)"', article)):
            if link.startswith(("http", "mailto:")):
                continue
            where, _, anchor = link.partition("#")
            where = where or path
            if where not in pages or (anchor and anchor not in ids[where]):
                dead.append(f"{path}: {link}")
        images = re.findall(r'<img src="([^"]+)"', article)
        dead += [f"{path}: {image}" for image in images if client.get(image).status_code != 200]
    assert dead == []


def test_text_of_a_document_is_never_markup_or_script(
    client: Client, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings.DEBUG = True
    monkeypatch.setattr(documents, "DOCS", tmp_path)
    (tmp_path / "odd.md").write_text(
        "# Odd <i>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<script>alert(1)</script> <b>x</b>\n\n"
        "[go](javascript:alert(1)) "
        "[out](../pyproject.toml) [here](odd.md#odd)\n"
    )
    page = page_at(client, "/help/odd").partition("<article")[2].partition("</article>")[0]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert '<caption class="vh">Odd &lt;i&gt;</caption>' in page
    assert 'aria-label="Odd &lt;i&gt;"' in page
    assert re.findall(r'href="([^"]*)"', page) == ["/help/odd#odd"]


@pytest.mark.parametrize("image", ["../index.md", "%2e%2e/index.md", "..%2findex.md", "none.png"])
def test_only_images_of_the_documentation_are_answered(client: Client, image: str) -> None:
    assert client.get(f"/help/images/{image}").status_code == 404
    answer = client.get("/help/images/page-standings.png")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")


@pytest.mark.parametrize(
    ("query", "link"),
    [
        ("play-off ties", "/help/for-directors#break-ties-with-a-play-off"),
        ("PASSK", "/help/for-players#sign-in-with-a-passkey"),
        ("cafe lod", "/help/for-directors#create-a-club"),
    ],
)
def test_search_finds_sections_by_word_beginnings(client: Client, query: str, link: str) -> None:
    page = page_at(client, f"/help?q={query}")
    assert f'<a href="{link}">' in page
    assert "<mark>" in page


def test_search_that_finds_nothing_offers_another_way(client: Client) -> None:
    page = page_at(client, "/help?q=<i>xyzzy")
    assert "Nothing found for “&lt;i&gt;xyzzy”" in page
    assert '<a href="/help/glossary">' in page
    assert "Nothing found" not in page_at(client, "/help?q=glossary")


def test_the_page_that_explains_a_page_exists_with_its_section(client: Client) -> None:
    pages = {str(name) for name in get_resolver("tournaments.urls").reverse_dict}
    assert set(TOPICS) - pages == set()
    wrong = []
    for name in TOPICS:
        where, _, anchor = topic_url(name).partition("#")
        if f' id="{anchor}"' not in page_at(client, where) and anchor:
            wrong.append(f"{name}: {where}#{anchor}")
    assert wrong == []


def test_foot_leads_to_the_help_of_the_page(client: Client) -> None:
    assert '<a href="/help/for-players#change-the-appearance">Help</a>' in page_at(client, "/theme")
    assert '<a href="/help">Help</a>' in page_at(client, "/help/shortcuts")
    assert resolve("/theme").url_name in TOPICS


def test_documentation_is_in_the_image_that_is_built() -> None:
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert [line for line in ignored if "docs" in line or ".md" in line] == []
    assert "\nCOPY . .\n" in (ROOT / "Dockerfile").read_text(encoding="utf-8")


QR = "/qr.svg?page="


def test_every_term_that_a_template_explains_is_in_the_glossary() -> None:
    words = {
        word
        for path in (ROOT / "templates").rglob("*.html")
        for word in re.findall(r'\{% term "([^"]+)" %\}', path.read_text(encoding="utf-8"))
    }
    assert {"cut-off", "moon", "double entry", "under review"} <= words
    assert all(glossary_term(word)[1] for word in words)


def test_standings_explain_their_ranking_once_and_lead_to_the_glossary(evenings: Evenings) -> None:
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


def test_link_and_text_to_share_are_those_of_the_page_without_the_tour(evenings: Evenings) -> None:
    page = page_at(Client(), f"{ADDRESS}?tour=1&player=RL02")
    assert f'id="share-link" readonly value="http://testserver{ADDRESS}?player=RL02"' in page
    page_of_one = page_at(Client(), f"{ADDRESS}/publications/1?tour=1")
    text = page_of_one.partition('<textarea id="share-text"')[2].partition("</textarea>")[0]
    assert "\n1. Zoë K.  1.00\n2. Elsa" in text
    assert text.endswith(f"\nhttp://testserver{ADDRESS}/publications/1")
    assert "Everybody can read this page by the link" in page
    assert "share-text" not in page_at(Client(), f"{ADDRESS}/publications/1?sort=points")


def test_code_to_scan_is_drawn_for_pages_of_this_site_only(evenings: Evenings) -> None:
    answer = Client().get(f"{QR}{ADDRESS}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    assert answer.content.startswith(b"<?xml")
    for other in ("//evil.example/x", "https://evil.example/", "/no/such/page", "", "/" * 600):
        assert Client().get(f"{QR}{other}").status_code == 404, other


def test_style_guide_is_for_staff_only(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    assert Client().get("/styleguide/").status_code == 302
    assert dirk.get("/styleguide/").status_code == 302
    User.objects.filter(username="dirk").update(is_staff=True)
    assert "<h1>Style guide</h1>" in page_at(dirk, "/styleguide/")


def test_page_of_help_that_is_not_there_is_no_page(client: Client) -> None:
    page = client.get("/help/nonsense")
    assert "There is no page at this address." in text_of(page, 404)
    assert "/api/v1" not in text_of(page)
