"""Places at the tables of a round, and the ties there and for wild cards that decide who advances.

A play-off of such a tie decides the places there, and nothing else. See docs/algorithms/stages.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from scoring.errors import Problem, listed
from scoring.playoffs.boundaries import (
    TABLE_LINE,
    WILD_CARD_LINE,
    Boundary,
    Need,
    Tiers,
    folded,
    needs,
    ranks,
    split_at,
    table_needs,
    tiers_by,
    wild_card_tiers,
)
from scoring.seating.brackets import table_sizes, wild_cards_in
from tournaments.domain.event_settings import settings_of
from tournaments.domain.stage_plan import GoesOn, goes_on_from
from tournaments.errors import refuse_any
from tournaments.models.events import Entrant, EntrantState, Event, Stage, StageKind, StageTakes
from tournaments.models.hands import Game
from tournaments.models.playoffs import LIVE, Playoff, WalkOver
from tournaments.models.rounds import Round, RoundState, SitOut, SitOutReason, Sitting
from tournaments.models.standings import Contribution
from tournaments.selectors.events.entrants import names_in
from tournaments.selectors.playoffs.bracket import places_at_tables
from tournaments.selectors.playoffs.playoffs import list_decided_ties
from tournaments.selectors.rounds.round_names import is_final
from tournaments.selectors.rules.rule_sets import low_wins, rules_of
from tournaments.selectors.seating_plans.people_here import earlier_rounds
from tournaments.selectors.stages import (
    is_complete,
    is_planned,
    posted_rounds,
    source_of,
    stages_of,
    valid_playoffs,
)


@dataclass(frozen=True, slots=True)
class RoundOutcome:
    """What a closed round of a knock-out decides, by code: who goes on, and who is tied for that.

    `is_before_final`: who goes on plays the final.
    """

    through: frozenset[str]
    undecided: frozenset[str]
    is_before_final: bool


def with_wild_cards_decided(event: Event, number: int, tiers: Tiers) -> Tiers:
    for tie in list_decided_ties(event, {}):
        if tie.table is None and tie.round == number:
            tiers = folded(tiers, ranks(tie.order))
    return tiers


def plays_tables(event: Event) -> bool:
    return settings_of(event).table_ties == "playoff"


RoundTies: TypeAlias = tuple[list[Need], list[int], list[tuple[str, int]]]
"""The ties that the hands of all rounds left; the numbers of the rounds of which nobody has gone on
yet; the kinds of ties that are played off, with the number of the round."""


def list_round_ties(event: Event) -> RoundTies:
    """Return the ties of all rounds that decide who advances from tables, and by wild cards."""
    ties: list[Need] = []
    newest: list[int] = []
    played: list[tuple[str, int]] = []
    stages = list(stages_of(event)) if plays_tables(event) else []
    for stage in stages:
        rounds = list(posted_rounds(stage))
        for round_ in rounds:
            if rule := goes_on_after(event, round_, stages):
                kinds = (TABLE_LINE, WILD_CARD_LINE) if rule.wild_cards else (TABLE_LINE,)
                played.extend((kind, round_.number) for kind in kinds)
                ties.extend(_ties(event, round_, rule, is_played_off=False))
        newest.extend(round_.number for round_ in rounds[-1:])
    return ties, newest, played


def _ties(event: Event, last: Round, rule: GoesOn, *, is_played_off: bool) -> tuple[Need, ...]:
    """Return the ties for the last place at a table of a closed round, or its last wild card."""
    if last.state != RoundState.CLOSED:
        return ()
    at_tables = _ties_at_tables(event, last, rule, is_played_off=is_played_off)
    # While a tie at a table is open, it is not known who is left for the wild cards.
    if not rule.wild_cards or _ties_at_tables(event, last, rule, is_played_off=True):
        return at_tables
    above, tiers = wild_cards_of(event, last, rule, is_played_off=is_played_off)
    line = Boundary(above, WILD_CARD_LINE, last.number)
    return at_tables + (needs(tiers, [line], policy="extra_hands") if above else ())


def wild_cards_of(
    event: Event, last: Round, rule: GoesOn | None, *, is_played_off: bool = True
) -> tuple[int, Tiers]:
    """Return how many wild cards a round of a knock-out has, and who may have one, best first."""
    seated = earlier_rounds(event).get(last.number)
    if rule is None or not rule.wild_cards or seated is None:
        return 0, ()
    byes = len(seated.sitting_out)
    people = sum(map(len, seated.tables))
    above = wild_cards_in(len(seated.tables), byes, rule.wild_cards, rule.each_table, people + byes)
    scored = Contribution.objects.filter(event=event, game__table__round=last)
    game = Game.objects.filter(table__round=last).select_related("snapshot")[0]
    sign = 1 if low_wins(rules_of(game.snapshot)) else -1
    places = places_at_tables(event, [last]).get(last.number, {})
    results: dict[int, dict[str, tuple[int, int]]] = {}
    for table, code, points in scored.values_list("game__table__number", "entrant__code", "points"):
        results.setdefault(table, {})[code] = (places[table][code], sign * points)
    absent = _list_absent(event, last, is_played_off=is_played_off)
    tiers = wild_card_tiers(results.values(), rule.each_table, absent)
    return above, with_wild_cards_decided(event, last.number, tiers) if is_played_off else tiers


def _ties_at_tables(
    event: Event, last: Round, rule: GoesOn, *, is_played_off: bool
) -> tuple[Need, ...]:
    absent = _list_absent(event, last, is_played_off=is_played_off)
    tables = places_at_tables(event, [last], is_played_off=is_played_off).get(last.number, {})
    fit = {
        number: {code: place for code, place in places.items() if code not in absent}
        for number, places in tables.items()
    }
    return table_needs(fit, rule.each_table, round_number=last.number)


def goes_on_after(
    event: Event, last: Round, stages: Sequence[Stage] | None = None
) -> GoesOn | None:
    """Return how many of each table advance from a round; None if tables do not decide it.

    From the last round of a stage, those that the next planned stage takes advance; the standings
    decide its wild cards.
    """
    stages = list(stages_of(event)) if stages is None else stages
    stage = next(row for row in stages if row.pk == last.stage_id)
    for later in stages:
        rule = later.advance or {}
        takes = later.takes == StageTakes.WINNERS and "each_table" in rule
        if takes and source_of(later, stages) == stage and is_complete(stage):
            if settings_of(event).playoff == "share" or last != posted_rounds(stage).last():
                return None
            return GoesOn(int(rule["each_table"]), 0)
    if stage.kind == StageKind.KNOCKOUT and not is_final(last):
        return goes_on_from(stage)
    return None


def _list_absent(event: Event, last: Round, *, is_played_off: bool) -> set[str]:
    """Return who gave up a table of the round, or withdrew before a later round.

    An entrant that withdraws during a play-off stays in it and is placed last.
    """
    later = Sitting.objects.filter(round__stage=last.stage_id, round__number__gt=last.number)
    stays = {*later.values_list("player__entries_in_events__entrant__code", flat=True)}
    if not is_played_off:
        begun = valid_playoffs(event)
        stays |= {*begun.values_list("members__entrant__code", flat=True)}
    withdrawn = Entrant.objects.filter(event=event, state=EntrantState.WITHDRAWN)
    walk_overs = WalkOver.objects.filter(round=last).values_list("entrant__code", flat=True)
    return ({*withdrawn.values_list("code", flat=True)} - stays) | {*walk_overs}


def round_outcome(
    event: Event, last: Round, stages: Sequence[Stage], tables: Mapping[str, int]
) -> RoundOutcome | None:
    """Return what the last round of a knock-out decides; None while it is open, or of a final.

    Where the standings or a director decide who goes on to the next stage, it is None too.

    Args:
        tables: number of the table of each entrant in the round, by code.
    """
    if last.state != RoundState.CLOSED or last.stage.kind != StageKind.KNOCKOUT:
        return None
    rule = goes_on_after(event, last, stages)
    following = _stage_after(last.stage, stages)
    if rule is None or (following is not None and not _takes_by_table(following, last.stage)):
        return None
    absent = _list_absent(event, last, is_played_off=True)
    places = places_at_tables(event, [last]).get(last.number, {})
    through = list_byes(last) - absent
    undecided: set[str] = set()
    others: set[str] = set()
    n_on = len(through)
    for table in {*tables.values()}:
        at_table = places.get(table, {})
        fit = {
            code: (code not in at_table, at_table.get(code, 0))
            for code, number in tables.items()
            if number == table and code not in absent
        }
        sure, tied = split_at(tiers_by(fit), rule.each_table)
        through |= sure
        undecided |= tied
        others |= fit.keys() - sure
        n_on += min(rule.each_table, len(fit))
    above, tiers = wild_cards_of(event, last, rule)
    n_on += above
    if above and undecided:
        undecided = others  # the loser of a tie may still get a wild card
    elif above:
        sure, undecided = split_at(tiers, above)
        through |= sure
    if following is not None and (following.advance or {}).get("wild_cards"):
        undecided = others  # the standings give them when the next stage begins
    sizes = last.stage.table_sizes or (4, 3)
    next_round = table_sizes(n_on, sizes)
    is_before_final = next_round is not None and (
        len(next_round.tables) == 1 and not next_round.sit_outs
    )
    return RoundOutcome(
        frozenset(through), frozenset(undecided), is_before_final and following is None
    )


def list_byes(last: Round) -> set[str]:
    byes = SitOut.objects.filter(round=last, reason=SitOutReason.BYE)
    return {*byes.values_list("entrant__code", flat=True)}


def _stage_after(stage: Stage, stages: Sequence[Stage]) -> Stage | None:
    """Return the planned stage that takes the best of a knock-out which may be at its end."""
    if stage.planned_rounds is not None and not is_complete(stage):
        return None
    for later in stages:
        takes = later.takes == StageTakes.WINNERS and is_planned(later)
        if takes and source_of(later, stages) == stage:
            return later
    return None


def _takes_by_table(following: Stage, stage: Stage) -> bool:
    return "each_table" in (following.advance or {}) and is_complete(stage)


def require_ties_decided(event: Event, last: Round) -> None:
    """Refuse to leave a round while a tie that decides who advances is open."""
    rule = goes_on_after(event, last) if plays_tables(event) else None
    ties = _ties(event, last, rule, is_played_off=True) if rule else ()
    problems = []
    names = names_in(event) if ties else {}
    for tie in ties:
        line = tie.boundaries[0]
        live = Playoff.objects.filter(event=event, state__in=LIVE, boundaries=[line.written])
        playoff = live.order_by("number").first()
        facts = {
            "level": listed([names.get(code, code) for code in tie.members]),
            "place": line.above,
            "table": line.table,
            "round": line.round,
        }
        if playoff is not None:
            facts["playoff"] = playoff.number
        state = "found" if playoff is None else "open"
        problems.append(Problem(f"{line.kind}_tie_{state}", ("movement",), facts))
    refuse_any(problems)
