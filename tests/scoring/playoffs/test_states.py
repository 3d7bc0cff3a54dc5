"""What may be done with a play-off, and what a correction makes of it."""

import pytest

from scoring.errors import Problem, Refused
from scoring.playoffs.boundaries import Boundary, Need
from scoring.playoffs.progress import (
    HandPlayed,
    LotsDrawn,
    MemberLeft,
    PlayoffEvent,
    PlayoffRules,
    playoff_rules,
    progress,
)
from scoring.playoffs.states import (
    KnownPlayoff,
    Review,
    cut_problems,
    gone_problems,
    hand_problems,
    lot_problems,
    review,
    state_after,
    step_problems,
)

RULES = PlayoffRules(max_hands=2)
FRESH = progress("ABC", [1], [], RULES)


def codes(problems: tuple[Problem, ...]) -> list[str]:
    return [problem.code for problem in problems]


ALL = ("detected", "scheduled", "in_play", "decided", "by_lot", "void")
ALLOWED = {
    ("detected", "scheduled"), ("scheduled", "in_play"), ("scheduled", "by_lot"),
    ("scheduled", "decided"), ("in_play", "in_play"), ("in_play", "decided"),
    ("in_play", "by_lot"), *((state, "void") for state in ALL if state != "void"),
}  # fmt: skip


@pytest.mark.parametrize("state", ALL)
def test_what_may_follow_a_state_is_one_table(state: str) -> None:
    follow = {to for to in ALL if not step_problems(state, to)}
    assert follow == {to for own, to in ALLOWED if own == state}


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("void", "playoff_void"), ("decided", "playoff_over"), ("by_lot", "playoff_over"),
        ("detected", "playoff_state"),
    ],
)  # fmt: skip
def test_result_for_a_playoff_that_is_not_played_is_refused(state: str, code: str) -> None:
    assert codes(hand_problems(state, FRESH, {"A": 1, "B": 2, "C": 3}, RULES)) == [code]
    assert codes(gone_problems(state, FRESH, "A")) == [code]
    assert codes(lot_problems(state, FRESH)) == [code]


@pytest.mark.parametrize("state", ["scheduled", "in_play"])
def test_hand_of_everybody_who_is_tied_counts(state: str) -> None:
    assert hand_problems(state, FRESH, {"A": 1, "B": 2, "C": 3}, RULES) == ()


def test_strangers_and_missing_members_are_named() -> None:
    found = hand_problems("in_play", FRESH, {"A": 1, "X": 2}, RULES)
    assert [(problem.code, problem.facts["member"]) for problem in found] == [
        ("playoff_stranger", "X"), ("playoff_hand_incomplete", "B"),
        ("playoff_hand_incomplete", "C"),
    ]  # fmt: skip
    assert codes(hand_problems("in_play", FRESH, {}, RULES)) == ["playoff_hand_incomplete"] * 3


def test_who_is_out_need_not_play_and_may() -> None:
    first: list[PlayoffEvent] = [HandPlayed({"A": 3, "B": 3, "C": 20})]
    now = progress("ABC", [1], first, RULES)
    assert hand_problems("in_play", now, {"A": 1, "B": 2}, RULES) == ()
    assert hand_problems("in_play", now, {"A": 1, "B": 2, "C": 23}, RULES) == ()
    assert codes(gone_problems("in_play", now, "C")) == ["playoff_placed"]
    assert gone_problems("in_play", now, "B") == ()


def test_hands_after_the_last_are_refused_until_there_are_more() -> None:
    same: PlayoffEvent = HandPlayed({"A": 3, "B": 3, "C": 3})
    now = progress("ABC", [1], [same, same], RULES)
    [problem] = hand_problems("in_play", now, {"A": 1, "B": 2, "C": 3}, RULES)
    assert problem.message == ("The 2 hands of this play-off are over. Allow more, or draw lots.")
    assert lot_problems("in_play", now) == ()


