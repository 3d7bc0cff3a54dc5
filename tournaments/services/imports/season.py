"""The season so far of a club that begins here in the middle of it: read from a list, and added."""

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from typing import Final

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.documents.read.people import ClubPlayer
from tournaments.documents.read.people_list import PastedPlayer
from tournaments.documents.read.season import SeasonRow, SeasonValue, read_season_file
from tournaments.domain.event_settings import settings_of
from tournaments.errors import refuse_any
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.standings import OpeningValue
from tournaments.services.clubs.aliases import keep_names
from tournaments.services.clubs.names import lock_names
from tournaments.services.clubs.player_paste import add_roster, plan_players
from tournaments.services.db.locks import lock_event
from tournaments.services.events.opening_values import (
    NewOpeningValue,
    add_opening_values,
    problems_of_value,
)
from tournaments.services.imports.targets import target_of
from tournaments.services.operations import Operation, operation


def season_of(
    event: Event, content: bytes, *, now: datetime, until: date | None
) -> tuple[Sequence[SeasonRow], str]:
    """Return the season in a file, or in pasted text, and its list as CSV; or raise Unreadable."""
    target = target_of(event)
    people = target.people()
    today = now.astimezone(event.club.zone).date()
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        path = Path(folder) / "season"
        path.write_bytes(content)
        return read_season_file(path, Path(folder), people, target.rules(), today, until or today)


OF_PEOPLE: Final = ("unknown_player", "ambiguous_name", "likely_player")


@operation(
    "penalize",
    locks=lock_event,
    refuses=(
        *add_opening_values.refuses,
        *add_roster.refuses,
        *OF_PEOPLE,
        "total_beside_earlier_value",
    ),
)
def add_season(
    op: Operation,
    event: Event,
    /,
    *,
    season: Sequence[SeasonRow],
    add_missing: bool,
    reason: str,
    take_likely: bool = False,
    beside: bool = False,
) -> JsonDict:
    """Add the values of a season so far; with `add_missing` its unknown players join the club.

    Names that are short for those of members are these members with `take_likely`, and are kept as
    their other names; such a name never joins the club. A cell that is no number is refused by its
    line. An evening with a column counts as one game. A total of a player who has a value of
    another date already is refused without `beside`: a list that grows would count twice.
    """
    refuse_any(_faults(season))
    codes = {row.line: row.member.player_id for row in season if row.member is not None}
    likely = likely_members(season) if take_likely else {}
    codes |= {line: member.player_id for line, member in likely.items()}
    unknown = [row for row in season if row.line not in codes]
    refuse_any(_asked_people(unknown))
    if unknown and not add_missing:
        raise Refused(
            *(
                Problem("unknown_player", (row.line,), {"player": row.person.found, "like": ""})
                for row in unknown
            )
        )
    if unknown:
        codes |= _add_players(op, event, unknown)
    _keep_names(op, event, season, likely)
    if not beside:
        # One of them is enough: most often all of the list are there already.
        refuse_any(islice(_totals_beside_earlier(event, season, codes), 1))
    uncounted = _list_without_games(event)
    values = []
    for row in season:
        code = codes[row.line]
        for value in row.values:
            new_value = _opening_value(code, value)
            if value.is_evening and (code, value.day) in uncounted:
                new_value = replace(new_value, games=None)
            values.append(new_value)
    return add_opening_values(op, event, values=values, reason=reason)


def _totals_beside_earlier(
    event: Event, season: Sequence[SeasonRow], codes: Mapping[int, str]
) -> Iterator[Problem]:
    """Yield the players whose total would count beside a value of another date; one query."""
    active = OpeningValue.objects.filter(event=event, withdrawn_at=None).order_by("-date")
    earlier = active.values_list("entrant__code", "date")
    dates: dict[str, list[date]] = {}
    for code, on in earlier:
        dates.setdefault(code, []).append(on)
    for row in season:
        for value in row.values:
            others = [on for on in dates.get(codes[row.line], ()) if on != value.day]
            if others and not value.is_evening:
                facts = {"player": row.person.found, "date": others[0].isoformat()}
                yield Problem("total_beside_earlier_value", (row.line,), facts)


