"""The list is the replay of its events, each move has its story, each setting its limits."""

from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import Refused
from scoring.ladders.positions import (
    ChallengeWon,
    Joined,
    Ladder,
    LadderEvent,
    LadderReplay,
    Move,
    Opened,
    Removed,
    TablePlayed,
    WeekSwept,
    after_drops,
    after_table,
    after_win,
    applied,
    explain_move,
    replay,
    tiers_of,
)
from scoring.ladders.positions import table_problems as problems_of_a_table
from scoring.ladders.rules import LADDER_CHOICES, LadderRules, ladder_rules
from tests.support.lengths import short_or_long
from tests.support.scoring.ladder_season import END, events, names

DAY = date(2025, 3, 12)
RULES = LadderRules()
TEN = tuple("ABCDEFGHIJ")


def ladder(order: str) -> Ladder:
    return Ladder(tuple(order), 1)


def told(step: LadderReplay) -> dict[str, str]:
    return {move.member: explain_move(move) for move in step.moves}


def test_season_with_its_corrected_result_ends_as_the_page_shows() -> None:
    done = replay(events(), RULES)
    assert " ".join(names()[member] for member in done.ladder.order) == END
    last = {move.member: move for move in done.moves}
    assert (last["L21"].before, last["L21"].after) == (9, 1)
    assert explain_move(last["L21"], names()) == (
        "up 8: won a table with Bette, Piet and Wout on 10 June"
    )
    assert explain_move(last["L19"]) == "down 6: last at a table behind L17, L23 and L13 on 24 June"


def test_stories_of_a_challenge_tell_the_winner_the_loser_and_who_was_passed() -> None:
    won = ChallengeWon(2, DAY, "J", "D", ref="G7")
    assert told(applied(ladder("ABCDEFGHIJ"), won, RULES)) == {
        "J": "up 6: beat D (#4) on 12 March",
        "D": "down 1: lost to J (#10) on 12 March",
        **{
            one: "down 1: passed by J (#10), who won against #4 on 12 March" for one in "EFGHI"
        },
    }  # fmt: skip


@pytest.mark.parametrize(
    ("how", "up", "down"),
    [
        ("declined", "up 1: A (#1) declined on 12 March", "down 1: declined B (#2) on 12 March"),
        (
            "expired",
            "up 1: A (#1) did not answer on 12 March",
            "down 1: did not answer B (#2) on 12 March",
        ),
        (
            "forfeited_d",
            "up 1: A (#1) forfeited on 12 March",
            "down 1: forfeited to B (#2) on 12 March",
        ),
    ],
)
def test_win_without_a_game_says_why(how: str, up: str, down: str) -> None:
    step = applied(ladder("AB"), ChallengeWon(2, DAY, "B", "A", how), RULES)
    assert told(step) == {"B": up, "A": down}


def test_story_carries_its_facts_and_leads_to_its_game() -> None:
    assert applied(ladder("AB"), ChallengeWon(2, DAY, "B", "A", ref="G7"), RULES).moves[0] == Move(
        2, "B", 2, 1, DAY, "beat", {"member": "A", "place": 1, "how": "played", "ref": "G7"}
    )


def test_stories_of_a_table_tell_who_was_ahead_and_who_level() -> None:
    played = TablePlayed(2, DAY, (("F",), ("C", "E"), ("D",)), "G1")
    assert told(applied(ladder("ABCDEFGHIJ"), played, RULES)) == {
        "F": "up 3: won a table with C, E and D on 12 March",
        "C": "down 1: 2nd at a table tied with E behind F on 12 March",
        "D": "down 2: last at a table behind F, C and E on 12 March",
    }


