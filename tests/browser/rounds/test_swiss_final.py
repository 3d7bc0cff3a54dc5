"""A Swiss tournament by pages, from the director's account to the champion of the final table.

Only the hands go over REST. The last round ends with a tie across the cut: a play-off decides it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.support.browser import PHONE, Walk
from tests.support.builders import counts
from tests.support.evenings import NAMES
from tests.support.lengths import short_or_long
from tests.support.pages.new_club import CLUB, check_in, create_event, make_club, send
from tests.support.scenarios.playoffs import look
from tests.support.walks import Walks, elsewhere
from tournaments.models.events import Event

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

EVENT = f"{CLUB}/events/open"
PEOPLE, ROUNDS = short_or_long((11, 3), (23, 5))
ALL = (*NAMES, "Wanda S.")[:PEOPLE]
HEARTS: Mapping[int, Sequence[int]] = {4: (0, 2, 4, 7), 3: (1, 4, 8)}
"""Hearts from the first place to the last, who has the queen too."""
POINTS: Mapping[int, Sequence[int]] = {4: (5, 3, 2, 1), 3: (5, 3, 1)}
CUT = 4


def create(walk: Walk, day: str) -> None:
    """Create the event with its preset, and say how many rounds its Swiss stage has."""
    page = walk.page
    create_event(walk, "Open", "Swiss with final table", day)
    page.goto(f"{EVENT}/stages/1/plan")
    page.get_by_label("Number of rounds").fill(str(ROUNDS))
    walk.press("Save stage")
    expect(page.get_by_role("row", name="Final table")).to_contain_text("the best 4 of Swiss")


def rank_by_points_alone(walk: Walk) -> None:
    """Leave out the tie-breaks, so that equal points are a tie."""
    tag = walk.page.request.get(f"/api/v1{EVENT}/settings").headers["etag"]
    body: dict[str, object] = {"settings": {"tie_breaks": []}}
    send(walk, "PATCH", f"{EVENT}/settings", body, {"If-Match": tag})


def seat(walk: Walk, day: str, number: int) -> list[list[str]]:
    """Plan the next round as the stage says, choose the plan, seat and post it; who sits where."""
    walk.page.goto(f"{EVENT}/meetings/{day}/plans")
    walk.page.get_by_text("Same plans again").click()
    walk.page.get_by_label("Seed").fill(str(number))
    walk.press("Create plans" if number == 1 else "New plans")
    for click in ("Choose plan A", f"Seat round {number}", f"Post round {number}"):
        walk.press(click)
    get = walk.page.request.get
    tables = get(f"/api/v1{EVENT}/rounds/{number}").json()["tables"]
    codes = [f"/api/v1{EVENT}/tables/r{number}t{at}" for at in range(1, len(tables) + 1)]
    return [[one["player"] for one in get(code).json()["seats"]] for code in codes]


Order = Callable[[list[list[str]]], list[list[int]]]
"""Tables → the place of each seat, from 0."""


def by_lot(draw: Random) -> Order:
    return lambda tables: [draw.sample(range(len(table)), len(table)) for table in tables]


def with_a_tie(draw: Random, totals: Mapping[str, int]) -> Order:
    """Places of the last round after which exactly two share the last place above the cut."""

    def found(tables: list[list[str]]) -> list[list[int]]:
        for _ in range(20_000):
            places = by_lot(draw)(tables)
            after = sorted(added(totals, tables, places).values(), reverse=True)
            if after[CUT - 2] > after[CUT - 1] == after[CUT] > after[CUT + 1]:
                return places
        raise AssertionError("no last round ends with such a tie; begin with another seed")

    return found


def added(
    totals: Mapping[str, int], tables: list[list[str]], places: list[list[int]]
) -> dict[str, int]:
    after = dict(totals)
    for table, own in zip(tables, places, strict=True):
        for name, place in zip(table, own, strict=True):
            after[name] = after.get(name, 0) + POINTS[len(table)][place]
    return after


def play(walk: Walk, number: int, tables: list[list[str]], places: list[list[int]]) -> None:
    """Enter a hand at each table, and close the round by its page."""
    for at, own in enumerate(places, 1):
        hearts = [HEARTS[len(own)][place] for place in own]
        sent = {"number": 1, "entry": counts(hearts, own.index(len(own) - 1))}
        hand = send(walk, "POST", f"{EVENT}/tables/r{number}t{at}/hands", sent)
        assert [one["player"] for one in hand["seats"]] == tables[at - 1]
    walk.page.goto(f"{EVENT}/rounds/{number}/direct")
    n = len(places)
    walk.press(f"Close {n} open tables" if n > 1 else "Close 1 open table")
    walk.press("Close round")
    workers()


def workers() -> None:
    """Do what the workers do until nothing is behind."""
    elsewhere(lambda: look(Event.objects.get()))


def test_swiss_with_a_tie_at_the_cut_and_a_final_table(setup: str, walks: Walks) -> None:
    walk, draw = walks(PHONE), Random(4)  # noqa: S311 - places
    page, day = walk.page, timezone.localdate().isoformat()
    make_club(walk, setup, ALL)
    create(walk, day)
    rank_by_points_alone(walk)
    check_in(walk, f"{EVENT}/meetings/{day}", ALL)
    totals: dict[str, int] = {}
    met: list[frozenset[str]] = []
    for number in range(1, ROUNDS + 1):
        tables = seat(walk, day, number)
        met += [frozenset((a, b)) for table in tables for a in table for b in table if a < b]
        order = with_a_tie(draw, totals) if number == ROUNDS else by_lot(draw)
        places = order(tables)
        play(walk, number, tables, places)
        totals = added(totals, tables, places)
    assert max(Counter(met).values()) <= 2, "no two meet three times"
    tied = {name for name in totals if totals[name] == sorted(totals.values())[-CUT]}
    sure = {name for name in totals if totals[name] > max(totals[one] for one in tied)}
    page.goto(f"{EVENT}/meetings/{day}/plans")
    expect(page.get_by_role("main")).to_contain_text(f"All {ROUNDS} rounds of Swiss are seated.")
    walk.follow("Stages")
    walk.press("Begin stage Final table")
    expect(page.get_by_role("alert").first).to_contain_text(
        "Play-off 1 decides who goes on to Final table."
    )
    decide_by_a_play_off(walk, tied)
    page.goto(f"{EVENT}/stages")
    walk.press("Begin stage Final table")
    expect(page.get_by_role("main")).to_contain_text(f"Plan round {ROUNDS + 2}")
    workers()
    page.goto(f"{EVENT}/stages")
    row = page.get_by_role("row", name="Final table")
    for name in sure:
        expect(row).to_contain_text(name)
    tables = seat(walk, day, ROUNDS + 2)
    finalists = set(tables[0])
    assert len(tables) == 1
    assert len(finalists) == CUT
    assert (finalists > sure, len(finalists & tied)) == (True, 1)
    play(walk, ROUNDS + 2, tables, [[3, 0, 1, 2]])
    page.goto(EVENT)
    walk.look()
    rows = page.request.get(f"/api/v1{EVENT}/standings").json()["rows"]
    assert [one["player"] for one in rows[:CUT]] == [tables[0][at] for at in (1, 2, 3, 0)]
    assert {one.get("stage") for one in rows[:CUT]} == {"Final table"}
    assert walk.wrong_but(422) == []


def decide_by_a_play_off(walk: Walk, tied: set[str]) -> None:
    """Draw lots in the play-off that the tie got by the event's policy; the event stays open."""
    page = walk.page
    page.goto(f"{EVENT}/playoffs/1")
    for name in tied:
        expect(page.get_by_role("main")).to_contain_text(name)
    lots = page.locator('form[aria-labelledby="act-by_lot"]')
    with page.expect_navigation():
        lots.get_by_role("button", name="Draw lots").click()
    expect(page.get_by_role("main")).to_contain_text("Decided by lot")
    workers()
