"""Standings on other sites: the Atom feed, the embedded table, oEmbed. All say what JSON says."""

import json
import re
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import quote

import feedparser
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, hand, league
from tests.support.cast import NOW
from tests.support.scenarios.evenings import ADDRESS, HOSTILE, Evenings
from tests.support.scenarios.ladders import climbing
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Publication
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.publishing.publications import publish
from tournaments.views.standings.embed_and_feed import _whole_places

FEED, EMBED = f"{ADDRESS}/results.atom", f"{ADDRESS}/embed"
REST = f"/api/v1{ADDRESS}/standings"
SITE = "http://testserver"
CELLS = re.compile(r"<tr>(.*?)</tr>", re.S)
CELL = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>", re.S)


def cells(html: str) -> list[list[str]]:
    body = html.partition("<tbody>")[2].partition("</tbody>")[0]
    return [[unescape(one) for one in CELL.findall(row)] for row in CELLS.findall(body)]


def published(client: Client, address: str = REST) -> list[list[str]]:
    return [
        [f"{row['rank']}{'=' * row['tied']}", row["player"], row["average_per_hand"]]
        for row in client.get(address).json()["rows"]
    ]


def feed_of(client: Client, address: str = FEED) -> Any:
    answer = client.get(address)
    assert answer.status_code == 200
    found = feedparser.parse(answer.content)
    assert not found.bozo, found.bozo_exception
    return found


def correct(event: Event, n: int, points: list[int]) -> None:
    hand(Game.objects.get(event=event, table__code="r2t1"), n, points, queen=1)
    assert publish(event.pk, now=NOW + timedelta(hours=n)) is not None


