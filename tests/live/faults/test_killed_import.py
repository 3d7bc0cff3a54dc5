"""An import killed in the middle leaves every hand whole or absent; again, it completes."""

import signal
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.imports import make_league
from tests.support.live.project import PATIENCE_S, LiveProject, wait_until

HANDS = 3000
SUMS = (
    "SELECT e.code, a.games, a.hands, a.points, a.shared_wins, a.win_share, a.beaten_halves,"
    " a.moons, a.moons_against, a.place_1, a.place_2, a.place_3, a.place_4"
    " FROM tournaments_aggregate a"
    " JOIN tournaments_entrant e ON e.id = a.entrant_id ORDER BY e.code"
)
SCORES = (
    "SELECT t.code, h.number, s.number, sc.score, sc.total, en.typed FROM tournaments_seatscore sc"
    " JOIN tournaments_entry en ON en.id = sc.entry_id JOIN tournaments_hand h ON h.id = en.hand_id"
    " JOIN tournaments_seat s ON s.id = sc.seat_id JOIN tournaments_table t ON t.id = s.table_id"
    " ORDER BY t.code, h.number, s.number"
)


def rows(project: LiveProject, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(project.place / "live.sqlite3", timeout=10) as connection:
        return connection.execute(query).fetchall()


def number(project: LiveProject, query: str) -> int:
    found = rows(project, query)[0][0]
    assert isinstance(found, int)
    return found


@pytest.fixture
def sheets(tmp_path: Path) -> Path:
    path = tmp_path / "league.csv"
    make_league.main(["--players", "200", "--hands", str(HANDS), "--out", str(path)])
    return path


def arguments(sheets: Path) -> tuple[str, ...]:
    return ("import_sheets", "--club", "large", "--event", "league", "--create", str(sheets))


@pytest.mark.tier_long
def test_killed_import_leaves_whole_hands_and_completes_when_run_again(
    embedded: Callable[..., LiveProject], sheets: Path
) -> None:
    single, killed = embedded(), embedded()
    assert single.manage(*arguments(sheets)).returncode == 0

    process = killed.start("manage.py", *arguments(sheets))
    wait_until(
        lambda: (
            process.poll() is not None or number(killed, "SELECT count(*) FROM tournaments_hand")
        ),
        what="the first hands of the import",
    )
    process.send_signal(signal.SIGKILL)
    assert process.wait(timeout=PATIENCE_S) == -signal.SIGKILL

    there = number(killed, "SELECT count(*) FROM tournaments_hand")
    assert 0 < there < HANDS
    assert number(killed, "SELECT count(*) FROM tournaments_entry") == there
    assert number(killed, "SELECT count(*) FROM tournaments_seatscore") == 4 * there
    assert number(killed, "SELECT sum(hands) FROM tournaments_aggregate") == 4 * there
    whole = set(rows(single, SCORES))
    assert set(rows(killed, SCORES)) <= whole

    again = killed.manage(*arguments(sheets))
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith("league.csv: 12000 rows, 3000 hands. 3000 are in the event,")
    assert set(rows(killed, SCORES)) == whole
    assert rows(killed, SUMS) == rows(single, SUMS)
    batches = "SELECT number, state, rows, hands, accepted, added FROM tournaments_importbatch"
    assert rows(killed, batches) == rows(single, batches) == [(1, "done", 12000, 3000, 3000, 3000)]
    assert rows(killed, "SELECT state, count(*) FROM tournaments_round GROUP BY state") == rows(
        single, "SELECT state, count(*) FROM tournaments_round GROUP BY state"
    )
