"""Legal hands of any variant, at random: cards, and what a sheet says beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any, TypeVar

from hypothesis import strategies as st

from scoring.entry.hand_reader import read_entry, unit_sides
from scoring.errors import Refused
from scoring.game.game import GameState
from scoring.game.score_hand import HandScore, score
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.options import options_of, scoring_options
from scoring.rules.rules import Rules
from tests.support.answers import Json

T = TypeVar("T")
LEFT_TO_OTHER_TESTS = ("custom_values", "deck_base", "moon_needs", "removed_cards")
VALUES: Mapping[str, Sequence[Any]] = {
    "target": [75], "target_op": [">"], "moon_amount": [20], "moon_self_amount": [16],
    "moon_others_amount": [36], "moon_outside": ["drop"], "moon_needs_all_tricks": [True],
    "new_moon_from": [{"score": 40, "who": "self"}, {"score": 40, "who": "any"}],
    "spare_partner": [True], "no_trick_bonus": [-5], "pledge": [True], "bonus_value": [-11],
    "single_deal": [True], "tie": ["shared"],
    "last_stalled": ["uncounted"], "void_on": ["two_pairs"], "deals": [12],
    "all_to_one": ["carry", "split"], "queen_of_spades": [25], "jack_of_diamonds": [-10],
    "jokers_with_hearts": [3], "packs": [4],
    "kitty_to": ["first_penalty"], "kitty_mode": ["exchange"],
}  # fmt: skip
"""For options that take a value, some; those with a list of choices are tried with all of them."""


@cache
def option_sets(variant: str) -> tuple[Mapping[str, object], ...]:
    """No option, and each option that the variant offers by itself.

    Every example asks, and the answer costs ten times as much as the hand.
    """
    found: list[dict[str, Any]] = [{}]
    for option in options_of(catalogue().resolved(variant)):
        if option.name not in LEFT_TO_OTHER_TESTS and scoring_options({option.name: None}):
            found += [{option.name: one} for one in VALUES.get(option.name) or option.choices]
    if {"pledge": True} in found:
        found.insert(1, {"pledge": True, "pledge_kept": -25, "pledge_broken": 15})
    return tuple(found)


@dataclass(frozen=True)
class Dealt:
    """A legal hand: the rules, and the entry in cards; `piles` are its cards for each seat."""

    rules: Rules
    ready: Prepared
    piles: list[list[str]]
    beside: dict[str, Any]

    @property
    def seats(self) -> int:
        return self.ready.seats

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        return unit_sides(self.rules, self.seats, None)

    @property
    def cards(self) -> list[str]:
        return self.ready.deck.names(self.ready.counting)

    @property
    def entry(self) -> Json:
        return {"taken": self.piles} | self.beside

    @property
    def counts(self) -> Json:
        hearts = set(self.ready.deck.names(self.ready.hearts))
        return self.beside | {
            "hearts": [sum(card in hearts for card in pile) for pile in self.piles],
            "taken": [[card for card in pile if card not in hearts] for pile in self.piles],
        }

    def turned(self, by: int) -> Json:
        found = {"taken": turned(self.piles, by)}
        for key, value in self.beside.items():
            if key in ("tricks", "pledges", "melds"):
                found[key] = turned(value, by)
            elif key in ("first_trick_by", "passer", "shooter", "last_trick", "declared_out"):
                found[key] = (value + by) % self.seats
            else:
                found[key] = value
        return found


def turned(values: Sequence[T], by: int) -> list[T]:
    return [values[(place - by) % len(values)] for place in range(len(values))]


@st.composite
def hands(draw: st.DrawFn, variant: str, options: Sequence[Mapping[str, object]] = ({},)) -> Dealt:
    rules = catalogue().rules(variant, draw(st.sampled_from(options)))
    least, most = rules.keys.players
    return draw(hands_at(rules, draw(st.integers(least, most))))


@st.composite
def hands_at(draw: st.DrawFn, rules: Rules, seats: int) -> Dealt:
    return dealt_at(draw(st.randoms(use_true_random=True)), rules, seats)


def dealt_at(chance: Random, rules: Rules, seats: int) -> Dealt:
    """The legal hand that `chance` (a `random.Random`) deals at a table of so many."""
    ready = prepare(rules, seats)
    takers = chance.sample(range(seats), chance.randint(1, min(seats, ready.hand_size, 5)))
    if chance.random() < 0.5:  # most cards with a few, as it happens at tables
        takers = takers[:2]
    owners = {place: chance.choice(takers) for place in range(len(ready.deck.cards))}
    slams = [*ready.slams, *ready.spans]
    if slams and chance.random() < 0.4:  # a slam by chance alone never comes
        shooter, needs = chance.choice(takers), chance.choice(slams).needs
        owners |= {place: shooter for place in owners if needs >> place & 1}
    piles: list[list[str]] = [[] for _ in range(seats)]
    unclaimed: list[str] = []
    stalled = ready.may_be_unclaimed if chance.random() < 0.4 else 0
    for place, card in enumerate(ready.deck.cards):
        if not ready.counting >> place & 1:
            continue
        pile = piles[owners[place]]
        if ready.idle >> place & 1:  # which needs a heart beside it
            pile = unclaimed if stalled or not any(one[-1] == "H" for one in pile) else pile
        elif stalled >> place & 1 and len(unclaimed) < seats and chance.random() < 0.1:
            pile = unclaimed
        pile.append(card)
    beside = _beside(chance, ready, piles)
    return Dealt(rules, ready, piles, beside | ({"unclaimed": unclaimed} if unclaimed else {}))


def _beside(chance: Random, ready: Prepared, piles: list[list[str]]) -> Json:
    """What the sheet says beside the cards: tricks, charged cards, pledges, who passed."""
    seats, keys = ready.seats, ready.keys
    said: Json = {}
    if ready.wants_tricks:
        tricks = [int(bool(pile)) for pile in piles]
        holders = [seat for seat, has in enumerate(tricks) if has]
        for _ in range(max(0, ready.hand_size - sum(tricks))):
            tricks[chance.choice(holders if chance.random() < 0.9 else range(seats))] += 1
        said["tricks"] = tricks
        said["first_trick_by"] = chance.choice([seat for seat in range(seats) if tricks[seat]])
    if keys.chargeable and chance.random() < 0.6:
        said["declared"] = chance.sample(keys.chargeable, chance.randint(1, len(keys.chargeable)))
    if keys.melds:
        said |= _melds(chance, ready)
    pledges = [bonus.pledge for bonus in keys.hand_bonus if bonus.pledge]
    if pledges and chance.random() < 0.7:
        said["pledges"] = [chance.choice([None, *pledges]) for _ in range(seats)]
    if any(slam.pay.mode == "punish" for slam in ready.slams) and chance.random() < 0.6:
        empty = [seat for seat, pile in enumerate(piles) if not pile]
        said |= {"passer": chance.choice(empty)} if empty else {}
    return said


def _melds(chance: Random, ready: Prepared) -> Json:
    """Melds of each seat, none more often than the pack allows, and who won the last trick."""
    shown: list[list[str]] = [[] for _ in range(ready.seats)]
    for meld in ready.keys.melds:
        for _ in range(chance.randint(0, meld.most)):
            if chance.random() < 0.5:
                shown[chance.randrange(ready.seats)].append(meld.id)
    return {"melds": shown, "last_trick": chance.randrange(ready.seats)}


def settled(dealt: Dealt, entry: Json, state: GameState, which: int = 0) -> HandScore:
    """The hand's score; where a settlement must be chosen, the `which`th that is open."""
    try:
        return _scored(dealt, entry, state)
    except Refused as refused:
        (problem,) = refused.problems
        assert problem.code == "choice_required", problem
        choices = problem.facts["choices"]
        return _scored(dealt, entry | {"slam_choice": choices[which % len(choices)]}, state)


def _scored(dealt: Dealt, entry: dict[str, object], state: GameState) -> HandScore:
    return score(dealt.rules, read_entry(entry, dealt.rules, dealt.seats, state.teams), state)
