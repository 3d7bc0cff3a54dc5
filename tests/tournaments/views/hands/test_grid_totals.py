"""The foot of the grid over many variants: the totals of the sheet's page and of REST."""

import random
import re
from collections.abc import Sequence
from html import unescape

import pytest

from scoring.entry.sheet import boxes
from scoring.game.game import new_game
from scoring.rules.catalogue import catalogue
from tests.support.answers import Answer
from tests.support.builders import league, players, table
from tests.support.lengths import short_or_long
from tests.support.pages.grid import Secretary
from tests.support.pages.text import text_of
from tests.support.scenarios.evenings import Evenings
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.random_hands import dealt_at, settled
from tournaments.views.hands.grid_cells import grammar_of
from tournaments.views.hands.grid_rows import RowTexts, write_row
from tournaments.views.hands.hand_form_fields import EntryFields, fields_of, sheet_of

SOME = [
    "hearts", "omnibus-hearts", "hearts-multipack", "cancellation-hearts", "spot-hearts",
    "gong-zhu", "partnership-hearts-pooled", "joker-hearts", "super-hearts", "hearts-online",
]  # fmt: skip
MINUS = "\u2212"


def rows_of(chance: random.Random, variant: str, seats: int) -> tuple[EntryFields, list[RowTexts]]:
    """Four legal hands as texts of the grid, a moon among them where the rules have one."""
    rules = catalogue().rules(variant)
    sheet = sheet_of(rules, seats, new_game(rules, seats).teams or None)
    found: list[RowTexts] = []
    wanted = ["moon", "plain", "plain", "plain"]
    for _deal in range(400):
        dealt = dealt_at(chance, rules, seats)
        entry = dealt.counts if dealt.ready.short_form else dict(dealt.entry)
        if "first_trick" not in {box.kind for box in boxes(rules, seats)}:
            entry = {key: value for key, value in entry.items() if key != "first_trick_by"}
        made = settled(dealt, entry, new_game(rules, seats))
        kind = "moon" if made.moon else "plain"
        if kind not in wanted:
            continue
        wanted.remove(kind)
        if made.moon and made.moon.choice:
            entry = {**entry, "slam_choice": made.moon.choice}
        found.append(write_row(grammar_of(sheet), "counts", fields_of(sheet, entry, "counts")))
        if not wanted:
            break
    return sheet, found


def put(sheet: EntryFields, texts: list[RowTexts]) -> dict[str, str]:
    """The fields that a browser would send for these rows."""
    fields = {}
    for number, one in enumerate(texts, start=1):
        for row, text in zip(sheet.rows, one.cells, strict=True):
            fields[f"c-{number}-{row}"] = text
        fields |= {f"c-{number}-{kind}": text for kind, text in one.beside.items()}
    return fields


def foot(page: Answer) -> list[str]:
    html = page.content.decode()
    return [unescape(cell) for cell in re.findall(r'class="foot-sum">([^<]*)<', html)]


def sheet_foot(page: Answer) -> list[str]:
    cells = page.content.decode().partition("<tfoot>")[2].partition("</tfoot>")[0]
    return [unescape(cell) for cell in re.findall(r'<span class="pts">([^<]*)</span>', cells)]


def columns_of(rows: Sequence[int], seats: int) -> Sequence[int]:
    """The seats with a column on a sheet: where sides share their points, each side's first."""
    return rows if len(rows) < seats else range(1, seats + 1)


@pytest.mark.parametrize("variant", short_or_long(SOME, list(VARIANTS)))
def test_foot_of_the_grid_equals_the_sheet_and_rest(evenings: Evenings, variant: str) -> None:
    least, most = catalogue().rules(variant).keys.players
    seats = most if variant in SOME[:2] else least
    chance = random.Random(variant)  # noqa: S311 - deals cards, keeps no secret
    event = league(evenings.cast.riverside, slug="foot", name="Foot", variant=variant)
    seated = players(evenings.cast.riverside, *(f"Guest {n}." for n in range(seats)))
    table(event, seated, variant=variant)
    address = "/clubs/riverside/events/foot/tables/r1t1"
    sheet, texts = rows_of(chance, variant, seats)
    hanna = Secretary(evenings, address=f"{address}/grid")
    refused = dict(zip((f"c-5-{row}" for row in sheet.rows), ["0"] * seats, strict=False))
    answer = hanna.send({}, **put(sheet, texts), **refused)  # a hand of nothing is refused
    assert answer.status_code == 422
    rest = hanna.client.get(f"/api/v1{address}/hands").json()["results"]
    assert len(rest) == len(texts)
    totals = [str(seat["total"]).replace("-", MINUS) for seat in rest[-1]["seats"]]
    page = sheet_foot(hanna.client.get(address))
    if not isinstance(rest[-1]["seats"][0]["total"], list):
        assert page == [totals[row - 1] for row in columns_of(sheet.rows, seats)]
    rows = [page[row - 1].replace(" ", "") for row in sheet.rows]
    assert [one.replace(" ", "") for one in foot(answer)] == rows
    assert "without hand 5" in answer.content.decode()
    hanna.page = hanna.client.get(hanna.address)
    assert [one.replace(" ", "") for one in foot(hanna.page)] == rows


def test_keys_say_how_the_tricks_of_a_hand_are_entered(evenings: Evenings) -> None:
    event = league(evenings.cast.riverside, slug="reversis", name="Reversis", variant="reversis")
    seated = players(evenings.cast.riverside, *(f"Guest {n}." for n in range(4)))
    table(event, seated, variant="reversis")
    page = evenings.client("hanna").get("/clubs/riverside/events/reversis/tables/r1t1/grid")
    assert "Tricks a number for each seat with spaces between" in text_of(page)