def test_members_who_come_go_and_idle_are_told_too() -> None:
    joined = applied(ladder("AB"), Joined(2, DAY, "C"), RULES)
    assert told(joined) == {"C": "joined on 12 March"}
    swept = applied(joined.ladder, WeekSwept(3, DAY, "2025-W11", ("B",)), RULES)
    assert told(swept) == {
        "C": "up 1: went past who is idle on 12 March",
        "B": "down 1: no game for too long on 12 March",
    }
    removed = applied(swept.ladder, Removed(4, DAY, "A", "away"), RULES)
    assert told(removed) == {
        "C": "up 1: A (#1) left on 12 March",
        "B": "up 1: A (#1) left on 12 March",
        "A": "away too long, off the ladder on 12 March",
    }
    assert removed.moves[-1].after is None


def test_week_that_is_swept_twice_drops_once() -> None:
    swept = applied(ladder("ABCD"), WeekSwept(2, DAY, "2025-W11", ("A",)), RULES)
    again = applied(swept.ladder, WeekSwept(3, DAY, "2025-W11", ("A", "B")), RULES)
    assert "".join(swept.ladder.order) == "BACD"
    assert "".join(again.ladder.order) == "ABCD"
    next_week = applied(again.ladder, WeekSwept(4, DAY, "2025-W12", ("A",)), RULES)
    assert "".join(next_week.ladder.order) == "BACD"


def test_tables_that_finish_together_count_in_stored_order() -> None:
    first = TablePlayed(2, DAY, (("C",), ("B",), ("A",)))
    second = TablePlayed(3, DAY, (("D",), ("C",), ("B",)))
    assert "".join(replay([first, second], RULES, after=ladder("ABCD")).ladder.order) == "DCAB"


def test_replay_passes_over_who_is_no_member_and_never_refuses() -> None:
    log: list[LadderEvent] = [
        ChallengeWon(2, DAY, "B", "X"),
        Joined(3, DAY, "A"),
        Removed(4, DAY, "X"),
        TablePlayed(5, DAY, (("X",),)),
        WeekSwept(6, DAY, "2025-W11", ("X",)),
        Opened(7, DAY, ("B", "C", "C")),
    ]
    assert replay(log, RULES, after=ladder("AB")).ladder.order == ("A", "B", "C")


def test_numbers_must_ascend() -> None:
    with pytest.raises(ValueError, match="event 2 after 2"):
        replay([Joined(2, DAY, "A"), Joined(2, DAY, "B")], RULES)


@pytest.mark.parametrize(
    ("tiers", "span", "expected"),
    [
        ("A B C", None, []),
        ("A B", None, ["ladder_table_size"]),
        ("A B C C", None, ["ladder_member_twice"]),
        ("A B X", None, ["not_on_ladder"]),
        ("A B C D E F G H I J K", None, []),
        ("A B C D E F G H I J K L", None, ["ladder_table_size"]),
        ("A B E", 4, []),
        ("A B F", 4, ["ladder_span"]),
    ],
)
def test_table_challenge_is_for_3_to_11_members_near_enough(
    tiers: str, span: int | None, expected: list[str]
) -> None:
    found = problems_of_a_table(
        ladder("ABCDEFGHIJKL"), tuple((one,) for one in tiers.split()), LadderRules(max_span=span)
    )
    assert [getattr(problem, "code", "") for problem in found] == expected


MEMBERS = "ABCDEFGH"
RULE = st.sampled_from(LADDER_CHOICES["rule"]).map(lambda rule: LadderRules(rule=rule, idle_drop=2))
ONE = st.sampled_from(MEMBERS)

TABLE = st.permutations(MEMBERS).flatmap(
    lambda order: st.integers(3, 8).map(lambda size: tuple((one,) for one in order[:size]))
)

CUT = st.one_of(
    st.tuples(st.just(Joined), st.tuples(ONE)),
    st.tuples(st.just(Removed), st.tuples(ONE)),
    st.tuples(st.just(ChallengeWon), st.tuples(ONE, ONE)),
    st.tuples(st.just(TablePlayed), st.tuples(TABLE)),
    st.tuples(
        st.just(WeekSwept),
        st.tuples(st.sampled_from(["2025-W01", "2025-W02"]), st.tuples(ONE, ONE)),
    ),
)


