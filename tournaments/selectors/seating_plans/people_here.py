"""Players at an evening or an open night: free, playing, in pairs and teams, earlier opponents."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from django.db.models import Max, QuerySet

from scoring.entry.sheet import seat_names
from scoring.json_types import JsonDict
from scoring.seating.brackets import table_sizes
from scoring.seating.requests import PlannedRound
from scoring.standings.rows import in_play_order
from tournaments.domain.name_matching import sort_key
from tournaments.models.clubs import Player
from tournaments.models.events import (
    Entrant,
    EntrantKind,
    EntrantMember,
    EntrantState,
    Event,
    Stage,
    StageKind,
    StagePlan,
)
from tournaments.models.playoffs import StageEntrant
from tournaments.models.rounds import (
    Attendance,
    AttendanceState,
    Meeting,
    Round,
    RoundState,
    SitOut,
    SitOutReason,
    Sitting,
    Table,
)
from tournaments.models.seating_plans import OPEN, ConstraintKind, SeatingConstraint, SeatingPlan
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import WITH_PLAYERS, entrant_names, find_with_results
from tournaments.selectors.events.events import ordinary_rounds, round_played
from tournaments.selectors.rounds.round_progress import OVER
from tournaments.selectors.rounds.round_seating import (
    chosen_plan,
    next_round_number,
    rounds_of_evening,
    withdrawn_players,
)
from tournaments.selectors.rounds.seating_changes import allowed_sizes

MOST_EARLIER_ROUNDS: Final = 200
"""Number of newest rounds that count; older ones do not change tonight's plan."""


@dataclass(frozen=True, slots=True)
class PersonHere:
    """A player at an evening, from which to which of its rounds; None = until the end.

    `is_late`: the player is announced for a later round and not checked in yet.
    """

    pk: int
    player_id: str
    name: str
    first: int = 1
    last: int | None = None
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class PlayingUnit:
    """A pair or a team at an evening; its players who are `here` are rows, `missing` ones names.

    `entrant` is its row, None for two who play together by a constraint.
    """

    entrant: int | None
    name: str
    here: tuple[int, ...]
    missing: tuple[str, ...] = ()


def earlier_rounds(event: Event, *, but: Meeting | None = None) -> dict[int, PlannedRound]:
    """Return the seated rounds of an event but those of a meeting, by number; three queries.

    They are in the order of their evenings, for an older one may have been imported later. Players
    are rows, in seat order; `sitting_out` have a bye. Drafts and play-offs are left out. A seat
    counts for its last player.
    """
    rounds = ordinary_rounds(event)
    if but is not None:
        rounds = rounds.exclude(meeting=but)
    seated = rounds.exclude(state=RoundState.DRAFT).order_by("-number")
    newest = seated.select_related("meeting")[:MOST_EARLIER_ROUNDS]
    numbers = [(row.number, row.pk) for row in in_play_order(newest, round_played)]
    keys = [pk for _number, pk in numbers]
    tables = _get_tables(keys)
    outside: dict[int, list[int]] = defaultdict(list)
    rows = SitOut.objects.filter(round__in=keys, reason=SitOutReason.BYE)
    for round_id, player in rows.order_by("entrant__members__player").values_list(
        "round", "entrant__members__player_id"
    ):
        if player is not None:
            outside[round_id].append(player)
    return {
        number: PlannedRound(tables[pk], tuple(outside[pk]))
        for number, pk in numbers
        if tables.get(pk)
    }


def seated_rounds_of_plan(plan: SeatingPlan) -> Mapping[int, PlannedRound]:
    """Return the rounds that were seated by a plan as they are now, by their number in the plan.

    Who left does not sit out. Three queries.
    """
    rounds = Round.objects.filter(plan=plan)
    numbers = {round_.pk: round_.plan_round for round_ in rounds if round_.plan_round is not None}
    tables = _get_tables(list(numbers))
    outside: dict[int, list[int]] = defaultdict(list)
    rows = SitOut.objects.filter(round__in=numbers).exclude(reason=SitOutReason.LEFT)
    for round_id, player in rows.values_list("round_id", "entrant__members__player_id"):
        if player is not None:
            outside[round_id].append(player)
    return {numbers[pk]: PlannedRound(seats, tuple(outside[pk])) for pk, seats in tables.items()}


def _get_tables(rounds: list[int]) -> Mapping[int, tuple[tuple[int, ...], ...]]:
    sat: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    rows = Sitting.objects.filter(round__in=rounds, to_hand__isnull=True)
    for round_id, table, player in rows.order_by(
        "round__number", "seat__table__number", "seat__number"
    ).values_list("round", "seat__table__number", "player_id"):
        sat[round_id][table].append(player)
    return {
        round_id: tuple(tuple(players) for players in tables.values() if len(players) > 1)
        for round_id, tables in sat.items()
    }


