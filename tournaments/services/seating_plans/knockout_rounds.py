"""Knock-out rounds of a stage: what they need besides the people who are here.

The stage says its table sizes, who goes on from each round, and what seeds its entrants; rounds of
other stages do not matter. See docs/algorithms/stages.md.
"""

from collections.abc import Mapping, Sequence

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from scoring.playoffs.fold import ranks
from scoring.seating.movements.knockout import MOST_ENTRANTS
from tournaments.domain.knockout_advance import goes_on_from
from tournaments.models.events import EntrantMember, Event, Stage, StageKind
from tournaments.models.meetings import Round
from tournaments.selectors.events.cuts import posted_rounds, stage_title
from tournaments.selectors.seating_plans.knockout_stage import (
    forfeits_in,
    stage_to_plan,
)
from tournaments.selectors.seating_plans.scores_so_far import (
    PublishedScore,
    is_behind,
    open_round,
    seated_knockout,
)
from tournaments.services.events.table_ties import (
    goes_on_after,
    plays_tables,
    require_ties_decided,
    wild_cards_of,
)
from tournaments.services.seating_plans.finishes import finishes_of_round
from tournaments.services.seating_plans.knockout_seeds import seeds_of


def stage_of_plans(event: Event, number: int | None, *, always: bool) -> Stage | None:
    """Return the stage that plans are made for; None for the one that is played now.

    Args:
        number: of the stage, where one was named.
        always: return the stage that is played now as well; None where the event has none yet.

    Raises:
        Refused: stage_not_playing, of a number that is not of a stage that has begun.
    """
    stage = stage_to_plan(event, number)
    if stage is None and number is not None:
        raise Refused(Problem("stage_not_playing", ("stage",), {"found": number}))
    is_named = number is not None and stage != stage_to_plan(event)
    return stage if always or is_named else None


def knockout_inputs(event: Event, inputs: JsonDict, stage: Stage | None) -> JsonDict:
    """Return what a knock-out round depends on, with rows of players.

    `after` is the number of the round whose best go on, None in the first round of the stage;
    `scores` are the finishes there as [player, value, text], `forfeits` who gave up a table.

    Args:
        inputs: those of any plan (`plan_inputs`).

    Raises:
        Refused: round_not_closed, standings_not_published, knockout_without_results,
            too_many_to_seat, and those of `require_ties_decided`.
    """
    if stage is None or stage.kind != StageKind.KNOCKOUT:
        stage = None
    if (number := open_round(event, stage)) is not None:
        raise Refused(Problem("round_not_closed", ("movement",), {"round": number}))
    if len(inputs["present"]) > MOST_ENTRANTS:
        facts: dict[str, int | str] = {"found": len(inputs["present"]), "most": MOST_ENTRANTS}
        raise Refused(Problem("too_many_to_seat", (), facts))
    if stage is None:
        scores = finishes_of_round(event) if seated_knockout(event) else {}
        return inputs | {"scores": rows_of_scores(scores), "floated": []}
    found = inputs | _after(event, posted_rounds(stage).last())
    rule = goes_on_from(stage)
    return found | {
        "floated": [],
        "stage": stage.number,
        "advance": rule.each_table,
        "wild_cards": rule.wild_cards,
        "standing": _seeded(event, stage, inputs["present"]),
    }


def _after(event: Event, last: Round | None) -> JsonDict:
    """Return what the round before has for the next one; nothing in the first round of a stage."""
    if last is None:
        return {"scores": [], "after": None, "forfeits": []}
    if is_behind(event):
        raise Refused(Problem("standings_not_published", ("movement",)))
    require_ties_decided(event, last)
    scores, forfeits = finishes_of_round(event, last), forfeits_in(last)
    if not scores and not forfeits:
        raise Refused(Problem("knockout_without_results", ("movement",), {"round": last.number}))
    found = {"scores": rows_of_scores(scores), "after": last.number, "forfeits": sorted(forfeits)}
    return found | {"wild_ranks": _wild_ranks(event, last)}


def _wild_ranks(event: Event, last: Round) -> list[list[int]]:
    """Return [player, rank] of those who may have a wild card, where ties for it are played off."""
    if not plays_tables(event):
        return []
    places = ranks(wild_cards_of(event, last, goes_on_after(event, last))[1])
    members = EntrantMember.objects.filter(event=event, entrant__code__in=places)
    rows = members.values_list("player_id", "entrant__code")
    return sorted([player, places[code]] for player, code in rows)


def _seeded(event: Event, stage: Stage, present: Sequence[int]) -> list[list[int]]:
    """Return [player, seed] of those who are here, as the bracket of the stage shows them."""
    places = {code: at for at, code in enumerate(seeds_of(event, stage, stage.seeding), 1)}
    members = EntrantMember.objects.filter(event=event, player__in=present)
    rows = members.values_list("player_id", "entrant__code")
    return sorted([player, places[code]] for player, code in rows if code in places)


def rows_of_scores(scores: Mapping[int, PublishedScore]) -> list[list[int | str]]:
    """Return scores as the inputs of a plan hold them."""
    return [[player, one.value, one.text] for player, one in sorted(scores.items())]


def require_enough(stage: Stage | None, people: int, sizes: Sequence[int]) -> None:
    """Refuse a knock-out with fewer people than its smallest table has seats.

    Raises:
        Refused: knockout_too_few.
    """
    if stage is not None and sizes and people < min(sizes):
        facts = {"found": people, "least": min(sizes), "stage": stage_title(stage)}
        raise Refused(Problem("knockout_too_few", (), facts))
