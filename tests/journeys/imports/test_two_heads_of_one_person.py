"""A workbook whose sheets write one person in two ways: both columns are that person's."""

from pathlib import Path

import pytest
from django.test import Client

from tests.journeys.imports.test_same_sheets import HANDS, NAMES, send
from tests.support.builders import league, players
from tests.support.cast import Cast
from tests.support.fixtures import cast_once as cast_once
from tests.support.imports.uploads import stored_points
from tournaments.models.clubs import Player
from tournaments.models.imports import ImportProblem


@pytest.fixture
def dirk(cast: Cast) -> Client:
    players(cast.riverside, *NAMES)
    league(cast.riverside)
    return cast.client("dirk")


def sheets(folder: Path, *rows: str) -> Path:
    path = folder / "joined.csv"
    heads = f"Round,Table,Hand,{','.join(NAMES)},Davy"
    path.write_text("\n".join([heads, *rows]) + "\n", encoding="utf-8")
    return path


def david() -> str:
    return Player.objects.get(name="David Birk").player_id


def test_rounds_with_one_or_the_other_are_read(dirk: Client, tmp_path: Path) -> None:
    path = sheets(tmp_path, "1,1,1,13,5,8,0,", "2,1,1,0,13,13,,0")
    send(dirk, path, **{"player-7": david()})
    assert stored_points() == [("r1t1", list(HANDS[0])), ("r2t1", list(HANDS[1]))]


def test_hand_with_both_is_asked_about(dirk: Client, tmp_path: Path) -> None:
    path = sheets(tmp_path, "1,1,1,13,5,8,0,", "2,1,1,0,13,13,0,0")
    send(dirk, path, **{"player-7": david()})
    assert stored_points() == [("r1t1", list(HANDS[0]))]
    assert ImportProblem.objects.get(state="open").code == "duplicate_seat"
