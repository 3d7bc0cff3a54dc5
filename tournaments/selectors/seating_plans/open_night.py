"""An open night: who is free, who plays, and which tables there were."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from scoring.entry.sheet import seat_names
from scoring.json_types import JsonDict
from scoring.seating.brackets import table_sizes
from scoring.seating.requests import PlannedRound
from tournaments.models.events import Event, StageKind
from tournaments.models.meetings import (
    Attendance,
    AttendanceState,
    Meeting,
    Round,
    RoundState,
    SitOut,
    Sitting,
)
from tournaments.models.seating_plans import OPEN
from tournaments.selectors.rounds.round_progress import OVER
from tournaments.selectors.rounds.round_seating import chosen_plan, next_round_number
from tournaments.selectors.rounds.seating_changes import allowed_sizes
from tournaments.selectors.seating_plans.people_here import PersonHere, people_here, planned_players


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table of the night with the rows of its players; `turn` is its round's place, from 1."""

    turn: int
    round_number: int
    number: int
    code: str
    players: tuple[int, ...]
    is_over: bool


@dataclass(frozen=True, slots=True)
class OpenNight:
    """A night; players are rows.

    Args:
        rounds: the ordinary ones of the evening, by number.
        free: who is here and at no table that is played, who played least in front, then by
            arrival.
        tables: those of the night by round and number.
        last_turn: player → place among `rounds` of the last one that they had a table or sat out.
    """

    rounds: tuple[Round, ...]
    free: tuple[PersonHere, ...]
    tables: tuple[OpenTable, ...]
    last_turn: Mapping[int, int]

    @property
    def playing(self) -> tuple[OpenTable, ...]:
        return tuple(table for table in self.tables if not table.is_over)

    def planned_rounds(self) -> tuple[PlannedRound, ...]:
        """Return the night's rounds for the planner; who is free and had no table there sat out."""
        planned = []
        for turn in range(1, len(self.rounds) + 1):
            tables = tuple(table.players for table in self.tables if table.turn == turn)
            seated = {player for table in tables for player in table}
            outside = tuple(person.pk for person in self.free if person.pk not in seated)
            planned.append(
                PlannedRound(tuple(table for table in tables if len(table) > 1), outside)
            )
        return tuple(planned)


def open_night(meeting: Meeting) -> OpenNight:
    """Return an evening as an open night; six queries.

    Whoever said after which round they leave has played as many tables then.
    """
    ordinary = Round.objects.filter(meeting=meeting).exclude(stage__kind=StageKind.PLAYOFF)
    rounds = tuple(ordinary.select_related("event__club", "stage", "meeting").order_by("number"))
    turns = {round_.pk: turn for turn, round_ in enumerate(rounds, 1)}
    tables, busy = _get_tables(meeting, turns)
    last: dict[int, int] = {}
    times: dict[int, int] = defaultdict(int)
    for table in tables:
        for player in table.players:
            last[player] = max(last.get(player, 0), table.turn)
            times[player] += 1
    outside = SitOut.objects.filter(round__in=turns)
    for round_id, player in outside.values_list("round_id", "entrant__members__player_id"):
        if player is not None:
            last[player] = max(last.get(player, 0), turns[round_id])
    return OpenNight(rounds, _list_free(meeting, busy, times), tables, last)


def _get_tables(
    meeting: Meeting, turns: Mapping[int, int]
) -> tuple[tuple[OpenTable, ...], set[int]]:
    """Return the tables of the ordinary rounds, and everybody at a table that is played."""
    rows = Sitting.objects.filter(round__meeting=meeting, to_hand__isnull=True)
    people: dict[tuple[int, int, int, str, bool], list[int]] = defaultdict(list)
    busy = set()
    for round_id, round_number, number, code, state, player in rows.order_by(
        "round__number", "seat__table__number", "seat__number"
    ).values_list(
        "round_id", "round__number", "seat__table__number", "seat__table__code",
        "seat__table__game__state", "player_id",
    ):  # fmt: skip
        if state not in OVER:
            busy.add(player)
        if round_id in turns:
            people[turns[round_id], round_number, number, code, state in OVER].append(player)
    tables = (
        OpenTable(turn, round_number, number, code, tuple(players), is_over)
        for (turn, round_number, number, code, is_over), players in people.items()
    )
    return tuple(tables), busy


def _list_free(
    meeting: Meeting, busy: set[int], times: Mapping[int, int]
) -> tuple[PersonHere, ...]:
    """Return who waits for a table, who played least in front, then by arrival."""
    checked_in = Attendance.objects.filter(meeting=meeting, state=AttendanceState.HERE)
    in_order = checked_in.order_by("arrived_at", "pk").values_list("player_id", flat=True)
    arrival = {player: at for at, player in enumerate(in_order)}
    free = [
        person
        for person in people_here(meeting)
        if person.pk in arrival
        and person.pk not in busy
        and (person.last is None or times.get(person.pk, 0) < person.last)
    ]
    return tuple(sorted(free, key=lambda person: (times.get(person.pk, 0), arrival[person.pk])))


def open_rounds(night: OpenNight) -> dict[int, Round]:
    """Return the rounds that a table can be added to, by their place among those of the night."""
    return {
        turn: round_
        for turn, round_ in enumerate(night.rounds, 1)
        if round_.state in (RoundState.POSTED, RoundState.PLAYING)
    }


def open_night_page(event: Event, meeting: Meeting) -> JsonDict | None:
    """Return what the page of an open night shows; None where another plan is chosen.

    `free` are (player, tables tonight); `playing` are (table, its seats as (seat, name));
    `n_tables` form from all who are free.
    """
    plan = chosen_plan(meeting)
    if plan is None or plan.movement != OPEN:
        return None
    night = open_night(meeting)
    sizes = allowed_sizes(event, next_round_number(event), plan)
    formed = table_sizes(len(night.free), sizes) if sizes else None
    times = Counter(player for table in night.tables for player in table.players)
    playing = sorted(night.playing, key=lambda table: table.number)
    people = planned_players(event, {player for table in playing for player in table.players})
    busy = {table.round_number for table in playing}
    complete = {table.round_number for table in night.tables} - busy
    return {
        "free": [(person, times[person.pk]) for person in night.free],
        "playing": [
            (
                table,
                zip(
                    seat_names(len(table.players)),
                    [people[player].name for player in table.players],
                    strict=True,
                ),
            )
            for table in playing
        ],
        "n_tables": len(formed.tables) if formed else 0,
        "waiting": formed.sit_outs if formed else len(night.free),
        "least": min(sizes, default=0),
        "over": len(night.tables) - len(playing),
        "boards": sorted(busy),
        "complete": [
            round_.number
            for round_ in night.rounds
            if round_.state == RoundState.PLAYING and round_.number in complete
        ],
    }
