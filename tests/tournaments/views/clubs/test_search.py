"""The search: what finds what, who finds whom, at which price; and what search engines are told."""

import re
from datetime import date

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, ladder, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.module_scope import made_once
from tests.support.pages.queries import count_queries
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.services.clubs.names import set_names_policy
from tournaments.services.events.change_event import archive_event
from tournaments.services.rules.house_rules import chosen_rules, make_house_rules

CLUB, SITE, REST = "/clubs/riverside/search", "/search", "/api/v1/clubs/riverside/search"
NAMES = ("Zoë Łukasz", "Jörg Straße", "Anna van der Berg", "Zora Quist", "Leo K.")


def make_people(cast: Cast) -> list[Player]:
    """Four of five play in a public league, on 6 November 2025."""
    found = players(cast.riverside, *NAMES)
    event = league(cast.riverside, name="Autumn league")
    hand(table(event, found[:4], on=date(2025, 11, 6)), 1, [4, 1, 2, 6], 3)
    return found


people_once, people = made_once("people", make_people)


def found(client: Client, text: str, kind: str = "", at: str = REST) -> list[str]:
    """The names that a search finds, over REST, which asks what the page asks."""
    answer = client.get(at, {"q": text, **({"kind": kind} if kind else {})})
    assert answer.status_code == 200
    return [result["name"] for result in answer.json()["results"]]


def page(client: Client, text: str, at: str = CLUB) -> str:
    answer: Answer = client.get(at, {"q": text})
    assert answer.status_code == 200
    return text_of(answer)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zoe", ["Zoë Łukasz"]),
        ("  LUKASZ  zo", ["Zoë Łukasz"]),
        ("jorg strasse", ["Jörg Straße"]),
        ("berg", ["Anna van der Berg"]),
        ("zo", ["Zoë Łukasz", "Zora Quist"]),
        ("rl02", ["Jörg Straße"]),
        ("rl", []),
        ("oe", []),
        ("!?", []),
        ("", []),
    ],
)
def test_each_word_begins_a_word_of_a_name(
    cast: Cast, people: list[Player], text: str, expected: list[str]
) -> None:
    assert found(cast.client("piet"), text, "player") == expected


def test_page_shows_what_rest_finds_in_groups(cast: Cast, people: list[Player]) -> None:
    make_house_rules(
        by_tests(),
        cast.riverside,
        name="Autumn rules",
        slug="autumn-rules",
        chosen=chosen_rules("hearts", {"target": 50}, ""),
    )
    players(cast.hilltop, "Autumn Miller")
    assert found(cast.client(), "autumn") == ["Autumn league", "Autumn rules"]
    assert found(cast.client("nora"), "autumn", at="/api/v1/search") == [
        *("Autumn Miller", "Autumn league", "Autumn rules")
    ]
    shown = page(cast.client(), "autumn")
    assert "Events Autumn league" in shown
    assert "Games and rules Autumn rules House rules" in shown
    assert "Riverside" in page(cast.client(), "river", SITE)
    assert "Omnibus Hearts" in page(cast.client(), "omnib", SITE)
    assert "Nothing found" in page(cast.client(), "xyzzy")


@pytest.mark.parametrize(
    ("text", "n"),
    [("6 nov", 1), ("2025-11-06", 1), ("thursday", 1), ("nov aut", 1), ("7 nov", 0), ("autumn", 0)],
)
def test_evenings_are_found_by_date(cast: Cast, people: list[Player], text: str, n: int) -> None:
    assert found(cast.client(), text, "evening") == ["Thursday 6 November 2025"] * n


def test_public_finds_nobody_by_a_name_it_does_not_read(cast: Cast, people: list[Player]) -> None:
    assert found(cast.client(), "Łukasz") == ["Zoë Łukasz"]
    Player.objects.filter(player_id="RL01").update(nickname="Speedy")
    set_names_policy(by_tests(), cast.riverside, policy="initial")
    for who in (cast.client(), cast.client("nora")):
        for at in (REST, "/api/v1/search"):
            assert found(who, "Łukasz", at=at) == []
            assert found(who, "speedy", at=at) == []
            assert found(who, "zo", at=at) == ["Zoë Ł.", "Zora Q."]
        assert "Łukasz" not in page(who, "zoe")
    assert found(cast.client("piet"), "speedy") == ["Zoë Łukasz"]


