"""History pages: as of a round or a day, what changed, who met whom, records."""

import re
from datetime import date, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.builders import by_tests, hand, league, penalize, players, table
from tests.support.cast import NOW, Cast
from tests.support.history import make_all
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.events import Event
from tournaments.selectors.standings import history
from tournaments.selectors.standings.history import get_trends
from tournaments.services.events.entrants import add_entrant
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.publishing import publications
from tournaments.services.publishing.publications import publish


def page(evenings: Evenings, path: str, status: int = 200) -> str:
    answer = evenings.client().get(path)
    assert answer.status_code == status, path
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def raw(evenings: Evenings, path: str) -> str:
    return evenings.client().get(path).content.decode()


def test_table_as_of_a_round_says_so_and_leads_to_the_rounds_beside_it(evenings: Evenings) -> None:
    path = f"{ADDRESS}/standings"
    shown, html = page(evenings, f"{path}?round=1"), raw(evenings, f"{path}?round=1")
    assert "Autumn league as of round 1" in shown
    assert "As of round 1, Thursday 6 November 2025, with today’s corrections." in shown
    assert "8 players, 3 hands." in shown
    assert f'href="{path}?round=2"' in html
    assert 'class="mv' not in html, "the first round has nothing to move against"
    sorts = re.search(r'href="(\?round=1&amp;sort=[^"]+)"', html)
    assert sorts is not None
    address = f"{path}{sorts[1].replace('&amp;', '&')}"
    assert "as of round 1" in page(evenings, address), "sorted it stays at its round"
    assert '<a href="?round=1&amp;sort=rank">Sort by place</a>' in raw(evenings, address)


def test_table_is_that_of_the_last_round_by_then(evenings: Evenings) -> None:
    path = f"{ADDRESS}/standings"
    asked = {"date=2025-11-12": 1, "date=2025-11-13": 2, "date=2031-01-01": 2, "round=99": 2}
    for query, number in asked.items():
        assert f"as of round {number}" in page(evenings, f"{path}?{query}"), query
    early = page(evenings, f"{path}?date=2025-11-05", 404)
    assert "No games played by then" in early
    assert "The first table is that of Thursday 6 November 2025." in early
    for name, typed, say in (
        ("round", "first", "Enter the number of a round."),
        ("date", "yesterday", "Enter a date as 2025-10-30."),
    ):
        assert say in page(evenings, f"{path}?{name}={typed}", 422)
        assert f'value="{typed}"' in raw(evenings, f"{path}?{name}={typed}")
    for query in ("", "?round=", "?round=&date="):
        answer = evenings.client().get(f"{path}{query}")
        assert (answer.status_code, answer["Location"]) == (302, ADDRESS), query


def test_before_the_first_evening_the_page_names_it_whatever_its_number(cast: Cast) -> None:
    event, people = league(cast.riverside), players(cast.riverside, "Ann", "Bea", "Cid", "Dan")
    for number, on in ((1, date(2025, 11, 10)), (2, date(2025, 11, 3))):
        hand(table(event, people, round_number=number, on=on), 1, [4, 1, 2, 6], queen=0)
    publish(event.pk, now=NOW)
    make_all(event.pk)
    path = f"/clubs/riverside/events/{event.slug}/standings"
    early = cast.client().get(f"{path}?date=2025-11-02").content.decode()
    assert "The first table is that of Monday 3 November 2025." in early
    assert f'href="{path}?date=2025-11-03"' in early


def test_reading_standings_asks_no_row_that_a_computation_would(evenings: Evenings) -> None:
    for path in ("", "/standings?round=1", "/head-to-head", "/charts/places/RL01"):
        with CaptureQueriesContext(connection) as queries:
            page(evenings, f"{ADDRESS}{path}")
        asked = " ".join(query["sql"] for query in queries)
        for name in ("hand", "entry", "seatscore", "contribution", "aggregate"):
            assert f'"tournaments_{name}"' not in asked, path


