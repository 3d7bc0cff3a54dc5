"""`make release` commits, tags and records a release, or changes nothing and says why."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from releasing.release import (
    BEFORE_RELEASE,
    ROOT,
    ReleaseRefused,
    current_release,
    make_release,
    project_version,
    releases,
)

KEPT = (
    "pyproject.toml",
    "docker-compose.yml",
    "releases.toml",
    "CHANGELOG.md",
    "docs/operations.md",
    "docs/upgrading.md",
    "releasing/changelog.jinja",
)
DAY = date(2026, 12, 24)


def prepared(clone: Path = ROOT) -> str:
    """The version of the release that a clone prepares."""
    return project_version(clone).removesuffix(BEFORE_RELEASE)


def git(place: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *words],  # noqa: S607
        cwd=place,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with what a release reads and writes, and two changes to collect."""
    for name in KEPT:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("tournaments/migrations/0001_initial.py", "tournaments/migrations/0012_more.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    with (tmp_path / "docs" / "upgrading.md").open("a") as notes:
        notes.write(f"\n### From the last release to {prepared()}\n")
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / "changelog.d" / "clock.added.md").write_text("A clock of rounds,\nwith a bell.\n")
    (tmp_path / "changelog.d" / "bell.fixed.md").write_text("- One bell.\n- Another bell.\n")
    (tmp_path / "changelog.d" / "release.noticed.md").write_text("- It rings.\n- It stops.\n")
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    git(tmp_path, "config", "user.name", "Releaser")
    git(tmp_path, "config", "user.email", "releaser@example.org")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "Begin")
    return tmp_path


def test_release_is_tagged_recorded_and_followed_by_the_next_version(clone: Path) -> None:
    version = prepared(clone)
    before = releases(clone)
    assert current_release(clone) == before[-1].version
    assert len(list(make_release(clone, version, today=DAY))) == 4

    tagged = git(clone, "rev-parse", f"v{version}^{{commit}}")
    assert releases(clone)[:-1] == before
    row = releases(clone)[-1]
    assert (row.version, row.date, row.commit) == (version, DAY, tagged)
    assert row.migration == "0012_more"
    assert git(clone, "rev-parse", "HEAD~1") == tagged
    assert git(clone, "status", "--porcelain") == ""
    assert f'version = "{version}"' in git(clone, "show", f"{tagged}:pyproject.toml")
    following = f"0.{int(version.split('.')[1]) + 1}.0.dev0"
    assert project_version(clone) == following
    assert current_release(clone) == version
    assert f"image: blacklady:{following}\n" in (clone / "docker-compose.yml").read_text()

    for page in ("operations", "upgrading"):
        assert f"\nVERSION={version}\n" in git(clone, "show", f"{tagged}:docs/{page}.md")
    notes = (clone / "docs" / "upgrading.md").read_text()
    assert (
        f"| `v{before[-1].version}` | `{before[-1].commit}` |\n| `v{version}` | `{tagged}` |\n"
        in (notes)
    )

    changes = (clone / "CHANGELOG.md").read_text()
    section, _, older = changes.partition(f"## {before[-1].version},")
    assert older
    assert section.endswith(
        f"## {version}, 2026-12-24\n\n"
        "What a club notices:\n\n- It rings.\n- It stops.\n\n"
        "### Added\n\n- A clock of rounds,\n  with a bell.\n\n"
        "### Fixed\n\n- One bell.\n- Another bell.\n\n"
    )
    assert list(clone.glob("changelog.d/*.md")) == []


def not_committed(clone: Path) -> None:
    (clone / "new.txt").write_text("new")


def other_branch(clone: Path) -> None:
    git(clone, "checkout", "--quiet", "-b", "feature")


def no_changes(clone: Path) -> None:
    git(clone, "rm", "--quiet", "-r", "changelog.d")
    git(clone, "commit", "--quiet", "--message", "Remove changes")


def tag_there(clone: Path) -> None:
    git(clone, "tag", f"v{prepared(clone)}")


def no_notes(clone: Path) -> None:
    (clone / "docs" / "upgrading.md").write_text("# Upgrade\n")
    git(clone, "commit", "--quiet", "--all", "--message", "Remove notes")


def no_table_of_commits(clone: Path) -> None:
    notes = f"# Upgrade\n\n### From the last release to {prepared(clone)}\n"
    (clone / "docs" / "upgrading.md").write_text(notes)
    git(clone, "commit", "--quiet", "--all", "--message", "Remove the table")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (not_committed, "not committed"),
        (other_branch, "on main, not on feature"),
        (no_changes, "nothing changed since"),
        (tag_there, "is there already"),
        (no_notes, "has no section that ends with"),
        (no_table_of_commits, "has no table of tags and commits"),
    ],
)
def test_release_that_is_not_ready_changes_nothing(
    clone: Path, spoil: Callable[[Path], None], sentence: str
) -> None:
    spoil(clone)
    head, tags = git(clone, "rev-parse", "HEAD"), git(clone, "tag")
    status = git(clone, "status", "--porcelain")
    with pytest.raises(ReleaseRefused, match=sentence):
        list(make_release(clone, prepared(clone), today=DAY))
    assert (git(clone, "rev-parse", "HEAD"), git(clone, "tag")) == (head, tags)
    assert git(clone, "status", "--porcelain") == status


@pytest.mark.parametrize(
    ("version", "sentence"),
    [
        ("0.2.0", "not later than the last release"),
        ("three", "no version"),
        ("9.0.0", "has the version"),
    ],
)
def test_unreleasable_version_is_refused(clone: Path, version: str, sentence: str) -> None:
    with pytest.raises(ReleaseRefused, match=sentence):
        list(make_release(clone, version, today=DAY))


def test_command_prints_the_reason_and_ends_with_2(clone: Path) -> None:
    not_committed(clone)
    done = subprocess.run(
        [sys.executable, "-m", "releasing", prepared(clone)],
        cwd=clone,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "There are changes that are not committed (git status).\n"
