"""Foreign columns at the command: a mapping by its name or from a file, printed, and kept."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from scoring.entry.sheet import boxes
from tournaments.importers.import_sheets import ImportRequest, import_file
from tournaments.importers.mapping.guess import guess
from tournaments.importers.mapping.plan import GIVEN, ColumnPlan, plan_from
from tournaments.importers.mapping.select_plan import NotMapped, PlanRequest, SelectedPlan
from tournaments.importers.sheets.players import ClubPlayer, People
from tournaments.importers.tabular.csv import Unreadable
from tournaments.services.imports.column_mappings import save_mapping
from tournaments.services.imports.rules import RuleBook
from tournaments.services.imports.targets import Target

MOST_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class PrintedMapping:
    """A mapping as `--show-mapping` prints it."""

    file: str
    plan: Mapping[str, Any]
    waiting: int = 0

    def as_json(self) -> Mapping[str, object]:
        """Return the mapping."""
        return self.plan

    def lines(self) -> Iterator[str]:
        """Yield the mapping as JSON that `--map-file` reads."""
        yield json.dumps(self.plan, ensure_ascii=False, indent=2)


def mapping_options(options: Mapping[str, Any]) -> PlanRequest:
    """Return what the options say of a file's columns.

    Raises:
        Unreadable, Refused: the file of the mapping cannot be read, or two are named.
    """
    values = {key: str(options[key]) for key in GIVEN if options[key]}
    path, name = options["map_file"], str(options["mapping"])
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
    """Return what to do about columns that are not understood."""
    if fault.problem.code == "value_needed":
        return f"Say it with {fault.problem.facts['option']}."
    return (
        "To map the columns, print a mapping with --show-mapping, edit it and read it with "
        "--map-file."
    )


def preview_mapping(target: Target, request: ImportRequest, now: datetime) -> PrintedMapping:
    """Return the mapping that a file would be read by, or the likely one where there is none.

    Raises:
        Unreadable: not a table, or its columns are ours.
    """
    try:
        chosen = import_file(target=target, request=request, now=now).chosen
        if chosen is None:
            raise Unreadable("The columns are known. No mapping is needed.")
    except NotMapped as fault:
        chosen = fault.chosen or SelectedPlan(_guessed(target, request, fault), {})
    named = {"name": chosen.name} if chosen.name else {}
    return PrintedMapping(request.name, {**named, **chosen.plan.as_json()})


def _guessed(target: Target, request: ImportRequest, fault: NotMapped) -> ColumnPlan:
    name = request.variant or target.variant
    rules = RuleBook(name, {}, offered=target.offered())("").rules if name else None
    there = boxes(rules, rules.keys.players[1]) if rules else ()
    people = People(ClubPlayer(*row) for row in target.members())
    return guess(fault.heads, fault.sample, people, there)


def store_mapping_of(target: Target, request: ImportRequest, name: str, now: datetime) -> None:
    """Keep the mapping that a file is read by for its club, before the file is imported.

    Raises:
        Unreadable: the mapping does not fit the file, or there is no club yet.
        Refused: the name is taken.
    """
    if target.club is None:
        raise Unreadable("--keep-mapping needs an existing club.")
    report = import_file(target=target, request=replace(request, dry_run=True), now=now)
    if report.chosen is not None and not request.dry_run:
        plan = report.chosen.plan
        save_mapping(
            actor=target.actor,
            club=target.club,
            name=name,
            plan=plan.as_json(),
            heads_key=plan.key,
            now=now,
        )
