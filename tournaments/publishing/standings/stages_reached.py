"""How far entrants came: later stages, and the rounds of a knock-out, as the ranking asks for it.

See docs/algorithms/stages.md.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from scoring.standings.rank import AdvancingStage
from tournaments.models.events import Event, Stage, StageKind, StageTakes
from tournaments.models.meetings import Round, RoundState, Sitting, Table
from tournaments.models.standings import Contribution
from tournaments.models.walk_overs import WalkOver
from tournaments.selectors.events.cuts import (
    StoredCut,
    ordinary_stages,
    stage_title,
    stored_cuts,
    way_to,
)


@dataclass(frozen=True, slots=True)
class _Reached:
    """What some entrants reached once a round was over; `order` sorts it among all others."""

    stage: int
    after_round: int
    order: tuple[bool, int, int]
    advancing: AdvancingStage

    @property
    def is_round(self) -> bool:
        """Whether it is a round of a knock-out, and not a stage."""
        return self.order[-1] > 0


class StagesReached:
    """The cuts of an event and the rounds of its knock-outs, read once.

    One query where it has neither.
    """

    def __init__(self, event: Event) -> None:
        stages = ordinary_stages(event)
        self.cuts = stored_cuts(event, stages)
        self._found = [_of_cut(one) for one in self.cuts]
        for stage in stages:
            if stage.kind == StageKind.KNOCKOUT:
                self._found += _rounds_of(stage, stages)
        self._found.sort(key=lambda one: one.order)

    def by(self, number: int | None = None) -> tuple[AdvancingStage, ...]:
        """Return what was reached when the round after round `number` began; None: until now."""
        return tuple(
            one.advancing for one in self._found if number is None or one.after_round <= number
        )

    def within(self, stage: int) -> tuple[AdvancingStage, ...]:
        """Return what was reached in the rounds of a stage, by row; empty but for a knock-out."""
        own = (one for one in self._found if one.stage == stage and one.is_round)
        return tuple(one.advancing for one in own)

    def before(self, cut: StoredCut) -> tuple[AdvancingStage, ...]:
        """Return what was reached on the way to a stage."""
        way = {one.pk for one in (*cut.way, cut.also) if one is not None}
        return tuple(one.advancing for one in self._found if one.stage in way)


def _of_cut(one: StoredCut) -> _Reached:
    words = stage_title(one.stage)
    order = (not one.is_consolation, one.stage.number, 0)
    return _Reached(one.stage.pk, one.after_round, order, AdvancingStage(one.codes, words))


def _rounds_of(stage: Stage, stages: Sequence[Stage]) -> list[_Reached]:
    """Return who reached each round of a knock-out after its first, and who won it."""
    posted = Round.objects.filter(stage=stage).exclude(state=RoundState.DRAFT)
    rounds = list(posted.order_by("number"))
    if not rounds:
        return []
    way = [stage, *way_to(stage, stages)]
    is_main = all(one.takes != StageTakes.LOSERS for one in way)
    title, there = stage_title(stage), _entrants_in(rounds)
    found = [
        _Reached(
            stage.pk,
            before.number,
            (is_main, stage.number, one.number),
            AdvancingStage(frozenset(there[one.pk]), f"round {one.number} of {title}"),
        )
        for before, one in pairwise(rounds)
    ]
    final = rounds[-1]
    if winner := _winner_of(final, there[final.pk]):
        order = (is_main, stage.number, final.number + 1)
        won = AdvancingStage(frozenset({winner}), f"first place of {title}")
        found.append(_Reached(stage.pk, final.number, order, won))
    return found


def _entrants_in(rounds: Sequence[Round]) -> dict[int, set[str]]:
    """Return who sits in each round or gave up a table of it; two queries."""
    found: dict[int, set[str]] = defaultdict(set)
    event = rounds[0].event_id
    rows = Sitting.objects.filter(round__in=rounds, player__entries_in_events__event=event)
    for pk, code in rows.values_list("round", "player__entries_in_events__entrant__code"):
        found[pk].add(code)
    for pk, code in WalkOver.objects.filter(round__in=rounds).values_list("round", "entrant__code"):
        found[pk].add(code)
    return found


def _winner_of(final: Round, there: set[str]) -> str | None:
    """Return who won a round that is closed and has a single table; three queries at most."""
    if final.state != RoundState.CLOSED or Table.objects.filter(round=final).count() != 1:
        return None
    gone = set(WalkOver.objects.filter(round=final).values_list("entrant__code", flat=True))
    best = Contribution.objects.filter(game__table__round=final, place=1)
    first = set(best.values_list("entrant__code", flat=True)) & there
    left = first - gone or there - gone
    return left.pop() if len(left) == 1 else None
