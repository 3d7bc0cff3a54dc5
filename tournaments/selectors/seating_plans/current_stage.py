"""The stage that is played now, as a seating plan takes it into account."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from tournaments.domain.event_settings import settings_of
from tournaments.domain.standings.carried_scores import weight_of_earlier
from tournaments.models.events import (
    Carry,
    Entrant,
    EntrantMember,
    Event,
    Seeding,
    Stage,
    StageKind,
    StagePlan,
)
from tournaments.models.meetings import Round, RoundState, Sitting
from tournaments.selectors.events.cuts import stage_title
from tournaments.selectors.seating_plans.scores_so_far import (
    PublishedScore,
    published_scores,
    shown_score,
)
from tournaments.selectors.seating_plans.standing import standing_of

UNPLANNED_KIND = StageKind.OPEN
"""The movement of a stage for which nobody has chosen one."""


@dataclass(frozen=True, slots=True)
class CurrentStage:
    """The last stage that has begun and is no play-off.

    `movement` is empty where nobody has chosen one; `rounds` are those that its director intends,
    None for no number, and `seated` those that were posted, played or closed. `is_first`: there
    are no earlier games. `next_name` is the stage that is planned after it, empty without one.
    `begun` are number and name of every stage that has begun, in order.
    """

    pk: int
    number: int
    name: str
    movement: str
    rounds: int | None
    sizes: tuple[int, ...]
    carry: str
    seeding: str
    seated: int
    is_first: bool
    next_name: str = ""
    begun: tuple[tuple[int, str], ...] = ()

    @property
    def rounds_left(self) -> int | None:
        """How many rounds are still to be seated; None where no number is intended."""
        return None if self.rounds is None else max(0, self.rounds - self.seated)

    @property
    def is_seated(self) -> bool:
        """Whether all rounds that are intended were seated."""
        return self.rounds_left == 0


def current_stage(event: Event, number: int | None = None) -> CurrentStage | None:
    """Return the stage that new rounds belong to; None before the event has one. Two queries.

    Args:
        number: of a stage that has begun; None: the last one.
    """
    rows = Stage.objects.filter(event=event).exclude(kind=StageKind.PLAYOFF).order_by("number")
    stages = list(rows)
    begun = [one for one in stages if one.plan != StagePlan.PLANNED]
    if not begun:
        return None
    stage = next((one for one in begun if one.number == number), begun[-1])
    planned = next((one for one in stages if one.plan == StagePlan.PLANNED), None)
    rounds = Round.objects.filter(stage=stage).exclude(state=RoundState.DRAFT)
    return CurrentStage(
        pk=stage.pk,
        number=stage.number,
        name=stage_title(stage),
        movement="" if stage.kind == UNPLANNED_KIND else stage.kind,
        rounds=stage.planned_rounds,
        sizes=tuple(stage.table_sizes or ()),
        carry=stage.carry,
        seeding=stage.seeding,
        seated=rounds.count(),
        is_first=stage is begun[0],
        next_name=stage_title(planned) if planned else "",
        begun=tuple((one.number, stage_title(one)) for one in begun),
    )


def scores_in_stage(event: Event, number: int | None = None) -> Mapping[int, PublishedScore]:
    """Return what the players have for the next round of a stage; five queries at most.

    That is the newest publication. For somebody who has not played in the stage yet, the earlier
    games count there as they will once they play: half of them, or nothing. Without any score the
    round is a first one.

    Args:
        number: of the stage; None: the one that is played now.
    """
    found = published_scores(event)
    stage = current_stage(event, number)
    if not found or stage is None or stage.is_first or stage.carry == Carry.ALL:
        return found
    sat = Sitting.objects.filter(round__stage=stage.pk, round__state=RoundState.CLOSED)
    played = frozenset(sat.values_list("player_id", flat=True))
    factor = weight_of_earlier(stage.carry, settings_of(event).primary)
    if not factor:
        return {player: one for player, one in found.items() if player in played}
    if factor == 1:
        return found
    return {
        player: replace(one, value=one.value * factor.denominator)
        if player in played
        else PublishedScore(
            one.value * factor.numerator, shown_score(Fraction(one.exact) * factor), one.exact
        )
        for player, one in found.items()
    }


def seeds_in_stage(event: Event, number: int | None = None) -> Mapping[int, int]:
    """Return what orders a round in which no score counts, 1 the best; four queries at most.

    By lot it is empty. A stage in which earlier games count nothing is not seeded by them either.

    Args:
        number: of the stage; None: the one that is played now.
    """
    stage = current_stage(event, number)
    if stage is None:
        return standing_of(event)
    if stage.seeding == Seeding.LADDER:
        starts = Entrant.objects.filter(event=event, start_position__isnull=False)
        places = dict(starts.values_list("pk", "start_position"))
        members = EntrantMember.objects.filter(event=event, entrant__in=places)
        return {
            player: places[entrant] or 0
            for player, entrant in members.values_list("player_id", "entrant_id")
        }
    if stage.seeding == Seeding.LOT or (not stage.is_first and stage.carry == Carry.NONE):
        return {}
    return standing_of(event)
