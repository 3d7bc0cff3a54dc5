"""An undone import leaves nothing of its own, and all that people and other rows need."""

import csv
import json
import re
from collections.abc import Mapping
from datetime import date, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from scoring.errors import Refused
from tests.support.builders import (
    by_tests,
    hand,
    ladder,
    league,
    penalize,
    players,
    publish_all,
    table,
)
from tests.support.cast import NOW, Cast
from tests.support.fixtures import EIGHT, cast_with
from tests.support.imports.imports import CAST, hand_scores, imported, rows, written
from tests.support.pages.photos import picture
from tests.support.pages.text import text_of
from tournaments.errors import Conflict
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch, UndoneHand
from tournaments.models.jobs import Deadline
from tournaments.models.ladders import Challenge, LadderStep
from tournaments.models.playoffs import StageEntrant
from tournaments.models.rounds import Meeting, Round, SheetPhoto, Sitting, Table
from tournaments.models.standings import Aggregate, Publication
from tournaments.selectors.ladders.log import current_ladder
from tournaments.services.hands.close_tables import move_game
from tournaments.services.hands.disputes import open_dispute
from tournaments.services.hands.move_hands import move_hands
from tournaments.services.ladders.challenges import issue_challenge
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import make_round, move_round
from tournaments.services.rounds.seating import seat_table
from tournaments.services.stages.cuts import make_cut
from tournaments.tasks import run_deadline_job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

EVENT = "/clubs/riverside/events/league"
OTHERS = {"N": "RL05,Emil", "E": "RL06,Frieda", "S": "RL07,Gero", "W": "RL08,Hilde"}
cast_once, cast = cast_with(*EIGHT)


@pytest.fixture
def four(cast: Cast, event: Event) -> list[Player]:
    return list(cast.riverside.players.order_by("player_id")[:4])


def undo(cast: Cast, number: int = 1, event: str = EVENT, *, by: str = "hanna") -> None:
    assert "Undone" in text_of(cast.client(by).post(f"{event}/imports/{number}/undo", follow=True))


def body(event: Event) -> Mapping[str, object]:
    publish(event.pk, now=timezone.now())
    found = json.loads(bytes(Publication.objects.filter(event=event).order_by("-number")[0].body))
    del found["publication"]
    return found  # type: ignore[no-any-return]


def sums() -> Mapping[str, tuple[int, ...]]:
    found = Aggregate.objects.filter(games__gt=0).values_list("entrant__code", "games", "points")
    return {str(row[0]): row[1:] for row in found}


def dispute(cast: Cast, game: Game) -> None:
    open_dispute(cast.operation("hanna"), game, number=1, words="Not ours.")


def is_clean(event: Event) -> bool:
    """Whether everything stored is what the entries say (`replay --check`)."""
    publish(event.pk, now=timezone.now())
    try:
        call_command("replay", "--check", "--club", "riverside", stdout=StringIO())
    except SystemExit as end:
        return not end.code
    return True


def test_undone_import_leaves_no_round_no_table_no_name_and_its_numbers_are_free(
    cast: Cast, event: Event, four: list[Player], tmp_path: Path
) -> None:
    before = body(event)
    path = written(tmp_path, rows(1), rows(2), rows(1, table=2, cast=OTHERS))
    imported(path)
    with_hands = body(event)
    undo(cast)
    for model in (Round, Table, Meeting, Game, Sitting, Hand, Entrant, Aggregate):
        assert not model._default_manager.exists(), model
    public = Client()
    assert body(event) == before
    for page in ("", "/meetings", "/entrants", "/records"):
        shown = public.get(EVENT + page).content.decode()
        assert not {"Alma", "Emil", "Round 11", "r11t1"} & set(shown.split()), page
        assert "Alma D." not in shown, page
    for gone in ("/rounds/11", "/tables/r11t1", "/tables/r11t1/hands/1"):
        assert public.get(EVENT + gone).status_code == 404
        assert public.get(f"/api/v1{EVENT}{gone}").status_code == 404
    assert is_clean(event)
    round_ = make_round(by_tests(), event, number=11)
    assert round_.number == 11
    round_.delete()
    assert imported(path).added == 3
    assert body(event) == with_hands
    assert is_clean(event)


