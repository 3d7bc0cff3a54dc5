"""The page Manage: stages and evenings of an event, and what needs attention."""

import re
from datetime import date, timedelta
from pathlib import Path

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from tests.support.answers import Answer
from tests.support.builders import by_tests, finished, hand, players, table, worker_runs
from tests.support.cast import NOW, Cast
from tests.support.evenings import check_in
from tests.support.imports.imports import imported, rows, written
from tests.support.pages.manage import attention, next_step
from tests.support.pages.queries import count_queries
from tests.support.pages.text import text_of
from tests.support.scenarios.ladders import ladder
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Outbox
from tournaments.models.rounds import Meeting, Round
from tournaments.models.seating_plans import SeatingPlan
from tournaments.services.clubs.members import claim_player
from tournaments.services.events.change_event import change_event
from tournaments.services.hands.disputes import open_dispute
from tournaments.services.ladders.challenges import issue_challenge
from tournaments.services.operations import Operation
from tournaments.services.publishing.publications import publish
from tournaments.services.rounds.plan_rounds import make_round_of_plan
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import publish_event

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
            "movement": re.findall(r'<option value="([^"]*)" selected', html),
            "sizes": re.findall(r'name="sizes" value="([^"]*)"[^>]*checked', html),
            "rounds": re.findall(r'name="rounds" value="([^"]*)"', html),
        }
        response = self.dirk.post(
            url, {**proposed, "make": "yes", "seed": "7", **sent}, follow=True
        )
        plan = SeatingPlan.objects.filter(state="draft").order_by("pk").first()
        assert plan is not None, text_of(response)
        self.dirk.post(url, {"choose": str(plan.public_id)})
        return text_of(response)

    def next_round(self, after: int) -> Answer:
        """Press Next round after a round; returns the page that it leads to."""
        url = f"{self.page}/meetings/{self.day}/seating"
        return self.dirk.post(url, {"next_round": str(after)}, follow=True)

    def plays(self) -> None:
        """Seat the next round of the plan, play a hand at each table, close and publish it."""
        plan = SeatingPlan.objects.get(event=self.event, state="chosen")
        draft = Round.objects.filter(event=self.event, state="draft").first()
        round_ = draft or make_round_of_plan(by_tests(), plan)
        move_round(by_tests(), round_, to="posted")
        for game in Game.objects.filter(table__round=round_).select_related("event", "table"):
            finished(game, (4, 1, 2, 6) if game.table.seats.count() == 4 else (4, 3, 6))
        round_ = Round.objects.get(pk=round_.pk)
        move_round(by_tests(), round_, to="closed")
        publish(self.event.pk, now=NOW)


