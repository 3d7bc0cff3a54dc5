"""An event of more than a thousand entrants is read on both databases."""

import pytest

from tests.support.builders import Cast, league, players
from tournaments.selectors.events.entrants import names_in
from tournaments.services.events.events import enter_players

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_names_of_a_thousand_entrants_are_read(cast: Cast) -> None:
    event, people = league(cast.riverside), players(cast.riverside, *map(str, range(1_001)))
    enter_players(event=event, players=people)
    assert len(names_in(event)) == 1_001
