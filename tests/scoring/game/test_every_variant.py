"""What holds for every hand of every variant, and in detail of one."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from scoring.cases import answer
from scoring.engine.progress import may_play
from scoring.entry.hand_reader import read_entry
from scoring.errors import Refused
from scoring.game.game import GameState, HandScore, new_game, outcome, play
from scoring.numbers import score_json
from scoring.rules.catalogue import catalogue
from tests.support.answers import Json
from tests.support.lengths import short_or_long
from tests.support.scoring import naive_scoring as naive
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.random_hands import Dealt, hands, hands_at, option_sets, settled, turned

OPTIONS = {variant: option_sets(variant) for variant in VARIANTS}
bounded = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],  # a hand comes from one seed: nothing to shrink
)


def start(dealt: Dealt, totals: list[int] | None = None) -> GameState:
    return new_game(dealt.rules, dealt.seats, start_totals=totals)


def facts(dealt: Dealt, side: tuple[int, ...], *, shot: bool) -> Json:
    """What conditions look at in one unit's hand."""
    tricks, pledges = dealt.beside.get("tricks"), dealt.beside.get("pledges")
    return {
        "declared": dealt.beside.get("declared", ()),
        "shot": shot,
        "tricks": sum(tricks[seat] for seat in side) if tricks else None,
        "pledges": [pledges[seat] for seat in side] if pledges else [],
    }


def place(dealt: Dealt, side: tuple[int, ...], hand: HandScore, state: GameState) -> str:
    """What the unit is in a slam: shooter, passer, partner or other."""
    assert hand.moon is not None
    if side == hand.moon.by:
        return "shooter"
    if dealt.beside.get("passer") in side:
        return "passer"
    together = any({*side, *hand.moon.by} <= set(team) for team in state.teams)
    return "partner" if together else "other"


def expected_points(dealt: Dealt, hand: HandScore, state: GameState) -> list[Any]:
    """The deal points of each unit, worked out card by card from the rules' JSON."""
    rules, made = dealt.rules.as_json(), hand.moon
    paid: list[Any] = [None] * len(dealt.sides)
    slam = None
    if made is not None:
        slam = next(item for item in rules["slams"] if item["id"] == made.id)
        way = made.choice or slam["pay"]["mode"]
        needed = [card for card in dealt.cards if naive.picks(slam["needs"], card)]
        worth = sum((naive.face(rules, card) for card in needed), Fraction(0))
        places = [place(dealt, side, hand, state) for side in dealt.sides]
        if way != "face":
            paid = naive.payment(rules, slam, way, worth, places)
    return [
        naive.unit_points(
            rules,
            dealt.cards,
            [card for seat in side for card in dealt.piles[seat]],
            facts(dealt, side, shot=made is not None and made.by == side),
            paid[unit],
            slam,
        )
        for unit, side in enumerate(dealt.sides)
    ]


@pytest.mark.parametrize("variant", VARIANTS)
@settings(bounded, max_examples=short_or_long(8, 25))
@given(data=st.data())
def test_every_card_is_scored_once_and_settlements_match(variant: str, data: st.DataObject) -> None:
    dealt = data.draw(hands(variant, OPTIONS[variant]))
    state = start(dealt)._replace(pool=data.draw(st.integers(0, 9)) if settles(dealt) else 0)
    hand = settled(dealt, dealt.entry, state, data.draw(st.integers(0, 1)))
    rules = dealt.rules.as_json()
    claimed = [card for pile in dealt.piles for card in pile]
    everything = [*claimed, *dealt.beside.get("unclaimed", [])]
    tricks = rules.get("trick_value", 0) * dealt.ready.hand_size
    faces = (naive.face(rules, card) for card in everything)
    assert sum(faces, Fraction(tricks)) == naive.number(dealt.ready.deal_total)
    points = expected_points(dealt, hand, state)
    if not settles(dealt):
        assert naive.numbers(hand.scores) == points
        return
    paid = sum(naive.numbers(hand.scores))
    kept = naive.number(hand.effects.pool) - state.pool
    brought = sum(points) if rules["settle"]["stake"] == "deal_points" else 0
    assert paid + kept == brought


def settles(dealt: Dealt) -> bool:
    return dealt.rules.keys.settle is not None


