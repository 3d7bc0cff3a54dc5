"""Merge the entrants and the attendance of two records of one person.

The caller holds the rows of the players, as every writer of these rows must.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from datetime import datetime
from typing import Any, Final, TypeVar

from django.apps import apps
from django.core import serializers
from django.db import transaction
from django.db.models import F, ForeignKey, ForeignObjectRel, Model, Q

from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.event_settings import settings_of
from tournaments.models.clubs import Player, PlayerAlias
from tournaments.models.events import (
    Entrant,
    EntrantKind,
    EntrantMember,
    EntrantState,
    Event,
    Stage,
)
from tournaments.models.ladders import (
    LadderAbsence,
    LadderMove,
    LadderState,
    LadderStep,
    RatingChange,
    StepKind,
)
from tournaments.models.playoffs import Playoff, PlayoffStep, StageEntrant, WalkOver
from tournaments.models.rounds import Attendance, AttendanceState, Sitting
from tournaments.models.seating_plans import (
    ConstraintKind,
    PlanState,
    SeatingConstraint,
    SeatingPlan,
)
from tournaments.models.standings import Aggregate, Contribution, ResultNote
from tournaments.selectors.attendance.excuses import excuses_that_count
from tournaments.selectors.attendance.places import has_place, list_evenings_ahead
from tournaments.services.clubs.names import code_for
from tournaments.services.db.locks import lock_club
from tournaments.services.hands.apply_game import apply_games
from tournaments.services.ladders.log import lock_ladder_state
from tournaments.services.totals.counted_games import lock_aggregates, recompute_counted

T = TypeVar("T")
DERIVED = (Contribution, Aggregate, LadderMove, RatingChange)
"""Models of an entrant's derived rows, which are computed again."""


Steps = list[dict[str, Any]]
"""Changed and deleted rows in order, as JSON."""


class MovedRows:
    """Changes and deletions of one merge, as `PlayerMerge.moved` keeps them."""

    def __init__(self) -> None:
        self.steps: Steps = []

    def change(self, row: Model, **values: object) -> None:
        """Give some columns of a row other values; nothing is done where they have these."""
        differing = {name: value for name, value in values.items() if getattr(row, name) != value}
        if not differing:
            return
        names = [row._meta.get_field(name).name for name in differing]
        self.steps.append(_written(row, names))
        type(row)._default_manager.filter(pk=row.pk).update(**differing)
        for name, value in differing.items():
            setattr(row, name, value)

    def delete(self, row: Model) -> None:
        """Delete a row, and what follows from it; nothing else may hang on it any more."""
        for column in columns_to(type(row)):
            if column.model._default_manager.filter(**{column.name: row.pk}).exists():
                name = column.model._meta.label_lower
                raise AssertionError(f"{row} is deleted while it has {name}")
        self.steps.append({**_written(row), "deleted": True})
        row.delete()


_LISTS: Final = {StepKind.OPENED: "members", StepKind.SWEPT: "idle"}
"""Steps of a ladder that list codes, and under which fact."""


def columns_to(model: type[Model]) -> list[ForeignKey[Any, Any]]:
    """Return the columns that point at rows of a model, but those of what is computed again."""
    relations = model._meta.get_fields(include_hidden=True)
    columns = [row.field for row in relations if isinstance(row, ForeignObjectRel)]
    return [
        column
        for column in columns
        if column.model not in DERIVED and isinstance(column, ForeignKey)
    ]


def restore(steps: Steps) -> None:
    """Give all rows the values that they had, from the last change to the first."""
    for step in reversed(steps):
        if step.get("deleted"):
            stored = {key: step[key] for key in ("model", "pk", "fields")}
            for row in serializers.deserialize("json", json.dumps([stored])):
                row.save()
        else:
            model = apps.get_model(step["model"])
            values = {}
            for name, value in step["fields"].items():
                field = model._meta.get_field(name)
                values[getattr(field, "attname", name)] = field.to_python(value)
            model._default_manager.filter(pk=step["pk"]).update(**values)


def _written(row: Model, names: list[str] | None = None) -> JsonDict:
    step: JsonDict = json.loads(serializers.serialize("json", [row], fields=names))[0]
    return step


