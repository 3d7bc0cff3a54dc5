"""The standings as a page: what was published, why, and what lies behind each figure."""

import gzip
import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from tests.support.builders import (
    by_tests,
    finished,
    hand,
    ladder,
    league,
    players,
    table,
    worker_runs,
)
from tests.support.cast import NOW
from tests.support.players import stored_player
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.standings import Publication
from tournaments.services.hands.record_entry import record_totals
from tournaments.services.jobs.queue import record_heartbeat
from tournaments.services.publishing import publications

BEHIND = "The standings are being updated. This is publication 1"


def text_of(evenings: Evenings, path: str, name: str = "", **headers: str) -> str:
    response = evenings.client(name).get(path, headers=headers)
    assert response.status_code == 200, path
    return response.content.decode()


def enter_another_hand(evenings: Evenings) -> None:
    hand(Game.objects.get(event=evenings.event, table__code="r2t1"), 3, [3, 3, 3, 4], queen=1)


def test_standings_page_prints_published_figures_and_reasons(evenings: Evenings) -> None:
    page = text_of(evenings, ADDRESS)
    # Zoë: 2 points in 2 hands. Elsa: 4 and −26, then 26 and 1: 5 points in 4 hands.
    assert '<tr id="RL02"><td class="pl">1</td>' in page
    assert '<summary>Why <span class="vh">Zoë K. is at place 1</span></summary>' in page
    assert '<tr id="RL01"><td class="pl">2</td>' in page
    assert f'<a href="{ADDRESS}/players/RL01">1.25</a>' in page
    assert "<p>Average a hand: <b>1.2500</b></p>" in page
    assert "Published 6 Nov 2025, 21:00. 8 players, 5 hands." in " ".join(page.split())
    assert "As of Thursday 13 November 2025, up to round 2." in page
    assert "Leads: 2 points in 2 hands." in page
    assert "5 ÷ 4 = 1.2500, 0.2500 behind Zoë K." in page
    assert "behind RL0" not in page


def test_nobody_leads_a_ladder_by_place_points(evenings: Evenings) -> None:
    event = ladder(evenings.cast.riverside, slug="rungs", name="Rungs")
    finished(table(event, list(Player.objects.order_by("player_id")[:4])))
    publications.publish(event.pk, now=NOW)
    best = json.loads(bytes(Publication.objects.get(event=event).body))["rows"][0]["player_id"]
    for path in ("", f"/players/{best}"):
        page = text_of(evenings, f"/clubs/riverside/events/rungs{path}")
        assert "place 1" in page or "Place" in page
        assert "Leads" not in page


def test_leader_with_totals_alone_has_no_number_of_hands(evenings: Evenings) -> None:
    event = league(evenings.cast.riverside, slug="sums", settings={"primary": "raw_total"})
    game = table(event, list(Player.objects.order_by("player_id")[:4]))
    points = {"points": [20, 30, 35, 45]}
    record_totals(by_tests(), game, entry=points, source="host", hands=None)
    publications.publish(event.pk, now=NOW)
    page = text_of(evenings, "/clubs/riverside/events/sums")
    assert "Leads: 20 points.\n" in page
    assert "in 0 hands" not in page


def test_lot_names_the_criteria_that_did_not_decide_and_folds_its_codes(evenings: Evenings) -> None:
    chain = ["wins", "countback", "moons_shot", "moons_against", "lot"]
    sums = {"primary": "raw_total", "tie_breaks": chain}
    event = league(evenings.cast.riverside, slug="sums", settings=sums)
    record_totals(
        by_tests(),
        table(event, list(Player.objects.order_by("player_id")[:4])),
        entry={"points": [20, 20, 35, 55]},
        source="host",
        hands=None,
    )
    publications.publish(event.pk, now=NOW)
    page = text_of(evenings, "/clubs/riverside/events/sums")
    assert page.count("<p>Equal: tables won, countback.</p>") == 2
    idle = "<p>No effect: moons shot, moons against (no moons recorded: totals were entered or"
    assert page.count(idle) == 2
    first, second = re.findall(r'<tr id="(RL0[1-4])">', page)[:2]
    names = dict(Player.objects.values_list("player_id", "name"))
    drawn = f"drawn by lot: {names[first]} before {names[second]}"
    assert f"<p>above {names[second]}: same points, {drawn}</p>" in page
    assert f"<p>tied with {names[first]}: 20 points; {drawn}</p>" in page
    assert not re.search(r"[0-9a-f]{12}", page.partition(drawn)[2].partition("<details")[0])