@pytest.mark.parametrize("variant", VARIANTS)
@settings(bounded, max_examples=short_or_long(4, 12))
@given(data=st.data())
def test_seats_are_alike(variant: str, data: st.DataObject) -> None:
    dealt = data.draw(hands(variant, OPTIONS[variant]))
    by, which = data.draw(st.integers(1, dealt.seats - 1)), data.draw(st.integers(0, 1))
    units = len(dealt.sides)
    totals = data.draw(st.lists(st.integers(0, 90), min_size=units, max_size=units))
    state, other = start(dealt, totals), start(dealt, turned(totals, by))
    one = settled(dealt, dealt.entry, state, which)
    moved = settled(dealt, dealt.turned(by), other, which)
    assert list(moved.scores) == turned(one.scores, by)
    assert list(moved.seat_scores) == turned(one.seat_scores, by)
    if one.moon is not None:
        assert moved.moon is not None
        assert set(moved.moon.by) == {(seat + by) % dealt.seats for seat in one.moon.by}
        assert (moved.moon.id, moved.moon.choice) == (one.moon.id, one.moon.choice)


@pytest.mark.parametrize("variant", VARIANTS)
@settings(bounded, max_examples=short_or_long(4, 12))
@given(data=st.data())
def test_cards_counts_points_and_clean_seats_agree(variant: str, data: st.DataObject) -> None:
    dealt = data.draw(hands(variant, OPTIONS[variant][:1] + OPTIONS[variant][-2:]))
    state, which = start(dealt), data.draw(st.integers(0, 1))
    hand = settled(dealt, dealt.entry, state, which)
    if dealt.ready.short_form:
        assert settled(dealt, dealt.counts, state, which) == hand
    if dealt.ready.clean_form:
        clean = {"clean": [not any(card in dealt.cards for card in pile) for pile in dealt.piles]}
        assert settled(dealt, dealt.beside | clean, state).scores == hand.scores
    points = {"points": [score_json(score) for score in hand.scores]}
    nothing_tells = not any(hand.scores) and hand.moon is not None  # as where a moon wins the game
    shooter = {"shooter": hand.moon.by[0]} if hand.moon and nothing_tells else {}
    told = settled(dealt, dealt.beside | points | shooter, state)
    assert (told.scores, told.verified) == (hand.scores, "sum")
    if told.moon is not None and told.moon.by:
        assert hand.moon is not None
        assert (told.moon.id, told.moon.by, told.moon.choice) == (
            hand.moon.id, hand.moon.by, hand.moon.choice,
        )  # fmt: skip


@pytest.mark.parametrize("variant", VARIANTS)
@settings(bounded, max_examples=4)
@given(data=st.data())
def test_replay_of_a_match_gives_what_hand_by_hand_gave(variant: str, data: st.DataObject) -> None:
    options = data.draw(st.sampled_from(OPTIONS[variant]))
    rules = catalogue().rules(variant, options)
    seats = data.draw(st.integers(*rules.keys.players))
    state, said = new_game(rules, seats), []
    entries: list[dict[str, Any]] = []
    while len(entries) < 8 and may_play(rules, state):
        entry = data.draw(hands_at(rules, seats)).entry
        try:
            hand, after = play(rules, state, read_entry(entry, rules, seats, state.teams))
        except Refused as refused:
            choice = data.draw(st.sampled_from(refused.problems[0].facts["choices"]))
            entry = entry | {"slam_choice": choice}
            hand, after = play(rules, state, read_entry(entry, rules, seats, state.teams))
        entries.append({"entry": entry})
        said.append([score_json(score) for score in hand.scores])
        state = GameState.from_json(rules, json.loads(json.dumps(after.as_json())))
        assert state == after
    case = {"variant": variant, "options": options, "seats": seats, "hands": entries}
    whole = answer(catalogue(), case)
    assert [hand["hand_scores"] for hand in whole["hands"]] == said
    assert whole["totals"] == [score_json(total) for total in state.totals]
    assert whole["outcome"] == outcome(rules, state).as_json()
    assert whole.get("lives", []) == list(state.lives)
    if rules.keys.settle is not None:
        assert whole["pool"] == score_json(state.pool)
