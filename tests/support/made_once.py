"""What is dear to make, made by one of the processes of a run and used by all."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

PLACE = "BLACKLADY_TESTS_PLACE"
"""The variable with the directory that all processes of a run share."""


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """Call `make` with an empty directory in the first process that asks; return it to each."""
    place = Path(os.environ[PLACE]) / name
    place.mkdir(exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_made(name):
            make(place)
            (place / "done").touch()
    return place


def is_made(name: str) -> bool:
    return (Path(os.environ[PLACE]) / name / "done").exists()
