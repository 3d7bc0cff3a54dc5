"""tests/cells.py: a run says which cells ran, and fails where it would prove nothing."""

import os
import re
import subprocess
import sys

import pytest

from tests.house.sources import ROOT

NOBODY = "postgres://postgres@127.0.0.1:1/postgres"
ONE_FILE = "tests/house/test_lock_files.py"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_required_service_that_is_missing_fails_the_run() -> None:
    result = run(ONE_FILE, BLACKLADY_REQUIRE="pg", BLACKLADY_TEST_PG=NOBODY)
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert result.stderr.startswith(
        "ERROR: BLACKLADY_REQUIRE names pg, but nothing answers at BLACKLADY_TEST_PG (127.0.0.1:1)"
    )


def test_required_service_that_nobody_knows_fails_the_run() -> None:
    result = run(ONE_FILE, BLACKLADY_REQUIRE="oracle")
    assert result.returncode == pytest.ExitCode.USAGE_ERROR
    assert "names oracle; known: pg, redis, rabbitmq, browser" in result.stderr


def test_service_that_is_missing_is_named_at_the_end() -> None:
    result = run(ONE_FILE, BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=NOBODY)
    assert result.returncode == 0
    assert "pg: not run, nothing answers at BLACKLADY_TEST_PG (127.0.0.1:1)" in result.stdout
    assert re.fullmatch(r"=+ 6 passed in [\d.]+s =+", result.stdout.splitlines()[-1])


def test_postgresql_cell_without_postgresql_is_said_and_no_failure() -> None:
    result = run("--cell=pg", BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=NOBODY)
    assert result.returncode == 0
    assert result.stdout.startswith("cell pg: not run, nothing answers at BLACKLADY_TEST_PG")


def test_whole_run_with_next_to_no_tests_fails() -> None:
    others = [
        f"--ignore={path.relative_to(ROOT)}"
        for path in (ROOT / "tests").rglob("test_*.py")
        if path != ROOT / ONE_FILE
    ]
    result = run(*others, BLACKLADY_REQUIRE="")
    assert result.returncode == pytest.ExitCode.TESTS_FAILED
    assert re.search(r"FAILED cell sqlite: 6 tests passed, at least \d+ expected", result.stdout)
