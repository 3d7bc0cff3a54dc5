"""Places, breadcrumbs, groups of links, the one filled button, and lists without a row."""

import html
import re
from datetime import date
from html import unescape

import pytest
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import by_tests, hand, ladder, league, players, table
from tests.support.cast import Cast, enter_the_cast
from tests.support.pages.text import text_of
from tests.support.routes import routes
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.scenarios.table_links import linked
from tournaments.models.clubs import Player
from tournaments.models.events import Snapshot
from tournaments.models.hands import Game
from tournaments.models.rounds import Round
from tournaments.services.rounds.rounds import make_round

pytestmark = [pytest.mark.django_db]

CLUB = "/clubs/riverside"
PLACES = ["Standings", "Evenings", "Ladders", "Players", "Rules"]


def links(page: Answer, label: str) -> list[tuple[str, str, str]]:
    nav = re.search(rf'<nav[^>]*aria-label="{label}">(.*?)</nav>', page.content.decode(), re.S)
    return [
        (html.unescape(text), value("href", given), value("aria-current", given))
        for given, text in (re.findall(r"<a ([^>]*)>(.*?)</a>", nav[1], re.S) if nav else [])
    ]


def value(name: str, given: str) -> str:
    match = re.search(rf'{name}="([^"]*)"', given)
    return match[1] if match else ""


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
    for place, action in (
        ("standings", "Create event"),
        ("evenings", "Manage"),
        ("ladders", "Create ladder"),
        ("players", "Add players"),
        ("rules", "New house rules"),
        ("manage", "Create event"),
    ):
        assert action in text_of(dirk.get(f"{CLUB}/{place}")), place
    for place in ("standings", "evenings", "ladders", "players", "rules"):
        assert "Create" not in text_of(anybody.get(f"{CLUB}/{place}"), 200)


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


def test_both_pages_of_evenings_and_manage_lead_to_entry_from_paper(evenings: Evenings) -> None:
    paper = f'href="{ADDRESS}/paper-sheets"'
    pages = (f"{CLUB}/evenings", f"{ADDRESS}/meetings")
    for name in ("hanna", "dirk"):
        assert all(paper in evenings.client(name).get(page).content.decode() for page in pages)
    assert not any(paper in evenings.client().get(page).content.decode() for page in pages)
    manage = evenings.client("dirk").get(f"{ADDRESS}/direct").content.decode()
    assert paper in manage.partition('<ul class="groups eight')[2].partition("</ul>")[0]


def test_rounds_of_an_evening_are_a_list_of_numbers(evenings: Evenings) -> None:
    people = list(Player.objects.filter(club=evenings.cast.riverside)[:4])
    table(evenings.event, people, round_number=3)
    assert "Rounds Round 1 · Round 3" in text_of(evenings.client().get(f"{CLUB}/evenings"))


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


def test_header_has_the_name_of_the_linked_player(cast: Cast, piet: Client) -> None:

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


PEOPLE = ("Ada", "Ben", "Cem", "Dora")


def filled(cast: Cast, path: str, name: str = "dirk") -> list[str]:
    answer = cast.client(name).get(path)
    assert answer.status_code == 200, path
    matches = re.findall(
        r'<(?:a|button)[^>]*class="[^"]*\bpri\b[^"]*"[^>]*>(.*?)</(?:a|button)>',
        answer.content.decode(),
        re.DOTALL,
    )
    return [unescape(re.sub(r"<[^>]+>", "", one)).strip() for one in matches]


def moved(cast: Cast, path: str, to: str, reason: str = "") -> None:
    answer = cast.client("olga").post(path, {"to": to, "reason": reason})
    assert answer.status_code == 302, (path, to, answer.content.decode()[:500])


def test_filled_button_of_round_and_sheet_is_the_next_step_in_every_state(cast: Cast) -> None:
    client = cast.client("dirk")
    event = ADDRESS
    league(cast.riverside)
    people = players(cast.riverside, *PEOPLE)
    round_, sheet = f"{event}/rounds/1/direct", f"{event}/tables/r1t1"
    client.post(f"{event}/new-round", {"number": 1})
    assert filled(cast, round_) == ["Seat a table"]
    seats = {f"seat-{n}": one.player_id for n, one in enumerate(people, start=1)}
    client.post(f"{event}/rounds/1/new-table", seats)
    assert filled(cast, round_) == ["Post round 1"]
    moved(cast, round_, "posted")
    assert filled(cast, round_) == ["Links and QR cards"]
    assert filled(cast, sheet) == ["Enter hand 1"]
    hand(Game.objects.get(table__code="r1t1"), 1, [4, 2, 1, 6], 3)
    assert filled(cast, round_) == ["Close round 1"]
    assert filled(cast, sheet) == ["Enter hand 2"]
    assert filled(cast, f"{sheet}/close") == ["Close table"]
    moved(cast, f"{sheet}/close", "complete")
    assert filled(cast, sheet) == ["Check against the sheet"]
    # The table was closed by a person, so another hand is folded away, not gone.
    assert "Another hand The table is closed." in text_of(client.get(sheet))
    assert filled(cast, round_) == ["Close round 1"]
    moved(cast, round_, "closed")
    assert filled(cast, sheet) == []
    page = client.get(sheet).content.decode()
    assert page.index('id="decision"') < page.index('class="t sheet"') < page.index("Enter sheet")
    assert filled(cast, round_) == ["New round"]
    moved(cast, f"{event}/direct", "closed")
    assert filled(cast, round_) == [], "nothing comes next in an event that is over"


