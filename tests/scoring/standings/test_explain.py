"""Why a row is where it is, and what the tables cannot give."""

from dataclasses import replace
from fractions import Fraction

import pytest

from scoring.errors import SENTENCES
from scoring.standings.counting import Facts, Scheme, refusals, warnings
from scoring.standings.explain import (
    OF_PAGES,
    PHRASES,
    ReasonFacts,
    ahead,
    four_places,
    reason,
    reason_facts,
    short_ahead,
    short_reason,
)
from scoring.standings.metrics import METRICS, PRIMARIES
from scoring.standings.rank import AdvancingStage, KnockoutFinish, Standing, standings
from scoring.standings.rows import Row, Sums
from scoring.standings.tie_breaks import CRITERIA, TIE_BREAKS, USUAL, Value
from tests.support.scoring.default_schemes import DEFAULT_SCHEMES

NAMES = {"a": "Ann", "b": "Bo"}
USUAL_SCHEME = Scheme(
    "placement_points", USUAL, placement=DEFAULT_SCHEMES, seed="7f3c", duplicate=True
)


def sums(code: str, points: int = 20, places: int = 5, games: int = 2) -> Sums:
    return Sums(code, games, 8, points, (1, 1), 0, Fraction(3, 2), Fraction(5, 3), 0, 0,
                place_points=Fraction(places), index=Fraction(-7, 3),
                matchpoints=Fraction(125, 2), datum=Fraction(0),
                match_points=Fraction(places - 4), evening_points=Fraction(places))  # fmt: skip


def pair(key: str, own: Value, other: Value, among: int = 2) -> tuple[Standing, Standing]:
    """Two rows with the same placement points that this criterion has separated."""
    value = Fraction(11)
    shared: dict[str, Value] = {"placement_points": value}
    return (
        Standing(Row(sums("a")), 1, False, value, None, shared | {key: own}, "placement_points"),
        Standing(Row(sums("b")), 2, False, value, key, shared | {key: other}, "placement_points",
                 among),
    )  # fmt: skip


SAID = [
    ("h2h", "2/2", "0/2", 2, "ahead at both tables they shared"),
    ("h2h", "1/1", "0/1", 2, "ahead at the table they shared"),
    ("h2h", "3/3", "0/3", 2, "ahead at all 3 tables they shared"),
    ("h2h", "1.5/2", "0.5/2", 2, "ahead at 1.5 of the 2 tables they shared"),
    ("h2h", "2.5/4", "1.5/3", 3,
     "ahead in 2.5 of 4 comparisons among the 3, against 1.5 of 3"),
    ("wins", Fraction(2), Fraction(4, 3), 2, "more wins, 2 against 1.3333"),
    ("countback", "2-0-1-0", "2-0-0-1", 2, "more third places, 1 against 0"),
    ("countback", "1-0-0-0-1", "1-0-0-0", 2, "more 5th places, 1 against 0"),
    ("evenings", "2-1", "1-3", 2, "more evenings won, 2 against 1"),
    ("evenings", "2-1", "2-0", 2, "more second places in evenings, 1 against 0"),
    ("index", Fraction(15), Fraction(-1, 3), 2, "better index, +15.0000 against −0.3333"),
    ("moons_shot", Fraction(2), Fraction(0), 2, "more moons shot, 2 against 0"),
    ("moons_against", Fraction(0), Fraction(1), 2, "fewer moons against, 0 against 1"),
    ("sos", Fraction(82, 27), Fraction(73, 27), 2, "stronger opponents, 3.0370 against 2.7037"),
    ("last_game", "5 3/2", "2 3/2", 2, "better in the last game, 5 against 2"),
    ("last_game", "5 3/2", "5 1", 2, "better in the last game but one, 1.5 against 1"),
    ("last_game", "5 3/2", "5", 2, "one game more"),
    ("difference", Fraction(-142), Fraction(-32), 2, "better difference, −142 against −32"),
    ("lot", "1eae8de1db6d77", "9547e9af46a6ff", 2,
     "drawn by lot: Ann before Bo"),
    ("playoff", "1 (3, 5)", "2 (3, 10)", 2, "won the play-off 5 to 10"),
    ("playoff", "1 (3, 5)", "3 (20)", 3, "won the play-off 3 to 20"),
    ("playoff", "1 (13, lot)", "2 (13, lot)", 2, "won the play-off by lot"),
    ("playoff", "1 (13)", "2 (13, gone)", 2, "won the play-off, Bo gave up"),
    ("playoff", "1", "2", 3, "place 1 against 2 in the play-off"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "own", "other", "among", "said"), SAID)
