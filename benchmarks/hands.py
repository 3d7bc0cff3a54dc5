"""Seeded hands as JSON gives them: texts that are equal to the codes of cards, but not the same."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

from scoring.errors import Refused
from scoring.game.fast_path import score_entry
from scoring.game.game import new_game
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules

Entry = dict[str, Any]
MOONS = 100
"""One hand in this many is a moon, as in the leagues of make_league.py."""


def seats_of(rules: Rules) -> int:
    least, most = rules.keys.players
    return min(max(least, 4), most)


def counted_hands(rules: Rules, number: int, seed: str) -> Sequence[Entry]:
    """Return hands in numbers of hearts and named cards; in cards where these rules need them."""
    chance, ready = Random(seed), prepare(rules, seats_of(rules))
    cards = ready.deck.names(ready.counting)
    hands: list[Entry] = []
    if rules.keys.melds:
        return _as_sent([_with_melds(chance, ready) for _ in range(number)])
    for place in range(number):
        moon = place % MOONS == MOONS - 1 and bool(ready.slams)
        takers = [chance.randrange(ready.seats)] if moon else range(ready.seats)
        piles: list[list[str]] = [[] for _ in range(ready.seats)]
        for card in cards:
            piles[chance.choice(takers)].append(card)
        hands.append(_counted(piles) if ready.short_form else {"taken": piles})
        if ready.looks_at_tricks:
            hands[-1]["tricks"] = _tricks(piles, ready.hand_size)
        if _is_open(rules, hands[-1]):
            hands[-1]["slam_choice"] = chance.choice(["self", "others"])
    return _as_sent(hands)


def dealt_hands(rules: Rules, seats: int, number: int, seed: str) -> Sequence[Entry]:
    chance, deck = Random(seed), [*prepare(rules, seats).deck.cards]
    hands: list[Entry] = []
    for _ in range(number):
        chance.shuffle(deck)
        hands.append({"taken": [deck[seat::seats] for seat in range(seats)]})
    return _as_sent(hands)


def _with_melds(chance: Random, ready: Prepared) -> Entry:
    melds: list[list[str]] = [[] for _ in range(ready.seats)]
    for meld in chance.sample([meld.id for meld in ready.keys.melds], 3):
        melds[chance.randrange(ready.seats)].append(meld)
    first = chance.randrange(2, ready.trick_total - 1)
    return {"melds": melds, "trick_points": [first, ready.trick_total - first]}


def _counted(piles: Sequence[Sequence[str]]) -> Entry:
    return {
        "hearts": [sum(card[-1] == "H" for card in pile) for pile in piles],
        "taken": [[card for card in pile if card[-1] != "H"] for pile in piles],
    }


def _tricks(piles: Sequence[Sequence[str]], number: int) -> list[int]:
    """Return one trick for each seat that took cards; the first of them took the others."""
    tricks = [int(bool(pile)) for pile in piles]
    tricks[tricks.index(1)] += number - sum(tricks)
    return tricks


def _is_open(rules: Rules, hand: Entry) -> bool:
    try:
        score_entry(rules, hand, new_game(rules, seats_of(rules)))
    except Refused:
        return True
    return False


def _as_sent(hands: Sequence[Entry]) -> Sequence[Entry]:
    return [json.loads(json.dumps(hand)) for hand in hands]
