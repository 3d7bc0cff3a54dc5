"""Import commands: mappings of foreign columns, what a command prints, and its exit status."""

import json
import sys
from abc import abstractmethod
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from scoring.entry.sheet import boxes
from scoring.errors import Problem, Refused, listed
from tournaments.documents.read.apply_plan import NotMapped, PlanRequest, SelectedPlan
from tournaments.documents.read.column_plan import GIVEN, ColumnPlan, labels_of, plan_from
from tournaments.documents.read.column_plan import problems_of as problems_in
from tournaments.documents.read.csv import SourceCorrections, Unreadable
from tournaments.documents.read.guess_columns import guess
from tournaments.documents.read.readings import read_as
from tournaments.domain.faults import is_disk_full
from tournaments.domain.imports import alike
from tournaments.domain.imports.import_report import SHEET_ELSEWHERE
from tournaments.domain.messages import sentence
from tournaments.errors import Conflict, Forbidden, Missing, problems_of
from tournaments.models.events import Event
from tournaments.models.imports import Upload
from tournaments.policy import command
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_event
from tournaments.services.imports.answer_alike import corrections_of
from tournaments.services.imports.batches import offers_of_finding
from tournaments.services.imports.column_mappings import save_mapping
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest, digest_of
from tournaments.services.imports.player_lists import PlayerListImport
from tournaments.services.imports.resolve_people import (
    add_people,
    keep_likely_names,
    likely_people,
    unknown_people,
)
from tournaments.services.imports.resolve_problem import answer_about_sheets
from tournaments.services.imports.targets import RuleBook, Target
from tournaments.services.imports.uploads import ANOTHER_GAME, ONE_SHEET, Report
from tournaments.services.operations import Operation

WAITS: Final = 1
REFUSED: Final = 2
"""Exit status: something waits for a person; nothing was written."""

NO_ROOM: Final = (
    "The disk is full. The data stored so far is complete. Free some space, then import the "
    "same file again."
)
R = TypeVar("R")


def write_bytes(command: BaseCommand, chunks: Iterable[bytes]) -> None:
    """Write bytes to standard output unchanged: a text stream would convert line ends."""
    command.stdout.flush()
    raw = getattr(command.stdout, "buffer", None)
    for chunk in chunks:
        if raw is None:  # a test's or a caller's own text stream
            command.stdout.write(chunk.decode(), ending="")
        else:
            raw.write(chunk)
    if raw is not None:
        raw.flush()


@contextmanager
def exit_where_refused(**slugs: str) -> Iterator[None]:
    """Exit with status 2 and the reason where the block is refused.

    Args:
        slugs: by the code of the refusal that names them.
    """
    try:
        yield
    except (Refused, Missing, Conflict, Forbidden) as refused:
        reasons = [_words(problem, slugs) for problem in problems_of(refused)]
        raise CommandError(" ".join(reasons), returncode=REFUSED) from refused


def require_event(name: str, club: str, event: str) -> Event:
    """Return the event that a command names; `name` is the command's own name."""
    actor = command(name)
    with exit_where_refused(unknown_club=club, unknown_event=event):
        get_club(actor, club)
        return get_event(actor, club, event)


class EventCommand(BaseCommand):
    """A command for one event."""

    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--club", required=True, metavar="SLUG")
        parser.add_argument("--event", required=True, metavar="SLUG")


def require_user(name: str) -> User:
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"Nobody here is called {name}.", returncode=REFUSED)
    return user


def run_import(command: BaseCommand, options: dict[str, object], run: Callable[[], R]) -> R:
    """Run an import and return its report, or exit with status 2 and the reason.

    A full disk exits with status 1; rows stored before are kept.
    """
    try:
        return run()
    except Unreadable as fault:
        reason = str(fault)
    except (Refused, Missing, Conflict, Forbidden) as refused:
        slugs = {"unknown_club": options["club"], "unknown_event": options["event"]}
        reason = " ".join(_words(problem, slugs) for problem in problems_of(refused))
    except (DatabaseError, OSError) as fault:
        if not is_disk_full(fault):
            raise
        _refuse(command, options, NO_ROOM, written="", status=WAITS)
    return _refuse(command, options, reason)


