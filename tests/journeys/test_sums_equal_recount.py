"""Invariant 3: whatever was entered and corrected in whatever order, the sums are a recount's."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from tests.support.builders import counts, hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.lengths import short_or_long
from tournaments.models.hands import Game, SeatScore
from tournaments.models.standings import Aggregate, Contribution
from tournaments.services.publishing import publications

pytestmark = pytest.mark.both_databases


def sheets() -> st.SearchStrategy[tuple[list[int], int, str]]:
    """Thirteen hearts dealt out over four seats, a seat for the queen, a choice for a moon."""
    cuts = st.lists(st.integers(0, 13), min_size=3, max_size=3).map(sorted)
    hearts = cuts.map(lambda c: [c[0], c[1] - c[0], c[2] - c[1], 13 - c[2]])
    return st.tuples(hearts, st.integers(0, 3), st.sampled_from(["self", "others"]))


def enter(game: Game, number: int, sheet: tuple[list[int], int, str], revision: int) -> None:
    hearts, queen, choice = sheet
    more: dict[str, Any] = {"slam_choice": choice} if hearts[queen] == 13 else {}
    hand(
        game,
        number,
        hearts,
        queen,
        based_on=revision or None,
        reason="read again" if revision else "",
        **more,
    )


def picture(
    game: Game,
) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Everything derived from one table, without row ids."""
    scores = SeatScore.objects.filter(entry__hand__game=game).order_by(
        "entry__hand__number", "seat__number"
    )
    contributions = Contribution.objects.filter(game=game).order_by("entrant__code")
    sums = Aggregate.objects.filter(event=game.event).order_by("entrant__code")
    return (
        list(scores.values_list("entry__hand__number", "seat__number", "score", "total", "moons")),
        list(contributions.values_list("entrant__code", "hands", "points", "place", "moons")),
        list(sums.values_list("entrant__code", "hands", "points", "place_1", "moons", "win_share")),
    )


class TestSums(TestCase):
    """Hypothesis runs each example in a transaction of its own."""

    @given(
        steps=st.lists(st.tuples(st.integers(1, 4), sheets()), min_size=1, max_size=10),
    )
    @settings(
        max_examples=short_or_long(8, 25),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    def test_any_order_of_entries_and_corrections_equals_entering_the_last_word_at_once(
        self, steps: list[tuple[int, tuple[list[int], int, str]]]
    ) -> None:
        club = enter_the_cast().riverside
        seated = players(club, "A", "B", "C", "D")
        game = table(league(club, slug="wandering"), seated)
        revisions: dict[int, int] = {}
        last: dict[int, tuple[list[int], int, str]] = {}
        for number, sheet in steps:
            enter(game, number, sheet, revisions.get(number, 0))
            revisions[number] = revisions.get(number, 0) + 1
            last[number] = sheet
        straight = table(league(club, slug="straight"), seated)
        for number in sorted(last):
            enter(straight, number, last[number], 0)
        assert picture(game) == picture(straight)
        bodies = []
        for event in (game.event, straight.event):
            publication = publications.publish(event.pk, now=NOW)
            assert publication is not None
            rows = bytes(publication.body).split(b'"rows":', 1)[1]
            bodies.append(rows)
        assert bodies[0] == bodies[1]


@pytest.mark.django_db
def test_entries_are_stored_exactly_as_typed() -> None:
    club = enter_the_cast().riverside
    game = table(league(club), players(club, "A", "B", "C", "D"))
    recorded = hand(game, 1, [4, 1, 2, 6], queen=3)
    recorded.entry.refresh_from_db()
    assert recorded.entry.typed == counts([4, 1, 2, 6], 3)
    assert (recorded.entry.form, recorded.entry.verified) == ("counts", "cards")
