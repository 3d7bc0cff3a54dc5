"""Lists of players and their import."""

import io
from pathlib import Path
from typing import Any

from django.core.management import call_command


def run(*arguments: object) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status: Any = 0
    try:
        call_command("import_players", *map(str, arguments), stdout=out, stderr=err)
    except SystemExit as ended:
        status = ended.code
    return status, out.getvalue(), err.getvalue()


def listed(folder: Path, *lines: str, name: str = "list.csv") -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\r\n" for line in lines), encoding="utf-8")
    return path
