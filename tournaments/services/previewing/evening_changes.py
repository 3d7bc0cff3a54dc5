"""What a change of hands, of players or of penalties does to the table of its evening."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Final

from tournaments.domain.event_settings import settings_of
from tournaments.domain.figures import place_text
from tournaments.domain.standings.evening_outcomes import Outcome, outcome_of
from tournaments.domain.standings.standings_documents import StandingsDocumentRow
from tournaments.models.events import Event, Visibility
from tournaments.models.rounds import Meeting
from tournaments.selectors.events.meetings import is_old, is_over
from tournaments.selectors.standings.evening_results import newest_result
from tournaments.services.previewing.diff import EveningChange, EveningPlaceChange
from tournaments.services.publishing.evening_tables import draft_evening

MOST_PLACES: Final = 20
"""Changed places of an evening that a preview lists; the others are counted."""

Rows = Mapping[str, StandingsDocumentRow]
"""The rows of the table of an evening by the code of their entrant, in order."""


def find_evening_of_table(event: Event, code: str) -> Meeting | None:
    return Meeting.objects.filter(event=event, rounds__tables__code=code).first()


def find_evening_on_day(event: Event, day: date | None) -> Meeting | None:
    """Return the evening of a day; None without one, and without a day."""
    if day is None:
        return None
    return Meeting.objects.filter(event=event, date=day).first()


def evening_rows(event: Event, day: date) -> Rows | None:
    """Return the rows of an evening as its games are now; None if it has no table of its own."""
    body = draft_evening(event, day)
    if body is None:
        return None
    return {row["player_id"]: row for row in json.loads(body)["rows"]}


def evening_change(
    event: Event,
    meeting: Meeting | None,
    before: Rows | None,
    after: Rows | None,
    names: Mapping[str, str],
    *,
    now: datetime,
) -> EveningChange | None:
    """Return the difference of two tables of an evening; None if it has no table of its own.

    `names` are those that the rows do not show in full. Places come in their new order; those of
    entrants who are then in no table come last.
    """
    if meeting is None or (before is None and after is None):
        return None
    is_ended = is_over(meeting)
    old: Rows = before or {}
    new: Rows = after or {}
    places = []
    for code, row in {**new, **old}.items():
        place, place_then = _place(old.get(code)), _place(new.get(code))
        if place != place_then:
            name = names.get(code, row["player"])
            rank, rank_then = _rank(old.get(code)), _rank(new.get(code))
            places.append(EveningPlaceChange(code, name, rank, rank_then, place, place_then))
    return EveningChange(
        day=meeting.date,
        is_over=is_ended,
        first=_first(old, names),
        first_then=_first(new, names),
        places=places[:MOST_PLACES],
        n_places=len(places),
        result=_find_corrected_result(event, meeting, old, new) if is_ended else None,
        is_announced=event.visibility != Visibility.HELD and not is_old(meeting, now),
    )


def _find_corrected_result(event: Event, meeting: Meeting, old: Rows, new: Rows) -> int | None:
    """Return the newest result of an evening if a change makes others of its places or values.

    One that is as announced again makes none, and none is drawn while no hand counts.
    """
    primary = settings_of(event).primary
    outcome = _outcome(new, primary)
    if not new or outcome == _outcome(old, primary):
        return None
    newest = newest_result(meeting)
    if newest is None or outcome == outcome_of(newest.document):
        return None
    return newest.number


def _outcome(rows: Rows, primary: str) -> Outcome:
    return {code: (row["rank"], row["values"].get(primary)) for code, row in rows.items()}


def _rank(row: StandingsDocumentRow | None) -> int | None:
    return None if row is None else row["rank"]


def _place(row: StandingsDocumentRow | None) -> str:
    if row is None:
        return ""
    return place_text(row["rank"], is_tied=row["tied"])


def _first(rows: Rows, names: Mapping[str, str]) -> Mapping[str, str]:
    return {code: names.get(code, row["player"]) for code, row in rows.items() if row["rank"] == 1}
