"""`manage.py demo` from nothing: a real worker publishes; again it changes nothing."""

import csv
import io
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.live.project import PATIENCE_S, ROOT, LiveProject, wait_until

pytestmark = [pytest.mark.worker, pytest.mark.tier_long]

TARGET = ("--club", "riverside", "--event", "league")
TOP_TEN = """\
 #  Id    Player      T   H  Pts     Avg  1st  1=  2nd  3rd  4th  M
 1  RL24  Xenia S.    9  58  277  4.7759    6   0    2    0    1  2
 2  RL11  Kira K.    10  65  335  5.1538    7   0    2    0    1  1
 3  RL29  Carla K.    7  37  193  5.2162    4   0    1    1    1  0
 4  RL30  Dmitri S.   9  64  355  5.5469    3   0    5    1    0  2
 5  RL36  Jörg S.     9  52  290  5.5769    5   1    0    2    2  2
 6  RL27  Anton S.   10  64  366  5.7188    1   0    5    2    2  1
 7  RL03  Cleo S.    10  62  356  5.7419    2   0    4    2    2  1
 8  RL25  Yusuf D.    8  41  237  5.7805    1   0    5    2    0  0
 9  RL18  Rosa S.     9  55  318  5.7818    3   0    2    4    0  1
10  RL22  Vera D.    10  57  332  5.8246    4   1    4    1    1  0
"""
EVENINGS_OF_SEASON = """
SELECT e.slug, m.ended_by,
    (SELECT count(*) FROM tournaments_publication p WHERE p.meeting_id = m.id)
FROM tournaments_meeting m JOIN tournaments_event e ON e.id = m.event_id
WHERE e.season_id IS NOT NULL AND m.id IN (SELECT meeting_id FROM tournaments_round)
ORDER BY e.id, m.date
"""
TABLES_BEING_PLAYED = """
SELECT g.state, count(*) FROM tournaments_game g
JOIN tournaments_table t ON t.id = g.table_id JOIN tournaments_round r ON r.id = t.round_id
JOIN tournaments_event e ON e.id = r.event_id
WHERE e.season_id IS NOT NULL AND r.state = 'playing' GROUP BY g.state ORDER BY g.state
"""

Counts = tuple[object, ...]


@dataclass(frozen=True)
class TwoRuns:
    """A demo from nothing and again: what was printed, and what was stored after each."""

    project: LiveProject
    first: str
    second: str
    after_first: Counts
    after_second: Counts


def played(project: LiveProject) -> str:
    """Run the demo without serving; what it printed."""
    project.environment["DEMO_SERVE"] = "0"
    done = project.manage("demo")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def rows(project: LiveProject, query: str) -> list[tuple[object, ...]]:
    """What a query finds in a project's SQLite file."""
    with closing(sqlite3.connect(project.place / "live.sqlite3")) as connection:
        return connection.execute(query).fetchall()


def counts(project: LiveProject) -> Counts:
    tables = ("hand", "publication WHERE season_id IS NULL", "auditline")
    parts = (f"(SELECT count(*) FROM tournaments_{table})" for table in tables)  # noqa: S608  # ours
    return rows(project, f"SELECT {', '.join(parts)}")[0]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> TwoRuns:
    project = LiveProject(tmp_path_factory.mktemp("demo"), {})
    first = played(project)
    after_first = counts(project)
    second = played(project)
    return TwoRuns(project, first, second, after_first, counts(project))


def test_demo_from_nothing_publishes_season_partnership_night_and_ladder(runs: TwoRuns) -> None:
    assert "Standings, publication 1, the first 10:" in runs.first
    assert TOP_TEN in runs.first
    # 571 hands of the league, 247 of partnership night, 200 results of the ladder, three of the
    # cup, two of challenges, 22 of the season; a publication of each event and of each of the two
    # ladders, and the result of an evening of each division
    assert runs.after_first[:2] == (571 + 247 + 200 + 3 + 2 + 22, 7 + 2 + 2)

    for printed in (runs.first, runs.second):
        assert "Partnership night, publication 1, the first 3:" in printed
        assert re.findall(r"^1  T1  Aino & Bodil .* -142$", printed, re.M) != []
        assert "Ladder, publication 1, the first 3:" in printed
        assert re.findall(r"^1  L21  Vigdis  up 8: won a table .* 1790\.814$", printed, re.M) != []
    assert "Partnership night: 8 entrants; 100 hands, 100 of them new; 147 hands" in runs.first
    assert "Ladder: 30 entrants; 201 results, 201 of them new." in runs.first
    assert "Ladder: 30 entrants; 201 results, 0 of them new." in runs.second


