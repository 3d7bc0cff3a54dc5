"""Written points and totals: accepted exactly when some hands make them."""

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.diagnosis import shooter_hypotheses
from scoring.engine.progress import GameState, advance
from scoring.game.game import new_game, totals_problems
from scoring.numbers import Score, score_json
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.lengths import short_or_long
from tests.support.scoring.play import played, problems, refused, rules, scored
from tests.support.scoring.random_hands import dealt_at, option_sets, settled

MOST = 999
HEARTS = [f"{rank}H" for rank in (*range(2, 11), *"JQKA")]


@pytest.mark.parametrize(
    ("points", "made"),
    [
        ([10, 16, 0, 0], None),
        ([25, 1, 0, 0], None),
        ([26, 26, 0, 26], ((2,), "others")),
        ([0, 0, 0, -26], ((3,), "self")),
    ],
)
def test_points_that_a_hand_makes_are_booked_as_written(
    points: list[int], made: tuple[tuple[int, ...], str] | None
) -> None:
    found = played({"points": points})[0]
    assert (list(found.scores), found.verified) == (points, "sum")
    moon = found.moon
    assert (moon and (moon.by, moon.choice)) == made
    assert moon is None or moon.inferred


def test_points_that_a_plain_hand_can_make_are_no_moon() -> None:
    found = played({"points": [16, 0, 0, 0]}, "omnibus-hearts")[0]
    assert (found.scores, found.moon) == ((16, 0, 0, 0), None)


@pytest.mark.parametrize(
    ("variant", "points", "code"),
    [
        ("hearts", [10, 17, 0, 0], "wrong_total"),
        ("hearts", [26, 26, 26, -26], "wrong_total"),
        ("hearts", [12, 12, 2, 0], "impossible_points"),
        ("hearts", [27, -1, 0, 0], "impossible_points"),
        ("hearts", [26, 0, 0, 0], "choice_required"),
        ("omnibus-hearts", [26, -10, 0, 0], "choice_required"),
        ("omnibus-hearts", [10, 10, -4, 0], "impossible_points"),
        ("omnibus-hearts", [26, 26, 0, 26], "wrong_total"),
        ("omnibus-hearts-10d", [16, 0, 0, 0], None),
        ("omnibus-hearts-10d", [26, -10, 0, 0], None),
        ("spot-hearts", [129, 0, 0, 0], "choice_required"),
        ("spot-hearts", [1, 128, 0, 0], "impossible_points"),
        ("spot-hearts", [4, 4, 60, 61], "impossible_points"),
        ("spot-hearts", [20, 25, 45, 40], "wrong_total"),
        ("spot-hearts", [20, 25, 45, 39], None),
    ],
)
def test_impossible_points_are_refused(variant: str, points: list[int], code: str | None) -> None:
    if code is None:
        assert scored({"points": points}, variant) == points
    else:
        assert refused({"points": points}, variant) == [code]


@pytest.mark.parametrize(
    ("options", "offered"),
    [({}, [[0, 0, -26, 0], [26, 26, 0, 26]]), ({"moon": "others"}, [[26, 26, 0, 26]])],
)
def test_moon_left_open_offers_each_settlement(options: Json, offered: list[list[int]]) -> None:
    (problem,) = problems({"points": [0, 0, 26, 0]}, **options)
    assert (problem.code, problem.at) == ("choice_required", ("points", 2))
    assert [hint.facts["scores"] for hint in problem.suggestions] == offered


@pytest.mark.parametrize(
    ("points", "hints"),
    [
        ([26, 26, 26, -26], ["both settlements: seat W off and the others up"]),
        ([26, 25, 0, 26], ["seat E 26 instead of 25"]),
        ([9, 16, 0, 0], ["one heart missing"]),
        ([11, 16, 0, 0], ["one heart too many"]),
        ([10, 3, 0, 0], ["the queen of spades counted for nobody"]),
        ([10, 16, 13, 0], ["the queen of spades counted twice"]),
        ([9, 15, 0, 0], ["two hearts missing"]),
        ([20, 5, 0, 0], ["one heart missing"]),
        ([25, 0, 0, 0], ["one heart missing"]),
        ([26, 0, 13, 0], ["the queen of spades counted twice"]),
        ([39, 0, 0, 0], ["the queen of spades counted twice (seat N)"]),
        ([-26, 26, 26, 26], ["both settlements: seat N off and the others up"]),
        ([26, 26, 26, 26], ["the shooter is written with 26 as well"]),
        ([0, 52, 52, 52], ["26 for a moon under these rules, not 52"]),
        ([20, 3, 3, 1], ["one heart too many"]),
    ],
)
def test_wrong_total_names_the_likely_cause(points: list[int], hints: list[str]) -> None:
    (problem,) = problems({"points": points})
    assert [hint.text for hint in problem.suggestions if hint.code != "correction"] == hints


