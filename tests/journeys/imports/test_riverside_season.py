"""Ten nights of paper: imported, every score is the one that a separate script computed."""

import csv
from collections.abc import Iterator

import pytest

from tests.support.cast import NOW
from tests.support.imports.imports import SHEETS, hand_scores, season
from tournaments.models.audit import AuditLine
from tournaments.models.columns import exact
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.imports import ImportBatch
from tournaments.models.rounds import Round
from tournaments.models.standings import Contribution
from tournaments.selectors.events.meetings import evenings

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def expected(name: str) -> list[tuple[str, ...]]:
    with (SHEETS / "expected" / name).open(encoding="utf-8", newline="") as file:
        return sorted(tuple(row) for row in list(csv.reader(file))[1:])


def test_every_hand_and_table_is_scored_as_the_separate_script_does() -> None:
    report = season()
    assert (report.rows, report.hands, report.accepted, report.added) == (2284, 571, 571, 571)
    assert report.problems == ()
    assert hand_scores() == expected("hand_scores.csv")
    assert sorted(_tables()) == expected("tables.csv")
    assert {evening["state"] for evening in evenings(Event.objects.get(), NOW)} == {"held"}
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