def test_demo_has_a_closed_cup_whose_play_off_is_scheduled(runs: TwoRuns) -> None:
    assert "Autumn cup: 12 entrants; 3 results, 3 of them new; closed." in runs.first
    assert "Autumn cup: closed already." in runs.second
    for printed in (runs.first, runs.second):
        assert len(re.findall(r"^1  RL\d\d  \w+ \w\. +1 .* 5$", printed, re.M)) == 3
    assert rows(runs.project, "SELECT state FROM tournaments_playoff") == [("scheduled",)]
    members = "SELECT e.code FROM tournaments_playoffmember m JOIN tournaments_entrant e "
    found = rows(runs.project, f"{members} ON e.id = m.entrant_id ORDER BY e.code")
    assert found == [("RL11",), ("RL24",), ("RL29",)]


def test_demo_has_challenges_in_every_open_state_one_of_them_about_to_end(runs: TwoRuns) -> None:
    assert "Challenge ladder: 10 entrants; 4 challenges, 4 of them new." in runs.first
    assert "Challenge ladder: 10 entrants; 4 challenges, 0 of them new." in runs.second
    states = rows(runs.project, "SELECT state FROM tournaments_challenge ORDER BY number")
    assert states == [("confirmed",), ("played",), ("issued",), ("accepted",)]
    due = "SELECT key FROM tournaments_deadline WHERE kind = 'challenge' AND due_at < "
    assert ("2",) in rows(runs.project, f"{due} datetime('now', '+1 hour')")


def test_demo_has_a_season_of_two_divisions_with_an_evening_that_is_over_and_one_that_is_on(
    runs: TwoRuns,
) -> None:
    assert "First division of Club season: 15 new hands." in runs.first
    assert "First division of Club season: 0 new hands." in runs.second
    assert rows(runs.project, EVENINGS_OF_SEASON) == [
        ("first-division", "person", 1),
        ("first-division", "", 0),
        ("second-division", "person", 1),
        ("second-division", "", 0),
    ]
    assert rows(runs.project, TABLES_BEING_PLAYED) == [("complete", 2), ("playing", 2)]
    values = rows(runs.project, "SELECT count(*) FROM tournaments_openingvalue")
    assert values == [(8,)]


def test_demo_has_a_fill_in_who_answered_and_three_personal_links(runs: TwoRuns) -> None:
    who = "SELECT p.player_id FROM tournaments_fillinrequest f JOIN tournaments_player p "
    assert rows(runs.project, f"{who} ON p.id = f.filled_by_id") == [("RL12",)]
    answers = (
        "SELECT p.player_id, a.state FROM tournaments_attendance a "
        "JOIN tournaments_player p ON p.id = a.player_id "
        "JOIN tournaments_meeting m ON m.id = a.meeting_id "
        "JOIN tournaments_event e ON e.id = m.event_id WHERE e.slug = 'league'"
    )
    found = rows(runs.project, f"{answers} ORDER BY p.player_id")
    assert found == [("RL12", "expected"), ("RL25", "absent")]
    links = re.compile(r"^  (\w+ \w\.) +http://\S+/my/\S+$", re.M)
    assert links.findall(runs.first) == links.findall(runs.second) != []
    assert links.findall(runs.first) == ["Lars S.", "Xenia S.", "Yusuf D."]


