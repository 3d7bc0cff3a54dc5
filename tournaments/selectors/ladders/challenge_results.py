"""Results of challenges: the points at the table, the places at stake, reported problems."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Case, When

from scoring.json_types import JsonDict
from scoring.ladders.positions import Ladder, after_win
from scoring.ladders.rules import LadderRules
from tournaments.models.columns import as_json
from tournaments.models.hands import Dispute, DisputeState
from tournaments.models.ladders import Challenge, ChallengeState
from tournaments.models.standings import Contribution
from tournaments.selectors.hands.disputes import NOT_MENDED


@dataclass(frozen=True, slots=True)
class ResultProblems:
    """The problems that were reported at the table of a result.

    `open_number` is the number of the first that a director has still to rule on, or to mend: one
    that was upheld waits for the correction of its hand. None without one; `ruled_at` is when the
    last of the others was ruled on or withdrawn.
    """

    open_number: int | None = None
    ruled_at: datetime | None = None


NO_PROBLEMS: Final = ResultProblems()


def problems_of_results(rows: Iterable[Challenge]) -> Mapping[int, ResultProblems]:
    """Return the problems at the tables of results to confirm, by the game's row; one query."""
    games = {row.game_id for row in rows if row.state == ChallengeState.PLAYED and row.game_id}
    if not games:
        return {}
    disputes = Dispute.objects.filter(hand__game__in=games).annotate(
        is_to_mend=Case(When(NOT_MENDED, then=True), default=False)
    )
    problems: dict[int, ResultProblems] = {}
    for game, number, state, ruled_at, is_to_mend in disputes.order_by("number").values_list(
        "hand__game_id", "number", "state", "ruled_at", "is_to_mend"
    ):
        before = problems.get(game, NO_PROBLEMS)
        if state == DisputeState.OPEN or is_to_mend:
            first = number if before.open_number is None else before.open_number
            problems[game] = ResultProblems(first, before.ruled_at)
        else:
            moments = [moment for moment in (before.ruled_at, ruled_at) if moment is not None]
            problems[game] = ResultProblems(before.open_number, max(moments, default=None))
    return problems


def places_after_win(
    ladder: Ladder, challenger: str, challenged: str, rules: LadderRules
) -> Mapping[str, int]:
    """Return the places of two members of the list if the challenger wins."""
    after = Ladder(after_win(ladder.order, challenger, challenged, rules.rule))
    return {code: after.place(code) or 0 for code in (challenger, challenged)}


def stake_of(ladder: Ladder, sides: Sequence[JsonDict], rules: LadderRules) -> tuple[JsonDict, ...]:
    """Return the places of the two now, and if the challenger wins; None off the list."""
    low, high = (str(side["player_id"]) for side in sides)
    after: Mapping[str, int] = {}
    if {low, high} <= set(ladder.order):
        after = places_after_win(ladder, low, high, rules)
    return tuple(
        {**side, "place_after_win": after.get(str(side["player_id"]), side["place"])}
        for side in sides
    )


def result_of(
    row: Challenge, at_table: Sequence[Contribution], names: Mapping[int, str]
) -> JsonDict | None:
    """Return the table, its day and the points of everybody at it, the best first; None without a
    game that counts."""
    if row.game is None or not at_table:
        return None
    table = row.game.table
    has_points = row.game.snapshot.has_points
    meeting = table.round.meeting
    return {
        "table": table.code,
        "round": table.round.number,
        "table_number": table.number,
        "played_on": meeting.date if meeting is not None else None,
        "entered_as": row.result_as,
        "players": tuple(
            {
                "player_id": each.entrant.code,
                "player": names.get(each.entrant_id, each.entrant.code),
                "points": as_json(each.points) if has_points else None,
                "place": each.place,
            }
            for each in at_table
        ),
    }


def contributions_of(rows: Sequence[Challenge]) -> Mapping[int, Sequence[Contribution]]:
    """Return what counts at the tables of challenges by the game's row, the best first."""
    games = [row.game_id for row in rows if row.game_id]
    at_tables: dict[int, list[Contribution]] = defaultdict(list)
    if games:
        counted = Contribution.objects.filter(game__in=games, games__gt=0)
        for row in counted.select_related("entrant").order_by("place", "pk"):
            at_tables[row.game_id].append(row)
    return at_tables
