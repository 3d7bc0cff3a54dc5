"""Lists of players and their import."""

from functools import partial
from pathlib import Path

from tests.support.commands import run_command

run = partial(run_command, "import_players")


def listed(folder: Path, *lines: str, name: str = "list.csv") -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\r\n" for line in lines), encoding="utf-8")
    return path
