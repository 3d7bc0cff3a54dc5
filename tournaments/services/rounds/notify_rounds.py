"""Tells people where they sit in a round that was posted, and their results after an evening."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max

from tournaments.domain.notices import Recipients
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.jobs import Deadline
from tournaments.models.rounds import Meeting, Round, RoundState, Sitting, Table
from tournaments.policy import Actor
from tournaments.selectors.events.entrants import recipients_by_table
from tournaments.selectors.jobs.queue import get_change_time, get_progress_of_all
from tournaments.services.jobs.enqueue import DeadlineOutcome, set_deadline
from tournaments.services.notices.notifications import (
    Message,
    notify,
    notify_each,
    without_actor,
)

DIGEST: Final = "digest"
"""Kind of the deadlines that send an evening's digest; `key` is the meeting's id."""
DIGEST_AFTER: Final = timedelta(hours=1)
"""Time after the last round, in which another round or a correction may follow."""
LULL: Final = timedelta(minutes=15)
"""Time without a change before a digest is sent, so that a corrected evening sends one."""
LONGEST_WAIT: Final = timedelta(hours=4)
"""Longest time from the last round to its digest, however often results change."""
OLD_AFTER: Final = timedelta(days=3)
"""Age of evenings that are not reported any more."""
LOOK_AGAIN: Final = timedelta(minutes=1)


def notify_of_round(actor: Actor, round_: Round, now: datetime) -> None:
    """Tell what follows from the state of a round that was just moved; the caller holds it."""
    meeting = round_.meeting
    if meeting is not None and meeting.date < (now - OLD_AFTER).date():
        return  # sheets of old evenings are brought in
    if round_.state == RoundState.POSTED:
        _notify_next_tables(actor, round_, round_.club, now)
    if meeting is not None:
        due = now + DIGEST_AFTER if round_.state == RoundState.CLOSED else None
        set_deadline(round_.event, DIGEST, due, key=str(meeting.pk))


def notify_of_tables(actor: Actor, meeting: Meeting, codes: Collection[str], now: datetime) -> None:
    """Tell people that they sit at one of these tables of a posted round, formed just now."""
    if meeting.date < (now - OLD_AFTER).date():
        return
    formed = Table.objects.filter(event=meeting.event_id, code__in=codes).select_related("round")
    by_round: dict[Round, set[int]] = {}
    for table in formed.order_by("pk"):
        by_round.setdefault(table.round, set()).add(table.pk)
    for round_, tables in by_round.items():
        _notify_next_tables(actor, round_, meeting.event.club, now, among=tables)
    set_deadline(meeting.event, DIGEST, None, key=str(meeting.pk))


def _notify_next_tables(
    actor: Actor, round_: Round, club: Club, now: datetime, among: Collection[int] | None = None
) -> None:
    messages = [
        (without_actor(to, actor), Message(f"{round_.pk}:{table}", {"table": table}))
        for table, to in recipients_by_table(round_).items()
        if among is None or table in among
    ]
    notify_each(club=club, kind="next_table", messages=messages, now=now)


def run_digest(event: Event, deadline: Deadline, now: datetime) -> DeadlineOutcome:
    """Notify the players of an evening of its results, once they are published and nothing changes.

    What changes later sends no second digest.
    """
    meeting = Meeting.objects.filter(event=event, pk=int(deadline.key)).first()
    rounds = Round.objects.filter(meeting=meeting) if meeting is not None else Round.objects.none()
    if meeting is None or rounds.exclude(state=RoundState.CLOSED).exists():
        return DeadlineOutcome(None)  # closing the last one sets it again
    if get_progress_of_all(event.pk).is_behind:
        return DeadlineOutcome(now + LOOK_AGAIN)
    changed_at, ended_at = get_change_time(event.pk), rounds.aggregate(at=Max("closed_at"))["at"]
    if changed_at is not None and ended_at is not None:
        again = min(changed_at + LULL, ended_at + LONGEST_WAIT)
        if again > now:
            return DeadlineOutcome(again)
    played = Sitting.objects.filter(round__in=rounds)
    notify(
        club=event.club,
        to=Recipients.of(played.values_list("player_id", "player__user_id")),
        kind="digest",
        key=str(meeting.pk),
        facts={"meeting": meeting.pk},
        now=now,
    )
    return DeadlineOutcome(None, "sent")
