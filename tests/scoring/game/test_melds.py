"""Hands with melds: what holds for every one of them, and how such a game ends."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.engine.melds import possible_trick_points, rounded
from scoring.entry.hand_reader import read_entry
from scoring.errors import Refused
from scoring.game.game import GameState, new_game, outcome, play
from scoring.numbers import real
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import prepare
from scoring.rules.types import Rounding
from tests.support.answers import Json
from tests.support.scoring.random_hands import Dealt, hands

GAME = "pinochle-two-hand"
RULES = catalogue().rules(GAME)
READY = prepare(RULES, 2)
MELDS = {meld.id: meld for meld in RULES.keys.melds}
POSSIBLE = sorted(possible_trick_points(READY))
FAIR = settings(deadline=None, max_examples=60)
PACKS: list[Json] = [{}, {"pack": 64}]

shares = st.sampled_from([one for one in POSSIBLE if READY.trick_total - one in POSSIBLE])
few = st.integers(0, 12)
shown = st.lists(st.lists(st.sampled_from(sorted(MELDS)), max_size=4), min_size=2, max_size=2)


def start(totals: tuple[int, int] = (0, 0)) -> GameState:
    return new_game(RULES, 2, start_totals=list(totals))


def entry(melds: list[list[str]], tricks: int) -> Json:
    return {"melds": melds, "trick_points": [tricks, READY.trick_total - tricks]}


def allowed(melds: list[list[str]]) -> bool:
    names = [name for seat in melds for name in seat]
    return all(names.count(name) <= MELDS[name].most for name in names)


def refusal(hand: Any, state: GameState | None = None) -> list[Any]:
    try:
        play(RULES, state or start(), hand)
    except Refused as refused:
        return [problem.code for problem in refused.problems]
    return []


@FAIR
@given(hands(GAME, PACKS))
def test_cards_and_the_points_of_their_tricks_score_alike(dealt: Dealt) -> None:
    state = new_game(dealt.rules, 2)
    by_cards, _ = play(dealt.rules, state, dealt.entry)
    worth = {"A": 11, "10": 10, "K": 4, "Q": 3, "J": 2}
    tricks = [sum(worth.get(card[:-1], 0) for card in pile) for pile in dealt.piles]
    tricks[dealt.beside["last_trick"]] += 10
    assert sum(tricks) == 250
    written = {"melds": dealt.beside["melds"], "trick_points": tricks}
    assert play(dealt.rules, state, written)[0].scores == by_cards.scores
    points = {"points": list(by_cards.scores)}
    assert play(dealt.rules, state, points)[0].scores == by_cards.scores


@FAIR
@given(shown, shares)
def test_hand_is_worth_its_melds_and_nearly_its_tricks(melds: list[list[str]], tricks: int) -> None:
    hand = entry(melds, tricks)
    if not allowed(melds):
        assert set(refusal(hand)) == {"too_many_copies"}
        return
    scores = play(RULES, start(), hand)[0].scores
    together = sum(MELDS[name].points for seat in melds for name in seat)
    assert sum(map(real, scores)) - together in (240, 250)
    assert all(real(score) % 10 == 0 for score in scores)


@FAIR
@given(shown, st.lists(st.sampled_from([0, 1, 2, 125, 133, 117, 250, False, "9"]), max_size=3))
def test_quick_form_says_what_the_steps_say(melds: list[list[str]], tricks: list[Any]) -> None:
    hand, state = {"melds": melds, "trick_points": tricks}, start()
    typed = read_entry(hand, RULES, 2)
    assert refusal(hand) == refusal(typed)
    if not refusal(hand):
        assert play(RULES, state, hand) == play(RULES, state, typed)


@FAIR
@given(shown.filter(allowed), shares, st.tuples(*[st.integers(0, 99)] * 2))
def test_seats_are_alike(melds: list[list[str]], tricks: int, tens: tuple[int, int]) -> None:
    totals = (tens[0] * 10, tens[1] * 10)
    hand, state = play(RULES, start(totals), entry(melds, tricks))
    other, turned = play(RULES, start(totals[::-1]), entry(melds[::-1], 250 - tricks))
    assert other.scores == hand.scores[::-1]
    assert [1 - winner for winner in outcome(RULES, turned).winners] == list(
        outcome(RULES, state).winners
    )


@FAIR
@given(st.tuples(*[st.integers(0, 300)] * 2))
def test_a_game_is_over_where_one_total_alone_is_at_the_limit(tens: tuple[int, int]) -> None:
    totals = [ten * 10 for ten in tens]
    limits = [1000 + 250 * step for step in range(20)]
    limit = next(one for one in limits if min(totals) < one)
    found = outcome(RULES, start((totals[0], totals[1])))
    assert found.finished is (max(totals) >= limit)
    if found.finished:
        assert totals[found.winners[0]] == max(totals)
        assert found.losers == (1 - found.winners[0],)


@FAIR
@given(st.integers(0, 1), few, few, st.tuples(*[st.integers(0, 99)] * 2))
def test_who_declares_wins_at_the_limit_and_loses_below(
    who: int, mine: int, theirs: int, tens: tuple[int, int]
) -> None:
    tricks = [mine * 10, theirs * 10]
    totals = (tens[0] * 10, tens[1] * 10)
    _, state = play(RULES, start(totals), {"trick_points": tricks, "declared_out": who})
    won = totals[who] + tricks[who] >= 1000
    assert outcome(RULES, state).winners == ((who if won else 1 - who),)
    assert refusal({"trick_points": [125, 125]}, state) == ["match_over"]


@FAIR
@given(st.integers(0, 400))
def test_rounding_goes_up_from_seven(points: int) -> None:
    assert rounded(points, Rounding(10, 7)) == (points + 3) // 10 * 10


def test_corrections_of_a_refused_hand_can_be_saved() -> None:
    spoilt: list[Json] = [
        {"melds": [["flush"] * 3, []], "trick_points": [120, 130]},
        {"melds": [["flus"], []], "trick_points": [120, 130]},
        {"melds": [[], []], "trick_points": [120, 120]},
        {"melds": [[], []], "trick_points": ["12O", 130]},
        {"melds": [[], []], "trick_points": [249, 1]},
        {"melds": [["aces"], []], "trick_points": [120, 130], "points": [220, 120]},
    ]
    for hand in spoilt:
        try:
            play(RULES, start(), hand)
        except Refused as refused:
            entries = [
                hint.facts["entry"]
                for problem in refused.problems
                for hint in problem.suggestions
                if "entry" in hint.facts
            ]
            assert entries, hand
            assert all(not refusal(one) for one in entries), hand
        else:
            raise AssertionError(hand)
