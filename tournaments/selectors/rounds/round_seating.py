"""Who sits where in a round, who sits out, and who is there without a seat.

The tag tells somebody who changes seats whether the seating is what they looked at.
"""

import json
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from tournaments.domain.etags import mark_of_text
from tournaments.models.attendance import Attendance, AttendanceState
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, EntrantState, Event
from tournaments.models.hands import GameState, Hand
from tournaments.models.meetings import Meeting, Round, SitOut, Sitting, Table
from tournaments.models.seating_plans import PlanState, SeatingPlan
from tournaments.selectors.rounds.round_progress import OVER


@dataclass(frozen=True, slots=True)
class SeatedTable:
    """A table of a round with the rows of its players in seat order.

    `is_fixed` says that hands were entered or the table is over: `arrange_round` leaves it.
    """

    number: int
    code: str
    players: tuple[int, ...]
    is_fixed: bool
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class RoundSeating:
    """The seating of a round; players are rows. `sit_outs` is player → reason."""

    tables: tuple[SeatedTable, ...]
    sit_outs: Mapping[int, str]
    tag: str

    @property
    def seated(self) -> frozenset[int]:
        """Everybody who sits at a table."""
        return frozenset(player for table in self.tables for player in table.players)

    @property
    def is_complete(self) -> bool:
        """Whether every table is over, so that the round can be closed."""
        return bool(self.tables) and all(table.is_over for table in self.tables)

    @property
    def has_hands(self) -> bool:
        """Whether a table cannot be seated anew any more."""
        return any(table.is_fixed for table in self.tables)


def round_seating(round_: Round) -> RoundSeating:
    """Return who sits where in a round now; four queries."""
    played = Hand.objects.filter(game__table=OuterRef("pk"))
    tables = Table.objects.filter(round=round_).annotate(is_played=Exists(played))
    rows = tables.order_by("number").values_list("pk", "number", "code", "is_played", "game__state")
    people: dict[int, list[int]] = {}
    sitting = Sitting.objects.filter(round=round_, to_hand__isnull=True)
    for table, player in sitting.order_by("seat__number").values_list(
        "seat__table_id", "player_id"
    ):
        people.setdefault(table, []).append(player)
    found = tuple(
        SeatedTable(
            number,
            code,
            tuple(people.get(table, ())),
            is_played or state != GameState.SEATED,
            state in OVER,
        )
        for table, number, code, is_played, state in rows
    )
    seated = {player for one in found for player in one.players}
    sit_outs = _sit_outs(round_, but=seated)
    stand = [[one.number, one.players, one.is_fixed] for one in found]
    text = json.dumps([round_.state, stand, sorted(sit_outs.items())], separators=(",", ":"))
    return RoundSeating(found, sit_outs, mark_of_text(text))


def _sit_outs(round_: Round, *, but: Container[int]) -> dict[int, str]:
    """Who sits out, and why; of a team that plays, those who have no seat."""
    rows = SitOut.objects.filter(round=round_).values_list("entrant_id", "reason")
    reasons = dict(rows)
    if not reasons:
        return {}
    members = EntrantMember.objects.filter(entrant__in=reasons)
    pairs = members.order_by("player_id").values_list("player_id", "entrant_id")
    return {player: reasons[entrant] for player, entrant in pairs if player not in but}


def evening_number(round_: Round) -> int:
    """Return the number of a round within its evening, from 1; one query."""
    own = Round.objects.filter(meeting=round_.meeting_id, number__lte=round_.number)
    return own.count() if round_.meeting_id else 1


def rounds_of_evening(meeting: Meeting) -> Sequence[Round]:
    """Return the rounds of an evening by number; one query."""
    found = Round.objects.filter(meeting=meeting).select_related("event__club", "stage", "meeting")
    return tuple(found.order_by("number"))


def present_in(meeting: Meeting, number: int) -> dict[int, Attendance]:
    """Return who is at an evening and plays in its round `number`, in order of arrival."""
    rows = Attendance.objects.filter(meeting=meeting, state=AttendanceState.HERE)
    there = rows.exclude(player__in=_withdrawn(meeting)).filter(
        Q(from_round__isnull=True) | Q(from_round__lte=number),
        Q(leaves_after_round__isnull=True) | Q(leaves_after_round__gte=number),
    )
    return {row.player_id: row for row in there.order_by("arrived_at", "pk")}


def gone_in(meeting: Meeting, number: int) -> dict[int, Attendance]:
    """Return who does not play in round `number` of an evening.

    These are who left, is absent, late or not there yet, or has withdrawn from the event.
    """
    rows = Attendance.objects.filter(meeting=meeting).filter(
        Q(state__in=(AttendanceState.LEFT, AttendanceState.ABSENT))
        | Q(player__in=_withdrawn(meeting))
        | Q(from_round__gt=number)
        | Q(leaves_after_round__lt=number)
    )
    return {row.player_id: row for row in rows.order_by("pk")}


def _withdrawn(meeting: Meeting) -> QuerySet[EntrantMember, int]:
    """Return the players, as rows, whose entrants have withdrawn from the event; a subquery."""
    members = EntrantMember.objects.filter(
        event=meeting.event_id, entrant__state=EntrantState.WITHDRAWN
    )
    return members.values_list("player_id", flat=True)


def chosen_plan(meeting: Meeting) -> SeatingPlan | None:
    """Return the plan that was chosen for an evening."""
    plans = SeatingPlan.objects.filter(meeting=meeting, state=PlanState.CHOSEN)
    return plans.select_related("meeting", "event__club").first()


def next_round_number(event: Event) -> int:
    """Return the number that the next round of an event gets; one query."""
    last = Round.objects.filter(event=event).aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def next_plan_round(plan: SeatingPlan) -> int | None:
    """Return the number of the plan's first round that was not made; None after the last."""
    made = set(Round.objects.filter(plan=plan).values_list("plan_round", flat=True))
    return next((n for n in range(1, len(plan.rounds) + 1) if n not in made), None)


def players_with_ids(event: Event, ids: Sequence[str]) -> dict[str, Player]:
    """Return players of an event's club by their ids; one query."""
    found = Player.objects.filter(club=event.club_id, player_id__in=ids)
    return {player.player_id: player for player in found}


def planned_tables(planned: Mapping[str, Any]) -> tuple[tuple[int, ...], ...]:
    """Return the tables of a round as a plan stores it, each with its players in seat order."""
    return tuple(tuple(table) for table in planned["tables"])


def pairs_met(
    meeting: Meeting | None, plan: SeatingPlan | None, but: Round | None
) -> frozenset[frozenset[int]]:
    """Return the pairs who share a table in another round of an evening, made or planned.

    Args:
        but: the round that is about to change.
    """
    tables: list[Sequence[int]] = []
    if meeting is not None:
        rows = Sitting.objects.filter(round__meeting=meeting, to_hand__isnull=True)
        if but is not None:
            rows = rows.exclude(round=but)
        together: dict[int, list[int]] = {}
        for table, player in rows.values_list("seat__table_id", "player_id"):
            together.setdefault(table, []).append(player)
        tables.extend(together.values())
    if plan is not None:
        first = next_plan_round(plan)
        for planned in plan.rounds[first - 1 :] if first is not None else ():
            tables.extend(planned_tables(planned))
    return frozenset(frozenset(pair) for table in tables for pair in combinations(table, 2))