@st.composite
def logs(draw: st.DrawFn) -> list[LadderEvent]:
    drawn = draw(st.lists(CUT, max_size=25))
    made: list[LadderEvent] = [Opened(1, DAY, tuple("ABCDE"))]
    for number, (kind, values) in enumerate(drawn, 2):
        made.append(kind(number, DAY, *values))
    return made


def steps(
    log: list[LadderEvent], rules: LadderRules
) -> Iterator[tuple[Ladder, LadderReplay, LadderEvent]]:
    now = Ladder()
    for event in log:
        step = applied(now, event, rules)
        yield now, step, event
        now = step.ladder


@settings(max_examples=short_or_long(50, 150), deadline=None)
@given(logs(), RULE)
def test_list_is_a_permutation_of_its_members(log: list[LadderEvent], rules: LadderRules) -> None:
    on: set[str] = set()
    for _, step, event in steps(log, rules):
        if isinstance(event, Opened):
            on |= set(event.members)
        if isinstance(event, Joined):
            on.add(event.member)
        if isinstance(event, Removed):
            on.discard(event.member)
        assert sorted(step.ladder.order) == sorted(on)


@settings(max_examples=short_or_long(33, 100), deadline=None)
@given(logs(), RULE, st.integers(0, 25))
def test_replay_from_any_event_is_the_replay_from_the_first(
    log: list[LadderEvent], rules: LadderRules, at: int
) -> None:
    whole = replay(log, rules)
    first = replay(log[:at], rules)
    rest = replay(log, rules, after=first.ladder)
    assert rest.ladder == whole.ladder
    assert (*first.moves, *rest.moves) == whole.moves


@settings(max_examples=short_or_long(33, 100), deadline=None)
@given(logs(), RULE)
def test_list_is_the_sum_of_its_moves(log: list[LadderEvent], rules: LadderRules) -> None:
    place: dict[str, int] = {}
    for move in replay(log, rules).moves:
        assert place.get(move.member) == move.before
        if move.after is None:
            del place[move.member]
        else:
            place[move.member] = move.after
    assert tuple(sorted(place, key=place.__getitem__)) == replay(log, rules).ladder.order


@settings(max_examples=short_or_long(50, 150), deadline=None)
@given(logs(), RULE)
def test_nobody_passes_anyone_above_the_target(log: list[LadderEvent], rules: LadderRules) -> None:
    for before, step, event in steps(log, rules):
        old = {one: n for n, one in enumerate(before.order, 1)}
        new = {one: n for n, one in enumerate(step.ladder.order, 1)}
        passed = {
            (mover, other)
            for mover in old
            for other in old
            if mover in new and other in new and old[mover] > old[other] and new[mover] < new[other]
        }
        if isinstance(event, ChallengeWon):
            assert all(mover == event.winner or rules.rule == "swap" for mover, _ in passed)
            assert all(old[other] >= old[event.loser] for _, other in passed)
        elif isinstance(event, TablePlayed):
            there = {one for tier in event.tiers for one in tier}
            assert all(old[one] == new[one] for one in old if one not in there)
        elif isinstance(event, WeekSwept):
            fresh = {one for one in event.idle if (one, event.week) not in before.dropped}
            assert all(other in fresh and mover not in fresh for mover, other in passed)
        else:
            assert passed == set()
        assert all(move.before != 1 or move.up <= 0 for move in step.moves)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("take_place", "ABCDHEFGIJ"),
        ("swap", "ABCDHFGEIJ"),
        ("halfway", "ABCDEHFGIJ"),
        ("one_up", "ABCDEFHGIJ"),
    ],
)
def test_eighth_beats_fifth(rule: str, expected: str) -> None:
    assert "".join(after_win(TEN, "H", "E", rule)) == expected


@pytest.mark.parametrize(
    ("place", "above", "landing"), [(50, 1, 25), (10, 4, 7), (3, 1, 2), (2, 1, 1)]
)
def test_halfway_lands_on_the_better_half(place: int, above: int, landing: int) -> None:
    after = after_win(tuple(str(n) for n in range(1, 51)), str(place), str(above), "halfway")
    assert after.index(str(place)) + 1 == landing


