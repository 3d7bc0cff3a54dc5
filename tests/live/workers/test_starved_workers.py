"""Workers that get little processor time, or none: few messages wait, and all work is done once."""

import itertools
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import kombu
import pytest

from tests.support.builders import enter_the_cast, league
from tests.support.live.events import is_published
from tests.support.live.project import Inside, LiveProject, wait_until
from tournaments.models.events import Event
from tournaments.models.jobs import Heartbeat
from tournaments.models.standings import Publication
from tournaments.services.jobs.enqueue import MOST_HINTS

pytestmark = [pytest.mark.worker, pytest.mark.pg]

EVENTS = 25
SENDERS = 2
"""Processes that send hints: the dispatcher of the worker, and its task."""


@contextmanager
def starved(process: subprocess.Popen[bytes], *, runs_s: float, rests_s: float) -> Iterator[None]:
    """Let a process run for a part of the time only."""
    is_over = threading.Event()

    def starve() -> None:
        while not is_over.wait(runs_s):
            process.send_signal(signal.SIGSTOP)
            is_over.wait(rests_s)
            process.send_signal(signal.SIGCONT)

    thread = threading.Thread(target=starve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGCONT)


def new_events() -> list[Event]:
    """Create events that wait to be published, as one import does."""
    riverside = enter_the_cast().riverside
    slugs = (f"league-{number}" for number in itertools.count())
    return [league(riverside, slug=next(slugs)) for _ in range(EVENTS)]


def count_messages(url: str, queue: str) -> int:
    with kombu.Connection(url) as broker:
        declared: Any = kombu.Queue(queue, channel=broker.default_channel).queue_declare()
        return int(declared.message_count)


@pytest.mark.redis
def test_starved_worker_has_few_messages_waiting_and_does_each_row_once(
    migrated_pg_url: str,
    redis_url: str,
    broker_queue: str,
    live_project: Callable[..., LiveProject],
    inside: Inside,
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url, BROKER_URL=redis_url)
    worker = project.start_worker("one", "--pool", "solo")
    most = 0

    def are_published(events: list[Event]) -> bool:
        nonlocal most
        most = max(most, count_messages(redis_url, broker_queue))
        return all(is_published(event.pk) for event in events)

    with inside(project):
        wait_until(lambda: Heartbeat.objects.count() == 1, what=f"a worker\n{project.log}")
        with starved(worker, runs_s=0.02, rests_s=0.08):
            events = new_events()
            took = wait_until(lambda: are_published(events), what=project.log)
        print(f"{EVENTS} events after {took:.1f} s; {most} messages at most")
        assert most <= MOST_HINTS + SENDERS - 1
        assert sorted(Publication.objects.values_list("event", "number")) == [
            (event.pk, 1) for event in events
        ]


@pytest.mark.parametrize(
    "broker",
    [
        pytest.param("redis_url", marks=pytest.mark.redis),
        pytest.param("rabbitmq_url", marks=pytest.mark.rabbitmq),
    ],
)
def test_worker_that_stands_still_keeps_no_row_from_the_other(
    migrated_pg_url: str,
    broker: str,
    request: pytest.FixtureRequest,
    live_project: Callable[..., LiveProject],
    inside: Inside,
) -> None:
    url = request.getfixturevalue(broker)
    project = live_project(DATABASE_URL=migrated_pg_url, BROKER_URL=url)
    stopped = project.start_worker("one", "--pool", "solo")
    project.start_worker("two", "--pool", "solo")
    with inside(project):
        wait_until(lambda: Heartbeat.objects.count() == 2, what=f"workers\n{project.log}")
        stopped.send_signal(signal.SIGSTOP)
        events = new_events()
        took = wait_until(lambda: all(is_published(event.pk) for event in events), what=project.log)
        print(f"{EVENTS} events after {took:.1f} s by one of two workers")
        stopped.send_signal(signal.SIGCONT)
        assert set(Publication.objects.values_list("event", "number")) == {
            (event.pk, 1) for event in events
        }
