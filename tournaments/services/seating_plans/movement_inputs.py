"""The inputs of plans with partners, Swiss rounds, knock-out rounds and moving boards.

Scores come from the newest publication, so nothing is planned by results while a round is open or a
change waits to be published. See docs/algorithms/seating.md, "Swiss rounds",
docs/algorithms/stages.md, and docs/algorithms/duplicate.md, "Plans".
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from scoring.playoffs.boundaries import ranks
from scoring.rules.rules import Rules
from scoring.seating.brackets import sizes_of_rules
from scoring.seating.movements.knockout import MOST_ENTRANTS
from scoring.seating.movements.moving_boards import LINES, line_up_of
from scoring.seating.movements.requirements import AT_A_TABLE, VARIATIONS
from scoring.seating.requests import PlannedRound, SeatingPlan, SeatingRequest
from tournaments.domain.seating_preferences import preferred_sizes
from tournaments.domain.stage_plan import goes_on_from, plays_opposite
from tournaments.errors import refuse_any
from tournaments.models.events import EntrantMember, Event, Stage, StageKind
from tournaments.models.rounds import Round, RoundState, Sitting
from tournaments.models.seating_plans import PAIRS, TEAMS, WHIST
from tournaments.models.standings import Publication
from tournaments.selectors.events.events import ordinary_rounds
from tournaments.selectors.playoffs.bracket import places_at_tables, seeds_of
from tournaments.selectors.rules.rule_sets import rules_of_event
from tournaments.selectors.seating_plans.current_stage import (
    BoardsToPlan,
    CurrentStage,
    PublishedScore,
    floated_down,
    forfeits_in,
    is_behind,
    open_round,
    scores_in_stage,
    seated_knockout,
    seeds_in_stage,
    stage_to_plan,
    standing_of,
)
from tournaments.selectors.seating_plans.people_here import (
    PersonHere,
    PlayingUnit,
    listed_names,
    units_here,
)
from tournaments.selectors.stages import posted_rounds
from tournaments.services.events.table_ties import (
    goes_on_after,
    plays_tables,
    require_ties_decided,
    wild_cards_of,
)

BY_PARTNERS: Final = "byes", (AT_A_TABLE,)
"""The policy and sizes by which a movement with partners divides any head-count."""

LEAST_UNITS: Final = 2

AS_BOARDS_MOVE: Final = "single", (LINES,)
"""The policy and sizes of such a plan: every table has four players."""


def require_variation(movement: str, variation: str) -> None:
    variations = VARIATIONS.get(movement, ())
    if variation and variation not in variations:
        facts = {"found": shown(variation), "expected": ", ".join(variations) or "–"}
        raise Refused(Problem("bad_variation", ("variation",), facts))


def partnership_inputs(
    event: Event,
    rules: Rules,
    people: Sequence[PersonHere],
    inputs: JsonDict,
    *,
    movement: str,
    variation: str,
) -> JsonDict:
    """Return the inputs of a plan with partners, with rows of players, from those of any plan.

    `units` are the pairs or teams in order, `entrants` their rows (null: two by a constraint); both
    are empty in a whist evening.
    """
    if not plays_opposite(rules):
        raise Refused(Problem("movement_needs_sides", ("movement",)))
    units, alone = units_here(event, people)
    variation = variation or next(iter(VARIATIONS[movement]), "")
    if movement == WHIST:
        problems = tuple(_whist_problems(units, people))
        units = []
    else:
        problems = tuple(problems_of_units(units, alone, movement, variation))
    refuse_any(problems)
    players = [list(unit.here) for unit in units]
    presence = inputs["presence"]
    return inputs | {
        "variation": variation,
        "units": players,
        "entrants": [unit.entrant for unit in units],
        "together": inputs["together"] if movement == WHIST else [],
        "presence": presence if movement == TEAMS else _presence_of_units(presence, players),
    }


def require_apart(request: SeatingRequest, plan: SeatingPlan) -> None:
    """Refuse a plan with partners in which players who must be apart share a table."""
    apart = {frozenset(pair) for pair in request.apart}
    shared = {
        frozenset(pair)
        for planned in plan.rounds
        for table in planned.tables
        for pair in combinations(table, 2)
    }
    if broken := sorted(sorted(pair) for pair in apart & shared):
        raise Refused(Problem("constraints_not_met", (), {"pairs": broken, "round": 0}))


def problems_of_units(
    units: Sequence[PlayingUnit], alone: Sequence[PersonHere], movement: str, variation: str
) -> Iterator[Problem]:
    for unit in units:
        if problem := _problem_of_size(unit, movement, variation):
            yield problem
    if alone:
        names = listed_names([person.name for person in alone])
        code = "players_without_team" if movement == TEAMS else "players_without_partner"
        yield Problem(code, ("movement",), {"names": names})
    if len(units) < LEAST_UNITS:
        facts = {"found": len(units), "least": LEAST_UNITS}
        yield Problem("too_few_pairs_or_teams", ("movement",), facts)


def _whist_problems(
    units: Sequence[PlayingUnit], people: Sequence[PersonHere]
) -> Iterator[Problem]:
    if names := [unit.name for unit in units if unit.entrant is not None]:
        yield Problem("whist_of_pairs", ("movement",), {"names": listed_names(names)})
    if len(people) < AT_A_TABLE:
        yield Problem(
            "too_few_to_seat", (), {"found": len(people), "least": AT_A_TABLE, "round": 1}
        )


def _problem_of_size(unit: PlayingUnit, movement: str, variation: str) -> Problem | None:
    needed = AT_A_TABLE if variation == "two_tables" else 2
    facts = {
        "name": unit.name,
        "missing": listed_names(unit.missing) or "–",
        "found": len(unit.here),
        "expected": needed,
    }
    if movement == PAIRS and len(unit.here) != 2:
        code = "pair_incomplete" if len(unit.here) < 2 else "team_is_no_pair"
        return Problem(code, ("movement",), facts)
    if movement == TEAMS and not needed <= len(unit.here) <= AT_A_TABLE:
        few = "team_incomplete" if unit.missing else "team_too_small"
        code = few if len(unit.here) < needed else "team_too_large"
        return Problem(code, ("movement",), facts | {"most": AT_A_TABLE})
    return None


def _presence_of_units(
    presence: Sequence[Sequence[Any]], units: Sequence[Sequence[int]]
) -> list[list[int | None]]:
    """Return the rounds of part-time units: partners play while all of them are present."""
    rows: dict[int, list[int | None]] = {row[0]: list(row) for row in presence}
    for unit in units:
        of_unit = [row for row in presence if row[0] in unit]
        if of_unit:
            first = max(first for _player, first, _last in of_unit)
            last = min((last for *_row, last in of_unit if last is not None), default=None)
            rows |= {player: [player, first, last] for player in unit}
    return [rows[player] for player in sorted(rows)]


def _get_finishes(
    event: Event, last: Round | None = None, draft: Publication | None = None
) -> Mapping[int, PublishedScore]:
    """Return where each player finished at the tables of a round; six queries.

    Players who share a place at a table are ordered by a play-off of that tie. Without one, the
    standings order them, as far as they differ.

    Args:
        last: the round; without one, the newest of the event.
    """
    if last is None:
        rounds = ordinary_rounds(event)
        last = rounds.exclude(state=RoundState.DRAFT).order_by("-number").first()
    if last is None:
        return {}
    tables = places_at_tables(event, [last]).get(last.number, {})
    at_table = {
        code: (table, place) for table, places in tables.items() for code, place in places.items()
    }
    seated = Sitting.objects.filter(round=last, to_hand__isnull=True).values("player")
    members = EntrantMember.objects.filter(
        event=event, entrant__code__in=at_table, player__in=seated
    )
    standing = {} if plays_tables(event) else standing_of(event, draft)
    unranked = max(standing.values(), default=0) + 1
    finishes = {
        player: (*at_table[entrant], standing.get(player, unranked))
        for player, entrant in members.values_list("player_id", "entrant__code")
    }
    return {
        player: PublishedScore(
            # how many of the table have a better place, or the same one and a better rank
            -sum(other[0] == finish[0] and other[1:] < finish[1:] for other in finishes.values()),
            str(finish[1]),
        )
        for player, finish in finishes.items()
    }


def sizes_to_plan(
    event: Event, stage: CurrentStage | None, boards: BoardsToPlan | None
) -> tuple[int, ...]:
    """Return four where boards are played, else the stage's table sizes that the rules allow.

    Empty for what the club prefers. One query at most.
    """
    if boards is not None:
        return (LINES,)
    if stage is None or not stage.sizes:
        return ()
    rules = rules_of_event(event)
    return tuple(size for size in stage.sizes if size in sizes_of_rules(rules))


def conditions_now(event: Event, stage: Stage | None) -> JsonDict:
    """Return the inputs of a plan that neither its people nor results decide.

    `usual_sizes` are the table sizes where nobody names others, `asked` the open question about who
    qualified for the stage.
    """
    stage = stage or stage_to_plan(event)
    rules = rules_of_event(event)
    sizes = sizes_of_rules(rules)
    of_stage = [size for size in sizes if stage and size in (stage.table_sizes or ())]
    return {
        "usual_sizes": of_stage or list(preferred_sizes(event.club.seating, sizes)),
        "asked": (stage.asked or {}).get("facts") if stage else None,
    }


def swiss_inputs(event: Event, inputs: JsonDict, stage: Stage | None) -> JsonDict:
    """Return the inputs of a Swiss round, with rows of players.

    `scores` are [player, value, text]: in one unit, more is better, and as it is shown. `floated`
    are the players who floated down in the Swiss round before. Both are empty in a first round of a
    stage that carries no points over, whose order is `standing`: the seeding of the stage.

    Args:
        inputs: those of any plan (`plan_inputs`).
        stage: where it is not the one that is played now; only its own rounds are to be closed.
    """
    _require_round_closed(event, stage)
    if is_behind(event):
        raise Refused(Problem("standings_not_published", ("movement",)))
    present = set(inputs["present"])
    results = swiss_results(event, inputs["present"], stage.number if stage is not None else None)
    floated = sorted(present & floated_down(event)) if results["scores"] else []
    return {**inputs, **results, "floated": floated}


def swiss_results(
    event: Event, present: Sequence[int], number: int | None, draft: Publication | None = None
) -> JsonDict:
    """Return the standing and the scores that order a Swiss round of the stage of a number."""
    scores = _rows_of_scores(scores_in_stage(event, number, draft))
    seeds = seeds_in_stage(event, number, draft)
    return {
        "standing": [[player, seeds[player]] for player in present if player in seeds],
        "scores": [row for row in scores if row[0] in present],
    }


def _require_round_closed(event: Event, stage: Stage | None) -> None:
    if (number := open_round(event, stage)) is not None:
        raise Refused(Problem("round_not_closed", ("movement",), {"round": number}))


def stage_of_plans(event: Event, number: int | None, *, always: bool) -> Stage | None:
    """Return the stage of a number, else the last that has begun; with `always` not None for it."""
    stage = stage_to_plan(event, number)
    if stage is None and number is not None:
        raise Refused(Problem("stage_not_playing", ("stage",), {"found": number}))
    return stage if always or (number and stage != stage_to_plan(event)) else None


def knockout_inputs(event: Event, inputs: JsonDict, stage: Stage | None) -> JsonDict:
    """Return the inputs of a knock-out round, with rows of players, from those of any plan.

    `after` is the number of the round whose best advance, None in the first round of the stage;
    `scores` are the finishes there as [player, value, text], `forfeits` who gave up a table.
    """
    if stage is not None and stage.kind != StageKind.KNOCKOUT:
        stage = None
    _require_round_closed(event, stage)
    if len(inputs["present"]) > MOST_ENTRANTS:
        facts = {"found": len(inputs["present"]), "most": MOST_ENTRANTS}
        raise Refused(Problem("too_many_to_seat", (), facts))
    if stage is None:
        scores = _get_finishes(event) if seated_knockout(event) else {}
        return inputs | {"scores": _rows_of_scores(scores), "floated": []}
    rule = goes_on_from(stage)
    return {
        **inputs,
        **_inputs_of_last_round(event, posted_rounds(stage).last()),
        "floated": [],
        "stage": stage.number,
        "advance": rule.each_table,
        "wild_cards": rule.wild_cards,
        "standing": list_seeds(event, stage, inputs["present"]),
    }


def _inputs_of_last_round(event: Event, last: Round | None) -> JsonDict:
    if last is None:
        return {"scores": [], "after": None, "forfeits": []}
    if is_behind(event):
        raise Refused(Problem("standings_not_published", ("movement",)))
    require_ties_decided(event, last)
    results = knockout_results(event, last)
    if not results["scores"] and not results["forfeits"]:
        raise Refused(Problem("knockout_without_results", ("movement",), {"round": last.number}))
    return results | {"after": last.number}


def knockout_results(event: Event, last: Round, draft: Publication | None = None) -> JsonDict:
    """Return what decides who goes on from a round of a knock-out."""
    return {
        "scores": _rows_of_scores(_get_finishes(event, last, draft)),
        "forfeits": sorted(forfeits_in(last)),
        "wild_ranks": _list_wild_ranks(event, last),
    }


def _list_wild_ranks(event: Event, last: Round) -> list[list[int]]:
    if not plays_tables(event):
        return []
    places = ranks(wild_cards_of(event, last, goes_on_after(event, last))[1])
    members = EntrantMember.objects.filter(event=event, entrant__code__in=places)
    rows = members.values_list("player_id", "entrant__code")
    return sorted([player, places[code]] for player, code in rows)


def list_seeds(
    event: Event, stage: Stage, present: Sequence[int], draft: Publication | None = None
) -> list[list[int]]:
    places = {code: at for at, code in enumerate(seeds_of(event, stage, stage.seeding, draft), 1)}
    members = EntrantMember.objects.filter(event=event, player__in=present)
    rows = members.values_list("player_id", "entrant__code")
    return sorted([player, places[code]] for player, code in rows if code in places)


def _rows_of_scores(scores: Mapping[int, PublishedScore]) -> list[list[int | str]]:
    return [[player, score.value, score.text] for player, score in sorted(scores.items())]


def require_enough(stage: Stage, people: int, sizes: Sequence[int]) -> None:
    if sizes and people < min(sizes):
        facts = {"found": people, "least": min(sizes), "stage": stage.title}
        raise Refused(Problem("knockout_too_few", (), facts))


def moving_inputs(
    inputs: JsonDict, boards: BoardsToPlan | None, history: Mapping[int, PlannedRound]
) -> JsonDict:
    """Return the inputs of a plan with moving boards, with rows of players, from those of any plan.

    `movement_round` is the round of the movement that is the plan's first, `event_round` its number
    in the event; `line_up` are the players by their places, empty before the first round. A
    substitute has the place of the player who left.
    """
    if boards is None or not boards.tables:
        facts = {"round": boards.round} if boards is not None else {}
        raise Refused(Problem("no_boards_move", ("movement",), {"round": 1, **facts}))
    present = inputs["present"]
    if len(present) != boards.players:
        head_count = {"found": len(present), "expected": str(boards.players)}
        raise Refused(Problem("moving_head_count", (), head_count))
    line_up: Sequence[int] | None = ()
    before = [number for number in history if boards.first_round <= number < boards.round]
    if before:
        last = max(before)
        line_up = line_up_of(history[last].tables, last - boards.first_round + 1)
    if line_up is None:
        raise Refused(Problem("moving_seats_differ", ("movement",), {"round": boards.round - 1}))
    newcomers = iter(sorted(set(present) - set(line_up)))
    return inputs | {
        "movement_round": boards.movement_round,
        "event_round": boards.round,
        "line_up": [player if player in present else next(newcomers) for player in line_up],
        "moves": 0,
    }
