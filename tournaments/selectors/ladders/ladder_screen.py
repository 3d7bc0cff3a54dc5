"""A ladder on a big screen: its list, which takes the place of the tables of an evening once its
last sheet is in."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.models.events import Event
from tournaments.models.ladders import Challenge, ChallengeState
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import is_of_night, meetings_of
from tournaments.selectors.ladders.announced_moves import moves_being_corrected
from tournaments.selectors.ladders.ladder_page import (
    LadderView,
    current_ladder_view,
    ladder_publications,
)
from tournaments.selectors.ladders.ladders import count_unconfirmed, unconfirmed_sentence
from tournaments.selectors.rounds.evening_end import find_last_posted_round, is_complete
from tournaments.selectors.standings.evening_results import get_next_result_time


@dataclass(frozen=True, slots=True)
class ScreenLadder:
    """The list of a ladder as last published, and tonight's evening whose sheets are all in.

    `waits` is the sentence about its results that are not confirmed yet, "" without any,
    `correction` that about moves that are being corrected.
    """

    view: LadderView
    meeting: Meeting | None
    waits: str
    correction: str = ""


def ladder_on_screen(event: Event, *, now: datetime) -> ScreenLadder | None:
    """Return the list of a ladder; None before its first publication, and for another event."""
    if not event.is_ladder:
        return None
    view = current_ladder_view(event)
    if view is None:
        return None
    meeting = _find_complete_evening(event, now)
    n_unconfirmed = count_unconfirmed(meeting) if meeting is not None else 0
    waits = unconfirmed_sentence(n_unconfirmed) if n_unconfirmed else ""
    correction = ""
    if meeting is not None and get_next_result_time(meeting) is not None:
        correction = moves_being_corrected(event, meeting)
    return ScreenLadder(view, meeting, waits, correction=correction)


def _find_complete_evening(event: Event, now: datetime) -> Meeting | None:
    round_ = find_last_posted_round(event, now=now)
    if round_ is None or round_.meeting_id is None or not is_complete(round_):
        return None
    meeting = meetings_of(event).get(pk=round_.meeting_id)
    if not is_of_night(meeting, now):
        return None
    return meeting


def ladder_mark(event: Event) -> str:
    """Return a text that changes with the list of a ladder and with its results to confirm; "" for
    another event."""
    if not event.is_ladder:
        return ""
    newest = ladder_publications(event).values_list("number", flat=True).first()
    played = Challenge.objects.filter(event=event, state=ChallengeState.PLAYED)
    return f"-{newest}.{played.count()}"