def test_publication_has_facts_of_its_reasons_and_no_name_in_them(evenings: Evenings) -> None:
    first, second = json.loads(bytes(Publication.objects.get().body))["rows"][:2]
    assert first["reason_facts"] is None
    assert second["reason_facts"] == {
        "above": "RL02", "below": "RL01", "by": "raw_per_hand", "primary": "raw_per_hand",
        "values": ["1", "5/4"], "points": "5", "hands": "4",
    }  # fmt: skip
    assert second["reason"] == "5 ÷ 4 = 1.2500, 0.2500 behind RL02"


def test_older_publication_without_facts_says_the_same(evenings: Evenings) -> None:
    page = text_of(evenings, ADDRESS)
    body = json.loads(bytes(Publication.objects.get().body))
    for row in body["rows"]:
        del row["reason_facts"]
    Publication.objects.update(body=json.dumps(body).encode())
    cache.clear()
    assert text_of(evenings, ADDRESS) == page


def test_leader_is_said_to_lead_by_what_ranks(evenings: Evenings) -> None:
    event = league(
        evenings.cast.riverside, slug="won", settings={"length": "variant", "primary": "wins"}
    )
    finished(table(event, list(Player.objects.order_by("player_id")[:4])), [1, 4, 4, 4])
    publications.publish(event.pk, now=NOW)
    page = text_of(evenings, "/clubs/riverside/events/won")
    assert "Leads: Tables won 1." in page
    assert "Leads: 1 point" not in page


def test_tables_of_a_player_sum_up_to_the_published_points(evenings: Evenings) -> None:
    page = text_of(evenings, f"{ADDRESS}/players/RL01")
    feet = page.split("<tfoot>")[1:]
    sums = '<td class="num">4</td><td class="num key">5</td>'
    assert any(sums in foot.partition("</tfoot>")[0] for foot in feet)
    assert "A hand was entered after this publication" not in page
    enter_another_hand(evenings)
    page = text_of(evenings, f"{ADDRESS}/players/RL01")
    assert "A hand was entered after this publication" in page


def test_updated_standings_are_promised_only_with_a_worker(evenings: Evenings) -> None:
    assert BEHIND not in text_of(evenings, ADDRESS)
    enter_another_hand(evenings)
    page = text_of(evenings, ADDRESS)
    assert "The next publication follows when the worker is running again" in page
    assert "few seconds" not in page
    silent = Client().get(ADDRESS)["ETag"]
    record_heartbeat(name="gone", now=timezone.now() - timedelta(minutes=5))
    assert "few seconds" not in text_of(evenings, ADDRESS)
    worker_runs()
    again = Client().get(ADDRESS, headers={"If-None-Match": silent})
    assert again.status_code == 200
    assert "The next publication follows in a few seconds." in again.content.decode()
    assert BEHIND in again.content.decode()
    publications.publish(evenings.event.pk, now=NOW + timedelta(minutes=1))
    page = text_of(evenings, ADDRESS)
    assert "being updated" not in page
    assert "Publication 2." in page


def test_csv_beside_the_page_is_the_stored_one(evenings: Evenings) -> None:
    response = evenings.client().get(f"{ADDRESS}/standings.csv")
    stored = Publication.objects.get(event=evenings.event)
    assert response.content == bytes(stored.csv)
    assert response["ETag"] == stored.etag
    assert response["Content-Type"] == "text/csv; charset=utf-8"


def test_publication_page_stays_and_says_that_it_is_superseded(evenings: Evenings) -> None:
    enter_another_hand(evenings)
    publications.publish(evenings.event.pk, now=NOW + timedelta(minutes=1))
    page = text_of(evenings, f"{ADDRESS}/publications/1")
    assert "Superseded by 2" in page
    assert f'<a href="{ADDRESS}/publications/2">See publication 2</a>' in page
    assert f'by <a href="{ADDRESS}/publications/2">publication 2</a>' in page
    assert "New hands or tables were entered, without corrections." in page
    assert f'<a href="{ADDRESS}/players/RL01">1.25</a>' in page
    listed = text_of(evenings, f"{ADDRESS}/publications")
    assert f'href="{ADDRESS}/publications/2"' in listed
    assert f'href="{ADDRESS}/publications/1/difference/2"' in listed
    assert "/publications/0/" not in listed


