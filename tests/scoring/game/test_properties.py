"""What holds for every hand of one variant; of every variant: test_every_variant.py."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scoring.entry.hand_reader import read_entry
from scoring.errors import Refused
from scoring.game.game import new_game
from scoring.game.score_hand import score
from tests.support.answers import Json
from tests.support.lengths import short_or_long
from tests.support.scoring.play import HEARTS, rules


def seats(cards: int, players: int = 4) -> st.SearchStrategy[list[int]]:
    """Which seat each card is with."""
    return st.lists(st.integers(0, players - 1), min_size=cards, max_size=cards)


def dealt(owners: list[int], named: list[str], players: int = 4) -> list[list[str]]:
    piles: list[list[str]] = [[] for _ in range(players)]
    for card, seat in zip([*HEARTS, "QS", *named], owners, strict=True):
        piles[seat].append(card)
    return piles


def counts(piles: list[list[str]]) -> Json:
    """The same hand as numbers of hearts and named cards."""
    return {
        "hearts": [sum(card in HEARTS for card in pile) for pile in piles],
        "taken": [[card for card in pile if card not in HEARTS] for pile in piles],
    }


@settings(max_examples=short_or_long(20, 60), deadline=None)
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