def rename_code(event: Event, old: str, new: str, moved: MovedRows) -> None:
    """Replace an entrant's code wherever the event names entrants by code."""
    for playoff in Playoff.objects.filter(event=event):
        names = ("standing", "result", "asked", "legs")
        values = {name: with_code(getattr(playoff, name), old, new) for name in names}
        moved.change(playoff, key=_key(playoff.key, old, new), **values)
    for step in PlayoffStep.objects.filter(playoff__event=event):
        moved.change(step, facts=with_code(step.facts, old, new))
    for stage in Stage.objects.filter(event=event):
        values = {name: with_code(getattr(stage, name), old, new) for name in ("asked", "kept")}
        moved.change(stage, **values)
    for row in LadderStep.objects.filter(event=event, kind__in=_LISTS):
        moved.change(row, facts=with_code(row.facts, old, new))
    if event.is_ladder:
        reset_ladder(event, {old: new})


def with_code(value: Any, old: str, new: str) -> Any:
    """Return JSON in which every text and every key that is `old` is `new`.

    >>> with_code({"order": [["RL24"], ["RL2"]], "made": {"RL24": ["26"]}}, "RL24", "RL01")
    {'order': [['RL01'], ['RL2']], 'made': {'RL01': ['26']}}
    """
    if isinstance(value, dict):
        return {
            (new if key == old else key): with_code(member, old, new)
            for key, member in value.items()
        }
    if isinstance(value, list):
        return [with_code(member, old, new) for member in value]
    return new if value == old else value


def _key(key: str, old: str, new: str) -> str:
    lines, _, members = key.partition("|")
    codes = members.split(",")
    if old not in codes:
        return key
    return f"{lines}|{','.join(sorted(new if code == old else code for code in codes))}"


def join_ladder_steps(event: Event, entrant: Entrant, into: Entrant, moved: MovedRows) -> None:
    """Merge two members in a ladder's log.

    The merged member is on the list while either was: steps that add or remove one of them while
    the other is on it are deleted.
    """
    codes = {entrant.code, into.code}
    on_list: set[str] = set()
    kinds = (*_LISTS, StepKind.JOINED, StepKind.REMOVED)
    steps = LadderStep.objects.filter(event=event, kind__in=kinds).order_by("number")
    for step in steps.select_related("entrant"):
        if step.kind in _LISTS:
            name = _LISTS[StepKind(step.kind)]
            if step.kind == StepKind.OPENED:
                on_list |= codes.intersection(step.facts[name])
            # Of both codes in a list the first stays.
            listed = (into.code if code == entrant.code else code for code in step.facts[name])
            moved.change(step, facts={**step.facts, name: list(dict.fromkeys(listed))})
        elif step.entrant is not None and step.entrant.code in codes:
            was_on_list = bool(on_list)
            change = on_list.add if step.kind == StepKind.JOINED else on_list.discard
            change(step.entrant.code)
            if bool(on_list) == was_on_list:
                moved.delete(step)


def merge_in_event(
    event: Event, source: Player, target: Player, games: Sequence[int], moved: MovedRows
) -> JsonDict | None:
    """Give the source's part in an event to the target; None where the source has no entrant.

    Args:
        games: of the event, in which the source sat.

    Returns:
        The `code` that the source had, the target's (`into`), and whether both were there
        (`joined`), as `PlayerMerge.moved` keeps them.
    """
    for sitting in Sitting.objects.filter(round__event=event, player=source).order_by("pk"):
        moved.change(sitting, player_id=target.pk)
    instead = Sitting.objects.filter(round__event=event, substitute_for=source)
    for sitting in instead.order_by("pk"):
        moved.change(sitting, substitute_for_id=target.pk)
    members = EntrantMember.objects.filter(event=event).select_related("entrant")
    member = members.filter(player=source).first()
    target_member = members.filter(player=target).first()
    if member is None:
        count_again(event, games, [target_member.entrant_id] if target_member else [])
        return None
    entrant = member.entrant
    code = member.entrant.code
    if target_member is None:
        moved.change(member, player_id=target.pk)
        if entrant.kind == EntrantKind.PLAYER:
            moved.change(entrant, code=code_for(event, target.player_id))
            if entrant.code != code:
                rename_code(event, code, entrant.code, moved)
        count_again(event, games, [entrant.pk])
        return {"code": code, "into": entrant.code, "joined": False}
    moved.delete(member)
    _join(event, entrant, target_member.entrant, games, moved)
    return {"code": code, "into": target_member.entrant.code, "joined": True}


