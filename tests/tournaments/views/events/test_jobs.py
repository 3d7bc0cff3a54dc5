"""The work on an event as its director sees it: runs, what waits, and what failed."""

from collections.abc import Callable
from datetime import datetime, timedelta
from types import ModuleType

import pytest
import time_machine
from django.db.models import F
from django.test import Client
from django.utils import timezone

from tests.support.answers import Json
from tests.support.builders import by_tests, hand, league, players, table
from tests.support.cast import Cast
from tests.support.pages.text import text_of
from tournaments import tasks
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.jobs import (
    PREFIXES_OF_EVENTS,
    Deadline,
    Dirty,
    history_scope,
    ladder_scope,
    playoffs_scope,
    recount_scope,
)
from tournaments.models.standings import Publication
from tournaments.services.events.events import move_event
from tournaments.services.hands.close_tables import move_game
from tournaments.services.jobs import queue
from tournaments.services.jobs.enqueue import DeadlineOutcome, mark_recount, set_deadline
from tournaments.services.publishing import history, ladders, schedule_playoffs
from tournaments.services.publishing import publications as publishing_publish_event
from tournaments.services.rounds.rounds import move_round
from tournaments.tasks import publish_event
from tournaments.views.events.manage.facts import WORDS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
EVENT = "/clubs/riverside/events/league"


