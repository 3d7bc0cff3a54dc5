"""Totals, the end of a game and its winners, hand by hand and over whole matches."""

import random
from collections.abc import Sequence

import pytest

from scoring.entry.hand_reader import read_entry
from scoring.errors import Refused
from scoring.game.game import GameState, new_game, next_hand, outcome, play, seat_totals
from scoring.numbers import Score
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.play import MOON, PLAIN, refused, rules, totals

MOST_HANDS = 600
FOUR = ["left", "right", "across", "hold"]
THREE = ["left", "right", "hold"]
RIGHT = (
    "black-lady-low-hand", "black-lady-pass-right", "black-lady-sweepstakes", "black-maria",
    "black-maria-43", "black-maria-spot", "likha",
)  # fmt: skip
NO_PASS = (
    "cancellation-hearts", "cancellation-hearts-3", "dame-de-pique", "domino-hearts", "golden-ten",
    "gong-zhu", "gong-zhu-exposed", "hearts-traditional", "hearts-without-black-lady", "reversis",
)  # fmt: skip
PASSES: dict[str, list[str]] = {
    "454-hearts": ["4 left, 5 across, 4 right"],
    "aldergrove-hearts": ["left", "right", "across", "2 left, 2 right"],
    "dirty-nasty-filthy": ["dealer's call"],
    "hoosier-hearts": ["1 left, 1 across, 1 right"],
    **{variant: ["right"] for variant in RIGHT},
    **{variant: [] for variant in NO_PASS},
}


def stands(totals: Sequence[object], variant: str = "hearts", **options: object) -> Json:
    found = rules(variant, **options)
    return outcome(found, new_game(found, len(totals), start_totals=totals)).as_json()


@pytest.mark.parametrize(
    ("result", "begin", "expected"),
    [
        ({"measure": "team_sum"}, [110, 60], (True, [1])),
        ({"measure": "team_sum"}, [10, 60], (False, [])),
        ({"decide": "crosser_team_loses"}, [110, 60], (True, [1])),
        ({"decide": "crosser_team_loses"}, [10, 60], (False, [])),
    ],
)
def test_pooled_sides_are_compared_by_their_own_totals(
    result: Json, begin: list[int], expected: tuple[bool, list[int]]
) -> None:
    document = rules("partnership-hearts-pooled").as_json()
    pooled = Rules.from_json({**document, "result": {**document["result"], **result}})
    after = outcome(pooled, new_game(pooled, 4, start_totals=begin)).as_json()
    assert (after["finished"], after["winners"]) == expected


@pytest.mark.parametrize(
    ("begin", "options", "expected"),
    [
        ([101, 75, 65, 61], {}, {"finished": True, "winners": [3], "losers": []}),
        ([100, 75, 65, 61], {}, {"finished": True, "winners": [3], "losers": []}),
        ([99, 75, 65, 61], {}, {"finished": False, "winners": [], "losers": []}),
        ([100, 75, 65, 61], {"target_op": ">"}, {"finished": False, "winners": [], "losers": []}),
        ([101, 75, 65, 61], {"target_op": ">"}, {"finished": True, "winners": [3], "losers": []}),
        ([101, 75, 65, 61], {"target_op": "=="}, {"finished": False, "winners": [], "losers": []}),
        ([100, 75, 65, 61], {"target_op": "=="}, {"finished": True, "winners": [3], "losers": []}),
        ([120, 90, 85, 85], {},
         {"finished": False, "winners": [], "losers": [], "tie": [2, 3]}),
    ],
)  # fmt: skip
def test_game_ends_as_the_rules_say(begin: list[int], options: Json, expected: Json) -> None:
    assert stands(begin, **options) == expected


