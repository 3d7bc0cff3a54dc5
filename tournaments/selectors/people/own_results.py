"""The last evening of players, as they read it themselves: their place, and who won."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Final

from django.db.models import Exists, OuterRef, Q

from tournaments.domain.figures import place_text
from tournaments.domain.standings.evening_outcomes import winners_of
from tournaments.domain.standings.standings_documents import AdjustmentDocument, StandingsDocument
from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember, Event
from tournaments.models.rounds import Attendance, AttendanceState, Meeting, RoundState, Sitting
from tournaments.selectors.events.meetings import IS_OVER, club_day
from tournaments.selectors.standings.ended_evenings import times_of_corrections
from tournaments.selectors.standings.evening_results import adjustments_in
from tournaments.selectors.standings.evening_screen import MOST_NAMES, view_of_evening
from tournaments.selectors.standings.evenings import (
    EveningTable,
    NothingOfEvening,
    evening_table,
)
from tournaments.selectors.standings.short_reasons import YOU, short_reason_of
from tournaments.selectors.standings.standings_view import PageQuery

SHOWN_FOR: Final = timedelta(days=7)
"""Time for which the last evening is shown."""
CAME: Final = (AttendanceState.HERE, AttendanceState.LEFT, AttendanceState.WAITING)
"""States of players who read who won, though they sat at no table."""
MOST_PARTS: Final = 4
"""Events of one evening that are shown."""


@dataclass(frozen=True, slots=True)
class OwnEveningResult:
    """An event of a player's last evening, with their place of `n` and who is first.

    Where `is_own` is False the place is that in the event as of then, and `progress` says whether
    the player is through. `place` is empty without one; `n_more` share the first place and are not
    named. `adjustments` are the player's penalties and bonuses of the evening. Until the evening
    `is_over` all of it is "so far"; `due_at` is when the next result is drawn, after a change of an
    evening that has one. `why` says to the player why they have a place of an evening. `is_today`
    is for the list of last evenings.
    """

    meeting: Meeting
    code: str
    is_over: bool
    is_own: bool
    place: str
    n: int
    first: Sequence[str]
    n_more: int
    progress: str
    adjustments: Sequence[AdjustmentDocument]
    due_at: datetime | None
    why: str = ""
    is_today: bool = False

    @property
    def event(self) -> Event:
        return self.meeting.event

    @property
    def day(self) -> str:
        return self.meeting.date.isoformat()


def list_own_evening_results(
    events: Sequence[Event], players: Collection[Player], *, now: datetime
) -> Sequence[OwnEveningResult]:
    """Return the last evening of players in each club, event by event; tables of the evening first.

    Ladders have none. Four queries, and five at most for each of `MOST_PARTS` events of a club;
    what is being computed is left out.
    """
    meetings = _last_evenings(events, players, now)
    if not meetings:
        return ()
    members = EntrantMember.objects.filter(
        event__in=[meeting.event_id for meeting in meetings], player__in=list(players)
    )
    codes = dict(members.order_by("event").values_list("event_id", "entrant__code"))
    due = times_of_corrections(meetings)
    results: list[OwnEveningResult] = []
    for meeting in meetings:
        code = codes.get(meeting.event_id, "")
        try:
            table = evening_table(meeting.event, meeting)
        except NothingOfEvening:
            continue
        result = own_result(meeting, table, code, due_at=due.get(meeting.pk))
        is_today = meeting.date == club_day(meeting.event.club, now)
        results.append(replace(result, is_today=is_today))
    return sorted(results, key=lambda result: not result.is_own)


def own_result(
    meeting: Meeting, table: EveningTable, code: str, *, due_at: datetime | None
) -> OwnEveningResult:
    """Return the result of an entrant in the table of an evening, from `meetings_of`; no query.

    Args:
        due_at: when the next result is drawn, from `times_of_corrections`.
    """
    document: StandingsDocument = json.loads(table.body)
    is_decided = bool(winners_of(json.loads(table.body)))
    rows = document["rows"]
    row = next((row for row in rows if row["player_id"] == code), None)
    place = ""
    if row is not None:
        place = place_text(row["rank"], is_tied=row["tied"])
    progress = ""
    why = ""
    laid_out = None
    if row is not None:
        laid_out = view_of_evening(table, PageQuery(entrant_id=code)).row_of(code)
    if laid_out is not None and table.is_own and place:
        why = short_reason_of(document, laid_out, YOU)
    if row is not None and not table.is_own:
        progress = laid_out.progress if laid_out is not None else ""
        if is_decided and row.get("progress") == "final":
            progress = ""  # the place says more
    first = [row["player"] for row in rows if row["rank"] == 1]
    adjustments = [
        each.line for each in adjustments_in(document, meeting.date) if each.code == code
    ]
    is_over: bool = meeting.is_over  # type: ignore[attr-defined]  # annotated
    return OwnEveningResult(
        meeting=meeting,
        code=code,
        is_over=is_over,
        is_own=table.is_own,
        place=place,
        n=len(rows),
        first=first[:MOST_NAMES],
        n_more=max(0, len(first) - MOST_NAMES),
        progress=progress,
        adjustments=adjustments,
        due_at=due_at,
        why=why,
    )


def _last_evenings(
    events: Sequence[Event], players: Collection[Player], now: datetime
) -> Sequence[Meeting]:
    """Return the evenings of the last day on which players sat in each club, by their times.

    Of evenings that are over also those where they were there, or waited for a place.
    """
    by_key = {event.pk: event for event in events if not event.is_ladder}
    if not by_key or not players:
        return ()
    sittings = Sitting.objects.filter(round__meeting=OuterRef("pk"), player__in=list(players))
    posted = sittings.exclude(round__state=RoundState.DRAFT)
    came = Attendance.objects.filter(
        meeting=OuterRef("pk"), player__in=list(players), state__in=CAME
    )
    first_day = (now - SHOWN_FOR).date()
    evenings = Meeting.objects.filter(event__in=by_key, date__gte=first_day)
    evenings = evenings.annotate(is_over=IS_OVER)
    played = evenings.filter(Exists(posted) | Q(Exists(came), is_over=True))
    last_day: dict[int, date] = {}
    parts: dict[int, list[Meeting]] = defaultdict(list)
    for meeting in played.order_by("-date", "pk"):
        meeting.event = by_key[meeting.event_id]
        if meeting.date > club_day(meeting.event.club, now):
            continue
        if meeting.date == last_day.setdefault(meeting.club_id, meeting.date):
            parts[meeting.club_id].append(meeting)
    shown: list[Meeting] = []
    for of_club in parts.values():
        of_club.sort(key=lambda meeting: (meeting.time or time.max, meeting.event.slug))
        shown += of_club[:MOST_PARTS]
    return shown