def people_here(meeting: Meeting, stage: int | None = None) -> tuple[PersonHere, ...]:
    """Return who can be seated at a meeting, by name; two queries.

    These are checked-in players, and late ones with a stated first round. Merged or erased players,
    withdrawn entrants, and players not chosen for the stage of this number (by default the current
    one) are left out.
    """
    rows = (
        Attendance.objects.filter(
            meeting=meeting,
            state__in=(AttendanceState.HERE, AttendanceState.LATE),
            player__merged_into=None,
            player__erased_at=None,
        )
        .exclude(state=AttendanceState.LATE, from_round=None)
        .exclude(player__in=withdrawn_players(meeting))
        .order_by("player__sort_key", "player__player_id")
    )
    stages = Stage.objects.filter(event=meeting.event_id).exclude(kind=StageKind.PLAYOFF)
    stages = stages.exclude(plan=StagePlan.PLANNED)
    if stage is not None:
        stages = stages.filter(number=stage)
    entrants = StageEntrant.objects.filter(stage__in=stages.order_by("-number").values("pk")[:1])
    members = frozenset(entrants.values_list("entrant__members__player_id", flat=True))
    return tuple(
        PersonHere(pk, player_id, name, first or 1, last, state == AttendanceState.LATE)
        for pk, player_id, name, first, last, state in rows.values_list(
            "player_id",
            "player__player_id",
            "player__name",
            "from_round",
            "leaves_after_round",
            "state",
        )
        if not members or pk in members
    )


def seated_rounds(meeting: Meeting) -> int:
    rounds = Round.objects.filter(meeting=meeting).exclude(stage__kind=StageKind.PLAYOFF)
    return rounds.exclude(state=RoundState.DRAFT).count()


def rounds_of_last_evening(meeting: Meeting) -> int:
    """Return how many rounds the event's evening before a meeting had; 0 where there was none."""
    rounds = Round.objects.filter(event=meeting.event_id, meeting__date__lt=meeting.date)
    rounds = rounds.exclude(stage__kind=StageKind.PLAYOFF).exclude(state=RoundState.DRAFT)
    last = rounds.aggregate(day=Max("meeting__date"))["day"]
    return rounds.filter(meeting__date=last).count() if last else 0


def planned_players(event: Event, pks: set[int]) -> Mapping[int, Player]:
    return Player.objects.filter(club=event.club_id).in_bulk(sorted(pks))


def seatable_players(event: Event) -> QuerySet[Player]:
    people = Player.objects.filter(club=event.club_id, merged_into=None, erased_at=None)
    return people.filter(is_active=True).order_by("sort_key", "player_id")


def units_here(
    event: Event, people: Sequence[PersonHere]
) -> tuple[list[PlayingUnit], list[PersonHere]]:
    """Return the pairs and teams here, by name, and the players who belong to none; four queries.

    Two who are `together` by a constraint are partners if neither belongs to a pair or team with
    another player present, so that a substitute can replace a partner.
    """
    names = {person.pk: person.name for person in people}
    units = _list_units_of_entrants(event, names.keys())
    with_partner = {player for unit in units for player in unit.here if len(unit.here) > 1}
    rows = SeatingConstraint.objects.filter(event=event, kind=ConstraintKind.TOGETHER)
    for player, other in rows.order_by("pk").values_list("player_id", "other_id"):
        pair = {player, other}
        if other is None or pair & with_partner or not pair <= names.keys():
            continue
        with_partner |= pair
        units = [unit for unit in units if not pair.intersection(unit.here)]
        units.append(PlayingUnit(None, f"{names[player]} & {names[other]}", (player, other)))
    members = {player for unit in units for player in unit.here}
    return (
        sorted(units, key=lambda unit: (sort_key(unit.name), unit.here)),
        [person for person in people if person.pk not in members],
    )


def listed_names(names: Sequence[str], most: int = 8) -> str:
    """Return names in a line; where there are many, the others are counted.

    >>> listed_names(["Ada", "Bo", "Cy"], most=2)
    'Ada, Bo and 1 more'
    """
    text = ", ".join(names[:most])
    if len(names) > most:
        return f"{text} and {len(names) - most} more"
    return text


@dataclass(frozen=True, slots=True)
class Partnerless:
    """Players here without a partner: id and name of who can become a pair, and the names of who
    cannot, because what they did alone in the event counts."""

    free: Sequence[tuple[str, str]] = ()
    with_results: Sequence[str] = ()

    @property
    def may_pair(self) -> bool:
        return len(self.free) > 1

    @property
    def names_with_results(self) -> Sequence[str]:
        """Names to print beside the way that is open to them; none where nobody is to be joined."""
        n_players = len(self.free) + len(self.with_results)
        return self.with_results if n_players > 1 else ()


def find_partnerless(event: Event, people: Sequence[tuple[int, str, str]]) -> Partnerless:
    """Sort key, id and name of players without a partner; one query, none for nobody."""
    if not people:
        return Partnerless()
    used = find_with_results(event, [pk for pk, _player_id, _name in people])
    return Partnerless(
        free=[(player_id, name) for pk, player_id, name in people if pk not in used],
        with_results=[name for pk, _player_id, name in people if pk in used],
    )