class ImportCommand(BaseCommand):
    """Reads a CSV file for a club; every mistake in it is listed in one pass.

    The exit status says whether hands are waiting.
    """

    requires_system_checks = ()
    needs_event = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--club", required=True, metavar="SLUG")
        parser.add_argument("--event", required=self.needs_event, default="", metavar="SLUG")
        parser.add_argument("--dry-run", action="store_true", help="report only, write nothing")
        parser.add_argument("--json", action="store_true", help="the report as JSON on stdout")
        if self.needs_event:
            parser.add_argument("--sheet", default="", metavar="NAME", help="of a spreadsheet")
            parser.add_argument(
                ONE_SHEET,
                type=int,
                action="append",
                default=[],
                metavar="LINE",
                help="the event has the sheet that begins there: add only what is new",
            )
            parser.add_argument(
                ANOTHER_GAME,
                type=int,
                action="append",
                default=[],
                metavar="LINE",
                help="the sheet that begins there is another game: add it",
            )
            parser.add_argument(
                "--answer",
                type=_answer,
                action="append",
                default=[],
                metavar="CODE=ANSWER",
                help="answer all questions of a code alike, such as which_round=own_round",
            )
            parser.add_argument(
                "--hidden", action="store_true", help="read hidden sheets and rows too"
            )
            parser.add_argument(
                "--new-players", action="store_true", help="add the players whom the club lacks"
            )
            parser.add_argument(
                "--likely-players",
                action="store_true",
                help="names that are short for one member each are these members, and are kept",
            )

    def handle(self, *args: object, **options: Any) -> None:
        report = run_import(self, options, lambda: self.import_file(options))
        if options["json"]:
            self.stdout.write(json.dumps(report.as_json(), ensure_ascii=False))
        else:
            self.stdout.write("\n".join(report.lines()))
        if report.waiting:
            number = report.waiting
            reason = "1 problem is pending" if number == 1 else f"{number} problems wait"
            self.stderr.write(f"{report.file}: {reason} for a person.")
            sys.exit(WAITS)

    @abstractmethod
    def import_file(self, options: dict[str, Any]) -> Report | PlayerListImport: ...


def with_people(
    op: Operation, target: Target, options: dict[str, Any], run: Callable[[bool], Report]
) -> Report:
    """Return the report of an import, whose people are looked at before if options say so.

    With `--likely-players` the club keeps whom names are likely short for, then with
    `--new-players` the unknown people are added.

    Args:
        run: imports the file, or with True only reports on it.
    """
    if options["dry_run"] or target.club is None:
        return run(False)
    if options["likely_players"]:
        likely = likely_people(run(True).problems)
        if likely:
            keep_likely_names(op, target.club, likely)
    if options["new_players"]:
        unknown = unknown_people(target.club, run(True).problems)
        if unknown:
            add_people(op, target.club, unknown)
    return run(False)


def _answer(text: str) -> tuple[str, str]:
    code, _, answer = text.partition("=")
    return code.strip(), answer.strip()


def with_answers(
    op: Operation,
    target: Target,
    request: ImportRequest,
    answers: Mapping[str, str],
    run: Callable[[ImportRequest], Report],
) -> Report:
    """Return the report of an import whose questions are answered alike: code → answer.

    A dry run finds the questions. What is known of sheets of the event is stored with an import, so
    these questions are answered after it, and the file is imported again.
    """
    if not answers:
        return run(request)
    asked = run(replace(request, dry_run=True))
    report = run(_answered(request, asked, answers))
    is_one = answers.get(SHEET_ELSEWHERE)
    lines = [each.spot.lines[0] for each in report.problems if each.code == SHEET_ELSEWHERE]
    if is_one is None or not lines or request.dry_run or target.event is None:
        return report
    answer_about_sheets(
        op,
        target.event,
        digest=digest_of(request.path),
        answers=dict.fromkeys(lines, is_one == alike.ONE_SHEET),
    )
    return run(_answered(request, asked, answers))


