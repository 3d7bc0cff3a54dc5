"""Every setting is documented, and no preset places anybody by chance: who is equal on everything
shares the place."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from scoring.standings.rank import standings
from scoring.standings.rows import Row, Sums
from tournaments.domain.event_settings import EVENT_SETTINGS, PRESET_KEYS, Settings, preset_settings


def sums(code: str) -> Sums:
    return Sums(code, 2, 8, 20, (1, 1), 0, Fraction(3, 2), Fraction(5, 3), 0, 0,
                place_points=Fraction(5), index=Fraction(1), matchpoints=Fraction(50),
                datum=Fraction(0), match_points=Fraction(2))  # fmt: skip


@pytest.mark.parametrize("preset", ["", *PRESET_KEYS])
def test_equal_players_share_the_place_in_every_preset(preset: str) -> None:
    settings = preset_settings(preset) if preset else Settings()
    table = standings(
        [Row(sums(code)) for code in ("RL01", "RL02", "RL03")],
        primary=settings.primary,
        tie_breaks=settings.tie_breaks,
        seed="7f3c",
    )
    assert [row.rank for row in table] == [1, 1, 1]


def test_settings_of_an_event_are_those_of_the_documentation() -> None:
    text = Path("docs/event-settings.md").read_text(encoding="utf-8").partition("## The page")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", text, re.M)) == sorted(EVENT_SETTINGS)
