"""A wrong hand in Chromium, variant after variant: refused, mended by the first button, saved.

Fourteen variants whose sheets differ, each with one mistake of the kinds that
tests/support/scoring/faulty_hands.py makes; then a right hand, saved at once.
"""

import random
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django import DjangoDbBlocker

from scoring.cards import read_card
from tests.support.lengths import short_or_long
from tests.support.scenarios.evenings import ADDRESS
from tests.support.scenarios.tables_in_browser import TableEvening, evening_of_tables
from tests.support.scoring.faulty_hands import Faulty, faulty_hand, pressed
from tournaments.views.hands.hand_form_fields import Fields

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

COUNT, CARD, POINTS = "a count off by one", "a card at the wrong seat", "points off by one"
MISTAKES = {
    "hearts": COUNT, "omnibus-hearts": COUNT, "spot-hearts": CARD, "turbo-hearts": COUNT,
    "danger-hearts": COUNT, "partnership-hearts-pooled": COUNT,
    "partnership-hearts-individual": POINTS, "cancellation-hearts": COUNT,
    "cancellation-hearts-3": COUNT, "hartenjagen": COUNT, "black-maria": CARD, "likha": CARD,
    "gong-zhu": POINTS, "domino-hearts": COUNT,
}  # fmt: skip
"""Variant → the mistake in its hand."""
FEW = ("hearts", "black-maria", "gong-zhu", "partnership-hearts-pooled", "cancellation-hearts-3")
CHOSEN = short_or_long(FEW, tuple(MISTAKES))
"""Variants that are typed: in the short form each mistake, a shared pile and three packs."""
TYPED = ("hearts-", "points-", "cards-")
ASKED = ("slam_choice", "shooter")
"""What the page asks for after a hand is sent."""


def _can_be_typed(hand: Faulty, name: str) -> bool:
    """Whether a field is one of those typed here; a mark cannot be at two seats at once."""
    is_card = name.startswith("card-")
    if is_card and len(hand.fields[name]) > len(hand.right.get(name, ())):
        return False
    return is_card or name.startswith((*TYPED, "charged"))


def wrong_hand(variant: str) -> Faulty:
    """The first hand with this mistake for which something is offered, and no moon is asked."""
    for turn in range(200):
        chance = random.Random(f"{variant} {turn}")  # noqa: S311 - deals cards, keeps no secret
        found = faulty_hand(chance, variant, MISTAKES[variant])
        if found is None or any(name in found.right | found.fields for name in ASKED):
            continue
        if all(_can_be_typed(found, name) for name in found.fields):
            offered = pressed(found)
            if offered.buttons and offered.saved[0]:
                return found
    raise AssertionError(f"no {MISTAKES[variant]} for {variant}")


TOTALS_ONLY = ("hearts", 5)
HANDS = {variant: wrong_hand(variant) for variant in CHOSEN}


@pytest.fixture
def _django_db_helper() -> None:
    """No test of this file empties the database: the tables are there for all of them."""


@pytest.fixture(scope="module")
def evening(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, chromium: str
) -> Iterator[TableEvening]:
    tables = [*((hand.variant, hand.seats) for hand in HANDS.values()), TOTALS_ONLY]
    with evening_of_tables(django_db_blocker, chromium, tables) as made:
        yield made


def press(page: Page, button: Locator) -> None:
    with page.expect_navigation():
        button.click()


def enter(page: Page, hand: Faulty, fields: Fields) -> None:
    way = page.locator(f"button[value='way:{hand.way}']")
    if way.count():
        press(page, way)
    for name, values in fields.items():
        if name.startswith(TYPED):
            page.locator(f"#{name}").fill(values[0] if values else "")
        elif name == "charged":
            for card in values:
                page.locator(f"#charged-{read_card(card)}").click()
        else:
            for at, row in enumerate(values):
                page.locator(f"[id='{name}-{row}-{values[:at].count(row)}']").check(force=True)


@pytest.mark.parametrize("variant", sorted(CHOSEN))
def test_wrong_hand_is_refused_and_its_first_correction_saves(
    evening: TableEvening, variant: str
) -> None:
    walk, hand = evening.walk, HANDS[variant]
    page = walk.page
    walk.wrong.clear()
    page.goto(f"{ADDRESS}/tables/{evening.codes[variant, hand.seats]}/hands/new")
    enter(page, hand, hand.fields)
    press(page, page.get_by_role("button", name="Save hand 1", exact=True))
    expect(page.get_by_role("alert").first).to_contain_text("Not saved.")
    walk.measure()
    press(page, page.locator(".note .fix .btn").first)
    press(page, page.get_by_role("button", name="Save hand 1", exact=True))
    expect(page.get_by_text(re.compile("Hand 1 (is )?saved"))).to_be_visible()
    enter(page, hand, hand.right)
    press(page, page.get_by_role("button", name="Save hand 2", exact=True))
    saved = page.get_by_text(re.compile("Hand 2 (is )?saved"))
    question = page.get_by_role("heading", name="Hand 2 is the same as hand 1. Dealt twice?")
    expect(saved.or_(question).first).to_be_visible()
    is_asked = question.count() > 0  # the first correction of hand 1 was the right hand
    if is_asked:
        press(page, page.get_by_role("button", name="Save hand 2", exact=True))
    expect(saved.first).to_be_visible()
    assert walk.wrong_but(422, *((409,) if is_asked else ())) == []


def test_totals_without_one_of_them_are_refused_and_then_saved(evening: TableEvening) -> None:
    walk, page = evening.walk, evening.walk.page
    walk.wrong.clear()
    address = f"{ADDRESS}/tables/{evening.codes[TOTALS_ONLY]}"
    page.goto(f"{address}/totals")
    for seat, total in ((1, 20), (2, 7), (3, 25), (5, 26)):
        page.locator(f"#id_points-{seat}").fill(str(total))
    page.get_by_label("Number of hands").fill("4")
    save = page.get_by_role("button", name="Save totals", exact=True)
    press(page, save)
    expect(page.get_by_role("main")).to_contain_text(
        "Enter the total of Konstantin K., even if it is 0."
    )
    walk.measure()
    page.locator("#id_points-4").fill("26")
    press(page, save)
    assert page.url.endswith("/read-back")
    told = page.request.get(f"/api/v1{address}").json()["seats"]
    assert [seat["total"] for seat in told] == [20, 7, 25, 26, 26]
    assert walk.wrong_but(422) == []
