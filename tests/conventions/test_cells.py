"""tests/support/cells.py: a run says which cells ran, and fails where it would prove nothing."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import hypothesis
import pytest

from tests.support.lengths import LONG, has_its_turn, is_long
from tests.support.sources import ROOT

NOBODY = "postgres://postgres@127.0.0.1:1/postgres"
ONE_FILE = "tests/conventions/test_lock_files.py"


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
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  long\n")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return ("-c", str(tmp_path / "pytest.ini"), "-p", "tests.support.cells", str(tmp_path))


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


def test_service_that_is_missing_is_named_at_the_end(alone: tuple[str, ...]) -> None:
    result = run(*alone, BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=NOBODY)
    assert result.returncode == 0
    assert "pg: not run, nothing answers at BLACKLADY_TEST_PG (127.0.0.1:1)" in result.stdout
    assert re.fullmatch(r"=+ 1 passed in [\d.]+s =+", result.stdout.splitlines()[-1])


def test_postgresql_cell_without_postgresql_is_said_and_no_failure(alone: tuple[str, ...]) -> None:
    result = run(*alone, "--cell=pg", BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=NOBODY)
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
    assert re.search(
        r"FAILED cell sqlite: [1-9] tests passed, at least \d+ expected", result.stdout
    )


@pytest.mark.parametrize(("arguments", "expected"), [((), "1 passed"), (("--long",), "2 passed")])
def test_long_test_runs_in_full_only_when_asked(
    alone: tuple[str, ...], tmp_path: Path, arguments: tuple[str, ...], expected: str
) -> None:
    sizes = (3, 1000)
    (tmp_path / "test_one.py").write_text(
        "import pytest\n"
        "from tests.support.lengths import short_or_long\n"
        f"def test_size(): assert short_or_long{sizes} == {sizes[len(arguments)]}\n"
        "@pytest.mark.long\n"
        "def test_all(): pass\n"
    )
    result = run(*alone, *arguments, BLACKLADY_REQUIRE="")
    assert result.stdout.splitlines()[-1].strip("= ").startswith(expected), result.stdout
    assert ("long tests: in their short form" in result.stdout) is not bool(arguments)


@pytest.mark.parametrize(
    ("cell", "postgresql", "expected"),
    [
        ("pg", "is there", {"test_marked", "test_row"}),
        ("rest", "is there", {"test_marked", "test_sum", "test_long_one"}),
        ("rest", "", {"test_marked", "test_row", "test_sum", "test_long_one"}),
        ("sqlite", "is there", {"test_marked", "test_row", "test_sum", "test_long_one"}),
    ],
)
def test_database_test_runs_on_postgresql_and_on_sqlite_where_that_can_differ_or_is_all_there_is(
    alone: tuple[str, ...], tmp_path: Path, cell: str, postgresql: str, expected: set[str]
) -> None:
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nmarkers =\n  once\n  both_databases\n  django_db\n"
    )
    (tmp_path / "test_one.py").write_text(
        "from pytest import mark\n"
        "def test_sum(): pass\n"
        "@mark.django_db\n"
        "def test_row(): pass\n"
        "@mark.django_db\n"
        "@mark.both_databases\n"
        "def test_marked(): pass\n"
        "@mark.django_db\n"
        "@mark.once\n"
        "def test_long_one(): pass\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as something:
        port = something.getsockname()[1] if postgresql else 1
        url = f"postgres://postgres@127.0.0.1:{port}/postgres"
        result = run(*(*alone, "-v", f"--cell={cell}"), BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=url)
    assert set(re.findall(r"::(\w+) PASSED", result.stdout)) == expected, result.stdout


@pytest.mark.parametrize(("arguments", "expected"), [((), {"0", "3"}), (("--long",), set("0123"))])
def test_first_of_each_three_tests_for_both_databases_runs_on_sqlite_too(
    alone: tuple[str, ...], tmp_path: Path, arguments: tuple[str, ...], expected: set[str]
) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  both_databases\n  django_db\n")
    (tmp_path / "test_one.py").write_text(
        "from pytest import mark\n"
        "@mark.django_db\n"
        "@mark.both_databases\n"
        "@mark.parametrize('number', range(4))\n"
        "def test_marked(number): pass\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as something:
        url = f"postgres://postgres@127.0.0.1:{something.getsockname()[1]}/postgres"
        asked = (*alone, "-v", "--cell=rest", *arguments)
        result = run(*asked, BLACKLADY_REQUIRE="", BLACKLADY_TEST_PG=url)
    assert set(re.findall(r"\[(\d)\] PASSED", result.stdout)) == expected, result.stdout


def test_failing_example_is_made_smaller_in_the_long_form_only() -> None:
    here = hypothesis.settings()
    assert (hypothesis.Phase.shrink in here.phases) is is_long()
    assert hypothesis.Phase.generate in here.phases
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
