"""Tells the two of a challenge what became of it: sent, answered, played, about to end."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from scoring.ladders.challenges import due_at, winner
from tournaments.domain.event_settings import ladder_rules_of
from tournaments.models.events import Event
from tournaments.models.ladders import Challenge
from tournaments.models.outbox import Deadline
from tournaments.selectors.events.accounts import accounts_of_entrants
from tournaments.services.events.schedule_ladder_deadlines import (
    REMINDED_BEFORE,
    scoring_challenge,
)
from tournaments.services.jobs.enqueue import DeadlineOutcome
from tournaments.services.ladders.challenge_games import places_at
from tournaments.services.ladders.transaction import LadderTransaction
from tournaments.services.notices.notify import notify

TOLD: Final = frozenset(
    {"declined", "expired", "withdrawn", "forfeited_c", "forfeited_d", "cancelled"}
)
"""Ends of a challenge that the two are told of; so they are when it is accepted."""


def notify_of_challenge(work: LadderTransaction, row: Challenge) -> None:
    """Tell the challenged that there is a challenge."""
    work.report(row.number, row.state)
    _tell(work, row, {row.challenged_id}, "challenge_received", str(row.pk))


def notify_of_move(work: LadderTransaction, row: Challenge, was: str) -> None:
    """Tell the two, but not who did it, what a challenge came to."""
    work.report(row.number, row.state)
    both = {row.challenger_id, row.challenged_id}
    if row.state in TOLD or (was, row.state) == ("issued", "accepted"):
        key = f"{row.pk}:{row.state}"
        _tell(work, row, both, "challenge_answered", key, to=row.state)
    if row.state == "played" and row.played_at is not None:
        key = f"{row.pk}:{row.played_at:%Y%m%d%H%M%S}"
        _tell(work, row, _loser(row), "result_to_confirm", key)


def run_challenge_reminder(event: Event, deadline: Deadline, now: datetime) -> DeadlineOutcome:
    """Tell whom a challenge waits for that its deadline is near, once for each deadline."""
    rows = Challenge.objects.select_related("challenger", "challenged")
    row = rows.filter(event=event, number=int(deadline.key)).first()
    if row is None or event.state != "open" or row.state not in ("issued", "accepted"):
        return DeadlineOutcome(None)
    due = due_at(scoring_challenge(row), ZoneInfo(event.club.time_zone), ladder_rules_of(event))
    if due is None or due <= now:
        return DeadlineOutcome(None)
    if due - REMINDED_BEFORE > now:
        return DeadlineOutcome(due - REMINDED_BEFORE)
    asked = {row.challenged_id} | ({row.challenger_id} if row.state == "accepted" else set())
    notify(
        club=event.club,
        user_ids=accounts_of_entrants(asked),
        kind="challenge_deadline",
        key=f"{row.pk}:{row.state}:{due:%Y%m%d}",
        facts={"challenge": row.pk, "state": row.state},
        now=now,
    )
    return DeadlineOutcome(None, row.state)


def _loser(row: Challenge) -> set[int]:
    """Return the entrant who has to confirm a result; none where it cannot be told."""
    places = places_at(row.game) if row.game is not None else {}
    codes = {row.challenger.code: row.challenger_id, row.challenged.code: row.challenged_id}
    if not codes.keys() <= places.keys():
        return set()
    won = winner(row.challenger.code, row.challenged.code, places)
    return {entrant for code, entrant in codes.items() if code != won}


def _tell(
    work: LadderTransaction, row: Challenge, entrants: set[int], kind: str, key: str, **more: str
) -> None:
    notify(
        club=work.event.club,
        user_ids=accounts_of_entrants(entrants) - {work.actor.user_id},
        kind=kind,
        key=key,
        facts={"challenge": row.pk, **more},
        now=work.now,
    )