def _answered(request: ImportRequest, asked: Report, answers: Mapping[str, str]) -> ImportRequest:
    """Return a request with the cells that answers to the questions of a report change."""
    plan = asked.chosen.plan.as_json() if asked.chosen is not None else None
    upload = Upload(heads=list(asked.heads), added=[], plan=plan)
    lines: dict[int, Sequence[str]] = dict(request.corrections.lines)
    added = request.corrections.added
    confirmed = []
    for code, answer in answers.items():
        problems = [
            replace(each, offers=tuple(offers_of_finding(each)))
            for each in asked.problems
            if each.code == code and each.waits
        ]
        if not problems:
            continue
        fitting = [key for key in alike.answers_of(problems) if key != alike.LEAVE_OUT]
        if answer not in fitting:
            expected = listed(fitting) or "nothing: resolve these one by one"
            raise Unreadable(f"--answer {code}={answer} does not fit. Expected: {expected}.")
        if answer == alike.IS_RIGHT:
            confirmed.append(code)
        upload.heads = [*asked.heads, *added]
        upload.added = list(added)
        changed, new = corrections_of(problems, upload, answer, lines)
        lines |= changed
        added = (*added, *new)
    corrections = SourceCorrections(added, lines)
    return replace(request, corrections=corrections, confirmed=confirmed)


def answer_questions(op: Operation, target: Target, options: Mapping[str, Any]) -> None:
    """Answer what an earlier import of the file asked about its sheets."""
    answers = dict.fromkeys(options["another_game"], False)
    answers |= dict.fromkeys(options["one_sheet"], True)
    path: Path = options["file"]
    if answers and target.event is not None and path.is_file() and not options["dry_run"]:
        answer_about_sheets(op, target.event, digest=digest_of(path), answers=answers)


def printable(path: Path) -> str:
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


def _words(problem: Problem, slugs: Mapping[str, object]) -> str:
    slug = slugs.get(problem.code)
    if slug:
        return f"{sentence(problem)} ({slug})"
    return sentence(problem)


MOST_BYTES = 1024 * 1024


def mapping_options(options: Mapping[str, Any]) -> PlanRequest:
    values = {key: str(options[key]) for key in (*GIVEN, "reading") if options[key]}
    path = options["map_file"]
    name = str(options["mapping"])
    if path is None:
        if options["keep_mapping"]:
            raise Unreadable("--keep-mapping saves the mapping of --map-file. Give that file too.")
        return PlanRequest(name=name, values=values)
    if name:
        raise Unreadable("Name a mapping with --mapping, or give one with --map-file; not both.")
    return PlanRequest(plan=_from_file(path), values=values)


def _from_file(path: Path) -> ColumnPlan:
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES)
        return plan_from(json.loads(content))
    except OSError as fault:
        raise Unreadable(f"The mapping {path.name} cannot be opened ({fault.strerror}).") from None
    except (ValueError, RecursionError) as fault:
        raise Unreadable(f"The mapping {path.name} is not JSON ({fault}).") from None


def mapping_advice(fault: NotMapped) -> str:
    if fault.problem.code == "value_needed":
        return f"Say it with {fault.problem.facts['option']}."
    if fault.problem.code == "reading_needed":
        return f"Say it with --reading: {fault.problem.facts['expected']}."
    return (
        "To map the columns, print a mapping with --show-mapping, edit it and read it with "
        "--map-file."
    )


def preview_mapping(op: Operation, target: Target, request: ImportRequest) -> dict[str, object]:
    """Return the mapping that a file would be read by, or else the likely one.

    It has the format of `--map-file`.
    """
    try:
        selected = import_file(op, target, request).chosen
        if selected is None:
            raise Unreadable("The columns are known. No mapping is needed.")
    except NotMapped as fault:
        selected = fault.chosen or SelectedPlan(_guess_plan(target, request, fault), {})
    return {**({"name": selected.name} if selected.name else {}), **selected.plan.as_json()}


def _guess_plan(target: Target, request: ImportRequest, fault: NotMapped) -> ColumnPlan:
    name = request.variant or target.variant
    rules = RuleBook(name, {}, offered=target.offered())("").rules if name else None
    sheet_boxes = boxes(rules, rules.keys.players[1]) if rules else ()
    plan = guess(fault.heads, fault.sample, target.people(), sheet_boxes)
    if rules is None or problems_in(plan, labels_of(fault.heads)):
        return plan
    return read_as(plan, fault.heads, fault.sample, rules).first.plan


def store_mapping_of(op: Operation, target: Target, request: ImportRequest, name: str) -> None:
    """Store the mapping of a file for its club, before the file is imported."""
    if target.club is None:
        raise Unreadable("--keep-mapping needs an existing club.")
    report = import_file(op, target, replace(request, dry_run=True))
    if report.chosen is not None and not request.dry_run:
        save_mapping(op, target.club, name=name, plan=report.chosen.plan)
