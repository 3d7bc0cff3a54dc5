"""A club in one file and out of it again, beside the import of its sheets.

Time is measured in turn; peak memory of each in a process of its own (`benchmarks.child archives`).
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from django.utils import timezone

from benchmarks.databases import clear
from benchmarks.importing import EVENT, peak_memory
from benchmarks.leagues import CLUB, bring_in, write_league
from benchmarks.measure import Figure, Goal, compared, in_turn, once
from benchmarks.sizes import Sizes
from tournaments.documents.club_archive import archive_chunks
from tournaments.documents.read.club_archive import ArchiveReader
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.hands import Hand
from tournaments.policy import command
from tournaments.services.archives.import_club import import_steps
from tournaments.services.publishing.publications import publish

GOAL = Goal(3.0)
NAMES = {"sheets": "import of the sheets", "export": "export", "import": "import of the archive"}


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Import sheets, export the club, and import the archive, in turn into empty tables."""
    hands = sizes.archived_hands
    sheets = write_league(folder / "archived.csv", players=sizes.import_players, hands=hands)
    archive = folder / "archived.zip"

    def import_sheets() -> float:
        clear()
        taken = once(lambda: bring_in(sheets, EVENT))
        publish(Event.objects.get(slug=EVENT).pk, now=timezone.now())
        return taken

    def export_club() -> float:
        return once(lambda: _write(archive))

    def import_club() -> float:
        clear()
        taken = once(lambda: _read(archive))
        if Hand.objects.count() != hands:
            raise AssertionError(f"{Hand.objects.count()} hands, not {hands}")
        return taken

    what = in_turn(sizes.repeats, "moving a club", import_sheets, export_club, import_club)
    beside, written, read = what
    name = "import of the sheets"
    yield compared("archives", f"export of {hands:,} hands", written, name, beside, GOAL, "s")
    yield compared("archives", f"import of {hands:,} hands", read, name, beside, GOAL, "s")
    clear()
    for act, file in (("sheets", sheets), ("export", archive), ("import", archive)):
        if act == "import":
            clear()
        label = f"peak memory: {NAMES[act]}, {hands:,} hands"
        yield Figure("archives", label, _peak(act, file), "MB")
    clear()


def main(arguments: Sequence[str]) -> None:
    act, file = arguments[0], Path(arguments[1])
    if act == "sheets":
        bring_in(file, EVENT)
    elif act == "export":
        _write(file)
    else:
        _read(file)
    print(json.dumps(peak_memory()))


def _peak(act: str, file: Path) -> float:
    command = [sys.executable, "-m", "benchmarks.child", "archives", act, str(file)]
    ended = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return float(ended.stdout.splitlines()[-1])


def _write(archive: Path) -> None:
    club = Club.objects.get(slug=CLUB)
    with archive.open("wb") as file:
        for chunk in archive_chunks(club, now=timezone.now()):
            file.write(chunk)


def _read(archive: Path) -> None:
    with archive.open("rb") as file:
        opened = ArchiveReader(file)
        for _ in import_steps(opened, actor=command("bench"), clock=timezone.now):
            pass