def test_criterion_names_the_gap(key: str, own: Value, other: Value, among: int, said: str) -> None:
    above, below = pair(key, own, other, among)
    assert (
        ahead(reason_facts(below, above), name=NAMES.__getitem__)
        == f"above Bo: same points, {said}"
    )


@pytest.mark.parametrize(
    ("key", "own", "other", "said"),
    [
        ("countback", "1-0-0-0-0-1", "1-0-0-0-0-0-1",
         "countback 1-0-0-0-0-0-1 against 1-0-0-0-0-1"),
        ("last_game", "5 5 5 5 5 5 5 3/2", "5 5 5 5 5 5 5 1", "last game 1 against 3/2"),
        ("last_game", "5 3", "5", "one game fewer than a"),
        ("last_game", "5 3 5 5", "5 3", "2 games fewer than a"),
        ("lot", "1eae8de1db6d77", "9547e9af46a6ff", "drawn by lot: a before b"),
    ],
)  # fmt: skip
def test_lower_row_is_told_where_it_differs(key: str, own: Value, other: Value, said: str) -> None:
    above, below = pair(key, own, other)
    assert reason(reason_facts(below, above)) == f"tied with a: 11 points; {said}"


def test_each_criterion_has_a_sentence_of_its_own() -> None:
    assert {*PHRASES, "playoff", "lot"} == set(CRITERIA) == {key for key, *_ in SAID}


def test_criterion_without_a_sentence_says_both_values() -> None:
    above, below = pair("toss", Fraction(1), Fraction(1, 3))
    assert ahead(reason_facts(below, above)) == "above b: same points, toss 1 against 0.3333"
    assert reason(reason_facts(below, above)) == "tied with a: 11 points; toss 0.3333 against 1"


PRIMARY = {
    "placement_points": ("above Bo: 6 points against 5", "5 points, 1 behind a"),
    "beaten_mean": (
        "tied with Bo: 0.8333 of opponents beaten", "tied with a: 0.8333"),
    "raw_per_hand": (
        "above Bo: 2.3750 points a hand against 2.5000", "20 ÷ 8 = 2.5000, 0.1250 behind a"),
    "raw_total": ("above Bo: 19 points against 20", "20 points, 1 behind a"),
    "index_per_game": ("tied with Bo: index −1.1667 a game", "tied with a: −1.1667"),
    "wins": ("tied with Bo: 1.5 wins", "tied with a: 1.5000 wins"),
    "evening_points": ("above Bo: 6 evening points against 5", "5 evening points, 1 behind a"),
    "match_points": ("above Bo: 2 match points against 1", "1 match point, 1 behind a"),
    "matchpoints": ("tied with Bo: 62.5000 % of the matchpoints", "tied with a: 62.5000"),
    "datum": ("above Bo: datum −5.0000 a board against −6.0000", "−6.0000, 1.0000 behind a"),
}  # fmt: skip


@pytest.mark.parametrize("primary", PRIMARIES)
def test_primary_value_says_both_figures(primary: str) -> None:
    better = replace(sums("a", points=19, places=6), datum=Fraction(-5))
    rows = [Row(better), Row(replace(sums("b"), datum=Fraction(-6)))]
    above, below = standings(rows, primary=primary)
    facts = reason_facts(below, above)
    assert (ahead(facts, name=NAMES.__getitem__), reason(facts)) == PRIMARY[primary]


@pytest.mark.parametrize("primary", PRIMARIES)
def test_pages_tell_place_points_from_points_and_say_short_numbers(primary: str) -> None:
    better = replace(sums("a", points=19, places=6), datum=Fraction(-5))
    rows = [Row(better), Row(replace(sums("b"), datum=Fraction(-6)))]
    above, below = standings(rows, primary=primary)
    facts = reason_facts(below, above)
    expected = PRIMARY[primary]
    if primary == "placement_points":
        expected = ("above Bo: 6 place points against 5", "5 place points, 1 behind a")
    if primary == "wins":
        expected = ("tied with Bo: 1.5 wins", "tied with a: 1.5 wins")
    said_of_above = ahead(facts, name=NAMES.__getitem__, wording=OF_PAGES)
    assert (said_of_above, reason(facts, wording=OF_PAGES)) == expected


