"""Working off dirty rows: claims, back-off, parking, bounds; deliveries in any order."""

import itertools
import json
import math
from collections.abc import Callable
from datetime import datetime, timedelta

import psycopg
import pytest
import time_machine
from celery import current_app
from django.db import InternalError, OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.builders import hand, league, players, table
from tests.support.cast import NOW, enter_the_cast
from tests.support.events_behind import list_events_behind
from tests.support.lengths import short_or_long
from tournaments import tasks
from tournaments.delivery.lasting_thread import release_claims
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.models.jobs import Dirty, Heartbeat, event_scope
from tournaments.models.standings import Publication
from tournaments.selectors.jobs.queue import (
    LEASE,
    get_progress_of_all,
    list_claimable_scopes,
)
from tournaments.services.jobs import queue
from tournaments.services.jobs.enqueue import PUBLISH_TASK, mark_changed
from tournaments.services.jobs.queue import forget_silent_workers, record_heartbeat
from tournaments.services.publishing import publications as publishing_publish_event
from tournaments.services.publishing import rank_and_render
from tournaments.tasks import JOBS, publish_event, work_on_due_rows

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
SLUGS = itertools.count(1)


@pytest.fixture(autouse=True)
def _on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job may take longer than the time in which a task begins others."""
    monkeypatch.setattr(tasks, "MORE_JOBS_S", math.inf)


@pytest.fixture
def game(clock: time_machine.Traveller) -> Game:
    riverside = enter_the_cast().riverside
    event = league(riverside)
    seated = table(event, players(riverside, "Elsa D.", "Ilse K.", "Leo K.", "Anton S."))
    publish_event(event.pk)
    return seated


def row(event: Event) -> Dirty:
    return Dirty.objects.get(scope=event_scope(event.pk))


def numbers(event: Event) -> list[int]:
    publications = Publication.objects.filter(event=event).order_by("number")
    return list(publications.values_list("number", flat=True))


def published(event: Event) -> bytes:
    """The newest publication without its member `publication`."""
    remainder = json.loads(bytes(Publication.objects.filter(event=event).latest("number").body))
    del remainder["publication"]
    return json.dumps(remainder, ensure_ascii=False, separators=(",", ":")).encode()


def fresh(event: Event) -> bytes:
    event = Event.objects.select_related("club", "season").get(pk=event.pk)
    return rank_and_render.render_draft(rank_and_render.draft_standings(event)).body


def poison(event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(settings={"primary": "nothing-we-know"})


def test_event_that_is_behind_is_published_and_given_back(game: Game) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publish_event(game.event_id)
    assert numbers(game.event) == [1, 2]
    assert published(game.event) == fresh(game.event)
    assert row(game.event).claimed_until is None
    assert list_events_behind(timezone.now()) == ()


def test_delivery_where_nothing_changed_does_nothing(game: Game) -> None:
    with CaptureQueriesContext(connection) as queries:
        publish_event(game.event_id)
    assert len(queries) == (2 if connection.vendor == "postgresql" else 1)
    assert numbers(game.event) == [1]


def test_delivery_for_an_event_that_was_never_there_does_nothing() -> None:
    publish_event(10**9)
    assert Publication.objects.count() == 0
    assert Dirty.objects.count() == 0


def test_burst_of_changes_is_one_computation(game: Game) -> None:
    for number in range(1, 6):
        hand(game, number, [4, 1, 2, 6], queen=3)
    for _ in range(5):
        publish_event(game.event_id)
    assert numbers(game.event) == [1, 2]


def test_burst_that_goes_on_is_gathered_for_less_than_a_second(
    game: Game, clock: time_machine.Traveller
) -> None:
    for number in range(1, 41):
        hand(game, number, [4, 1, 2, 6], queen=3)
    publish_event(game.event_id)
    hand(game, 41, [4, 1, 2, 6], queen=3)
    publish_event(game.event_id)
    assert (numbers(game.event), list_events_behind(timezone.now())) == ([1, 2], ())
    clock.shift(timedelta(milliseconds=801))
    publish_event(game.event_id)
    assert numbers(game.event) == [1, 2, 3]
    assert published(game.event) == fresh(game.event)


def test_hands_that_come_one_by_one_are_published_at_once(game: Game) -> None:
    for number in range(1, 11):
        hand(game, number, [4, 1, 2, 6], queen=3)
        publish_event(game.event_id)
    assert numbers(game.event) == list(range(1, 12))


def test_event_is_taken_up_before_whatever_else_has_waited_longer(game: Game) -> None:
    now = timezone.now()
    ago = now - timedelta(minutes=5)
    Dirty.objects.bulk_create(
        Dirty(scope=f"companion:{10_000 + at}", version=1, marked_at=ago) for at in range(201)
    )
    mark_changed(event=game.event, now=now)
    assert list_claimable_scopes(now)[0].prefix == "event:"
    assert len(list_claimable_scopes(now)) == 200


@pytest.fixture
def others(game: Game) -> list[Event]:
    return [league(game.club, slug=slug) for slug in ("cup", "open", "trophy")]


@pytest.fixture
def hinted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    numbers: list[int] = []

    def note(app: object, task: str, number: int) -> bool:
        numbers.append(number)
        return True

    monkeypatch.setattr(tasks, "send_hint", note)
    return numbers


def deliver(event_id: int) -> None:
    current_app.tasks[PUBLISH_TASK].apply(args=(event_id,))


def published_events() -> list[int]:
    return sorted(Publication.objects.values_list("event_id", flat=True))


def test_task_of_a_message_does_all_due(
    game: Game, others: list[Event], hinted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A machine under load may need longer for these than a task takes at most.
    monkeypatch.setattr(tasks, "MORE_JOBS_S", math.inf)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    deliver(others[2].pk)
    assert published_events() == sorted([game.event_id, game.event_id, *(o.pk for o in others)])
    assert [row for row in list_claimable_scopes(timezone.now()) if row.prefix in JOBS] == []
    assert hinted == []


def test_task_of_a_finished_row_works_on_the_next_due_row(
    game: Game, others: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "MORE_JOBS_S", math.inf)
    deliver(game.event_id)
    assert set(published_events()) == {game.event_id, *(o.pk for o in others)}


def test_hand_entered_while_a_worker_publishes_is_published_by_the_same_task(
    game: Game, hinted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = publishing_publish_event.publish

    def meanwhile(event_id: int, *, now: datetime) -> object:
        publication = publish(event_id, now=now)
        if publication is not None and publication.number == 2:
            hand(game, 2, [0, 0, 13, 0], queen=1)
        return publication

    hand(game, 1, [4, 1, 2, 6], queen=3)
    monkeypatch.setattr(publishing_publish_event, "publish", meanwhile)
    deliver(game.event_id)
    assert (numbers(game.event), hinted) == ([1, 2, 3], [])


def test_task_leaves_what_others_have(others: list[Event], hinted: list[int], game: Game) -> None:
    assert queue.claim_job(event_scope(others[0].pk), now=timezone.now())
    work_on_due_rows(math.inf)
    assert set(published_events()) == {game.event_id, others[1].pk, others[2].pk}


def test_task_ends_after_so_many_jobs_and_has_the_next_continue(
    others: list[Event], hinted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "MOST_MORE_JOBS", 2)
    work_on_due_rows(math.inf)
    assert set(published_events()) >= {others[0].pk, others[1].pk}
    assert (others[2].pk in published_events(), hinted) == (False, [others[2].pk])


def test_slow_task_begins_no_other_job(others: list[Event], hinted: list[int], game: Game) -> None:
    work_on_due_rows(-math.inf)
    assert (published_events(), hinted) == ([game.event_id], [others[0].pk])


def test_task_takes_up_no_row_twice_that_makes_no_progress(
    others: list[Event], hinted: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def try_in_vain(event_id: int) -> bool:
        tried.append(event_id)
        return False

    monkeypatch.setattr(tasks, "JOBS", {"event:": try_in_vain})
    work_on_due_rows(math.inf)
    assert (tried, hinted) == ([event.pk for event in others], [])


def test_claimed_event_is_left_during_the_lease(game: Game, clock: time_machine.Traveller) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    assert queue.claim_job(event_scope(game.event_id), now=timezone.now())
    publish_event(game.event_id)
    assert (numbers(game.event), list_events_behind(timezone.now())) == ([1], ())
    clock.shift(timedelta(seconds=3))
    publish_event(game.event_id)
    assert numbers(game.event) == [1, 2]


@pytest.mark.parametrize("one_clock", [None])
def test_claim_is_kept_from_a_worker_whose_clock_is_wrong(one_clock: None) -> None:
    if connection.vendor != "postgresql":  # SQLite is on the machine of its workers
        return
    now, scope = timezone.now(), event_scope(10**9)
    Dirty.objects.create(scope=scope, version=1, marked_at=now)
    assert queue.claim_job(scope, now=now)
    with time_machine.travel(now + timedelta(hours=1)):
        publish_event(10**9)
    assert Dirty.objects.get().claimed_until == now + LEASE


def test_event_marked_while_it_was_computed_is_due_again_at_once(game: Game) -> None:
    scope = event_scope(game.event_id)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    assert queue.claim_job(scope, now=timezone.now())
    publishing_publish_event.publish(game.event_id, now=timezone.now())
    done = row(game.event).done
    hand(game, 2, [0, 0, 13, 0], queen=1)
    queue.release_job(scope)
    assert list_events_behind(timezone.now()) == ((game.event_id, done),)


def test_claims_of_a_killed_worker_are_returned_when_the_embedded_one_starts(game: Game) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    queue.claim_job(event_scope(game.event_id), now=timezone.now())
    assert release_claims(Dirty) == 1
    assert [event_id for event_id, _ in list_events_behind(timezone.now())] == [game.event_id]


def test_lease_from_before_a_clock_step_is_over(game: Game, clock: time_machine.Traveller) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    queue.claim_job(event_scope(game.event_id), now=timezone.now())
    clock.shift(timedelta(minutes=-10))
    publish_event(game.event_id)
    assert numbers(game.event) == [1, 2]


def test_poison_event_is_tried_three_times_with_back_off_and_then_parked(
    game: Game, clock: time_machine.Traveller
) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)
    poison(game.event)
    waits = []
    for attempt in (1, 2, 3):
        publish_event(game.event_id)
        publish_event(game.event_id)  # too early: the back-off holds
        tried = row(game.event)
        assert tried.attempts == attempt
        if tried.due_at is not None:
            waits.append(tried.due_at - timezone.now())
            clock.move_to(tried.due_at)
    assert waits == [timedelta(seconds=1), timedelta(seconds=5)]
    assert row(game.event).parked
    assert list_events_behind(timezone.now() + timedelta(days=1)) == ()
    assert get_progress_of_all(game.event_id).fault == "KeyError: 'nothing-we-know'"
    assert numbers(game.event) == [1]


def test_poison_event_keeps_no_other_from_being_published(game: Game) -> None:
    other = league(game.club, slug="cup")
    poison(game.event)
    mark_changed(event=game.event, now=NOW)
    for _ in range(3):
        for event_id in (game.event_id, other.pk):
            publish_event(event_id)
    assert numbers(other) == [1]
    assert not get_progress_of_all(other.pk).is_behind


def test_parked_event_that_changes_is_tried(game: Game, clock: time_machine.Traveller) -> None:
    poison(game.event)
    mark_changed(event=game.event, now=NOW)
    for _ in range(3):
        publish_event(game.event_id)
        clock.shift(timedelta(seconds=5))
    assert row(game.event).parked
    Event.objects.filter(pk=game.event.pk).update(settings=game.event.settings)
    hand(game, 1, [4, 1, 2, 6], queen=3)
    publish_event(game.event_id)
    assert numbers(game.event) == [1, 2]
    assert (row(game.event).attempts, row(game.event).error) == (0, "")


def test_missing_database_is_not_held_against_it(game: Game, clock: time_machine.Traveller) -> None:
    hand(game, 1, [4, 1, 2, 6], queen=3)

    def away(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if "tournaments_aggregate" in sql:
            raise OperationalError("server closed the connection unexpectedly")
        return execute(sql, *rest)

    with connection.execute_wrapper(away):
        publish_event(game.event_id)
    assert (row(game.event).attempts, numbers(game.event)) == (0, [1])
    clock.shift(timedelta(seconds=3))
    publish_event(game.event_id)
    assert numbers(game.event) == [1, 2]


def test_database_that_takes_no_writes_is_not_counted_but_a_statement_that_is_too_slow_is(
    game: Game, monkeypatch: pytest.MonkeyPatch, clock: time_machine.Traveller
) -> None:
    counted: list[int] = []
    for wrapper, cause in (
        (InternalError, psycopg.errors.ReadOnlySqlTransaction()),
        (OperationalError, psycopg.errors.LockNotAvailable()),
        (OperationalError, psycopg.errors.QueryCanceled()),
    ):
        fault = wrapper(str(cause))
        fault.__cause__ = cause

        def failing(event_id: int, *, now: datetime, fault: Exception = fault) -> None:
            raise fault

        hand(game, len(counted) + 1, [7, 4, 1, 1], 0)
        monkeypatch.setattr(publishing_publish_event, "publish", failing)
        clock.shift(timedelta(seconds=4))
        publish_event(game.event_id)
        counted.append(row(game.event).attempts)
    assert counted == [0, 0, 1]


def test_event_whose_row_somebody_locks_lets_the_others_go_first(
    game: Game, others: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = publishing_publish_event.publish
    fault = OperationalError("canceling statement due to lock timeout")
    fault.__cause__ = psycopg.errors.LockNotAvailable()

    def publish_unlocked(event_id: int, *, now: datetime) -> object:
        if event_id == others[0].pk:
            raise fault
        return publish(event_id, now=now)

    monkeypatch.setattr(publishing_publish_event, "publish", publish_unlocked)
    work_on_due_rows(math.inf)
    assert set(published_events()) == {game.event_id, others[1].pk, others[2].pk}
    tried = row(others[0])
    assert tried.due_at is not None
    assert (tried.attempts, tried.due_at - timezone.now()) == (0, timedelta(seconds=5))


def test_heartbeat_is_one_row_a_worker_and_long_gone_workers_are_forgotten() -> None:
    record_heartbeat(name="one", now=NOW)
    record_heartbeat(name="two", now=NOW + timedelta(hours=23))
    record_heartbeat(name="two", now=NOW + timedelta(hours=25))
    forget_silent_workers(now=NOW + timedelta(hours=25))
    assert list(Heartbeat.objects.values_list("name", "seen_at")) == [
        ("two", NOW + timedelta(hours=25))
    ]


STEPS = st.lists(
    st.sampled_from(
        ["enter", "correct", "deliver", "deliver", "claim", "publish late", "release", "wait"]
    ),
    max_size=14,
)


@settings(
    max_examples=short_or_long(13, 40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS)
def test_deliveries_in_any_number_and_order_end_in_the_same_table(
    game: Game, clock: time_machine.Traveller, steps: list[str]
) -> None:
    """A delivery may be missing, doubled, or stop between its parts while others go on."""
    with transaction.atomic():
        event = league(game.club, slug=f"league-{next(SLUGS)}")
        seated = table(event, list(game.club.players.order_by("player_id")))
        scope = event_scope(event.pk)
        done = 0
        entered: list[int] = []

        def enter() -> None:
            entered.append(1)
            hand(seated, len(entered), [4, 1, 2, 6], queen=len(entered) % 4)

        def correct() -> None:
            if entered:
                entered[-1] += 1
                hand(
                    seated,
                    len(entered),
                    [6, 4, 1, 2],
                    queen=entered[-1] % 4,
                    based_on=entered[-1] - 1,
                    reason="misread",
                )

        operations: dict[str, Callable[[], object]] = {
            "enter": enter,
            "correct": correct,
            "deliver": lambda: publish_event(event.pk),
            "claim": lambda: queue.claim_job(scope, now=timezone.now()),
            "publish late": lambda: publishing_publish_event.publish(event.pk, now=timezone.now()),
            "release": lambda: queue.release_job(scope),
            "wait": lambda: clock.shift(timedelta(seconds=2)),
        }
        for step in steps:
            operations[step]()
            assert row(event).done >= done
            done = row(event).done
        clock.shift(timedelta(seconds=4))
        publish_event(event.pk)
        assert row(event).done == row(event).version
        assert published(event) == fresh(event)
        assert numbers(event) == list(range(1, len(numbers(event)) + 1))
