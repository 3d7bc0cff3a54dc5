"""Who may do what with a challenge: each of the two their part, hosts all.

`challenge_preconditions.py` checks the deadline and the state of the challenge.
"""

from collections.abc import Mapping
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.errors import Forbidden, Missing
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.policy import LINK, Actor
from tournaments.services.ladders.transaction import (
    LadderActor,
    require_role_for,
)
from tournaments.services.permissions import require_role
from tournaments.states import CHALLENGE

CHALLENGER: Final = frozenset({"challenger"})
CHALLENGED: Final = frozenset({"challenged"})
BOTH: Final = CHALLENGER | CHALLENGED

PART: Final[Mapping[tuple[str, str], frozenset[str]]] = {
    ("issued", "accepted"): CHALLENGED,
    ("issued", "declined"): CHALLENGED,
    ("issued", "withdrawn"): CHALLENGER,
    ("accepted", "forfeited_c"): CHALLENGER,
    ("accepted", "forfeited_d"): CHALLENGED,
    ("accepted", "cancelled"): BOTH,
    ("accepted", "played"): BOTH,
    ("played", "confirmed"): BOTH,
    ("played", "accepted"): BOTH,
}
"""Move → which of the two makes it; any other is a director's. Of a result to be confirmed
`confirmation_problems` knows who lost."""


def challenge_row(event: Event, number: int) -> Challenge:
    """Return a challenge with its two entrants and its game, as it stands now.

    Raises:
        Missing: challenge.
    """
    rows = Challenge.objects.filter(event=event, number=number)
    row = rows.select_related("challenger", "challenged", "game__table").first()
    if row is None:
        raise Missing("challenge", {"challenge": number})
    return row


def require_allowed_to_move(actor: Actor, row: Challenge, to: str) -> LadderActor:
    """Return who acts, where the table of states lets their role make this move at all.

    Raises:
        Forbidden: the move's act.
    """
    move = CHALLENGE.get((row.state, to))
    act = move.act if move is not None else "challenge"
    who = require_role_for(actor, row.event, act, table_id=row.game.table_id if row.game else None)
    if who.role == LINK and to != "confirmed":
        raise Forbidden(act)
    return who


def require_part(actor: Actor, who: LadderActor, row: Challenge, to: str) -> None:
    """Let who acts make this move: a host any, the holder of a link and the two their own.

    Raises:
        Forbidden: the move's act.
        Refused: challenge_stranger, challenge_not_yours.
    """
    require_role(actor, who.role, CHALLENGE[row.state, to].act)
    if who.is_host or who.role == LINK:
        return
    side = side_of(who, row)
    if side not in PART.get((row.state, to), BOTH):
        other = row.challenged if side == "challenger" else row.challenger
        own = who.own.code if who.own else ""
        raise Refused(Problem("challenge_not_yours", facts={"member": own, "other": other.code}))


def side_of(who: LadderActor, row: Challenge) -> str:
    """Return which of the two acts, `challenger` or `challenged`.

    Raises:
        Refused: challenge_stranger.
    """
    if who.own is not None and who.own.pk == row.challenger_id:
        return "challenger"
    if who.own is not None and who.own.pk == row.challenged_id:
        return "challenged"
    raise Refused(Problem("challenge_stranger", facts={"member": who.own.code if who.own else "?"}))
