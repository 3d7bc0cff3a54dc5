"""Who may do what with a challenge, and until when: each of the two their part, hosts all.

From its deadline on a challenge is the clock's: what a person does then is refused, whether the
job of the clock has run or not.
"""

from collections.abc import Mapping
from typing import Final

from scoring.errors import Problem, Refused
from scoring.ladders.outcomes import answer_problems, step_problems
from tournaments.errors import Forbidden, Missing
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.policy import LINK, Actor
from tournaments.services.access.permissions import require_role
from tournaments.services.events.ladder_deadlines import as_asked
from tournaments.services.ladders.transaction import LadderActor, LadderTransaction, who_acts
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


def who_moves(actor: Actor, row: Challenge, to: str) -> LadderActor:
    """Return who acts, where the table of states lets their role make this move at all.

    Raises:
        Forbidden: the move's act.
    """
    move = CHALLENGE.get((row.state, to))
    act = move.act if move is not None else "challenge"
    who = who_acts(actor, row.event, act, table_id=row.game.table_id if row.game else None)
    if who.role == LINK and to != "confirmed":
        raise Forbidden(act)
    return who


def require_in_time(work: LadderTransaction, row: Challenge, to: str) -> None:
    """Let an answer or a result come before its deadline only.

    Raises:
        Refused: challenge_too_late.
    """
    for problem in answer_problems(as_asked(row), to, work.now, work.zone, work.rules):
        if problem.code == "challenge_too_late":
            raise Refused(problem)
    if row.state == "expired" and to in ("accepted", "declined") and row.closed_at is not None:
        raise Refused(Problem("challenge_too_late", facts={"over": row.closed_at.isoformat()}))


def require_step(row: Challenge, to: str) -> None:
    """Let a challenge go where its state leads.

    Raises:
        Refused: challenge_state.
    """
    if problems := step_problems(as_asked(row), to):
        raise Refused(*problems)


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
