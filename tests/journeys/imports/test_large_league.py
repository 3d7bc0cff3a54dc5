"""A league of 20,000 hands: the standings are those that its generator computes by itself."""

import csv
import io
import os
from pathlib import Path

import pytest

from tests.support.imports import make_league
from tests.support.imports.imports import AFTERWARDS, imported
from tournaments.models.events import Event
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.both_databases


@pytest.mark.django_db
@pytest.mark.tier_long
def test_standings_of_20000_hands_equal_those_of_the_generator(tmp_path: Path) -> None:
    sheets, table = tmp_path / "league.csv", tmp_path / "standings.csv"
    make_league.main(
        ["--players", "400", "--hands", "20000", "--out", str(sheets), "--standings", str(table)]
    )
    report = imported(sheets, club="large", create=True)
    assert (report.rows, report.hands, report.added) == (80_000, 20_000, 20_000)
    assert {problem.code for problem in report.problems} == {"hand_repeated"}, (
        "some hands are alike"
    )
    publication = publish(Event.objects.get().pk, now=AFTERWARDS)
    assert publication is not None
    columns = ("player_id", "hands", "points", "average_per_hand", "tables", "wins")
    published = csv.DictReader(io.StringIO(bytes(publication.csv).decode()))
    with table.open(newline="") as file:
        expected = [tuple(row[key] for key in columns) for row in csv.DictReader(file)]
    assert [tuple(row[key] for key in columns) for row in published] == expected


def test_generator_is_the_one_of_the_hand_out(shared: Path) -> None:
    original = shared / "data" / "make_league.py"
    if not original.exists():
        assert "BLACKLADY_SHARED" not in os.environ, f"no {original}"
        return
    assert Path(make_league.__file__).read_bytes() == original.read_bytes()
