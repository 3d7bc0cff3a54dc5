"""What holds for every hand: conservation, three forms of one hand, replay, the quick way."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoring.engine import score
from scoring.errors import Refused
from scoring.game import new_game, play
from scoring.typed import read_entry
from tests.scoring.play import HEARTS, rules

SHIPPED = {"hearts": [], "omnibus-hearts": ["JD"], "omnibus-hearts-10d": ["10D"], "spot-hearts": []}


def seats(cards: int, players: int = 4) -> st.SearchStrategy[list[int]]:
    """Which seat each card is with."""
    return st.lists(st.integers(0, players - 1), min_size=cards, max_size=cards)


def dealt(owners: list[int], named: list[str], players: int = 4) -> list[list[str]]:
    piles: list[list[str]] = [[] for _ in range(players)]
    for card, seat in zip([*HEARTS, "QS", *named], owners, strict=True):
        piles[seat].append(card)
    return piles


def counts(piles: list[list[str]]) -> dict[str, Any]:
    """The same hand as numbers of hearts and named cards."""
    return {
        "hearts": [sum(card in HEARTS for card in pile) for pile in piles],
        "taken": [[card for card in pile if card not in HEARTS] for pile in piles],
    }


@pytest.mark.parametrize("variant", SHIPPED)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_scores_sum_to_the_deal_total_or_to_the_moons(variant: str, data: st.DataObject) -> None:
    named = SHIPPED[variant]
    piles = dealt(data.draw(seats(14 + len(named))), named)
    choice = data.draw(st.sampled_from(["self", "others"]))
    found, state = rules(variant), new_game(rules(variant), 4)
    try:
        hand = score(found, read_entry({"taken": piles}, found, 4), state)
    except Refused:
        hand = score(found, read_entry({"taken": piles, "slam_choice": choice}, found, 4), state)
    if hand.moon is None:
        assert sum(hand.scores) == found.made[4].deal_total
    else:
        slam = found.made[4].slams[0]
        extra = found.made[4].deal_total - slam.dealt if named == ["JD"] else 0
        amount = 26 if named else slam.dealt
        expected = -amount if hand.moon.choice == "self" else 3 * amount
        assert sum(hand.scores) == expected + extra


@pytest.mark.parametrize("variant", ["hearts", "omnibus-hearts", "omnibus-hearts-10d"])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_cards_counts_and_points_of_one_hand_agree(variant: str, data: st.DataObject) -> None:
    named = SHIPPED[variant]
    piles = dealt(data.draw(seats(14 + len(named))), named)
    found, state = rules(variant, moon="others"), new_game(rules(variant, moon="others"), 4)
    by_cards = score(found, read_entry({"taken": piles}, found, 4), state)
    by_counts = score(found, read_entry(counts(piles), found, 4), state)
    points = {"points": list(by_cards.scores)}
    by_points = score(found, read_entry(points, found, 4), state)
    assert by_counts == by_cards
    assert by_points.scores == by_cards.scores
    assert by_points.verified == "sum"


@settings(max_examples=40, deadline=None)
@given(st.permutations(range(14)), st.lists(st.integers(0, 14), min_size=3, max_size=3))
def test_points_of_a_spot_hand_are_always_possible(order: list[int], cuts: list[int]) -> None:
    cards = [[*HEARTS, "QS"][n] for n in order]
    low, mid, high = sorted(cuts)
    piles = [cards[:low], cards[low:mid], cards[mid:high], cards[high:]]
    found = rules("spot-hearts", moon="others")
    state = new_game(found, 4)
    hand = score(found, read_entry({"taken": piles}, found, 4), state)
    again = score(found, read_entry({"points": list(hand.scores)}, found, 4), state)
    assert again.scores == hand.scores


@settings(max_examples=60, deadline=None)
@given(seats(15), st.sampled_from([{}, {"shooter": None}]))
def test_quick_way_and_steps_give_the_same(owners: list[int], extra: dict[str, Any]) -> None:
    piles = dealt(owners, ["JD"])
    found = rules("omnibus-hearts", moon="others")
    state = new_game(found, 4)
    for entry in ({"taken": piles}, counts(piles)):
        quick = read_entry(entry, found, 4)
        slow = read_entry(entry | {"slam_choice": None}, found, 4)
        assert (quick.ordinary, slow.ordinary) == (True, False)
        assert score(found, quick, state) == score(found, slow, state)


@settings(max_examples=30, deadline=None)
@given(st.lists(seats(14), min_size=1, max_size=12))
def test_replay_gives_what_incremental_play_gave(hands: list[list[int]]) -> None:
    found = rules(moon="others", resets="100-to-50", deals=20)
    state = new_game(found, 4)
    kept = []
    for owners in hands:
        entry = {"taken": dealt(owners, [])}
        _, state = play(found, state, read_entry(entry, found, 4))
        kept.append((entry, state))
    again = new_game(found, 4)
    for entry, expected in kept:
        _, again = play(found, again, read_entry(entry, found, 4))
        assert again == expected


@settings(max_examples=60, deadline=None)
@given(seats(14), st.integers(0, 3), st.integers(-3, 3))
def test_counts_that_are_off_are_refused_and_never_put_right(
    owners: list[int], seat: int, off: int
) -> None:
    entry = counts(dealt(owners, []))
    entry["hearts"][seat] += off
    assume(off != 0)
    found = rules(moon="others")
    with pytest.raises(Refused):
        score(found, read_entry(entry, found, 4), new_game(found, 4))
