"""A small disk for one installation: a tmpfs that only its own processes see."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.live.project import PATIENCE_S, ROOT, LiveProject

ROOM_KB = 2500
"""What the disk has beside the database: its log alone may need 1 MB and more."""

_HOLD = 'mount -t tmpfs -o "size=$1" tmpfs "$2" && echo mounted && exec cat'
_ENTER = 'cd "$0" && exec "$@"'
_ASK = """
import json, sqlite3, sys
print(json.dumps(sqlite3.connect(sys.argv[1], timeout=60).execute(sys.argv[2]).fetchall()))
"""


class SmallDisk:
    """The disk as the test sees it: through the process that holds its mount namespace."""

    def __init__(self, holder: int, place: Path) -> None:
        self.files = Path(f"/proc/{holder}/root{place}")
        self.database = place / "live.sqlite3"
        self.enter = ("nsenter", "--target", str(holder), "--mount")

    def rows(self, statement: str) -> list[list[int | str]]:
        words = (*self.enter, sys.executable, "-c", _ASK, str(self.database), statement)
        found: list[list[int | str]] = json.loads(
            subprocess.check_output(words, timeout=PATIENCE_S)
        )
        return found

    def copy_to(self, path: Path) -> None:
        """Copy the database, with its log where there is one, to where anybody can open it."""
        for file in self.files.glob("live.sqlite3*"):
            if not file.name.endswith("-shm"):
                shutil.copy(
                    file, path.with_name(path.name + file.name.removeprefix("live.sqlite3"))
                )

    def fill(self, but_kb: int = 0) -> None:
        """Write a file that leaves no more than `but_kb` free."""
        with (self.files / "ballast").open("wb") as ballast:
            block = min(4096, max(self.free_kb - but_kb, 0) * 1024)
            while block and self.free_kb > but_kb:
                ballast.write(bytes(block))
                ballast.flush()

    def clear(self) -> None:
        (self.files / "ballast").unlink()

    @property
    def free_kb(self) -> int:
        return shutil.disk_usage(self.files).free // 1024


@contextmanager
def on_small_disk(project: LiveProject) -> Iterator[SmallDisk]:
    """Move a project's database to a small disk of its own; skip the test where none can be made.

    The disk is mounted in a mount namespace of its own, so nobody else sees it and it is gone with
    the last process in it.
    """
    place = project.place / "disk"
    place.mkdir()
    database = project.place / "live.sqlite3"
    size_kb = database.stat().st_size // 1024 + ROOM_KB
    unshared = ("unshare", "--mount", "--propagation", "private")
    with subprocess.Popen(
        (*unshared, "sh", "-c", _HOLD, "sh", f"{size_kb}k", str(place)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        if holder.stdout.readline() != b"mounted\n":
            _, said = holder.communicate()
            pytest.skip(f"no disk of its own can be mounted here: {said.decode().strip()}")
        disk = SmallDisk(holder.pid, place)
        shutil.copy(database, disk.files)
        project.environment["DATABASE_URL"] = f"sqlite:///{disk.database}"
        project.within = (*disk.enter, "sh", "-c", _ENTER, str(ROOT))
        yield disk
        project.end()
        holder.communicate()