def test_wrong_total_says_what_a_hand_and_a_moon_make() -> None:
    (problem,) = problems({"points": [10, 17, 0, 0]})
    assert problem.facts == {"found": 27, "expected": 26, "moons": [-26, 78]}


@pytest.mark.parametrize(
    ("entry", "codes"),
    [
        ({"points": [0, 26, 26, 26], "shooter": 0, "slam_choice": "others"}, None),
        ({"points": [0, 26, 26, 26], "shooter": 1}, ["wrong_shooter"]),
        ({"points": [0, 26, 26, 26], "slam_choice": "self"}, ["choice_forbidden"]),
        ({"points": [10, 16, 0, 0], "shooter": 1}, ["wrong_shooter"]),
        ({"points": [10, 16, 0, 0], "slam_choice": "self"}, ["choice_forbidden"]),
        ({"points": [26, 0, 0, 0], "slam_choice": "others", "shooter": 0}, ["choice_required"]),
        ({"points": [26, 0, 0, 0], "shooter": 0}, ["choice_required"]),
        ({"points": [26, 0, 0, 0], "shooter": 1}, ["choice_required", "wrong_shooter"]),
        ({"points": [10, 16, 0]}, ["seat_count"]),
        ({"points": [10, 16, 0, "0"]}, ["bad_count"]),
        ({"points": [10, 16, 0, 0.0]}, ["bad_count"]),
        ({"points": [10, 16, 0, 0], "tricks": [5, 8, 1, 0]}, ["tricks_sum"]),
    ],
)
def test_marks_beside_points_must_agree(entry: dict[str, object], codes: list[str] | None) -> None:
    if codes is None:
        moon = played(entry)[0].moon
        assert moon is not None
        assert not moon.inferred
    else:
        assert refused(entry) == codes


LATE: dict[str, Any] = {"new_moon_from": {"score": 50, "who": "self"}}


@pytest.mark.parametrize(
    ("options", "points", "moons"),
    [
        ({"moon": "self"}, [26, 26, 26, 0], [-26]),
        ({"moon": "others"}, [0, 0, 0, -26], [78]),
        ({"moon": "others-unless-other-wins"}, [0, 0, 0, -26], [78]),
        (LATE, [0, 0, 0, -26], [78]),
        ({"sun": "double", "moon": "others"}, [-26, 0, 0, 0], [-52, 78, 156]),
    ],
)
def test_sum_of_a_settlement_that_is_not_open_is_a_wrong_total(
    options: Json, points: list[int], moons: list[int]
) -> None:
    (problem,) = problems({"points": points}, **options)
    assert problem.code == "wrong_total"
    assert problem.facts["moons"] == moons


def test_settlement_is_open_once_the_game_has_come_to_it() -> None:
    start = {"start_totals": [50, 0, 0, 0]}
    assert scored({"points": [-26, 0, 0, 0]}, start=start, **LATE) == [-26, 0, 0, 0]


@pytest.mark.parametrize(
    ("options", "points"),
    [
        ({"no_trick_bonus": -5}, [-5, 14, 6, 6]),
        ({"no_trick_bonus": -5}, [14, 6, 6, 0]),
        ({"ten_of_clubs": "double"}, [26, 0, 13, 0]),
        ({"sun": "double"}, [0, 52, 52, 52]),
        ({"moon_needs_all_tricks": True}, [26, 0, 0, 0]),
        ({"moon": "face"}, [26, 0, 0, 0]),
        ({"moon": "none"}, [26, 0, 0, 0]),
        ({"jack_of_diamonds": -10}, [-10, 26, 26, 26]),
        ({"sun": "punish"}, [52, 0, 26, 26]),
    ],
)
def test_points_are_judged_with_all_options(options: Json, points: list[int]) -> None:
    assert scored({"points": points}, **options) == points


def test_points_of_a_punishment_tell_who_passed_and_agree_with_the_passer_that_is_named() -> None:
    points = [52, 0, 26, 26]
    assert scored({"points": points, "passer": 0}, sun="punish") == points
    assert refused({"points": points, "passer": 2}, sun="punish") == ["impossible_points"]
    assert refused({"points": [52, 0, 52, 26]}, sun="punish") == ["wrong_total"]
    assert scored({"points": [26, 0, 26, 26]}, sun="punish") == [26, 0, 26, 26]


def test_moon_that_pays_nothing_does_not_tell_who_shot() -> None:
    moon = played({"points": [0, 0, 0, 0]}, moon="void")[0].moon
    assert moon is not None
    assert (moon.by, moon.choice) == ((), None)
    (problem,) = problems({"points": [0, 0, 0, 0]}, sun="slate")
    assert problem.code == "choice_required"
    assert [hint.text for hint in problem.suggestions] == ["seat N", "seat E", "seat S", "seat W"]
    told = played({"points": [0, 0, 0, 0], "shooter": 1}, sun="slate",
                  start={"start_totals": [5, 6, 7, 8]})  # fmt: skip
    assert told[1].totals == (5, 0, 7, 8)


