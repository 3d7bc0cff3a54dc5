"""Several web processes share a socket and their counters: each answer of `/metrics` is of all."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import urllib.request
from collections import Counter
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml

from tests.live.conftest import Inside
from tests.support.builders import counts
from tests.support.live.project import PATIENCE_S, LiveProject, free_port, tree_of, wait_until
from tests.support.live.rest_client import open_rest_client
from tests.support.prometheus_files import ALERTS, EXAMPLE, dashboard_queries
from tests.support.services import required

pytestmark = pytest.mark.worker

REQUESTS = 60
HELP = 'blacklady_requests_total{method="GET",route="tournaments:help",status="200"}'
ENTRIES = 'blacklady_entries_total{source="api"}'
REFUSED = 'blacklady_refusals_total{code="hand_exists"}'
HANDS = "/api/v1/clubs/riverside/events/league/tables/r1t1/hands"


def metrics(project: LiveProject) -> dict[str, float]:
    with urllib.request.urlopen(f"{project.url}/metrics", timeout=PATIENCE_S) as answer:  # noqa: S310  # our own URL
        lines = answer.read().decode().splitlines()
    pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
    return {name: float(value) for name, _, value in pairs}


def web_processes(supervisor: subprocess.Popen[bytes]) -> list[int]:
    return [pid for pid in tree_of(supervisor.pid) if pid != supervisor.pid]


@pytest.fixture
def two_processes(project: LiveProject) -> tuple[LiveProject, subprocess.Popen[bytes]]:
    supervisor = project.start("manage.py", "web", "--workers", "2")
    wait_until(lambda: project.readiness() is not None, what=project.log)
    wait_until(lambda: len(web_processes(supervisor)) == 2, what="two web processes")
    return project, supervisor


def test_counters_of_two_processes_are_those_of_the_site(
    two_processes: tuple[LiveProject, subprocess.Popen[bytes]], inside: Inside
) -> None:
    project, supervisor = two_processes
    assert Counter(project.status("/help") for _ in range(REQUESTS)) == {200: REQUESTS}
    assert {metrics(project)[HELP] for _ in range(8)} == {REQUESTS}
    with inside(project):
        rest, _ = open_rest_client(project)
        hand = {"number": 1, "entry": counts([4, 1, 2, 6], queen=3)}
        assert rest.ask("POST", HANDS, hand).status == 201
        assert rest.ask("POST", HANDS, hand).codes == ["hand_exists"]
    assert {(found[ENTRIES], found[REFUSED]) for found in map(metrics, [project] * 4)} == {(1, 1)}
    os.kill(web_processes(supervisor)[0], signal.SIGKILL)
    wait_until(lambda: len(web_processes(supervisor)) == 2, what="a web process in its place")
    wait_until(lambda: project.readiness() is not None, what=project.log)
    found = metrics(project)
    assert (found[HELP], found[ENTRIES]) == (REQUESTS, 1)
    supervisor.send_signal(signal.SIGTERM)
    assert supervisor.wait(timeout=PATIENCE_S) == 0


def prometheus(place: Path, project: LiveProject) -> tuple[subprocess.Popen[bytes], str]:
    """Start a Prometheus that scrapes the installation each second; its process and address."""
    program = shutil.which("prometheus")
    if program is None and not required():
        pytest.skip("no prometheus (apt-get install prometheus)")
    assert program, "prometheus is not installed (apt-get install prometheus)"
    config = yaml.safe_load(EXAMPLE.read_text(encoding="utf-8"))
    config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(ALERTS)]
    config["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{project.port}"]
    (place / "prometheus.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    address = f"127.0.0.1:{free_port()}"
    options = {
        "config.file": place / "prometheus.yml",
        "storage.tsdb.path": place / "tsdb",
        "web.listen-address": address,
        "log.level": "error",
    }
    words = [f"--{name}={value}" for name, value in options.items()]
    return subprocess.Popen([program, *words]), f"http://{address}"


def asked(url: str, query: str) -> list[object]:
    path = f"{url}/api/v1/query?query={quote(query)}"
    with urllib.request.urlopen(path, timeout=PATIENCE_S) as answer:  # noqa: S310  # our own URL
        found = json.load(answer)
    assert found["status"] == "success"
    values: list[object] = found["data"]["result"]
    return values


WITHOUT_DATA = ("certificate", "last_backup", "refusals", "hints_waiting")
"""Figures that this installation does not have: no https, no backup, nothing refused, no broker."""


def test_prometheus_scrapes_it_and_answers_every_query_of_the_dashboard(
    two_processes: tuple[LiveProject, subprocess.Popen[bytes]], inside: Inside, tmp_path: Path
) -> None:
    project, _ = two_processes
    process, url = prometheus(tmp_path, project)
    try:

        def is_measured() -> bool:
            project.status("/help")
            with contextlib.suppress(OSError):
                return bool(asked(url, f"rate({HELP}[1m]) > 0"))
            return False

        with inside(project):
            rest, _ = open_rest_client(project)
            for number in range(1, 4):
                hand = {"number": number, "entry": counts([4, 1, 2, 6], queen=3)}
                assert rest.ask("POST", HANDS, hand).status == 201
                wait_until(is_measured, what="two scrapes with different counts")
        empty = [query for query in dashboard_queries() if not asked(url, query)]
        assert [one for one in empty if not any(word in one for word in WITHOUT_DATA)] == []
        assert asked(url, 'ALERTS{alertname="BlackladyNoWorker"}')
    finally:
        process.terminate()
        process.wait()