def test_standings_say_how_far_everybody_moved_since_the_round_before(evenings: Evenings) -> None:
    html = raw(evenings, ADDRESS)
    assert re.findall(
        r'<tr id="(RL0\d)"><td class="pl">([^<]+)</td>\s*<td class="mvc">\s*<span class="mv (\w+)">'
        r'.*?<span class="vh">\s*([^<]*?)\s*</span>',
        html,
    ) == [
        ("RL02", "1", "up", "up 2, was 3"),
        ("RL01", "2", "dn", "down 1, was 1"),
        ("RL05", "3=", "up", "up 1, was 4="),
        ("RL07", "3=", "up", "up 1, was 4="),
        ("RL06", "5", "up", "up 3, was 8"),
        ("RL04", "6", "up", "up 1, was 7"),
        ("RL03", "7", "dn", "down 5, was 2"),
        ("RL08", "8", "dn", "down 2, was 6"),
    ]


@pytest.mark.parametrize(("rounds", "line"), [(3, None), (4, "4, 3, 2, 1")])
def test_line_of_places_needs_four_rounds(
    evenings: Evenings, monkeypatch: pytest.MonkeyPatch, rounds: int, line: str | None
) -> None:
    before = [{"round": n, "last": 4, "places": {"A": str(5 - n)}} for n in range(1, rounds)]
    monkeypatch.setattr(history, "stored_document", lambda *_: {"rounds": before})
    trend = get_trends(evenings.event, rounds, None, {"A": "1"})["A"]
    assert trend is not None
    sparkline = trend["sparkline"]
    assert (sparkline and sparkline["places"]) == line
    if sparkline:
        assert str(sparkline["points"]).split()[-1] == f"{sparkline['x']},{sparkline['y']}"


def test_difference_names_who_moved_and_because_of_which_hands(evenings: Evenings) -> None:
    game = evenings.event.games.get(table__code="r2t1")
    hand(game, 3, [0, 0, 13, 0], queen=1)
    hand(
        game, 2, [1, 2, 7, 3], queen=2, based_on=1, reason="Two seats were swapped.",
    )  # fmt: skip
    first = evenings.event.games.get(table__code="r1t2")
    void_hand(by_tests(), first, number=1, based_on=1, reason="Played with 51 cards.")
    publish(evenings.event.pk, now=NOW + timedelta(minutes=5))
    shown = page(evenings, f"{ADDRESS}/publications/1/difference/2")
    assert "Autumn league: from publication 1 to 2" in shown
    because = shown[shown.index("Because of") : shown.index("Changed places")]
    assert because.index("Round 1, table 2") < because.index("Round 2, table 1")
    assert "Hand 1 : deleted: Played with 51 cards." in because
    assert "Hand 3 : new" in because
    assert "Hand 2 : corrected: Two seats were swapped." in because
    assert "Marit S.: removed, was at place" in shown
    other_way = evenings.client().get(f"{ADDRESS}/publications/2/difference/1")
    assert other_way["Location"] == f"{ADDRESS}/publications/1/difference/2"
    assert "Changes since the previous publication" in page(evenings, ADDRESS)


def test_matrix_and_the_own_list_say_who_ended_ahead(evenings: Evenings) -> None:
    html = raw(evenings, f"{ADDRESS}/head-to-head")
    row = html[html.index("players/RL01#met") :]
    row = row[: row.index("</tr>")]
    cells = re.findall(r'<td class="num">(.*?)</td>', row)
    assert [re.sub(r"<[^>]+>", "", cell) for cell in cells] == [
        "1/1", "·", "", "", "0/1", "1/1", "2/2", "1/1",
    ]  # fmt: skip
    assert "Head to head" in page(evenings, f"{ADDRESS}/players/RL01")


def test_entrants_page_draws_places_and_opens_best_and_worst_nights(evenings: Evenings) -> None:
    html = raw(evenings, f"{ADDRESS}/players/RL01")
    assert f'src="{ADDRESS}/charts/places/RL01"' in html
    assert f'srcset="{ADDRESS}/charts/places/RL01?size=phone"' in html
    shown = page(evenings, f"{ADDRESS}/players/RL01")
    assert "Best evening" in shown
    assert "Worst evening" in shown