@pytest.mark.parametrize(
    ("variant", "points", "code"),
    [
        ("test-low-hand", [26, 0, 0, 0], None),
        ("test-low-hand", ["26/3", 0, "26/3", "26/3"], None),
        ("test-low-hand", [20, 6, 0, 0], "impossible_points"),
        ("test-low-hand", [25, 0, 0, 0], "wrong_total"),
        ("test-sweepstakes", [0, 0, 0, 0], None),
        ("test-chips", [3, -1, -1, -1], None),
        ("test-chips", [2, 0, -1, -1], "impossible_points"),
        ("test-difference", [17, -6, -11, 0], None),
    ],
)
def test_points_under_a_settlement_are_what_was_paid(
    variant: str, points: list[object], code: str | None
) -> None:
    if code is None:
        assert played({"points": points}, variant, start={"start_totals": [9, 9, 9, 9]})
    else:
        start = {"start_totals": [9, 9, 9, 9]}
        assert refused({"points": points}, variant, start=start) == [code]


def test_cards_and_points_on_one_sheet_must_agree() -> None:
    sheet = {"hearts": [3, 7, 0, 3], "taken": [[], ["QS"], [], []]}
    assert scored(sheet | {"points": [3, 20, 0, 3]}) == [3, 20, 0, 3]
    assert refused(sheet | {"points": [3, 19, 1, 3]}) == ["points_disagree"]


MANY_WAYS = [["2-9H", -9], ["JD", 7], ["3C", 5], ["4C", 6], ["5C", -3]]


@pytest.mark.parametrize(
    ("points", "code"),
    [
        pytest.param([-11, -21, 0, -12, 7, "-99/7"], "wrong_total", marks=pytest.mark.tier_long),
        ([5, -5, 0, 0, 0, 0], None),
    ],
)
def test_payouts_beyond_counting_are_believed_when_they_come_to_nothing(
    points: list[object], code: str | None
) -> None:
    more: dict[str, Any] = {"seats": 6, "custom_values": MANY_WAYS}
    if code is None:
        assert scored({"points": points}, "super-hearts", **more) == points
    else:
        assert refused({"points": points}, "super-hearts", **more) == [code]


def test_tables_of_many_rule_sets_take_no_more_memory_than_a_few() -> None:
    for deals in range(1, 41):
        assert scored({"points": [129, 0, 0, 0]}, "spot-hearts", moon="face", deals=deals)
    assert shooter_hypotheses._TABLES.piles <= shooter_hypotheses.MOST_KEPT
    assert (
        sum(size for _, size in shooter_hypotheses._TABLES.tables.values())
        == shooter_hypotheses._TABLES.piles
    )
    assert 10 < len(shooter_hypotheses._TABLES.tables) < 40


def after_hands(played: Rules, start: GameState, number: int, chance: Random) -> GameState:
    """A game after so many legal hands, each moon settled in any way that is open."""
    state = start
    for _ in range(number):
        dealt = dealt_at(chance, played, start.seats)
        hand = settled(dealt, dealt.entry, state, chance.randrange(2))
        state = advance(played, state, hand.scores, hand.effects)
    return state


def begun(played: Rules, chance: Random) -> GameState:
    state = new_game(played, chance.randint(*played.keys.players))
    chips = any(test.kind.startswith("chips") for test in played.keys.finish)
    return state._replace(totals=(20,) * len(state.totals)) if chips else state


@pytest.mark.parametrize("variant", catalogue().ids)
@settings(max_examples=short_or_long(6, 150), deadline=None, print_blob=True)
@given(chance=st.randoms(use_true_random=True))
def test_totals_of_any_legal_hands_are_taken(variant: str, chance: Random) -> None:
    played = catalogue().rules(variant, chance.choice(option_sets(variant)))
    start, number = begun(played, chance), chance.randint(1, 12)
    totals = after_hands(played, start, number, chance).totals
    for hands in (number, None):
        told = totals_problems(played, start, totals, hands, MOST)
        assert told == [], (played.options, totals, number)


def reasons(
    totals: list[Score], hands: int | None, variant: str = "hearts", **options: Any
) -> list[tuple[object, ...]]:
    played = rules(variant, **options)
    told = totals_problems(played, new_game(played, len(totals)), totals, hands, MOST)
    assert {problem.code for problem in told} <= {"impossible_totals"}
    return [(problem.at, problem.facts["why"]) for problem in told]


