"""The list of an event's stages: added, changed, put in order, removed and begun."""

from collections.abc import Mapping
from typing import Final

from scoring.errors import Problem, Refused, shown
from tournaments.domain.name_matching import name_problems, one_line
from tournaments.domain.stage_plan import MOST_STAGES, read_stage_plan
from tournaments.errors import Conflict, refuse_any
from tournaments.models.events import Event, Stage, StageKind, StagePlan, StageTakes
from tournaments.models.playoffs import LIVE, Playoff
from tournaments.models.rounds import RoundState
from tournaments.models.standings import Publication
from tournaments.selectors.stages import (
    StageRow,
    source_of,
    stage_plan,
    stage_row,
    stage_tag,
)
from tournaments.services.db.locks import lock_event
from tournaments.services.events.states import require_running
from tournaments.services.operations import Operation, operation
from tournaments.services.stages.advancing import (
    BEGIN,
    Qualified,
    current_publication,
    lock_stage,
    qualified_for,
    record_stage_operation,
    require_open,
    require_rounds_over,
)
from tournaments.services.stages.cuts import enter_stage

WHEN_BEGUN: Final = frozenset(
    {"name", "movement", "rounds", "table_sizes", "carry", "seeding", "each_round"}
)
"""Fields of a begun stage that can change while no round of it was posted."""


PLAN: Final = (
    *("event_is_over", "name_too_long", "unknown_movement", "unknown_carry", "unknown_takes"),
    *("unknown_seeding", "bad_stage_rounds", "bad_stage_sizes", "bad_advance", "bad_each_round"),
    *("bad_from_round", "bad_also_best", "unknown_from_stage", "unknown_also_from"),
    *("each_round_of_knockout", "from_round_of_knockout", "first_stage_is_for_all"),
    *("consolation_needs_from_stage", "consolation_takes_all", "more_than_before"),
    *("also_from_alone", "also_from_twice", "also_from_without_rule", "also_best_too_many"),
)
"""Error codes of a refused plan."""
CHANGE: Final = ("unknown_stage", "stage_outdated", "stage_has_rounds", "stage_has_begun", *PLAN)
MOVE: Final = (
    *("unknown_stage", "event_is_over", "stage_outdated", "stage_has_begun", "bad_stage_place"),
    *("unknown_from_stage", "more_than_before", "also_from_twice", "unknown_also_from"),
)
"""Error codes of a move, which can change the stage before another one."""


@operation(
    "manage_event", locks=lock_event, requires=require_running, refuses=("too_many_stages", *PLAN)
)
def plan_stage(op: Operation, event: Event, /, *, fields: Mapping[str, object]) -> Stage:
    """Add a stage after the others; the first one of an event needs no beginning.

    `fields` are `name`, the numbers `from_stage` and `also_from`, and those of `read_stage_plan`.
    """
    stages = list(Stage.objects.filter(event=event).order_by("number"))
    ordinary = [stage for stage in stages if stage.kind != StageKind.PLAYOFF]
    if len(ordinary) >= MOST_STAGES:
        raise Refused(Problem("too_many_stages", facts={"most": MOST_STAGES}))
    stage = Stage(
        club=event.club,
        event=event,
        number=max((stage.number for stage in stages), default=0) + 1,
        kind=ordinary[-1].kind if ordinary else StageKind.OPEN,
        plan=StagePlan.PLANNED if ordinary else StagePlan.UNPLANNED,
    )
    _set(stage, fields, stages)
    _record(op, "plan_stage", stage)
    return stage


@operation("manage_event", locks=lock_stage, refuses=CHANGE)
def change_stage(
    op: Operation, stage: Stage, /, *, fields: Mapping[str, object], based_on: str | None = None
) -> Stage:
    """Change the given `fields` of a stage.

    The entrants of a stage cannot change once it has begun; after its first posted round only its
    number of rounds can.
    """
    _require_changeable(stage, based_on)
    posted = stage.rounds.exclude(state=RoundState.DRAFT)
    if not {"rounds"}.issuperset(fields) and posted.exists():
        raise Conflict(Problem("stage_has_rounds", facts={"stage": stage.title}))
    if stage.cut_at is not None and not WHEN_BEGUN.issuperset(fields):
        raise Conflict(Problem("stage_has_begun", facts={"stage": stage.title}))
    stages = _stages_with(stage)
    _set(stage, fields, stages)
    _require_later_fit(stages)
    _record(op, "change_stage", stage)
    return stage