def test_only_evening_of_a_player_is_not_also_the_worst(cast: Cast) -> None:
    event = league(cast.riverside)
    hand(
        table(event, players(cast.riverside, "Ann", "Ben", "Cleo", "Dan")), 1, [4, 1, 2, 6], queen=3
    )
    publish(event.pk, now=NOW)
    make_all(event.pk)
    shown = text_of(cast.client().get("/clubs/riverside/events/league/players/RL01"))
    assert "Best evening 4 in 1 hand" in shown
    assert "Worst evening" not in shown
    results = text_of(cast.client().get("/clubs/riverside/players/RL01"))
    assert "1 0 0 1 4 – Head to head" in results


def test_chart_is_a_picture_that_asks_for_nothing_and_says_its_values(evenings: Evenings) -> None:
    answer = evenings.client().get(f"{ADDRESS}/charts/places/RL01")
    picture = answer.content.decode()
    assert answer["Content-Type"] == "image/svg+xml"
    assert "<title>Place after each round: 1, 2</title>" in picture
    assert picture.replace("http://www.w3.org/2000/svg", "").find("http") == -1
    assert not re.search(r"<script|<!--|\sstyle=|href=", picture)
    policy = answer["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "ETag" not in answer
    assert 'width="350"' in raw(evenings, f"{ADDRESS}/charts/places/RL01?size=phone")


def test_records_of_a_club_open_the_tables_they_were_made_at(evenings: Evenings) -> None:
    assert "Most moons in an event 1" in page(evenings, "/clubs/riverside/records")
    assert f'href="{ADDRESS}/tables/r1t1"' in raw(evenings, "/clubs/riverside/records")
    assert "No records yet" in page(evenings, "/clubs/hilltop/records")


def test_penalty_counts_from_the_last_round_before_it_was_given(evenings: Evenings) -> None:
    penalize(evenings.event, "RL02", "50", "Left early.", now=NOW + timedelta(days=2))
    publish(evenings.event.pk, now=NOW + timedelta(days=2))
    make_all(evenings.event.pk)
    assert "Left early." in page(evenings, f"{ADDRESS}/standings?round=1")


PAIRS = "/clubs/riverside/events/pairs"


@pytest.fixture
def night(cast: Cast) -> Event:
    """Two pairs who play three games on two evenings: rounds 1 and 2, then round 3."""
    event = league(cast.riverside, slug="pairs", variant="partnership-hearts")
    people = players(cast.riverside, "Ann", "Ben", "Cleo", "Dan")
    for pair in (people[0::2], people[1::2]):
        add_entrant(by_tests(), event, kind="pair", players=pair)
    for number, day in ((1, 6), (2, 6), (3, 13)):
        game = table(event, people, round_number=number, on=date(2025, 11, day))
        hand(game, 1, [4, 1, 2, 6], queen=3)
    publications.publish(event.pk, now=NOW)
    make_all(event.pk)
    return event


@pytest.mark.parametrize("path", ["", "/publications/1", "/standings?round=2"])
def test_standings_of_pairs_count_pairs(cast: Cast, night: Event, path: str) -> None:
    page = text_of(cast.client().get(f"{PAIRS}{path}"))
    assert "2 pairs, " in page
    assert "2 players" not in page
    assert ("Pair" in page.split(), "Player" in page.split()) == (True, False)


def test_night_of_several_rounds_names_them_all_and_opens_each(cast: Cast, night: Event) -> None:
    answer = cast.client().get(f"{PAIRS}/players/pair-1")
    page, html = text_of(answer), answer.content.decode()
    assert "Best evening 6 in 1 hand, round 3 Worst evening 12 in 2 hands, rounds 1 , 2 " in page
    assert f'<a href="{PAIRS}/tables/r1t1">1</a>, <a href="{PAIRS}/tables/r2t1">2</a>' in html