def test_evening_with_a_penalty_stays_without_its_hands(
    cast: Cast, event: Event, four: list[Player], tmp_path: Path
) -> None:
    imported(written(tmp_path, rows(1)))
    day = Meeting.objects.get().date
    line = penalize(event, Entrant.objects.order_by("code")[0].code, "2", "Late.", meeting=day)
    undo(cast)
    line.refresh_from_db()
    assert (line.meeting, line.meeting and line.meeting.date) == (Meeting.objects.get(), day)
    assert is_clean(event)


def test_hands_that_went_are_kept_with_revisions(cast: Cast, event: Event, tmp_path: Path) -> None:
    imported(written(tmp_path, rows(1), rows(2)))
    game = Game.objects.get()
    dirk = cast.actor("dirk")
    hand(game, 1, [1, 4, 2, 6], 3, actor=dirk, based_on=1, reason="North and East swapped.")
    typed = {one.number: one.entry.typed for one in Hand.objects.all() if one.entry}
    undo(cast)
    line = AuditLine.objects.get(act="undo_import")
    assert (line.subject, line.facts["hands"]) == ("event:league/import:1", 2)
    kept = UndoneHand.objects.get(number=1)
    assert (kept.round, kept.table, kept.day) == (11, 1, date(2025, 11, 13))
    assert kept.players == ["RL01", "RL02", "RL03", "RL04"]
    assert [revision["entry"]["hearts"] for revision in kept.revisions] == [
        [4, 1, 2, 6],
        [1, 4, 2, 6],
    ]
    assert [revision["import"] for revision in kept.revisions] == [1, None]
    assert kept.revisions[1]["reason"] == "North and East swapped."
    assert kept.revisions[1]["entered_by"] == "Dirk"
    hanna = cast.client("hanna")
    at = f"/api/v1{EVENT}/imports/1/undone-hands"
    listed = hanna.get(at).json()["results"]
    assert [(one["round"], one["table"], one["hand"]) for one in listed] == [(11, 1, 1), (11, 1, 2)]
    assert listed[1]["revisions"][0]["entry"] == typed[2]
    assert hanna.get(f"{at}.csv").status_code == 200
    page = hanna.get(f"{EVENT}/imports/1")
    assert "2 hands of this import were removed. Download as CSV" in text_of(page)
    assert re.search(r"Undone by hanna, \d+ \w+ \d{4}", text_of(page))
    assert f"{EVENT}/imports/1/undone-hands.csv" in page.content.decode()
    for who in ("piet", "nora", ""):
        assert cast.client(who).get(at).status_code == 404
        assert cast.client(who).get(f"{EVENT}/imports/1/undone-hands.csv").status_code == 404


def test_file_of_undone_hands_has_names_by_seat_and_brings_the_same_hands_back(
    cast: Cast, event: Event, tmp_path: Path
) -> None:
    moon = rows(2, (13, 0, 0, 0), "N", moon={"N": "others"})
    imported(written(tmp_path, rows(1), moon, rows(1, table=2, cast=OTHERS)))
    hand(Game.objects.get(table__code="r11t1"), 1, [1, 4, 2, 6], 3, based_on=1, reason="Swapped.")
    before, scores = body(event), hand_scores()
    undo(cast)
    response = cast.client("hanna").get(f"{EVENT}/imports/1/undone-hands.csv")
    assert response["Content-Disposition"].endswith('"riverside-league-import-1-undone.csv"')
    heads, *lines = csv.reader(response.content.decode().splitlines())
    assert heads[:8] == ["date", "round", "table", "variant", "hand", "seat", "player_id", "player"]
    assert lines[0][:8] == [*("2025-11-13", "11", "1", "hearts", "1", "N", "RL01", "Alma D.")]
    assert len(lines) == 12
    path = tmp_path / "again.csv"
    path.write_bytes(response.content)
    again = imported(path)
    assert (again.added, [problem.code for problem in again.problems if problem.waits]) == (3, [])
    assert hand_scores() == scores
    assert body(event) == before


def test_table_that_people_seated_before_waits_for_its_first_hand_again(
    cast: Cast, event: Event, four: list[Player], tmp_path: Path
) -> None:
    game = table(event, four, round_number=11, on=date(2025, 11, 13))
    imported(written(tmp_path, rows(1), rows(2)))
    assert Round.objects.get().state == "closed"
    undo(cast)
    game.refresh_from_db()
    round_ = Round.objects.get()
    assert (game.state, round_.state, round_.closed_at) == ("seated", "posted", None)
    hand(game, 1, [4, 1, 2, 6], 3, actor=cast.actor("hanna"))
    assert sums()["RL04"] == (1, 19 * 360360)
    assert is_clean(event)


