"""Files that only their owner reads, and directories whose names last."""

import os
from pathlib import Path


def create_private(path: Path) -> Path:
    """Create an empty file for its owner only; return `path`.

    Raises:
        FileExistsError: there is one.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def sync(path: Path) -> None:
    """Make a file's bytes last, or the names in a directory."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
