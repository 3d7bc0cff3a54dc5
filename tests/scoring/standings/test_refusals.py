"""What the tables cannot give is refused; a tie-break order says what it leaves."""

from dataclasses import replace

import pytest

from scoring.errors import SENTENCES
from scoring.standings.counting import Facts, Scheme, refusals, warnings
from scoring.standings.metrics import METRICS, PRIMARIES
from scoring.standings.tie_breaks import CRITERIA, TIE_BREAKS, USUAL
from tests.support.scoring.default_schemes import DEFAULT_SCHEMES

USUAL_SCHEME = Scheme(
    "placement_points", USUAL, placement=DEFAULT_SCHEMES, seed="7f3c", duplicate=True
)


def said(scheme: Scheme, facts: Facts) -> list[tuple[str, tuple[str | int, ...]]]:
    return [(problem.code, problem.at) for problem in refusals(scheme, facts)]


@pytest.mark.parametrize("primary", PRIMARIES)
def test_one_game_entered_hand_by_hand_gives_everything(primary: str) -> None:
    scheme = replace(USUAL_SCHEME, primary=primary)
    has_sides = "sides" in PRIMARIES[primary].needs
    assert said(scheme, Facts(has_sides=has_sides)) == []
    with_sides = replace(scheme, tie_breaks=tuple(TIE_BREAKS))
    assert said(with_sides, Facts(sizes=(2,), has_sides=True)) == []


@pytest.mark.parametrize(
    ("primary", "facts", "code"),
    [
        ("raw_total", Facts(hands_differ=True), "hands_differ"),
        ("raw_total", Facts(variants=2), "raw_over_games"),
        ("raw_per_hand", Facts(variants=2), "raw_over_games"),
        ("raw_per_hand", Facts(sizes=(4, 3)), "raw_over_sizes"),
        ("raw_per_hand", Facts(has_unknown_hands=True), "hands_not_known"),
        ("raw_total", Facts(is_complex=True), "scores_have_no_order"),
        ("index_per_game", Facts(is_complex=True), "scores_have_no_order"),
        ("index_per_game", Facts(has_unknown_hands=True), "hands_not_known"),
        ("placement_points", Facts(sizes=(4, 7)), "no_placement_list"),
        ("matchpoints", Facts(), "no_boards"),
        ("datum", Facts(), "no_boards"),
        ("match_points", Facts(), "no_sides"),
    ],
)
def test_primary_value_that_the_tables_cannot_give(primary: str, facts: Facts, code: str) -> None:
    scheme = Scheme(primary, placement=DEFAULT_SCHEMES)
    assert said(scheme, facts) == [(code, ("primary",))]


@pytest.mark.parametrize("primary", ["beaten_mean", "wins"])
def test_places_can_always_be_compared(primary: str) -> None:
    facts = Facts(3, (3, 4, 7), True, True, True, True)
    assert said(Scheme(primary), facts) == []


@pytest.mark.parametrize("primary", ["matchpoints", "datum"])
def test_boards_are_compared_in_a_duplicate_event_that_counts_every_result(primary: str) -> None:
    scheme = Scheme(primary, duplicate=True)
    assert said(scheme, Facts()) == []
    assert said(replace(scheme, drop_worst=1), Facts()) == [("boards_not_dropped", ("primary",))]
    best = {"unit": "game", "min": 5, "per": 1}
    assert said(replace(scheme, best_of=best), Facts()) == [("boards_not_dropped", ("primary",))]


def test_match_points_count_every_match() -> None:
    scheme, facts = Scheme("match_points"), Facts(has_sides=True)
    assert said(scheme, facts) == []
    dropping = replace(scheme, drop_worst=1)
    assert said(dropping, facts) == [("matches_not_dropped", ("primary",))]


def test_mixed_raw_lets_raw_points_span_games_but_not_numbers_of_hands() -> None:
    scheme = Scheme("raw_total", mixed_raw=True)
    facts = Facts(variants=2, sizes=(3, 4), hands_differ=True)
    assert said(scheme, facts) == [("hands_differ", ("primary",))]


