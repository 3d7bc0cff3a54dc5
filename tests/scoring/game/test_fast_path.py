"""The quick form against the steps: for every variant of the catalogue the same, right or wrong."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.entry.hand_reader import read_entry
from scoring.errors import Refused
from scoring.game.fast_path import score_entry, ways_of
from scoring.game.game import GameState, new_game, play
from scoring.game.score_hand import HandScore
from scoring.json_types import JsonObject
from scoring.rules.catalogue import catalogue
from scoring.rules.compiled_rules import Prepared, prepare
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.lengths import short_or_long
from tests.support.scoring.play import HEARTS, VARIANTS, rules

Piles = list[list[str]]
Entry = Json
Played = tuple[HandScore, GameState]
"""A hand's score and the game after it."""
MOON = [*HEARTS, "QS"]
CATALOGUE = catalogue([VARIANTS])


def told(
    entry: Entry, found: Rules, state: GameState, way: Callable[[Entry, Rules, GameState], Played]
) -> Played | list[JsonObject]:
    """What one way says of the hand: its score and the game after it, or its problems as JSON."""
    try:
        return way(entry, found, state)
    except Refused as refused:
        return [problem.as_json() for problem in refused.problems]


def by_steps(entry: Entry, found: Rules, state: GameState) -> Played:
    return play(found, state, read_entry(entry, found, state.seats, state.teams), open_ended=True)


def at_once(entry: Entry, found: Rules, state: GameState) -> Played:
    return play(found, state, entry, open_ended=True)


def a_table(found: Rules, chance: Random) -> tuple[Prepared, GameState]:
    """A game in the middle, at a table of any size that the rules are for."""
    least, most = found.keys.players
    seats = chance.randint(least, most)
    state = new_game(found, seats)
    points = [chance.choice([0, 7, 50, 95]) + found.zero for _ in state.totals]
    pool = chance.choice([0, 0, 4]) if found.keys.settle else 0
    return prepare(found, seats), state._replace(totals=tuple(points), pool=pool)


def piles(ready: Prepared, chance: Random) -> Piles:
    """Cards that count, at times all, dealt to anybody, to two seats, or all but a few to one."""
    whole = chance.random() < 0.2
    cards = ready.deck.names(ready.deck.full if whole else ready.counting)
    takers = chance.choice([range(ready.seats), [0, ready.seats - 1], [chance.randrange(2)]])
    stray = chance.choice([0, 0, 0.1])
    found: Piles = [[] for _ in range(ready.seats)]
    for card in cards:
        anybody = chance.random() < stray
        found[chance.randrange(ready.seats) if anybody else chance.choice(takers)].append(card)
    return found


def in_counts(hand: Piles) -> Entry:
    return {
        "hearts": [sum(card[-1] == "H" for card in pile) for pile in hand],
        "taken": [[card for card in pile if card[-1] != "H"] for pile in hand],
    }


def entries(ready: Prepared, state: GameState, chance: Random) -> list[Entry]:
    """One hand in each of its forms, with charges where there are any."""
    hand = piles(ready, chance)
    forms: list[Entry] = [{"taken": hand}, in_counts(hand)]
    charges = list(ready.keys.chargeable)
    chance.shuffle(charges)
    forms += [form | {"declared": charges[: chance.randrange(4)]} for form in forms]
    forms += [form | {"slam_choice": chance.choice(["self", "others"])} for form in forms[:2]]
    if ready.wants_tricks:
        forms += [form | {"tricks": tricks(hand, ready.hand_size, chance)} for form in forms[:4]]
    known = told(forms[-1], ready.rules, state, by_steps)
    if not isinstance(known, list):
        points = {"points": list(known[0].scores)}
        forms += [points, *[form | points for form in forms[:3]]]
    return forms


def tricks(hand: Piles, number: int, chance: Random) -> list[int]:
    """Tricks for who took cards, at times for others, too, at times all but one for one seat."""
    won = [int(bool(pile)) for pile in hand]
    takers = chance.choice([range(len(hand)), [chance.randrange(len(hand))]])
    while sum(won) < number:
        won[chance.choice(takers)] += 1
    return won


def spoilt(entry: Entry, chance: Random) -> Entry:
    """The entry with one thing in it changed."""
    entry = {key: list(value) for key, value in entry.items() if isinstance(value, list)}
    key = chance.choice(list(entry))
    seat = chance.randrange(len(entry[key])) if entry[key] else 0
    change = chance.randrange(4)
    if change == 0:
        entry[key] = entry[key][:-1] if chance.random() < 0.5 else tuple(entry[key])
    elif change == 3 and "points" in entry:
        entry["points"][seat % len(entry["points"])] += chance.choice([1, 0.0])
    elif change == 1 and entry[key]:
        entry[key][seat] = chance.choice([None, True, -1, 14, 2.0, "QS", ["QS"], {"QS": 1}, ""])
    elif change == 2 and "hearts" in entry and entry["hearts"]:
        entry["hearts"][0] += chance.choice([-1, 1, 14, 32]) if chance.random() < 0.9 else 0.0
        other = chance.choice([-1, 1, 16, 64, 32])
        entry["hearts"] = [*entry["hearts"][:-1], sum(entry["hearts"][-1:]) - other]
    elif "taken" in entry:
        pile = list(entry["taken"][0]) if entry["taken"] and entry["taken"][0] else []
        odd: list[Any] = chance.choice(
            [["QS"], ["QS"] * 3, ["JD", "TD"], ["2H"] * 2, [7], ["xx"], [["QS"]]]
        )
        lists = [odd + pile, pile[1:], pile + pile[:1] * chance.randrange(20)]
        entry["taken"] = [chance.choice(lists), *entry["taken"][1:]]
    return entry


