"""Undoing an import, importing the same file again, and the rounds that both open and close."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from tests.support.builders import by_tests, finished, hand, league, table
from tests.support.cast import Cast
from tests.support.fixtures import EIGHT, cast_with
from tests.support.imports.imports import CAST, imported, rows, written
from tests.support.imports.uploads import IMPORTS, send_file, send_to_worker
from tests.support.pages.text import text_of
from tournaments import tasks
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportBatch, ImportProblem, UndoneHand
from tournaments.models.rounds import Round
from tournaments.models.standings import Aggregate
from tournaments.services.imports import process_upload as job
from tournaments.services.imports.resolve_problem import dismiss_problem
from tournaments.services.rounds.rounds import move_round

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OTHERS = {"N": "RL05,Emil", "E": "RL06,Frieda", "S": "RL07,Gero", "W": "RL08,Hilde"}


cast_once, cast = cast_with(*EIGHT)


def sums() -> Mapping[str, tuple[int, ...]]:
    found = Aggregate.objects.filter(games__gt=0).values_list(
        *("entrant__code", "games", "hands", "points", "moons", "place_1", "place_4")
    )
    return {str(row[0]): row[1:] for row in found}


def undo(client: Client, number: int = 1) -> str:
    return client.post(f"{IMPORTS}/{number}/undo", follow=True).content.decode()


def night(folder: Path) -> Path:
    moon = rows(2, (13, 0, 0, 0), "N", moon={"N": "others"})
    return written(folder, rows(1), moon, rows(1, table=2, cast=OTHERS), rows(3, (3, 1, 2, 6)))


def test_page_says_what_it_undoes_before_it_does(hanna: Client, tmp_path: Path) -> None:
    imported(night(tmp_path))
    hand(Game.objects.get(table__code="r11t1"), 1, [1, 4, 2, 6], 3, based_on=1, reason="Swapped.")
    assert f"{IMPORTS}/1/undo" in hanna.get(f"{IMPORTS}/1").content.decode()
    page = hanna.get(f"{IMPORTS}/1/undo").content.decode()
    assert "1 of them was corrected later" in page
    assert "3 hands of this import will be removed, and the standings will be updated." in page
    assert Hand.objects.filter(state="accepted").count() == 3


def test_hand_a_director_voided_alone_does_not_come_back(hanna: Client, tmp_path: Path) -> None:
    path = written(tmp_path, rows(1))
    imported(path)
    Hand.objects.update(state="void")
    assert [problem.code for problem in imported(path).problems] == ["hand_exists"]


def test_large_import_is_undone_by_the_worker_even_if_it_is_killed_meanwhile(
    hanna: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = [
        rows(number, (number, 7 - number, 0, 6), round_=night)
        for night in range(1, 23)
        for number in (1, 2, 3)
    ]
    imported(written(tmp_path, *hands))
    page = undo(hanna)
    assert "The hands are being removed." in page
    assert "0 of 66 hands." in " ".join(page.split())
    assert 'max="66" value="0"' in page
    assert "Undo import" not in page
    assert "Undo import" not in hanna.get(f"{IMPORTS}/1/undo", follow=True).content.decode()
    batch = ImportBatch.objects.get()
    monkeypatch.setattr(job, "PIECE_S", 0.0)
    steps = job.upload_steps(batch.pk, now=timezone.now())
    for _ in range(5):
        next(steps)
    assert UndoneHand.objects.count() == 15
    assert "15 of 66 hands." in hanna.get(f"{IMPORTS}/1").content.decode()
    tasks.work_on_import(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, UndoneHand.objects.count()) == ("undone", 66)
    assert sums() == {}
    assert not Hand.objects.exists()
    assert not Round.objects.exists()


EVENT = "/clubs/riverside/events/league"


MISSPELT = {**CAST, "N": ",Alma X."}


ON = date(2025, 11, 13)


@pytest.fixture
def windowed(cast: Cast) -> Event:
    return league(cast.riverside, settings={"correction_window_h": 1})


@pytest.fixture
def people(cast: Cast, windowed: Event) -> list[Player]:
    return list(cast.riverside.players.order_by("player_id"))


def undo_by_director(cast: Cast) -> None:
    assert "Undone" in text_of(cast.client("dirk").post(f"{EVENT}/imports/1/undo", follow=True))


def states() -> tuple[str, list[str]]:
    games = Game.objects.order_by("table__number").values_list("state", flat=True)
    return Round.objects.get().state, list(games)


def test_table_that_was_played_on_is_played_on_and_takes_the_next_hand(
    cast: Cast, windowed: Event, people: list[Player], tmp_path: Path
) -> None:
    game = table(windowed, people[:4], round_number=11, on=ON)
    hand(game, 1, [0, 9, 4, 0], 2, actor=cast.actor("hanna"))
    assert states() == ("playing", ["playing"])
    imported(written(tmp_path, rows(2), rows(3)))
    assert states() == ("closed", ["complete"])
    undo_by_director(cast)
    assert states() == ("playing", ["playing"])
    hand(Game.objects.get(), 2, [4, 1, 2, 6], 3, actor=cast.actor("hanna"))
    assert list(Hand.objects.order_by("number").values_list("number", "state")) == [
        (1, "accepted"),
        (2, "accepted"),
    ]


def test_round_whose_tables_are_complete_stays_open_until_a_director_closes_it(
    cast: Cast, windowed: Event, people: list[Player], tmp_path: Path
) -> None:
    finished(table(windowed, people[:4], round_number=11, on=ON))
    imported(written(tmp_path, rows(1, table=2, cast=OTHERS)))
    assert states() == ("closed", ["complete", "complete"])
    undo_by_director(cast)
    assert states() == ("playing", ["complete"])


def test_round_that_was_closed_before_is_closed_again(
    cast: Cast, windowed: Event, people: list[Player], tmp_path: Path
) -> None:
    """A problem of the file holds the round open; it goes with the import."""
    finished(table(windowed, people[:4], round_number=11, on=ON))
    closed = move_round(by_tests(), Round.objects.get(), to="closed")
    imported(written(tmp_path, rows(1, table=2, cast=OTHERS), rows(2, cast=MISSPELT)))
    assert ImportProblem.objects.filter(state="open").exists()
    assert states() == ("playing", ["complete", "complete"])
    undo_by_director(cast)
    assert states() == ("closed", ["complete"])
    assert Round.objects.get().closed_at == closed.closed_at


def test_round_that_closed_with_the_last_problem_of_the_import_opens_again(
    cast: Cast, windowed: Event, people: list[Player], tmp_path: Path
) -> None:
    finished(table(windowed, people[:4], round_number=11, on=ON))
    imported(written(tmp_path, rows(1, table=2, cast=OTHERS), rows(2, cast=MISSPELT)))
    for problem in ImportProblem.objects.filter(state="open").select_related("batch__club"):
        dismiss_problem(by_tests(timezone.now()), problem, reason="Not ours.")
    assert Round.objects.get().state == "closed"
    undo_by_director(cast)
    assert states() == ("playing", ["complete"])


@pytest.mark.parametrize("is_closed_again", [True, False])
def test_round_that_people_opened_or_closed_since_stays_as_they_left_it(
    cast: Cast, windowed: Event, people: list[Player], tmp_path: Path, *, is_closed_again: bool
) -> None:
    imported(written(tmp_path, rows(1)))
    move_round(by_tests(), Round.objects.get(), to="playing", reason="One late.")
    finished(table(windowed, people[4:8], round_number=11, table_number=2, on=ON))
    if is_closed_again:
        move_round(by_tests(), Round.objects.get(), to="closed")
    undo_by_director(cast)
    assert states() == ("closed" if is_closed_again else "playing", ["complete"])


RUNNING = "Import 1 is still running. Wait until it is done."


WAITS = "Import 1 has hands for round 11 that are not imported yet."


@pytest.fixture
def two_rounds(cast: Cast) -> Event:
    event = league(cast.riverside)
    people = list(cast.riverside.players.order_by("player_id"))[:4]
    for number in (11, 12):
        finished(table(event, people, round_number=number, on=date(2025, 11, 13)))
    return event


@pytest.fixture
def dirk(cast: Cast, two_rounds: Event) -> Client:
    return cast.client("dirk")


def night_of_others(folder: Path) -> Path:
    return written(folder, rows(1, table=2, cast=OTHERS))


def close(client: Client, number: int = 11) -> str:
    return text_of(client.post(f"{EVENT}/rounds/{number}/direct", {"to": "closed"}, follow=True))


def state(number: int = 11) -> str:
    return Round.objects.get(number=number).state


def test_round_is_not_closed_while_a_file_waits_for_the_worker(
    dirk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = send_to_worker(dirk, night_of_others(tmp_path), monkeypatch)
    assert RUNNING in close(dirk)
    assert state() == "playing"
    tasks.work_on_import(batch.pk)
    assert state() == "closed"  # the import closes what is over with it


def test_round_is_not_closed_while_its_hands_come_in_but_another_one_is(
    dirk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "PIECE_S", 0.0)
    monkeypatch.setattr(job, "CHUNK", 1)
    two = (rows(1, table=2, cast=OTHERS), rows(1, table=2, cast=OTHERS, round_=13))
    batch = send_to_worker(dirk, written(tmp_path, *two), monkeypatch)
    steps = job.upload_steps(batch.pk, now=Round.objects.latest("pk").event.created_at)
    while ImportBatch.objects.get().file_rounds is None or state() == "draft":
        next(steps)
    assert RUNNING in close(dirk, 11)
    assert "Round closed." in close(dirk, 12)
    list(steps)
    assert ImportBatch.objects.get().state == "done"


def test_round_is_not_closed_before_a_file_goes_in_or_away(dirk: Client, tmp_path: Path) -> None:
    send_file(dirk, night_of_others(tmp_path))
    assert WAITS in close(dirk)
    assert state() == "playing"
    assert "Round closed." in close(dirk, 12)
    dirk.post(f"{IMPORTS}/1/discard")
    assert "Round closed." in close(dirk)


def test_round_is_not_closed_while_its_hands_are_taken_out(
    dirk: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(night_of_others(tmp_path))
    dirk.post(f"{EVENT}/rounds/11/direct", {"to": "playing", "reason": "One late."})
    assert state() == "playing"
    with monkeypatch.context() as patch:
        patch.setattr("tournaments.views.imports.imports.FEW", 0)
        dirk.post(f"{IMPORTS}/1/undo")
    assert "Import 1 is being undone. Wait until that is done." in close(dirk)
    tasks.work_on_import(ImportBatch.objects.get().pk)
    assert state() == "playing"
    assert "Round closed." in close(dirk)