def test_pages_leave_out_the_zeros_of_a_difference_and_of_a_tie_break() -> None:
    rows = [Row(replace(sums("a"), place_points=Fraction(29, 2))), Row(sums("b", places=11))]
    above, below = standings(rows, primary="placement_points")
    assert reason(reason_facts(below, above), wording=OF_PAGES) == "11 place points, 3.5 behind a"
    above, below = pair("wins", Fraction(3, 2), Fraction(1, 2))
    said = reason(reason_facts(below, above), wording=OF_PAGES)
    assert said == "tied with a: 11 place points; tables won 0.5 against 1.5"


def test_one_place_point_and_a_tie_on_them_are_said_so() -> None:
    above, below = standings(
        [Row(sums("a", places=1)), Row(sums("b", places=0))], primary="placement_points"
    )
    said = ahead(reason_facts(below, above), wording=OF_PAGES)
    assert said == "above b: 1 place point against 0"
    above, below = pair("toss", Fraction(1), Fraction(1, 3))
    said = ahead(reason_facts(below, above), wording=OF_PAGES)
    assert said == "above b: same place points, toss 1 against 0.3333"


def test_one_is_not_said_in_the_plural() -> None:
    above, below = standings(
        [Row(sums("a", places=1)), Row(sums("b", places=0))], primary="placement_points"
    )
    assert ahead(reason_facts(below, above)) == "above b: 1 point against 0"


def test_first_and_last_row_have_nothing_to_say() -> None:
    (row,) = standings([Row(sums("a"))], primary="wins")
    assert reason_facts(row, None) is None
    assert (reason(None), ahead(None)) == ("", "")


def test_row_without_a_rank_says_why_it_is_below() -> None:
    rows = [Row(sums("a")), Row(sums("b", games=1))]
    above, below = standings(rows, primary="placement_points", min_games=2)
    assert ahead(reason_facts(below, above)) == "above b: b has too few games for a rank"
    assert reason(reason_facts(below, above)) == ""


def test_value_that_is_not_known_is_said_so() -> None:
    unknown = Sums("b", 1, 0, 30, (1,), 0, Fraction(1), Fraction(1), 0, 0, uncounted=1)
    other = Sums("c", 1, 0, 30, (1,), 0, Fraction(1), Fraction(1), 0, 0, uncounted=1)
    table = standings([Row(sums("a")), Row(unknown), Row(other)], primary="raw_per_hand")
    assert (
        ahead(reason_facts(table[1], table[0]))
        == "above b: b has no rank, its points a hand is not known"
    )
    assert ahead(reason_facts(table[2], table[1])) == "beside c: points a hand not known of either"
    few = standings([Row(sums("a")), Row(unknown)], primary="raw_per_hand", min_games=3)
    facts = reason_facts(few[1], few[0])
    assert ahead(facts) == "above b: b has no points a hand"
    assert reason(facts) == "its points a hand is not known"


def test_penalty_is_not_hidden_in_a_quotient() -> None:
    rows = [Row(sums("a")), Row(sums("b"), ledger=Fraction(1, 2))]
    above, below = standings(rows, primary="raw_per_hand")
    assert reason(reason_facts(below, above)) == "3.0000, 0.5000 behind a"


@pytest.mark.parametrize(
    ("value", "text"),
    [(Fraction(277, 58), "4.7759"), (Fraction(1, 32), "0.0312"), (Fraction(-3, 32), "-0.0938")],
)
def test_half_is_rounded_to_the_even_digit(value: Fraction, text: str) -> None:
    assert four_places(value) == text


def finisher_sums(code: str, points: int) -> Sums:
    return Sums(code, 1, 4, points, (0,), 0, Fraction(0), Fraction(0), 0, 0)


def finish(
    place: int | None, points: int, *, gave_up: bool = False, out_by: str = ""
) -> KnockoutFinish:
    return KnockoutFinish(1, 2, place, Fraction(points), False, gave_up, "W", 2, out_by)


def placed(c: KnockoutFinish, d: KnockoutFinish, knocked_out: str) -> tuple[Standing, Standing]:
    """The rows of C and D, who were out while W went on; D has the better points of the event."""
    rows = [Row(finisher_sums(code, points)) for code, points in (("W", 9), ("C", 8), ("D", 1))]
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
    c: KnockoutFinish, d: KnockoutFinish, below: str, above: str
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


def said(scheme: Scheme, facts: Facts) -> list[tuple[str, tuple[str | int, ...]]]:
    return [(problem.code, problem.at) for problem in refusals(scheme, facts)]


