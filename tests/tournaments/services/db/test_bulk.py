"""The bulk writer leaves the rows that operations leave, and locked rows keep their keys free."""

from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from tests.support.builders import (
    assign_event,
    autumn_season,
    enter_the_cast,
    hand,
    league,
    players,
    table,
)
from tests.support.imports.imports import AFTERWARDS, imported, rows, written
from tests.support.scenarios.playoffs import play, tied
from tournaments.models.clubs import Club
from tournaments.models.events import Entrant, EntrantMember, Event, Snapshot
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.rounds import Meeting, Seat, Sitting, Table
from tournaments.models.standings import Aggregate, Contribution

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

CONTENT: Iterable[tuple[type[Model], tuple[str, ...]]] = (
    (Table, ("round__number", "number", "code", "club__slug")),
    (Seat, ("table__code", "number", "side", "club__slug")),
    (Sitting, ("seat__table__code", "seat__number", "player__player_id", "substitute_for",
               "from_hand", "to_hand", "round__number", "club__slug")),
    (Game, ("table__code", "snapshot__content_hash", "progress", "hands_counted", "club__slug")),
    (Hand, ("game__table__code", "number", "state", "revision", "entry__revision", "hands",
            "club__slug")),
    (Entry, ("hand__game__table__code", "hand__number", "revision", "form", "typed", "verified",
             "moon", "key", "reason", "note", "entered_by", "club__slug")),
    (SeatScore, ("entry__hand__number", "seat__number", "score", "score_im", "total", "total_im",
                 "moons", "seat__table__code", "club__slug")),
    (Contribution, ("game__table__code", "entrant__code", "games", "hands", "points",
                    "shared_wins", "win_share", "beaten_halves", "moons", "moons_against",
                    "place", "club__slug")),
    (Aggregate, ("entrant__code", "games", "hands", "points", "shared_wins", "win_share",
                 "beaten_halves", "moons", "moons_against", "place_1", "place_2", "place_3",
                 "place_4", "place_5", "place_13", "club__slug")),
    (Entrant, ("code", "name", "kind", "state")),
    (EntrantMember, ("entrant__code", "player__player_id")),
    (Meeting, ("date", "state")),
    (Snapshot, ("content_hash", "variant", "options")),
)  # fmt: skip
OF_WORK = ("tournaments_dirty", "tournaments_deadline")


def content(event: Event) -> dict[str, list[tuple[object, ...]]]:
    """Return what the event's rows say, without ids, times and names of people."""
    found = {}
    for model, columns in CONTENT:
        path = {"Seat": "table__event", "Sitting": "seat__table__event", "Hand": "game__event",
                "Entry": "hand__game__event", "SeatScore": "seat__table__event"}  # fmt: skip
        where = {path.get(model.__name__, "event"): event}
        listed = model._default_manager.filter(**where).values_list(*columns)
        found[model.__name__] = sorted(listed, key=repr)
    return found


def test_imported_rows_equal_those_of_hands_entered_one_by_one(tmp_path: Path) -> None:
    club = enter_the_cast().riverside
    cast = players(club, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    moon = (13, 0, 0, 0)
    paper = league(club, slug="paper")
    path = written(
        tmp_path, rows(1), rows(2, moon, "N", moon={"N": "others"}), rows(3, (0, 9, 4, 0), "S")
    )
    imported(path, event="paper")
    phone = league(club, slug="phone")
    game = table(phone, cast, round_number=11, on=date(2025, 11, 13), variant="black-lady")
    hand(game, 1, [4, 1, 2, 6], 3, now=AFTERWARDS)
    hand(game, 2, list(moon), 0, now=AFTERWARDS, shooter=0, slam_choice="others")
    hand(game, 3, [0, 9, 4, 0], 2, now=AFTERWARDS)
    assert content(paper) == content(phone)


def test_rows_are_the_same_in_every_database(tmp_path: Path) -> None:
    club = enter_the_cast().riverside
    players(club, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    event = league(club)
    imported(written(tmp_path, rows(1), rows(2, points=(0, 26, 26, 26))))
    stored = content(event)
    assert stored["Table"] == [(11, 1, "r11t1", "riverside")]
    assert stored["Entry"] == [
        ("r11t1", 1, 1, "counts", {"hearts": [4, 1, 2, 6], "taken": [[], [], [], ["QS"]]}, "cards",
         None, None, "", "", None, "riverside"),
        ("r11t1", 2, 1, "points", {"points": [0, 26, 26, 26]}, "sum",
         {"id": "moon", "by": [1], "choice": "others"}, None, "", "", None, "riverside"),
    ]  # fmt: skip
    point = 360360
    assert [row[:4] + row[4:7] for row in stored["SeatScore"] if row[1] == 4] == [
        (1, 4, 19 * point, None, 19 * point, None, 0),
        (2, 4, 26 * point, None, 45 * point, None, 0),
    ]
    assert Entry.objects.first().entered_at == AFTERWARDS  # type: ignore[union-attr]


def test_ids_taken_for_an_import_are_not_taken_again(tmp_path: Path) -> None:
    club = enter_the_cast().riverside
    cast = players(club, "Alma D.", "Bruno K.", "Cleo S.", "Dario D.")
    event = league(club)
    imported(written(tmp_path, rows(1)))
    game = table(event, cast, round_number=12)
    hand(game, 1, [4, 1, 2, 6], 3)
    assert Hand.objects.count() == Entry.objects.count() == 2
    assert game.pk != Game.objects.get(table__code="r11t1").pk


def put_into_a_season(club: Club) -> Callable[[], object]:
    event = league(club)
    season = autumn_season(club)
    return lambda: assign_event(event, season)


def play_a_playoff(club: Club) -> Callable[[], object]:
    event = tied(club)
    return lambda: play(event, 1, {"A": 3, "B": 3, "C": 20})


@pytest.mark.parametrize("prepared", [put_into_a_season, play_a_playoff])
def test_no_key_is_locked(prepared: Callable[[Club], Callable[[], object]]) -> None:
    operation = prepared(enter_the_cast().riverside)
    with CaptureQueriesContext(connection) as asked:
        operation()
    held = [one["sql"] for one in asked if " FOR UPDATE" in one["sql"]]
    assert [sql for sql in held if not any(f'FROM "{name}"' in sql for name in OF_WORK)] == []
    if connection.vendor == "postgresql":
        assert [one for one in asked if " FOR NO KEY UPDATE" in one["sql"]]
