"""How a play-off stands after each hand, what may be done, and what a correction makes of it."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import Problem, Refused
from scoring.playoffs.boundaries import Boundary, KnownPlayoff, Need, Review, cut_problems, review
from scoring.playoffs.progress import (
    HandPlayed,
    HeatsPlayed,
    LotsDrawn,
    MemberLeft,
    PlayoffEvent,
    PlayoffExtended,
    PlayoffRules,
    Progress,
    explain_playoff,
    gone_problems,
    hand_problems,
    lot_problems,
    playoff_rules,
    progress,
    state_after,
    step_problems,
)
from tests.support.lengths import short_or_long

SUDDEN = PlayoffRules()
TABLE = playoff_rules("table")
RULES = PlayoffRules(max_hands=2)
FRESH = progress("ABC", [1], [], RULES)


def hands(members: str, *rows: str) -> list[PlayoffEvent]:
    """Hands as columns of points: one row a hand, `.` for who did not play it."""
    return [
        HandPlayed({m: int(p) for m, p in zip(members, row.split(), strict=True) if p != "."})
        for row in rows
    ]


def order(now: Progress) -> str:
    return " ".join("=".join(level) for level in now.order)


def level(now: Progress) -> list[str]:
    return ["".join(tier.members) for tier in now.undecided]


LEFT_A, LEFT_B = MemberLeft("A"), MemberLeft("B", "withdrawn")
HEATS = HeatsPlayed(("C", "D"))


@pytest.mark.parametrize(
    ("members", "cuts", "log", "expected", "undecided"),
    [
        ("ABC", [1], hands("ABC", "3 3 20"), "A=B C", "AB"),
        ("ABC", [1], hands("ABC", "3 3 20", "5 10 ."), "A B C", ""),
        ("ABC", [2], hands("ABC", "3 8 8"), "A B=C", "BC"),
        ("ABC", [2], hands("ABC", "3 8 8", ". 9 4"), "A C B", ""),
        ("AB", [1], hands("AB", "13 13", "0 0"), "A=B", "AB"),
        ("AB", [1], hands("AB", "13 13", "0 0", "5 6"), "A B", ""),
        ("ABCD", [1], hands("ABCD", "2 8 8 8"), "A B=C=D", ""),
        # Who is placed may sit down as a filler, as may who is no member.
        ("ABC", [1], hands("ABCX", "3 3 20 0", "5 10 0 11"), "A B C", ""),
        # A group over two lines plays on for each.
        ("ABCD", [1, 3], hands("ABCD", "3 3 10 10"), "A=B C=D", "AB CD"),
        ("ABCD", [1, 3], hands("ABCD", "3 3 10 10", "9 4 6 7"), "B A C D", ""),
        ("ABCD", [1, 3], hands("ABCD", "3 3 10 10", "9 4 . ."), "B A C=D", "CD"),
        # Who goes comes after who stays and who was out already, and before who went first.
        ("ABC", [1], [LEFT_A, *hands("BC", "4 3")], "C B A", ""),
        ("AB", [1], [LEFT_A], "B A", ""),
        ("ABC", [2], [LEFT_A, LEFT_B], "B=C A", ""),
        ("ABCD", [3], [LEFT_A, *hands("BCD", "1 2 3")], "B=C=D A", ""),
        ("ABCD", [1], [LEFT_A, LEFT_B, *hands("CD", "4 9")], "C D B A", ""),
        ("ABC", [1], [*hands("ABC", "3 3 20"), LEFT_B], "A C B", ""),
        ("ABC", [1], [*hands("ABC", "1 3 20"), LEFT_A], "A B C", ""),
        # The best of each heat meet, and the others are out.
        ("ABCDEF", [1], [HEATS], "C=D A=B=E=F", "CD"),
        ("ABCDEF", [1], [HEATS, *hands("CD", "7 6")], "D C A=B=E=F", ""),
    ],
)
def test_hands_and_who_left_order_the_members(
    members: str, cuts: list[int], log: list[PlayoffEvent], expected: str, undecided: str
) -> None:
    now = progress(members, cuts, log, SUDDEN)
    assert (order(now), " ".join(level(now)), now.is_decided) == (
        expected, undecided, not undecided,
    )  # fmt: skip
    assert all(tier.totals == {} for tier in now.undecided), "they go on from 0"


def test_highest_total_is_first_where_it_wins() -> None:
    now = progress("ABC", [1], hands("ABC", "3 3 20"), SUDDEN, low_wins=False)
    assert (order(now), now.is_decided) == ("C A=B", True)


def test_table_decides_after_a_block_of_four_hands_only() -> None:
    rows = ["0 9 17", "9 0 17", "3 3 20", "5 6 15", "8 8 10", "0 26 0", "1 2 23", "0 9 4"]
    for count in (1, 2, 3):
        assert level(progress("ABC", [1], hands("ABC", *rows[:count]), TABLE)) == ["ABC"]
    assert order(progress("ABC", [1], hands("ABC", *rows[:4]), TABLE)) == "A B C"
    tied = [*rows[:3], "6 6 14"]
    again = progress("ABC", [1], hands("ABC", *tied, *rows[4:7]), TABLE)
    assert (order(again), level(again)) == ("A=B C", ["AB"])
    assert order(progress("ABC", [1], hands("ABC", *tied, *rows[4:]), TABLE)) == "A B C"


def test_nobody_looks_before_the_least_number_of_hands() -> None:
    two = playoff_rules("extra_hands", {"min_hands": 2})
    assert level(progress("AB", [1], hands("AB", "0 26"), two)) == ["AB"]
    assert order(progress("AB", [1], hands("AB", "0 26", "27 0"), two)) == "B A"


def test_lots_order_the_undecided_by_the_seed() -> None:
    drawn: list[PlayoffEvent] = [LotsDrawn("7f3c")]
    now = progress(["101", "102", "103"], [1], drawn, SUDDEN)
    assert (order(now), now.is_decided, now.by_lot) == ("101 103 102", True, "7f3c")
    some = [HandPlayed({"101": 9, "102": 3, "103": 3}), *drawn]
    assert order(progress(["101", "102", "103"], [1], some, SUDDEN)) == "103 102 101"


def test_lots_leave_those_level_who_share_no_seat() -> None:
    log = [*hands("ABCD", "3 3 5 5"), LotsDrawn("7f3c")]
    now = progress("ABCD", [1], log, SUDDEN)
    assert order(now).endswith(" C=D")
    assert now.is_decided


def test_after_the_last_hand_the_director_extends_or_draws() -> None:
    two = PlayoffRules(max_hands=2)
    log = hands("AB", "13 13", "13 13")
    assert not progress("AB", [1], log[:1], two).is_exhausted(two)
    assert progress("AB", [1], log, two).is_exhausted(two)
    assert not progress("AB", [1], [*log, PlayoffExtended(1)], two).is_exhausted(two)
    assert order(progress("AB", [1], [*log, PlayoffExtended(1), *hands("AB", "1 2")], two)) == "A B"


def test_split_pots_are_compared_exactly() -> None:
    third = Fraction(26, 3)
    shared: list[PlayoffEvent] = [HandPlayed({"A": third, "B": third, "C": 26 - 2 * third})]
    assert level(progress("ABC", [1], shared, SUDDEN)) == ["ABC"]


POINTS = st.integers(0, 3)


@st.composite
def playoffs(draw: st.DrawFn) -> tuple[list[str], list[int], list[PlayoffEvent], PlayoffRules]:
    members = [f"P{n}" for n in range(draw(st.integers(2, 7)))]
    cuts = sorted(draw(st.sets(st.integers(1, len(members) - 1), min_size=1, max_size=2)))
    events: list[PlayoffEvent] = []
    for _ in range(draw(st.integers(0, 8))):
        if draw(st.integers(0, 9)) == 0:
            events.append(MemberLeft(draw(st.sampled_from(members))))
        else:
            events.append(HandPlayed({member: draw(POINTS) for member in members}))
    return members, cuts, events, draw(st.sampled_from([SUDDEN, TABLE, PlayoffRules(min_hands=3)]))


@settings(max_examples=short_or_long(66, 200), deadline=None)
@given(playoffs())
def test_playoff_ends_with_a_total_order_across_every_line(
    case: tuple[list[str], list[int], list[PlayoffEvent], PlayoffRules],
) -> None:
    members, cuts, events, rules_ = case
    now = progress(members, cuts, events, rules_)
    assert sorted(one for same in now.order for one in same) == members
    ended = progress(members, cuts, [*events, LotsDrawn("7f3c")], rules_)
    assert ended.is_decided
    ends = {sum(len(same) for same in ended.order[:n]) for n in range(len(ended.order) + 1)}
    assert set(cuts) <= ends


@settings(max_examples=short_or_long(50, 150), deadline=None)
@given(playoffs(), st.lists(POINTS, min_size=7, max_size=7))
def test_who_is_placed_keeps_the_place_in_every_later_hand(
    case: tuple[list[str], list[int], list[PlayoffEvent], PlayoffRules], points: list[int]
) -> None:
    members, cuts, events, rules_ = case
    now = progress(members, cuts, events, rules_)
    still = {one for tier in now.undecided for one in tier.members}
    hand = HandPlayed(dict(zip(members, points, strict=False)))
    after = progress(members, cuts, [*events, hand], rules_)

    def ahead(progress_: Progress, member: str) -> set[str]:
        found: set[str] = set()
        for same in progress_.order:
            if member in same:
                return found
            found |= set(same)
        return found

    assert all(ahead(after, one) == ahead(now, one) for one in members if one not in still)


@pytest.mark.parametrize(
    ("log", "rules", "totals"),
    [
        ([MemberLeft("C")], SUDDEN, {"A": (), "B": (), "C": ("gone",)}),
        ([*hands("ABC", "3 3 20"), LotsDrawn("7f3c")], SUDDEN,
         {"A": ("3", "lot"), "B": ("3", "lot"), "C": ("20",)}),
        (hands("ABC", "0 2 9", "1 2 9", "2 2 9", "3 2 9"), PlayoffRules(block=4),
         {"A": ("6",), "B": ("8",), "C": ("36",)}),
        (hands("ABC", "3 5 7", "9 1 1"), SUDDEN, {"A": ("3",), "B": ("5",), "C": ("7",)}),
        ([HeatsPlayed(("A", "C"))], SUDDEN, {"A": (), "B": (), "C": ()}),
    ],
    ids=["walk-over", "lots", "block", "hand that is no longer asked for", "heats"],
)  # fmt: skip
def test_totals_are_told_of_what_decided(
    log: list[PlayoffEvent], rules: PlayoffRules, totals: dict[str, tuple[str, ...]]
) -> None:
    assert explain_playoff("ABC", [1], log, rules)[1] == totals


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
    return (name, need(members).key, frozenset(members), state)


OPEN = ("detected", "scheduled", "in_play")


@pytest.mark.parametrize(
    ("state", "needs", "expected"),
    [
        # Unchanged data makes nothing new.
        *((state, ["ABC"], (("1",), (), (), ())) for state in (*OPEN, "decided", "by_lot")),
        # A tie that was corrected away, or whose group changed, is void while it is not finished.
        *((state, [], ((), ("1",), (), ())) for state in OPEN),
        ("in_play", ["AB"], ((), ("1",), (need("AB"),), ())),
        # A void one is kept for audit, and its tie may come back.
        ("void", ["ABC"], ((), (), (need("ABC"),), ())),
    ],
)
def test_review_of_an_unfinished_tie(state: str, needs: list[str], expected: Review) -> None:
    assert review([known("ABC", state)], list(map(need, needs))) == expected


@pytest.mark.parametrize("state", ["decided", "by_lot"])
def test_finished_one_is_never_changed_without_being_asked(state: str) -> None:
    kept, void, detected, asked = review([known("ABC", state)], [need("AB")])
    assert (kept, void, detected) == (("1",), (), ())
    assert [dict(problem.facts) for problem in asked] == [{"playoff": "1", "members": "A, B, C"}]
    assert review([known("ABC", state)], [need("AB")], "keep") == (("1",), (), (), ())
    assert review([known("ABC", state)], [need("AB")], "redo") == ((), ("1",), (need("AB"),), ())


def test_tie_of_others_is_detected_beside_a_finished_one() -> None:
    found = review([known("ABC", "decided")], [need("DE", 4)], "keep")
    assert found == (("1",), (), (need("DE", 4),), ())


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