def test_closed_round_leads_on_within_its_evening(cast: Cast) -> None:
    event = league(cast.riverside)
    days = {1: date(2025, 11, 6), 2: date(2025, 10, 30), 3: date(2025, 10, 30)}
    for number, day in days.items():
        make_round(by_tests(), event, number=number, on=day)
    Round.objects.update(state="closed")
    steps = {number: filled(cast, f"{ADDRESS}/rounds/{number}/direct") for number in days}
    assert steps == {1: ["New round"], 2: ["Round 3"], 3: ["Standings"]}


def test_no_hand_is_offered_after_the_rules_have_ended_the_game(cast: Cast) -> None:
    event = league(cast.riverside, length="variant")
    game = table(event, players(cast.riverside, *PEOPLE), variant="hearts", options={"target": 50})
    sheet, client = f"{ADDRESS}/tables/r1t1", cast.client("dirk")
    for number in (1, 2, 3):
        assert f"Enter hand {number}" in text_of(client.get(sheet))
        hand(game, number, [4, 2, 1, 6], 3)
    assert filled(cast, sheet) == ["Check against the sheet"]
    assert "Enter hand" not in text_of(client.get(sheet))
    page = client.get(f"{sheet}/hands/new")
    assert "The game at this table is over." in text_of(page)
    assert filled(cast, f"{sheet}/hands/new") == ["Sheet so far"]
    # A correction after which the game goes on offers the next hand again.
    hand(game, 3, [13, 0, 0, 0], 1, based_on=1, reason="Misread.")
    assert filled(cast, sheet) == ["Enter hand 4"]


def test_link_of_a_complete_table_leads_to_its_check(cast: Cast) -> None:
    night = linked(cast)
    moved(cast, f"{night.table}/close", "complete")
    assert "Check against the sheet Sheet so far Another hand" in text_of(night.holder().get("/t"))
    assert night.holder().get(f"{night.table}/read-back").status_code == 200


HILLTOP = "/clubs/hilltop"
EVENT = f"{HILLTOP}/events/league"
LADDER = f"{HILLTOP}/events/ladder"
ADD = f'<a class="btn pri" href="{HILLTOP}/add-players">Add players</a>'
EMPTY = {
    f"{HILLTOP}/players": ADD,
    f"{HILLTOP}/seasons": f'<a class="btn pri" href="{HILLTOP}/new-season">New season</a>',
    f"{HILLTOP}/house-rules": '<a class="btn" href="/variants">All games</a>',
    f"{HILLTOP}/mappings": f'<a class="btn" href="{HILLTOP}">Events of the club</a>',
    f"{HILLTOP}/records": f'<a class="btn" href="{HILLTOP}">Events of the club</a>',
    f"{EVENT}/disputes": "All evenings</a>",
    f"{EVENT}/imports": "All evenings</a>",
    f"{EVENT}/ledger": "Standings</a>",
    f"{EVENT}/links": "All evenings</a>",
    f"{EVENT}/publications": "All evenings</a>",
    f"{EVENT}/head-to-head": "All evenings</a>",
    f"{LADDER}/ladder": "Add player</a>",
    f"{LADDER}/ratings": "All challenges</a>",
    f"{LADDER}/ladder/moves": "All challenges</a>",
    f"{LADDER}/challenges": "Ladder</a>",
    "/my-tables": "All clubs</a>",
    "/notices": "My page</a>",
    "/account/names": "All clubs</a>",
}


def test_every_empty_list_names_the_next_act() -> None:
    cast = enter_the_cast()
    league(cast.hilltop)
    ladder(cast.hilltop)
    nora = cast.client("nora")
    wrong = []
    for path, action in EMPTY.items():
        response = nora.get(path)
        match = re.search(r'<div class="empty.*?</div>', response.content.decode(), re.S)
        if response.status_code != 200 or match is None or action not in match[0]:
            wrong.append(
                f"{path}: {response.status_code} {match[0] if match else 'no empty state'}"
            )
    assert wrong == []


def test_reader_without_the_right_is_led_elsewhere() -> None:
    cast = enter_the_cast()
    assert ADD in cast.client("nora").get(f"{HILLTOP}/players").content.decode()
    public = cast.client("").get(f"{HILLTOP}/seasons").content.decode()
    assert "new-season" not in public
    assert f'<a class="btn" href="{HILLTOP}">Events of the club</a>' in public
