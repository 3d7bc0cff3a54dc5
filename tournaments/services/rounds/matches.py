"""Making the matches of a round of teams, as its plan has them."""

from collections.abc import Mapping
from typing import Any

from tournaments.models.matches import Match, MatchTable
from tournaments.models.meetings import Round, Table
from tournaments.models.seating_plans import SeatingPlan


def make_matches(round_: Round, plan: SeatingPlan, number: int) -> None:
    """Store who plays whom in a round that was seated from round `number` of a plan.

    Matches that the round had before are replaced. In the caller's transaction, which holds the
    round.
    """
    Match.objects.filter(round=round_).delete()
    planned: Mapping[str, Any] = plan.rounds[number - 1]
    matches = planned.get("matches", ())
    entrants = plan.inputs.get("entrants", ())
    if not matches:
        return
    made = Match.objects.bulk_create(
        Match(
            club_id=round_.club_id,
            event_id=round_.event_id,
            round=round_,
            number=at,
            first_id=entrants[one["units"][0]],
            second_id=entrants[one["units"][1]],
            forfeited_by_id=_forfeited_by(plan, planned, one),
        )
        for at, one in enumerate(matches, 1)
    )
    tables = dict(Table.objects.filter(round=round_).values_list("number", "pk"))
    MatchTable.objects.bulk_create(
        MatchTable(club_id=round_.club_id, match=match, table_id=tables[table])
        for match, one in zip(made, matches, strict=True)
        for table in one["tables"]
        if table in tables
    )


def _forfeited_by(
    plan: SeatingPlan, planned: Mapping[str, Any], match: Mapping[str, Any]
) -> int | None:
    """Return the team that has fewer people in the round; None where a match has its tables."""
    if match["tables"]:
        return None
    there = {player for table in planned["tables"] for player in table} | set(
        planned["sitting_out"]
    )
    first, second = (
        sum(player in there for player in plan.inputs["units"][unit]) for unit in match["units"]
    )
    if first == second:
        return None
    short = match["units"][0] if first < second else match["units"][1]
    entrant: int = plan.inputs["entrants"][short]
    return entrant
