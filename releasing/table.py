"""Reads and extends `releases.toml`: version, date, commit and last migration of every release."""

import datetime
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

TABLE: Final = "releases.toml"
MIGRATIONS: Final = "tournaments/migrations"
ROOT: Final = Path(__file__).resolve().parents[1]
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
    """Append a release to the table."""
    row = (
        "\n[[release]]\n"
        f'version = "{release.version}"\ndate = {release.date}\ncommit = "{release.commit}"\n'
        f'migration = "{release.migration}"\n'
    )
    with (root / TABLE).open("a", encoding="utf-8") as table:
        table.write(row)


def last_migration(root: Path = ROOT) -> str:
    """Return the name of the newest migration in a work tree."""
    return max(path.stem for path in (root / MIGRATIONS).glob("[0-9]*.py"))


def project_version(root: Path = ROOT) -> str:
    """Return the version that `pyproject.toml` names: the last release, or the next one."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def number(version: str) -> tuple[int, int, int]:
    """Return the three numbers of a version, to be compared.

    Raises:
        ValueError: it is not three numbers with points between.

    >>> number("0.10.0") > number("0.9.3")
    True
    """
    found = _VERSION.fullmatch(version)
    if found is None:
        raise ValueError(f"{version!r} is no version: expected three numbers, such as 0.3.0.")
    return int(found[1]), int(found[2]), int(found[3])