def test_feed_has_an_entry_for_each_publication_with_the_rows_of_json(evenings: Evenings) -> None:
    client = evenings.client()
    first = published(client)
    correct(evenings.event, 3, [3, 3, 3, 4])
    feed = feed_of(client)
    assert feed.version == "atom10"
    assert [entry.title for entry in feed.entries] == [
        "Autumn league: publication 2",
        "Autumn league: publication 1",
    ]
    new, old = feed.entries
    assert cells(new.content[0].value) == published(client) != first
    assert cells(old.content[0].value) == first
    assert old.link == f"{SITE}{ADDRESS}/publications/1"
    assert new.updated_parsed > old.updated_parsed
    assert new.updated == feed.feed.updated
    assert f"1. {first[0][1]} {first[0][2]}" in old.summary
    assert "Changed places:" in new.summary or "No place changed." in new.summary
    assert HOSTILE not in client.get(FEED).content.decode()
    assert feed.feed.author == "Riverside"
    links = {link.rel: link.href for link in feed.feed.links}
    assert links["self"] == f"{SITE}{FEED}"
    assert links["alternate"] == f"{SITE}{ADDRESS}"
    ids = [feed.feed.id, *(entry.id for entry in feed.entries)]
    assert all(re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", one) for one in ids)
    assert len(set(ids)) == len(ids)


def test_ids_stay_when_club_and_event_get_other_names_and_addresses(evenings: Evenings) -> None:
    before = feed_of(evenings.client())
    olga = evenings.client("olga")
    form = olga.get(f"{ADDRESS}/name").context["form"]
    fields = {name: form[name].value() for name in form.fields}
    page = olga.post(f"{ADDRESS}/name", {**fields, "name": "Winter league", "slug": "winter"})
    assert page.status_code == 302, page.content
    moved = evenings.client().get(FEED)
    assert moved.status_code == 308
    assert moved["Location"].endswith("/events/winter/results.atom")
    after = feed_of(evenings.client(), moved["Location"])
    assert after.feed.id == before.feed.id
    assert after.entries[-1].id == before.entries[0].id


def test_feed_comes_in_pages_that_lead_to_each_other(evenings: Evenings) -> None:
    for n in range(11):
        correct(evenings.event, 3 + n, [3, 3, 3, 4])
    client = evenings.client()
    first = feed_of(client)
    assert [entry.title[-2:] for entry in first.entries] == [f"{n:2}" for n in range(12, 2, -1)]
    last = feed_of(client, {link.rel: link.href for link in first.feed.links}["next"])
    assert [entry.title[-2:] for entry in last.entries] == [" 2", " 1"]
    links = {link.rel: link.href for link in last.feed.links}
    assert links["previous"] == links["first"] == f"{SITE}{FEED}"
    assert "next" not in links
    assert feed_of(client, f"{FEED}?page=9").entries == []
    for odd in ("0", "-1", "x", "9999999"):
        assert client.get(FEED, {"page": odd}).status_code == 400


@pytest.mark.parametrize("path", [FEED, EMBED])
def test_unchanged_surface_is_a_304_of_two_queries(evenings: Evenings, path: str) -> None:
    client = evenings.client()
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(path)
    assert len(queries) == 3
    assert answer["Cache-Control"] == "no-cache"
    with CaptureQueriesContext(connection) as queries:
        again = client.get(path, headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304
    assert again["ETag"] == answer["ETag"]
    assert len(queries) == 2
    correct(evenings.event, 3, [3, 3, 3, 4])
    changed = client.get(path, headers={"If-None-Match": answer["ETag"]})
    assert changed.status_code == 200
    assert changed["ETag"] != answer["ETag"]


def test_embedded_rows_are_those_of_the_page_with_its_decimals(evenings: Evenings) -> None:
    client = evenings.client()
    page = client.get(EMBED)
    rows = [[place, name, figure] for place, name, _hands, figure in cells(page.content.decode())]
    figures = re.findall(
        r'class="num key[^>]*>\s*<a[^>]*>([^<]+)<', client.get(ADDRESS).content.decode()
    )
    assert rows == [
        [*row[:2], shown] for row, shown in zip(published(client), figures, strict=True)
    ]
    assert len(figures[0]) < len(published(client)[0][2])
    assert (
        cells(client.get(EMBED, {"rows": 2}).content.decode()) == cells(page.content.decode())[:2]
    )
    assert "data-theme" not in page.content.decode()
    for theme in ("dark", "light"):
        assert f'data-theme="{theme}"' in client.get(EMBED, {"theme": theme}).content.decode()


def test_embedded_page_is_framed_anywhere_and_runs_and_sets_nothing(evenings: Evenings) -> None:
    page = evenings.client("dirk").get(EMBED)
    policy = page["Content-Security-Policy"]
    assert "frame-ancestors *" in policy
    assert "script-src 'none'" in policy
    assert "default-src 'none'" in policy
    assert "font-src 'self'" in policy
    assert "X-Frame-Options" not in page.headers
    assert not page.cookies
    assert "Cookie" not in page.headers.get("Vary", "")
    text = page.content.decode()
    assert not re.search(r"<script|<style|\sstyle=|\son\w+=", text)
    links = re.findall(r"<a [^>]*>", text)
    assert links
    assert all('target="_blank" rel="noopener"' in link for link in links)
    assert f'<link rel="canonical" href="{SITE}{ADDRESS}">' in text
    assert page["X-Robots-Tag"] == "noindex"
    # Every other page stays out of frames.
    assert evenings.client().get(ADDRESS)["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("query", "say"),
    [
        ("rows=0", "rows cannot be 0. It must be a number from 1 to 50."),
        ("rows=51", "rows cannot be 51. It must be a number from 1 to 50."),
        ("rows=ten", "rows cannot be ten. It must be a number from 1 to 50."),
        ("rows=", "rows is empty. It must be a number from 1 to 50."),
        ("theme=sepia", "theme cannot be sepia. It must be auto, light, dark."),
    ],
)
def test_odd_rows_or_theme_is_a_clear_400(evenings: Evenings, query: str, say: str) -> None:
    answer = evenings.client().get(f"{EMBED}?{query}")
    assert answer.status_code == 400
    assert say in unescape(answer.content.decode())
    assert answer["Cache-Control"] == "no-store"
    assert "frame-ancestors *" in answer["Content-Security-Policy"]


def test_ladder_is_embedded_and_fed_as_its_list(evenings: Evenings) -> None:
    event = climbing(evenings.cast)
    at = f"/clubs/riverside/events/{event.slug}"
    client = evenings.client()
    ladder = client.get(f"/api/v1{at}/ladder").json()
    expected = [
        [str(row["place"]), row["player"], row["rating_shown"] or "–"] for row in ladder["rows"]
    ]
    assert cells(client.get(f"{at}/embed").content.decode()) == expected[:10]
    entry = feed_of(client, f"{at}/results.atom").entries[0]
    assert cells(entry.content[0].value) == expected
    assert entry.link == f"{SITE}{at}/ladder/publications/{ladder['publication']['number']}"


@pytest.mark.parametrize("visibility", ["members", "held"])
@pytest.mark.parametrize("name", ["", "piet", "dirk", "olga"])
def test_nothing_private_is_on_another_site(evenings: Evenings, visibility: str, name: str) -> None:
    client = evenings.client(name)
    kept = {path: client.get(path)["ETag"] for path in (FEED, EMBED)}
    evenings.client("olga").post(f"{ADDRESS}/visibility", {"visibility": visibility})
    assert Event.objects.get(pk=evenings.event.pk).visibility == visibility
    for path in (FEED, EMBED, f"/oembed?url={quote(SITE + ADDRESS)}"):
        for headers in ({}, {"If-None-Match": kept.get(path, "*")}):
            answer = client.get(path, headers=headers)
            assert answer.status_code == 404, path
            assert answer["Cache-Control"] == "no-store"
            assert b"Elsa" not in answer.content
    evenings.client("olga").post(f"{ADDRESS}/visibility", {"visibility": "public"})
    assert client.get(EMBED).status_code == 200


def test_hidden_names_are_hidden_in_every_publication_of_the_feed(evenings: Evenings) -> None:
    correct(evenings.event, 3, [3, 3, 3, 4])
    client = evenings.client()
    etags = {path: client.get(path)["ETag"] for path in (FEED, EMBED)}
    set_names_policy(by_tests(), evenings.cast.riverside, policy="number")
    for path, tag in etags.items():
        answer = client.get(path, headers={"If-None-Match": tag})
        assert answer.status_code == 200, path
        assert "Anton S." not in answer.content.decode(), path


def test_oembed_gives_the_frame_and_keeps_to_the_width(evenings: Evenings) -> None:
    client = evenings.client()
    asked = {"url": f"{SITE}{ADDRESS}", "format": "json"}
    body = client.get("/oembed", asked).json()
    assert body["version"] == "1.0"
    assert body["type"] == "rich"
    assert body["title"] == "Autumn league"
    source = re.search(r'src="([^"]+)"', body["html"])
    assert source is not None
    assert unescape(source[1]) == f"{SITE}{EMBED}"
    small = client.get("/oembed", {**asked, "maxwidth": "300", "maxheight": "260"}).json()
    assert (small["width"], small["height"]) == (300, 260)
    assert 'width="300" height="260"' in small["html"]
    assert "rows=2" in small["html"]
    assert client.get("/oembed", {**asked, "maxwidth": "2000"}).json()["width"] == body["width"]


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"format": "xml"}, 501),
        ({"url": ""}, 404),
        ({"url": f"https://other.example{ADDRESS}"}, 404),
        ({"url": f"javascript://testserver{ADDRESS}"}, 404),
        ({"url": f"{SITE}/clubs/riverside/events/none"}, 404),
        ({"url": f"{SITE}/clubs/riverside"}, 404),
        ({"url": f"{SITE}/api/v1{ADDRESS}"}, 404),
        ({"url": "http://[odd"}, 404),
        ({"maxwidth": "wide"}, 400),
    ],
)
def test_oembed_refuses_the_rest(evenings: Evenings, query: dict[str, str], status: int) -> None:
    asked = {"url": f"{SITE}{ADDRESS}", **query}
    assert evenings.client().get("/oembed", asked).status_code == status


