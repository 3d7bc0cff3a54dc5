"""Seasons of hundreds of hands, compared with figures made elsewhere."""

import csv
import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.imports import make_league
from tests.support.imports.imports import AFTERWARDS, SHEETS, hand_scores, imported, season
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.imports import ImportBatch
from tournaments.models.numbers import exact
from tournaments.models.rounds import Round
from tournaments.models.standings import Contribution
from tournaments.selectors.events.meetings import evenings
from tournaments.services.publishing.publications import publish

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.mark.django_db
@pytest.mark.tier_long
def test_standings_of_20000_hands_equal_those_of_the_generator(tmp_path: Path) -> None:
    sheets, table = tmp_path / "league.csv", tmp_path / "standings.csv"
    make_league.main(
        ["--players", "400", "--hands", "20000", "--out", str(sheets), "--standings", str(table)]
    )
    report = imported(sheets, club="large", create=True)
    assert (report.rows, report.hands, report.added, report.problems) == (
        80_000,
        20_000,
        20_000,
        (),
    )
    publication = publish(Event.objects.get().pk, now=AFTERWARDS)
    assert publication is not None
    columns = ("player_id", "hands", "points", "average_per_hand", "tables", "wins")
    published = csv.DictReader(io.StringIO(bytes(publication.csv).decode()))
    with table.open(newline="") as file:
        expected = [tuple(row[key] for key in columns) for row in csv.DictReader(file)]
    assert [tuple(row[key] for key in columns) for row in published] == expected


def test_generator_is_the_one_of_the_hand_out(shared: Path) -> None:
    original = shared / "data" / "make_league.py"
    if not original.exists():
        assert "BLACKLADY_SHARED" not in os.environ, f"no {original}"
        return
    copy = Path(make_league.__file__)
    assert copy.read_bytes() == original.read_bytes()


def expected(name: str) -> list[tuple[str, ...]]:
    with (SHEETS / "expected" / name).open(encoding="utf-8", newline="") as file:
        return sorted(tuple(row) for row in list(csv.reader(file))[1:])


def test_every_hand_and_table_is_scored_as_the_separate_script_does() -> None:
    report = season()
    assert (report.rows, report.hands, report.accepted, report.added) == (2284, 571, 571, 571)
    assert report.problems == ()
    assert hand_scores() == expected("hand_scores.csv")
    assert sorted(_tables()) == expected("tables.csv")
    assert {one.state for one in evenings(Event.objects.get())} == {"held"}
    assert set(Game.objects.values_list("state", flat=True)) == {"complete"}
    assert list(Round.objects.order_by("number").values_list("number", "state")) == [
        (number, "closed") for number in range(1, 11)
    ]
    batch = ImportBatch.objects.get()
    assert (batch.state, batch.rows, batch.hands, batch.accepted) == ("done", 2284, 571, 571)
    assert list(AuditLine.objects.order_by("number").values_list("act", flat=True)) == [
        "create_club",
        "create_event",
        "move_event",
        "add_players",
        "import_sheets",
    ]


def _tables() -> Iterator[tuple[str, ...]]:
    rows = Contribution.objects.select_related("game__table__round__meeting", "game__snapshot")
    names = {"hearts": "black-lady", "omnibus-hearts": "omnibus-JD"}
    seats = {
        (sitting[0], sitting[1]): sitting[2]
        for sitting in Game.objects.values_list(
            "pk", "table__seats__sittings__player__player_id", "table__seats__number"
        )
    }
    for row in rows.select_related("entrant"):
        table = row.game.table
        meeting = table.round.meeting
        assert meeting is not None
        yield (
            meeting.date.isoformat(),
            str(table.round.number),
            str(table.number),
            names[row.game.snapshot.variant],
            "NESW"[seats[row.game_id, row.entrant.code] - 1],
            row.entrant.code,
            str(row.hands),
            str(exact(row.points)),
            str(row.place),
        )
