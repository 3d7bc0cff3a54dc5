"""The settings of an event in words, as its page and the form list them."""

from dataclasses import replace
from typing import Any

import pytest

from tournaments.domain.event_settings import Settings, preset_on_pages
from tournaments.selectors.events.settings_summary import (
    nearest_preset,
    preset_cards,
    preset_differences,
    settings_sections,
)

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


@pytest.mark.parametrize(("n_differences", "preset"), [(4, "sheets"), (5, "")])
def test_event_with_more_than_four_settings_of_its_own_has_no_preset(
    n_differences: int, preset: str
) -> None:
    own: dict[str, Any] = {
        "correction_window_h": 7, "min_games": 33, "length": "hands:99", "bye_award": "own_mean",
        "excused_points": 7,
    }  # fmt: skip
    own = dict(list(own.items())[:n_differences])
    settings = replace(preset_on_pages("sheets"), **own)
    assert preset_differences("sheets", settings, lambda fitted: fitted) == n_differences
    assert nearest_preset(settings, lambda fitted: fitted) == preset


def test_rule_that_drops_none_of_so_few_evenings_is_explained_by_nine_and_fifteen() -> None:
    cards = {card["key"]: card["consequence"] for card in preset_cards(3)["main"]}
    assert cards["season"] == "Of 9 evenings 7 count, of 15 evenings 10 count."
