"""A hand of eight days ago is corrected by the director, in a browser.

What the preview says is what happens, row by row; the reason stands in the log; page, REST, CSV and
the wall carry the same publication.
"""

import csv
import io
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import TESTS, hand, league, players, table
from tests.support.cast import enter_the_cast
from tests.support.walks import Walks, elsewhere
from tournaments.models.events import Event
from tournaments.selectors.jobs.queue import list_claimable_scopes
from tournaments.services.hands.close_tables import move_game
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import publish_event

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
EVENT = "/clubs/riverside/events/league"
REASON = "Paper sheet: the columns of East and West were exchanged."


@dataclass(frozen=True, slots=True)
class Night:
    """An evening that was closed and published eight days ago, and who directs it."""

    event: Event
    director: Client


@pytest.fixture
def night(db: None) -> Night:
    then = timezone.now() - timedelta(days=8)
    cast = enter_the_cast()
    event = league(cast.riverside, name="Autumn league", settings={"boundaries": {"cut": 2}})
    people = players(cast.riverside, "Ada", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hedi")
    first, second = (
        table(event, seated, table_number=number, on=then.date())
        for number, seated in ((1, people[:4]), (2, people[4:]))
    )
    hand(first, 1, [4, 1, 2, 6], queen=3, now=then)
    hand(second, 1, [3, 3, 3, 4], queen=1, now=then)
    for game in (first, second):
        move_game(actor=TESTS, game=game, to="complete", now=then)
    move_round(actor=TESTS, round_=first.table.round, to="closed", now=then)
    work_off(then)
    return Night(event, cast.client("dirk"))


def work_off(now: datetime) -> None:
    """Do what the dispatcher would hand to a worker."""
    for row in list_claimable_scopes(now + timedelta(minutes=1)):
        if row.prefix == "event:":
            publish_event(row.number)


def correct(walk: Walk) -> dict[str, list[str]]:
    """Type the right numbers and look at what they change; name → place, average, then both."""
    page = walk.page
    page.goto(f"{EVENT}/tables/r1t1/hands/1")
    walk.follow("Correct hand")
    page.locator('input[name="hearts-2"]').fill("6")
    page.locator('input[name="hearts-4"]').fill("1")
    with page.expect_navigation():
        page.get_by_role("button", name="Preview revision 2").last.click()
    walk.look(again=True)
    expect(page.get_by_role("heading", name="Correct hand 1")).to_be_visible()
    expect(page.get_by_text("Not saved yet")).to_be_visible()
    expect(page.get_by_text("The final changes.")).to_be_visible()
    expect(page.get_by_text("Emil and Gus come in. Ben goes out.")).to_be_visible()
    rows = page.locator(".chg tbody tr:has(th)").all()
    return {
        row.get_by_role("rowheader").inner_text().split("\n")[0].strip(): [
            cell.inner_text().strip() for cell in row.get_by_role("cell").all()[:4]
        ]
        for row in rows
    }


def standings(page: Page) -> dict[str, list[str]]:
    """Name → place and average, as the page of the event shows them."""
    page.goto(EVENT)
    table_ = page.get_by_role("main").locator("table.t").first
    heads = [head.inner_text().strip() for head in table_.locator("thead th").all()]
    at = next(index for index, head in enumerate(heads) if head.startswith("Average")) - 1
    found = {}
    for row in table_.locator("tbody tr[id]").all():
        name = row.get_by_role("rowheader").get_by_role("link").first.inner_text().strip()
        cells = [cell.inner_text().strip() for cell in row.get_by_role("cell").all()]
        found[name] = [cells[0].split("\n")[0].strip(), cells[at]]
    return found


@pytest.mark.tier_long
def test_correction_of_an_old_hand_does_what_its_preview_said_everywhere(
    night: Night, walks: Walks, tmp_path: Path
) -> None:
    walk = walks(PHONE, DESK, by=night.director)
    page = walk.page
    before = standings(page)
    told = correct(walk)
    page.screenshot(path=tmp_path / "preview.png", full_page=True)
    page.get_by_label("Reason for the correction").fill(REASON)
    walk.press("Save as revision 2")
    elsewhere(lambda: work_off(timezone.now()))

    after = standings(page)
    changed = {name for name in after if after[name] != before[name]}
    assert changed <= set(told)
    for name, (place, then, figure, figure_then) in told.items():
        assert ([place, figure], [then, figure_then]) == (before[name], after[name]), name
    assert all(after[name] == before[name] for name in set(after) - set(told))

    expect(page.get_by_text("Publication 2 of")).to_be_visible()
    answer = page.request.get(f"/api/v1{EVENT}/standings")
    assert answer.json()["publication"]["number"] == 2
    assert {
        row["player"]: f"{row['rank']}{'=' if row['tied'] else ''}" for row in answer.json()["rows"]
    } == {name: place for name, (place, _figure) in after.items()}
    table_ = page.request.get(f"/api/v1{EVENT}/standings.csv")
    assert table_.headers["etag"] == answer.headers["etag"]
    assert table_.headers["etag"].startswith('"2-')
    lines = list(csv.DictReader(io.StringIO(table_.text())))
    assert {one["player"]: one["average_per_hand"] for one in lines} == {
        name: figure for name, (_place, figure) in after.items()
    }
    page.goto(f"{EVENT}/projector")
    expect(page.get_by_text("Publication 2").first).to_be_visible()

    page.goto(EVENT)
    walk.follow("Change log")
    expect(page.get_by_text(f"“{REASON}”")).to_be_visible()
    walk.follow("In the standings since publication 2")
    expect(page.get_by_text("Newest")).to_be_visible()
    page.goto(f"{EVENT}/publications/1")
    expect(page.get_by_text("Superseded by 2")).to_be_visible()
    page.goto(f"{EVENT}/changes")
    walk.follow("table r1t1, hand 1, revision 2")
    expect(page.get_by_text(f"“{REASON}”")).to_be_visible()

    walk.press("Undo correction")
    expect(page.get_by_text("Reason for the change log: “Undo: as in revision 1”")).to_be_visible()
    walk.press("Save as revision 3")
    elsewhere(lambda: work_off(timezone.now()))
    assert standings(page) == before
    assert walk.wrong == []
