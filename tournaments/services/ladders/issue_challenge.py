"""Sending a challenge: a member for themselves, a host or a director for anybody."""

from datetime import datetime

from django.db.models import Max, Q

from scoring.errors import Problem, Refused
from scoring.ladders.challenges import challenge_problems
from tournaments.domain.reasons import LONGEST_REASON
from tournaments.errors import Forbidden
from tournaments.models.events import Entrant, Event
from tournaments.models.ladders import Challenge
from tournaments.policy import Actor
from tournaments.services.db.transactions import atomic_act
from tournaments.services.events.schedule_ladder_deadlines import scoring_challenge
from tournaments.services.ladders.challenge_transitions import schedule_challenge_deadline
from tournaments.services.ladders.deadlines import apply_due_deadlines
from tournaments.services.ladders.notify_challenges import notify_of_challenge
from tournaments.services.ladders.transaction import (
    LadderActor,
    LadderTransaction,
    begin_transaction,
    entrant_of,
    member_of,
    require_role_for,
)


@atomic_act
def issue_challenge(
    *,
    actor: Actor,
    event: Event,
    challenged: str,
    now: datetime,
    challenger: str = "",
    words: str = "",
) -> Challenge:
    """Challenge somebody further up.

    Args:
        challenged: code of the entrant, or the id of its player; so is `challenger`, which is the
            actor's own where it is empty.

    Raises:
        Forbidden: challenge; also for somebody else, by who is neither host nor director.
        Missing: entrant, ladder.
        Conflict: event_not_open.
        Refused: challenger_needed, challenged_needed, bad_text, and everything that is against it:
            challenge_self alone, or not_on_ladder, challenge_inactive, challenge_absent,
            challenge_downwards, challenge_beyond_reach, challenge_out_open, challenge_in_open,
            challenge_rematch.
    """
    who = require_role_for(actor, event, "challenge")
    work = begin_transaction(actor=actor, event=event, by=who.role, now=now)
    low = _challenger(who, work.event, challenger)
    if not challenged:
        raise Refused(Problem("challenged_needed", ("challenged",)))
    high = entrant_of(work.event, challenged, "challenged")
    if len(words.strip()) > LONGEST_REASON or "\x00" in words:
        raise Refused(Problem("bad_text", ("words",), {"field": "words", "most": LONGEST_REASON}))
    apply_due_deadlines(work)
    if problems := _problems(work, low, high):
        raise Refused(*problems)
    last = Challenge.objects.filter(event=work.event).aggregate(last=Max("number"))["last"]
    row = Challenge.objects.create(
        club_id=work.event.club_id,
        event=work.event,
        number=(last or 0) + 1,
        challenger=low,
        challenged=high,
        issued_at=now,
        words=words.strip(),
    )
    schedule_challenge_deadline(work, row)
    notify_of_challenge(work, row)
    work.audit(
        "issue_challenge", f"challenge:{row.number}", challenger=low.code, challenged=high.code
    )
    work.finish()
    return row


def _challenger(who: LadderActor, event: Event, typed: str) -> Entrant:
    """Return for whom a challenge is sent."""
    if not typed:
        if who.own is None:
            raise Refused(Problem("challenger_needed", ("challenger",)))
        return who.own
    low = entrant_of(event, typed, "challenger")
    if not who.is_host and low != who.own:
        raise Forbidden("challenge")
    return low


def _problems(work: LadderTransaction, low: Entrant, high: Entrant) -> tuple[Problem, ...]:
    either = Q(challenger__in=(low, high)) | Q(challenged__in=(low, high))
    rows = Challenge.objects.filter(either, event=work.event)
    before = rows.select_related("challenger", "challenged").order_by("number")
    found = challenge_problems(
        member_of(low),
        member_of(high),
        ladder=work.ladder(),
        before=[scoring_challenge(row) for row in before],
        now=work.now,
        zone=work.zone,
        rules=work.rules,
    )
    return tuple(
        Problem(one.code, ("challenged",), one.facts) if not one.at else one for one in found
    )
