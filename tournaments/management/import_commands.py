"""How commands end: what they say, where, and with which exit status."""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn, Protocol, TypeVar

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from scoring.errors import Problem, Refused
from tournaments.disk_full import is_disk_full
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.importers.tabular.csv import Unreadable
from tournaments.messages import sentence
from tournaments.models.events import Event
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.events.events import event_at

DONE: Final = 0
WAITS: Final = 1
REFUSED: Final = 2
"""Exit status: all is in; something waits for a person; nothing was written."""


class ImportReporting(Protocol):
    """What an import has to say at its end."""

    @property
    def file(self) -> str:
        """Name of the file."""

    @property
    def waiting(self) -> int:
        """Number of hands that wait for a person."""

    def as_json(self) -> Mapping[str, object]:
        """Return the report as JSON has it."""

    def lines(self) -> Iterable[str]:
        """Yield the report line by line."""


NO_ROOM: Final = (
    "The disk is full. The data stored so far is complete. Free some space, then import the "
    "same file again."
)

R = TypeVar("R", bound=ImportReporting)


def require_event(act: str, club: str, event: str) -> Event:
    """Return the event that a command is given, or end with status 2 and what is not there.

    Args:
        act: the command's name.
    """
    actor = command(act)
    try:
        club_at(actor, club)
        return event_at(actor, club, event)
    except Missing as missing:
        words = _words(missing.problem, {"club": club, "event": event})
        raise CommandError(words, returncode=REFUSED) from missing


def run_import(command: BaseCommand, options: dict[str, object], run: Callable[[], R]) -> R:
    """Run an import and return its report, or end with status 2 and the reason.

    Where the disk is full it ends with status 1: what was stored before stays.
    """
    try:
        return run()
    except Unreadable as fault:
        reason = str(fault)
    except Refused as refused:
        reason = " ".join(sentence(problem) for problem in refused.problems)
    except (Missing, Conflict, Forbidden) as refused:
        reason = _words(refused.problem, options)
    except (DatabaseError, OSError) as fault:
        if not is_disk_full(fault):
            raise
        _refuse(command, options, NO_ROOM, written="", status=WAITS)
    return _refuse(command, options, reason)


def end_import(command: BaseCommand, report: ImportReporting, *, as_json: bool) -> None:
    """Say the report; end with status 1 where something waits."""
    if as_json:
        command.stdout.write(json.dumps(report.as_json(), ensure_ascii=False))
    else:
        command.stdout.write("\n".join(report.lines()))
    if report.waiting:
        number = report.waiting
        reason = "1 problem is pending" if number == 1 else f"{number} problems wait"
        command.stderr.write(f"{report.file}: {reason} for a person.")
        sys.exit(WAITS)


def printable(path: Path) -> str:
    """Return a file's name without bytes that are no text."""
    return path.name.encode("utf-8", "replace").decode()


def _refuse(
    command: BaseCommand,
    options: dict[str, Any],
    reason: str,
    *,
    written: str = " Nothing was written.",
    status: int = REFUSED,
) -> NoReturn:
    name = printable(options["file"])
    if options["json"]:
        refusal = {"file": name, "error": reason}
        command.stdout.write(json.dumps(refusal, ensure_ascii=False))
    command.stderr.write(f"{name}: {reason}{written}")
    sys.exit(status)


def _words(problem: Problem, options: dict[str, object]) -> str:
    named = {"unknown_club": options["club"], "unknown_event": options["event"]}
    slug = named.get(problem.code)
    return f"{sentence(problem)} ({slug})" if slug else sentence(problem)