@pytest.mark.parametrize(
    ("key", "facts", "code"),
    [
        ("moons_shot", Facts(has_points_only=True), "moons_not_known"),
        ("moons_against", Facts(has_points_only=True), "moons_not_known"),
        ("index", Facts(has_unknown_hands=True), "hands_not_known"),
        ("index", Facts(is_complex=True), "scores_have_no_order"),
        ("difference", Facts(), "no_sides"),
        ("lot", Facts(), "no_seed"),
        ("toss", Facts(), "unknown_criterion"),
        ("playoff", Facts(), "unknown_criterion"),
    ],
)
def test_criterion_that_the_tables_cannot_give(key: str, facts: Facts, code: str) -> None:
    assert said(Scheme("wins", ("countback", key)), facts) == [(code, ("tie_breaks", 1))]


def test_all_problems_are_said_at_once() -> None:
    scheme = Scheme("points", ("moons_shot", "h2h", "h2h"), drop_worst=1, bye_award="scheme_mean",
                    best_of={"unit": "month", "min": 5, "per": 2})  # fmt: skip
    assert said(scheme, Facts(has_points_only=True)) == [
        ("unknown_criterion", ("primary",)),
        ("moons_not_known", ("tie_breaks", 0)),
        ("criterion_twice", ("tie_breaks", 2)),
        ("bye_award_not_possible", ("bye_award",)),
        ("dropped_twice", ("best_of",)),
        ("bad_best_of", ("best_of",)),
    ]


@pytest.mark.parametrize(
    "rule",
    [
        {}, {"unit": "meeting"}, {"unit": "game", "min": 0, "per": 2},
        {"unit": "game", "min": 5, "per": 0}, {"unit": "game", "min": 5, "per": 2.0},
        {"unit": "game", "min": 5, "per": True}, {"unit": ["game"], "min": 5, "per": 2},
    ],
)  # fmt: skip
def test_best_of_that_is_not_whole_is_refused(rule: dict[str, object]) -> None:
    assert said(Scheme("wins", best_of=rule), Facts()) == [("bad_best_of", ("best_of",))]


def test_list_of_another_length_is_refused() -> None:
    scheme = Scheme("placement_points", placement={4: (5, 3, 2)})
    (problem,) = refusals(scheme, Facts())
    assert problem.message == ("The list of points for a table of 4 has 3 places. Write exactly 4.")


def test_number_to_drop_is_never_below_nothing() -> None:
    assert said(Scheme("wins", drop_worst=-1), Facts()) == [("bad_drop", ("drop_worst",))]


def test_refusal_says_what_was_chosen_what_is_missing_and_what_to_do() -> None:
    (problem,) = refusals(Scheme("wins", ("moons_shot",)), Facts(has_points_only=True))
    assert problem.message == (
        "Moons shot needs the shooters of moons, which sheets with totals only do not record. "
        "Remove it."
    )


@pytest.mark.parametrize(
    ("tie_breaks", "has_playoff", "codes"),
    [
        ((), False, ["ties_stay"]),
        (("h2h", "wins"), True, ["ties_stay"]),
        ((*USUAL, "lot"), False, []),
        ((*USUAL, "lot"), True, ["lot_waits_for_playoff"]),
        (("lot", "h2h"), False, ["never_asked"]),
        (("lot", "h2h"), True, ["never_asked", "lot_waits_for_playoff"]),
    ],
)
def test_chain_says_what_it_leaves(
    tie_breaks: tuple[str, ...], has_playoff: bool, codes: list[str]
) -> None:
    found = warnings(tie_breaks, has_playoff=has_playoff)
    assert [problem.code for problem in found] == codes
    assert all(problem.message for problem in found)


def test_every_need_of_the_registries_is_looked_at_or_always_there() -> None:
    of_values = {need for one in METRICS.values() for need in one.needs}
    needs = of_values | {need for one in CRITERIA.values() for need in one.needs}
    assert needs == {
        "hands", "scores", "moons", "placement", "one_game", "equal_hands", "sides", "seed",
        "games", "boards", "matches",
    }  # fmt: skip


def test_every_problem_has_its_sentence() -> None:
    scheme = Scheme("raw_total", tuple(TIE_BREAKS))
    facts = Facts(2, (3, 4), True, True, True, True)
    assert {problem.code for problem in refusals(scheme, facts)} <= set(SENTENCES)
    assert all("{" not in problem.message for problem in refusals(scheme, facts))
