"""From the club down to a single hand and back, and what stands there."""

import re
from datetime import date
from html import unescape

import pytest

from tests.support.builders import hand, table
from tests.support.pages.queries import count_queries
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tournaments.models.clubs import Player
from tournaments.models.hands import Game, Hand, SeatScore

SHEET = f"{ADDRESS}/tables/r1t1"


def text_of(evenings: Evenings, path: str) -> str:
    response = evenings.client().get(path)
    assert response.status_code == 200, path
    page: str = response.content.decode()
    return page


def row_of(page: str, number: int) -> str:
    rows: list[str] = re.findall(
        r"<tr[^>]*><th scope=\"row\" class=\"hd\">.*?</tr>", page, re.DOTALL
    )
    return next(row for row in rows if f'/hands/{number}"' in row)


def figures(html: str, css: str) -> list[str]:
    """The text of each element of a class, without what only is spoken."""
    spoken = re.sub(r'<span class="vh">.*?</span>', "", html, flags=re.DOTALL)
    return [
        unescape(re.sub(r"<[^>]+>", "", found)).strip()
        for found in re.findall(rf'class="{css}">(.*?)</span>', spoken, re.DOTALL)
    ]


def test_sheet_shows_points_totals_places_the_moon_and_corrections(evenings: Evenings) -> None:
    page = text_of(evenings, SHEET)
    assert figures(row_of(page, 1), "pts") == ["+4", "+2", "+1", "+19"]
    assert figures(row_of(page, 2), "pts") == ["−26", "0", "0", "0"]
    assert figures(row_of(page, 2), "run") == ["−22", "2", "1", "19"]
    foot = page.partition("<tfoot>")[2]
    assert figures(foot, "pts") == ["−22", "2", "1", "19"]
    assert figures(foot, "run strong") == ["1st", "3rd", "2nd", "4th"]
    assert "took every card that makes a moon, and has the points taken off" in page
    other = text_of(evenings, f"{ADDRESS}/tables/r2t1")
    assert "took every card that makes a moon; each of the others is given the points" in other
    assert "1 hand corrected" in page
    assert "“East and South were swapped.”" in page
    assert f'href="{SHEET}/hands/1#revisions"' in page


def test_way_to_details_is_above_the_table_and_corrections_are_below(evenings: Evenings) -> None:
    page = evenings.client("dirk").get(SHEET).content.decode()
    above, _, below = page.partition('<table class="t sheet">')
    assert "hand&#x27;s number" in above or "hand's number" in above
    assert "Correct a hand" in below
    assert f'href="{SHEET}/hands/1/edit"' in below
    assert "Correct a hand" not in text_of(evenings, SHEET)


def test_list_of_sheets_names_players_by_seat_before_and_after_results(evenings: Evenings) -> None:
    dirk = evenings.client("dirk")
    page = dirk.get(f"{ADDRESS}/rounds/1/pile").content.decode()
    seats = [seat["player"] for seat in dirk.get(f"/api/v1{SHEET}").json()["seats"]]
    row = page.partition(f'{SHEET}/grid">Table')[2].partition("</tr>")[0]
    found = [unescape(row).index(name) for name in seats]
    assert found == sorted(found)


def test_hand_shows_every_revision_as_it_was_typed(evenings: Evenings) -> None:
    page = text_of(evenings, f"{SHEET}/hands/1")
    assert "Entries (2 revisions)" in page
    newest, oldest = page.index('id="revision-2"'), page.index('id="revision-1"')
    assert newest < oldest
    assert "2 hearts" in page[newest:oldest]
    assert "1 heart</span>" in page[oldest:]
    assert page[newest:oldest].count("Counts") == 1
    assert "Superseded" in page[oldest:]
    assert 'href="#revision-2">by revision 2, ' in page[oldest:]


def test_hand_says_what_the_shooter_chose(evenings: Evenings) -> None:
    own = text_of(evenings, f"{SHEET}/hands/2")
    assert "<dt>chosen by the shooter</dt><dd>points off their own total</dd>" in own
    others = text_of(evenings, f"{ADDRESS}/tables/r2t1/hands/1")
    assert "<dt>chosen by the shooter</dt><dd>points to each other player</dd>" in others


