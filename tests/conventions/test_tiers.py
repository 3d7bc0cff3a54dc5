"""tests/support/tiers.py: what each tier runs, what it says at the end, and when it fails."""

import os
import platform
import re
import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import django
import hypothesis
import pytest

from tests.support.lengths import LONG, has_its_turn, is_long
from tests.support.sources import ROOT

NOBODY = "postgres://postgres@127.0.0.1:1/postgres"
ONE_FILE = "tests/scoring/test_errors.py"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A test file with nothing around it but the plugin, which is all that is looked at."""
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n")
    markers = ("tier_test", "tier_all", "tier_long", "both_databases", "django_db", "worker")
    ini = "".join(f"  {marker}\n" for marker in markers)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nmarkers =\n{ini}")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    plugins = ("-p", "tests.support.tiers", "-p", "pytest_rerunfailures")
    return ("-c", str(tmp_path / "pytest.ini"), *plugins, "-v", str(tmp_path))


def test_required_service_that_is_missing_fails_the_run(alone: tuple[str, ...]) -> None:
    result = run(*alone, BLACKLADY_REQUIRE="pg", BLACKLADY_TEST_PG=NOBODY)
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.startswith(
        "ERROR: BLACKLADY_REQUIRE names pg, but nothing answers at BLACKLADY_TEST_PG (127.0.0.1:1)"
    )


def test_required_service_that_nobody_knows_fails_the_run(alone: tuple[str, ...]) -> None:
    result = run(*alone, BLACKLADY_REQUIRE="oracle")
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "names oracle; known: pg, redis, rabbitmq, browser, proxies" in result.stderr


def test_last_lines_say_the_versions_what_ran_and_what_was_left_out(
    alone: tuple[str, ...],
) -> None:
    result = run(*alone, "--tier=test", BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=NOBODY)
    assert result.returncode == 0
    *_, summary, versions, last = result.stdout.splitlines()
    assert re.fullmatch(r"=+ 1 passed in [\d.]+s =+", summary)
    assert versions == (
        f"Python {platform.python_version()}, Django {django.get_version()}, "
        f"SQLite {sqlite3.sqlite_version}"
    )
    assert last.startswith(
        "tier test on SQLite: passed with each service: sqlite 1; left out: "
        "servers, workers, browsers and page refusals (make test-all); "
        "random searches and full lengths (make test-long); "
        "pg: nothing answers at BLACKLADY_TEST_PG (127.0.0.1:1)"
    )


def test_missing_database_that_was_asked_for_is_said_and_no_failure(alone: tuple[str, ...]) -> None:
    result = run(*alone, "--database=postgresql", BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=NOBODY)
    assert result.returncode == 0
    assert result.stdout.startswith("--database=postgresql: not run, nothing answers at")


def test_whole_tier_with_next_to_no_tests_fails() -> None:
    others = [
        f"--ignore={path.relative_to(ROOT)}"
        for path in (ROOT / "tests").rglob("test_*.py")
        if path != ROOT / ONE_FILE
    ]
    result = run(*others, "--tier=test", BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=NOBODY)
    assert result.returncode == pytest.ExitCode.TESTS_FAILED
    assert re.search(r"FAILED sqlite: \d+ tests passed, at least \d+ expected", result.stdout)


EACH_KIND = """
from pytest import mark
from tests.support.lengths import short_or_long
def test_sum(): pass
@mark.django_db
def test_row(): pass
@mark.django_db
@mark.both_databases
def test_marked(): pass
@mark.worker
def test_live(): pass
@mark.worker
@mark.tier_test
def test_journey(): pass
@mark.tier_all
def test_moved(): pass
@mark.tier_long
def test_searches(): assert short_or_long(3, 1000) == 1000
"""


@pytest.mark.parametrize(
    ("arguments", "postgresql", "expected"),
    [
        ("--tier=test", "is there", {"sum", "row", "marked", "journey"}),
        ("--tier=test", "", {"sum", "row", "marked", "journey"}),
        ("--tier=all", "is there", {"marked", "live", "moved"}),
        ("--tier=all", "", {"live", "moved"}),
        ("--tier=long --database=postgresql", "is there", {"row", "marked"}),
        ("--tier=long", "is there", {"sum", "marked", "live", "journey", "moved", "searches"}),
        ("", "is there", {"sum", "row", "marked", "live", "journey", "moved"}),
    ],
)
def test_each_test_runs_in_its_tier(
    alone: tuple[str, ...], tmp_path: Path, arguments: str, postgresql: str, expected: set[str]
) -> None:
    (tmp_path / "test_one.py").write_text(EACH_KIND)
    with socket.create_server(("127.0.0.1", 0)) as something:
        port = something.getsockname()[1] if postgresql else 1
        url = f"postgres://postgres@127.0.0.1:{port}/postgres"
        result = run(*alone, *arguments.split(), BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=url)
    assert set(re.findall(r"::test_(\w+) PASSED", result.stdout)) == expected, result.stdout
    assert result.returncode == 0


def test_first_of_each_twelve_tests_for_both_databases_runs_on_sqlite_too(
    alone: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "test_one.py").write_text(
        "from pytest import mark\n"
        "@mark.django_db\n"
        "@mark.both_databases\n"
        "@mark.parametrize('number', range(13))\n"
        "def test_marked(number): pass\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as something:
        url = f"postgres://postgres@127.0.0.1:{something.getsockname()[1]}/postgres"
        result = run(*alone, "--tier=all", BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=url)
    assert set(re.findall(r"\[(\d+)\] PASSED", result.stdout)) == {"0", "12"}, result.stdout


def test_live_test_alone_has_a_second_attempt(alone: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(
        "from pytest import mark\n"
        "attempts = []\n"
        "@mark.worker\n"
        "def test_live(): attempts.append(1); assert len(attempts) == 2\n"
        "def test_sum(): attempts.append(1); assert len(attempts) == 2\n"
    )
    result = run(*alone, "-k", "test_live", BLACKLADY_REQUIRE="")
    assert result.returncode == 0, result.stdout
    assert "; 1 on the second attempt; left out:" in result.stdout.splitlines()[-1]
    assert run(*alone, "-k", "test_sum", BLACKLADY_REQUIRE="").returncode == 1


def test_examples_are_the_same_on_each_run_but_in_the_long_tier() -> None:
    here = hypothesis.settings()
    assert here.derandomize is not is_long()
    assert (hypothesis.Phase.shrink in here.phases) is is_long()
    assert here.print_blob
    assert hypothesis.HealthCheck.too_slow in here.suppress_health_check


def test_each_name_is_in_one_share_of_the_short_form_and_in_all_of_the_long_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [f"/clubs/riverside/players/RL{number:02d}" for number in range(60)]

    def shares() -> list[list[str]]:
        return [[name for name in names if has_its_turn(name, turn, 3)] for turn in (3, 4, 5)]

    monkeypatch.setenv(LONG, "1")
    assert shares() == [names] * 3
    monkeypatch.setenv(LONG, "0")
    short = shares()
    assert sorted(name for share in short for name in share) == names
    assert all(len(share) > 10 for share in short)
