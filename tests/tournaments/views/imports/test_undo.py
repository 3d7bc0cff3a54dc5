"""Undoing an import, and importing the same file again."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.builders import hand, table
from tests.support.cast import NOW, Cast
from tests.support.fixtures import EIGHT, cast_with
from tests.support.imports.imports import hand_scores, imported, rows, written
from tournaments import tasks
from tournaments.models.audit import AuditLine
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch, ImportProblem, UndoneHand
from tournaments.models.meetings import Round
from tournaments.models.standings import Aggregate, Publication
from tournaments.services.events.events import move_event
from tournaments.services.imports import process_upload as job
from tournaments.services.publishing import publications

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ADDRESS = "/clubs/riverside/events/league/imports"
OTHERS = {"N": "RL05,Emil", "E": "RL06,Frieda", "S": "RL07,Gero", "W": "RL08,Hilde"}


cast_once, cast = cast_with(*EIGHT)


def sums() -> Mapping[str, tuple[int, ...]]:
    found = Aggregate.objects.filter(games__gt=0).values_list(
        *("entrant__code", "games", "hands", "points", "moons", "place_1", "place_4")
    )
    return {str(row[0]): row[1:] for row in found}


def digest(event: Event) -> str:
    publications.publish(event.pk, now=timezone.now())
    return Publication.objects.filter(event=event).order_by("-number")[0].digest


def undo(client: Client, number: int = 1) -> str:
    return client.post(f"{ADDRESS}/{number}/undo", follow=True).content.decode()


def night(folder: Path) -> Path:
    moon = rows(2, (13, 0, 0, 0), "N", moon={"N": "others"})
    return written(folder, rows(1), moon, rows(1, table=2, cast=OTHERS), rows(3, (3, 1, 2, 6)))


def test_page_says_what_it_undoes_before_it_does(hanna: Client, tmp_path: Path) -> None:
    imported(night(tmp_path))
    assert f"{ADDRESS}/1/undo" in hanna.get(f"{ADDRESS}/1").content.decode()
    page = hanna.get(f"{ADDRESS}/1/undo").content.decode()
    assert "3 hands of this import will be removed, and the standings will be updated." in page
    assert Hand.objects.filter(state="accepted").count() == 3


def test_undone_import_leaves_sums_and_standings_as_they_were(
    event: Event, hanna: Client, cast: Cast, tmp_path: Path
) -> None:
    seated = list(cast.riverside.players.order_by("player_id")[:4])
    hand(table(event, seated, round_number=10), 1, [4, 1, 2, 6], queen=3)
    sums_before, standings_before = sums(), digest(event)
    imported(night(tmp_path))
    assert digest(event) != standings_before
    assert "Undone" in undo(hanna)
    assert sums() == sums_before
    assert digest(event) == standings_before
    assert (Hand.objects.count(), UndoneHand.objects.count()) == (1, 3)
    line = AuditLine.objects.get(act="undo_import")
    assert (line.subject, line.facts["hands"]) == ("event:league/import:1", 3)
    assert set(ImportProblem.objects.values_list("state", flat=True)) <= {"dismissed", "settled"}


def test_same_file_afterwards_brings_the_same_hands_and_standings(
    event: Event, hanna: Client, tmp_path: Path
) -> None:
    path = night(tmp_path)
    first = imported(path)
    scores, before, standings = hand_scores(), sums(), digest(event)
    undo(hanna)
    again = imported(path)
    assert (again.accepted, again.added) == (first.accepted, first.added) == (3, 3)
    assert again.problems == first.problems
    assert hand_scores() == scores
    assert sums() == before
    assert digest(event) == standings
    assert [(one.state, one.revision) for one in Hand.objects.all()] == [("accepted", 1)] * 3
    assert ImportBatch.objects.get(number=2).added == 3
    assert set(Game.objects.values_list("state", flat=True)) == {"complete"}


def test_mended_file_afterwards_may_name_other_tables_players_and_dates(
    hanna: Client, tmp_path: Path
) -> None:
    imported(night(tmp_path))
    undo(hanna)
    path = written(
        tmp_path,
        *(rows(1, cast=OTHERS, day="2025-11-14"), rows(1, table=2, day="2025-11-14")),
        name="mended.csv",
    )
    report = imported(path)
    assert [problem.code for problem in report.problems if problem.waits] == []
    assert report.added == 2
    assert str(Round.objects.get(number=11).meeting.date) == "2025-11-14"  # type: ignore[union-attr]
    assert {row[5] for row in hand_scores() if row[2] == "1"} == {"RL05", "RL06", "RL07", "RL08"}


def test_hand_that_a_director_voided_alone_does_not_come_back(
    hanna: Client, tmp_path: Path
) -> None:
    path = written(tmp_path, rows(1))
    imported(path)
    Hand.objects.update(state="void")
    assert [problem.code for problem in imported(path).problems] == ["hand_exists"]


def test_hand_that_was_corrected_since_goes_too_and_that_is_said_before(
    hanna: Client, cast: Cast, tmp_path: Path
) -> None:
    imported(written(tmp_path, rows(1), rows(2)))
    game = Game.objects.get()
    hand(game, 1, [1, 4, 2, 6], 3, actor=cast.actor("dirk"), based_on=1, reason="Swapped.")
    assert "1 of them was corrected later" in hanna.get(f"{ADDRESS}/1/undo").content.decode()
    undo(hanna)
    assert not Hand.objects.exists()
    assert [len(one.revisions) for one in UndoneHand.objects.order_by("number")] == [2, 1]


def test_hands_typed_at_the_same_table_stay_with_their_totals(
    hanna: Client, tmp_path: Path
) -> None:
    imported(written(tmp_path, rows(1), rows(2)))
    hand(Game.objects.get(), 3, [0, 9, 4, 0], 2, now=NOW)
    undo(hanna)
    assert sums()["RL03"][:3] == (1, 1, 17 * 360360)
    assert Game.objects.get().hands_counted == 1


def test_import_is_undone_once_and_only_while_the_event_is_open(
    event: Event, hanna: Client, cast: Cast, tmp_path: Path
) -> None:
    imported(written(tmp_path, rows(1)))
    undo(hanna)
    assert "Import 1 has changed" in undo(hanna)
    imported(written(tmp_path, rows(1)))
    move_event(actor=cast.actor("dirk"), event=event, to="closed", now=NOW)
    assert "An import is undone while its event is open" in undo(hanna, 2)
    assert Hand.objects.get().state == "accepted"


def test_large_import_is_undone_by_the_worker_even_if_it_is_killed_meanwhile(
    hanna: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = [rows(number, round_=night) for night in range(1, 23) for number in (1, 2, 3)]
    imported(written(tmp_path, *hands))
    page = undo(hanna)
    assert "The hands are being removed. 0 of 66 hands." in " ".join(page.split())
    assert 'max="66" value="0"' in page
    assert "Undo import" not in page
    assert "Undo import" not in hanna.get(f"{ADDRESS}/1/undo", follow=True).content.decode()
    batch = ImportBatch.objects.get()
    monkeypatch.setattr(job, "PIECE_S", 0.0)
    steps = job.upload_steps(batch.pk, now=timezone.now())
    for _ in range(5):
        next(steps)
    assert UndoneHand.objects.count() == 15
    assert "15 of 66 hands." in hanna.get(f"{ADDRESS}/1").content.decode()
    tasks.work_on_import(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, UndoneHand.objects.count()) == ("undone", 66)
    assert sums() == {}
    assert not Hand.objects.exists()
    assert not Round.objects.exists()
