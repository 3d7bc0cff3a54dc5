"""`manage.py demo` from nothing: a real worker publishes; again it changes nothing (A1)."""

import csv
import io
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live import ROOT, LiveProject, wait_until
from tests.services.conftest import Inside
from tournaments.models.audit import AuditLine
from tournaments.models.hands import Hand
from tournaments.models.standings import Publication

pytestmark = [pytest.mark.worker]

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


def played(project: LiveProject) -> str:
    """Run the demo without serving; what it printed."""
    project.environment["DEMO_SERVE"] = "0"
    done = project.manage("demo")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def counts(project: LiveProject, inside: Inside) -> tuple[int, int, int]:
    with inside(project):
        return Hand.objects.count(), Publication.objects.count(), AuditLine.objects.count()


def test_demo_from_nothing_publishes_the_season_and_again_changes_nothing(
    live_project: Callable[..., LiveProject], inside: Inside
) -> None:
    project = live_project()
    first = played(project)
    assert TOP_TEN in first
    assert "Standings, publication 1, the first 10:" in first
    there = counts(project, inside)
    assert there[:2] == (571, 1)
    second = played(project)
    assert TOP_TEN in second
    assert "Standings, publication 1, the first 10:" in second
    assert counts(project, inside) == there
    sign_in = re.compile(r"as riverside-director, password \S{16}$", re.M)
    assert sign_in.findall(first) == sign_in.findall(second) != []


def test_demo_says_how_long_each_step_took(project: LiveProject) -> None:
    steps = re.findall(r"^  ([a-z ,]+?) +\d+\.\d\d s$", played(project), re.M)
    assert steps == [
        "set up",
        "import, check and score",
        "rank and publish",
        "from sheets to standings",
    ]


def test_demo_standings_are_those_of_the_season(project: LiveProject, shared: Path) -> None:
    played(project)
    printed = project.manage("standings", *TARGET, "--csv").stdout
    expected = shared / "data" / "riverside_league" / "expected" / "standings.csv"
    with expected.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        wanted = list(reader)
    found = [{key: row[key] for key in wanted[0]} for row in csv.DictReader(io.StringIO(printed))]
    assert found == wanted


def test_standings_on_the_command_line_are_the_stored_bytes(
    project: LiveProject, inside: Inside
) -> None:
    played(project)
    with inside(project):
        publication = Publication.objects.get()
        stored = [bytes(publication.csv), bytes(publication.body)]
    printed = [
        subprocess.run(
            [sys.executable, "manage.py", "standings", *TARGET, form],
            cwd=ROOT,
            env=project.environment,
            capture_output=True,
            check=True,
        ).stdout
        for form in ("--csv", "--json")
    ]
    assert printed == stored


def test_demo_beside_a_running_serve_says_so_and_still_prints(project: LiveProject) -> None:
    serving = project.serve()
    printed = played(project)
    assert f"being served already, by process {serving.pid}." in printed
    assert TOP_TEN in printed
    assert project.status("/clubs/riverside/events/league") == 200


def test_demo_serves_until_it_is_told_to_end(project: LiveProject) -> None:
    demo = project.start("manage.py", "demo")
    project.wait_ready(demo)
    wait_until(lambda: "until Ctrl-C." in project.log, within_s=20, what="the last line")
    addresses = re.findall(rf"{project.url}(/\S+)", project.log)
    assert [project.status(path) for path in addresses] == [200] * len(addresses)
    assert len(addresses) == 6
    demo.terminate()
    assert demo.wait(timeout=20) == 0
    assert project.status("/healthz") == 0
    assert TOP_TEN in project.log
