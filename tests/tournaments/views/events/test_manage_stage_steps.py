"""The next step on the page Manage where a stage is played by plans: entrants, plans, stages."""

import re

import pytest

from tests.support.builders import TESTS, finished, players, worker_runs
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in
from tests.support.pages.manage import next_step
from tests.support.pages.text import text_of
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.meetings import Meeting, Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round

pytestmark = pytest.mark.usefixtures("clock")

CLUB = "/clubs/riverside"
NAMES = tuple(f"Player {letter}." for letter in "ABCDEFGHIJK")


class Night:
    """An event of a preset that Dirk makes and opens by pages, and its evening of today."""

    def __init__(self, cast: Cast, preset: str, **more: str) -> None:
        self.dirk = cast.client("dirk")
        worker_runs()
        self.dirk.post(f"{CLUB}/new-event", {"name": "Open", "preset": preset, **more})
        self.event = Event.objects.latest("pk")
        self.page = f"{CLUB}/events/{self.event.slug}"
        self.dirk.post(f"{self.page}/direct", {"to": "open"})
        self.day = NOW.date().isoformat()

    def step(self) -> tuple[str, str]:
        return next_step(self.dirk, f"{self.page}/direct")

    def meets(self, people: list[Player]) -> None:
        self.dirk.post(f"{self.page}/new-meeting", {"date": self.day})
        check_in(Meeting.objects.get(event=self.event), people)

    def plans(self, **sent: object) -> str:
        """Create plans with what the form proposes, choose the first; returns the page between."""
        url = f"{self.page}/meetings/{self.day}/plans"
        html = self.dirk.get(url).content.decode()
        proposed = {
            "movement": re.findall(r'name="movement" value="([^"]*)"[^>]*checked', html),
            "sizes": re.findall(r'name="sizes" value="([^"]*)"[^>]*checked', html),
            "rounds": re.findall(r'name="rounds" value="([^"]*)"', html),
        }
        made = self.dirk.post(url, {**proposed, "make": "yes", "seed": "7", **sent}, follow=True)
        plan = SeatingPlan.objects.filter(state="draft").order_by("pk").first()
        assert plan is not None, text_of(made)
        self.dirk.post(url, {"choose": str(plan.public_id)})
        return text_of(made)

    def plays(self) -> None:
        """Seat the next round of the plan, play a hand at each table, close and publish it."""
        plan = SeatingPlan.objects.get(event=self.event, state="chosen")
        round_ = make_round_of_plan(actor=TESTS, plan=plan, now=NOW)
        move_round(actor=TESTS, round_=round_, to="posted", now=NOW)
        for game in Game.objects.filter(table__round=round_).select_related("event", "table"):
            finished(game, (4, 1, 2, 6) if game.table.seats.count() == 4 else (4, 3, 6))
        round_ = Round.objects.get(pk=round_.pk)
        move_round(actor=TESTS, round_=round_, to="closed", now=NOW)
        publish(self.event.pk, now=NOW)


