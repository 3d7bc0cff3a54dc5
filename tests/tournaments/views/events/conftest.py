"""Four people of a league, and what they played."""

import pytest

from tests.support.builders import Cast, hand, players, table
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game


@pytest.fixture
def people(cast: Cast) -> list[Player]:
    return players(cast.riverside, "Elsa D.", "Zoë K.", "Leo K.", "Anton S.")


@pytest.fixture
def played(event: Event, people: list[Player]) -> Game:
    """A table with two hands: Leo 4, Zoë 7, Elsa 20, Anton 21."""
    game = table(event, people)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    hand(game, 2, [3, 6, 2, 2], queen=0)
    return game
