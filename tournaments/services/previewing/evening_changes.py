"""What a change of hands, of players or of penalties does to the table of its evening."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from tournaments.domain.event_settings import settings_of
from tournaments.domain.figures import place_text
from tournaments.domain.standings.evening_outcomes import Outcome, outcome_of, through_in
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


@dataclass(frozen=True, slots=True)
class EveningPlaces:
    """The table of an evening at one moment, and the codes of who is first in it.

    Where it `is_of_event`, as of then, those are the winners of the event, and `through` are the
    codes of who goes on.
    """

    rows: Rows
    first: Sequence[str] = ()
    is_of_event: bool = False
    through: frozenset[str] = frozenset()


WITHOUT_HANDS: Final = EveningPlaces({})


def find_evening_of_table(event: Event, code: str) -> Meeting | None:
    return Meeting.objects.filter(event=event, rounds__tables__code=code).first()


def find_evening_on_day(event: Event, day: date | None) -> Meeting | None:
    """Return the evening of a day; None without one, and without a day."""
    if day is None:
        return None
    return Meeting.objects.filter(event=event, date=day).first()


def evening_table_now(event: Event, day: date) -> EveningPlaces | None:
    """Return the table of an evening as its games are now; None if it has none."""
    body = draft_evening(event, day)
    if body is None:
        return None
    document = json.loads(body)
    rows = {row["player_id"]: row for row in document["rows"]}
    if "evening" in document:
        first = [code for code, row in rows.items() if row["rank"] == 1]
        return EveningPlaces(rows, first)
    winners = [code for code, row in rows.items() if row.get("progress") == "winner"]
    return EveningPlaces(rows, winners, is_of_event=True, through=through_in(document))


def evening_change(
    event: Event,
    meeting: Meeting | None,
    evening: EveningPlaces | None,
    evening_then: EveningPlaces | None,
    names: Mapping[str, str],
    *,
    now: datetime,
) -> EveningChange | None:
    """Return the difference of two tables of an evening; None if it has no table.

    `names` are those that the rows do not show in full. Places come in their new order; those of
    entrants who are then in no table come last.
    """
    if meeting is None or (evening is None and evening_then is None):
        return None
    is_ended = is_over(meeting)
    before = evening or WITHOUT_HANDS
    after = evening_then or WITHOUT_HANDS
    old = before.rows
    new = after.rows
    every = {**new, **old}
    called = {code: names.get(code, row["player"]) for code, row in every.items()}
    places = []
    for code in every:
        place, place_then = _place(old.get(code)), _place(new.get(code))
        if place != place_then:
            rank, rank_then = _rank(old.get(code)), _rank(new.get(code))
            places.append(
                EveningPlaceChange(code, called[code], rank, rank_then, place, place_then)
            )
    return EveningChange(
        day=meeting.date,
        is_over=is_ended,
        first={code: called[code] for code in before.first},
        first_then={code: called[code] for code in after.first},
        is_of_event=before.is_of_event or after.is_of_event,
        comes_in={code: called[code] for code in sorted(after.through - before.through)},
        goes_out={code: called[code] for code in sorted(before.through - after.through)},
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
