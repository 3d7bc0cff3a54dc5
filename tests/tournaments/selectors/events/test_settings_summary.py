"""The settings of an event in words, as its page and the form list them."""

import pytest

from tournaments.domain.event_settings import Settings
from tournaments.selectors.events.settings_summary import settings_sections

UNIT = "Unit of the minimum: Evenings"


@pytest.mark.parametrize(
    ("n_games", "is_third", "is_said"),
    [(0, False, False), (1, False, False), (2, False, True), (0, True, True)],
)
def test_unit_of_the_minimum_is_said_where_there_is_one(
    n_games: int, is_third: bool, is_said: bool
) -> None:
    settings = Settings(
        primary="evening_points", min_unit="meeting", min_games=n_games, min_third=is_third
    )
    sections = settings_sections(settings, settings, games=(), n_evenings=0, refused=frozenset())
    assert (UNIT in sections["counted"]["value"]) == is_said