_PLACES: Final[tuple[tuple[type[Model], str], ...]] = (
    (LadderAbsence, "since"),
    (WalkOver, "round"),
    (StageEntrant, "stage"),
)
"""Rows of which an entrant has one in a place, and the column of the place."""


def _join(
    event: Event, entrant: Entrant, into: Entrant, games: Sequence[int], moved: MovedRows
) -> None:
    for model, place in _PLACES:
        places = model._default_manager.filter(entrant=into).values(place)
        repeated = {"entrant": entrant, f"{place}__in": places}
        for row in model._default_manager.filter(**repeated):
            moved.delete(row)
    if event.is_ladder:
        join_ladder_steps(event, entrant, into, moved)
    for column in columns_to(Entrant):
        if column.model is not EntrantMember:
            rows = column.model._default_manager.filter(**{column.name: entrant.pk})
            for row in rows.order_by("pk"):
                moved.change(row, **{column.attname: into.pk})
    rename_code(event, entrant.code, into.code, moved)
    starts = [row.start_position for row in (entrant, into) if row.start_position is not None]
    state = entrant.state
    # A position is unique in an event, so one row gives it up before the other takes it.
    moved.change(entrant, start_position=None)
    if starts:
        moved.change(into, start_position=min(starts))
    if state == EntrantState.ACTIVE:
        moved.change(into, state=state)
    if not entrant.guest:
        moved.change(into, guest=False)
    count_again(event, games, [entrant.pk, into.pk])
    moved.delete(entrant)


def count_again(event: Event, games: Sequence[int], entrants: Sequence[int]) -> None:
    lock_aggregates(event, sorted(entrants), make=True)
    apply_games(event=event, games=games)
    if settings_of(event).keeps:
        recompute_counted(event=event, entrants=entrants)


def reset_ladder(event: Event, codes: dict[str, str]) -> None:
    """Reset a ladder for a full replay; until then readers get its order with new codes.

    Args:
        codes: old code → new code; a code already on the list is not listed twice.
    """
    row = LadderState.objects.filter(event=event).first()
    if row is not None:
        order = list(dict.fromkeys(codes.get(code, code) for code in row.order))
        anew: JsonDict = {"number": 0, "dropped": [], "ratings": {}, "inputs": {}}
        LadderState.objects.filter(pk=row.pk).update(order=order, turn=F("turn") + 1, **anew)


def games_with(event_ids: Sequence[int], players: Sequence[int]) -> Q:
    sat = Q(table__seats__sittings__player__in=players)
    instead = Q(table__seats__sittings__substitute_for__in=players)
    return Q(event__in=event_ids) & (sat | instead)


TRIES: Final = 3


def lock_of_player(
    player: Player, lock: Callable[[list[Event]], T], *, now: datetime
) -> tuple[list[Event], T]:
    """Lock the events of a player, their club, and then what `lock` locks, the player's row last.

    Events at whose evenings to come the player has answered are locked too, since a place may be
    given to somebody else there. If the player was entered into another event meanwhile, all is
    released and locked again.

    Returns:
        The events in which the player plays, and what `lock` returned.
    """
    for _ in range(TRIES):
        with transaction.atomic():
            locked = locked_events(events_of_player(player) | _events_answered(player, now))
            keys = {event.pk for event in locked}
            of_player = events_of_player(player)
            events = [event for event in locked if event.pk in of_player]
            lock_club(player.club)
            rows = lock(events)
            if not (events_of_player(player) | _events_answered(player, now)) - keys:
                return events, rows
            transaction.set_rollback(True)
    raise RuntimeError(f"{player} is entered into more and more events")


def events_of_player(player: Player) -> set[int]:
    members = EntrantMember.objects.filter(player=player).values_list("event_id", flat=True)
    sat = Sitting.objects.filter(Q(player=player) | Q(substitute_for=player))
    return set(members) | set(sat.values_list("round__event_id", flat=True))


def _events_answered(player: Player, now: datetime) -> set[int]:
    return set(list_evenings_ahead([player], now).values_list("event_id", flat=True))


def locked_events(ids: Iterable[int]) -> list[Event]:
    """Return events with their rows and the states of their ladders locked, by ascending id."""
    rows = Event.objects.select_for_update(of=("self",), no_key=True).select_related("club")
    events = list(rows.filter(pk__in=list(ids)).order_by("pk"))
    for event in events:
        if event.is_ladder:
            lock_ladder_state(event)
    return events


