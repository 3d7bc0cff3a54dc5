"""Clubs that send a file a week: what is stored is what was played, or a question is open."""

from pathlib import Path
from typing import Final

import pytest

from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.season_checks import (
    EQUAL,
    WRONG,
    add_strangers,
    enter_by_hand,
    nickname_members,
    play,
    sheets_played,
    sheets_stored,
)
from tests.support.imports.seasons_of_files import MEMBERS, SHAPES, season, shape_of
from tests.support.lengths import short_or_long

FEW: Final = ("new evening as a sheet", "other order of players and evenings")
SEEDS: Final = short_or_long([list(SHAPES).index(name) for name in FEW], range(150))


@pytest.mark.both_databases
@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed} {shape_of(seed)}")
def test_season_of_files_is_stored_as_it_was_played_or_asked_about(
    cast: Cast, tmp_path: Path, seed: int
) -> None:
    players(cast.riverside, *MEMBERS)
    nickname_members(cast.riverside)
    event = league(cast.riverside)
    drawn = season(seed)
    outcomes = list(play(drawn, cast.client("dirk"), event, tmp_path))
    verdicts = [outcome.verdict for outcome in outcomes]
    told = "\n\n".join(outcome.told for outcome in outcomes if outcome.told)
    assert WRONG not in verdicts, told
    if SHAPES[drawn.shape].is_plain:
        assert {*verdicts} == {EQUAL}, told
    typed = league(cast.riverside, slug="by-hand", name="By hand")
    add_strangers(cast.riverside, drawn.evenings)
    enter_by_hand(typed, drawn.evenings)
    assert sheets_stored(typed) == sheets_played(drawn.evenings)
    if verdicts[-1] == EQUAL and not any(week_is_undated(drawn.shape) for _ in verdicts):
        assert sheets_stored(event) == sheets_stored(typed)


def week_is_undated(shape: str) -> bool:
    return "without date" in shape