def _list_units_of_entrants(event: Event, here: Collection[int]) -> list[PlayingUnit]:
    rows = Entrant.objects.filter(event=event, state=EntrantState.ACTIVE)
    rows = rows.exclude(kind=EntrantKind.PLAYER).prefetch_related(WITH_PLAYERS)
    entrants = [
        entrant for entrant in rows if any(row.player_id in here for row in entrant.members.all())
    ]
    names = entrant_names(entrants, FULL_NAME)
    units = []
    for entrant in entrants:
        members = sorted(entrant.members.all(), key=lambda row: row.pk)
        players = tuple(row.player_id for row in members if row.player_id in here)
        missing = tuple(row.player.name for row in members if row.player_id not in here)
        units.append(PlayingUnit(entrant.pk, names[entrant.pk] or entrant.code, players, missing))
    return units


def members_now(event: Event) -> Mapping[int, int]:
    """Return player → pair or team, as rows, of those who are not withdrawn; one query."""
    rows = EntrantMember.objects.filter(event=event, entrant__state=EntrantState.ACTIVE)
    rows = rows.exclude(entrant__kind=EntrantKind.PLAYER)
    return dict(rows.values_list("player_id", "entrant_id"))


class OpenNight:
    """An evening as an open night, in six queries; players are rows.

    A player who leaves after round n has played n tables then.

    Attributes:
        rounds: the ordinary ones of the evening, by number.
        turns: row of a round → its place among them, from 1.
        free: who is here and at no table that is played, who played least in front, then by
            arrival.
        players_at: table → its players in seat order, by round and number.
        last_turn: player → place among `rounds` of the last one that they had a table or sat out.
    """

    def __init__(self, meeting: Meeting) -> None:
        self.rounds = rounds_of_evening(meeting)
        self.turns = turns = {round_.pk: turn for turn, round_ in enumerate(self.rounds, 1)}
        self.players_at: dict[Table, list[int]] = defaultdict(list)
        busy = set()
        sittings = Sitting.objects.filter(round__meeting=meeting, to_hand__isnull=True)
        for sitting in sittings.select_related("seat__table__round", "seat__table__game").order_by(
            "round__number", "seat__table__number", "seat__number"
        ):
            table = sitting.seat.table
            if table.game.state not in OVER:
                busy.add(sitting.player_id)
            if table.round_id in turns:
                self.players_at[table].append(sitting.player_id)
        last: dict[int, int] = {}
        times: dict[int, int] = defaultdict(int)
        for table, players in self.players_at.items():
            for player in players:
                last[player] = max(last.get(player, 0), turns[table.round_id])
                times[player] += 1
        outside = SitOut.objects.filter(round__in=turns)
        for round_id, player in outside.values_list("round_id", "entrant__members__player_id"):
            if player is not None:
                last[player] = max(last.get(player, 0), turns[round_id])
        self.free = _list_free(meeting, busy, times)
        self.last_turn = last

    @property
    def playing(self) -> list[Table]:
        return [table for table in self.players_at if table.game.state not in OVER]

    def planned_rounds(self) -> tuple[PlannedRound, ...]:
        """Return the night's rounds for the planner; who is free and had no table there sat out."""
        planned = []
        for round_ in self.rounds:
            tables = [
                tuple(players)
                for table, players in self.players_at.items()
                if table.round_id == round_.pk
            ]
            outside = tuple(row.pk for row in self.free if row.pk not in chain(*tables))
            planned.append(
                PlannedRound(tuple(table for table in tables if len(table) > 1), outside)
            )
        return tuple(planned)


def _list_free(
    meeting: Meeting, busy: set[int], times: Mapping[int, int]
) -> tuple[PersonHere, ...]:
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
    night = OpenNight(meeting)
    sizes = allowed_sizes(event, next_round_number(event), plan)
    formed = table_sizes(len(night.free), sizes) if sizes else None
    times = Counter(chain(*night.players_at.values()))
    playing = sorted(night.playing, key=lambda table: table.number)
    people = planned_players(event, {*chain(*(night.players_at[table] for table in playing))})
    busy = {table.round.number for table in playing}
    complete = {table.round.number for table in night.players_at} - busy
    return {
        "free": [(person, times[person.pk]) for person in night.free],
        "playing": [
            (
                table,
                zip(
                    seat_names(len(night.players_at[table])),
                    [people[player].name for player in night.players_at[table]],
                    strict=True,
                ),
            )
            for table in playing
        ],
        "n_tables": len(formed.tables) if formed else 0,
        "waiting": formed.sit_outs if formed else len(night.free),
        "least": min(sizes, default=0),
        "over": len(night.players_at) - len(playing),
        "boards": sorted(busy),
        "complete": [
            round_.number
            for round_ in night.rounds
            if round_.state == RoundState.PLAYING and round_.number in complete
        ],
    }
