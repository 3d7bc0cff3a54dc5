"""Makes a release (two commits on main and a tag, nothing is pushed); reads `releases.toml`."""

import datetime
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TABLE: Final = "releases.toml"
MIGRATIONS: Final = "tournaments/migrations"
ROOT: Final = Path(__file__).resolve().parents[1]
BEFORE_RELEASE: Final = ".dev0"
"""Ends the version of main between releases: PEP 440 sorts it before the release itself."""
_VERSION: Final = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")


@dataclass(frozen=True, slots=True)
class Release:
    """One row; `commit` is a full hash, `migration` the name of its last migration."""

    version: str
    date: datetime.date
    commit: str
    migration: str


def releases(root: Path = ROOT) -> list[Release]:
    """Return all releases, the oldest first."""
    rows = tomllib.loads((root / TABLE).read_text(encoding="utf-8"))["release"]
    return [Release(**row) for row in rows]


def add_row(root: Path, release: Release) -> None:
    row = (
        "\n[[release]]\n"
        f'version = "{release.version}"\ndate = {release.date}\ncommit = "{release.commit}"\n'
        f'migration = "{release.migration}"\n'
    )
    with (root / TABLE).open("a", encoding="utf-8") as table:
        table.write(row)


def last_migration(root: Path = ROOT) -> str:
    return max(path.stem for path in (root / MIGRATIONS).glob("[0-9]*.py"))


def project_version(root: Path = ROOT) -> str:
    """Return the version that `pyproject.toml` names: a release, or `0.7.0.dev0` before 0.7.0."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def current_release(root: Path = ROOT) -> str:
    """Return the release that the examples of the documentation name.

    It is the newest of `releases.toml`, and in the commit of a release that release.
    """
    version = project_version(root)
    if version.endswith(BEFORE_RELEASE):
        return releases(root)[-1].version
    return version


def number(version: str) -> tuple[int, int, int]:
    """Return the three numbers of a version, to be compared.

    Raises:
        ValueError: it is not three numbers with points between.

    >>> number("0.10.0") > number("0.9.3")
    True
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        raise ValueError(f"{version!r} is no version: expected three numbers, such as 0.3.0.")
    return int(match[1]), int(match[2]), int(match[3])


FRAGMENTS: Final = "changelog.d"
NOTES: Final = "docs/upgrading.md"
_PLACES: Final = (
    ("pyproject.toml", re.compile(r'(?m)^(version = ")([\w.]+)(")$')),
    ("docker-compose.yml", re.compile(r"(?m)^(\s*image: blacklady:)([\w.]+)()$")),
)
"""Files with the version. Everything else reads pyproject.toml."""
EXAMPLES: Final = ("docs/operations.md", "docs/upgrading.md")
"""Pages whose commands begin with the version of the current release."""
EXAMPLE: Final = re.compile(r"(?m)^(VERSION=)([\d.]+)$")
_TAG_AND_COMMIT: Final = re.compile(r"(?m)^\| `v[\d.]+` \| `[0-9a-f]{40}` \|\n")
"""A row of the table in the notes, for repositories without tags."""


class ReleaseRefused(Exception):
    """Something is not ready; nothing was changed."""


def make_release(root: Path, version: str, *, today: datetime.date) -> Iterator[str]:
    """Make the release, and yield a line about each step.

    `root`: a clone, with main checked out and nothing that is not committed.

    Raises:
        ReleaseRefused: what is missing, in one sentence.
    """
    _require_ready(root, version)
    _run(root, sys.executable, "-m", "towncrier", "build", "--yes", "--version", version,
         "--date", f"{today:%Y-%m-%d}")  # fmt: skip
    yield f"CHANGELOG.md has the section {version}; {FRAGMENTS} is empty."
    set_version(root, version)
    name_in_examples(root, version)
    commit = _commit(root, f"Release {version}")
    _git(root, "tag", "--annotate", f"v{version}", "--message", f"Blacklady {version}", commit)
    yield f"Commit {commit} is tagged v{version}."
    add_row(root, Release(version, today, commit, last_migration(root)))
    name_commit(root, version, commit)
    following = next_version(version)
    set_version(root, following + BEFORE_RELEASE)
    _commit(root, f"Record release {version} and begin {following}")
    yield f"{TABLE} and {NOTES} name it; the version is {following}{BEFORE_RELEASE} from now on."
    yield f"Nothing is pushed yet: git push origin main v{version}"


def next_version(version: str) -> str:
    """Return the minor version after this one, which is prepared from then on.

    >>> next_version("0.3.1")
    '0.4.0'
    """
    major, minor, _patch = number(version)
    return f"{major}.{minor + 1}.0"


def name_commit(root: Path, version: str, commit: str) -> None:
    text = (root / NOTES).read_text(encoding="utf-8")
    *_, last = _TAG_AND_COMMIT.finditer(text)
    row = f"| `v{version}` | `{commit}` |\n"
    (root / NOTES).write_text(text[: last.end()] + row + text[last.end() :], encoding="utf-8")


def set_version(root: Path, version: str) -> None:
    for name, place in _PLACES:
        text = (root / name).read_text(encoding="utf-8")
        (root / name).write_text(place.sub(rf"\g<1>{version}\g<3>", text, 1), encoding="utf-8")


def name_in_examples(root: Path, version: str) -> None:
    for name in EXAMPLES:
        text = (root / name).read_text(encoding="utf-8")
        (root / name).write_text(EXAMPLE.sub(rf"\g<1>{version}", text), encoding="utf-8")


def image_version(root: Path) -> str:
    """Return the tag of the image in docker-compose.yml, empty where there is none."""
    name, place = _PLACES[1]
    match = place.search((root / name).read_text(encoding="utf-8"))
    return match[2] if match else ""


def _require_ready(root: Path, version: str) -> None:
    try:
        next_number, last = number(version), releases(root)[-1].version
    except ValueError as fault:
        raise ReleaseRefused(str(fault)) from fault
    if next_number <= number(last):
        raise ReleaseRefused(f"{version} is not later than the last release, {last}.")
    if project_version(root) != version + BEFORE_RELEASE:
        raise ReleaseRefused(
            f"pyproject.toml has the version {project_version(root)}. Set it to "
            f"{version}{BEFORE_RELEASE} in a commit of its own first, if that is meant."
        )
    if (branch := _git(root, "branch", "--show-current")) != "main":
        raise ReleaseRefused(f"A release is made on main, not on {branch or 'no branch'}.")
    if _git(root, "status", "--porcelain"):
        raise ReleaseRefused("There are changes that are not committed (git status).")
    if _git(root, "tag", "--list", f"v{version}"):
        raise ReleaseRefused(f"The tag v{version} is there already.")
    if not any((root / FRAGMENTS).glob("*.*.md")):
        raise ReleaseRefused(f"{FRAGMENTS} is empty: nothing changed since {last}.")
    heading = re.compile(rf"(?m)^### .*\b{re.escape(version)}$")
    notes = (root / NOTES).read_text(encoding="utf-8")
    if not heading.search(notes):
        raise ReleaseRefused(f"{NOTES} has no section that ends with {version}.")
    if not _TAG_AND_COMMIT.search(notes):
        raise ReleaseRefused(f"{NOTES} has no table of tags and commits.")


def _commit(root: Path, subject: str) -> str:
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", "--message", subject)
    return _git(root, "rev-parse", "HEAD")


def _git(root: Path, *words: str) -> str:
    return _run(root, "git", *words)


def _run(root: Path, *words: str) -> str:
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ReleaseRefused(f"{' '.join(words)} failed: {done.stdout}{done.stderr}".strip())
    return done.stdout.strip()