def test_later_additions_stay(cast: Cast, event: Event, four: list[Player], tmp_path: Path) -> None:
    """A hand at the first table; at the second a dispute about a hand; a third table of theirs."""
    more = {"N": "RL09,Ida", "E": "RL10,Jon", "S": "RL11,Kai", "W": "RL12,Lea"}
    players(cast.riverside, "Ida", "Jon", "Kai", "Lea")
    imported(
        written(
            tmp_path, rows(1), rows(1, table=2, cast=OTHERS), rows(1, round_=12), rows(1, round_=13)
        )
    )
    games = {game.table.code: game for game in Game.objects.select_related("table")}
    hand(games["r11t1"], 2, [0, 9, 4, 0], 2)
    dispute(cast, games["r11t2"])
    move_round(by_tests(), Round.objects.get(number=12), to="playing", reason="One late.")
    seated = list(cast.riverside.players.filter(player_id__in=[c[:4] for c in more.values()]))
    seat_table(by_tests(), event, round_number=12, players=seated)
    undo(cast)
    tables = Game.objects.order_by("table__code").values_list("table__code", "state")
    assert list(tables) == [("r11t1", "complete"), ("r11t2", "abandoned"), ("r12t2", "seated")]
    assert list(Hand.objects.order_by("game__table__code").values_list("number", "state")) == [
        (2, "accepted"),
        (1, "void"),
    ]
    assert list(Round.objects.order_by("number").values_list("number", "state")) == [
        (11, "closed"),
        (12, "posted"),
    ]
    assert sums()["RL03"] == (1, 17 * 360360)
    assert set(sums()) == {"RL01", "RL02", "RL03", "RL04"}
    assert is_clean(event)


def test_photo_of_a_sheet_keeps_its_table_without_the_hands_until_they_are_imported_again(
    cast: Cast, event: Event, four: list[Player], tmp_path: Path
) -> None:
    path = written(tmp_path, rows(1))
    imported(path)
    photo = SimpleUploadedFile("sheet.jpg", picture(), content_type="image/jpeg")
    response = cast.client("dirk").post(f"{EVENT}/tables/r11t1/photos", {"photo": [photo]})
    assert response.status_code == 302, text_of(response)
    assert SheetPhoto.objects.count() == 1
    undo(cast)
    assert Game.objects.get().state == "abandoned"
    assert not Hand.objects.exists()
    assert not Sitting.objects.exists()
    with pytest.raises((Conflict, Refused), match="table_abandoned"):
        hand(Game.objects.get(), 1, [4, 1, 2, 6], 3)
    report = imported(path)
    assert (report.added, [problem.code for problem in report.problems if problem.waits]) == (1, [])
    assert (Game.objects.get().state, Round.objects.get().state) == ("complete", "closed")
    assert Sitting.objects.filter(to_hand__isnull=True).count() == 4
    assert SheetPhoto.objects.get().table.game == Game.objects.get()
    undo(cast, 2)
    assert not Hand.objects.exists()
    assert seat_table(by_tests(), event, round_number=14, players=four).state == "seated"


def test_restored_hand_is_refused_where_its_players_sit_elsewhere_by_now(
    cast: Cast, event: Event, four: list[Player], tmp_path: Path
) -> None:
    imported(written(tmp_path, rows(1)))
    dispute(cast, Game.objects.get())
    undo(cast)
    dirk = cast.actor("dirk")
    move_round(Operation(dirk, NOW), Round.objects.get(), to="playing", reason="It was played.")
    other = seat_table(Operation(dirk, NOW), event, round_number=11, players=four)
    restore = cast.client("dirk").post(
        f"{EVENT}/tables/r11t1/hands/1/void",
        {"restore": "yes", "based_on": "1", "reason": "It was right."},
    )
    assert restore.status_code == 422
    said = "Hand 1 cannot be restored, because Alma D. now sits at table 2 of this round"
    assert said in text_of(restore)
    assert sums() == {}
    hand(other, 1, [4, 1, 2, 6], 3)
    assert {one[0] for one in sums().values()} == {1}
    assert is_clean(event)


def test_later_import_keeps_its_round_and_the_last_one_that_is_undone_takes_it_away(
    cast: Cast, event: Event, tmp_path: Path
) -> None:
    imported(written(tmp_path, rows(1), name="one.csv"))
    imported(written(tmp_path, rows(1, table=2, cast=OTHERS), name="two.csv"))
    undo(cast)
    assert list(Table.objects.values_list("code", flat=True)) == ["r11t2"]
    assert set(Entrant.objects.values_list("code", flat=True)) == {"RL05", "RL06", "RL07", "RL08"}
    undo(cast, 2)
    assert not Round.objects.exists()
    assert not Entrant.objects.exists()
    assert ImportBatch.objects.filter(state="undone").count() == 2


