"""A new route is decided on for whoever holds a table's link, before it is built in."""

import csv

from tests.support.routes import routes
from tests.support.sources import ROOT

POLICY = ROOT / "tests/tournaments/views/access/link_permissions.csv"


def test_every_route_outside_the_admin_has_its_row_and_each_row_its_route() -> None:
    with POLICY.open(encoding="utf-8", newline="") as file:
        decided = {row["route"] for row in csv.DictReader(file)}
    there = {route.pattern for route in routes() if not route.pattern.startswith("admin/")}
    page = "tests/tournaments/views/access/test_link_permissions.py"
    hint = f"run {page} and copy the table that it names"
    assert sorted(there ^ decided) == [], hint