@pytest.mark.parametrize("state", ["disputed", "void"])
def test_hand_that_does_not_count_shows_what_was_entered(evenings: Evenings, state: str) -> None:
    moon = Hand.objects.get(game__table__code="r1t1", number=2)
    SeatScore.objects.filter(entry=moon.entry).delete()
    Hand.objects.filter(pk=moon.pk).update(state=state)
    page = text_of(evenings, SHEET)
    assert figures(row_of(page, 2), "pts") == ["–", "–", "–", "–"]
    said = {"disputed": "Disputed", "void": "Deleted"}[state]
    assert f"<b>{said}.</b>" in page
    assert "13<svg" in row_of(page, 2)
    assert "took every card" not in page
    assert figures(page.partition("<tfoot>")[2], "pts") == ["4", "2", "1", "19"]
    assert said in text_of(evenings, f"{SHEET}/hands/2")


def test_hand_beyond_the_length_is_marked_as_additional(evenings: Evenings) -> None:
    event = evenings.event
    event.settings = {**event.settings, "length": "hands:1"}
    event.save()
    page = text_of(evenings, SHEET)
    assert page.count("Additional hand.") == 1
    assert page.index("Additional hand.") > page.index(f'{SHEET}/hands/2"')
    Hand.objects.filter(game__table__code="r1t1", number=1).update(state="void")
    assert "Additional hand." not in text_of(evenings, SHEET)


def test_table_without_a_hand_is_linked_by_its_own_number(evenings: Evenings) -> None:
    seated = list(Player.objects.filter(player_id__in=["RL02", "RL04", "RL05", "RL07"]))
    table(evenings.event, seated, round_number=2, table_number=5, on=date(2025, 11, 13))
    page = text_of(evenings, f"{ADDRESS}/tables/r2t1")
    assert f'<a href="{ADDRESS}/tables/r2t5">Table 5</a>' in page
    missing = evenings.client().get(f"{ADDRESS}/tables/r2t2").content.decode()
    assert "Round 2 has tables 1, 5." in missing
    seated_page = text_of(evenings, f"{ADDRESS}/tables/r2t5")
    assert "No hands yet" in seated_page
    assert "North: Zoë K." in seated_page
    round_page = text_of(evenings, f"{ADDRESS}/rounds/2")
    assert "no hands yet" in round_page
    assert re.findall(r'<td class="p">(.*?)</td>', round_page)[-4:] == ["N", "E", "S", "W"]


@pytest.mark.parametrize("name", ["", "olga"], ids=["public", "owner"])
def test_every_link_of_every_page_leads_somewhere(evenings: Evenings, name: str) -> None:
    client = evenings.client(name)
    seen: set[str] = set()
    waiting = ["/"]
    while waiting:
        path = waiting.pop()
        page = client.get(path, follow=True)
        assert page.status_code == 200, path
        if "text/html" not in page["Content-Type"]:
            continue
        for found in re.findall(r'href="(/[^"#?]*)', page.content.decode()):
            if found not in seen and not found.startswith(("/static/", "/accounts/")):
                seen.add(found)
                waiting.append(found)
    assert f"{SHEET}/hands/1" in seen
    assert f"{ADDRESS}/players/RL08" in seen


def test_round_shows_tables_with_places_and_evenings_the_newest_first(evenings: Evenings) -> None:
    page = text_of(evenings, f"{ADDRESS}/rounds/1")
    assert page.count('<section class="game">') == 2
    assert "2 hands" in page
    # Marit, Jörg, Cleo and Carla: 3, 16, 3 and 4 points.
    second = page.partition("Result of table 2")[2]
    assert re.findall(r'<td class="p">(.*?)</td>', second) == ["1=", "1=", "3", "4"]
    page = text_of(evenings, f"{ADDRESS}/meetings")
    assert page.index("Thursday 13 November 2025") < page.index("Thursday 6 November 2025")
    assert f'href="{ADDRESS}/rounds/2"' in page


def test_lists_that_only_rest_has_lead_to_the_page_that_shows_them(evenings: Evenings) -> None:
    client = evenings.client()
    for path, target in {
        "/clubs": "/",
        "/clubs/riverside/events": "/clubs/riverside",
        f"{ADDRESS}/rounds": f"{ADDRESS}/meetings",
        f"{SHEET}/hands": SHEET,
        f"{SHEET}/hands/1/revisions": f"{SHEET}/hands/1",
    }.items():
        assert client.get(path)["Location"] == target


def test_sheet_costs_the_same_queries_however_many_hands_it_has(evenings: Evenings) -> None:
    client = evenings.client()
    few = count_queries(client, SHEET)
    game = Game.objects.get(event=evenings.event, table__code="r1t1")
    for number in range(3, 12):
        hand(game, number, [4, 1, 2, 6], queen=3)
    assert count_queries(client, SHEET) == few == 14
