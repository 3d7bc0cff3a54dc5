"""Hostile and mistyped entries: refused with a code, never coerced, no traceback."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.cases import answer
from scoring.entry.hand_reader import read_entry
from scoring.errors import SENTENCES
from scoring.rules.catalogue import catalogue
from tests.support.lengths import short_or_long
from tests.support.scoring.play import PLAIN, problems, refused, rules

NOT_COUNTS = [-1, 3.0, float("nan"), float("inf"), "13 ", "3", "٣", True, None, [], {}, 10**30, 14]
NOT_POINTS = [3.0, float("nan"), float("-inf"), "13 ", "3", "٣", True, None, [], {}, 10**30,
              "26/2", "1/0", [1, 2]]  # fmt: skip

NOT_CARDS = ["qs", "QS ", " QS", "Q♠", "", 12, None, True, ["QS"], {}, 1.5]
HOSTILE: list[tuple[object, str]] = [
    *((PLAIN | {"hearts": [value, 7, 0, 3]}, "bad_count") for value in NOT_COUNTS),
    *(({"points": [10, 16, 0, value]}, "bad_count") for value in NOT_POINTS),
    *((PLAIN | {"taken": [[], ["QS", value], [], []]}, "unknown_card") for value in NOT_CARDS),
    *((entry, "bad_entry") for entry in (None, 5, "QS", [], [PLAIN], True, 1e309)),
]


@pytest.mark.parametrize(("entry", "code"), HOSTILE, ids=repr)
def test_value_of_another_kind_is_refused(entry: object, code: str) -> None:
    assert refused(entry) == [code]


@pytest.mark.parametrize("value", ["QS", {"QS": 1}, 5, True, None])
def test_pile_that_is_no_list_is_refused(value: object) -> None:
    assert refused({"taken": [[], value, [], []]})[0] == "unknown_card"


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("hearts", "seat_count"),
        ("taken", "seat_count"),
        ("points", "seat_count"),
        ("tricks", "seat_count"),
        ("pledges", "seat_count"),
        ("declared", "not_chargeable"),
        ("slam_choice", "choice_forbidden"),
        ("shooter", "wrong_shooter"),
        ("passer", "unknown_seat"),
        ("first_trick_by", "unknown_seat"),
        ("unclaimed", "unknown_card"),
        ("kitty", "unknown_card"),
    ],
)
def test_field_of_another_shape_is_refused_with_its_code(field: str, code: str) -> None:
    assert code in refused(PLAIN | {field: "x"})
    assert code in refused(PLAIN | {field: 77})


def test_letter_for_a_number_is_guessed_but_not_taken() -> None:
    (problem,) = problems({"hearts": ["O", 7, 3, 3], "taken": [[], ["QS"], [], []]})
    assert (problem.code, problem.at) == ("bad_count", ("hearts", 0))
    assert [hint.text for hint in problem.suggestions] == ["0 instead of O?"]


def test_null_is_as_good_as_absent() -> None:
    entry = PLAIN | {"slam_choice": None, "shooter": None, "tricks": None, "unclaimed": None}
    typed = read_entry(entry, rules(), 4)
    assert (typed.problems, typed.form, typed.as_json()) == ((), "counts", entry)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from(["QS", "2H", "others", "self", "no-hearts", "26/3", "*"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner,
                                                                max_size=3),
    max_leaves=12,
)  # fmt: skip
FIELDS = (
    "taken", "hearts", "points", "clean", "tricks", "declared", "slam_choice", "unclaimed",
    "kitty", "pledges", "passer", "first_trick_by", "shooter", "other",
)  # fmt: skip
VARIANTS = [
    {"variant": "hearts"},
    {"variant": "hearts", "options": {"sun": "punish", "pledge": True, "no_trick_bonus": -5}},
    {"variant": "omnibus-hearts", "options": {"bonus_floor": "both"}},
    {"variant": "spot-hearts"},
]


@settings(max_examples=short_or_long(40, 120), deadline=None)
@given(
    st.sampled_from(VARIANTS),
    st.dictionaries(st.sampled_from(FIELDS), JUNK | st.lists(JUNK, min_size=4, max_size=4)),
)
def test_any_junk_is_answered_in_plain_words(variant: dict[str, object], entry: object) -> None:
    said = answer(catalogue(), {**variant, "seats": 4, "hands": [{"entry": entry}]})
    assert ("errors" in said) != ("hands" in said)
    for error in said.get("errors", []):
        assert error["code"] in SENTENCES
        assert len(error["message"]) < 600
    json.dumps(said, allow_nan=False)


@settings(max_examples=short_or_long(40, 120), deadline=None)
@given(st.fixed_dictionaries({}, optional={
    key: JUNK for key in ("id", "kind", "variant", "options", "seats", "teams", "start_totals",
                          "start_deals", "start_pool", "hands", "tricks", "kitty")
}) | JUNK)  # fmt: skip
def test_any_junk_for_a_case_is_answered_in_plain_words(case: object) -> None:
    said = answer(catalogue(), case)
    assert {error["code"] for error in said.get("errors", [])} <= set(SENTENCES)


@settings(max_examples=short_or_long(26, 80), deadline=None)
@given(st.dictionaries(st.sampled_from(["moon", "target", "sun", "deals", "tie", "custom_values",
       "removed_cards", "new_moon_from", "moon_needs", "bonus_value", "x"]), JUNK))  # fmt: skip
def test_any_junk_for_options_is_answered_in_plain_words(options: dict[str, object]) -> None:
    case = {"variant": "omnibus-hearts", "options": options, "seats": 4, "hands": []}
    said = answer(catalogue(), case)
    assert {error["code"] for error in said.get("errors", [])} <= {"unknown_option", "bad_option"}