@pytest.mark.parametrize(
    ("variant", "begin", "expected"),
    [
        ("test-sides-individual", [105, 78, 34, 69],
         {"finished": True, "winners": [0], "losers": []}),
        ("test-sides-crosser", [101, 105, 16, 57],
         {"finished": True, "winners": [0], "losers": [1]}),
        ("test-sides-crosser", [101, 90, 16, 57],
         {"finished": True, "winners": [1], "losers": [0]}),
        ("test-sides-crosser", [105, 105, 16, 57],
         {"finished": False, "winners": [], "losers": [], "tie": [0, 1]}),
        ("test-high-wins", [-100, -20, -30, -40],
         {"finished": True, "winners": [1], "losers": [0]}),
        ("test-complex", [[0, 100], [3, 4], [-10, 0], [6, 0]],
         {"finished": True, "winners": [1], "losers": [0]}),
        ("test-complex", [[70, 71], [3, 4], [-10, 0], [6, 0]],
         {"finished": False, "winners": [], "losers": []}),
        ("test-chips", [40, 0, 0, 0], {"finished": True, "winners": [0], "losers": []}),
        ("test-chips", [20, 10, 10, 0], {"finished": True, "winners": [0], "losers": []}),
    ],
)  # fmt: skip
def test_result_is_measured_as_the_rules_say(
    variant: str, begin: list[object], expected: dict[str, object]
) -> None:
    assert stands(begin, variant) == expected


def test_hand_after_the_end_is_refused_unless_the_table_plays_on() -> None:
    over = {"start_totals": [101, 1, 0, 2]}
    assert refused(PLAIN, start=over) == ["match_over"]
    wrong = PLAIN | {"hearts": [3, 7, 0, 2]}
    assert refused(wrong, start=over) == ["match_over", "missing_cards"]
    found = rules()
    state = new_game(found, 4, start_totals=[101, 1, 0, 2])
    after = play(found, state, read_entry(PLAIN, found, 4), open_ended=True)[1]
    assert after.totals == (104, 21, 0, 5)


def test_total_that_the_hand_did_not_change_is_not_put_back() -> None:
    nothing = {"hearts": [0, 5, 8, 0], "taken": [[], ["QS"], [], []]}
    start = {"start_totals": [50, 1, 2, 3]}
    assert totals(nothing, start=start, resets="50-to-0,100-to-50") == [50, 19, 10, 3]


def test_ten_moons_running_set_the_totals() -> None:
    found = rules(moon="face", big_moon="260", deals=10)
    state = new_game(found, 4)
    for _ in range(10):
        _, state = play(found, state, read_entry(MOON, found, 4))
    assert (state.totals, state.streaks) == ((0, 260, 260, 260), ((-1, 0),))


def test_streak_ends_with_the_first_deal_without_all_cards() -> None:
    found = rules(moon="face", big_moon="100", deals=50)
    state = new_game(found, 4)
    for entry in (MOON, MOON, PLAIN, MOON):
        _, state = play(found, state, read_entry(entry, found, 4))
    assert state.streaks == ((0, 1),)


def test_who_is_clean_is_enough_only_for_chips() -> None:
    clean = {"clean": [False, True, True, True]}
    assert refused(clean)[-1] == "short_form_not_allowed"
    start = {"start_totals": [9, 9, 9, 9]}
    assert refused({"clean": [1, True, True, True]}, "test-chips", start=start) == ["bad_count"]
    nobody = {"clean": [True, True, True, True]}
    assert refused(nobody, "test-chips", start=start) == ["missing_cards"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"seats": 7}, "seat_count"),
        ({"seats": True}, "seat_count"),
        ({"seats": "4"}, "seat_count"),
        ({"seats": 4, "start_totals": [0, 0, 0]}, "seat_count"),
        ({"seats": 4, "start_totals": [0, 0, 0, 0.5]}, "bad_case"),
        ({"seats": 4, "teams": [[0, 2], [1, 3]]}, "bad_teams"),
        ({"seats": 4, "start_deals": -1}, "bad_case"),
        ({"seats": 4, "start_pool": "x"}, "bad_case"),
    ],
)
def test_game_that_cannot_begin_is_refused(arguments: Json, code: str) -> None:
    seats = arguments.pop("seats")
    with pytest.raises(Refused) as refusal:
        new_game(rules(), seats, **arguments)
    assert [problem.code for problem in refusal.value.problems] == [code]


@pytest.mark.parametrize(
    "teams", [[[0, 1], [2, 3]], [[0, 2], [1]], [[0, 2], [1, 3], []], [[0, 0], [1, 3]], "NS", [3, 4]]
)
def test_sides_that_are_not_those_of_the_rules_are_refused(teams: object) -> None:
    with pytest.raises(Refused, match="bad_teams"):
        new_game(rules("test-sides-pooled"), 4, teams=teams)


