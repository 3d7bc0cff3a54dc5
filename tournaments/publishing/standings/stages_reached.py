"""How far entrants came: later stages, and the rounds of a knock-out, as the ranking asks for it.

See docs/algorithms/stages.md.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from scoring.standings.rank import AdvancingStage, Finish
from tournaments.models.events import Event, Stage, StageKind, StageTakes
from tournaments.models.meetings import Round, RoundState, Sitting, Table
from tournaments.models.numbers import UNIT
from tournaments.models.standings import Contribution
from tournaments.models.walk_overs import WalkOver
from tournaments.selectors.events.cuts import (
    StoredCut,
    ordinary_stages,
    stage_title,
    stored_cuts,
    way_to,
)
from tournaments.selectors.playoffs.table_ties import is_final, places_at_tables


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
        has_knockout = any(one.kind == StageKind.KNOCKOUT for one in stages)
        for stage in stages if has_knockout else ():
            is_knockout = stage.kind == StageKind.KNOCKOUT
            self._found += _rounds_of(stage, stages) if is_knockout else _no_knockout(stage)
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
    rounds = _posted(stage)
    if not rounds:
        return []
    way = [stage, *way_to(stage, stages)]
    is_main = all(one.takes != StageTakes.LOSERS for one in way)
    title, there = stage_title(stage), _entrants_in(rounds)
    finishes = _finishes(stage.event, rounds, there)
    found = [
        _Reached(
            stage.pk,
            before.number,
            (is_main, stage.number, one.number),
            AdvancingStage(
                frozenset(there[one.pk]),
                f"round {one.number} of {title}",
                finishes.get(before.number, {}),
            ),
        )
        for before, one in pairwise(rounds)
    ]
    final = rounds[-1]
    winner, last = _winner_of(final, there[final.pk]), finishes.get(final.number, {})
    if winner or last:
        order = (is_main, stage.number, final.number + 1)
        codes = frozenset({winner} if winner else ())
        won = AdvancingStage(codes, f"first place of {title}", last)
        found.append(_Reached(stage.pk, final.number, order, won))
    return found


def _posted(stage: Stage) -> list[Round]:
    posted = Round.objects.filter(stage=stage).exclude(state=RoundState.DRAFT)
    return list(posted.order_by("number"))


def _no_knockout(stage: Stage) -> list[_Reached]:
    """Return whoever plays on in a stage that is no knock-out: a knock-out orders them no more."""
    rounds = _posted(stage)
    there = _entrants_in(rounds)
    return [
        _Reached(
            stage.pk,
            one.number,
            (False, 0, 0),
            AdvancingStage(
                frozenset(),
                "",
                {code: Finish(one.number, 0, None, Fraction(0)) for code in there[one.pk]},
            ),
        )
        for one in rounds
    ]


def _finishes(
    event: Event, rounds: Sequence[Round], there: Mapping[int, set[str]]
) -> dict[int, dict[str, Finish]]:
    """Return how everybody came out of each closed round of a knock-out, by its number."""
    closed = [one for one in rounds if one.state == RoundState.CLOSED]
    places = places_at_tables(event, closed)
    points = {
        (number, code): Fraction(own, UNIT)
        for number, code, own in Contribution.objects.filter(
            game__table__round__in=closed
        ).values_list("game__table__round__number", "entrant__code", "points")
    }
    sat = Sitting.objects.filter(round__in=closed, player__entries_in_events__event=event)
    walk_overs = WalkOver.objects.filter(round__in=closed)
    gone = {*walk_overs.values_list("round__number", "entrant__code")}
    tables = {
        (number, code): table
        for number, code, table in (
            *sat.values_list(
                "round__number", "player__entries_in_events__entrant__code", "seat__table__number"
            ),
            *walk_overs.values_list("round__number", "entrant__code", "table__number"),
        )
    }
    found: dict[int, dict[str, Finish]] = {}
    for at, one in enumerate(rounds):
        if one.state != RoundState.CLOSED:
            continue
        on = there[rounds[at + 1].pk] if at + 1 < len(rounds) else set()
        is_last = not on and is_final(one)
        number = one.number
        own = {code: (table, code) for (of, code), table in tables.items() if of == number}
        lines = {
            table: max(
                ((places.get(number, {}).get(table, {}).get(code, 0), code) for code in codes & on),
                default=(0, ""),
            )
            for table in {table for table, _ in own.values()}
            for codes in [{code for code in own if own[code][0] == table}]
        }
        found[number] = {
            code: Finish(
                number,
                table,
                places.get(number, {}).get(table, {}).get(code),
                points.get((number, code), Fraction(0)),
                is_last,
                (number, code) in gone,
                lines[table][1],
                lines[table][0] or None,
            )
            for code, (table, _) in own.items()
        }
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