def test_event_without_a_publication_has_empty_feed_and_empty_frame(evenings: Evenings) -> None:
    league(evenings.cast.riverside, slug="new", name="New")
    client = evenings.client()
    assert feed_of(client, "/clubs/riverside/events/new/results.atom").entries == []
    page = client.get("/clubs/riverside/events/new/embed").content.decode()
    assert "The standings appear here after the first complete sheet." in page


def test_surfaces_read_the_stored_publication_and_compute_nothing(evenings: Evenings) -> None:
    """What is shown changes with the stored bytes alone."""
    stored = Publication.objects.get(event=evenings.event)
    body = json.loads(bytes(stored.body))
    body["rows"][0]["player"] = "Stored Name"
    Publication.objects.filter(pk=stored.pk).update(body=json.dumps(body).encode())
    client = evenings.client()
    assert "Stored Name" in client.get(EMBED).content.decode()
    assert "Stored Name" in client.get(FEED).content.decode()


@pytest.mark.parametrize(
    ("ranks", "most", "shown"),
    [
        ([1, 2, 2, 4], 1, 1),
        ([1, 2, 2, 4], 2, 1),
        ([1, 2, 2, 4], 3, 3),
        ([1, 2, 2, 4], 4, 4),
        ([1, 2, 2, 4], 10, 10),
        ([1, 1, 1, 4], 2, 3),
        ([1] * 80, 10, 50),
    ],
)
def test_first_rows_are_not_cut_inside_a_tie(ranks: list[int], most: int, shown: int) -> None:
    assert _whole_places(ranks, most) == shown


def test_embedded_rows_say_who_is_through_and_who_is_out(evenings: Evenings) -> None:
    newest = Publication.objects.filter(event__slug="league").order_by("-number")[0]
    document = newest.document
    for row, progress in zip(document["rows"], ("through", "out"), strict=False):
        row["progress"] = progress
    Publication.objects.filter(pk=newest.pk).update(body=json.dumps(document).encode())
    shown = cells(evenings.client().get(EMBED).content.decode())
    assert [name.rpartition(">")[0].rpartition(">")[2] for _place, name, *_ in shown[:2]] == [
        "through</span", "out</span",
    ]  # fmt: skip
    assert "note" not in shown[2][1]
