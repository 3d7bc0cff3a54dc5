"""A knock-out cup of sixteen by a director's pages, from the first plan to the winner."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.browser import DESK, PHONE, Walk
from tests.support.builders import hand
from tests.support.cast import enter_the_cast
from tests.support.scenarios.cups import cup
from tests.support.walks import Walks, elsewhere
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.rounds import Sitting
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = "/clubs/riverside/events/league"
PLANS = f"{EVENT}/meetings/2025-11-13/plans"
HEARTS = {4: ([1, 3, 4, 5], 3), 3: ([1, 5, 7], 2)}
"""Seats at a table → hearts by seat, and who has the queen: seat 1 wins, then seat 2."""


def publish_now() -> None:
    publish(Event.objects.get().pk, now=timezone.now())


def seats_of(number: int) -> list[list[str]]:
    found: dict[int, list[str]] = {}
    rows = Sitting.objects.filter(round__number=number, to_hand__isnull=True)
    for table, name in rows.order_by("seat__number").values_list(
        "seat__table__number", "player__name"
    ):
        found.setdefault(table, []).append(name)
    return [found[table] for table in sorted(found)]


def seat(walk: Walk, number: int) -> list[list[str]]:
    page = walk.page
    if number > 1:
        page.goto(f"{PLANS.removesuffix('plans')}seating")
        walk.press("Next round")
        walk.press(f"Post round {number}")
        return elsewhere(lambda: seats_of(number))
    page.goto(PLANS)
    expect(page.get_by_label("Kind of evening")).to_have_value("knockout")
    page.get_by_role("button", name="Create plans").or_(
        page.get_by_role("button", name="New plans")
    ).click()
    page.get_by_role("button", name="Choose plan").first.click()
    walk.press(f"Post round {number}")
    return elsewhere(lambda: seats_of(number))


def play(walk: Walk, number: int, tables: list[list[str]]) -> None:
    def enter() -> None:
        for at, people in enumerate(tables, 1):
            hand(Game.objects.get(table__code=f"r{number}t{at}"), 1, *HEARTS[len(people)])

    elsewhere(enter)
    walk.page.goto(f"{EVENT}/rounds/{number}/direct")
    with walk.page.expect_navigation():
        walk.page.get_by_role("button", name="Close round").click()
    elsewhere(publish_now)


def test_sixteen_play_a_cup_with_one_walk_over(db: None, walks: Walks) -> None:
    dirk, _event = cup(enter_the_cast(), 16, each_round={"each_table": 2})
    walk = walks(PHONE, DESK, by=dirk)
    page = walk.page
    first = seat(walk, 1)
    assert [len(table) for table in first] == [4, 4, 4, 4]
    page.goto(f"{EVENT}/stages/1/bracket")
    walk.follow("Walk-over at table 1")
    gone = first[0].pop()
    page.get_by_label("Does not play").select_option(label=gone)
    page.get_by_label("Reason").last.fill("Did not come.")
    walk.press("Record walk-over")
    expect(page.get_by_text(f"{gone} does not play here.")).to_be_visible()
    walk.look()
    play(walk, 1, first)
    second = seat(walk, 2)
    through = sorted(name for table in first for name in table[:2])
    assert sorted(name for table in second for name in table) == through
    play(walk, 2, second)
    final = seat(walk, 3)
    assert sorted(final[0]) == sorted(name for table in second for name in table[:2])
    play(walk, 3, final)
    page.goto(f"{EVENT}/stages/1/bracket")
    walk.look()
    winner = page.get_by_role("listitem").filter(has_text="winner")
    expect(winner).to_contain_text(f"1. {final[0][0]} winner")
    expect(page.get_by_role("main")).to_contain_text(f"{gone} walk-over")
    assert walk.wrong == []
