"""Who went out of a knock-out in one round is ordered by the table there, and the facts say so."""

from fractions import Fraction

import pytest

from scoring.standings.explain import ahead, reason, reason_facts
from scoring.standings.rank import AdvancingStage, Finish, Standing, standings
from scoring.standings.rows import Row, Sums


def sums(code: str, points: int) -> Sums:
    return Sums(code, 1, 4, points, (0,), 0, Fraction(0), Fraction(0), 0, 0)


def finish(place: int | None, points: int, *, gave_up: bool = False, out_by: str = "") -> Finish:
    return Finish(1, 2, place, Fraction(points), False, gave_up, "W", 2, out_by)


def placed(c: Finish, d: Finish, knocked_out: str) -> tuple[Standing, Standing]:
    """The rows of C and D, who were out while W went on; D has the better points of the event."""
    rows = [Row(sums(code, points)) for code, points in (("W", 9), ("C", 8), ("D", 1))]
    stages = [AdvancingStage(frozenset("W"), "the final", {"C": c, "D": d})]
    table = standings(rows, primary="raw_per_hand", stages=stages, knocked_out=knocked_out)
    _winner, third, fourth = table
    return third, fourth


@pytest.mark.parametrize(
    ("c", "d", "below", "above"),
    [
        (finish(3, 9), finish(4, 5), "place 4 in round 1, C place 3",
         "above D: place 3 against 4 in round 1"),
        (finish(3, 7), finish(3, 9), "place 3 in round 1 with 9 points, C with 7",
         "above D: same place in round 1, 7 points against 9"),
        (finish(4, 9), finish(None, 0, gave_up=True), "gave up table 2 of round 1",
         "above D: D was out in round 1"),
        (finish(3, 7), finish(3, 9, out_by="playoff"),
         "place 3 in round 1 with 9 points, C with 7; out by play-off",
         "above D: same place in round 1, 7 points against 9; D out by play-off"),
        (finish(4, 9), finish(None, 0), "no place in round 1, C place 4",
         "above D: place 4 against none in round 1"),
    ],
)  # fmt: skip
def test_place_and_points_of_the_round_order_those_who_are_out(
    c: Finish, d: Finish, below: str, above: str
) -> None:
    third, fourth = placed(c, d, "place")
    facts = reason_facts(fourth, third)
    assert [(row.rank, row.sums.code) for row in (third, fourth)] == [(2, "C"), (3, "D")]
    assert (reason(facts), ahead(facts)) == (below, above)


def test_those_who_are_out_alike_share_the_place() -> None:
    alike = placed(finish(3, 9), finish(3, 9), "place")
    assert [row.rank for row in alike] == [2, 2]
    assert reason(reason_facts(*reversed(alike))) == "tied with C: place 3 in round 1 with 9 points"
    shared = placed(finish(3, 9), finish(4, 5), "share")
    assert [row.rank for row in shared] == [2, 2]
    assert reason(reason_facts(*reversed(shared))) == "tied with C: out in round 1"


def test_standings_of_the_event_order_them_where_that_is_set() -> None:
    third, fourth = placed(finish(3, 9), finish(4, 5), "standings")
    assert [(row.rank, row.sums.code) for row in (third, fourth)] == [(2, "D"), (3, "C")]
    assert third.finish is None