@pytest.mark.parametrize(
    ("totals", "hands", "why"),
    [
        ([10**9, 1, 2, 3], 5, [(("points", 0), "seat")]),
        ([100, 0, 0, 0], 1, [(("points", 0), "seat")]),
        ([1, 1, 1, 1], 10, [(("points",), "sum")]),
        ([1, 1, 1, 1], None, [(("points",), "sum")]),
        ([-(10**8), 1, 2, 3], 5, [(("points", 0), "seat")]),
        ([10**18] * 4, None, [(("points", seat), "seat") for seat in range(4)]),
        ([Fraction(3, 2), 1, 2, 3], 5, [(("points", 0), "fraction")]),
        ([Fraction(1, 3), 1, 2, 3], None, [(("points", 0), "fraction")]),
        ([0, 0, 0, 26], 1000, [(("points",), "sum")]),
        ([61, 43, 70, 86], 10, []),
        ([61, 43, 70, 86], 9, [(("points",), "sum")]),
        ([61, 43, 70, 86], None, []),
    ],
)  # fmt: skip
def test_totals_that_no_hands_make_are_refused(
    totals: list[Score], hands: int | None, why: list[tuple[object, ...]]
) -> None:
    assert reasons(totals, hands) == why


@pytest.mark.parametrize(
    ("variant", "options", "totals", "hands", "why"),
    [
        ("hearts", {"moon": "none"}, [-1, 9, 9, 9], 1, [(("points", 0), "seat")]),
        ("omnibus-hearts", {}, [36, 36, 36, 36], 9, []),
        ("omnibus-hearts", {}, [36, 36, 36, 37], 9, [(("points",), "sum")]),
        (
            "omnibus-hearts",
            {"bonus_floor": "total"},
            [-5, 26, 26, 26],
            4,
            [(("points", 0), "seat")],
        ),
        ("reversis", {}, [30, 40, 50, 30], 10, []),
        ("reversis", {}, [30, 40, 50, 31], 10, [(("points",), "sum")]),
        ("pinochle-two-hand", {}, [-10, 500], 3, [(("points", 0), "seat")]),
        ("black-lady-low-hand", {}, [Fraction(26, 3), Fraction(26, 3), Fraction(26, 3), 0], 1, []),
        ("super-hearts", {}, [-21, 21, 0, 0], 1, [(("points", 0), "seat")]),
        ("super-hearts", {"pledge": True}, [24, -2, -46, 24], 1, []),
        ("hearts-traditional", {"bonus_floor": "both", "deals": 12}, [0, 0, 5], 2, []),
        ("hearts-chip-pool", {}, [-11, 0, 0, 0], 10, [(("points", 0), "seat")]),
        ("complex-hearts", {}, [1, 1, 1, 1], 1, []),
    ],
)
def test_bounds_follow_from_the_rules(
    variant: str,
    options: Mapping[str, Any],
    totals: list[Score],
    hands: int,
    why: list[tuple[object, ...]],
) -> None:
    assert reasons(totals, hands, variant, **options) == why


def test_refusal_says_what_is_expected() -> None:
    played = rules()
    start = new_game(played, 4)
    wrong: list[tuple[list[Score], int | None]] = [
        ([200, 1, 2, 3], 5), ([1, 1, 1, 1], 10), ([1, 1, 1, 1], None),
        ([Fraction(3, 2), 1, 2, 3], 5),
    ]  # fmt: skip
    told = [
        totals_problems(played, start, totals, hands, MOST)[0].message for totals, hands in wrong
    ]
    a_hand = "can make that: the points of a hand total 26, moons aside."
    assert told == [
        "Seat N has 200, and no five hands can make that. Expected: −130 to 130.",
        f"All totals together are 4, and no 10 hands {a_hand}",
        f"All totals together are 4, and no number of hands {a_hand}",
        "Seat N has 3/2. These rules give whole points only.",
    ]


@pytest.mark.parametrize("option", [{"pledge": "true"}, {"ten_of_clubs": "double"}])
def test_settled_hand_with_a_pledge_or_a_doubled_seat_is_booked_by_points(option: Json) -> None:
    marks: Json = {"pledges": ["no-hearts", None, None, None]} if "pledge" in option else {}
    entry = {"taken": [[*HEARTS, "10C"], ["QS"], [], []], **marks}
    if "pledge" in option:
        entry["taken"][0].remove("10C")
    points = scored(entry, "black-lady-low-hand", **option)
    assert sum(map(Fraction, map(str, points))) == (36 if "pledge" in option else 39)
    entry = {"points": list(map(score_json, points)), **marks}
    assert scored(entry, "black-lady-low-hand", **option) == points


def test_a_settled_hand_with_a_pledge_is_refused_where_no_deal_pays_its_points() -> None:
    marks: Json = {"pledges": ["no-hearts", None, None, None]}
    for total in (16, 26, 36):
        wrong = {"points": [0, 0, total - 1, 0], **marks}
        assert refused(wrong, "black-lady-low-hand", pledge="true") == ["wrong_total"]
