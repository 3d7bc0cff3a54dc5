"""The season so far of a club that begins here in the middle of it: read from a list, and added."""

import tempfile
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Final

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from scoring.standings.metrics import PRIMARIES
from tournaments.documents.read.people import People
from tournaments.documents.read.people_list import PastedPlayer
from tournaments.documents.read.season import SeasonRow, read_season_file
from tournaments.domain.event_settings import settings_of
from tournaments.errors import refuse_any
from tournaments.models.events import Event
from tournaments.services.clubs.player_paste import add_roster, plan_players
from tournaments.services.db.locks import lock_event
from tournaments.services.events.opening_values import NewOpeningValue, add_opening_values
from tournaments.services.imports.targets import target_of
from tournaments.services.operations import Operation, operation


def season_of(
    event: Event, content: bytes, *, now: datetime, until: date | None
) -> tuple[Sequence[SeasonRow], str]:
    """Return the season in a file, or in pasted text, and its list as CSV; or raise Unreadable."""
    target = target_of(event)
    people = People(target.members())
    today = now.astimezone(event.club.zone).date()
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        path = Path(folder) / "season"
        path.write_bytes(content)
        return read_season_file(path, Path(folder), people, target.rules(), today, until or today)


OF_PEOPLE: Final = ("unknown_player", "ambiguous_name")


@operation(
    "penalize",
    locks=lock_event,
    refuses=(*add_opening_values.refuses, *add_roster.refuses, *OF_PEOPLE),
)
def add_season(
    op: Operation, event: Event, /, *, season: Sequence[SeasonRow], add_missing: bool, reason: str
) -> JsonDict:
    """Add the values of a season so far; with `add_missing` its unknown players join the club.

    A cell that is no number is refused by its line.
    """
    refuse_any(
        Problem("bad_opening_value", (row.line,), {"found": shown(fault)})
        for row in season
        for fault in row.faults
    )
    unknown = [row for row in season if row.member is None]
    codes = {row.line: row.member.player_id for row in season if row.member is not None}
    if unknown and not add_missing:
        raise Refused(
            *(Problem("unknown_player", (row.line,), {"player": row.person.found, "like": ""})
              for row in unknown)
        )  # fmt: skip
    if unknown:
        codes |= _add_players(op, event, unknown)
    needs_games = getattr(PRIMARIES[settings_of(event).primary].opening, "needs", "") == "games"
    values = [
        NewOpeningValue(
            codes[row.line], each.day, each.value,
            games=each.counts.get("games", 1 if needs_games and each.is_evening else None),
            wins=each.counts.get("wins"), hands=each.counts.get("hands"), penalty=each.penalty,
        )
        for row in season
        for each in row.values
    ]  # fmt: skip
    return add_opening_values(op, event, values=values, reason=reason)


def _add_players(op: Operation, event: Event, rows: Sequence[SeasonRow]) -> dict[int, str]:
    """Add the people of rows to the club; return the player of each line.

    Who was added since the list was read is not added again.
    """
    people = People(target_of(event).members())
    pasted = [
        PastedPlayer(row.line, row.person.found, as_written=True)
        for row in rows
        if people.person("", row.person.found).member is None
    ]
    if pasted:
        add_roster(op, event.club, pasted=pasted, seen=plan_players(event.club, pasted).digest)
        people = People(target_of(event).members())
    codes: dict[int, str] = {}
    for row in rows:
        person = people.person("", row.person.found)
        if person.member is None:
            facts = {"player": person.found, "like": person.expected}
            raise Refused(Problem(person.code, (row.line,), facts))
        codes[row.line] = person.member.player_id
    return codes