@pytest.mark.django_db
def test_swiss_asks_for_an_evening_then_a_plan_of_each_round_then_the_final(cast: Cast) -> None:
    people = players(cast.riverside, *NAMES)
    night = Night(cast, "swiss", variant="hearts")
    assert night.step() == ("Plan an evening", "Plan evening")
    plan = {"name": "Swiss", "movement": "swiss", "rounds": "2"}
    assert night.dirk.post(f"{night.page}/stages/1/plan", plan).status_code == 302
    night.meets(people)
    assert night.step() == ("Plan the seating", "Plan seating")
    assert "Plan A: Swiss round, tables of four and three" in night.plans()
    assert night.step() == ("Post round 1", "Post round 1")
    night.plays()
    assert night.step() == ("Plan round 2", "Next round")
    seating = text_of(night.dirk.get(f"{night.page}/meetings/{night.day}/seating", follow=True))
    assert "The rounds so far are closed Next round Plan seating" in seating
    plans = f"{night.page}/meetings/{night.day}/plans"
    before = text_of(night.dirk.get(plans))
    assert "Chosen" not in before, "the plan of the closed round"
    second = text_of(night.next_round(1))
    assert "Round 2 is seated. Post it to announce it to the players." in second
    assert "Post round 2 Other plans" in second
    assert "Round 2" in text_of(night.next_round(1)), "pressed twice"
    assert Round.objects.filter(event=night.event).count() == 2
    compared = text_of(night.dirk.get(plans))
    assert compared.count("Chosen") == 1
    assert compared.count("Swiss round, tables of four only") == 1
    assert night.step() == ("Post round 2", "Post round 2")
    night.plays()
    assert night.step() == ("Begin the stage “Final table”", "Begin stage")
    seating = text_of(night.dirk.get(f"{night.page}/meetings/{night.day}/seating", follow=True))
    assert "The rounds of “Swiss” are closed Begin stage" in seating
    night.dirk.post(f"{night.page}/direct", {"to": "closed"})
    assert night.step() == ("Reopen the event for “Final table”", "Reopen event")
    night.dirk.post(f"{night.page}/direct", {"to": "open", "reason": "the final"})
    publish(night.event.pk, now=NOW)
    begun = night.dirk.post(f"{night.page}/stages/2/plan", {"act": "begin"}, follow=True)
    assert "Plan round 3" in text_of(begun)
    assert night.step() == ("Plan round 3", "Next round")
    assert "Round 3 is seated." in text_of(night.next_round(2))
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
    assert night.step() == ("Seat round 2", "Next round")
    assert "Round 2 is seated." in text_of(night.next_round(1))
    assert SeatingPlan.objects.filter(event=night.event).count() == 1, "the plan has it"
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
def test_new_plans_of_a_whist_evening_are_whist_for_the_rounds_that_are_left(cast: Cast) -> None:
    people = players(cast.riverside, *NAMES[:9])
    night = Night(cast, "pairs")
    night.meets(people)
    night.plans(movement="whist", rounds="5")
    night.plays()
    night.plays()
    check_in(Meeting.objects.get(event=night.event), people[8:], state="left")
    page = night.dirk.get(f"{night.page}/meetings/{night.day}/plans").content.decode()
    assert re.findall(r'<option value="([^"]*)" selected', page) == ["whist"]
    assert re.findall(r'name="rounds" value="([^"]*)"', page) == ["3"]


@pytest.mark.django_db
def test_knockout_ends_with_the_round_of_one_table(cast: Cast) -> None:
    people = players(cast.riverside, *NAMES[:8])
    night = Night(cast, "cup", variant="hearts")
    night.meets(people)
    night.plans()
    night.plays()
    assert night.step() == ("Plan the final", "Next round")
    assert "is seated." in text_of(night.next_round(1))
    night.plays()
    assert night.step() == ("Close the event", "Close event")


MANAGE = "/clubs/riverside/events/league/direct"


def test_lines_come_in_order_of_urgency_with_one_act_each(
    cast: Cast, event: Event, clock: time_machine.Traveller, tmp_path: Path
) -> None:
    people = players(cast.riverside, *(f"Player {letter}." for letter in "ABCDEFGH"))
    old = table(event, people[:4])
    hand(old, 1, [4, 1, 2, 6], 3)
    publish_event(event.pk)
    clock.shift(timedelta(days=7))
    worker_runs()
    table(event, people[4:], round_number=2, on=date(2025, 11, 13))
    open_dispute(cast.operation("dirk"), old, number=1, words="I had 4.")
    seats = {seat: f"RL0{n},Player {'ABCD'[n - 1]}." for n, seat in enumerate("NESW", start=1)}
    wrong = written(tmp_path, rows(hearts=(4, 1, 2, 5), round_=3, variant="hearts", cast=seats))
    imported(wrong, actor=cast.actor("dirk"))
    piet = cast.actor("piet")
    claim_player(Operation(piet, timezone.now()), people[0])
    Outbox.objects.create(
        club=cast.riverside, kind="digest", payload={}, parked=True, error="550 no such box",
        created_at=NOW, due_at=NOW,
    )  # fmt: skip
    change_event(by_tests(timezone.now()), event, visibility="held")
    dirk = attention(cast.client("dirk"), MANAGE)
    assert [title for title, _ in dirk] == [
        "Table 1, hand 1 is disputed",
        "1 problem in night.csv",
        "piet wants to be linked to Player A.",
        "Only directors can read the results",
    ]
    assert [action for _, action in dirk] == [
        "Decide dispute 1", "Resolve problems of import 1", "Decide claim piet", "Release results",
    ]  # fmt: skip
    assert [line for line in attention(cast.client("olga"), MANAGE) if line not in dirk] == [
        ("1 mail of the club could not be delivered", "Show mails")
    ]


