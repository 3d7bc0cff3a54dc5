"""Alert rules and dashboard ask for metrics that `/metrics` has, with labels that it gives."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from prometheus_client import generate_latest

from config.operation.backup.destination import LastBackup
from config.operation.metrics import DURATION, REQUESTS, StatusCollector
from config.operation.status.installation_status import Certificate, InstallationStatus
from tests.support.cast import NOW
from tests.support.prometheus_files import (
    ALERT_TESTS,
    ALERTS,
    DASHBOARD,
    EXAMPLE,
    OF_PROMETHEUS,
    alert_queries,
    dashboard_queries,
    families_in,
    metrics_in,
)
from tests.support.services import required
from tournaments.domain.counters import ENTRIES, REFUSALS, REGISTRY
from tournaments.selectors.jobs.jobs import JobBacklog
from tournaments.selectors.jobs.queue import MessageBacklog

OF_SCRAPING = {"instance", "job"}


@pytest.fixture(scope="module")
def exposed() -> dict[str, set[str]]:
    """Every metric that there can be, with its labels, of a status that knows everything."""
    REQUESTS.labels("tournaments:clubs", "GET", "200")
    DURATION.labels("tournaments:clubs", "GET")
    ENTRIES.labels("host")
    REFUSALS.labels("hand_exists")
    status = InstallationStatus(
        at=NOW,
        findings=(),
        hints_waiting=0,
        jobs=JobBacklog(0, None, 0, 0, ()),
        mail=MessageBacklog(0, 0, None, 0, 0),
        webhooks=MessageBacklog(0, 0, None, 0, 0),
        workers=(),
        disks={"state": (1, 2)},
        last_backup=LastBackup(NOW, 1, Path("a.zip"), is_verified=True),
        certificate=Certificate("valid", NOW),
    )
    text = generate_latest(REGISTRY) + generate_latest(StatusCollector(status))
    found: dict[str, set[str]] = {}
    for name, labels in families_in(text.decode()):
        found.setdefault(name, set()).update(labels)
    return found


@pytest.mark.parametrize("query", [*alert_queries(), *dashboard_queries()])
def test_query_asks_for_metrics_and_labels_there(exposed: dict[str, set[str]], query: str) -> None:
    asked = metrics_in(query)
    assert asked, "it asks for nothing of ours"
    for name, labels in asked.items():
        if name not in OF_PROMETHEUS:
            assert name in exposed
            assert labels <= exposed[name] | OF_SCRAPING


def test_each_metric_but_buckets_is_on_the_dashboard(exposed: dict[str, set[str]]) -> None:
    shown = {name for query in dashboard_queries() for name in metrics_in(query)}
    assert exposed.keys() - shown == set()


def test_dashboard_names_its_data_source_by_a_variable() -> None:
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    targets = [target for panel in board["panels"] for target in panel.get("targets", [])]
    assert {target["datasource"]["uid"] for target in targets} == {"${datasource}"}
    assert [panel["id"] for panel in board["panels"]] == list(range(1, len(board["panels"]) + 1))


@pytest.mark.parametrize(
    "words",
    [
        ("check", "rules", str(ALERTS)),
        ("test", "rules", str(ALERT_TESTS)),
        ("check", "config", str(EXAMPLE)),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_promtool_accepts_the_files(words: tuple[str, ...]) -> None:
    program = shutil.which("promtool")
    if program is None and not required():
        pytest.skip("no promtool (apt-get install prometheus)")
    assert program, "promtool is not installed (apt-get install prometheus)"
    ended = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_alerts_name_the_command_of_an_installed_server() -> None:
    assert "manage.py" not in ALERTS.read_text(encoding="utf-8")


def test_each_alert_is_tested_as_silent_where_all_is_well() -> None:
    groups = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    alerts = {rule["alert"] for group in groups for rule in group["rules"]}
    tests = yaml.safe_load(ALERT_TESTS.read_text(encoding="utf-8"))["tests"]
    asked = [case for test in tests for case in test["alert_rule_test"]]
    assert {case["alertname"] for case in asked if "exp_alerts" not in case} == alerts
    assert {case["alertname"] for case in asked if "exp_alerts" in case} == alerts
