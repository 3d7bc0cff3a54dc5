"""Players here without a partner: whether a pair can be made, and whom the page names beside."""

import pytest

from tournaments.selectors.seating_plans.people_here import Partnerless


@pytest.mark.parametrize(
    ("n_free", "n_with_results", "may_pair", "n_named"),
    [
        (0, 0, False, 0),
        (1, 0, False, 0),
        (2, 0, True, 0),
        (0, 1, False, 0),
        (1, 1, False, 1),
        (0, 2, False, 2),
        (2, 1, True, 1),
    ],
)
def test_two_who_are_free_may_pair_and_results_are_named_where_two_could_meet(
    *, n_free: int, n_with_results: int, may_pair: bool, n_named: int
) -> None:
    alone = Partnerless(
        free=[(f"RL0{n}", f"Free {n}") for n in range(n_free)],
        with_results=[f"Played {n}" for n in range(n_with_results)],
    )
    assert alone.may_pair is may_pair
    assert list(alone.names_with_results) == [f"Played {n}" for n in range(n_named)]
