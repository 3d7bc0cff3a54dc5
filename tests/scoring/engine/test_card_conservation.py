"""Every penalty card once: what a sheet that cannot be is told."""

import pytest

from tests.support.scoring.play import HEARTS, PLAIN, problems, refused, scored

FULL: list[list[str]] = [HEARTS[:5], ["QS", *HEARTS[5:6]], HEARTS[6:12], HEARTS[12:]]


def test_cards_that_do_not_count_may_be_listed() -> None:
    assert scored({"taken": [[*FULL[0], "2C", "TD"], *FULL[1:]]}) == [5, 14, 6, 1]


def test_twelve_hearts_are_refused_with_what_was_typed_and_the_likely_cause() -> None:
    (problem,) = problems({"hearts": [7, 4, 1, 0], "taken": [["QS"], [], [], []]})
    assert (problem.code, problem.at) == ("missing_cards", ("hearts",))
    assert (problem.facts["found"], problem.facts["expected"]) == (12, 13)
    assert problem.message == (
        "One heart is missing. You entered 7, 4, 1 and 0: that is 12, there are 13 in play."
    )
    assert problem.suggestions[0].text == "one heart missing"


def test_queen_with_nobody_is_named() -> None:
    (problem,) = problems({"hearts": [7, 4, 1, 1], "taken": [[], [], [], []]})
    assert (problem.code, problem.facts["cards"]) == ("missing_cards", ["QS"])
    assert problem.message == "The queen of spades is not assigned to a player. Who took it?"


def test_queen_with_two_seats_names_both() -> None:
    (problem,) = problems({"hearts": [7, 4, 1, 1], "taken": [["QS"], [], ["QS"], []]})
    assert (problem.code, problem.at) == ("too_many_copies", ("taken", 2))
    assert problem.facts["seats"] == ["N", "S"]
    assert problem.suggestions[0].text == "the queen of spades counted twice"


def test_missing_hearts_of_a_card_sheet_are_listed() -> None:
    (problem,) = problems({"taken": [FULL[0][1:], FULL[1], FULL[2], FULL[3]]})
    assert problem.message == (
        "One heart is missing (2H). What is listed is 12, there are 13 in play."
    )


def test_every_problem_of_a_hand_is_found_at_once_in_the_order_of_the_codes() -> None:
    entry = {
        "hearts": [-1, 2, 0, 3],
        "taken": [["QX"], [], ["10D", "10D"], []],
        "unclaimed": ["2C"],
        "tricks": [4, 4, 4, 4],
        "declared": ["QS"],
        "shooter": 9,
        "passer": "N",
        "slam_choice": "half",
        "pledges": ["no-hearts", None, None, None],
    }
    assert refused(entry) == [
        "unknown_card", "too_many_copies", "unclaimed_not_allowed", "missing_cards", "tricks_sum",
        "not_chargeable", "unknown_pledge", "unknown_seat", "choice_forbidden", "bad_count",
        "wrong_shooter",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "codes"),
    [
        ({}, ["missing_cards", "missing_cards"]),
        ({"taken": FULL[:3]}, ["seat_count"]),
        ({"hearts": [13, 0, 0], "taken": FULL}, ["seat_count"]),
        ({"hearts": [5, 1, 6, 1], "taken": FULL}, ["short_form_not_allowed"]),
        ({"hearts": [14, 0, 0, 0], "taken": [["QS"], [], [], []]}, ["bad_count"]),
        (PLAIN | {"tricks": [4, 4, 4, 2]}, ["tricks_sum"]),
        (PLAIN | {"tricks": [4, 9, 0, 0]}, ["cards_without_trick"]),
        (PLAIN | {"tricks": [14, 0, 0, -1]}, ["bad_count"]),
        (PLAIN | {"tricks": [13, 0, 0]}, ["seat_count"]),
        (PLAIN | {"tricks": [4, 9, 0, 0], "first_trick_by": 2},
         ["tricks_sum", "cards_without_trick"]),
        (PLAIN | {"kitty": ["2C", "ZZ"]}, ["unknown_card"]),
        (PLAIN | {"harts": [1]}, ["unknown_field"]),
        (PLAIN | {"passer": 1, "shooter": 1}, ["unknown_seat", "wrong_shooter"]),
    ],
)  # fmt: skip
def test_sheet_that_cannot_be_is_refused(entry: dict[str, object], codes: list[str]) -> None:
    assert refused(entry) == codes


def test_short_form_is_for_hearts_that_are_all_alike() -> None:
    counts = {"hearts": [3, 7, 0, 3], "taken": [[], ["QS"], [], []]}
    assert refused(counts, "spot-hearts") == ["short_form_not_allowed"]
    assert refused(counts, custom_values=[["AH", 5]]) == ["short_form_not_allowed"]
    assert refused(counts, moon_needs="AH,QS") == ["short_form_not_allowed"]
    assert refused(counts, "omnibus-hearts") == ["missing_cards"]


def test_pile_of_a_pooled_side_may_stand_under_either_partner() -> None:
    one = {"hearts": [6, 7, 0, 0], "taken": [[], ["QS"], [], []]}
    other = {"hearts": [0, 0, 6, 7], "taken": [[], [], [], ["QS"]]}
    assert scored(one, "test-sides-pooled") == scored(other, "test-sides-pooled") == [6, 20]


def test_cancelled_last_trick_is_nobodys_only_where_the_rules_say_so() -> None:
    sheet = {
        "hearts": [6, 0, 5, 3, 2, 7, 2],
        "taken": [[], [], ["QS"], [], [], ["QS"], []],
        "unclaimed": ["2H"],
    }
    option = {"last_stalled": "uncounted"}
    assert refused(sheet, "test-two-packs", seats=7) == ["unclaimed_not_allowed"]
    refusal = problems(sheet, "test-two-packs", seats=7)[0].message
    assert "goes to the winner of the trick before" in refusal
    assert scored(sheet, "test-two-packs", seats=7, **option) == [6, 0, 18, 3, 2, 20, 2]
    short = sheet | {"unclaimed": []}
    assert refused(short, "test-two-packs", seats=7, **option) == ["missing_cards"]
