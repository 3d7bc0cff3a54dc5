"""Validating and scoring a hand in counts, beside a scorer written by hand for American Hearts.

The hand-written scorer is frozen: twelve lines that know one game, four seats and no wrong types.
"""

import gc
import time
from collections.abc import Callable, Iterator, Sequence

from benchmarks.hands import Entry, counted_hands, seats_of
from benchmarks.measure import Figure, Goal, compared, say
from benchmarks.sizes import Sizes
from scoring.game.fast_path import score_entry
from scoring.game.game import new_game
from scoring.rules.catalogue import catalogue

AMERICAN = "hearts"
AGAINST = "American Hearts by hand"
SLICE = 250
"""Hands of one thing before the other has its turn: short enough that both meet the same noise."""
Score = Callable[[Entry], object]


def by_hand(entry: Entry) -> list[int]:
    hearts, taken = entry["hearts"], entry["taken"]
    if len(hearts) != 4 or sum(hearts) != 13 or min(hearts) < 0:
        raise ValueError("thirteen hearts, and nobody has less than none")
    lady: int = taken.index(["QS"])
    scores: list[int] = hearts.copy()
    scores[lady] += 13
    if scores[lady] == 26:
        off = entry["slam_choice"] == "self"
        scores = [0 if off else 26] * 4
        scores[lady] = -26 if off else 0
    return scores


def figures(sizes: Sizes, *, every_variant: bool) -> Iterator[Figure]:
    """Measure every variant in turn with that scorer; yield American, the median and the worst."""
    american = counted_hands(catalogue().rules(AMERICAN), sizes.scored_hands, "by hand")
    say(f"scoring {sizes.scored_hands:,} hands of each variant")
    taken = {
        name: in_step(sizes.repeats, *scorer(name, sizes), by_hand, american)
        for name in catalogue().ids
    }

    def figure(name: str, said: str, bound: float) -> Figure:
        ours, theirs = taken[name]
        return compared("scoring counts", said, ours, AGAINST, theirs, Goal(bound), "us")

    ranked = sorted(taken, key=lambda name: figure(name, name, 1).ratio or 0)
    middle, worst = ranked[len(ranked) // 2], ranked[-1]
    yield figure(AMERICAN, f"validate and score a hand, {AMERICAN}", 8)
    yield figure(middle, f"the median of {len(ranked)} variants ({middle})", 16)
    yield figure(worst, f"the worst of {len(ranked)} variants ({worst})", 16)
    if every_variant:
        yield from (figure(name, name, 16) for name in ranked)


def scorer(name: str, sizes: Sizes) -> tuple[Score, Sequence[Entry]]:
    rules = catalogue().rules(name)
    state = new_game(rules, seats_of(rules))
    hands = counted_hands(rules, sizes.scored_hands, name)
    return lambda entry: score_entry(rules, entry, state), hands


def in_step(
    repeats: int, score: Score, hands: Sequence[Entry], other: Score, others: Sequence[Entry]
) -> tuple[list[float], list[float]]:
    """Score both lists of hands in turn, a slice at a time, `repeats` times over.

    Returns:
        The mean seconds of the processor for a hand, of each repeat; first `score`, then `other`.
    """
    ours, theirs = [], []
    for _ in range(repeats):
        gc.collect()
        mine = its = 0.0
        for first in range(0, len(hands), SLICE):
            mine += _seconds(score, hands[first : first + SLICE])
            its += _seconds(other, others[first : first + SLICE])
        ours.append(mine / len(hands))
        theirs.append(its / len(others))
    return ours, theirs


def _seconds(score: Score, hands: Sequence[Entry]) -> float:
    begun = time.thread_time()
    for entry in hands:
        score(entry)
    return time.thread_time() - begun
