"""Rules cards in a real browser: on two screens without a finding, and on paper on one page."""

import re

import pytest
from playwright.sync_api import expect

from scoring.rules.catalogue import catalogue
from tests.support.browser import DESK, PHONE
from tests.support.lengths import has_its_turn, short_or_long
from tests.support.scenarios.evenings import ADDRESS, Evenings
from tests.support.walks import Walks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHEET_OF_PAPER = re.compile(rb"/Type\s*/Page[^s]")
A5 = re.compile(rb"/MediaBox\s*\[\s*0 0 (?:419|420)[\d.]* (?:594|595)[\d.]*\s*\]")
"""148 by 210 mm, in the points of a PDF."""


@pytest.mark.tier_long
def test_player_finds_a_game_reads_its_card_and_compares_it(
    evenings: Evenings, walks: Walks
) -> None:
    walk = walks(PHONE, DESK)
    page = walk.page
    page.goto("/variants")
    walk.look()
    page.get_by_label("Name").fill("catch the pig")
    walk.press("Find")
    walk.follow("Gong Zhu")
    expect(page.get_by_role("heading", name="Gong Zhu")).to_be_visible()
    page.get_by_label("Compare with").select_option("hearts")
    walk.press("Compare")
    expect(page.get_by_role("row", name="Passing Differs")).to_contain_text("No cards are passed.")
    walk.follow("Hide equal rules")
    expect(page.get_by_text("Same", exact=True)).to_have_count(0)
    assert walk.wrong == []


@pytest.mark.tier_long
def test_sheet_leads_to_the_card_of_its_table(evenings: Evenings, walks: Walks) -> None:
    walk = walks(PHONE, DESK)
    walk.page.goto(f"{ADDRESS}/tables/r1t1")
    walk.follow("Rules of this table")
    expect(walk.page.get_by_text("26 off their own total")).to_be_visible()
    walk.follow("All rules of this event")
    assert walk.wrong == []


@pytest.mark.tier_long
def test_card_for_too_many_players_and_a_game_that_is_not_there_are_without_a_finding(
    evenings: Evenings, walks: Walks
) -> None:
    walk = walks(PHONE, DESK)
    for path, status in (("/variants/hearts?seats=9", 422), ("/variants/gong-zu", 404)):
        walk.page.goto(path)
        walk.look()
        assert walk.wrong_but(status) == []
        walk.wrong.clear()


def test_every_card_prints_on_one_page_of_a5(evenings: Evenings, walks: Walks) -> None:
    page = walks(DESK).page
    wrong = []
    for variant in (one for one in catalogue().ids if has_its_turn(one, 0, 4)):
        least, most = catalogue().rules(variant).keys.players
        for seats in short_or_long([most], sorted({least, most})):
            page.goto(f"/variants/{variant}?seats={seats}")
            paper = page.pdf(prefer_css_page_size=True)
            if len(SHEET_OF_PAPER.findall(paper)) != 1 or not A5.search(paper):
                wrong.append((variant, seats))
    assert wrong == []
