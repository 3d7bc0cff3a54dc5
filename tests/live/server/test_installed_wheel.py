"""The wheel alone, in an environment of its own: demo, pages, files, and where its state lies."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.live.installed import Environment, InstalledProject, build_wheel
from tests.support.live.project import PATIENCE_S, ROOT, wait_until

pytestmark = pytest.mark.worker

OF_A_SERVER = {
    "HSTS_SUBDOMAINS": "1",
    "DATABASE_URL": "postgres://blacklady@127.0.0.1:1/blacklady",
    "BROKER_URL": "redis://127.0.0.1:1/0",
    "CACHE_URL": "redis://127.0.0.1:1/1",
    "EMAIL_URL": "consolemail://",
    "SECRET_KEY": "4NnJp-0rHwV7aQe_q6tYk2sLx9ZcB3mDf8uGi5oRvW1yTjKhXlPzSdCbEaUeOgIw",
    "ALLOWED_HOSTS": "club.example",
    "CSRF_TRUSTED_ORIGINS": "https://club.example",
    "REQUIRE_SECOND_FACTOR": "owners",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Environment:
    return Environment(tmp_path_factory.mktemp("environment"), wheel)


@pytest.fixture
def installed(tmp_path: Path, environment: Environment) -> Iterator[InstalledProject]:
    made = InstalledProject(tmp_path, environment)
    yield made
    made.end()


def test_wheel_has_every_file_that_the_service_reads(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    packages = ("scoring", "tournaments", "api", "config")
    files = ("templates", "static", "docs", "deploy")
    expected = {
        ("config/files/" if top in files else "") + str(path.relative_to(ROOT))
        for top in (*packages, *files)
        for path in (ROOT / top).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in inside if ".dist-info/" not in name} == expected


@pytest.mark.tier_long
def test_demo_and_pages_of_the_wheel_alone(installed: InstalledProject) -> None:
    before = installed.installed.files()
    installed.environment["DEMO_SERVE"] = "0"
    demo = installed.manage("demo")
    assert (demo.returncode, demo.stderr) == (0, "")
    assert "Standings, publication 1, the first 10:" in demo.stdout

    serving = installed.start("serve")
    installed.wait_ready(serving)
    assert "Riverside" in installed.get("/").text
    style = (ROOT / "static" / "blacklady" / "board.css").read_bytes()
    assert installed.get("/static/blacklady/board.css") == ('text/css; charset="utf-8"', style)
    assert installed.get("/static/api/docs.css").content
    assert "<h1" in installed.get("/help/for-directors").text
    picture = (ROOT / "docs" / "images" / "page-club.png").read_bytes()
    assert installed.get("/help/images/page-club.png") == ("image/png", picture)
    assert "queen" in installed.get("/variants/hearts").text.lower()
    sheet = installed.get("/variants/hearts/score-sheet?paper=a4&seats=4")
    assert (sheet.kind, sheet.content[:5]) == ("application/pdf", b"%PDF-")
    standings = json.loads(installed.get("/api/v1/clubs/riverside/events/league/standings").content)
    assert standings["publication"]["number"] == 1
    assert "<code>blacklady demo</code>" in installed.get("/help/tour").text
    serving.terminate()
    assert serving.wait(timeout=PATIENCE_S) == 0

    assert installed.installed.files() == before
    assert list(installed.elsewhere.iterdir()) == []
    assert [path.name for path in installed.home.iterdir()] == [".local"]
    assert {"blacklady.sqlite3", "secret_key", "worker-alive", "demo-password"} <= {
        path.name for path in installed.state.iterdir()
    }


@pytest.mark.tier_long
def test_first_start_names_the_command_as_it_is_called(installed: InstalledProject) -> None:
    refused = installed.manage("setup_link")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "Run blacklady migrate first" in refused.stderr
    serving = installed.start("serve")
    wait_until(lambda: "Create the first one, once:" in installed.log, what=installed.log)
    assert "<code> blacklady setup_link </code>" in " ".join(installed.get("/").text.split())
    serving.terminate()
    assert serving.wait(timeout=PATIENCE_S) == 0


@pytest.mark.tier_long
def test_relative_paths_lie_in_the_home(installed: InstalledProject) -> None:
    home = installed.place / "club"
    installed.environment |= {
        "BLACKLADY_HOME": str(home),
        "DATABASE_URL": "sqlite:///data/club.sqlite3",
        "STATIC_ROOT": "collected",
    }
    ignored = ("--ignore", "drf_spectacular_sidecar", "--ignore", "admin")
    for command in (("migrate", "contenttypes"), ("collectstatic", "--noinput", *ignored)):
        done = installed.manage(*command, "--verbosity", "0")
        assert (done.returncode, done.stderr) == (0, "")
    assert (home / "data" / "club.sqlite3").is_file()
    assert (home / "collected" / "blacklady" / "board.css").is_file()
    assert list(installed.elsewhere.iterdir()) == []
    assert list(installed.home.iterdir()) == []


@pytest.mark.tier_long
def test_home_that_cannot_be_ends_every_command_with_2(installed: InstalledProject) -> None:
    (installed.home / ".local").write_text("a file", encoding="utf-8")
    done = installed.manage("demo")
    say = (
        f"Cannot create the directory {installed.state} (Not a directory). Set BLACKLADY_HOME to "
        "another place.\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", say)


def test_settings_of_a_server_pass_the_deploy_checks(installed: InstalledProject) -> None:
    installed.environment |= OF_A_SERVER
    ignored = ("--ignore", "drf_spectacular_sidecar", "--ignore", "admin")
    collected = installed.manage("collectstatic", "--noinput", "--verbosity", "0", *ignored)
    assert (collected.returncode, collected.stderr) == (0, "")
    done = installed.manage("check", "--deploy", "--fail-level", "WARNING")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no issues" in done.stdout


def test_version_is_that_of_the_project(installed: InstalledProject, wheel: Path) -> None:
    assert installed.manage("--version").stdout == f"blacklady {wheel.name.split('-')[1]}\n"