def likely_members(season: Sequence[SeasonRow]) -> dict[int, ClubPlayer]:
    """Return the members whom names of a season are likely short for, by line.

    Who has a line of their own, or two such lines, is none of them.
    """
    members = [row.member for row in season if row.member is not None]
    likely = [row for row in season if row.member is None and row.person.is_likely]
    claimed = Counter(row.person.candidates[0].player_id for row in likely)
    claimed.update(member.player_id for member in members)
    return {
        row.line: row.person.candidates[0]
        for row in likely
        if claimed[row.person.candidates[0].player_id] == 1
    }


def _asked_people(rows: Sequence[SeasonRow]) -> Iterator[Problem]:
    """Yield the names that may be those of members: nobody joins the club under them."""
    for row in rows:
        if row.person.code == "unknown_player" and row.person.suggestion:
            facts = {"found": row.person.found, "like": row.person.suggestion}
            yield Problem("likely_player", (row.line,), facts)


def _keep_names(
    op: Operation, event: Event, season: Sequence[SeasonRow], likely: Mapping[int, ClubPlayer]
) -> None:
    names = {row.person.found: likely[row.line].key for row in season if row.line in likely}
    players = Player.objects.in_bulk(names.values())
    if names:
        keep_names(op, lock_names(event.club), {name: players[key] for name, key in names.items()})


def _opening_value(code: str, value: SeasonValue) -> NewOpeningValue:
    """Return a value to add; an evening of a list counts as one game."""
    return NewOpeningValue(
        code,
        value.day,
        value.value,
        games=1 if value.is_evening else value.counts.get("games"),
        wins=value.counts.get("wins"),
        hands=value.counts.get("hands"),
        penalty=value.penalty,
    )


def _list_without_games(event: Event) -> frozenset[tuple[str, date]]:
    """Return the entrants and days of stored values without a number of games.

    0.5.0 and releases before it stored the evenings of a list so; the same list again adds nothing.
    """
    rows = OpeningValue.objects.filter(event=event, withdrawn_at=None, games=None)
    return frozenset(rows.values_list("entrant__code", "date"))


def season_problems(event: Event, season: Sequence[SeasonRow]) -> list[Problem]:
    """Return what is wrong with the values of a season, by line; nothing is read or written."""
    settings = settings_of(event)
    problems = list(_faults(season))
    for row in season:
        for value in row.values:
            found = problems_of_value(settings, _opening_value("", value))
            problems += [replace(problem, at=(row.line, *problem.at)) for problem in found]
    return problems


def _faults(season: Sequence[SeasonRow]) -> Iterator[Problem]:
    """Yield the cells without a readable number, by their line."""
    for row in season:
        for fault in row.faults:
            yield Problem("bad_opening_value", (row.line,), {"found": shown(fault)})


def _add_players(op: Operation, event: Event, rows: Sequence[SeasonRow]) -> dict[int, str]:
    """Add the people of rows to the club; return the player of each line.

    Who was added since the list was read is not added again.
    """
    people = target_of(event).people()
    pasted = [
        PastedPlayer(row.line, row.person.found, as_written=True)
        for row in rows
        if people.person("", row.person.found).member is None
    ]
    if pasted:
        add_roster(op, event.club, pasted=pasted, seen=plan_players(event.club, pasted).digest)
        people = target_of(event).people()
    codes: dict[int, str] = {}
    for row in rows:
        person = people.person("", row.person.found)
        if person.member is None:
            facts = {"player": person.found, "like": person.expected}
            raise Refused(Problem(person.code, (row.line,), facts))
        codes[row.line] = person.member.player_id
    return codes
