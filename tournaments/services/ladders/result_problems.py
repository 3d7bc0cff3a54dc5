"""Report the result of a challenge as wrong, and tell who has to know of a doubtful result."""

from typing import Final

from scoring.ladders.challenges import step_problems
from tournaments.domain.reasons import BAD_REASON
from tournaments.errors import Forbidden, first_or_missing, refuse_any
from tournaments.models.hands import Hand, HandState
from tournaments.models.ladders import Challenge
from tournaments.policy import LINK
from tournaments.selectors.ladders.challenges import scoring_challenge
from tournaments.services.hands.disputes import add_dispute, audit_dispute
from tournaments.services.ladders.challenge_transitions import notify_of_result
from tournaments.services.ladders.challenges import NOT_MOVED, challenge_row, side_of
from tournaments.services.ladders.run_deadlines import apply_due_deadlines
from tournaments.services.ladders.transaction import begin_transaction, require_role_for
from tournaments.services.operations import Operation, operation

CAN_BE_WRONG: Final = "confirmed"
"""A result is reported as wrong as long as it could be confirmed."""


@operation(
    "confirm_result",
    refuses=(*NOT_MOVED, "unknown_hand", "dispute_exists", "too_many_disputes", *BAD_REASON),
    right_in_body=True,
)
def dispute_result(op: Operation, challenge: Challenge, /, *, words: str) -> Challenge:
    """Report that the result of a challenge is wrong; either of its two players may.

    A director rules on the dispute, which is one of the hands of its table. The other player and
    the directors get a message. Until the ruling the result does not count without an answer.
    """
    who = require_role_for(op, challenge.event, "confirm_result")
    if who.role == LINK:
        raise Forbidden("confirm_result")
    work = begin_transaction(op, challenge.event, by=who.role)
    apply_due_deadlines(work)
    row = challenge_row(work.event, challenge.number)
    side_of(who, row)
    refuse_any(step_problems(scoring_challenge(row), CAN_BE_WRONG))
    hands = Hand.objects.filter(game=row.game).exclude(state=HandState.VOID)
    hands = hands.select_related("game__table").order_by("-number")
    hand = first_or_missing(hands, "hand", hand=0, table=row.game.table.code if row.game else "")
    dispute = add_dispute(op, work.event, hand, words=words, role=who.role)
    audit_dispute(op, work.event, dispute)
    by = who.own.code if who.own is not None else ""
    key = f"dispute:{dispute.number}"
    notify_of_result(work, row, "disputed", by=by, key=key, dispute=dispute.pk)
    work.finish()
    return row
