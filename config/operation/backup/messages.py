"""Sentences of the commands `backup` and `restore`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tournaments.disk_full import is_disk_full

_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB")


def refusal_of(fault: OSError, place: Path) -> str:
    """Return one line about a file or directory that cannot be read or written."""
    if is_disk_full(fault):
        return f"The disk is full. Make room for {place}, and give the command again."
    return f"{fault.filename or place}: {fault.strerror or fault}. Nothing was written."


def counted(counts: Mapping[str, int]) -> str:
    """Return counts as words.

    >>> counted({"clubs": 1, "hands": 1204})
    '1 club, 1,204 hands'
    """
    return ", ".join(
        f"{count:,} {name.removesuffix('s') if count == 1 else name}"
        for name, count in counts.items()
    )


def size(n_bytes: int) -> str:
    """Return a number of bytes in the largest unit that leaves a whole one.

    >>> size(1_530_000)
    '1.5 MB'
    >>> size(12)
    '12 bytes'
    """
    found, unit = float(n_bytes), 0
    while found >= 1000 and unit < len(_UNITS) - 1:
        found, unit = found / 1000, unit + 1
    return f"{found:.1f} {_UNITS[unit]}" if unit else f"{n_bytes} bytes"