@pytest.mark.parametrize("variant", CATALOGUE.ids)
@settings(max_examples=short_or_long(3, 15), deadline=None, print_blob=True)
@given(st.randoms(use_true_random=True))
def test_quick_form_says_what_the_steps_say(variant: str, chance: Random) -> None:
    found = CATALOGUE.rules(variant)
    ready, state = a_table(found, chance)
    for entry in entries(ready, state, chance):
        for one in (entry, spoilt(entry, chance)):
            assert told(one, found, state, at_once) == told(one, found, state, by_steps), one


@pytest.mark.parametrize("variant", CATALOGUE.ids)
def test_ordinary_hands_of_every_variant_are_looked_up(variant: str) -> None:
    found = CATALOGUE.rules(variant)
    seats = found.keys.players[0]
    ready, state = prepare(found, seats), new_game(found, seats)
    ways = ways_of(found, state)
    cards = ready.deck.names(ready.counting)
    hand = [cards[seat::seats] for seat in range(seats)]
    plain: list[Entry] = [{"taken": hand}, *([in_counts(hand)] if ready.short_form else [])]
    if ready.looks_at_tricks:
        plain = [{"taken": hand, "tricks": [3] * seats}]
    if found.keys.melds:
        meld = found.keys.melds[0].id
        plain = [{"melds": [[meld], []], "trick_points": [133, ready.trick_total - 133]}]
    for entry in plain:
        assert ways[tuple(entry)](entry, state.pool) == by_steps(entry, found, state)[0]


@pytest.mark.parametrize(
    ("options", "entry"),
    [
        ({"no_trick_bonus": -5}, {"taken": [HEARTS, ["QS"], [], []]}),
        ({"no_trick_bonus": -5}, {"hearts": [13, 0, 0, 0], "taken": [[], ["QS"], [], []]}),
        ({"big_moon": "260", "moon": "face"}, {"taken": [HEARTS, ["QS"], [], []]}),
        ({"big_moon": "260", "moon": "face"}, {"taken": [[*HEARTS, "QS"], [], [], []]}),
        ({"sun": "double"}, {"taken": [HEARTS, ["QS"], [], []]}),
        ({"sun": "double", "moon": "others"},
         {"taken": [MOON, [], [], []], "tricks": [12, 1, 0, 0]}),
        ({"sun": "punish"}, {"taken": [MOON, [], [], []], "tricks": [13, 0, 0, 0]}),
        ({"no_trick_bonus": -5}, {"taken": [HEARTS, ["QS"], ["2C"], []], "tricks": [7, 6, 0, 0]}),
        ({"bonus_floor": "hand", "jack_of_diamonds": -10},
         {"taken": [[*HEARTS, "QS"][:9], [*HEARTS, "QS"][9:], ["JD"], []]}),
        ({"custom_values": [["KC", "1/3"]]}, {"taken": [HEARTS, ["QS"], ["KC"], []]}),
    ],
)  # fmt: skip
def test_options_of_a_club_change_nothing_of_that(options: Entry, entry: Entry) -> None:
    found = rules("hearts", **options)
    state = new_game(found, 4)
    assert told(entry, found, state, at_once) == told(entry, found, state, by_steps)


@pytest.mark.parametrize(
    ("hearts", "taken"),
    [
        ([-3, 16, 0, 0], [["JD"], [], ["QS"], []]),
        ([3, 7, 0, 19], [["JD"], ["JD"], [], []]),
        ([3, 7, 0, 3], [["JD", "JD", "JD"], [], [], []]),
        ([3, 7, 0, 3.0], [["JD"], ["QS"], [], []]),
        ([3, 7, 3], [0, ["JD"], ["QS"], [], []]),
    ],
)
def test_numbers_that_flow_over_into_cards_are_refused(hearts: object, taken: object) -> None:
    """Sums that are right, of hands that are not."""
    found = rules("omnibus-hearts")
    state, entry = new_game(found, 4), {"hearts": hearts, "taken": taken}
    said = told(entry, found, state, at_once)
    assert isinstance(said, list)
    assert said == told(entry, found, state, by_steps)


def test_card_that_stands_thrice_is_not_taken_for_its_neighbour() -> None:
    found = rules("hearts")
    state = new_game(found, 4)
    deck = prepare(found, 4).deck
    cards = deck.names(deck.full)
    hand = [["2C", "2C", *(card for card in cards if card != "3C")][seat::4] for seat in range(4)]
    assert sum(map(len, hand)) == 53
    said = told({"taken": hand}, found, state, at_once)
    assert isinstance(said, list)
    assert [problem["code"] for problem in said] == ["too_many_copies"]
    assert said == told({"taken": hand}, found, state, by_steps)


def test_points_are_proven_once_and_then_looked_up() -> None:
    found = rules("hearts")
    state = new_game(found, 4)
    looked_up = ways_of(found, state)["points",]
    first = score_entry(found, {"points": [13, 7, 3, 3]}, state)
    assert looked_up({"points": [13, 7, 3, 3]}, 0) == first
    for points in ([13.0, 7, 3, 3], [13, 8, 3, 3], (13, 7, 3, 3)):
        with pytest.raises(KeyError):
            looked_up({"points": points}, 0)
