"""The host's form of every variant, for its least and its greatest number of players, on a phone.

A worked hand is typed as a person would: numbers into fields, cards tapped, questions answered. The
scores that the page shows afterwards are those of the case.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_django import DjangoDbBlocker

from scoring.cards import read_card
from scoring.entry.hand_reader import unit_sides
from scoring.entry.sheet import boxes, heart_cards
from scoring.rules.catalogue import catalogue
from tests.support.answers import Json
from tests.support.lengths import short_or_long
from tests.support.scenarios.evenings import ADDRESS
from tests.support.scenarios.tables_in_browser import TableEvening, evening_of_tables
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.worked_cases import ALL
from tournaments.domain.figures import signed

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CANNOT_BE_TYPED: Mapping[str, str] = {}
"""A case that no person could type into the form → why. None so far."""


@dataclass(frozen=True)
class Sheet:
    variant: str
    seats: int
    case: Json

    @property
    def entry(self) -> Json:
        found: Json = self.case["hands"][0]["entry"]
        return found

    @property
    def rows(self) -> list[tuple[int, ...]]:
        """The seats (from 0) of each row of the form."""
        rules = catalogue().rules(self.variant)
        return list(unit_sides(rules, self.seats, self.case.get("teams")))

    @property
    def shown(self) -> list[str]:
        """What stands in each column: a seat has one, and so has a side that shares its points."""
        return [signed(score) for score in self.case["hands"][0]["expected_hand_scores"]]

    @property
    def kind(self) -> tuple[frozenset[str], int, int, bool]:
        """What makes its form look as it does."""
        found = boxes(catalogue().rules(self.variant), self.seats)
        cards = [box.maximum or 1 for box in found if box.kind == "card"]
        kinds = frozenset(box.kind for box in found)
        return kinds, min(len(cards), 4), max(cards, default=0), len(self.rows) < self.seats


def _fits(case: Json) -> bool:
    """Whether a case's first hand can be the first one of a table under the rules as shipped."""
    starts = {key for key in case if key.startswith("start_")} - {"start_totals"}
    plain = case["kind"] == "match" and not case["options"] and not starts
    return plain and bool(case.get("hands")) and "expected_hand_scores" in case["hands"][0]


def _sheets() -> Iterator[Sheet]:
    """Every variant for its least and its greatest number; the shared cases come first in `ALL`."""
    for variant in VARIANTS:
        for seats in sorted(set(catalogue().rules(variant).keys.players)):
            cases = [case for case in ALL if _fits(case) and case["id"] not in CANNOT_BE_TYPED]
            case = next(c for c in cases if (c["variant"], c["seats"]) == (variant, seats))
            yield Sheet(variant, seats, case)


SHEETS = tuple(_sheets())
LOOKED_AT = {sheet.kind: sheet for sheet in reversed(SHEETS)}
"""Kind of form → the sheet on which axe looks at it."""


def _few() -> Iterator[Sheet]:
    """The sheets on each of which something stands that is on none before it."""
    known: set[object] = set()
    for sheet in LOOKED_AT.values():
        kinds, _, most, is_shared = sheet.kind
        parts = {*kinds, ("hearts", "hearts" in kinds), ("copies", most > 1), ("shared", is_shared)}
        if not parts <= known:
            known |= parts
            yield sheet


TYPED = short_or_long(tuple(_few()), SHEETS)
"""Which are typed: in the short form a few, which have all that stands on any of them."""


@pytest.fixture
def _django_db_helper() -> None:
    """No test of this file empties the database: the tables are there for all of them."""


@pytest.fixture(scope="module")
def evening(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, chromium: str
) -> Iterator[TableEvening]:
    """All tables made in one go; they go again when the last sheet is written."""
    tables = [(sheet.variant, sheet.seats) for sheet in TYPED]
    with evening_of_tables(django_db_blocker, chromium, tables) as made:
        yield made