@pytest.fixture
def event(cast: Cast) -> Event:
    event = league(cast.riverside)
    hand(table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora")), 1, [4, 1, 2, 6], 3)
    tasks.publish_event(event.pk)
    return event


def jobs(cast: Cast) -> dict[tuple[str, str], Json]:
    found = cast.client("dirk").get(f"/api/v1{EVENT}/jobs").json()["results"]
    return {(one["kind"], one["key"]): one for one in found}


def works_like(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "stopwatch", lambda: lambda: round(seconds * 1000))


def test_each_computation_says_when_it_ran_last_and_how_long_it_took(
    cast: Cast, event: Event, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark_recount(event=event, now=timezone.now())
    clock.shift(timedelta(minutes=3))
    works_like(0.041, monkeypatch)
    tasks.recount_event(event.pk)
    works_like(1.25, monkeypatch)
    tasks.publish_event(event.pk)
    told = jobs(cast)
    ran = {kind: (one["state"], one["ran_at"], one["took_ms"]) for (kind, _), one in told.items()}
    at = "2025-11-06T21:03:00Z"
    assert ran["event"] == ("idle", at, 1250)
    assert ran["recount"] == ("idle", at, 41)
    assert ran["companion"][2] == 41, "history is made between two pieces of the recount"
    page = text_of(cast.client("dirk").get(f"{EVENT}/direct"))
    assert "Standings Up to date 6 Nov 2025, 21:03 took 1.3 s" in page
    assert "Recomputing all games Up to date 6 Nov 2025, 21:03 took 41 ms" in page


def test_what_waits_says_since_when_and_long_work_how_far_it_is(
    cast: Cast, event: Event, clock: time_machine.Traveller
) -> None:
    mark_recount(event=event, now=timezone.now())
    clock.shift(timedelta(seconds=30))
    waiting = jobs(cast)["recount", ""]
    assert (waiting["state"], waiting["waits_since"]) == ("waiting", "2025-11-06T21:00:00Z")
    scope = recount_scope(event.pk)
    assert queue.claim_job(scope, now=timezone.now())
    far = {"version": 1, "done": 1, "of": 3, "after": 1}
    queue.renew_claim(scope, now=timezone.now(), progress=far)
    running = jobs(cast)["recount", ""]
    assert (running["state"], running["done"], running["of"]) == ("running", 1, 3)
    page = text_of(cast.client("dirk").get(f"{EVENT}/direct"))
    assert "Recomputing all games Running 1 of 3" in page


def test_job_of_the_clock_says_when_it_is_due_and_what_came_of_it(
    cast: Cast, event: Event, clock: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def weekly(event: Event, row: Deadline, now: datetime) -> DeadlineOutcome:
        return DeadlineOutcome(now + timedelta(days=7), "2 dropped")

    monkeypatch.setitem(tasks.HANDLERS, "weekly", weekly)
    set_deadline(event, "weekly", timezone.now() + timedelta(hours=1), key="x")
    before = jobs(cast)["weekly", "x"]
    assert (before["state"], before["due_at"], before["ran_at"]) == (
        "idle",
        "2025-11-06T22:00:00Z",
        None,
    )
    clock.shift(timedelta(hours=1, minutes=1))
    assert jobs(cast)["weekly", "x"]["state"] == "waiting"
    works_like(0.012, monkeypatch)
    tasks.run_deadline(Deadline.objects.get(kind="weekly").pk)
    after = jobs(cast)["weekly", "x"]
    assert (after["state"], after["ran_at"], after["took_ms"], after["outcome"]) == (
        "idle",
        "2025-11-06T22:01:00Z",
        12,
        "2 dropped",
    )
    assert after["due_at"] == "2025-11-13T22:01:00Z"
    page = text_of(cast.client("dirk").get(f"{EVENT}/direct"))
    assert "weekly x due 13 Nov 2025, 22:01 6 Nov 2025, 22:01 took 12 ms 2 dropped" in page


@pytest.mark.parametrize(
    ("scope", "task", "breaks"),
    [
        (ladder_scope, tasks.publish_ladder, (ladders, "publish_ladder")),
        (playoffs_scope, tasks.schedule_event_playoffs, (schedule_playoffs, "schedule_playoffs")),
        (history_scope, tasks.make_history, (history, "make_piece")),
    ],
    ids=["ladder", "playoffs", "history"],
)
def test_ladder_playoffs_and_history_that_fail_are_given_up_and_tried_again(
    cast: Cast,
    event: Event,
    clock: time_machine.Traveller,
    monkeypatch: pytest.MonkeyPatch,
    scope: Callable[[int], str],
    task: Callable[[int], object],
    breaks: tuple[ModuleType, str],
    dirk: Client,
) -> None:
    def poison(event_id: int, **_more: datetime) -> object:
        raise RuntimeError("poison")

    queue.mark_due(scope(event.pk), now=timezone.now())
    kind = scope(0).partition(":")[0]
    with monkeypatch.context() as broken:
        broken.setattr(*breaks, poison)
        for tried in (1, 2, 3):
            task(event.pk)
            told = jobs(cast)[kind, ""]
            state = "stopped" if tried == 3 else "waiting"
            assert (told["attempts"], told["state"]) == (tried, state)
            clock.shift(timedelta(seconds=5))
    assert told["error"] == "RuntimeError: poison"
    page = text_of(dirk.get(f"{EVENT}/direct"))
    assert f"{WORDS[kind].stopped} RuntimeError: poison" in page
    assert "poison" not in text_of(cast.client("piet").get(EVENT))
    task(event.pk)
    assert jobs(cast)[kind, ""]["state"] == "stopped"
    response = dirk.post(f"{EVENT}/direct", {"try_again": "yes"}, follow=True)
    assert "The job will be tried again." in text_of(response)
    while not Dirty.objects.filter(scope=scope(event.pk), done=F("version")).exists():
        task(event.pk)
    again = jobs(cast)[kind, ""]
    assert (again["state"], again["attempts"], again["error"]) == ("idle", 0, "")


def test_every_kind_of_work_has_a_name() -> None:
    kinds = {prefix.rstrip(":") for prefix in PREFIXES_OF_EVENTS} | set(tasks.HANDLERS)
    assert kinds | {"import"} == set(WORDS)


def night(cast: Cast, slug: str, **settings: object) -> Game:
    event = league(cast.riverside, slug=slug, settings=settings)
    game = table(event, players(cast.riverside, "Ada", "Ben", "Cem", "Dora"))
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publish_event(event.pk)
    return game


def close(game: Game, *states: str) -> Event:
    move_game(by_tests(timezone.now()), game, to="complete")
    move_round(by_tests(timezone.now()), game.table.round, to="closed")
    event = game.event
    for state in states:
        event = move_event(by_tests(timezone.now()), event, to=state)
    publishing_publish_event.publish(event.pk, now=timezone.now())
    return event


def newest(event: Event) -> int:
    return Publication.objects.filter(event=event).latest("number").number


def test_closed_event_says_until_when_it_is_provisional_and_what_it_waits_for(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    close(night(cast, "league", correction_window_h=48), "closed")
    anybody, dirk = cast.client(), cast.client("dirk")
    assert "Provisional until" in text_of(anybody.get(EVENT))
    assert "Then the event becomes final" in text_of(dirk.get(f"{EVENT}/direct"))
    early = dirk.post(f"{EVENT}/direct", {"to": "final"})
    assert "Results can be corrected until 2025-11-08 21:00 UTC" in text_of(early, 422)
    Hand.objects.update(state="disputed")
    says = "Round 1 has a disputed hand. Resolve it first."
    assert f"Not final yet: {says}" in text_of(anybody.get(EVENT))
    assert says in text_of(dirk.get(f"{EVENT}/direct"))


def test_final_event_and_its_publications_say_how_many_hands_were_corrected(
    cast: Cast, clock: time_machine.Traveller
) -> None:
    game = night(cast, "league")
    hand(game, 1, [4, 2, 1, 6], queen=3, based_on=1, reason="Before it was final.")
    close(game, "closed", "final")
    anybody = cast.client()
    assert "corrected" not in text_of(anybody.get(EVENT))
    before = newest(game.event)
    hand(game, 1, [4, 1, 2, 6], queen=3, based_on=2, reason="The paper says so.")
    clock.shift(timedelta(seconds=5))  # a burst is gathered for a moment
    publish_event(game.event_id)
    assert "Final 1 hand corrected" in text_of(anybody.get(EVENT))
    now = newest(game.event)
    assert now == before + 1
    assert "1 hand corrected" in text_of(anybody.get(f"{EVENT}/publications/{now}"))
    old = text_of(anybody.get(f"{EVENT}/publications/{before}"))
    assert f"Superseded by {now}" in old
    assert "1 hand corrected" not in old
    log = text_of(anybody.get(f"{EVENT}/changes"))
    assert log.index("“The paper says so.”") < log.index("Event made final")
    assert log.index("Event made final") < log.index("“Before it was final.”")
    assert f"In the standings since publication {now}" in log
