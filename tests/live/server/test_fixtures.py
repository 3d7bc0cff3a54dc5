"""The services' fixtures give what they promise; each test runs in its cell."""

from collections.abc import Callable

import kombu
import psycopg
import pytest
import redis

from tests.support.live.project import PATIENCE_S, LiveProject


@pytest.mark.pg
def test_fresh_postgresql_database_is_empty(pg_url: str) -> None:
    with psycopg.connect(pg_url) as connection:
        row = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        assert row.fetchone() == (0,)


@pytest.mark.redis
def test_own_redis_database_is_empty(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as connection:
        assert connection.dbsize() == 0


@pytest.mark.rabbitmq
def test_message_to_the_own_queue_comes_back(rabbitmq_url: str, broker_queue: str) -> None:
    with kombu.Connection(rabbitmq_url) as connection:
        queue = connection.SimpleQueue(broker_queue)
        queue.put({"hint": 1})
        message = queue.get(timeout=PATIENCE_S)
        message.ack()
        queue.close()
    assert message.payload == {"hint": 1}


@pytest.mark.tier_long
@pytest.mark.pg
def test_project_migrates_and_checks_on_postgresql(
    pg_url: str, live_project: Callable[..., LiveProject]
) -> None:
    project = live_project(DATABASE_URL=pg_url)
    migrated = project.manage("migrate", "--verbosity", "0")
    assert (migrated.returncode, migrated.stderr) == (0, "")
