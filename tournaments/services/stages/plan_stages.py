"""The list of an event's stages: added, changed, put in order, removed and begun."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from scoring.errors import Problem, Refused, shown
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.domain.stage_plan import MOST_STAGES, read_stage_plan
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event, Stage, StageKind, StagePlan, StageTakes
from tournaments.models.meetings import RoundState
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.events.stages import (
    StageRow,
    source_of,
    stage_plan,
    stage_row,
    stage_tag,
    stage_title,
)
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.states import require_running
from tournaments.services.stages.advancing import (
    Qualified,
    current_publication,
    lock_to_manage,
    qualified_for,
    record_stage_act,
    require_open,
    require_rounds_over,
)
from tournaments.services.stages.cuts import enter_stage

WHEN_BEGUN: Final = frozenset(
    {"name", "movement", "rounds", "table_sizes", "carry", "seeding", "each_round"}
)
"""What may be changed of a stage that has begun, while no round of it was posted."""


WHEN_POSTED: Final = frozenset({"rounds"})
"""What may be changed of a stage at any time: a tie at its end is played off once it has so many
rounds."""


@atomic_act
def plan_stage(*, actor: Actor, event: Event, fields: Mapping[str, object], now: datetime) -> Stage:
    """Add a stage after the others; the first one of an event needs no beginning.

    Args:
        fields: any of `name`, `movement`, `rounds`, `table_sizes`, `carry`, `from_stage` (its
            number), `from_round`, `takes`, `advance`, `seeding`, `each_round`, `also_from` (a
            number, too), `also_best`.
    """
    event, role = lock_to_manage(actor, event)
    require_running(event)
    stages = list(Stage.objects.filter(event=event).order_by("number"))
    ordinary = [stage for stage in stages if stage.kind != StageKind.PLAYOFF]
    if len(ordinary) >= MOST_STAGES:
        raise Refused(Problem("too_many_stages", facts={"most": MOST_STAGES}))
    stage = Stage(
        club_id=event.club_id,
        event=event,
        number=max((stage.number for stage in stages), default=0) + 1,
        kind=ordinary[-1].kind if ordinary else StageKind.OPEN,
        plan=StagePlan.PLANNED if ordinary else StagePlan.UNPLANNED,
    )
    _set(stage, fields, stages)
    stage.save()
    _record(actor, role, event, "plan_stage", stage, now)
    return stage


@atomic_act
def change_stage(
    *,
    actor: Actor,
    event: Event,
    number: int,
    fields: Mapping[str, object],
    now: datetime,
    based_on: str = "",
) -> Stage:
    """Change the given `fields` of a stage.

    The entrants of a stage cannot change once it has begun; after its first posted round only its
    number of rounds can.
    """
    event, role, stages, stage = _lock_stage(actor, event, number, based_on)
    posted = stage.rounds.exclude(state=RoundState.DRAFT)
    if not WHEN_POSTED.issuperset(fields) and posted.exists():
        raise Conflict(Problem("stage_has_rounds", facts={"stage": stage_title(stage)}))
    if stage.cut_at is not None and not WHEN_BEGUN.issuperset(fields):
        raise Conflict(Problem("stage_has_begun", facts={"stage": stage_title(stage)}))
    _set(stage, fields, stages)
    stage.save()
    _require_later_fit(stages)
    _record(actor, role, event, "change_stage", stage, now)
    return stage


@atomic_act
def remove_stage(
    *, actor: Actor, event: Event, number: int, now: datetime, based_on: str = ""
) -> StageRow:
    """Remove a planned stage, and return it as it was; the ones after it move up."""
    event, role, stages, stage = _lock_stage(actor, event, number, based_on)
    _require_planned(stage)
    for later in stages:
        if stage.pk not in (later.from_stage_id, later.also_from_id):
            continue
        facts = {"stage": stage_title(stage), "later": stage_title(later)}
        raise Conflict(Problem("stage_is_source", facts=facts))
    row = stage_row(event, number)
    stage.delete()
    planned = [row for row in stages if row.plan == StagePlan.PLANNED]
    rest = [row for row in planned if row.pk is not None]
    _number(rest, [row.number for row in planned][: len(rest)])
    record_stage_act(
        actor, role, event, "remove_stage", {"stage": number}, "", now, publishes=False
    )
    return row


@atomic_act
def edit_stage(
    *,
    actor: Actor,
    event: Event,
    number: int,
    fields: Mapping[str, object],
    to: int | None,
    now: datetime,
    based_on: str = "",
) -> StageRow:
    """Change a stage, give it another place, or both; return it as this leaves it."""
    about: dict[str, Any] = {"actor": actor, "event": event, "number": number, "now": now}
    if fields or to is None:
        change_stage(**about, fields=fields, based_on=based_on)
        based_on = ""  # the plan is another one now
    if to is not None:
        move_stage(**about, to=to, based_on=based_on)
    return stage_row(event, number if to is None else to)


@atomic_act
def move_stage(
    *, actor: Actor, event: Event, number: int, to: int, now: datetime, based_on: str = ""
) -> Stage:
    """Give a planned stage the place of another planned one; those between move by one."""
    event, role, stages, stage = _lock_stage(actor, event, number, based_on)
    _require_planned(stage)
    planned = [row for row in stages if row.plan == StagePlan.PLANNED]
    numbers = [row.number for row in planned]
    if to not in numbers:
        expected = " or ".join(map(str, numbers))
        facts = {"found": shown(to), "expected": expected}
        raise Refused(Problem("bad_stage_place", ("number",), facts))
    order = [row for row in planned if row != stage]
    order.insert(numbers.index(to), stage)
    _number(order, numbers)
    _require_later_fit(stages)
    places = {"stage": to, "before": number}
    record_stage_act(actor, role, event, "move_stage", places, "", now, publishes=False)
    return stage


def _lock_stage(
    actor: Actor, event: Event, number: int, based_on: str
) -> tuple[Event, str, list[Stage], Stage]:
    """Return a locked event, the actor's role, its stages and the one of a number.

    `based_on` is the `stage_tag` that the caller read; empty skips the check.
    """
    event, role = lock_to_manage(actor, event)
    require_running(event)
    stages = list(Stage.objects.filter(event=event).order_by("number"))
    ordinary = (row for row in stages if row.kind != StageKind.PLAYOFF)
    stage = next((row for row in ordinary if row.number == number), None)
    if stage is None:
        raise Missing("stage", {"stage": number})
    if based_on and based_on != stage_tag(row := stage_row(event, number)):
        raise Conflict(Problem("stage_outdated"), there=stage_plan(row))
    return event, role, stages, stage


def _require_planned(stage: Stage) -> None:
    if stage.plan != StagePlan.PLANNED:
        raise Conflict(Problem("stage_has_begun", facts={"stage": stage_title(stage)}))


def _set(stage: Stage, fields: Mapping[str, object], stages: list[Stage]) -> None:
    name = one_line(str(fields.get("name", stage.name)))
    if problems := name_problems(name) if name else []:
        raise Refused(*problems)
    stage.name = name
    for column, value in read_stage_plan(fields).items():
        setattr(stage, column, value)
    if "from_stage" in fields:
        stage.from_stage = _source(stage, fields["from_stage"], stages)
    if "also_from" in fields:
        stage.also_from = _source(stage, fields["also_from"], stages, "also_from")
    _require_fit(stage, stages)


def _source(
    stage: Stage, number: object, stages: list[Stage], member: str = "from_stage"
) -> Stage | None:
    if number in (None, ""):
        return None
    for row in stages:
        is_before = row.number < stage.number and row.kind != StageKind.PLAYOFF
        if is_before and str(row.number) == str(number).strip():
            return row
    facts = {"found": shown(number)}
    raise Refused(Problem(f"unknown_{member}", (member,), facts))


def _require_fit(stage: Stage, stages: list[Stage]) -> None:
    source = source_of(stage, stages)
    if stage.each_round and stage.kind != StageKind.KNOCKOUT:
        raise Refused(Problem("each_round_of_knockout", ("each_round",)))
    is_of_knockout = source is not None and source.kind == StageKind.KNOCKOUT
    if stage.from_round and not (stage.takes == StageTakes.LOSERS and is_of_knockout):
        raise Refused(Problem("from_round_of_knockout", ("from_round",)))
    if stage.plan == StagePlan.UNPLANNED and stage.cut_at is None:
        if stage.advance or stage.takes != StageTakes.WINNERS or stage.also_best:
            raise Refused(Problem("first_stage_is_for_all", ("advance",)))
        return
    if stage.takes == StageTakes.LOSERS:
        if stage.from_stage is None:
            raise Refused(Problem("consolation_needs_from_stage", ("from_stage",)))
        if stage.advance:
            raise Refused(Problem("consolation_takes_all", ("advance",)))
    if source is None or source.number >= stage.number:
        facts = {"found": str(source.number) if source else ""}
        raise Refused(Problem("unknown_from_stage", ("from_stage",), facts))
    before, most = (source.advance or {}).get("best"), (stage.advance or {}).get("best")
    if before and most and most > before:
        facts = {"found": before, "wanted": most, "stage": stage_title(source)}
        raise Refused(Problem("more_than_before", ("advance",), facts))
    _require_second_fits(stage, source)


def _require_second_fits(stage: Stage, source: Stage) -> None:
    """Refuse a second stage that some come back from, where it does not go with the first one."""
    also = stage.also_from
    if (also is None) != (stage.also_best is None):
        member = "also_from" if also is None else "also_best"
        raise Refused(Problem("also_from_alone", (member,)))
    if also is None:
        return
    if also.pk == source.pk:
        facts: dict[str, int | str] = {"stage": stage_title(source)}
        raise Refused(Problem("also_from_twice", ("also_from",), facts))
    if stage.advance is None:
        facts = {"stage": stage_title(source)}
        raise Refused(Problem("also_from_without_rule", ("advance",), facts))
    number = Stage.objects.values_list("number", flat=True).get(pk=also.pk)
    if number >= stage.number:
        raise Refused(Problem("unknown_also_from", ("also_from",), {"found": shown(number)}))
    most = also.entrants.count() or (also.advance or {}).get("best")
    if most and stage.also_best and stage.also_best > most:
        facts = {"found": stage.also_best, "most": most, "stage": stage_title(also)}
        raise Refused(Problem("also_best_too_many", ("also_best",), facts))


def _require_later_fit(stages: list[Stage]) -> None:
    for stage in stages:
        if stage.plan == StagePlan.PLANNED:
            _require_fit(stage, stages)


def _number(stages: list[Stage], numbers: list[int]) -> None:
    """Give stages these numbers; on the way no two have the same one."""
    for at, stage in enumerate(stages, 1):
        Stage.objects.filter(pk=stage.pk).update(number=_FREE + at)
    for stage, number in zip(stages, numbers, strict=True):
        stage.number = number
        Stage.objects.filter(pk=stage.pk).update(number=number)


_FREE: Final = 30_000
"""No stage has a number beyond this one: smallest integers end at 32767."""


def _record(actor: Actor, role: str, event: Event, act: str, stage: Stage, now: datetime) -> None:
    facts = {
        "stage": stage.number,
        "movement": stage.kind,
        "carry": stage.carry,
        "seeding": stage.seeding,
        "takes": stage.takes,
        "advance": stage.advance,
        "each_round": stage.each_round,
        "from_round": stage.from_round,
        "also_from": stage.also_from.number if stage.also_from else None,
        "also_best": stage.also_best,
    }
    has_begun = stage.plan != StagePlan.PLANNED
    record_stage_act(actor, role, event, act, facts, "", now, publishes=has_begun)


@atomic_act
def begin_stage(*, actor: Actor, event: Event, number: int, now: datetime) -> Stage:
    """Begin the next planned stage: choose who plays in it from the standings as published.

    Those who withdrew, or have too few games for a rank, are skipped. A stage without a rule is for
    everybody in the one before. If some come back from a second stage, the rounds of both must be
    over.
    """
    event, role = lock_to_manage(actor, event)
    stage, source, publication, qualified = qualified_to_begin(event, number)
    stage.from_stage, stage.plan = source, StagePlan.BEGUN
    enter_stage(stage, source, qualified, now=now)
    facts = {
        "stage": number,
        "cut": qualified.cut,
        "publication": publication.number,
        "went_on": sorted(qualified.codes),
    }
    record_stage_act(actor, role, event, "begin_stage", facts, "", now)
    return stage


def qualified_to_begin(event: Event, number: int) -> tuple[Stage, Stage, Publication, Qualified]:
    """Return a planned stage, the one before it, the standings, and who advances by them."""
    stages = list(Stage.objects.filter(event=event).order_by("number"))
    stage = _next_stage(stages, number)
    require_open(event)
    source = source_of(stage, stages)
    assert source is not None  # noqa: S101 - a planned stage has one before it
    _require_source_over(event, stage, source)
    if stage.also_from is not None:
        require_rounds_over(event, stage.also_from)
    _require_cut_decided(event, stage)
    publication = current_publication(event)
    return stage, source, publication, qualified_for(event, stage, source, publication)


def _next_stage(stages: list[Stage], number: int) -> Stage:
    stage = next((row for row in stages if row.number == number), None)
    if stage is None or stage.kind == StageKind.PLAYOFF:
        raise Missing("stage", {"stage": number})
    if stage.plan != StagePlan.PLANNED:
        raise Conflict(Problem("stage_has_begun", facts={"stage": stage_title(stage)}))
    first = next(row for row in stages if row.plan == StagePlan.PLANNED)
    if stage != first:
        facts = {"stage": stage_title(stage), "first": stage_title(first)}
        raise Conflict(Problem("stage_not_next", facts=facts))
    return stage


def _require_source_over(event: Event, stage: Stage, source: Stage) -> None:
    """Refuse while a round of the stage before is open.

    A consolation of a knock-out may begin while the later rounds of that are played.
    """
    if stage.takes == StageTakes.LOSERS and source.kind == StageKind.KNOCKOUT:
        lost_in = stage.from_round or 1
        rounds = list(source.rounds.order_by("number")[: lost_in + 1])
        if len(rounds) > lost_in and rounds[lost_in - 1].state == RoundState.CLOSED:
            return
    require_rounds_over(event, source)


def _require_cut_decided(event: Event, stage: Stage) -> None:
    line = [{"kind": "cut", "above": (stage.advance or {}).get("best")}]
    waiting = Playoff.objects.filter(event=event, state__in=LIVE, is_waived=False)
    first = next(
        (playoff for playoff in waiting.order_by("number") if playoff.boundaries == line), None
    )
    if first is not None:
        facts = {"playoff": first.number, "stage": stage_title(stage)}
        raise Conflict(Problem("cut_playoff_open", ("advance",), facts))
