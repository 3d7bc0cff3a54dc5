"""How far entrants came: later stages, and the rounds of a knock-out, as the ranking asks for it.

See docs/algorithms/stages.md.
"""

from collections import ChainMap, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, zip_longest

from scoring.standings.rank import AdvancingStage, Finish
from scoring.standings.rows import Row, Sums
from tournaments.models.events import Entrant, EntrantState, Event, Stage, StageKind, StageTakes
from tournaments.models.meetings import Round, RoundState, Sitting, Table
from tournaments.models.numbers import UNIT
from tournaments.models.standings import PLACES, Contribution
from tournaments.models.walk_overs import WalkOver
from tournaments.selectors.events.cuts import (
    StoredCut,
    ordinary_stages,
    stage_title,
    stored_cuts,
    way_to,
)
from tournaments.selectors.playoffs.decided_ties import decided_ties
from tournaments.services.events.table_ties import is_final, places_at_tables


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
        has_knockout = any(stage.kind == StageKind.KNOCKOUT for stage in stages)
        for stage in stages if has_knockout else ():
            is_knockout = stage.kind == StageKind.KNOCKOUT
            gone_on = frozenset(
                code
                for cut in self.cuts
                if cut.way[:1] == (stage,) and cut.stage.takes == StageTakes.WINNERS
                for code in cut.codes
            )
            self._found += (
                _rounds_of(stage, stages, gone_on) if is_knockout else _no_knockout(stage)
            )
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


def _rounds_of(stage: Stage, stages: Sequence[Stage], gone_on: frozenset[str]) -> list[_Reached]:
    """Return who reached each round of a knock-out after its first, and who won it.

    Args:
        gone_on: to later stages.
    """
    rounds = posted_rounds(stage)
    if not rounds:
        return []
    way = [stage, *way_to(stage, stages)]
    is_main = all(one.takes != StageTakes.LOSERS for one in way)
    title, entrants = stage_title(stage), entrants_in(rounds)
    finishes = _finishes(stage.event, rounds, entrants, gone_on)
    found = [
        _Reached(
            stage.pk,
            before.number,
            (is_main, stage.number, one.number),
            AdvancingStage(
                frozenset(entrants[one.pk]),
                f"round {one.number} of {title}",
                finishes.get(before.number, {}),
            ),
        )
        for before, one in pairwise(rounds)
    ]
    final = rounds[-1]
    winner, last = _winner_of(final, entrants[final.pk]), finishes.get(final.number, {})
    if winner or last:
        order = (is_main, stage.number, final.number + 1)
        codes = frozenset({winner} if winner else ())
        won = AdvancingStage(codes, f"first place of {title}", last)
        found.append(_Reached(stage.pk, final.number, order, won))
    return found


def posted_rounds(stage: Stage) -> list[Round]:
    """Return the rounds of a stage without its drafts, in order."""
    posted = Round.objects.filter(stage=stage).exclude(state=RoundState.DRAFT)
    return list(posted.order_by("number"))


def _no_knockout(stage: Stage) -> list[_Reached]:
    """Return whoever plays on in a stage that is no knock-out: a knock-out orders them no more."""
    rounds = posted_rounds(stage)
    entrants = entrants_in(rounds) if rounds else {}
    return [
        _Reached(
            stage.pk,
            round_.number,
            (False, 0, 0),
            AdvancingStage(
                frozenset(),
                "",
                {code: Finish(round_.number, 0, None, Fraction(0)) for code in entrants[round_.pk]},
            ),
        )
        for round_ in rounds
    ]


def _finishes(
    event: Event,
    rounds: Sequence[Round],
    entrants: Mapping[int, set[str]],
    gone_on: frozenset[str],
) -> dict[int, dict[str, Finish]]:
    """Return how those who are out came out of each round of a knock-out, by its number.

    Nobody is out of a round while nobody has gone on from it, but for the final.
    """
    closed = [round_ for round_ in rounds if round_.state == RoundState.CLOSED]
    places, tables = places_at_tables(event, closed), _tables(event, closed)
    points, decided = _points(closed), decided_ties(event, {})
    walk_overs = WalkOver.objects.filter(round__in=closed)
    gone = {*walk_overs.values_list("round__number", "entrant__code")}
    finishes: dict[int, dict[str, Finish]] = {}
    for round_, later in zip_longest(rounds, rounds[1:]):
        number = round_.number
        on = entrants[later.pk] if later is not None else gone_on
        is_last = not on and is_final(round_)
        if round_ not in closed or not (on or is_last):
            continue
        placed = {
            code: place
            for at_table in places.get(number, {}).values()
            for code, place in at_table.items()
        }
        last_on = _last_on(on, tables[number], placed)
        out_by = ChainMap(*(tie.out_by(on) for tie in decided if tie.round == number))
        finishes[number] = {
            code: Finish(
                number,
                table,
                placed.get(code),
                points.get((number, code), Fraction(0)),
                is_last,
                (number, code) in gone,
                *last_on.get(table, ("", None)),
                out_by.get(code, ""),
            )
            for code, table in tables[number].items()
            if code not in on
        }
    return finishes


def _points(rounds: Sequence[Round]) -> dict[tuple[int, str], Fraction]:
    """Return what each entrant scored in rounds, by the number of the round and the code."""
    scored = Contribution.objects.filter(game__table__round__in=rounds)
    rows = scored.values_list("game__table__round__number", "entrant__code", "points")
    return {(number, code): Fraction(points, UNIT) for number, code, points in rows}


def _last_on(
    on: AbstractSet[str], tables: Mapping[str, int], placed: Mapping[str, int]
) -> dict[int, tuple[str, int | None]]:
    """Return who went on from each table with the last place that did; None without a game."""
    last: dict[int, tuple[int, str]] = {}
    for code in on & tables.keys():
        table = tables[code]
        last[table] = max(last.get(table, (0, "")), (placed.get(code, 0), code))
    return {table: (code, place or None) for table, (place, code) in last.items()}


def _tables(event: Event, rounds: Sequence[Round]) -> dict[int, dict[str, int]]:
    """Return the number of the table of everybody who sat there or gave it up, by round."""
    tables: dict[int, dict[str, int]] = defaultdict(dict)
    sat = Sitting.objects.filter(round__in=rounds, player__entries_in_events__event=event)
    walk_overs = WalkOver.objects.filter(round__in=rounds)
    for number, code, table in (
        *sat.values_list(
            "round__number", "player__entries_in_events__entrant__code", "seat__table__number"
        ),
        *walk_overs.values_list("round__number", "entrant__code", "table__number"),
    ):
        tables[number][code] = table
    return tables


def entrants_in(rounds: Sequence[Round]) -> dict[int, set[str]]:
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


def without_games(event: Event, rows: Sequence[Row], stages: Sequence[AdvancingStage]) -> list[Row]:
    """Return rows of those who came through a knock-out, or out of it, without a game."""
    missing = {code for stage in stages for code in stage.finishes} - {row.code for row in rows}
    gone = Entrant.objects.filter(event=event, code__in=missing, state=EntrantState.WITHDRAWN)
    withdrawn = {*gone.values_list("code", flat=True)} if missing else set()
    none = Fraction(0)
    return [
        Row(
            Sums(code, 0, 0, none, (0,) * PLACES, 0, none, none, 0, 0),
            withdrawn=code in withdrawn,
        )
        for code in sorted(missing)
    ]