def test_event_without_a_sheet_says_what_will_be_here(evenings: Evenings) -> None:
    league(evenings.cast.riverside, slug="spring", name="Spring league")
    assert "No standings yet" in text_of(evenings, "/clubs/riverside/events/spring")
    assert evenings.client().get("/clubs/riverside/events/spring/standings.csv").status_code == 404


@pytest.mark.parametrize("player_id", ["RL/1 ?#", "a\nb", "..;x", "Ž&<1>"])
def test_any_id_of_a_player_leads_to_their_tables(evenings: Evenings, player_id: str) -> None:
    club = evenings.cast.riverside
    odd = stored_player(club=club, player_id=player_id, name="Ada A.")
    game = table(evenings.event, [odd, *players(club, "Ben", "Cem", "Dora")], table_number=3)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publications.publish(evenings.event.pk, now=NOW)
    links = re.findall(r'<a href="([^"]+)">Ada A\.</a>', text_of(evenings, ADDRESS))
    assert len(links) == 1
    assert "<h1>Ada A.</h1>" in text_of(evenings, unescape(links[0]))
    assert "Ada A." in text_of(evenings, f"{ADDRESS}/tables/r1t3")


@pytest.mark.parametrize(("path", "budget"), [(ADDRESS, 29_200), ("/clubs/riverside", 16_000)])
def test_page_stays_within_its_bytes(evenings: Evenings, path: str, budget: int) -> None:
    assert len(text_of(evenings, path)) < budget


def test_page_for_forty_is_below_60_kilobytes(evenings: Evenings) -> None:
    """Compressed, with its styles and scripts."""
    more = players(evenings.cast.riverside, *(f"Maximiliane {n}" for n in range(32)))
    for number in range(8):
        game = table(evenings.event, more[4 * number : 4 * number + 4], table_number=3 + number)
        hand(game, 1, [4, 1, 2, 6], queen=3)
    publications.publish(evenings.event.pk, now=NOW)
    page = text_of(evenings, ADDRESS)
    assert len(order_on(page)) == 40
    files = set(re.findall(r'(?:href|src)="/static/([^"#]+[^2])"', page))  # not the font
    found = [Path(str(finders.find(name))).read_bytes() for name in files]
    assert len(files) > 5
    assert sum(len(gzip.compress(one)) for one in (page.encode(), *found)) < 60_000


FIRST = ["Place", "Player", "Average a hand", "Points", "Hands"]


def test_all_figures_are_kept_for_one_reader_as_are_live_parts(evenings: Evenings) -> None:
    reader, live = evenings.client(), {"HX-Request": "true"}

    def heads(**headers: str) -> list[str]:
        page = reader.get(ADDRESS, headers=headers).content.decode()
        return re.findall(r'<th[^>]*><a href="\?sort=[^>]*>([^<]+)</a>', page)

    assert heads() == FIRST
    tag = reader.get(ADDRESS, headers=live)["ETag"]
    back = reader.get(f"/theme?figures=all&next={ADDRESS}")
    assert (back.status_code, back["Location"]) == (302, ADDRESS)
    assert heads()[:5] == FIRST
    assert {"Won", "2nd", "Moons"} < {*heads()} == {*heads(**live)}
    assert reader.get(ADDRESS, headers={**live, "If-None-Match": tag}).status_code == 200
    assert '/players/RL01">1.2500</a>' in reader.get(f"{ADDRESS}/publications/1").content.decode()
    assert order_on(text_of(evenings, ADDRESS)) == order_on(reader.get(ADDRESS).content.decode())
    assert "2nd" not in text_of(evenings, ADDRESS, **live)
    reader.get(f"/theme?figures=&next={ADDRESS}")
    assert heads() == FIRST
    assert reader.get(ADDRESS, headers={**live, "If-None-Match": tag}).status_code == 304


def order_on(page: str) -> list[str]:
    return re.findall(r'<tr id="([^"]+)"><td class="pl">', page)


