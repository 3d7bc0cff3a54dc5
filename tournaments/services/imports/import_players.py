"""A file of players, or of fixed pairs, on its way into a club and one of its events."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tournaments.documents.read.kinds.people import PeopleReader
from tournaments.domain.imports.import_report import Finding
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.services.imports.player_lists import PlayerList, take_list
from tournaments.services.imports.uploads import counted, in_order, problem_lines
from tournaments.services.operations import Operation


@dataclass(frozen=True, slots=True)
class ListReport:
    """The report of a list: `accepted` rows are in the club, `added` players and `entered` entrants
    are new.
    """

    file: str
    dry_run: bool
    rows: int
    accepted: int
    added: int
    entered: int
    problems: tuple[Finding, ...]

    @property
    def waiting(self) -> int:
        return sum(1 for problem in self.problems if problem.waits)

    def as_json(self) -> dict[str, object]:
        return {
            "file": self.file,
            "dry_run": self.dry_run,
            "rows": self.rows,
            "accepted": self.accepted,
            "added": self.added,
            "entered": self.entered,
            "problems": [problem.as_json() for problem in self.problems],
        }

    def lines(self) -> Iterator[str]:
        yield from problem_lines(self.problems)
        would = "would be" if self.dry_run else "are"
        words = [
            f"{self.file}: {counted(self.rows, 'row')}, {self.accepted} of them {would} in the "
            f"club.",
            f"{counted(self.added, 'player')} and {counted(self.entered, 'entrant')} {would} new.",
        ]
        if self.dry_run:
            words.append("Nothing was written: this was a dry run.")
        yield " ".join(words)


def import_players(
    op: Operation,
    club: Club,
    event: Event | None,
    *,
    path: Path,
    name: str,
    dry_run: bool,
    has_consent: bool = False,
) -> ListReport:
    """Import a file of players or pairs into `club`, and into `event` if one is given.

    Args:
        has_consent: these people agreed to get mails at the addresses in the file; without it no
            address is stored.
    """
    reader = PeopleReader(has_event=event is not None, has_consent=has_consent)
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        n_rows, rows = reader.file(path, Path(folder))
    listing = PlayerList(op=op, club=club, event=event, writing=not dry_run)
    take_list(op, club, listing=listing, rows=rows)
    problems = in_order([*reader.findings, *listing.findings])
    counts = listing.accepted, listing.added, listing.entered
    return ListReport(name, dry_run, n_rows, *counts, problems)
