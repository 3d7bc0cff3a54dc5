"""The head of public pages: canonical, Open Graph, JSON-LD, links; and who is left out."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from tests.support.cast import Cast
from tests.support.scenarios.evenings import ADDRESS, HOSTILE, Evenings
from tests.support.scenarios.ladders import climbing
from tournaments.models.events import Event

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
    assert [one["name"] for one in listed["itemListElement"]] == [one["player"] for one in rows]
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
def test_page_that_is_not_public_tells_other_sites_nothing(
    evenings: Evenings, visibility: str
) -> None:
    evenings.client("olga").post(f"{ADDRESS}/visibility", {"visibility": visibility})
    assert Event.objects.get(pk=evenings.event.pk).visibility == visibility
    answer = evenings.client("dirk").get(ADDRESS)
    page = answer.content.decode()
    for mark in ('rel="canonical"', "og:", "ld+json", 'rel="alternate"', "embed-line", "Subscribe"):
        assert mark not in page, mark
    assert answer["X-Robots-Tag"] == "noindex"


def test_search_engines_leave_out_what_is_somebodys_own(cast: Cast) -> None:
    assert "X-Robots-Tag" not in cast.client().get("/clubs/riverside").headers
    assert cast.client("dirk").get("/clubs/riverside")["X-Robots-Tag"] == "noindex"
    assert cast.client("dirk").get("/me")["X-Robots-Tag"] == "noindex"


def test_event_page_offers_its_line_and_its_links_without_a_script(evenings: Evenings) -> None:
    page = unescape(evenings.client().get(ADDRESS).content.decode())
    assert f'<iframe src="{SITE}{ADDRESS}/embed" title="Autumn league, Riverside"' in page
    assert f'value="{SITE}{ADDRESS}/results.atom"' in page
    assert 'href="webcal://testserver/clubs/riverside/calendar.ics"' in page
    club = evenings.client().get("/clubs/riverside").content.decode()
    assert "webcal://testserver/clubs/riverside/calendar.ics" in club
