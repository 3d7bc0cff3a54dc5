"""Jokers that count only in a trick with a heart, against every way to play a small pack."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from scoring.cases import answer
from scoring.game.game import new_game, totals_problems
from scoring.rules.catalogue import catalogue
from tests.support.answers import Json

SEATS, TRICK = range(3), 3
HEARTS, QUEEN, JOKERS = ("2H", "3H", "4H"), "QS", ("1X", "2X")
CLUBS = [f"{rank}C" for rank in (*range(2, 11), "J", "Q", "K")]
PACK = {*HEARTS, QUEEN, *CLUBS}
Blocks = tuple[tuple[str, ...], ...]


def options(worth: int, moon: str) -> Json:
    """Three players, six tricks: three hearts, Q♠, two jokers and twelve clubs."""
    suits = [f"{rank}{suit}" for suit in "CDHS" for rank in (*range(2, 11), *"JQKA")]
    removed = [card for card in suits if card not in PACK]
    return {"jokers_with_hearts": worth, "moon": moon, "removed_cards": {"3": removed}}


def blocks_of(cards: tuple[str, ...]) -> Iterator[Blocks]:
    """Every way to lay the cards into tricks of at most three; clubs fill them up."""
    if not cards:
        yield ()
        return
    first, rest = cards[0], cards[1:]
    for chosen in product((False, True), repeat=len(rest)):
        beside = tuple(card for card, is_in in zip(rest, chosen, strict=True) if is_in)
        others = tuple(card for card, is_in in zip(rest, chosen, strict=True) if not is_in)
        if len(beside) < TRICK:
            yield from (((first, *beside), *blocks) for blocks in blocks_of(others))


def points_of(trick: tuple[str, ...], worth: int) -> tuple[int, int]:
    """What a trick counts: its hearts and the queen, and its jokers."""
    hearts = sum(card in HEARTS for card in trick)
    jokers = sum(card in JOKERS for card in trick) if hearts else 0
    return hearts + 13 * (QUEEN in trick), worth * jokers


@cache
def possible(worth: int, moon: str) -> frozenset[tuple[int, ...]]:
    """The points of the three seats that some play of the pack gives."""
    found = set()
    for tricks in blocks_of((*HEARTS, QUEEN, *JOKERS)):
        values = [points_of(trick, worth) for trick in tricks]
        for takers in product(SEATS, repeat=len(tricks)):
            cards, jokers = [0, 0, 0], [0, 0, 0]
            for taker, (of_cards, of_jokers) in zip(takers, values, strict=True):
                cards[taker] += of_cards
                jokers[taker] += of_jokers
            if 16 not in cards or moon == "none":
                settled = [cards]
            else:
                shooter = cards.index(16)
                settled = [[-16 * (seat == shooter) for seat in SEATS],
                           [16 * (seat != shooter) for seat in SEATS]]  # fmt: skip
            found |= {tuple(a + b for a, b in zip(way, jokers, strict=True)) for way in settled}
    return frozenset(found)


def is_taken(points: tuple[int, ...], worth: int, moon: str) -> bool:
    case = {"variant": "joker-hearts", "options": options(worth, moon), "seats": 3}
    return "hands" in answer(catalogue(), case | {"hands": [{"entry": {"points": list(points)}}]})


@pytest.mark.parametrize(("worth", "moon"), [(1, "none"), (5, "choose"), (-2, "choose")])
def test_points_are_taken_where_some_play_gives_them_and_only_there(worth: int, moon: str) -> None:
    right = possible(worth, moon)
    assert {sum(points) for points in right} >= {16, 16 + worth, 16 + 2 * worth}
    near = {(points[0] + by, points[1] - by, points[2])
            for points in right for by in (1, worth, -worth)}  # fmt: skip
    near |= {(points[0] + 1, points[1], points[2]) for points in right}
    wrong = sorted(near - right)[::9]
    assert [points for points in sorted(right)[::2] if not is_taken(points, worth, moon)] == []
    assert [points for points in wrong if is_taken(points, worth, moon)] == []


def test_totals_of_one_hand_have_a_sum_that_some_play_gives() -> None:
    rules = catalogue().rules("joker-hearts", options(5, "none"))
    sums = {sum(points) for points in possible(5, "none")}
    assert sums == {16, 21, 26}
    state = new_game(rules, 3)
    taken = {n for n in range(30) if not totals_problems(rules, state, [n, 0, 0], 1, 1)}
    assert taken == sums


def test_refused_points_name_the_total_with_every_joker() -> None:
    hand = {"entry": {"points": [5, 3, 8, 13]}}
    case = {
        "variant": "joker-hearts", "options": {"jokers_with_hearts": 2}, "seats": 4,
        "hands": [hand],
    }  # fmt: skip
    (problem,) = answer(catalogue(), {"id": "a", "kind": "match", **case})["errors"]
    assert problem["message"] == (
        "The points total 29. The total of a hand is 30, less the jokers taken without a heart."
    )
