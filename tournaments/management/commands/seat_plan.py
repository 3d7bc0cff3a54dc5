"""`manage.py seat_plan`: a seating plan for numbered players, or a check of one; no database."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from scoring.errors import Refused
from tournaments.domain.seat_plans import (
    MOVEMENTS,
    ROUND_BY_ROUND,
    faults_of_plan_file,
    plan_lines,
    seat_plan,
    strangers_in_history,
)

DEPRECATED: Final = (
    "seat_plan is deprecated and ends with release 1.0. Plan seats on the page of an evening, or "
    "over REST with POST /api/v1/clubs/{club}/events/{event}/meetings/{date}/plans."
)

MOST_ADVANCE: Final = 20
"""Maximum number of players of a table, or of wild cards, who go on in a knock-out."""


class Command(BaseCommand):
    help = "Plan the tables and seats of some rounds, or check such a plan."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--players", type=int, metavar="N")
        parser.add_argument("--rounds", type=int, metavar="R")
        parser.add_argument("--table-sizes", type=_sizes, default=(), metavar="4,3")
        parser.add_argument("--variant", metavar="ID", help="take the table sizes of this variant")
        parser.add_argument("--movement", choices=MOVEMENTS, default="individual")
        parser.add_argument(
            "--variation", default="", metavar="NAME", help="mitchell, one_table, two_tables"
        )
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--iterations", type=int, metavar="N", help="end the search early")
        parser.add_argument("--apart", type=_pair, action="append", default=[], metavar="3,7")
        parser.add_argument("--together", type=_pair, action="append", default=[], metavar="1,2")
        parser.add_argument(
            "--fixed-table", type=_pair, action="append", default=[], metavar="PLAYER,TABLE"
        )
        parser.add_argument("--history", type=Path, metavar="FILE", help="a plan played before")
        parser.add_argument(
            "--scores", type=Path, metavar="FILE", help="player → score, for swiss and knockout"
        )
        parser.add_argument("--advance", type=_count, default=2, metavar="K")
        parser.add_argument("--wild-cards", type=_count, default=0, metavar="M")
        parser.add_argument("--check", type=Path, metavar="FILE", help="check this plan only")
        parser.add_argument("--json", action="store_true", help="the plan as JSON on stdout")

    def handle(self, *args: object, **options: Any) -> None:
        """Exit status 2 if there is no such plan, or the checked one is wrong."""
        self.stderr.write(DEPRECATED)
        try:
            if options["check"] is not None:
                self._check(options)
            else:
                self._plan(options)
        except Refused as refused:
            lines = [f"{problem.code}: {problem.message}" for problem in refused.problems]
            raise CommandError("\n".join(lines), returncode=2) from refused

    def _check(self, options: dict[str, Any]) -> None:
        made_with = (_read_if_any(options["history"]), _read_if_any(options["scores"]))
        faults = faults_of_plan_file(_read(options["check"]), options, *made_with)
        if faults:
            raise CommandError("\n".join(faults), returncode=2)
        self.stdout.write("The plan is correct.")

    def _plan(self, options: dict[str, Any]) -> None:
        if options["rounds"] is None and options["movement"] in ROUND_BY_ROUND:
            options["rounds"] = 1
        if options["players"] is None or options["rounds"] is None:
            raise CommandError("A plan needs --players and --rounds.", returncode=2)
        history = _read_if_any(options["history"])
        plan = seat_plan(options, history, _read_if_any(options["scores"]))
        if history is not None:
            strangers = strangers_in_history(options["players"], history)
            if strangers:
                named = ", ".join(map(str, strangers))
                self.stderr.write(f"The history names players who are not here; ignored: {named}.")
        if options["json"]:
            self.stdout.write(json.dumps(plan))
        else:
            self.stdout.write("\n".join(plan_lines(plan)))


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= MOST_ADVANCE):
        raise ArgumentTypeError(f"{text}: a number from 0 to {MOST_ADVANCE} is needed")
    return int(text)


def _sizes(text: str) -> tuple[int, ...]:
    numbers = _numbers(text)
    if not all(3 <= number <= 20 for number in numbers):
        raise ArgumentTypeError(f"{text}: a table has 3 to 20 seats")
    return tuple(dict.fromkeys(numbers))


def _pair(text: str) -> tuple[int, ...]:
    numbers = _numbers(text)
    if len(numbers) != 2:
        raise ArgumentTypeError(f"{text}: two numbers are needed, such as 3,7")
    return tuple(numbers)


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError as error:
        raise ArgumentTypeError(f"{text}: numbers with commas between them are needed") from error


def _read_if_any(file: Path | None) -> object:
    if file is None:
        return None
    return _read(file)


def _read(file: Path) -> object:
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CommandError(f"{file.name} cannot be read as JSON: {error}", returncode=2) from error
