"""A club moves from SQLite to PostgreSQL and back; an import that is killed leaves nothing."""

import json
import re
import signal
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tests.conftest import own_database
from tests.support.imports import make_league
from tests.support.lengths import short_or_long
from tests.support.live.project import PATIENCE_S, Inside, LiveProject, wait_until
from tournaments.models.clubs import Club, Membership, Player
from tournaments.models.hands import Hand
from tournaments.models.imports import ClubImport, ClubImportPiece
from tournaments.selectors.clubs.clubs import actor_of
from tournaments.services.archives.club_imports import confirm_club_import
from tournaments.services.archives.import_club import receive_archive
from tournaments.services.operations import Operation

HANDS = short_or_long(600, 6000)


@pytest.fixture
def archive(project: LiveProject, tmp_path: Path) -> Path:
    """The archive of a club with a published league, from an installation on SQLite."""
    sheets = tmp_path / "league.csv"
    make_league.main(["--players", "60", "--hands", str(HANDS), "--out", str(sheets)])
    at = ("--club", "large", "--event", "league")
    run(project, "import_sheets", *at, "--create", str(sheets))
    run(project, "publish", *at)
    path = tmp_path / "first.zip"
    run(project, "export_club", "--club", "large", str(path))
    return path


def run(project: LiveProject, *arguments: str) -> str:
    done = project.manage(*arguments, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def digests(path: Path) -> object:
    with zipfile.ZipFile(path) as opened:
        document = json.loads(opened.read("archive.json"))
    assert document["publications"]["event:league"]
    return document["publications"]


def moved(project: LiveProject, archive: Path, name: str) -> Path:
    """Import an archive, compare the club with its hands and its audit trail, and export it."""
    run(project, "import_club", str(archive))
    assert "no difference" in run(project, "replay", "--check", "--club", "large")
    assert "unbroken" in run(project, "verify_audit", "--club", "large")
    path = archive.with_name(name)
    run(project, "export_club", "--club", "large", str(path))
    return path


@pytest.mark.tier_long
@pytest.mark.pg
@pytest.mark.redis
def test_club_moves_to_postgresql_and_back_with_the_same_digests(
    live_project: Callable[..., LiveProject],
    embedded: Callable[..., LiveProject],
    migrated_pg: str,
    redis_url: str,
    archive: Path,
) -> None:
    with own_database(template=migrated_pg) as url:
        on_pg = live_project(DATABASE_URL=url, BROKER_URL=redis_url)
        second = moved(on_pg, archive, "second.zip")
    third = moved(embedded(), second, "third.zip")
    assert digests(archive) == digests(second) == digests(third)


def test_killed_import_of_a_club_leaves_nothing_and_works_again(
    embedded: Callable[..., LiveProject], archive: Path
) -> None:
    project = embedded()

    def number(query: str) -> int:
        with sqlite3.connect(project.place / "live.sqlite3", timeout=10) as connection:
            return int(connection.execute(query).fetchone()[0])

    process = project.start("manage.py", "import_club", str(archive))
    wait_until(lambda: number("SELECT COUNT(*) FROM tournaments_player"), what="the first rows")
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert number("SELECT COUNT(*) FROM tournaments_club WHERE slug = 'large'") == 0
    assert number("SELECT COUNT(*) FROM tournaments_club WHERE is_public") == 0
    assert project.manage("export_club", "--club", "large", "none.zip").returncode == 2

    said = run(project, "import_club", str(archive))
    assert re.match(rf"large: 1 events, [0-9]+ players, {HANDS:,} hands", said)
    assert "no difference" in run(project, "replay", "--check", "--club", "large")


@pytest.mark.tier_long
@pytest.mark.pg
@pytest.mark.worker
def test_import_of_a_page_goes_on_after_its_worker_was_killed(
    live_project: Callable[..., LiveProject], migrated_pg_url: str, inside: Inside, archive: Path
) -> None:
    project = live_project(DATABASE_URL=migrated_pg_url)

    def state() -> str:
        return str(ClubImport.objects.get().state)

    with inside(project):
        user = User.objects.create_user("uma")
        with archive.open("rb") as file:
            sent = receive_archive(
                Operation(actor_of(user), timezone.now()), file=file, name="league.zip"
            )
        first = project.start_worker("first@tests")
        wait_until(lambda: state() == "preview", what=f"the check\n{project.log}")
        confirm_club_import(Operation(actor_of(user), timezone.now()), sent, slug="large")
        wait_until(Player.objects.exists, what=f"the first rows\n{project.log}")
        first.kill()
        first.wait(PATIENCE_S)
        assert state() == "running"
        assert not Club.objects.filter(slug="large").exists()
        assert not Club.objects.filter(is_public=True).exists()
        project.start_worker("second@tests")
        wait_until(lambda: state() == "done", what=f"the club\n{project.log}")
        club = Club.objects.get(slug="large")
        assert Hand.objects.filter(club=club).count() == HANDS
        assert Membership.objects.get(club=club).user_id == user.pk
        assert not ClubImportPiece.objects.exists()
        assert "no difference" in run(project, "replay", "--check", "--club", "large")
