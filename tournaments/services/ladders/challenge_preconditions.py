"""What a challenge allows now: an answer before its deadline, a step that its state leads to.

From its deadline on, only the scheduled job moves a challenge: what a person does then is refused,
whether the job has run or not. `challenge_permissions.py` checks who may act.
"""

from scoring.errors import Problem, Refused
from scoring.ladders.challenges import answer_problems, step_problems
from tournaments.models.ladders import Challenge
from tournaments.services.events.schedule_ladder_deadlines import scoring_challenge
from tournaments.services.ladders.transaction import LadderTransaction


def require_in_time(work: LadderTransaction, row: Challenge, to: str) -> None:
    """Let an answer or a result come before its deadline only.

    Raises:
        Refused: challenge_too_late.
    """
    for problem in answer_problems(scoring_challenge(row), to, work.now, work.zone, work.rules):
        if problem.code == "challenge_too_late":
            raise Refused(problem)
    if row.state == "expired" and to in ("accepted", "declined") and row.closed_at is not None:
        raise Refused(Problem("challenge_too_late", facts={"over": row.closed_at.isoformat()}))


def require_step(row: Challenge, to: str) -> None:
    """Let a challenge go where its state leads.

    Raises:
        Refused: challenge_state.
    """
    if problems := step_problems(scoring_challenge(row), to):
        raise Refused(*problems)
