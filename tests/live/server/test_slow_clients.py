"""Two hundred strangers hold connections while hosts enter hands and probes ask for health."""

import time
from collections.abc import Callable
from functools import partial

import pytest

from tests.live.conftest import Inside
from tests.support.live.project import LiveProject, wait_until
from tests.support.live.rest_client import Hosts, open_rest_client, stored
from tests.support.live.slow_clients import KINDS, SlowClients, took

pytestmark = pytest.mark.worker

STRANGERS = 200
LARGE = "/static/drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js"
PROBES = 25
HANDS = 40


@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("pg", marks=[pytest.mark.pg, pytest.mark.tier_long])]
)
def test_hosts_and_probes_are_answered_while_strangers_hold_connections(
    database: str,
    request: pytest.FixtureRequest,
    live_project: Callable[..., LiveProject],
    inside: Inside,
) -> None:
    if database == "pg":
        project = live_project(DATABASE_URL=request.getfixturevalue("migrated_pg_url"))
    else:
        project = request.getfixturevalue("project")
    project.serve()
    with inside(project):
        rest, event = open_rest_client(project, tables=4)
        everything: dict[tuple[str, int], int] = {}
        for kind in KINDS:
            known = dict(everything)
            with SlowClients(project.port, kind, STRANGERS, large=LARGE) as strangers:
                wait_until(partial(_all_hang, strangers), what=kind)
                hosts = Hosts(rest, 4, clients=2, known=known).start()
                health = [_seconds(project) for _ in range(PROBES)]
                wait_until(partial(hosts.has, len(known) + HANDS), what=project.log)
                assert strangers.held > STRANGERS // 2, "the strangers had gone"
                hosts.end()
            everything = hosts.acknowledged
            print(
                f"{database}, {kind}: {STRANGERS} strangers; /healthz {took(health)}; "
                f"hands {took(hosts.seconds)}; {dict(hosts.statuses)}"
            )
            assert hosts.rude == []
            assert set(hosts.statuses) == {201}
        assert stored(event) == everything


def _all_hang(strangers: SlowClients) -> bool:
    return strangers.rounds > 0 and strangers.held == STRANGERS


def _seconds(project: LiveProject) -> float:
    began = time.monotonic()
    assert project.status("/healthz") == 200
    return time.monotonic() - began
