"""Tables that were removed before their first hand, as the audit trail keeps them."""

from collections.abc import Iterator
from dataclasses import dataclass

from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.meetings import Round, Table
from tournaments.selectors.audit.event_subjects import event_subjects, is_about


@dataclass(frozen=True, slots=True)
class RemovedTable:
    """A table that was removed; `people` are ids clockwise, `line` is that of the audit trail."""

    line: int
    round: int
    number: int
    code: str
    people: tuple[str, ...]
    rules: str
    names: tuple[str, ...] = ()


def removed_tables(event: Event, round_: Round) -> tuple[RemovedTable, ...]:
    """Return the tables of a round that were removed and are not there again, with names."""
    there = set(Table.objects.filter(round=round_).values_list("code", flat=True))
    newest = {one.code: one for one in _removed(event, f"r{round_.number}t")}
    found = [one for code, one in newest.items() if code not in there and one.people]
    ids = {code for one in found for code in one.people}
    rows = Player.objects.filter(club=event.club_id, player_id__in=ids)
    names = dict(rows.values_list("player_id", "name"))
    return tuple(
        RemovedTable(
            one.line, one.round, one.number, one.code, one.people, one.rules,
            tuple(names.get(code, code) for code in one.people),
        )
        for one in sorted(found, key=lambda one: one.number)
    )  # fmt: skip


def removed_table(event: Event, line: int) -> RemovedTable | None:
    """Return a removed table by its line of the audit trail; None where there is none."""
    return next((one for one in _removed(event, "r") if one.line == line), None)


def last_removed(event: Event, code: str) -> RemovedTable | None:
    """Return the newest removal of the table with this code; None where it was never removed."""
    found = [one for one in _removed(event, code) if one.code == code]
    return found[-1] if found else None


def _removed(event: Event, begin: str) -> Iterator[RemovedTable]:
    """Yield the tables whose code begins so, in the order in which they were removed."""
    tables = is_about(event_subjects(event), f"table:{begin}")
    lines = AuditLine.objects.filter(tables, club=event.club_id, act="clear_table")
    for line in lines.order_by("number"):
        code = line.subject.partition("/table:")[2]
        round_number, _, number = code.removeprefix("r").partition("t")
        if "rules" in line.facts:
            yield RemovedTable(
                line.number,
                int(round_number),
                int(number),
                code,
                tuple(line.facts["players"]),
                line.facts["rules"],
            )
