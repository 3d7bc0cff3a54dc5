"""A new route is decided on for whoever holds a table's link, before it is built in (F20)."""

import csv

from tests.house.sources import ROOT
from tests.routes import routes

POLICY = ROOT / "tests" / "web" / "link_holder.csv"


def test_every_route_outside_the_admin_has_its_row_and_each_row_its_route() -> None:
    with POLICY.open(encoding="utf-8", newline="") as file:
        decided = {row["route"] for row in csv.DictReader(file)}
    there = {route.pattern for route in routes() if not route.pattern.startswith("admin/")}
    hint = "run tests/web/test_link_holder_matrix.py and copy the table that it names"
    assert sorted(there ^ decided) == [], hint
