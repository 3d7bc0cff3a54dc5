"""The commands of docker-compose.yml, started as processes here, make a service that is ready."""

from collections.abc import Callable

import pytest

from tests.support.live.project import LiveProject, production, wait_until


@pytest.mark.pg
@pytest.mark.redis
@pytest.mark.worker
def test_production_shape_becomes_ready_and_ends_when_told(
    pg_url: str, redis_url: str, live_project: Callable[..., LiveProject]
) -> None:
    project = live_project(
        DATABASE_URL=pg_url, BROKER_URL=redis_url, CACHE_URL=redis_url, ALLOWED_HOSTS="club.example"
    )
    migrated = project.manage(*production("migrate", project.port)[1:])
    assert migrated.returncode == 0, migrated.stderr
    web, worker = (
        project.start(*production(service, project.port)) for service in ("web", "worker")
    )
    project.wait_ready(web)
    assert [process.poll() for process in (web, worker)] == [None, None]
    for process in (web, worker):
        process.terminate()
    wait_until(
        lambda: all(process.poll() is not None for process in (web, worker)),
        what=f"the end of web and worker\n{project.log}",
    )
    assert worker.returncode == 0, project.log