class Typist:
    def __init__(self, page: Page, sheet: Sheet) -> None:
        self.page, self.sheet, self.entry = page, sheet, sheet.entry
        self.hearts = heart_cards(catalogue().rules(sheet.variant), sheet.seats)
        self.marks = {
            box.card for box in boxes(catalogue().rules(sheet.variant), sheet.seats)
            if box.kind == "card"
        }  # fmt: skip

    def type(self) -> None:
        """Write down the hand: what was charged, each pile, what else the form asks."""
        for card in self.entry.get("declared") or ():
            self.tap(f"#charged-{read_card(card)}")
        for unit, side in enumerate(self.sheet.rows):
            self.row(unit, side)

    def row(self, unit: int, side: tuple[int, ...]) -> None:
        """Write down one row: a seat's, or that of two who keep one pile."""
        row, entry = side[0] + 1, self.entry
        if "points" in entry:
            self.fill(f"#points-{row}", str(entry["points"][unit]))
            return
        taken = entry.get("taken") or [[]] * self.sheet.seats
        pile = [read_card(card) for seat in side for card in taken[seat]]
        if self.hearts:
            listed = sum(card in self.hearts for card in pile)
            counted = sum((entry.get("hearts") or [0] * self.sheet.seats)[seat] for seat in side)
            self.fill(f"#hearts-{row}", str(listed + counted))
        for card in sorted({card for card in pile if card in self.marks}, key=str):
            for copy in range(pile.count(card)):
                self.tap(f"[id='card-{card}-{row}-{copy}']")
        tricks = self.page.locator(f"#tricks-{row}")
        if "tricks" in entry and tricks.count():
            tricks.fill(str(sum(entry["tricks"][seat] for seat in side)))

    def fill(self, field: str, text: str) -> None:
        self.page.locator(field).fill(text)

    def tap(self, mark: str) -> None:
        self.page.locator(mark).click()

    def rows_of_cards(self) -> list[int]:
        """How many heights the marks of each card have, where cards and seats make a grid."""
        tops = "marks => new Set(marks.map(mark => mark.getBoundingClientRect().top)).size"
        if not self.page.locator(".seats.piles:not(:has(.step, .side))").count():
            return []
        return [
            self.page.locator(f"[id^='card-{card}-']").evaluate_all(tops) for card in self.marks
        ]

    def save(self) -> None:
        """Press Save, and answer how a moon is settled where the page asks."""
        self.press(self.page.get_by_role("button", name="Save hand 1", exact=True))
        choice = self.page.locator(f"[value='save:slam_choice={self.entry.get('slam_choice')}']")
        if choice.count():
            self.press(choice)

    def press(self, button: Locator) -> None:
        with self.page.expect_navigation():
            button.click()


@pytest.mark.parametrize("variant", sorted({sheet.variant for sheet in TYPED}))
def test_worked_hand_is_typed_and_scores_as_worked(evening: TableEvening, variant: str) -> None:
    walk = evening.walk
    walk.wrong.clear()
    for sheet in (sheet for sheet in TYPED if sheet.variant == variant):
        address = f"{ADDRESS}/tables/{evening.codes[variant, sheet.seats]}"
        walk.page.goto(f"{address}/hands/new")
        walk.measure()
        typist = Typist(walk.page, sheet)
        assert set(typist.rows_of_cards()) <= {1}
        typist.type()
        expect(walk.page.locator(".tally")).to_have_attribute("data-state", "ok")
        if LOOKED_AT[sheet.kind] is sheet:
            walk.look(again=True)
        typist.save()
        expect(walk.page.get_by_text(re.compile("Hand 1 saved"))).to_be_visible()
        if not walk.page.url.endswith(address):
            typist.press(walk.page.get_by_role("link", name="Sheet so far"))
        cells = walk.page.locator(".sheet tbody tr").first.locator(".pts")
        expect(cells).to_have_text(sheet.shown)
        walk.measure()
    assert walk.wrong_but(422) == []
