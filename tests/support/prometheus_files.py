"""The alert rules and the dashboard, and the names of metrics in their queries."""

import json
import re
from collections.abc import Iterator

import yaml

from tests.support.sources import ROOT

ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
ALERT_TESTS = ROOT / "deploy" / "prometheus" / "alerts.test.yml"
EXAMPLE = ROOT / "deploy" / "prometheus" / "prometheus.yml"
DASHBOARD = ROOT / "deploy" / "grafana" / "blacklady.json"
OF_PROMETHEUS = {"up"}


def dashboard_queries() -> list[str]:
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    found = [target["expr"] for panel in board["panels"] for target in panel.get("targets", [])]
    variables = [
        one["query"]["query"] for one in board["templating"]["list"] if one["type"] == "query"
    ]
    found += [re.sub(r"label_values\((\w+), *\w+\)", r"\1", variable) for variable in variables]
    return [one.replace("$__rate_interval", "2m").replace("$instance", ".*") for one in found]


def alert_queries() -> list[str]:
    groups = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return [rule["expr"] for group in groups for rule in group["rules"]]


def metrics_in(query: str) -> dict[str, set[str]]:
    by = {label for part in re.findall(r"by \(([^)]*)\)", query) for label in part.split(", ")}
    selected: dict[str, set[str]] = {}
    for name, inner in re.findall(r"\b(blacklady_\w+|up)\b(?:\{([^}]*)\})?", query):
        selected.setdefault(name, set()).update(re.findall(r"(\w+) *(?:=~|!~|!=|=)", inner))
    return {name: labels | by for name, labels in selected.items()}


def families_in(text: str) -> Iterator[tuple[str, set[str]]]:
    """Each sample that an answer of `/metrics` has: its name and the names of its labels."""
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, rest = line.partition("{")
            labels = set(re.findall(r'(\w+)="', rest.rpartition("}")[0])) if rest else set()
            yield (name if rest else line.partition(" ")[0]), labels
