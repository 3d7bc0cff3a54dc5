"""What an installation keeps is for its own account, whatever the umask it is started under."""

import os
import stat
from pathlib import Path

import pytest

from tests.live.conftest import Inside
from tests.support.live.events import enter, evening
from tests.support.live.project import LiveProject
from tournaments.management.service import files_of, make_readable, restrict_to_owner

pytestmark = pytest.mark.worker
UNDER_022 = ("sh", "-c", 'umask 022; exec "$@"', "sh")


def modes(place: Path) -> dict[str, str]:
    """The files of an installation with what each account may do."""
    found = {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in place.iterdir()}
    found.pop("live.log", None)  # the test's own
    return found


def test_files_of_a_served_database_are_its_owners(project: LiveProject, inside: Inside) -> None:
    (project.place / "live.sqlite3").chmod(0o644)
    project.within = UNDER_022
    project.serve()
    with inside(project):
        enter(evening(), 1)
        found = modes(project.place)
    assert {"live.sqlite3", "live.sqlite3-wal", "live.sqlite3-shm"} <= found.keys()
    assert set(found.values()) == {"0o600"}


@pytest.mark.tier_long
def test_command_makes_a_database_for_its_owner(project: LiveProject) -> None:
    (project.place / "live.sqlite3").unlink()
    project.within = UNDER_022
    assert project.manage("migrate", "--verbosity", "0").returncode == 0
    assert modes(project.place)["live.sqlite3"] == "0o600"


def test_what_was_open_to_others_is_closed_but_static_files(tmp_path: Path) -> None:
    var = tmp_path / "var"
    (var / "mail").mkdir(parents=True)
    (var / "static").mkdir()
    files = [var / "demo.log", var / "mail" / "1.eml", var / "static" / "a.css"]
    for file in files:
        file.touch()
    for path in (var, *var.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    outside = tmp_path / "outside"
    outside.touch()
    outside.chmod(0o644)
    (var / "link").symlink_to(outside)
    restrict_to_owner(files_of(var, str(tmp_path / "none.sqlite3")))
    assert {path.name: oct(stat.S_IMODE(path.stat().st_mode)) for path in (var, *files)} == {
        "var": "0o700",
        "demo.log": "0o600",
        "1.eml": "0o600",
        "a.css": "0o666",
    }
    assert oct(stat.S_IMODE(os.stat(outside).st_mode)) == "0o644"


def test_collected_files_are_for_everybody_whatever_the_umask(
    project: LiveProject, tmp_path: Path
) -> None:
    root = tmp_path / "srv" / "static"
    (root / "css").mkdir(parents=True, mode=0o700)
    (root / "css" / "of-an-earlier-release.css").touch(mode=0o600)
    root.chmod(0o700)
    outside = tmp_path / "outside"
    outside.touch(mode=0o600)
    (root / "link.css").symlink_to(outside)
    project.within = ("sh", "-c", 'umask 077; exec "$@"', "sh")
    project.environment |= {"STATIC_ROOT": str(root), "STATIC_COLLECTED": "1"}
    # What is compressed afterwards takes most of a minute; here a file stands for it.
    (root / "css" / "of-an-earlier-release.css.gz").touch(mode=0o600)
    words = ("collectstatic", "--noinput", "--no-post-process", "--verbosity", "0")
    assert project.manage(*words).returncode == 0
    found = [path for path in (root, *root.rglob("*")) if not path.is_symlink()]
    kinds = {(path.is_dir(), oct(stat.S_IMODE(path.stat().st_mode))) for path in found}
    assert len(found) > 50
    assert kinds == {(True, "0o755"), (False, "0o644")}
    assert oct(stat.S_IMODE(outside.stat().st_mode)) == "0o600"


def test_directory_that_holds_the_installation_is_not_opened(tmp_path: Path) -> None:
    var = tmp_path / "var"
    var.mkdir(mode=0o700)
    (var / "secret_key").touch(mode=0o600)
    for root in (var, tmp_path):
        make_readable(root, but=var)
    assert oct(stat.S_IMODE((var / "secret_key").stat().st_mode)) == "0o600"