@operation(
    "manage_event",
    locks=lock_stage,
    refuses=(
        *("unknown_stage", "event_is_over", "stage_outdated", "stage_has_begun"),
        "stage_is_source",
    ),
)
def remove_stage(op: Operation, stage: Stage, /, *, based_on: str | None = None) -> StageRow:
    """Remove a planned stage; the answer is the stage as it was.

    `If-Match` names the stage that you read, or is `*`. Without it the answer is 428; if somebody
    changed the stage meanwhile it is 412, with the current plan (`there`), and the stage stays.
    """
    row = _require_changeable(stage, based_on)
    _require_planned(stage)
    stages = _stages_with(stage)
    for later in stages:
        if stage.pk in (later.from_stage_id, later.also_from_id):
            facts = {"stage": stage.title, "later": later.title}
            raise Conflict(Problem("stage_is_source", facts=facts))
    planned = [row for row in stages if row.plan == StagePlan.PLANNED]
    numbers = [row.number for row in planned]
    planned.remove(stage)
    stage.delete()
    _number(planned, numbers[:-1])
    record_stage_operation(op, "remove_stage", stage, publishes=False)
    return row


@operation("manage_event", refuses=(*CHANGE, *MOVE))
def edit_stage(
    op: Operation,
    stage: Stage,
    /,
    *,
    fields: Mapping[str, object],
    to: int | None,
    based_on: str | None = None,
) -> StageRow:
    """Change a stage, or move a planned one; after its first posted round only `rounds` can change.

    `If-Match` names the stage that you read, or is `*`. Without it the answer is 428; if somebody
    changed the stage meanwhile it is 412, with the current plan (`there`).
    """
    if fields or to is None:
        change_stage(op, stage, fields=fields, based_on=based_on)
        based_on = None  # the plan is another one now
    if to is not None:
        move_stage(op, stage, to=to, based_on=based_on)
    return stage_row(stage.event, stage.number if to is None else to)


@operation("manage_event", locks=lock_stage, refuses=MOVE)
def move_stage(op: Operation, stage: Stage, /, *, to: int, based_on: str | None = None) -> Stage:
    """Give a planned stage the place of another planned one; those between move by one."""
    _require_changeable(stage, based_on)
    _require_planned(stage)
    stages = _stages_with(stage)
    before = stage.number
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
    record_stage_operation(op, "move_stage", stage, {"before": before}, publishes=False)
    return stage


def _require_changeable(stage: Stage, based_on: str | None) -> StageRow:
    """Return the row of a stage; refuse one whose `stage_tag` is not `based_on` any more."""
    require_running(stage.event)
    row = stage_row(stage.event, stage.number)
    if based_on and based_on != stage_tag(row):
        raise Conflict(Problem("stage_outdated"), there=stage_plan(row))
    return row


def _stages_with(stage: Stage) -> list[Stage]:
    """Return the stages of the event by number, with this very object among them."""
    rows = Stage.objects.filter(event=stage.event_id).order_by("number")
    return [stage if row == stage else row for row in rows]


def _require_planned(stage: Stage) -> None:
    if stage.plan != StagePlan.PLANNED:
        raise Conflict(Problem("stage_has_begun", facts={"stage": stage.title}))


def _set(stage: Stage, fields: Mapping[str, object], stages: list[Stage]) -> None:
    name = one_line(str(fields.get("name", stage.name)))
    refuse_any(name_problems(name) if name else [])
    stage.name = name
    for column, value in read_stage_plan(fields).items():
        setattr(stage, column, value)
    for member in ("from_stage", "also_from"):
        if member in fields:
            setattr(stage, member, _source(stage, member, fields[member], stages))
    _require_fit(stage, stages)
    stage.save()


def _source(stage: Stage, member: str, number: object, stages: list[Stage]) -> Stage | None:
    if number in (None, ""):
        return None
    for row in stages:
        is_before = row.number < stage.number and row.kind != StageKind.PLAYOFF
        if is_before and str(row.number) == str(number).strip():
            return row
    raise Refused(Problem(f"unknown_{member}", (member,), {"found": shown(number)}))