def test_who_went_on_to_the_next_stage_stays_in_it(cast: Cast, tmp_path: Path) -> None:
    event = league(cast.riverside)
    imported(written(tmp_path, rows(1), rows(1, [1, 3, 5, 4], table=2, cast=OTHERS)))
    publish(event.pk, now=NOW)
    make_cut(by_tests(), event, cut=4, name="")
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
        Operation(dirk, timezone.now()), event, challenger=second.code, challenged=first.code
    )
    joined = LadderStep.objects.filter(kind="joined").count()
    assert joined == 4
    with CaptureQueriesContext(connection) as asked:
        undo(cast, event=EVENT.replace("league", "ladder"))
    assert Challenge.objects.get().challenged_id == first.pk
    assert LadderStep.objects.filter(kind="joined").count() == joined
    assert not Hand.objects.exists()
    # On PostgreSQL: rows that only point at a game or a ladder do not wait for the undoing. Only
    # rows that point at a deleted table do.
    held = [one["sql"] for one in asked if " FOR UPDATE" in one["sql"]]
    of = ('FROM "tournaments_dirty"', 'FROM "tournaments_table"')
    assert [sql for sql in held if not any(one in sql for one in of)] == []


def test_final_tables_of_a_reopened_round_are_not_final(cast: Cast, tmp_path: Path) -> None:
    event = league(cast.riverside, settings={"correction_window_h": 1})
    people = list(cast.riverside.players.order_by("player_id"))
    on = date(2025, 11, 13)
    table(event, people[:4], round_number=11, on=on)
    other = table(event, people[4:8], round_number=11, table_number=2, on=on)
    hand(other, 1, [4, 1, 2, 6], 3)
    move_game(by_tests(), other, to="complete")
    imported(written(tmp_path, rows(1)))
    end_window(event)
    undo(cast, by="dirk")
    assert list(Game.objects.order_by("pk").values_list("state", flat=True)) == [
        "seated",
        "complete",
    ]
    assert Round.objects.get().state == "playing"


def end_window(event: Event) -> None:
    deadline = Deadline.objects.get(event=event, kind="finalise_round")
    assert run_deadline_job(deadline.pk, now=deadline.due_at + timedelta(minutes=1))
    assert set(Game.objects.values_list("state", flat=True)) == {"final"}


def test_table_where_seats_changed_is_abandoned_not_reseated(cast: Cast, tmp_path: Path) -> None:
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


def test_hand_that_was_moved_is_not_restored_at_its_origin(
    cast: Cast, event: Event, tmp_path: Path
) -> None:
    path = written(tmp_path, rows(1), rows(2, (3, 2, 2, 6)), rows(1, cast=OTHERS, table=2))
    imported(path)
    games = {game.table.code: game for game in Game.objects.select_related("table")}
    move_hands(by_tests(), games["r11t1"], to=games["r11t2"], from_hand=2, reason="They sat there.")
    undo(cast)
    report = imported(path)
    waiting = [(problem.code, problem.message) for problem in report.problems if problem.waits]
    assert waiting == [
        (
            "hand_moved_away",
            "Table 1, hand 2: a director moved this hand to table 2 of round 11, where it is hand "
            "2. Leave the row out, or correct its place.",
        )
    ]
    stored = Hand.objects.exclude(state="void").order_by("game__table__code", "number")
    assert list(stored.values_list("game__table__code", "number")) == [
        ("r11t1", 1),
        ("r11t2", 1),
        ("r11t2", 2),
    ]


def test_undone_import_opens_the_evening_whose_round_it_closed(
    cast: Cast, event: Event, four: list[Player], tmp_path: Path
) -> None:
    day = timezone.now().date()
    game = table(event, four, round_number=11, on=day)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    imported(written(tmp_path, rows(2, day=day.isoformat())), now=timezone.now())
    ends = Deadline.objects.filter(event=event, kind="evening_end")
    closed_at = Round.objects.get(event=event).closed_at
    assert closed_at is not None
    assert ends.get().due_at == closed_at + timedelta(hours=1)
    undo(cast)
    assert Round.objects.get(event=event).state == "playing"
    assert not ends.exists()
