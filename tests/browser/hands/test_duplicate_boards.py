"""A host enters the boards of a duplicate round on a phone, with a signal and without one."""

from collections.abc import Iterator
from fractions import Fraction

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import PHONE, leave_for
from tests.support.scenarios.duplicate_nights import ROUNDS, duplicate_night, hearts_of, scores_of
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"


def fill_in(page: Page, board: int) -> None:
    hearts, queen = hearts_of(1, 1, board)
    page.get_by_label("Board", exact=True).fill(str(board))
    for seat, count in enumerate(hearts, start=1):
        page.locator(f"[name=hearts-{seat}]").fill(str(count))
    page.locator(f"[name=card-QS][value='{queen + 1}']").check(force=True)


@pytest.mark.tier_long
def test_phone_offers_the_next_board_whose_page_compares_tables(db: None, walks: Walks) -> None:
    night = duplicate_night()
    night.seat(1)
    night.play(1, tables=(2, 3))
    phone = walks(PHONE, by=night.host, at=f"{EVENT}/tables/r1t1/hands/new")
    page = phone.page
    board, save = page.get_by_label("Board", exact=True), page.locator(".desk-form .acts .pri")
    expect(board).to_have_value("1")
    fill_in(page, 1)
    phone.press("Save hand 1")
    expect(page.get_by_text("Hand 1 saved.")).to_be_visible()
    expect(board).to_have_value("2")
    page.context.set_offline(True)
    fill_in(page, 2)
    save.click()
    expect(save).to_contain_text("hand 3")
    expect(board).to_have_value("3")
    page.context.set_offline(False)
    expect(page.locator(".badge", has_text="All sent")).to_be_visible()
    for number in (1, 2):
        leave_for(page, f"{EVENT}/boards/{number}")
        phone.look()
        assert results_on(page) == list(results_of(number))
    assert [line for line in phone.wrong if "ERR_INTERNET" not in line] == []


def results_on(page: Page) -> list[tuple[str, ...]]:
    rows = page.get_by_role("table", name="Results").locator("tbody tr")
    cells: list[list[str]] = rows.evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )
    return [(*row[2:5], row[5].rstrip("0").rstrip(".") or "0") for row in cells]


def results_of(board: int) -> Iterator[tuple[str, ...]]:
    """The same by arithmetic: each against those who held the same cards."""
    scores = [scores_of(1, table, board) for table in (1, 2, 3)]
    for table, players in enumerate(ROUNDS[0]):
        for line, player in enumerate(players):
            own = scores[table][line]
            others = [score[line] for at, score in enumerate(scores) if at != table]
            beaten = Fraction(sum((other > own) * 2 + (other == own) for other in others), 2)
            percentage = f"{float(beaten * 50):.4f}".rstrip("0").rstrip(".") or "0"
            yield f"Player {player:02d}", str(own), str(beaten), percentage
