"""Ten nights of paper: imported, every score is the one that a separate script computed."""

import csv
from collections.abc import Iterator
from dataclasses import fields

import pytest

from tests.support.comparisons.scores import verify_scores
from tests.support.imports.imports import SHEETS, everything, hand_scores, imported, season
from tournaments.domain.event_settings import PLACEMENT
from tournaments.domain.replay_game import replay
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game
from tournaments.models.imports import ImportBatch
from tournaments.models.meetings import Round
from tournaments.models.numbers import exact
from tournaments.models.standings import Contribution
from tournaments.selectors.events.meetings import evenings
from tournaments.selectors.hands.game_for_update import game_now
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.hands.apply_game import seat_shares
from tournaments.services.standings.contributions import GameValues, game_values

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
            "pk",
            "table__seats__sittings__player__player_id",
            "table__seats__number",
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


def test_the_same_file_again_adds_nothing() -> None:
    season()
    before = everything()
    report = season()
    assert (report.accepted, report.added, report.problems) == (571, 0, ())
    assert everything() == before


def test_dry_run_for_a_club_that_is_not_there_says_it_all_and_writes_nothing() -> None:
    before = everything()
    report = imported(SHEETS / "sheets.csv", create=True, dry_run=True)
    assert (report.rows, report.hands, report.accepted, report.problems) == (2284, 571, 571, ())
    assert everything() == before


def test_a_replay_of_the_stored_entries_gives_the_stored_sums() -> None:
    season()
    told = verify_scores(Event.objects.get())
    assert (told.hands, told.differences) == (571, [])
    for game in Game.objects.select_related("snapshot", "event")[:30]:
        entries = Entry.objects.filter(hand__game=game).order_by("hand__number")
        rules = rules_of(game.snapshot)
        hands = [(entry.hand.number, entry.typed) for entry in entries.select_related("hand")]
        played = replay(rules, 4, hands, open_ended=True)
        stored = {
            row.entrant_id: GameValues(*(getattr(row, each.name) for each in fields(GameValues)))
                for row in Contribution.objects.filter(game=game)
        }  # fmt: skip
        shares = seat_shares(game_now(game).sat)
        assert game_values(rules, played, shares, placement=PLACEMENT) == stored
        assert game.progress == played.state.as_json()
