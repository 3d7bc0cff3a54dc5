"""A5: two workers, duplicated and reordered deliveries; the broker's faults are not the club's."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kombu
import pytest
from celery import Celery
from django.utils import timezone

from tests.live.conftest import Inside
from tests.support.live.events import enter, evening, is_published, newest, numbers, remainder
from tests.support.live.hints import sender
from tests.support.live.project import LiveProject, wait_until
from tournaments.models.jobs import Dirty, Heartbeat
from tournaments.models.standings import Publication
from tournaments.services.jobs.enqueue import PUBLISH_TASK
from tournaments.services.publishing import publications

pytestmark = pytest.mark.worker

HANDS = 24
SEED = 20251106


def one_run(project: LiveProject, inside: Inside) -> tuple[bytes, bytes]:
    """The same evening published once, in this process: the bytes it gives."""
    with inside(project):
        game = evening()
        for number in range(1, HANDS + 1):
            enter(game, number)
        publication = publications.publish(game.event_id, now=timezone.now())
        assert publication is not None
        return remainder(publication), bytes(publication.csv)


def under_fire(
    project: LiveProject, inside: Inside, broker: str, queue: str
) -> tuple[bytes, bytes]:
    """The evening with two workers and 0 to 3 hints a hand, late and shuffled; the last bytes."""
    chance = random.Random(SEED)  # noqa: S311  # chance is the point
    app = sender(broker, queue)
    late: list[int] = []
    with inside(project):
        game = evening()
        project.start_worker("one", "--concurrency", "2")
        project.start_worker("two", "--pool", "solo")
        wait_until(lambda: Heartbeat.objects.count() == 2, what=f"workers\n{project.log}")
        for number in range(1, HANDS + 1):
            enter(game, number)
            late.extend([game.event_id] * chance.randrange(4))
            chance.shuffle(late)
            for _ in range(chance.randrange(len(late) + 1)):
                app.send_task(PUBLISH_TASK, args=[late.pop()], retry=False)
        wait_until(lambda: is_published(game.event_id), what=project.log)
        last = newest(game.event_id)
        for event_id in (*late, game.event_id, game.event_id):
            app.send_task(PUBLISH_TASK, args=[event_id], retry=False)
        wait_until(lambda: is_drained(app, queue), what=f"the queue\n{project.log}")
        after = newest(game.event_id)
        assert (after.number, bytes(after.body)) == (last.number, bytes(last.body))
        assert numbers(game.event_id) == list(range(1, last.number + 1))
        versions = Publication.objects.order_by("number").values_list("version", flat=True)
        assert list(versions) == sorted(versions)
        row = Dirty.objects.get(scope=f"event:{game.event_id}")
        assert (row.done, row.attempts, row.error) == (row.version, 0, "")
    app.close()
    return remainder(last), bytes(last.csv)


def is_drained(app: Celery, queue: str) -> bool:
    """Whether no message waits in the queue."""
    with app.connection_for_read() as connection:
        declared: Any = kombu.Queue(queue, channel=connection.default_channel).queue_declare()
        return int(declared.message_count) == 0


@pytest.mark.pg
@pytest.mark.parametrize(
    "broker",
    [pytest.param(name, marks=getattr(pytest.mark, name)) for name in ("redis", "rabbitmq")],
)
def test_two_workers_end_in_the_table_of_a_single_run(
    migrated_pg_url: str,
    broker: str,
    request: pytest.FixtureRequest,
    broker_queue: str,
    live_project: Callable[..., LiveProject],
    project: LiveProject,
    inside: Inside,
) -> None:
    url = request.getfixturevalue(f"{broker}_url")
    installed = live_project(DATABASE_URL=migrated_pg_url, BROKER_URL=url)
    assert under_fire(installed, inside, url, broker_queue) == one_run(project, inside)


@pytest.mark.pg
@pytest.mark.redis
def test_lost_hint_is_found_by_the_dispatcher(
    migrated_pg_url: str, redis_url: str, live_project: Callable[..., LiveProject], inside: Inside
) -> None:
    """This process sends no hint at all, as if the broker had forgotten every one."""
    installed = live_project(DATABASE_URL=migrated_pg_url, BROKER_URL=redis_url)
    installed.start_worker("one", "--pool", "solo")
    with inside(installed):
        game = evening()
        enter(game, 1)
        took = wait_until(lambda: is_published(game.event_id), what=f"a sweep\n{installed.log}")
    print(f"published {took:.2f} s after the worker was started")


@pytest.mark.tier_long
def test_broker_that_is_down_fails_no_write_and_keeps_nothing_from_being_published(
    embedded: Callable[..., LiveProject], inside: Inside, project_root: Path
) -> None:
    installed = embedded(BROKER_URL="redis://127.0.0.1:1/0")
    sheets = str(project_root / "tournaments" / "demo" / "sheets.csv")
    target = ("--club", "riverside", "--event", "league")
    imported = installed.manage("import_sheets", *target, "--create", sheets)
    assert imported.returncode == 0, imported.stderr
    assert imported.stderr.count('"event": "broker_away"') == 1
    installed.start_worker("one", "--pool", "solo")
    with inside(installed):
        wait_until(
            lambda: Publication.objects.filter(body__isnull=False).exists(),
            what=f"a publication\n{installed.log}",
        )
    assert "broker_away" in installed.log
