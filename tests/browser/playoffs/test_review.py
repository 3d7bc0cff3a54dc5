"""A totals sheet is corrected under a finished play-off: the director sees what it touches, readers
see "Under review", the director decides, and the publication follows. Numbers are those of REST."""

import json
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.support.answers import Json
from tests.support.browser import DESK, PHONE
from tests.support.cast import Cast
from tests.support.pages.accounts import account, sign_in
from tests.support.scenarios.playoffs import look
from tests.support.scenarios.standings_under_review import (
    API,
    EVENT,
    ONE,
    TOTALS,
    decided,
)
from tests.support.walks import Walks
from tournaments.models.events import Event

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def event(cast: Cast) -> Event:
    """A, B and C tied with 20 by a totals sheet; A has won the play-off."""
    return decided(cast)


def over_rest(url: str) -> Json:
    with urlopen(url) as answer:  # noqa: S310 - our own live server
        body: dict[str, Any] = json.load(answer)
    return body


def on_the_page(page: Page) -> list[tuple[str, str]]:
    """Player id and place of each row."""
    rows = page.locator("#live tr[id]").all()
    return [
        (str(row.get_attribute("id")), row.locator("td.pl").inner_text().rstrip("="))
        for row in rows
    ]


@pytest.mark.tier_long
def test_totals_corrected_under_a_finished_playoff_are_asked_about(
    cast: Cast, event: Event, walks: Walks
) -> None:
    account(cast, "dina", "director")
    rest = f"{walks.url}{API}"

    def same_as_rest(page: Page) -> int:
        """The standings page shows the rows of REST's publication; returns its number."""
        page.goto(EVENT)
        body = over_rest(f"{rest}/standings")
        assert on_the_page(page) == [(row["player_id"], str(row["rank"])) for row in body["rows"]]
        return int(body["publication"]["number"])

    walk = walks(DESK, PHONE)
    page = walk.page
    sign_in(page, "dina")
    first = same_as_rest(page)
    page.goto(TOTALS)
    page.get_by_label("C", exact=True).fill("24")
    page.get_by_label("D", exact=True).fill("40")
    page.get_by_label("Reason for the correction").fill("The last line was misread.")
    page.get_by_role("button", name="Preview revision 2").click()
    expect(page.get_by_role("heading", name="Correct totals")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("(A · B · C): the play-off is finished")
    expect(page.get_by_role("main")).to_contain_text("“Under review” until a director decides")
    walk.look()
    assert over_rest(rest)["under_review"] is None
    page.get_by_role("button", name="Save as revision 2").click()
    expect(page.get_by_role("main")).to_contain_text("saved as revision 2")
    assert walk.wrong == []
    walks.put_away()
    look(event)
    reader = walks(PHONE, DESK)
    assert same_as_rest(reader.page) == first
    expect(reader.page.get_by_role("main")).to_contain_text("Under review since")
    expect(reader.page.get_by_role("link", name="Decide play-off 1")).to_have_count(0)
    reader.look()
    assert over_rest(rest)["under_review"]["playoffs"] == [1]
    assert over_rest(f"{rest}/playoffs/1")["is_asked"] is True
    assert reader.wrong == []
    walk = walks(PHONE, DESK)
    page = walk.page
    sign_in(page, "dina")
    page.goto(f"{EVENT}/direct")
    walk.look()
    page.get_by_role("link", name="Decide play-off 1").first.click()
    expect(page.get_by_role("heading", name="If you keep the result")).to_be_visible()
    expect(page.get_by_role("heading", name="If it is replayed")).to_be_visible()
    walk.look()
    answer = page.locator("form").filter(has=page.get_by_role("button", name="Replay"))
    answer.get_by_label("Reason").fill("C was not tied.")
    page.get_by_role("button", name="Replay").click()
    expect(page.get_by_role("main")).to_contain_text("The play-off is void")
    assert walk.wrong == []
    walks.put_away()
    look(event)
    reader = walks(DESK, PHONE)
    assert same_as_rest(reader.page) == first + 1
    assert over_rest(rest)["under_review"] is None
    expect(reader.page.get_by_role("main")).to_contain_text("play-off 2")
    expect(reader.page.get_by_role("main")).not_to_contain_text("Under review")
    reader.page.goto(f"{EVENT}/changes")
    expect(reader.page.get_by_role("main")).to_contain_text("“C was not tied.”")
    expect(reader.page.get_by_role("main")).to_contain_text("“The last line was misread.”")
    reader.look()
    reader.page.goto(ONE)
    reader.look()
    assert reader.wrong == []
