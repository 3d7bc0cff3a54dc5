"""The evening that a big screen shows in the place of the season, once its last sheet is in."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils import formats
from django.utils.translation import gettext as _

from tournaments.domain.standings.evening_outcomes import winners_of
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Publication
from tournaments.selectors.events.meetings import NIGHT_ENDS, is_of_night, meetings_of
from tournaments.selectors.rounds.evening_end import (
    find_end,
    find_last_posted_round,
    is_complete,
)
from tournaments.selectors.standings.ended_evenings import (
    being_corrected_sentence,
    find_ended_evening,
)
from tournaments.selectors.standings.evening_results import get_next_result_time, newest_result
from tournaments.selectors.standings.evenings import (
    EveningOfLadder,
    EveningTable,
    NothingOfEvening,
    evening_table,
)
from tournaments.selectors.standings.standings_view import (
    PageQuery,
    StandingsRow,
    StandingsView,
    standings_view,
)

FIRST_LARGE: Final = 3
"""Places of an evening that are shown large."""
MOST_NAMES: Final = 3
"""Names at one of these places, if it is shared; the others are counted."""


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """A place of an evening that is shown large, with all who share it or the first of them.

    `cell` is the value that ranks them; `n_more` share the place and are not named.
    """

    place: str
    names: Sequence[str]
    n_more: int
    cell: object

    @property
    def longest_word(self) -> int:
        """The letters of the longest word, which a line of a screen must hold whole."""
        words = [word for name in self.names for word in name.replace("-", "- ").split()]
        return max((len(word) for word in words), default=0)


@dataclass(frozen=True, slots=True)
class ScreenEvening:
    """An evening with its table, as it is laid out for a screen.

    `is_over` is False while its places may still change, so that it is shown as "so far".
    `correction` is the sentence about a result that is being corrected, "" without one. `pending`
    says when the first result follows, "" where that is there or nothing is known. `decides` is
    False where the table is that of an event that has no winner yet.
    """

    meeting: Meeting
    is_over: bool
    view: StandingsView
    correction: str = ""
    pending: str = ""
    decides: bool = True

    @property
    def first(self) -> Sequence[FirstPlace]:
        """The first places; none while a cup is undecided, whose table is that of the event."""
        if not self.decides:
            return ()
        return first_places_of(self.view)


def evening_on_screen(event: Event, *, now: datetime) -> ScreenEvening | None:
    """Return tonight's evening once its last posted round waits for no more sheets; None before.

    It stays until the night ends, and goes as soon as a further round is posted. Where an evening
    has no table of its own, as in a cup, it is that of the event as of then. An evening of a ladder
    is None, and one whose table is being computed. One query while a round is played.
    """
    round_ = find_last_posted_round(event, now=now)
    if round_ is None or round_.meeting_id is None or not is_complete(round_):
        return None
    meeting = meetings_of(event).get(pk=round_.meeting_id)
    meeting.event = event
    if not is_of_night(meeting, now):
        return None
    try:
        table = evening_table(event, meeting)
    except (EveningOfLadder, NothingOfEvening):
        return None
    is_over: bool = meeting.is_over  # type: ignore[attr-defined]  # annotated
    view = view_of_evening(table)
    return ScreenEvening(
        meeting,
        is_over,
        view,
        correction=_correction(event, meeting),
        pending=_pending(event, meeting, is_over=is_over, now=now),
        decides=table.is_own or bool(winners_of(json.loads(table.body))),
    )


def _pending(event: Event, meeting: Meeting, *, is_over: bool, now: datetime) -> str:
    """Return when the first result of an evening follows; "" where nobody knows, or it is there."""
    if is_over:
        if newest_result(meeting) is None:
            return _("The result is being stored.")
        return ""
    ends_at = find_end(meeting, now=now)
    if ends_at is None:
        return ""
    time = formats.time_format(ends_at.astimezone(event.club.zone), "H:i")
    return _("The evening ends at %(time)s unless another round is posted.") % {"time": time}


def _correction(event: Event, meeting: Meeting) -> str:
    """Return what a screen says while another result is due; the mark of the screen has its time.

    One query, and those of `find_ended_evening` while one is due.
    """
    if get_next_result_time(meeting) is None:
        return ""
    ended = find_ended_evening(meeting)
    if ended is None:
        return ""
    return being_corrected_sentence(event, ended)


def correction_mark(event: Event) -> str:
    """Return a text that changes when another result of an evening is due, and when it is drawn.

    The event has the annotation of `mark_of_due_results`.
    """
    mark: str = event.results_due  # type: ignore[attr-defined]  # annotated
    return f"-due{mark}"


def first_places_of(view: StandingsView) -> Sequence[FirstPlace]:
    """Return the first places of a table, each with those who share it."""
    by_rank: dict[int, list[StandingsRow]] = {}
    for row in view.rows:
        rank: int = row.facts["rank"]
        if rank <= FIRST_LARGE:
            by_rank.setdefault(rank, []).append(row)
    places: list[FirstPlace] = []
    for rows in by_rank.values():
        names = [row.name for row in rows]
        n_more = max(0, len(names) - MOST_NAMES)
        places.append(FirstPlace(rows[0].place, names[:MOST_NAMES], n_more, rows[0].cells[0]))
    return places


def night_mark(event: Event, now: datetime) -> str:
    """Return a text that changes when a night ends, and with it the evening on a screen."""
    local = now.astimezone(event.club.zone)
    day = local.date().isoformat()
    if local.time() < NIGHT_ENDS:
        return f"{day}-night"
    return day


def view_of_evening(table: EveningTable, page_query: PageQuery | None = None) -> StandingsView:
    """Return the table of an evening laid out; it has no number of its own."""
    return standings_view(Publication(digest=table.digest, body=table.body), "", page_query)