@pytest.mark.parametrize(
    ("sort", "order", "column", "aria"),
    [
        ("points", ["RL02", "RL05", "RL07", "RL01", "RL06"], "Points", "ascending"),
        ("-points", ["RL03", "RL08", "RL04", "RL06", "RL01"], "Points", "descending"),
        ("-rank", ["RL08", "RL03", "RL04", "RL06", "RL07"], "Place", "descending"),
        ("nothing", ["RL02", "RL01", "RL05", "RL07", "RL06"], "Average a hand", "ascending"),
    ],
)
def test_reader_sorts_by_any_column_and_places_stay(
    evenings: Evenings, sort: str, order: list[str], column: str, aria: str
) -> None:
    page = text_of(evenings, f"{ADDRESS}?sort={sort}")
    assert (order_on(page)[:5], len(order_on(page))) == (order, 8)
    assert re.findall(r'aria-sort="(\w+)"><a href="[^"]*">([^<]*)<', page) == [(aria, column)]
    assert '<tr id="RL01"><td class="pl">2</td>' in page
    assert ("Sort by place" in page) == (sort != "nothing")
    live = text_of(evenings, f"{ADDRESS}?sort={sort}", "", **{"HX-Request": "true"})
    assert order_on(live) == order_on(page), "the live part is in the reader's own order"
    assert f'hx-get="{ADDRESS}?sort={sort}"' in page or sort == "nothing"


class TestTheWall:
    """The big screen: ten rows at a time, one page after the other."""

    def fill(self, evenings: Evenings) -> None:
        more = players(evenings.cast.riverside, *(f"Player {n}" for n in range(16)))
        for number in range(4):
            game = table(evenings.event, more[4 * number : 4 * number + 4], table_number=3 + number)
            hand(game, 1, [4, 1, 2, 6], queen=3)
        publications.publish(evenings.event.pk, now=NOW)

    def wall(self, evenings: Evenings, query: str = "", **headers: str) -> str:
        return text_of(evenings, f"{ADDRESS}/projector{query}", "", **headers)

    def rows(self, page: str) -> int:
        return len(order_on(page))

    def test_it_says_which_publication_it_shows(self, evenings: Evenings) -> None:
        page = self.wall(evenings)
        assert "Publication 1 of 6 Nov 2025, 21:00" in page
        assert order_on(page)[0] == "RL02"

    def test_its_script_lets_a_page_wait(self, evenings: Evenings) -> None:
        self.fill(evenings)
        waiting = self.wall(evenings, "?still=2")
        assert 'data-turn="2"' in waiting
        assert "Stay on page" in waiting
        assert waiting == self.wall(evenings, "?still=2")
        held = self.wall(evenings, "?page=2")
        assert "data-turn" not in held
        assert "Change pages" in held

    def test_it_loops_through_its_pages_by_the_clock(
        self, evenings: Evenings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.fill(evenings)
        shown = []
        for turn in range(4):
            moment = datetime.fromtimestamp(1_763_000_100 + 15 * turn, tz=UTC)
            monkeypatch.setattr(timezone, "now", lambda moment=moment: moment)
            shown.append(order_on(self.wall(evenings)))
        assert [len(page) for page in shown[:3]] in ([10, 10, 4], [10, 4, 10], [4, 10, 10])
        assert shown[3] == shown[0]
        assert len({code for page in shown for code in page}) == 24

    def test_it_turns_without_a_script_and_stays_where_it_is_told(self, evenings: Evenings) -> None:
        self.fill(evenings)
        refresh = '<noscript><meta http-equiv="refresh" content="15"></noscript>'
        assert refresh in self.wall(evenings)
        held = self.wall(evenings, "?page=3")
        assert refresh not in held
        assert self.rows(held) == 4
        assert self.rows(self.wall(evenings, "?page=99")) == 4


@pytest.mark.parametrize(
    ("primary", "what", "way"),
    [
        ("raw_per_hand", "Average a hand", "lowest wins"),
        ("beaten_mean", "Opponents beaten", "highest wins"),
        ("wins", "Tables won", "highest wins"),
    ],
)
def test_standings_say_what_is_best(evenings: Evenings, primary: str, what: str, way: str) -> None:
    """In the first line, in the head of the column, and on the big screen."""
    Event.objects.filter(pk=evenings.event.pk).update(
        settings={**evenings.event.settings, "primary": primary}
    )
    enter_another_hand(evenings)
    publications.publish(evenings.event.pk, now=NOW)
    assert f"Ranked by {what}: {way}." in evenings.client().get(ADDRESS).content.decode()
    for path in (ADDRESS, f"{ADDRESS}/projector"):
        html = evenings.client().get(path).content.decode()
        head = html.partition("<thead>")[2].partition("</thead>")[0]
        assert re.findall(r'class="way">([^<]*)<', head) == [way], path
