"""The head of public pages, their language, and the appearance by choice."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.support.cast import Cast
from tests.support.pages.templates import FORMS, PAGES
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, HOSTILE, Evenings
from tests.support.scenarios.ladders import climbing
from tournaments.models.events import Event

pytestmark = pytest.mark.django_db
SITE = "http://testserver"
LINK = re.compile(r'<link rel="alternate" type="([^"]+)" title="[^"]*" href="([^"]+)">')


def head_of(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    text: str = answer.content.decode()
    return text.partition("</head>")[0]


def canonical(head: str) -> str:
    (found,) = re.findall(r'<link rel="canonical" href="([^"]+)">', head)
    return str(found)


def prop(head: str, name: str) -> str:
    (found,) = re.findall(rf'<meta property="{name}" content="([^"]*)">', head)
    return unescape(found)


def data(head: str) -> list[Any]:
    (text,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', head)
    document = json.loads(text)
    assert document["@context"] == "https://schema.org"
    return list(document["@graph"])


def test_event_says_what_it_is_and_every_link_leads_somewhere(evenings: Evenings) -> None:
    client = evenings.client()
    head = head_of(client, f"{ADDRESS}?sort=hands")
    assert canonical(head) == SITE + ADDRESS
    assert prop(head, "og:title") == "Autumn league · Riverside"
    assert prop(head, "og:image") == f"{SITE}/api/v1{ADDRESS}/standings.png"
    links = {kind: unescape(url) for kind, url in LINK.findall(head)}
    assert set(links) == {
        "application/atom+xml", "application/json", "text/csv", "text/calendar",
        "application/json+oembed",
    }  # fmt: skip
    for kind, url in links.items():
        answer = client.get(url.removeprefix(SITE))
        assert answer.status_code == 200, url
        assert answer["Content-Type"].split(";")[0] in (kind, "application/json"), url
    assert client.get(links["application/json+oembed"].removeprefix(SITE)).json()["type"] == "rich"


def test_data_of_an_event_list_who_leads_in_the_order_of_json(evenings: Evenings) -> None:
    client = evenings.client()
    event, listed = data(head_of(client, ADDRESS))
    assert event["@type"] == "SportsEvent"
    assert event["url"] == SITE + ADDRESS
    assert event["organizer"]["name"] == "Riverside"
    rows = client.get(f"/api/v1{ADDRESS}/standings").json()["rows"]
    assert [one["name"] for one in listed["itemListElement"]] == [row["player"] for row in rows]
    assert HOSTILE in [one["name"] for one in listed["itemListElement"]]
    assert HOSTILE not in head_of(client, ADDRESS)


def test_ladder_and_club_have_heads_of_their_own(evenings: Evenings) -> None:
    event = climbing(evenings.cast)
    at = f"/clubs/riverside/events/{event.slug}"
    client = evenings.client()
    head = head_of(client, f"{at}/ladder")
    assert canonical(head) == f"{SITE}{at}/ladder"
    assert data(head)[1]["itemListElement"][0]["position"] == 1
    picture = prop(head, "og:image")
    assert picture == f"{SITE}/api/v1{at}/ladder.png"
    assert data(head)[0]["image"] == picture
    answer = client.get(picture.removeprefix(SITE))
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    club = head_of(client, "/clubs/riverside")
    assert canonical(club) == f"{SITE}/clubs/riverside"
    assert data(club)[0]["@type"] == "SportsOrganization"
    assert canonical(head_of(client, f"{ADDRESS}/publications")) == f"{SITE}{ADDRESS}/publications"


@pytest.mark.parametrize("visibility", ["members", "held"])
def test_page_not_public_tells_other_sites_nothing(evenings: Evenings, visibility: str) -> None:
    evenings.client("olga").post(f"{ADDRESS}/visibility", {"visibility": visibility})
    assert Event.objects.get(pk=evenings.event.pk).visibility == visibility
    answer = evenings.client("dirk").get(ADDRESS)
    page = answer.content.decode()
    for mark in ('rel="canonical"', "og:", "ld+json", 'rel="alternate"', "embed-line", "Subscribe"):
        assert mark not in page, mark
    assert answer["X-Robots-Tag"] == "noindex"


def test_browser_that_guesses_the_address_of_the_icon_finds_it() -> None:
    answer = Client().get("/favicon.ico")
    assert (answer.status_code, answer["Location"]) == (302, "/static/blacklady/favicon.svg")


def test_search_engines_leave_out_what_is_somebodys_own(cast: Cast) -> None:
    assert "X-Robots-Tag" not in cast.client().get("/clubs/riverside").headers
    assert cast.client("dirk").get("/clubs/riverside")["X-Robots-Tag"] == "noindex"
    assert cast.client("dirk").get("/me")["X-Robots-Tag"] == "noindex"


def test_event_page_offers_its_line_and_its_links_without_a_script(evenings: Evenings) -> None:
    page = unescape(evenings.client().get(ADDRESS).content.decode())
    assert f'<iframe src="{SITE}{ADDRESS}/embed" title="Autumn league, Riverside"' in page
    assert f'value="{SITE}{ADDRESS}/evenings.atom"' in page
    assert 'href="webcal://testserver/clubs/riverside/calendar.ics"' in page
    club = evenings.client().get("/clubs/riverside").content.decode()
    assert "webcal://testserver/clubs/riverside/calendar.ics" in club


GERMAN = "de-DE,de;q=0.9,fr;q=0.5"
SIGN_IN = ("/accounts/login/", "/accounts/password/reset/", "/accounts/signup/", "/t")
ADMIN = (
    "/admin/",
    "/admin/tournaments/club/add/",
    "/admin/tournaments/event/",
    "/admin/tournaments/meeting/",
)


def page(client: Client, path: str, language: str) -> str:
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


def test_chosen_scheme_is_kept_and_set_by_the_server(client: Client) -> None:
    assert b"data-theme" not in client.get("/").content
    chosen = client.post("/theme", {"theme": "dark", "next": "/clubs/x?y=1"})
    assert chosen["Location"] == "/clubs/x?y=1"
    assert b'<html lang="en" data-theme="dark">' in client.get("/").content
    client.post("/theme", {"theme": "all"})
    assert b"data-theme" not in client.get("/").content
    client.cookies["theme"] = '"><script>'
    page = client.get("/").content
    assert b"data-theme" not in page
    assert b'"><script>' not in page


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:x"])
def test_way_back_never_leads_to_another_site(client: Client, elsewhere: str) -> None:
    assert client.post("/theme", {"theme": "dark", "next": elsewhere})["Location"] == "/"
    assert elsewhere.encode() not in client.get("/theme", {"next": elsewhere}).content


def test_sign_in_leads_back_and_a_wrong_password_says_so(client: Client) -> None:
    User.objects.create_user("olga", password="clubs are trumps")
    wrong = client.post("/accounts/login/", {"login": "olga", "password": "hearts"})
    assert wrong.status_code == 200
    assert "Sign-in failed" in wrong.content.decode()
    assert 'value="olga"' in wrong.content.decode()
    right = {"login": "olga", "password": "clubs are trumps", "next": "/theme"}
    assert client.post("/accounts/login/", right)["Location"] == "/theme"
    assert b"<b>olga</b>" in client.get("/").content
    assert b"You are signed in as olga" in client.get("/accounts/logout/").content
    client.post("/accounts/logout/")
    assert b"Sign in" in client.get("/").content


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/password/reset/"])
def test_sign_in_pages_wear_the_look(client: Client, path: str) -> None:
    answer = client.get(path)
    page = answer.content.decode()
    assert "look.css" in page
    assert not re.search(r"<[^>]+\s(style|on[a-z]+)=|<style", page)
    assert "unsafe" not in answer["Content-Security-Policy"]
    assert page.count("<label") == page.count("<input") - page.count('type="hidden"')
