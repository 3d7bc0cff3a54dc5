"""How a hand is played makes no other game: for tables, imported sheets and settings."""

from pathlib import Path
from typing import Any

import pytest

from scoring.errors import Refused
from tests.support.builders import TESTS, players, table
from tests.support.cast import NOW, Cast
from tests.support.imports.imports import imported
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.meetings import Round
from tournaments.models.variants import HouseVersion
from tournaments.services.events.change_event import use_version
from tournaments.services.events.change_settings import change_settings
from tournaments.services.events.events import create_event, move_event
from tournaments.services.rules.house_rules import add_version, chosen_rules, make_house_rules

PLAYED = {"passing": {"4": ["left", "scatter"]}, "queen_breaks": True}
NAMES = ("Ada", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hal")
HEAD = "date,round,table,variant,hand,seat,player_id,player,hearts,queen_spades\n"


@pytest.fixture
def raw(cast: Cast) -> Event:
    """A league of American Hearts that ranks by raw points."""
    players(cast.riverside, *NAMES)
    event = create_event(
        actor=TESTS, club=cast.riverside, slug="league", name="League", variant="hearts",
        settings={"length": "open", "primary": "raw_per_hand"}, now=NOW,
    )  # fmt: skip
    return move_event(actor=TESTS, event=event, to="open", now=NOW)


def four(event: Event, first: int = 0) -> list[Any]:
    return [*event.club.players.order_by("player_id")[first : first + 4]]


def club_rules(event: Event, **options: object) -> HouseVersion:
    return make_house_rules(
        actor=TESTS, club=event.club, name="Club rules",
        chosen=chosen_rules("hearts", PLAYED | options), now=NOW,
    )  # fmt: skip


def sheet(tmp_path: Path, variant: str, table_number: int, first: int) -> Path:
    file = tmp_path / "sheet.csv"
    rows = (
        f"2025-11-06,1,{table_number},{variant},1,{seat},RL{first + n + 1:02d},"
        f"{NAMES[first + n]},{took}\n"
        for n, (seat, took) in enumerate(zip("NESW", ("4,0", "1,0", "2,0", "6,1"), strict=True))
    )
    file.write_text(HEAD + "".join(rows), encoding="utf-8")
    return file


def test_table_with_another_passing_cycle_compares_with_the_others(raw: Event) -> None:
    table(raw, four(raw), variant="hearts", options=PLAYED)
    table(raw, four(raw, 4), table_number=2)
    assert Game.objects.count() == 2
    with pytest.raises(Refused) as refused:
        table(raw, four(raw), round_number=2, variant="hearts", options=PLAYED | {"target": 50})
    assert [problem.code for problem in refused.value.problems] == ["games_not_mixed"]


def test_house_rules_that_differ_only_in_the_play_are_the_same_game(raw: Event) -> None:
    first = club_rules(raw)
    table(raw, four(raw))
    table(raw, four(raw, 4), table_number=2, variant="club-rules")
    event = use_version(actor=TESTS, event=raw, version=first, now=NOW)
    scored = add_version(
        actor=TESTS, house=first.variant, chosen=chosen_rules(first, {"target": 50}), now=NOW
    )
    with pytest.raises(Refused) as refused:
        use_version(actor=TESTS, event=event, version=scored, now=NOW)
    assert [problem.code for problem in refused.value.problems] == ["games_not_mixed"]


@pytest.mark.parametrize("table_number", [1, 2])
def test_imported_sheet_of_rules_played_otherwise_is_not_asked_about(
    raw: Event, tmp_path: Path, table_number: int
) -> None:
    club_rules(raw)
    table(raw, four(raw), variant="hearts", options=PLAYED | {"optional_pass": True})
    imported(sheet(tmp_path, "hearts", 1, 0))
    report: Any = imported(sheet(tmp_path, "Club rules", table_number, 4 * (table_number - 1)))
    assert report.as_json()["problems"] == []
    assert Hand.objects.count() == table_number


def test_tables_that_differ_only_in_the_play_may_rank_by_raw_points(raw: Event) -> None:
    change_settings(actor=TESTS, event=raw, values={"primary": "wins"}, now=NOW)
    table(raw, four(raw), variant="hearts", options=PLAYED)
    table(raw, four(raw, 4), table_number=2)
    change_settings(actor=TESTS, event=raw, values={"primary": "raw_per_hand"}, now=NOW)
    raw.refresh_from_db()
    assert raw.settings["primary"] == "raw_per_hand"
    assert Round.objects.count() == 1
