"""A director runs an open night: kind of evening, tables, a table ends, ticked players, a round."""

from functools import partial

import pytest
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import league
from tests.support.cast import enter_the_cast
from tests.support.scenarios.open_nights import OpenNightEvening
from tests.support.walks import Walks, elsewhere
from tournaments.models.meetings import Sitting
from tournaments.models.seating_plans import SeatingPlan

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENING = "/clubs/riverside/events/league/meetings/2025-11-13"


@pytest.fixture
def started(db: None, walks: Walks) -> tuple[Walk, OpenNightEvening]:
    """Dirk before an evening with nine people and no plan, at both widths."""
    cast = enter_the_cast()
    night = OpenNightEvening(league(cast.riverside), 9)
    SeatingPlan.objects.all().delete()
    return walks(DESK, PHONE, by=cast.client("dirk")), night


@pytest.mark.tier_long
def test_open_night_from_the_plan_to_the_second_round(
    started: tuple[Walk, OpenNightEvening],
) -> None:
    walk, night = started
    page = walk.page
    page.goto(f"{EVENING}/plans")
    page.get_by_label("Open night").check()
    walk.look()
    walk.press("Create plans")
    expect(page.get_by_role("heading", name="Plan A: open night")).to_be_visible()
    walk.press("Choose plan A")
    walk.press("Form tables")
    expect(page.get_by_text("Tables 1, 2 and 3 formed.")).to_be_visible()
    elsewhere(lambda: night.end("r1t2"))
    elsewhere(lambda: night.come("Wim W.", "Xaver W."))
    page.goto(f"{EVENING}/seating")
    walk.look(again=True)
    for name in ("Wim W.", "Xaver W."):
        page.get_by_label(name).check()
    page.locator("input[name=player]").nth(2).check()
    walk.press("Form ticked table")
    expect(page.get_by_text("Table 2 formed.")).to_be_visible()
    for code in ("r1t1", "r1t3"):
        elsewhere(partial(night.end, code))
    page.goto(f"{EVENING}/seating")
    walk.press("Close round 1")
    walk.press("Form tables")
    rows = Sitting.objects.filter(seat__table__game__state="seated")
    seats = elsewhere(lambda: list(rows.values_list("player_id", flat=True)))
    assert len(seats) == len(set(seats)) == 11
    assert walk.wrong == []
