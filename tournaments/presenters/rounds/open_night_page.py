"""The page of an open night: who is free, which tables play, which rounds can be closed."""

from collections import Counter
from dataclasses import dataclass

from scoring.entry.sheet import seat_names
from scoring.seating.table_sizes import table_sizes
from tournaments.models.events import Event
from tournaments.models.meetings import Meeting, RoundState
from tournaments.models.seating_plans import OPEN, SeatingPlan
from tournaments.selectors.rounds.round_seating import chosen_plan, next_round_number
from tournaments.selectors.seating_plans.open_night import OpenNight, open_night
from tournaments.selectors.seating_plans.people_here import planned_players
from tournaments.services.rounds.seating_limits import allowed_sizes


@dataclass(frozen=True, slots=True)
class FreePlayer:
    """Somebody who waits, with the number of tables they had tonight."""

    player_id: str
    name: str
    tables: int


@dataclass(frozen=True, slots=True)
class OpenTableBox:
    """A table that plays: each seat by its name, with the player's."""

    number: int
    code: str
    round_number: int
    seats: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class OpenNightPage:
    """Everything that the page shows; `tables` counts what forms from all who are free.

    `boards` are the numbers of rounds with tables that play, `complete` those of rounds whose
    tables are all over.
    """

    plan: SeatingPlan
    free: tuple[FreePlayer, ...]
    playing: tuple[OpenTableBox, ...]
    tables: int
    waiting: int
    least: int
    over: int
    boards: tuple[int, ...]
    complete: tuple[int, ...]


def open_night_page(event: Event, meeting: Meeting) -> OpenNightPage | None:
    """Return the page of an evening whose chosen plan is an open night; None for any other."""
    plan = chosen_plan(meeting)
    if plan is None or plan.movement != OPEN:
        return None
    night = open_night(meeting)
    sizes = allowed_sizes(event, next_round_number(event), plan)
    formed = table_sizes(len(night.free), sizes) if sizes else None
    times = Counter(player for table in night.tables for player in table.players)
    free = tuple(FreePlayer(one.player_id, one.name, times[one.pk]) for one in night.free)
    playing = _playing(event, night)
    return OpenNightPage(
        plan=plan,
        free=free,
        playing=playing,
        tables=len(formed.tables) if formed else 0,
        waiting=formed.sit_outs if formed else len(free),
        least=min(sizes, default=0),
        over=len(night.tables) - len(playing),
        boards=tuple(sorted({table.round_number for table in playing})),
        complete=_complete(night),
    )


def _playing(event: Event, night: OpenNight) -> tuple[OpenTableBox, ...]:
    rows = {player for table in night.playing for player in table.players}
    people = planned_players(event, rows)
    return tuple(
        OpenTableBox(
            table.number,
            table.code,
            table.round_number,
            tuple(
                (seat, people[player].name)
                for seat, player in zip(seat_names(len(table.players)), table.players, strict=True)
            ),
        )
        for table in sorted(night.playing, key=lambda one: one.number)
    )


def _complete(night: OpenNight) -> tuple[int, ...]:
    """Return the rounds that can be closed: they have tables, and all of these are over."""
    there = {table.round_number for table in night.tables}
    open_ones = {table.round_number for table in night.playing}
    return tuple(
        one.number
        for one in night.rounds
        if one.state == RoundState.PLAYING and one.number in there - open_ones
    )
