"""What an undone import leaves to others: places on ladders and in stages, photos, seats, games."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.support.builders import TESTS, hand, ladder, league, publish_all, table
from tests.support.cast import NOW, Cast
from tests.support.fixtures import EIGHT, cast_with
from tests.support.imports.imports import CAST, imported, rows, written
from tests.support.pages.photos import picture
from tests.support.pages.text import text_of
from tournaments.errors import Conflict
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch
from tournaments.models.ladders import Challenge, LadderStep
from tournaments.models.meetings import Round, SheetPhoto, Sitting
from tournaments.models.outbox import Deadline
from tournaments.models.playoffs import StageEntrant
from tournaments.selectors.ladders.log import current_ladder
from tournaments.services.hands.close_tables import move_game
from tournaments.services.ladders.challenges import issue_challenge
from tournaments.services.publishing.publications import publish
from tournaments.services.stages.cuts import make_cut
from tournaments.tasks import run_deadline_job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
EVENT = "/clubs/riverside/events/league"
OTHERS = {"N": "RL05,Emil", "E": "RL06,Frieda", "S": "RL07,Gero", "W": "RL08,Hilde"}


cast_once, cast = cast_with(*EIGHT)


def undo(cast: Cast, event: str = "league", *, number: int = 1, by: str = "dirk") -> None:
    at = f"/clubs/riverside/events/{event}/imports/{number}/undo"
    assert "Undone" in text_of(cast.client(by).post(at, follow=True))


def test_who_went_on_to_the_next_stage_stays_in_it(cast: Cast, tmp_path: Path) -> None:
    event = league(cast.riverside)
    imported(written(tmp_path, rows(1), rows(1, [1, 3, 5, 4], table=2, cast=OTHERS)))
    publish(event.pk, now=NOW)
    make_cut(actor=TESTS, event=event, cut=4, name="", now=NOW)
    went_on = set(StageEntrant.objects.values_list("entrant__code", flat=True))
    assert len(went_on) == 4
    undo(cast)
    assert set(StageEntrant.objects.values_list("entrant__code", flat=True)) == went_on
    assert set(Entrant.objects.values_list("code", flat=True)) == went_on


def test_challenge_and_places_on_a_ladder_stay(cast: Cast, tmp_path: Path) -> None:
    event = ladder(cast.riverside)
    imported(written(tmp_path, rows(1)), event="ladder")
    publish_all(event)
    dirk = cast.actor("dirk")
    first, second = (Entrant.objects.get(code=code) for code in current_ladder(event).order[:2])
    issue_challenge(
        actor=dirk, event=event, challenger=second.code, challenged=first.code, now=timezone.now()
    )
    joined = LadderStep.objects.filter(kind="joined").count()
    assert joined == 4
    with CaptureQueriesContext(connection) as asked:
        undo(cast, "ladder")
    assert Challenge.objects.get().challenged_id == first.pk
    assert LadderStep.objects.filter(kind="joined").count() == joined
    assert not Hand.objects.exists()
    # On PostgreSQL: rows that only point at a game or a ladder do not wait for the undoing. Only
    # rows that point at a deleted table do.
    held = [one["sql"] for one in asked if " FOR UPDATE" in one["sql"]]
    of = ('FROM "tournaments_dirty"', 'FROM "tournaments_table"')
    assert [sql for sql in held if not any(one in sql for one in of)] == []


def test_sheet_of_a_table_that_holds_only_a_photo_is_imported_again(
    cast: Cast, tmp_path: Path
) -> None:
    event = league(cast.riverside)
    path = written(tmp_path, rows(1))
    imported(path)
    photo = SimpleUploadedFile("sheet.jpg", picture(), content_type="image/jpeg")
    cast.client("dirk").post(f"{EVENT}/tables/r11t1/photos", {"photo": [photo]})
    undo(cast)
    assert Game.objects.get().state == "abandoned"
    with pytest.raises(Conflict, match="table_abandoned"):
        hand(Game.objects.get(), 1, [4, 1, 2, 6], 3)
    report = imported(path)
    assert (report.added, [one.code for one in report.problems if one.waits]) == (1, [])
    assert (Game.objects.get().state, Round.objects.get().state) == ("complete", "closed")
    assert Sitting.objects.filter(to_hand__isnull=True).count() == 4
    assert SheetPhoto.objects.get().table.game == Game.objects.get()
    undo(cast, number=2)
    assert not Hand.objects.filter(game__event=event).exists()
    assert Game.objects.get().state == "abandoned"


def test_final_tables_of_a_round_that_opens_again_are_final_no_more(
    cast: Cast, tmp_path: Path
) -> None:
    event = league(cast.riverside, settings={"correction_window_h": 1})
    people = list(cast.riverside.players.order_by("player_id"))
    on = date(2025, 11, 13)
    table(event, people[:4], round_number=11, on=on)
    other = table(event, people[4:8], round_number=11, table_number=2, on=on)
    hand(other, 1, [4, 1, 2, 6], 3)
    move_game(actor=TESTS, game=other, to="complete", now=NOW)
    imported(written(tmp_path, rows(1)))
    end_window(event)
    undo(cast)
    assert list(Game.objects.order_by("pk").values_list("state", flat=True)) == [
        "seated",
        "complete",
    ]
    assert Round.objects.get().state == "playing"


def end_window(event: Event) -> None:
    """Have the clock make the games of the event's closed round final."""
    deadline = Deadline.objects.get(event=event, kind="finalise_round")
    assert run_deadline_job(deadline.pk, now=deadline.due_at + timedelta(minutes=1))
    assert set(Game.objects.values_list("state", flat=True)) == {"final"}


def test_table_where_somebody_changed_seats_is_abandoned_not_seated_twice(
    cast: Cast, tmp_path: Path
) -> None:
    """RL01 sits North, and East from hand 2 on, where nobody is written before."""
    event = league(cast.riverside)
    people = list(cast.riverside.players.order_by("player_id"))
    game = table(event, people[:4], round_number=11, on=date(2025, 11, 13))
    nobody = {**CAST, "E": ","}
    moved = {**CAST, "N": "RL05,Emil", "E": "RL01,Alma D."}
    imported(written(tmp_path, rows(1, cast=nobody), rows(2, cast=moved)))
    assert Hand.objects.filter(game=game, number=2, state="accepted").exists()
    undo(cast)
    assert ImportBatch.objects.get().state == "undone"
    assert Game.objects.get().state == "abandoned"
    assert not Sitting.objects.exists()
