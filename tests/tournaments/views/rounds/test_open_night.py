"""The seating page of an open night: form tables, tick players, close rounds."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.builders import league
from tests.support.cast import Cast, enter_the_cast
from tests.support.evenings import evening
from tests.support.pages.text import text_of
from tests.support.scenarios.open_nights import OpenNightEvening
from tournaments.models.meetings import Round, Sitting, Table
from tournaments.models.seating_plans import SeatingPlan

pytestmark = pytest.mark.django_db

PLANS = "/clubs/riverside/events/league/meetings/2025-11-13/plans"
PAGE = "/clubs/riverside/events/league/meetings/2025-11-13/seating"


@pytest.fixture
def cast() -> Cast:
    return enter_the_cast()


def test_open_night_is_made_chosen_and_seated_in_four_presses(cast: Cast) -> None:
    evening(league(cast.riverside), 9)
    dirk = cast.client("dirk")
    assert "Nothing is planned ahead." in text_of(dirk.get(PLANS))
    sent = {"make": "yes", "movement": "open", "rounds": "", "sizes": ["4"]}
    made = text_of(dirk.post(PLANS, sent, follow=True))
    assert "1 plan created." in made
    assert "Plan A: open night" in made
    assert "Tables of four form during the evening" in made
    assert "Tables of all" not in made
    plan = SeatingPlan.objects.get().public_id
    page = text_of(dirk.post(PLANS, {"choose": str(plan)}, follow=True))
    assert "2 tables from the players who are free" in page
    assert "1 player waits" in page
    formed = text_of(dirk.post(PAGE, {"do": "form", "which": "all"}, follow=True))
    assert "Tables 1 and 2 formed." in formed
    assert "2 tables play" in formed
    assert "Wait for players Players who are free: 1. A table needs 4." in formed
    again = dirk.post(PAGE, {"do": "form", "which": "all"})
    assert (again.status_code, Table.objects.count()) == (422, 2)
    assert "1 players are free, too few for a table of 4." in text_of(again)


def test_ticked_players_and_single_tables(cast: Cast) -> None:
    night = OpenNightEvening(league(cast.riverside), 9)
    dirk = cast.client("dirk")
    nobody = dirk.post(PAGE, {"do": "form", "which": "picked"})
    assert "Tick the players of the table first." in text_of(nobody)
    two = dirk.post(PAGE, {"do": "form", "which": "picked", "player": ["RL02", "RL03"]})
    assert two.status_code == 422
    assert two.content.decode().count("checked") == 2
    dirk.post(PAGE, {"do": "form", "which": "picked", "player": ["RL02", "RL03", "RL07"]})
    seated = Sitting.objects.values_list("player__player_id", flat=True)
    assert set(seated) == {"RL02", "RL03", "RL07"}
    dirk.post(PAGE, {"do": "form", "which": "one"})
    assert Table.objects.count() == 2
    assert "Close rounds" not in text_of(dirk.get(PAGE))
    night.end("r1t1")
    night.end("r1t2")
    page = text_of(dirk.get(PAGE))
    assert "Close round 1" in page
    assert "1 table tonight" in page
    dirk.post(PAGE, {"do": "move", "to": "closed", "round": "1"})
    assert Round.objects.get().state == "closed"
    dirk.post(PAGE, {"do": "form", "which": "all"})
    assert set(Round.objects.values_list("number", "state")) == {(1, "closed"), (2, "posted")}


def test_page_asks_no_more_queries_for_more_people(cast: Cast) -> None:
    night = OpenNightEvening(league(cast.riverside), 8)
    dirk = cast.client("dirk")
    night.form(single=True)
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            dirk.get(PAGE)
        counts.append(len(queries))
        night.come(*(f"Late {len(night.people) + n}" for n in range(8)))
        night.form()
        night.come("Rea R.", "Sia S.")
    assert counts[1] <= counts[0] + 1


@pytest.mark.parametrize("name", ["hanna", "piet"])
def test_other_roles_form_no_tables(cast: Cast, name: str) -> None:
    OpenNightEvening(league(cast.riverside), 8)
    assert cast.client(name).post(PAGE, {"do": "form", "which": "all"}).status_code in (403, 404)
    assert not Table.objects.exists()