def test_state_follows_from_what_was_played() -> None:
    assert state_after(FRESH) == "in_play"
    assert state_after(progress("AB", [1], [MemberLeft("A")], RULES)) == "decided"
    assert state_after(progress("AB", [1], [LotsDrawn("s")], RULES)) == "by_lot"


def need(members: str, above: int = 1) -> Need:
    return Need(tuple(members), 0, (Boundary(above, "title"),))


def known(members: str, state: str, name: str = "1") -> KnownPlayoff:
    return KnownPlayoff(name, need(members).key, frozenset(members), state)


def test_detection_on_unchanged_data_makes_nothing_new() -> None:
    for state in ("detected", "scheduled", "in_play", "decided", "by_lot"):
        assert review([known("ABC", state)], [need("ABC")]) == Review(kept=("1",))


def test_tie_that_was_corrected_away_is_void_while_it_is_not_finished() -> None:
    for state in ("detected", "scheduled", "in_play"):
        assert review([known("ABC", state)], []) == Review(void=("1",))


def test_changed_group_voids_and_is_detected_anew() -> None:
    found = review([known("ABC", "in_play")], [need("AB")])
    assert found == Review(void=("1",), detected=(need("AB"),))


def test_void_one_is_kept_for_audit_and_its_tie_may_come_back() -> None:
    found = review([known("ABC", "void")], [need("ABC")])
    assert found == Review(detected=(need("ABC"),))


@pytest.mark.parametrize("state", ["decided", "by_lot"])
def test_finished_one_is_never_changed_without_being_asked(state: str) -> None:
    asked = review([known("ABC", state)], [need("AB")])
    assert (asked.kept, asked.void, asked.detected) == (("1",), (), ())
    assert [dict(problem.facts) for problem in asked.asked] == [
        {"playoff": "1", "members": "A, B, C"}
    ]
    assert review([known("ABC", state)], [need("AB")], "keep") == Review(kept=("1",))
    assert review([known("ABC", state)], [need("AB")], "redo") == Review(
        void=("1",), detected=(need("AB"),)
    )


def test_tie_of_others_is_detected_beside_a_finished_one() -> None:
    found = review([known("ABC", "decided")], [need("DE", 4)], "keep")
    assert found == Review(kept=("1",), detected=(need("DE", 4),))


def test_correction_that_moves_somebody_over_a_cut_is_asked_about() -> None:
    went = frozenset("ABC")
    assert cut_problems(went, [["B"], ["A", "C"], ["D"]], 3) == ()
    [problem] = cut_problems(went, [["A"], ["D"], ["B"], ["C"]], 3)
    assert problem.code == "cut_would_change"
    assert problem.message == (
        "The best 3 have gone on already. By this D would come in and C go out. "
        "Decide whether to keep the cut."
    )
    [tie] = cut_problems(went, [["A"], ["B"], ["C", "D"]], 3)
    assert tie.message == (
        "The best 3 have gone on already. By this there would be a tie at the cut. "
        "Decide whether to keep the cut."
    )
    assert cut_problems(went, [["A"], ["B", "C"]], 8) == ()


def test_policies_differ_in_when_one_looks() -> None:
    assert playoff_rules("extra_hands") == PlayoffRules()
    assert playoff_rules("table") == PlayoffRules(block=4)
    strict = playoff_rules("sudden_death", {"block": 4, "min_hands": 3, "max_hands": 5})
    assert strict == PlayoffRules(max_hands=5)


def test_every_wrong_setting_is_named() -> None:
    with pytest.raises(Refused) as refused:
        playoff_rules("table", {"max_hands": 0, "duel": "chess", "colour": 1, "block": True})
    assert sorted((problem.code, problem.at[0]) for problem in refused.value.problems) == [
        ("bad_playoff_rule", "block"), ("bad_playoff_rule", "duel"),
        ("bad_playoff_rule", "max_hands"), ("unknown_playoff_rule", "colour"),
    ]  # fmt: skip
