"""Moons of every variant: an open one is asked with each outcome, a settled one is recognised."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from scoring.entry.hand_reader import read_entry
from scoring.errors import Refused
from scoring.game.game import GameState, HandScore, new_game, play
from scoring.numbers import score_json
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import Prepared, ReadySlam, prepare
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.random_hands import option_sets

ABOUT_MOONS = ("moon", "new_moon_from", "sun", "spare_partner", "big_moon")
TOTALS = 45
"""What everybody stands at, so that a moon that is taken off only from 40 up is open."""


class Moon(NamedTuple):
    """A slam that somebody shot, with the cards beside it at one seat."""

    rules: Rules
    ready: Prepared
    state: GameState
    slam: ReadySlam
    entry: dict[str, Any]

    def played(self, **more: object) -> tuple[HandScore, GameState]:
        return self.scored(self.entry | more)

    def scored(self, entry: Json) -> tuple[HandScore, GameState]:
        typed = read_entry(entry, self.rules, self.ready.seats, self.state.teams)
        assert typed.as_json() == entry  # kept as it was typed
        return play(self.rules, self.state, typed)


def moons(variant: str) -> Iterator[Moon]:
    """Every slam under every option about moons, cards beside it with the shooter or another."""
    for options in option_sets(variant):
        if options and not next(iter(options)).startswith(ABOUT_MOONS):
            continue
        rules = catalogue().rules(variant, options)
        seats = rules.keys.players[0]
        ready = prepare(rules, seats)
        units = len(new_game(rules, seats).totals)
        state = new_game(rules, seats, start_totals=[TOTALS] * units)
        for slam in ready.slams:
            beside = ready.deck.names(ready.counting & ~slam.needs)
            for holder in (seats - 1, 0) if beside or slam.slam.all_tricks != "no" else (0,):
                yield Moon(rules, ready, state, slam, entry_of(ready, slam, holder))


def entry_of(ready: Prepared, slam: ReadySlam, holder: int) -> Json:
    shooter = ready.seats - 1
    piles: list[list[str]] = [[] for _ in range(ready.seats)]
    piles[shooter] += ready.deck.names(slam.needs)
    piles[holder] += ready.deck.names(ready.counting & ~slam.needs)
    entry: dict[str, Any] = {"taken": piles}
    if ready.wants_tricks:
        tricks = [0] * ready.seats
        lost = 2 if slam.slam.all_tricks == "no" else int(holder != shooter)
        tricks[holder if holder != shooter else 0] = lost
        tricks[shooter] = ready.hand_size - lost
        entry |= {"tricks": tricks, "first_trick_by": 0 if lost == 1 else shooter}
    return entry


def ways(moon: Moon) -> list[tuple[HandScore, GameState]]:
    """The hand settled in each way that is open: the only one, or each that is asked about."""
    try:
        return [moon.played()]
    except Refused as refused:
        (problem,) = refused.problems
    assert (problem.code, problem.at) == ("choice_required", ("slam_choice",))
    settled = [moon.played(slam_choice=choice) for choice in problem.facts["choices"]]
    assert len(settled) > 1
    said = [(hint.code, hint.facts["scores"], hint.facts["totals"]) for hint in problem.suggestions]
    assert said == [
        ("settle", list(map(score_json, hand.scores)), list(map(score_json, after.totals)))
        for hand, after in settled
    ]
    return settled


def recognised(moon: Moon, hand: HandScore) -> str:
    """Whether the settlement, written as points, tells the moon; else why not."""
    points = {"points": [score_json(score) for score in hand.scores]}
    try:
        told, _ = moon.scored(points)
    except Refused as refused:
        (problem,) = refused.problems
        assert (problem.code, problem.facts) == ("choice_required", {"unknown": True})
        assert list(moon_by(hand)) in [list(hint.facts["by"]) for hint in problem.suggestions]
        return "it is asked who shot"
    assert (told.scores, told.verified) == (hand.scores, "sum")
    if told.moon is None:
        return "a hand without a moon makes these points too"
    if not told.moon.by:
        return "it pays nobody"
    assert told.moon.inferred
    if told.moon.by != moon_by(hand):
        return "somebody else"
    same = (told.moon.id, told.moon.choice) == (hand.moon and hand.moon.id, choice_of(hand))
    return "" if same else "another slam pays the same"


def moon_by(hand: HandScore) -> tuple[int, ...]:
    return hand.moon.by if hand.moon else ()


def choice_of(hand: HandScore) -> str | None:
    return hand.moon.choice if hand.moon else None


REGISTER = {
    "it pays nobody": "void, or taken off where cards are worth nothing",
    "it is asked who shot": "slate and a won match pay nobody, but who shot decides the game",
    "another slam pays the same": "a punished sun without a passer pays like a moon",
    "a hand without a moon makes these points too": "the plainer story is booked",
}
"""Why points may not tell of a moon; each is an answer, none is a guess."""
PLAINER = {
    "black-lady-low-hand", "black-lady-sweepstakes", "four-jacks", "gong-zhu", "gong-zhu-exposed",
    "golden-ten", "hearts-chip-pool", "hearts-traditional", "huse-hearts-two",
    "partnership-hearts-pooled", "super-hearts",
}  # fmt: skip
"""Where a moon that is settled can look like a hand in which nobody shot."""
WITH_MOONS = [variant for variant in VARIANTS if next(moons(variant), None)]


@pytest.mark.parametrize("variant", WITH_MOONS)
def test_open_moon_is_asked_and_a_written_settlement_is_recognised(variant: str) -> None:
    told = 0
    for moon in moons(variant):
        for hand, _ in ways(moon):
            if hand.moon is None or moon.slam.pay.mode == "face":
                continue
            why = recognised(moon, hand)
            told += not why
            assert not why or why in REGISTER, (moon.rules.options, moon.entry, hand)
            if why.startswith("a hand without"):
                assert variant in PLAINER, (moon.rules.options, moon.entry, hand.scores)
    assert told or variant in PLAINER


def test_all_variants_with_a_moon_of_their_own_are_looked_at() -> None:
    own = [variant for variant in VARIANTS if catalogue().rules(variant).keys.slams]
    assert len(own) == 38
    assert set(own) <= set(WITH_MOONS)


def test_settlement_is_kept_as_typed_beside_what_was_derived() -> None:
    moon = next(moons("hearts"))
    told, _ = moon.scored({"points": [26, 26, 0]})
    assert told.moon is not None
    assert (told.moon.by, told.moon.choice, told.moon.inferred) == ((2,), "others", True)
