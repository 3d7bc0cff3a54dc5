"""Files that hold the club's data are for the account that runs the service, and nobody else.

What is made from now on by a command is so through the process's umask, which its children inherit;
what was there before is mended as `serve` starts. Collected static files alone are for everybody.
"""

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

OTHERS: Final = 0o077
"""What nobody but the owner may do: the umask, and the bits that are taken away."""
FOR_OTHERS: Final = frozenset({"collectstatic", "makemigrations", "spectacular"})
"""Commands that write what others read: files that a server hands out, and sources."""


def make_private(words: Sequence[str]) -> None:
    """Let a command make files for its own account only, unless others are to read them."""
    if len(words) < 2 or words[1] not in FOR_OTHERS:
        os.umask(OTHERS)


def restrict_to_owner(paths: Iterable[Path]) -> None:
    """Take from others what they may do with files and directories that are there.

    What belongs to another account stays as it is: whoever owns it has decided.
    """
    for path in paths:
        try:
            found = path.lstat()
        except FileNotFoundError:
            continue
        mode = stat.S_IMODE(found.st_mode)
        is_plain = stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)
        if is_plain and found.st_uid == os.geteuid() and mode & OTHERS:
            path.chmod(mode & ~OTHERS)


def make_readable(root: Path, *, but: Path) -> None:
    """Let every account read collected static files: files 0644, directories 0755.

    A web server that hands them out may run as another account, whatever the umask they were
    collected under. Nothing is opened where `but`, the installation's own directory, lies in
    `root`: that would open the database too.
    """
    if root.resolve() in (but.resolve(), *but.resolve().parents):
        return
    for place, _, names in os.walk(root):
        for path in (Path(place), *(Path(place) / name for name in names)):
            found = path.lstat()
            mode = stat.S_IMODE(found.st_mode)
            is_dir = stat.S_ISDIR(found.st_mode)
            wanted = mode | (0o755 if is_dir else 0o644)
            is_plain = is_dir or stat.S_ISREG(found.st_mode)
            if is_plain and found.st_uid == os.geteuid() and mode != wanted:
                path.chmod(wanted)


def files_of(var: Path, database: str = "") -> list[Path]:
    """Return the directory of an installation, what lies in it, and its SQLite file with the files
    beside that; `static` is for everybody."""
    inside = [path for path in var.rglob("*") if var / "static" not in (path, *path.parents)]
    beside = [Path(database + end) for end in ("", "-wal", "-shm", "-journal", ".serve-lock")]
    return [var, *inside, *(beside if database else ())]