def _require_fit(stage: Stage, stages: list[Stage]) -> None:
    source = source_of(stage, stages)
    if stage.each_round and stage.kind != StageKind.KNOCKOUT:
        raise Refused(Problem("each_round_of_knockout", ("each_round",)))
    is_of_knockout = source is not None and source.kind == StageKind.KNOCKOUT
    if stage.from_round and not (stage.takes == StageTakes.LOSERS and is_of_knockout):
        raise Refused(Problem("from_round_of_knockout", ("from_round",)))
    # Every other stage was planned, or begun by a cut.
    is_first_stage = stage.plan == StagePlan.UNPLANNED and stage.cut_at is None
    if is_first_stage:
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
    before = (source.advance or {}).get("best")
    most = (stage.advance or {}).get("best")
    if before and most and most > before:
        facts = {"found": before, "wanted": most, "stage": source.title}
        raise Refused(Problem("more_than_before", ("advance",), facts))
    _require_second_fits(stage, source)


def _require_second_fits(stage: Stage, source: Stage) -> None:
    also = stage.also_from
    if (also is None) != (stage.also_best is None):
        member = "also_from" if also is None else "also_best"
        raise Refused(Problem("also_from_alone", (member,)))
    if also is None:
        return
    if also.pk == source.pk:
        facts: dict[str, int | str] = {"stage": source.title}
        raise Refused(Problem("also_from_twice", ("also_from",), facts))
    if stage.advance is None:
        facts = {"stage": source.title}
        raise Refused(Problem("also_from_without_rule", ("advance",), facts))
    number = Stage.objects.values_list("number", flat=True).get(pk=also.pk)
    if number >= stage.number:
        raise Refused(Problem("unknown_also_from", ("also_from",), {"found": shown(number)}))
    most = also.entrants.count() or (also.advance or {}).get("best")
    if most and stage.also_best and stage.also_best > most:
        facts = {"found": stage.also_best, "most": most, "stage": also.title}
        raise Refused(Problem("also_best_too_many", ("also_best",), facts))


def _require_later_fit(stages: list[Stage]) -> None:
    for stage in stages:
        if stage.plan == StagePlan.PLANNED:
            _require_fit(stage, stages)


def _number(stages: list[Stage], numbers: list[int]) -> None:
    """Give stages these numbers; on the way no two have the same one."""
    for at, stage in enumerate(stages, 30_001):
        Stage.objects.filter(pk=stage.pk).update(number=at)
    for stage, number in zip(stages, numbers, strict=True):
        stage.number = number
        Stage.objects.filter(pk=stage.pk).update(number=number)


def _record(op: Operation, operation: str, stage: Stage) -> None:
    facts = {
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
    record_stage_operation(op, operation, stage, facts, publishes=stage.plan != StagePlan.PLANNED)


@operation("manage_event", locks=lock_stage, refuses=BEGIN)
def begin_stage(op: Operation, stage: Stage, /) -> Stage:
    """Begin the next planned stage with the entrants who go on by the published standings."""
    source, publication, qualified = qualified_to_begin(stage)
    stage.from_stage, stage.plan = source, StagePlan.BEGUN
    enter_stage(stage, source, qualified, now=op.now)
    facts = {
        "cut": qualified.cut,
        "publication": publication.number,
        "went_on": sorted(qualified.codes),
    }
    record_stage_operation(op, "begin_stage", stage, facts)
    return stage


def qualified_to_begin(stage: Stage) -> tuple[Stage, Publication, Qualified]:
    """Return the stage before a planned one, the standings, and who advances by them.

    Those who withdrew, or have too few games for a rank, are skipped. A stage without a rule is for
    everybody in the one before. If some come back from a second stage, the rounds of both must be
    over.
    """
    event = stage.event
    stages = _stages_with(stage)
    _require_planned(stage)
    first = next(row for row in stages if row.plan == StagePlan.PLANNED)
    if stage != first:
        facts = {"stage": stage.title, "first": first.title}
        raise Conflict(Problem("stage_not_next", facts=facts))
    require_open(event)
    source = source_of(stage, stages)
    assert source is not None  # noqa: S101 - a planned stage has one before it
    _require_source_over(event, stage, source)
    if stage.also_from is not None:
        require_rounds_over(event, stage.also_from)
    _require_cut_decided(event, stage)
    publication = current_publication(event)
    return source, publication, qualified_for(event, stage, source, publication)


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
    for playoff in waiting.order_by("number"):
        if playoff.boundaries == line:
            facts = {"playoff": playoff.number, "stage": stage.title}
            raise Conflict(Problem("cut_playoff_open", ("advance",), facts))
