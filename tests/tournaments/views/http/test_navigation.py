"""The places of a club, the breadcrumbs, the groups of links and the name in the header."""

import html
import re

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import ladder, league
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tests.support.routes import routes
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.scenarios.table_links import linked
from tournaments.models.clubs import Player
from tournaments.models.events import Snapshot

pytestmark = [pytest.mark.django_db]

CLUB = "/clubs/riverside"
PLACES = ["Standings", "Evenings", "Ladders", "Players", "Rules"]


def links(page: Answer, label: str) -> list[tuple[str, str, str]]:
    """Text, address and `aria-current` of the links of the navigation with a label."""
    nav = re.search(rf'<nav[^>]*aria-label="{label}">(.*?)</nav>', page.content.decode(), re.S)
    return [
        (html.unescape(text), value("href", given), value("aria-current", given))
        for given, text in (re.findall(r"<a ([^>]*)>(.*?)</a>", nav[1], re.S) if nav else [])
    ]


def value(name: str, given: str) -> str:
    found = re.search(rf'{name}="([^"]*)"', given)
    return found[1] if found else ""


def crumbs(page: Answer) -> list[str]:
    return [text for text, _url, _current in links(page, "You are here")]


@pytest.mark.parametrize("who", ["", "piet", "hanna", "dirk", "olga"])
def test_places_are_the_same_in_the_same_order_on_every_page(evenings: Evenings, who: str) -> None:
    client = evenings.client(who)
    expected = [*PLACES, "Manage"] if who in ("dirk", "olga") else PLACES
    for path in (CLUB, f"{CLUB}/players", f"{CLUB}/search", ADDRESS, f"{ADDRESS}/tables/r1t1"):
        assert [text for text, _url, _current in links(client.get(path), "Club")] == expected, path


def test_a_page_is_behind_each_place_and_marks_it(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    for path in (CLUB, ADDRESS):
        for text, url, _current in links(dirk.get(path), "Club"):
            page = dirk.get(url, follow=True)
            assert page.status_code == 200, url
            assert [(one, at) for one, _url, at in links(page, "Club") if at] == [(text, "page")]


def test_a_club_without_anything_has_every_place_with_the_next_act(cast: Cast) -> None:
    dirk, anybody = cast.client("dirk"), cast.client()
    for place, act in (
        ("standings", "Create event"),
        ("evenings", "Manage"),
        ("ladders", "Create ladder"),
        ("players", "Add players"),
        ("rules", "New house rules"),
        ("manage", "Create event"),
    ):
        assert act in text_of(dirk.get(f"{CLUB}/{place}")), place
    for place in ("standings", "evenings", "ladders", "players", "rules"):
        page = anybody.get(f"{CLUB}/{place}")
        assert page.status_code == 200
        assert "Create" not in text_of(page)


def test_manage_asks_to_sign_in_and_is_for_directors(cast: Cast) -> None:
    assert cast.client().get(f"{CLUB}/manage")["Location"].startswith("/accounts/login/")
    assert cast.client("hanna").get(f"{CLUB}/manage").status_code == 403


def test_club_lists_of_held_events_are_for_who_may_read_them(cast: Cast) -> None:
    league(cast.riverside, slug="secret", name="Secret cup", visibility="held")
    for place in ("evenings", "ladders", "rules", "standings"):
        page = cast.client("hanna").get(f"{CLUB}/{place}", follow=True).content.decode()
        assert "Secret cup" not in page
    assert "Secret cup" in text_of(cast.client("dirk").get(f"{CLUB}/rules"))


def test_evenings_of_all_events_lead_to_their_rounds(evenings: Evenings) -> None:
    page = evenings.client().get(f"{CLUB}/evenings")
    text = text_of(page)
    assert text.index("13 Nov 2025") < text.index("6 Nov 2025")
    assert f'href="{ADDRESS}/rounds/2"' in page.content.decode()


def test_breadcrumbs_lead_from_the_club_down(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    for path, expected in (
        (CLUB, []),
        (f"{CLUB}/evenings", ["Riverside"]),
        (ADDRESS, ["Riverside"]),
        (f"{ADDRESS}/rounds/1", ["Riverside", "Autumn league", "Evenings"]),
        (f"{ADDRESS}/tables/r1t1", ["Riverside", "Autumn league", "Round 1"]),
        (f"{ADDRESS}/tables/r1t1/hands/1", ["Riverside", "Autumn league", "Round 1", "Table 1"]),
        (f"{CLUB}/players/RL01", ["Riverside", "Players"]),
        (f"{ADDRESS}/settings", ["Riverside", "Autumn league"]),
    ):
        assert crumbs(dirk.get(path)) == expected, path


def test_every_page_below_a_club_has_breadcrumbs_that_lead_somewhere(cast: Cast) -> None:
    night = linked(cast)
    names = {
        "club": "riverside",
        "event": "league",
        "code": "r1t1",
        "player_id": "RL01",
        "entrant": "RL01",
        "version": Snapshot.objects.all()[0].short_hash,
    }
    olga, missing, n = cast.client("olga"), [], 0
    known: dict[str, int] = {}
    for route in routes():
        if not route.pattern.startswith("clubs/<slug:club>/"):
            continue
        path = route.path(names)
        page = olga.get(path)
        if page.status_code != 200 or "text/html" not in page["Content-Type"]:
            continue
        if '<header class="mast">' not in page.content.decode():
            continue  # a full screen: entering at the table, cards to print
        if path.endswith(("/projector", "/screen")):
            continue  # nobody follows links on a big screen, and its rows need the height
        n += 1
        above = links(page, "You are here")
        if not above or above[0][1] != CLUB or any(url == path for _text, url, _at in above):
            missing.append(path)
        for _text, url, _at in above:
            if url not in known:
                known[url] = olga.get(url).status_code
    assert night.cast is cast
    assert n > 40
    assert missing == []
    assert set(known.values()) == {200}


def test_a_ladder_has_its_own_pages_beside_the_places(cast: Cast) -> None:
    event = ladder(cast.riverside)
    at = f"{CLUB}/events/{event.slug}"
    page = cast.client().get(f"{at}/challenges")
    tabs = links(page, "Ladder")
    assert [text for text, _url, _at in tabs] == ["Ladder", "Challenges", "Ratings", "Tables"]
    assert [text for text, _url, current in tabs if current == "page"] == ["Challenges"]
    assert [text for text, _url, current in links(page, "Club") if current] == ["Ladders"]


def test_links_under_the_standings_are_in_groups_by_what_one_may_do(evenings: Evenings) -> None:
    def headings(who: str) -> list[str]:
        page = evenings.client(who).get(ADDRESS).content.decode()
        nav = page.partition('<nav class="ways"')[2].partition("</nav>")[0]
        return re.findall(r"<h2>(.*?)</h2>", nav)

    assert headings("") == ["Read", "Download"]
    assert headings("dirk") == ["Read", "Manage", "Download"]


def test_header_has_the_name_of_the_linked_player(cast: Cast) -> None:
    piet = cast.client("piet")

    def named(path: str) -> str:
        found = re.search(r'<a class="me".*?<b>(.*?)</b>', piet.get(path).content.decode())
        return html.unescape(found[1]) if found else ""

    assert named(CLUB) == "piet"
    Player.objects.create(
        club=cast.riverside,
        player_id="P1",
        name="Piet de Wit",
        public_name="Piet d. W.",
        user=cast.users["piet"],
    )
    for path in (CLUB, "/", "/me", "/theme", "/accounts/email/", "/clubs/nowhere"):
        assert named(path) == "Piet de Wit", path
    assert 'class="me"' not in Client().get(CLUB).content.decode()
