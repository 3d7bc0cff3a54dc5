"""Moving the attendance, the constraints and the planned seats of a merged player, and deleting
attendance and constraints of an erased person.

The caller holds the rows of the players, as everybody does who writes these rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from typing import Any, Final

from django.db.models import Q

from scoring.json_types import JsonDict
from tournaments.models.clubs import Player
from tournaments.models.meetings import Attendance
from tournaments.models.seating_plans import (
    ConstraintKind,
    PlanState,
    SeatingConstraint,
    SeatingPlan,
)
from tournaments.services.people.merge_entrants import MovedRows

STATED: Final = (
    "state", "answer", "from_round", "leaves_after_round", "stated_at", "arrived_at", "guest",
)  # fmt: skip
"""What was stated of a player at a meeting."""


def move_attendance(source: Player, target: Player, moved: MovedRows) -> None:
    """Give the attendance of the source to the target; of both at a meeting, the newer counts."""
    by_meeting = {row.meeting_id: row for row in Attendance.objects.filter(player=target)}
    for row in Attendance.objects.filter(player=source).order_by("pk"):
        other = by_meeting.get(row.meeting_id)
        if other is None:
            moved.change(row, player_id=target.pk)
            continue
        newer = row if row.stated_at > other.stated_at else other
        values = {name: getattr(newer, name) for name in STATED}
        moved.delete(row)
        moved.change(other, **values | {"guest": row.guest and other.guest})


def move_constraints(source: Player, target: Player, moved: MovedRows) -> None:
    """Give the seating constraints of the source to the target.

    A constraint between the two is dropped, and so is one that the target has already.
    """
    keys = {_key(row) for row in SeatingConstraint.objects.filter(_of(target))}
    for row in SeatingConstraint.objects.filter(_of(source)).order_by("pk"):
        column = "player_id" if row.player_id == source.pk else "other_id"
        changed = copy(row)
        setattr(changed, column, target.pk)
        if target.pk in (row.player_id, row.other_id) or _key(changed) in keys:
            moved.delete(row)
        else:
            keys.add(_key(changed))
            moved.change(row, **{column: target.pk})


def move_plans(source: Player, target: Player, moved: MovedRows) -> None:
    """Give the places of the source in seating plans to the target.

    A plan in which both play, and one that is being computed, stays as it is: it is outdated then.
    """
    plans = SeatingPlan.objects.filter(club=source.club_id, is_ready=True)
    for row in plans.exclude(state=PlanState.SUPERSEDED).order_by("pk"):
        players = set(row.inputs.get("present", ()))
        if source.pk in players and target.pk not in players:
            pair = source.pk, target.pk
            moved.change(
                row,
                inputs=_inputs_with(row.inputs, *pair),
                rounds=[_round_with(planned, *pair) for planned in row.rounds],
                cost=row.cost | {"uneven": _put_first(row.cost.get("uneven", ()), *pair)},
            )


def _inputs_with(inputs: Mapping[str, Any], source: int, target: int) -> JsonDict:
    replaced = {**inputs, "present": sorted(_put(inputs["present"], source, target))}
    for name in ("apart", "together"):
        replaced[name] = [_put(pair, source, target) for pair in inputs.get(name, ())]
    for name in ("presence", "fixed_tables", "standing"):
        replaced[name] = _put_first(inputs.get(name, ()), source, target)
    return replaced


def _round_with(planned: Mapping[str, Any], source: int, target: int) -> JsonDict:
    return {
        "tables": [_put(table, source, target) for table in planned["tables"]],
        "sitting_out": _put(planned["sitting_out"], source, target),
    }


def _put_first(rows: Iterable[Sequence[Any]], source: int, target: int) -> list[list[Any]]:
    """Return rows that begin with a player, with the target in the place of the source."""
    return [[*_put(row[:1], source, target), *row[1:]] for row in rows]


def _put(players: Sequence[int], source: int, target: int) -> list[int]:
    return [target if player == source else player for player in players]


def delete_presence(players: Iterable[Player]) -> None:
    pks = [player.pk for player in players]
    Attendance.objects.filter(player__in=pks).delete()
    SeatingConstraint.objects.filter(Q(player__in=pks) | Q(other__in=pks)).delete()


def _of(player: Player) -> Q:
    return Q(player=player) | Q(other=player)


def _key(row: SeatingConstraint) -> tuple[int, str, frozenset[int | None]]:
    """Return what makes two constraints the same: a player needs one table in an event."""
    is_pair = row.kind != ConstraintKind.FIXED_TABLE
    players = (row.player_id, row.other_id) if is_pair else (row.player_id,)
    return row.event_id, row.kind, frozenset(players)
