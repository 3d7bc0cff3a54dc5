"""What the house tests look at: the project's own files, as git knows them."""

import ast
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("scoring", "tournaments", "api", "config")


def tracked() -> tuple[Path, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],  # noqa: S607  # git of the machine
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(path for line in listed.stdout.splitlines() if (path := ROOT / line).is_file())


def modules(*packages: str, migrations: bool = False) -> Iterator[tuple[str, ast.Module]]:
    """Every Python file of these packages: its path below the root, and its tree."""
    for package in packages or PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if migrations or "migrations" not in path.parts:
                yield str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))
