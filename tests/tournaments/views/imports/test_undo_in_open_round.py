"""Undoing an import into a round in which people enter hands: the round stays as they had it."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from tests.support.builders import TESTS, finished, hand, league, table
from tests.support.cast import NOW, Cast
from tests.support.fixtures import EIGHT, cast_with
from tests.support.imports.imports import CAST, imported, rows, written
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.imports import ImportProblem
from tournaments.models.meetings import Round
from tournaments.models.outbox import Deadline
from tournaments.services.imports.resolve_problem import dismiss_problem
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import run_deadline_job

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
EVENT = "/clubs/riverside/events/league"
OTHERS = {"N": "RL05,Emil", "E": "RL06,Frieda", "S": "RL07,Gero", "W": "RL08,Hilde"}
MISSPELT = {**CAST, "N": ",Alma X."}
ON = date(2025, 11, 13)


cast_once, cast = cast_with(*EIGHT)


@pytest.fixture
def event(cast: Cast) -> Event:
    return league(cast.riverside, settings={"correction_window_h": 1})


@pytest.fixture
def people(cast: Cast, event: Event) -> list[Player]:
    return list(cast.riverside.players.order_by("player_id"))


def undo(cast: Cast) -> None:
    assert "Undone" in text_of(cast.client("dirk").post(f"{EVENT}/imports/1/undo", follow=True))


def states() -> tuple[str, list[str]]:
    games = Game.objects.order_by("table__number").values_list("state", flat=True)
    return Round.objects.get().state, list(games)


def test_table_that_was_played_on_is_played_on_and_takes_the_next_hand(
    cast: Cast, event: Event, people: list[Player], tmp_path: Path
) -> None:
    game = table(event, people[:4], round_number=11, on=ON)
    hand(game, 1, [0, 9, 4, 0], 2, actor=cast.actor("hanna"))
    assert states() == ("playing", ["playing"])
    imported(written(tmp_path, rows(2), rows(3)))
    assert states() == ("closed", ["complete"])
    undo(cast)
    assert states() == ("playing", ["playing"])
    hand(Game.objects.get(), 2, [4, 1, 2, 6], 3, actor=cast.actor("hanna"))
    assert list(Hand.objects.order_by("number").values_list("number", "state")) == [
        (1, "accepted"),
        (2, "accepted"),
    ]


def test_table_that_became_final_meanwhile_is_played_on_too(
    cast: Cast, event: Event, people: list[Player], tmp_path: Path
) -> None:
    hand(table(event, people[:4], round_number=11, on=ON), 1, [0, 9, 4, 0], 2)
    imported(written(tmp_path, rows(2)))
    deadline = Deadline.objects.get(event=event, kind="finalise_round")
    assert run_deadline_job(deadline.pk, now=deadline.due_at + timedelta(minutes=1))
    assert states() == ("closed", ["final"])
    undo(cast)
    assert states() == ("playing", ["playing"])


def test_round_whose_tables_are_complete_stays_open_until_a_director_closes_it(
    cast: Cast, event: Event, people: list[Player], tmp_path: Path
) -> None:
    finished(table(event, people[:4], round_number=11, on=ON))
    imported(written(tmp_path, rows(1, table=2, cast=OTHERS)))
    assert states() == ("closed", ["complete", "complete"])
    undo(cast)
    assert states() == ("playing", ["complete"])


def test_round_that_was_closed_before_is_closed_again(
    cast: Cast, event: Event, people: list[Player], tmp_path: Path
) -> None:
    """A problem of the file holds the round open; it goes with the import."""
    finished(table(event, people[:4], round_number=11, on=ON))
    closed = move_round(actor=TESTS, round_=Round.objects.get(), to="closed", now=NOW)
    imported(written(tmp_path, rows(1, table=2, cast=OTHERS), rows(2, cast=MISSPELT)))
    assert ImportProblem.objects.filter(state="open").exists()
    assert states() == ("playing", ["complete", "complete"])
    undo(cast)
    assert states() == ("closed", ["complete"])
    assert Round.objects.get().closed_at == closed.closed_at


def test_round_that_closed_with_the_last_problem_of_the_import_opens_again(
    cast: Cast, event: Event, people: list[Player], tmp_path: Path
) -> None:
    finished(table(event, people[:4], round_number=11, on=ON))
    imported(written(tmp_path, rows(1, table=2, cast=OTHERS), rows(2, cast=MISSPELT)))
    for problem in ImportProblem.objects.filter(state="open").select_related("batch__club"):
        dismiss_problem(actor=TESTS, problem=problem, reason="Not ours.", now=timezone.now())
    assert Round.objects.get().state == "closed"
    undo(cast)
    assert states() == ("playing", ["complete"])


@pytest.mark.parametrize("is_closed_again", [True, False])
def test_round_that_people_opened_or_closed_since_stays_as_they_left_it(
    cast: Cast, event: Event, people: list[Player], tmp_path: Path, *, is_closed_again: bool
) -> None:
    imported(written(tmp_path, rows(1)))
    move_round(actor=TESTS, round_=Round.objects.get(), to="playing", now=NOW, reason="One late.")
    finished(table(event, people[4:8], round_number=11, table_number=2, on=ON))
    if is_closed_again:
        move_round(actor=TESTS, round_=Round.objects.get(), to="closed", now=NOW)
    undo(cast)
    assert states() == ("closed" if is_closed_again else "playing", ["complete"])
