"""Draws mutants of the product: faults in lines of a range of commits, half at boundaries."""

import random
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from releasing.release import releases
from tests.support.mutants.faults import Fault, faults_of
from tests.support.mutants.subjects import modules_of

CODEMODS: Final = ".git-blame-ignore-revs"
BLAMED_LINE: Final = re.compile(r"([0-9a-f]{40}) \d+ (\d+)(?: \d+)?")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A module with one fault."""

    path: str
    fault: Fault

    def __str__(self) -> str:
        fault = self.fault
        old, new = (" ".join(text.split())[:80] for text in (fault.old, fault.new))
        return f"{self.path}:{fault.line}  {old} -> {new}"

    def written_into(self, source: bytes) -> bytes:
        return source[: self.fault.start] + self.fault.new.encode() + source[self.fault.end :]


def git(root: Path, *words: str) -> str:
    run = subprocess.run(
        ["git", *words],  # noqa: S607  # git of the machine
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


def ends_of(root: Path, commits: str) -> tuple[str, str]:
    """Return the commits of a range "a..b"; a release has that of its row in releases.toml."""
    tagged = {release.version: release.commit for release in releases(root)}
    first, _dots, last = commits.partition("..")
    return tagged.get(first, first), tagged.get(last, last) or "HEAD"


def lines_of(root: Path, path: str, *, first: str, commits: Iterable[str]) -> set[int]:
    """Return the lines of a file that these commits after the first one wrote last."""
    codemods = ["--ignore-revs-file", CODEMODS] if (root / CODEMODS).exists() else []
    blamed = git(root, "blame", "--porcelain", *codemods, f"{first}..HEAD", "--", path)
    rows = filter(None, map(BLAMED_LINE.match, blamed.splitlines()))
    wanted = set(commits)
    return {int(row[2]) for row in rows if row[1] in wanted}


def mutants_of(root: Path, commits: str, folders: Sequence[str]) -> list[Mutant]:
    """Return all mutants in the lines of a range, in the order of the sources."""
    first, last = ends_of(root, commits)
    hashes = git(root, "rev-list", f"{first}..{last}").split()
    mutants = []
    for path in modules_of(root, folders):
        lines = lines_of(root, path, first=first, commits=hashes)
        source = (root / path).read_bytes()
        has_columns = path.startswith("tournaments/models/")
        faults = faults_of(source, has_columns=has_columns) if lines else []
        mutants += [Mutant(path, fault) for fault in faults if fault.line in lines]
    return mutants


def drawn(mutants: Sequence[Mutant], *, seed: int, number: int) -> list[Mutant]:
    """Draw mutants by a seed, half of them at boundaries where there are enough of both kinds."""
    at_boundaries = [mutant for mutant in mutants if mutant.fault.is_boundary]
    others = [mutant for mutant in mutants if not mutant.fault.is_boundary]
    n_others = min(number // 2, len(others))
    n_at_boundaries = min(number - n_others, len(at_boundaries))
    n_others = min(number - n_at_boundaries, len(others))
    chance = random.Random(str(seed))  # noqa: S311  # draws mutants, keeps no secret
    chosen = {
        *chance.sample(at_boundaries, n_at_boundaries),
        *chance.sample(others, n_others),
    }
    return [mutant for mutant in mutants if mutant in chosen]
