"""A knock-out is ranked by how far its entrants came; the primary value orders those of a round."""

import csv

import pytest

from tests.support.answers import Json
from tests.support.builders import TESTS, hand, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tests.support.scenarios.cuts import NAMES, before_a_cut, close
from tournaments.models.clubs import Player
from tournaments.models.events import Event, Stage
from tournaments.models.meetings import Round
from tournaments.models.standings import StoredHistory
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.rounds import move_round
from tournaments.services.stages.plan_stages import begin_stage, plan_stage
from tournaments.tasks import make_history

pytestmark = pytest.mark.django_db

E = "/clubs/riverside/events/league"
CHAMPION, FINALISTS, OUT = "RL02", ["RL01", "RL05", "RL06"], ["RL03", "RL07", "RL08", "RL04"]


@pytest.fixture
def event(cast: Cast) -> Event:
    """A cup of eight after its final, which the best two of two tables reached.

    RL02 won it with 4 points in two hands, RL01 has 3, RL05 7 and RL06 22. RL03 has 5 of one hand.
    """
    people: list[Player] = players(cast.riverside, *NAMES)
    event = before_a_cut(people)
    Stage.objects.update(kind="knockout", name="Cup")
    final = table(event, [people[at] for at in (0, 1, 4, 5)], round_number=2)
    hand(final, 1, [2, 1, 5, 5], 3)
    close(event, 2)
    return event


def rows(cast: Cast) -> list[Json]:
    found: list[Json] = cast.client().get(f"/api/v1{E}/standings").json()["rows"]
    return found


def order(cast: Cast) -> list[str]:
    return [row["player_id"] for row in rows(cast)]


def test_winner_of_the_final_is_first_and_who_reached_it_before_who_did_not(
    event: Event, cast: Cast
) -> None:
    assert order(cast) == [CHAMPION, *FINALISTS, *OUT]
    stages = [row.get("stage") for row in rows(cast)]
    assert stages == ["first place of Cup", *["round 2 of Cup"] * 3, *[None] * 4]
    decided = [row["decided_by"] for row in rows(cast)]
    assert (decided[1], decided[4]) == ("stage", "stage")
    lines = cast.client().get(f"/api/v1{E}/standings.csv").content.decode().splitlines()
    assert [row["player_id"] for row in csv.DictReader(lines)] == order(cast)
    read = " ".join(text_of(cast.client().get(E)).split())
    assert "above Elsa D.: place 1 against 2 in round 2" in read
    assert "above Ruth K.: went on to round 2 of Cup" in read


def test_nobody_is_the_winner_before_the_final_is_closed(event: Event, cast: Cast) -> None:
    final = Round.objects.select_related("event__club", "club").get(number=2)
    move_round(actor=TESTS, round_=final, to="playing", reason="Misread.", now=NOW)
    publish(event.pk, now=NOW)
    assert order(cast) == ["RL01", CHAMPION, "RL05", "RL06", *OUT]


def test_who_went_on_to_a_further_stage_is_before_the_others(event: Event, cast: Cast) -> None:
    fields = {"movement": "swiss", "name": "Last two", "advance": {"best": 2}}
    plan_stage(actor=TESTS, event=event, fields=fields, now=NOW)
    begin_stage(actor=TESTS, event=event, number=2, now=NOW)
    publish(event.pk, now=NOW)
    assert order(cast) == ["RL01", CHAMPION, "RL05", "RL06", *OUT]
    assert [row.get("stage") for row in rows(cast)][:3] == ["Last two"] * 2 + ["round 2 of Cup"]


def test_other_movements_are_not_ranked_by_round(event: Event, cast: Cast) -> None:
    Stage.objects.update(kind="swiss")
    close_again = Round.objects.select_related("event__club", "club").get(number=2)
    move_round(actor=TESTS, round_=close_again, to="playing", reason="Misread.", now=NOW)
    publish(event.pk, now=NOW)
    assert order(cast)[:4] == ["RL01", CHAMPION, "RL05", "RL03"]


def test_last_table_of_the_history_is_that_of_the_standings(event: Event) -> None:
    make_history(event.pk)
    newest = publish(event.pk, now=NOW)
    stored = StoredHistory.objects.get(event=event, kind="as_of", key="2")
    assert newest is not None
    assert stored.digest == newest.digest
