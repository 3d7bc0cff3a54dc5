"""A process that asks for the PDF of an event's standings, as a web process answers it.

`python -m tests.support.live.ask_for_file FOLDER NAME [hold]` writes `NAME.asks` once it has
found that no file is stored, `NAME.makes` when it begins to make the file, and `NAME.answer` with
status and bytes. The one that makes the file goes on when the folder has `go`; with `hold` it
never does.
"""

import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django
from django.apps import apps

if TYPE_CHECKING:
    from tournaments.selectors.standings.publication_bytes import FoundFile


def main(folder: Path, name: str, *, holds: bool) -> None:
    from django.test import Client

    from api.v1.standings import files
    from tournaments.selectors.standings import publication_bytes as selector
    from tournaments.services.publishing import publication_files

    made, stored = files.made_file, selector.file_as_stored

    def slowly(*args: Any) -> bytes:
        (folder / f"{name}.makes").touch()
        if holds:
            signal.pause()
        while not (folder / "go").exists():
            time.sleep(0.01)
        return made(*args)

    def looking(*args: Any) -> "FoundFile | None":
        found = stored(*args)
        if found is None:
            (folder / f"{name}.asks").touch()
        return found

    files.made_file = slowly  # type: ignore[assignment]  # for this process alone
    setattr(publication_files, "file_as_stored", looking)  # noqa: B010 - for this process alone
    answer = Client(SERVER_NAME="127.0.0.1").get(
        "/api/v1/clubs/riverside/events/league/standings.pdf"
    )
    written = folder / f"{name}.written"
    written.write_bytes(f"{answer.status_code}\n".encode() + answer.content)
    written.rename(folder / f"{name}.answer")


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if not apps.ready:
        django.setup()
    main(Path(sys.argv[1]), sys.argv[2], holds="hold" in sys.argv)