def test_many_lines_of_a_kind_are_cut_with_a_way_to_all(cast: Cast, event: Event) -> None:
    game = table(event, players(cast.riverside, *"ABCD"))
    for number in range(1, 8):
        hand(game, number, [4, 1, 2, 6], 3)
        open_dispute(by_tests(), game, number=number, words="No.")
    lines = attention(cast.client("dirk"), MANAGE)
    assert len(lines) == 6
    assert lines[5] == ("2 more like these", "Show all")


def test_worker_that_is_gone_is_said_once_something_waits(
    cast: Cast, event: Event, clock: time_machine.Traveller, dirk: Client
) -> None:
    worker_runs()
    hand(table(event, players(cast.riverside, *"ABCD")), 1, [4, 1, 2, 6], 3)
    assert attention(dirk, MANAGE) == []
    clock.shift(timedelta(minutes=2))
    assert attention(dirk, MANAGE) == [("No worker is running", "Show jobs")]
    worker_runs()
    assert attention(dirk, MANAGE) == []
    publish_event(event.pk)
    assert "Background jobs" in text_of(dirk.get(MANAGE))


def test_groups_give_each_link_with_its_present_value(cast: Cast, event: Event) -> None:
    people = players(cast.riverside, *"ABCD")
    finished(table(event, people))
    publish_event(event.pk)
    table(event, people, round_number=2)
    answer = cast.client("olga").get(MANAGE)
    in_sight = answer.content.decode().partition('<ul class="groups eight')[2].partition("</ul>")[0]
    assert re.findall(r"<a [^>]*>([^<]+)<", in_sight) == [
        *("Rounds", "Attendance", "Seating", "Enter from paper"),
        *("Standings", "Imports", "Players", "Settings"),
    ]
    page = text_of(answer)
    for said in (
        "League with 4 players. Round 1 in progress, round 2 posted.",
        "Rounds Round 1 in progress, round 2 posted",
        "Plan evening No further evening is planned",
        "Add round Round 3 is next",
        "Standings Publication 1, provisional",
        "Disputes No disputes",
        "Players 4 players",
        "Players of the club 4",
        "Settings Hearts (American), Average a hand",
        "Visibility Public",
        "Close event Open now",
        "Play-offs No play-offs",
        "Background jobs 1 pending, last run",
    ):
        assert said in page, (said, page)
    for day in (13, 20):
        Meeting.objects.create(club=event.club, event=event, date=date(2025, 11, day))
    assert "Plan evening 2 planned" in text_of(cast.client("olga").get(MANAGE))


def test_queries_of_a_ladder_do_not_grow_with_its_challenges(cast: Cast) -> None:
    event = ladder(cast, "ABCDEFGHIJ", now=NOW)
    page, dirk = "/clubs/riverside/events/ladder/direct", cast.client("dirk")

    def challenge(low: str, high: str) -> None:
        player = Player.objects.get(player_id=low)
        actor = cast.actor(low)
        assert player.user_id == actor.user_id
        issue_challenge(Operation(actor, NOW), event, challenged=high)

    challenge("J", "H")
    next_step(dirk, page)
    few = count_queries(dirk, page)
    for low, high in (("D", "B"), ("G", "E")):
        challenge(low, high)
    assert count_queries(dirk, page) == few