@pytest.mark.parametrize("rule", ["take_place", "swap", "halfway", "one_up"])
def test_nothing_moves_where_the_higher_one_wins(rule: str) -> None:
    assert after_win(TEN, "E", "H", rule) == TEN


@pytest.mark.parametrize(
    ("tiers", "expected"),
    [
        ((("F",), ("C", "E"), ("D",)), "ABFCEDGHIJ"),
        ((("J",), ("D",), ("A",), ("H",)), "JBCDEFGAIH"),
        ((("B", "A", "C"),), "ABCDEFGHIJ"),
        ((("J",), ("C",), ("A",)), "JBCDEFGHIA"),
    ],
    ids=["tie", "far apart", "all level", "three"],
)
def test_places_of_a_table_are_redealt(tiers: tuple[tuple[str, ...], ...], expected: str) -> None:
    assert "".join(after_table(TEN, tiers)) == expected


def test_who_is_not_on_the_ladder_is_passed_over_at_a_table() -> None:
    assert "".join(after_table(TEN, (("X",), ("B",), ("A",)))) == "BACDEFGHIJ"


def test_drops_go_from_the_bottom_up_so_that_idle_neighbours_keep_their_order() -> None:
    assert "".join(after_drops(tuple("ABCDEF"), ["B", "C"], 1)) == "ADBCEF"
    assert "".join(after_drops(tuple("ABCDEF"), ["B", "C"], 2)) == "ADEBCF"


def test_idle_members_at_the_bottom_do_not_change_places_every_week() -> None:
    assert "".join(after_drops(tuple("ABCDE"), ["D", "E"], 1)) == "ABCDE"
    assert "".join(after_drops(tuple("ABCDE"), ["A", "E"], 9)) == "BCDAE"


def test_equal_scores_share_a_tier() -> None:
    assert tiers_of({"L1": 2, "L2": 1, "L3": 2, "L4": 4}) == (("L2",), ("L1", "L3"), ("L4",))


def test_what_is_not_written_stays_at_its_default() -> None:
    rules = ladder_rules({"rule": "swap", "max_span": 6})
    assert (rules.rule, rules.max_span, rules.reach, rules.rating) == ("swap", 6, 3, "elo")
    assert ladder_rules({}) == LadderRules()


def test_rules_as_stored_are_read_again() -> None:
    rules = LadderRules(rule="halfway", reach_top=2, rating="plackett_luce", free_challenge=True)
    assert ladder_rules(rules.as_json()) == rules


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("rule", "jump", "one of take_place, swap, halfway, one_up"),
        ("rule", ["swap"], "one of take_place, swap, halfway, one_up"),
        ("reach", 0, "a whole number from 1 to 1000"),
        ("reach", True, "a whole number from 1 to 1000"),
        ("reach", 2.0, "a whole number from 1 to 1000"),
        ("k", None, "a whole number from 1 to 400"),
        ("max_span", 1, "a whole number from 2 to 1000 or null"),
        ("free_challenge", 1, "true or false"),
    ],
)
def test_bad_value_is_refused_with_what_it_may_be(key: str, value: object, expected: str) -> None:
    with pytest.raises(Refused) as refused:
        ladder_rules({key: value})
    [problem] = refused.value.problems
    assert (problem.code, problem.at) == ("bad_ladder_rule", (key,))
    assert problem.facts["expected"] == expected
    assert problem.message.endswith(f"It is {expected}.")


def test_every_mistake_is_named_at_once() -> None:
    with pytest.raises(Refused) as refused:
        ladder_rules({"reach": 0, "colour": "red", "unplayed": "draw"})
    assert sorted((problem.code, problem.at[0]) for problem in refused.value.problems) == [
        ("bad_ladder_rule", "reach"), ("bad_ladder_rule", "unplayed"),
        ("unknown_ladder_rule", "colour"),
    ]  # fmt: skip
