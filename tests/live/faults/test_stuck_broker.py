"""RabbitMQ takes messages and does nothing with them: work goes on, and the broker is named."""

import json
from collections.abc import Callable, Iterator

import pytest

from tests.live.conftest import Inside
from tests.support.live.events import is_published
from tests.support.live.page_client import Browser
from tests.support.live.project import LiveProject, wait_until
from tests.support.live.relay import Relay
from tests.support.live.rest_client import open_rest_client, published_hands

pytestmark = [pytest.mark.worker, pytest.mark.pg, pytest.mark.rabbitmq]


@pytest.fixture
def relay(rabbitmq_url: str) -> Iterator[Relay]:
    relay = Relay(rabbitmq_url)
    yield relay
    relay.end()


def hints_waiting(project: LiveProject) -> tuple[int | None, str | None]:
    answer = project.manage("status", "--json").stdout
    lines = Browser(project).open("/metrics").body.decode().splitlines()
    values = [line.split()[1] for line in lines if line.startswith("blacklady_hints_waiting ")]
    return json.loads(answer)["hints_waiting"], values[0] if values else None


def test_rabbitmq_that_takes_and_does_nothing_is_named_while_standings_go_on(
    migrated_pg_url: str, relay: Relay, live_project: Callable[..., LiveProject], inside: Inside
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url, BROKER_URL=relay.url)
    project.start_worker("one", "--pool", "solo")
    project.wait_ready(project.start("manage.py", "web", "--workers", "1"))
    with inside(project):
        rest, event = open_rest_client(project)
        wait_until(lambda: is_published(event.pk), what=f"the first publication\n{project.log}")
        wait_until(lambda: project.readiness() == [], what=f"no fault\n{project.log}")
        wait_until(lambda: hints_waiting(project) == (0, "0.0"), what=project.log)
        relay.swallow_answers()
        for number in (1, 2, 3):
            assert rest.enter("r1t1", number, key=f"{number}").status == 201
            took = wait_until(lambda: published_hands(event) == number, what=project.log)  # noqa: B023  # waited for here
            print(f"hand {number} published {took:.2f} s after it was stored")
        wait_until(lambda: project.readiness() == ["broker_away"], what=project.log)
        assert '"event": "broker_away"' in project.log
        assert "broker_away" in project.manage("status", "--json").stdout
        assert hints_waiting(project) == (None, None)
        relay.answer()
        wait_until(lambda: project.readiness() == [], what=f"no fault\n{project.log}")
        assert rest.enter("r1t1", 4, key="4").status == 201
        wait_until(lambda: published_hands(event) == 4, what=project.log)
