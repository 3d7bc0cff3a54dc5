"""Each rules card is printed on one page."""

import re

import pytest

from scoring.rules.catalogue import catalogue
from tests.support.browser import DESK, Walks
from tests.support.lengths import has_its_turn, short_or_long
from tests.support.scenarios.evenings import Evenings

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHEET_OF_PAPER = re.compile(rb"/Type\s*/Page[^s]")
A5 = re.compile(rb"/MediaBox\s*\[\s*0 0 (?:419|420)[\d.]* (?:594|595)[\d.]*\s*\]")
"""148 by 210 mm, in the points of a PDF."""


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