def test_public_finds_only_who_competes_where_it_may_read(cast: Cast, people: list[Player]) -> None:
    assert found(cast.client(), "leo") == []
    assert found(cast.client("piet"), "leo") == ["Leo K."]
    Event.objects.update(visibility="members")
    for at in (REST, "/api/v1/search"):
        assert found(cast.client(), "zoe", at=at) == []
        assert found(cast.client(), "autumn", at=at) == []
        assert found(cast.client(), "6 nov", at=at) == []
    assert found(cast.client("piet"), "autumn") == ["Autumn league"]
    Event.objects.update(visibility="held")
    assert found(cast.client("hanna"), "autumn") == []
    assert found(cast.client("hanna"), "6 nov") == []
    assert found(cast.client("dirk"), "autumn") == ["Autumn league"]


def test_hidden_club_and_archived_events_are_not_found(cast: Cast, people: list[Player]) -> None:
    archive_event(by_tests(), Event.objects.get(), reason="Over.")
    assert found(cast.client("dirk"), "autumn") == []
    cast.riverside.is_public = False
    cast.riverside.save()
    assert found(cast.client("nora"), "river", at="/api/v1/search") == []
    assert found(cast.client("nora"), "zoe", at="/api/v1/search") == []
    assert found(cast.client("piet"), "zoe", at="/api/v1/search") == ["Zoë Łukasz"]
    assert cast.client("nora").get(CLUB, {"q": "zoe"}).status_code == 404
    assert cast.client("nora").get(REST, {"q": "zoe"}).status_code == 404


def test_erased_and_merged_players_are_not_found(cast: Cast, people: list[Player]) -> None:
    Player.objects.filter(player_id="RL01").update(erased_at=NOW)
    Player.objects.filter(player_id="RL04").update(merged_into=people[1])
    assert found(cast.client("dirk"), "zo", "player") == []


def test_more_of_a_kind_is_a_page_of_its_own(cast: Cast, piet: Client) -> None:
    players(cast.riverside, *(f"Sam {n:03d}" for n in range(60)))
    first = page(piet, "sam")
    assert "All 60" in first
    assert ("Sam 005" in first, "Sam 006" in first) == (True, False)
    second = text_of(piet.get(CLUB, {"q": "sam", "kind": "player", "page": "2"}))
    assert ("Sam 049" in second, "Sam 050" in second, "Page 2 of 2" in second) == (
        False, True, True,
    )  # fmt: skip
    assert len(found(piet, "sam")) == 50


@pytest.mark.parametrize("at", [CLUB, SITE])
def test_search_costs_the_same_queries_for_any_number_of_rows(
    cast: Cast, people: list[Player], at: str, piet: Client
) -> None:
    piet.get(at, {"q": "a"})

    before = count_queries(piet, at, {"q": "a"})
    players(cast.riverside, *(f"Ada {n:03d}" for n in range(40)))
    for n in range(5):
        league(cast.riverside, slug=f"a-{n}", name=f"Another {n}")
    assert count_queries(piet, at, {"q": "a"}) == before


HOST = "http://testserver"


def listed(cast: Cast, name: str = "") -> set[str]:
    answer = cast.client(name).get("/sitemap.xml")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/xml"
    return set(re.findall(r"<loc>(.*?)</loc>", answer.content.decode()))


def test_sitemap_lists_public_clubs_and_events(cast: Cast) -> None:
    league(cast.riverside)
    ladder(cast.riverside)
    league(cast.riverside, slug="inside", visibility="members")
    league(cast.riverside, slug="secret", visibility="held")
    expected = {
        f"{HOST}/",
        f"{HOST}/clubs/hilltop",
        f"{HOST}/clubs/riverside",
        f"{HOST}/clubs/riverside/events/league",
        f"{HOST}/clubs/riverside/events/ladder/ladder",
    }
    assert listed(cast) == listed(cast, "olga") == expected
    Club.objects.filter(pk=cast.riverside.pk).update(is_public=False)
    assert listed(cast, "olga") == {f"{HOST}/", f"{HOST}/clubs/hilltop"}


def test_sitemap_says_when_standings_were_published_in_two_queries(evenings: Evenings) -> None:
    with CaptureQueriesContext(connection) as queries:
        text = evenings.client().get("/sitemap.xml").content.decode()
    assert len(queries) == 2
    assert f"<loc>{HOST}{ADDRESS}</loc><lastmod>2025-11-06T21:00:00+00:00</lastmod>" in text


def test_robots_names_the_sitemap_and_closes_what_is_private(cast: Cast) -> None:
    text = cast.client().get("/robots.txt").content.decode()
    assert f"Sitemap: {HOST}/sitemap.xml" in text
    for path in ("/account", "/calendar/", "/t/", "/invitations/"):
        assert f"Disallow: {path}\n" in text
    assert "Disallow: /clubs" not in text
    Club.objects.update(is_public=False)
    assert cast.client().get("/robots.txt").content.decode() == "User-agent: *\nDisallow: /\n"