def test_demo_has_a_series_with_a_break_and_somebody_who_waits_for_a_place(runs: TwoRuns) -> None:
    states = "SELECT state, COUNT(*) FROM tournaments_meeting WHERE event_id ="
    division = "(SELECT id FROM tournaments_event WHERE slug = 'first-division')"
    group = "GROUP BY state ORDER BY state"
    found = rows(runs.project, f"{states} {division} {group}")
    assert found == [("cancelled", 2), ("planned", 10)]
    who = "SELECT p.player_id FROM tournaments_attendance a JOIN tournaments_player p "
    waits = rows(runs.project, f"{who} ON p.id = a.player_id WHERE a.state = 'waiting'")
    assert waits == [("RL25",)]
    newest = "SELECT MAX(m.date) FROM tournaments_meeting m WHERE m.event_id ="
    with_round = "AND m.id IN (SELECT meeting_id FROM tournaments_round)"
    ((played_on,),) = rows(runs.project, f"{newest} {division} {with_round}")
    assert re.search(rf"^  Evening, on .*/meetings/{played_on}$", runs.first, re.M)


def test_demo_again_changes_nothing_and_prints_the_same(runs: TwoRuns) -> None:
    assert TOP_TEN in runs.second
    assert runs.after_second == runs.after_first
    sign_in = re.compile(r"as riverside-owner, password \S{16}$", re.M)
    assert sign_in.findall(runs.first) == sign_in.findall(runs.second) != []
    steps = re.findall(r"^  ([a-z ,]+?) +\d+\.\d\d s$", runs.first, re.M)
    assert (steps[0], len(steps), steps[-1]) == ("set up", 5, "from sheets to standings")


def test_demo_standings_are_those_of_the_season(runs: TwoRuns, shared: Path) -> None:
    printed = runs.project.manage("standings", *TARGET, "--csv").stdout
    expected = shared / "data" / "riverside_league" / "expected" / "standings.csv"
    with expected.open(encoding="utf-8", newline="") as file:
        wanted = list(csv.DictReader(file))
    found = [{key: row[key] for key in wanted[0]} for row in csv.DictReader(io.StringIO(printed))]
    assert found == wanted


def test_replay_of_the_demo_finds_no_difference(runs: TwoRuns) -> None:
    done = runs.project.manage("replay", "--check")
    assert done.returncode == 0, done.stdout
    said = [line.partition(": ")[::2] for line in done.stdout.splitlines()]
    assert "riverside/league" in dict(said)
    for event, found in said:
        assert found.endswith("no difference; publication: same"), event


def test_standings_on_the_command_line_are_the_stored_bytes(runs: TwoRuns) -> None:
    (stored, *_) = rows(
        runs.project,
        "SELECT p.csv, p.body FROM tournaments_publication p JOIN tournaments_event e "
        "ON e.id = p.event_id WHERE e.slug = 'league' ORDER BY p.id",
    )
    printed = tuple(
        subprocess.run(
            [sys.executable, "manage.py", "standings", *TARGET, form],
            cwd=ROOT,
            env=runs.project.environment,
            capture_output=True,
            check=True,
        ).stdout
        for form in ("--csv", "--json")
    )
    assert printed == stored


def test_demo_beside_a_running_serve_says_so_and_still_prints(project: LiveProject) -> None:
    serving = project.serve()
    printed = played(project)
    assert f"being served already, by process {serving.pid}." in printed
    assert TOP_TEN in printed
    assert "Where to look, at that one's PORT=:" in printed
    assert project.status("/clubs/riverside/events/league") == 200


def test_demo_serves_until_it_is_told_to_end(project: LiveProject) -> None:
    demo = project.start("manage.py", "demo")
    project.wait_ready(demo)
    wait_until(lambda: "until Ctrl-C." in project.log, what="the last line")
    addresses = re.findall(rf"{project.url}(/\S+)", project.log)
    assert [project.status(path) for path in addresses] == [200] * len(addresses)
    assert len(addresses) == 16
    demo.terminate()
    assert demo.wait(timeout=PATIENCE_S) == 0
    assert project.status("/healthz") == 0
    assert TOP_TEN in project.log
