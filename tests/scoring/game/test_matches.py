"""Whole matches of every variant: each hand says where the game stands and what comes next."""

import random

import pytest

from scoring.entry.hand_reader import read_entry
from scoring.errors import Refused
from scoring.game.game import GameState, new_game, next_hand, outcome, play
from scoring.numbers import Score
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.play import rules

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
"""The passes of variants that do not have the usual ring."""


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


@pytest.mark.parametrize(
    ("op", "totals", "over"),
    [(">=", [100, 9, 9, 8], True), (">", [100, 9, 9, 8], False), (">", [101, 9, 9, 8], True),
     ("==", [101, 9, 9, 8], False), ("==", [100, 9, 9, 8], True)],
)  # fmt: skip
def test_target_is_reached_surpassed_or_hit_exactly(op: str, totals: list[int], over: bool) -> None:
    found = rules(target_op=op)
    assert outcome(found, new_game(found, 4, start_totals=totals)).finished is over


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


def test_pool_is_carried_over_until_somebody_is_clean() -> None:
    found = rules("hearts-chip-pool")
    state = begun(found, 4)
    nobody = {"hearts": [4, 4, 4, 1], "taken": [["QS"], [], [], []]}
    for pool in (4, 8):
        scores, state = next_state(found, state, nobody)
        assert (scores, state.pool) == ((-1, -1, -1, -1), pool)
    scores, state = next_state(found, state, nobody | {"hearts": [8, 4, 0, 1]})
    assert (scores, state.pool) == ((-1, -1, 11, -1), 0)