@pytest.mark.django_db
def test_swiss_asks_for_an_evening_then_for_a_plan_of_each_round_then_for_the_final(
    cast: Cast,
) -> None:
    people = players(cast.riverside, *NAMES)
    night = Night(cast, "swiss", variant="hearts")
    assert night.step() == ("Plan an evening", "Plan evening")
    plan = {"name": "Swiss", "movement": "swiss", "rounds": "2"}
    assert night.dirk.post(f"{night.page}/stages/1/plan", plan).status_code == 302
    night.meets(people)
    assert night.step() == ("Plan the seating", "Plan seating")
    assert "Plan A: Swiss round, tables of four and three" in night.plans()
    assert night.step() == ("Seat round 1", "Seating")
    night.plays()
    assert night.step() == ("Plan round 2", "Plan seating")
    seating = text_of(night.dirk.get(f"{night.page}/meetings/{night.day}/seating"))
    assert "Create plans for its next round. After its last round, begin the stage" in seating
    second = night.plans()
    assert "Swiss round, tables of four and three 3 tables a round" in second
    assert second.count("Swiss round, tables of four only") == 1
    night.plays()
    assert night.step() == ("Begin the stage “Final table”", "Begin stage")
    seating = text_of(night.dirk.get(f"{night.page}/meetings/{night.day}/seating"))
    assert "Begin the stage “Final table” The rounds of “Swiss” are closed." in seating
    night.dirk.post(f"{night.page}/direct", {"to": "closed"})
    assert night.step() == ("Reopen the event for “Final table”", "Reopen event")
    night.dirk.post(f"{night.page}/direct", {"to": "open", "reason": "the final"})
    publish(night.event.pk, now=NOW)
    begun = night.dirk.post(f"{night.page}/stages/2/plan", {"act": "begin"}, follow=True)
    assert "Plan round 3" in text_of(begun)
    assert night.step() == ("Plan round 3", "Plan seating")
    night.plans()
    chosen = SeatingPlan.objects.get(event=night.event, state="chosen")
    assert (chosen.movement, chosen.round_count) == ("individual", 1)
    night.plays()
    assert night.step() == ("Close the event", "Close event")


@pytest.mark.django_db
def test_plan_that_has_more_rounds_is_asked_for_before_a_new_round(cast: Cast) -> None:
    people = players(cast.riverside, *NAMES[:8])
    night = Night(cast, "totals", variant="hearts")
    assert night.step() == ("Create round 1", "New round")
    night.meets(people)
    night.plans(rounds="2")
    night.plays()
    assert night.step() == ("Seat round 2", "Seating")
    night.plays()
    assert night.step() == ("Create round 3", "New round")


@pytest.mark.django_db
@pytest.mark.parametrize(("preset", "unit"), [("pairs", "pair"), ("teams", "team")])
def test_event_of_pairs_or_teams_asks_for_them_first(cast: Cast, preset: str, unit: str) -> None:
    people = players(cast.riverside, *NAMES[:8])
    night = Night(cast, preset)
    assert night.step() == (f"Add the {unit}s", f"Add {unit}")
    night.dirk.post(f"{night.page}/new-meeting", {"date": night.day})
    assert night.step() == (f"Add the {unit}s", f"Add {unit}")
    for one, other in zip(people[::2], people[1::2], strict=True):
        sent = {"kind": unit, "seat-1": one.player_id, "seat-2": other.player_id}
        added = night.dirk.post(f"{night.page}/new-entrant", sent, follow=True)
        assert f"{one.name} &amp; {other.name} added." in added.content.decode()
    assert night.step() == ("Take attendance", "Take attendance")


@pytest.mark.django_db
def test_new_plans_of_a_whist_evening_are_whist_again_for_the_rounds_that_are_left(
    cast: Cast,
) -> None:
    people = players(cast.riverside, *NAMES[:9])
    night = Night(cast, "pairs")
    night.meets(people)
    night.plans(movement="whist", rounds="5")
    night.plays()
    night.plays()
    check_in(Meeting.objects.get(event=night.event), people[8:], state="left")
    page = night.dirk.get(f"{night.page}/meetings/{night.day}/plans").content.decode()
    assert re.findall(r'name="movement" value="([^"]*)"[^>]*checked', page) == ["whist"]
    assert re.findall(r'name="rounds" value="([^"]*)"', page) == ["3"]


@pytest.mark.django_db
def test_knockout_ends_with_the_round_of_one_table(cast: Cast) -> None:
    people = players(cast.riverside, *NAMES[:8])
    night = Night(cast, "cup", variant="hearts")
    night.meets(people)
    night.plans()
    night.plays()
    assert night.step() == ("Plan round 2", "Plan seating")
    night.plans()
    night.plays()
    assert night.step() == ("Close the event", "Close event")
