"""Whether everybody who is at an evening has a place in a round, and nobody who left has one."""

from collections.abc import Iterable

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.attendance import AttendanceState
from tournaments.models.clubs import Player
from tournaments.models.meetings import Round
from tournaments.selectors.rounds.expected_players import expected_in_round
from tournaments.selectors.rounds.round_seating import (
    evening_number,
    gone_in,
    present_in,
    round_seating,
)

GONE = (AttendanceState.LEFT, AttendanceState.ABSENT)


def require_everybody_placed(round_: Round) -> None:
    """Let a round be posted when every present player is seated once or sits out.

    Without attendance of its evening nothing is asked.

    Raises:
        Conflict: present_without_seat, seated_player_left.
    """
    if round_.meeting is None:
        return
    number = evening_number(round_)
    present = present_in(round_.meeting, number)
    away = {player for player, row in gone_in(round_.meeting, number).items() if row.state in GONE}
    if not present and not away:
        return
    seating = round_seating(round_)
    placed = {*seating.seated, *seating.sit_outs}
    missing = [player for player in present if player not in placed]
    if missing:
        expected = expected_in_round(missing, round_)
        missing = [player for player in missing if player in expected]
    if missing:
        raise Conflict(_named("present_without_seat", round_, missing))
    if left := sorted(seating.seated & away):
        raise Conflict(_named("seated_player_left", round_, left))


def _named(code: str, round_: Round, players: Iterable[int]) -> Problem:
    people = list(Player.objects.filter(pk__in=players).order_by("player_id"))
    facts: dict[str, int | str] = {
        "round": round_.number,
        "players": ", ".join(f"{one.name} ({one.player_id})" for one in people),
    }
    return Problem(code, ("state",), facts)