@pytest.mark.parametrize("primary", PRIMARIES)
def test_one_game_entered_hand_by_hand_gives_everything(primary: str) -> None:
    scheme = replace(USUAL_SCHEME, primary=primary)
    has_sides = "sides" in PRIMARIES[primary].needs
    assert said(scheme, Facts(has_sides=has_sides)) == []
    usable = [key for key in TIE_BREAKS if "evenings" not in TIE_BREAKS[key].needs]
    with_sides = replace(scheme, tie_breaks=usable)
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
    assert said(Scheme(primary, placement=DEFAULT_SCHEMES), facts) == [(code, ("primary",))]


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
    assert said(replace(scheme, drop_worst=1), facts) == [("matches_not_dropped", ("primary",))]


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
        ("evenings", Facts(has_evening_tables=False), "no_evening_points"),
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
    (problem,) = refusals(Scheme("placement_points", placement={4: (5, 3, 2)}), Facts())
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
        "games", "boards", "matches", "evenings",
    }  # fmt: skip


def test_every_problem_has_its_sentence() -> None:
    scheme = Scheme("raw_total", tuple(TIE_BREAKS))
    facts = Facts(2, (3, 4), True, True, True, True)
    assert {problem.code for problem in refusals(scheme, facts)} <= set(SENTENCES)
    assert all("{" not in problem.message for problem in refusals(scheme, facts))


def tied_facts(by: str | None, primary: str = "placement_points") -> ReasonFacts:
    return {
        "above": "Bruno", "below": "Ada", "by": by, "primary": primary, "values": ["3", "3"],
        "among": 2,
    }  # fmt: skip


@pytest.mark.parametrize("key", CRITERIA)
def test_each_criterion_has_a_short_reason_without_a_figure(key: str) -> None:
    below = short_reason(tied_facts(key), "you")
    above = short_ahead(tied_facts(key), "you")
    better = CRITERIA[key].better
    assert below == f"as many place points as Bruno, who {better.format(other='you')}"
    assert above == f"as many place points as Ada, but you {better.format(other='Ada')}"
    assert "{other}" in better
    assert not any(sign.isdigit() for sign in below + above)


@pytest.mark.parametrize("primary", PRIMARIES)
def test_each_primary_value_has_a_short_reason(primary: str) -> None:
    metric = PRIMARIES[primary]
    assert "{other}" in metric.alike
    assert bool(metric.better) is metric.is_mean
    assert all(metric.unit) is not metric.is_mean
    facts: ReasonFacts = {**tied_facts(primary, primary), "values": ["3", "1"]}
    below, above = short_reason(facts, "Ada"), short_ahead(facts, "Bruno")
    if metric.is_mean:
        assert below == f"behind Bruno, who {metric.better.format(other='Ada')}"
        assert above == f"ahead of Ada: Bruno {metric.better.format(other='Ada')}"
    else:
        assert below == f"2 {metric.unit[1]} behind Bruno"
        assert above == f"2 {metric.unit[1]} ahead of Ada"
    assert short_reason(tied_facts(None, primary), "you") == "tied with Bruno"


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (["3", "2"], "1 place point behind Bruno"),
        (["3", "5/2"], "0.5 place points behind Bruno"),
        (["20/3", "3"], "3.67 place points behind Bruno"),
        (["13", "3"], "10 place points behind Bruno"),
    ],
)
def test_distance_is_counted_in_the_unit_of_a_total(values: list[str], text: str) -> None:
    facts: ReasonFacts = {**tied_facts("placement_points"), "values": values}
    assert short_reason(facts, "you") == text


def test_who_played_more_games_is_ahead_by_that() -> None:
    facts: ReasonFacts = {**tied_facts("last_game"), "found": ["5 3", "5"]}
    assert short_reason(facts, "you").endswith("who played more games than you")
    facts["found"] = ["5 3", "5 1"]
    assert short_reason(facts, "you").endswith("who did better than you in the last games")


def test_knock_outs_and_rows_without_a_value_keep_their_sentences() -> None:
    facts: ReasonFacts = {**tied_facts("stage"), "stage": "the final"}
    assert short_reason(facts, "you") == reason(facts) == "Bruno went on to the final"
    undecided: ReasonFacts = {**tied_facts("stage"), "stage": ""}
    assert short_reason(undecided, "you") == "Bruno can still go on"
    assert short_ahead(undecided, "you") == "above Ada: can still go on"
    unknown: ReasonFacts = {**tied_facts("raw_total", "raw_total"), "values": ["3", None]}
    assert short_reason(unknown, "you") == "its points is not known"
    assert (short_reason(None, "you"), short_ahead(None, "you")) == ("", "")