STATED: Final = (
    "state",
    "answer",
    "from_round",
    "leaves_after_round",
    "stated_at",
    "arrived_at",
    "guest",
    "answered_at",
    "excused",
)
"""Fields of a statement about a player at a meeting."""


def move_attendance(source: Player, target: Player, moved: MovedRows) -> None:
    """Give the attendance of the source to the target; of both at a meeting, the newer counts.

    A player with a place keeps it where the other name is waiting. A director's word on whether
    they are excused stays, also of the older one.
    """
    by_meeting = {row.meeting_id: row for row in Attendance.objects.filter(player=target)}
    for row in Attendance.objects.filter(player=source).order_by("pk"):
        other = by_meeting.get(row.meeting_id)
        if other is None:
            moved.change(row, player_id=target.pk)
            continue
        newer = row if row.stated_at > other.stated_at else other
        older = other if newer is row else row
        if newer.state == AttendanceState.WAITING and has_place(older):
            newer = older
        values = {name: getattr(newer, name) for name in STATED}
        if newer.excused is None:
            values["excused"] = row.excused if newer is other else other.excused
        moved.delete(row)
        moved.change(other, **values | {"guest": row.guest and other.guest})


def move_constraints(source: Player, target: Player, moved: MovedRows) -> None:
    """Give the seating constraints of the source to the target.

    A constraint between the two is dropped, and so is one that the target has already.
    """
    keys = {_constraint_key(row) for row in SeatingConstraint.objects.filter(_of(target))}
    for row in SeatingConstraint.objects.filter(_of(source)).order_by("pk"):
        column = "player_id" if row.player_id == source.pk else "other_id"
        changed = copy(row)
        setattr(changed, column, target.pk)
        if target.pk in (row.player_id, row.other_id) or _constraint_key(changed) in keys:
            moved.delete(row)
        else:
            keys.add(_constraint_key(changed))
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
            rounds = [
                {
                    "tables": [_put(table, *pair) for table in planned["tables"]],
                    "sitting_out": _put(planned["sitting_out"], *pair),
                }
                for planned in row.rounds
            ]
            cost = row.cost | {"uneven": _put_first(row.cost.get("uneven", ()), *pair)}
            moved.change(row, inputs=_inputs_with(row.inputs, *pair), rounds=rounds, cost=cost)


def _inputs_with(inputs: JsonObject, source: int, target: int) -> JsonDict:
    replaced = {**inputs, "present": sorted(_put(inputs["present"], source, target))}
    for name in ("apart", "together"):
        replaced[name] = [_put(pair, source, target) for pair in inputs.get(name, ())]
    for name in ("presence", "fixed_tables", "standing"):
        replaced[name] = _put_first(inputs.get(name, ()), source, target)
    return replaced


def _put_first(rows: Iterable[Sequence[Any]], source: int, target: int) -> list[list[Any]]:
    return [[*_put(row[:1], source, target), *row[1:]] for row in rows]


def _put(players: Sequence[int], source: int, target: int) -> list[int]:
    return [target if player == source else player for player in players]


def delete_presence(players: Iterable[Player]) -> None:
    """Delete what is stored of players at evenings and in plans.

    Where an excused evening gives points, these stay as results do, and with them the answer.
    """
    pks = [player.pk for player in players]
    rows = Attendance.objects.filter(player__in=pks)
    entered = Event.objects.filter(entrants__members__player__in=pks).distinct()
    excused = list(excuses_that_count(rows, entered).values_list("pk", flat=True))
    rows.exclude(pk__in=excused).delete()
    SeatingConstraint.objects.filter(Q(player__in=pks) | Q(other__in=pks)).delete()
    ResultNote.objects.filter(player__in=pks).delete()
    PlayerAlias.objects.filter(player__in=pks).delete()


def _of(player: Player) -> Q:
    return Q(player=player) | Q(other=player)


def _constraint_key(row: SeatingConstraint) -> tuple[int, str, frozenset[int | None]]:
    """Return what makes two constraints the same: a player needs one table in an event."""
    is_pair = row.kind != ConstraintKind.FIXED_TABLE
    players = (row.player_id, row.other_id) if is_pair else (row.player_id,)
    return row.event_id, row.kind, frozenset(players)