def test_sides_keep_their_order_and_share_their_score() -> None:
    found = rules("test-sides-pooled")
    state = new_game(found, 4, teams=[[3, 1], [0, 2]])
    sheet = {"hearts": [2, 5, 4, 2], "taken": [[], [], [], ["QS"]]}
    hand, state = play(found, state, read_entry(sheet, found, 4, state.teams))
    assert (hand.scores, hand.seat_scores) == ((20, 6), (6, 20, 6, 20))
    assert seat_totals(found, state) == (6, 20, 6, 20)


def dealt(ready: Prepared, lots: random.Random) -> Json:
    """A hand whose counting cards lie anywhere; a choice where one is asked for."""
    taken: list[list[str]] = [[] for _ in range(ready.seats)]
    heavy = lots.randrange(ready.seats)
    for card in ready.deck.names(ready.counting):
        taken[heavy if lots.random() < 0.4 else lots.randrange(ready.seats)].append(card)
    if not ready.looks_at_tricks:
        return {"taken": taken}
    tricks = [int(bool(pile)) for pile in taken]
    for _ in range(ready.hand_size - sum(tricks)):
        tricks[lots.randrange(ready.seats)] += 1
    return {"taken": taken, "tricks": tricks}


def next_state(found: Rules, state: GameState, entry: Json) -> tuple[tuple[Score, ...], GameState]:
    typed = read_entry(entry, found, state.seats, state.teams)
    try:
        hand, after = play(found, state, typed)
    except Refused:  # only a moon that is not settled can keep such a hand out
        chosen = entry | {"slam_choice": "others"}
        hand, after = play(found, state, read_entry(chosen, found, state.seats, state.teams))
    return hand.scores, after


def begun(found: Rules, seats: int) -> GameState:
    units = len(found.keys.teams.shape) if found.keys.teams.mode == "pooled" else seats
    chips = any(test.kind.startswith("chips") for test in found.keys.finish)
    return new_game(found, seats, start_totals=[10] * units if chips else None)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_hand_of_a_match_says_where_it_stands_and_what_comes_next(variant: str) -> None:
    found = catalogue().rules(variant)
    least, most = found.keys.players
    for seats in range(least, most + 1):
        ready, state = prepare(found, seats), begun(found, seats)
        lots = random.Random(f"{variant} {seats}")  # noqa: S311 - the same match in every run
        passes = PASSES.get(variant, FOUR if seats % 2 == 0 else THREE)
        for number in range(1, MOST_HANDS):
            coming = next_hand(found, state)
            way = passes[(number - 1) % len(passes)] if passes else None
            assert coming == (number, (number - 1) % seats, way)
            before = state.totals
            scores, state = next_state(found, state, dealt(ready, lots))
            sums = [old + score for old, score in zip(before, scores, strict=True)]
            assert (state.deals, list(state.totals)) == (number, sums)
            stands = outcome(found, state)
            assert stands.leaders, "somebody is in front after every hand"
            if stands.finished:
                break
            assert stands.winners + stands.losers == ()
        else:
            assert "chips" in found.keys.finish[0].kind, "a match ends"
            continue
        assert stands.winners
        assert not set(stands.winners) & set(stands.losers)
        with pytest.raises(Refused, match="match_over"):
            play(found, state, read_entry(dealt(ready, lots), found, seats, state.teams))


def test_extra_hands_are_played_until_one_is_in_front() -> None:
    found = rules("pip-hearts", target=100)
    state = new_game(found, 4, start_totals=[104, 20, 20, 50])
    assert outcome(found, state).tie == (1, 2)
    ranks = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    level = [["AH", "KH", "QH", "10H", "9H", "8H"], ["JH", "2H"], ["7H", "6H"], ["5H", "4H", "3H"]]
    assert {card for pile in level for card in pile} == {f"{rank}H" for rank in ranks}
    _, state = next_state(found, state, {"taken": level})
    assert (outcome(found, state).finished, outcome(found, state).tie) == (False, (1, 2))
    level[1].append(level[2].pop())
    _, state = next_state(found, state, {"taken": level})
    assert outcome(found, state).winners == (2,)
