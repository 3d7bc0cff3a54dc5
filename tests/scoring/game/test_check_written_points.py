"""Points only: accepted when some hand makes them, with who shot as far as they tell."""

from typing import Any

import pytest

from scoring.diagnosis import shooter_hypotheses
from tests.support.answers import Json
from tests.support.scoring.play import played, problems, refused, scored


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
    ("variant", "points", "made"),
    [
        ("omnibus-hearts", [-36, 0, 0, 0], ((0,), "self")),
        ("omnibus-hearts", [-26, 0, -10, 0], ((0,), "self")),
        ("omnibus-hearts", [-10, 26, 26, 26], ((0,), "others")),
        ("omnibus-hearts", [26, 16, 0, 26], ((2,), "others")),
        ("omnibus-hearts-10d", [26, 26, 26, 0], ((3,), "others")),
        ("spot-hearts", [-129, 0, 0, 0], ((0,), "self")),
    ],
)
def test_every_legal_settlement_with_a_bonus_card_tells_who_shot(
    variant: str, points: list[int], made: tuple[tuple[int, ...], str]
) -> None:
    moon = played({"points": points}, variant)[0].moon
    assert moon is not None
    assert (moon.by, moon.choice) == made


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
def test_points_that_no_hand_makes_are_refused(
    variant: str, points: list[int], code: str | None
) -> None:
    if code is None:
        assert scored({"points": points}, variant) == points
    else:
        assert refused({"points": points}, variant) == [code]


def test_moon_left_open_offers_each_settlement() -> None:
    (problem,) = problems({"points": [0, 0, 26, 0]})
    assert problem.at == ("points", 2)
    assert [hint.facts["scores"] for hint in problem.suggestions] == [
        [0, 0, -26, 0], [26, 26, 0, 26],
    ]  # fmt: skip


def test_moon_left_open_under_one_settlement_offers_it() -> None:
    (problem,) = problems({"points": [0, 0, 26, 0]}, moon="others")
    assert problem.code == "choice_required"
    assert [hint.facts["scores"] for hint in problem.suggestions] == [[26, 26, 0, 26]]


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
def test_marks_beside_points_must_agree_with_them(
    entry: dict[str, object], codes: list[str] | None
) -> None:
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
"""Card values under which there are too many ways to share out the points for all to be tried."""


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
