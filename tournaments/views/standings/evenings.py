"""The page of an evening: its own table, or what a ladder moved on it, and its tables."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.domain.event_settings import settings_of
from tournaments.domain.standings.evening_outcomes import decided_on, winners_of
from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.models.standings import Publication
from tournaments.selectors.attendance.attendance_entry import (
    may_enter_attendance,
    takes_attendance,
)
from tournaments.selectors.attendance.not_entered import add_not_entered_path, list_not_entered
from tournaments.selectors.attendance.places import count_taken, free_to_answer
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.entrants import evening_ledger
from tournaments.selectors.events.meetings import (
    date_of,
    evening_day,
    is_going_on,
    is_over,
    meeting_on,
)
from tournaments.selectors.ladders.announced_moves import moves_being_corrected
from tournaments.selectors.ladders.ladder_evenings import ladder_evening
from tournaments.selectors.ladders.log import is_behind
from tournaments.selectors.rounds.evening_end import find_end, find_evening_end
from tournaments.selectors.rounds.rounds import TableCard, evening_cards, games_of
from tournaments.selectors.standings.earlier_results import find_earlier_result
from tournaments.selectors.standings.ended_evenings import find_next_result_time
from tournaments.selectors.standings.evening_moves import evening_moves
from tournaments.selectors.standings.evening_places import list_excused_of
from tournaments.selectors.standings.evening_results import (
    adjustments_in,
    read_result,
    results_of,
)
from tournaments.selectors.standings.evening_screen import first_places_of
from tournaments.selectors.standings.evenings import (
    EveningOfLadder,
    NothingOfEvening,
    evening_table,
    has_counted_games,
)
from tournaments.services.events.adjustments import penalties_add
from tournaments.services.rounds.evenings import end_evening
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.page_head import PageHead, evening_head
from tournaments.views.http.pages import go_to, render_event
from tournaments.views.http.responses import laid_out
from tournaments.views.http.service_form import RefusalMessages, operation_of
from tournaments.views.standings.standings import view_of_table

BACK: Final = ("manage-event", "round-screen", "big-screen")
"""Pages that the end of an evening leads back to; from others it leads to that of the evening."""
MOST_RESULTS = 50
"""Results of an evening to which the page of one leads."""


@dataclass(frozen=True, slots=True)
class RoundOfEvening:
    """A round with its tables in short."""

    number: int
    cards: Sequence[TableCard]


@event_form_page(end_evening)
def end(request: PageRequest, event: Event, day: str) -> HttpResponse:
    """End an evening, and lead back to where it was pressed with what was refused."""
    meeting = meeting_on(event, date_of(day))
    if request.method == "POST":
        with RefusalMessages(request):
            end_evening(operation_of(request), meeting)
            messages.success(request, _("The evening is closed."))
    back = request.POST.get("back", "")
    if back in BACK:
        return go_to(back, event)
    return go_to("evening", event, day=day)


@event_page("read_public")
def result(request: PageRequest, event: Event, day: str, number: int) -> HttpResponse:
    """Show one result of an evening, as it was drawn."""
    meeting = meeting_on(event, date_of(day))
    publication = read_result(meeting, number)
    numbers = list(results_of(meeting).values_list("number", flat=True)[:MOST_RESULTS])
    context: dict[str, object] = {
        "meeting": meeting,
        "evening_day": meeting.date.isoformat(),
        "view": laid_out(request, publication),
        "numbers": numbers,
        "newest": numbers[0],
        "has_hands": has_counted_games(event, meeting),
        "result_due_at": find_next_result_time(meeting),
        "adjustments": adjustments_in(publication.document, meeting.date),
        "is_of_evening": publication.document["evening"]["counts"] == "evening",
        "earlier": find_earlier_result(event, meeting, number),
        "winners": winners_of(publication.document),
        "decided_on": decided_on(publication.document),
    }
    if number == numbers[0] and is_over(meeting) and context["result_due_at"] is None:
        context |= _tables_of(event, meeting)
    crumbs = (layout.evenings_link(event),)
    return render_event(request, "standings/evening_result.html", event, context, crumbs=crumbs)


@event_page("read_public")
def evening(request: PageRequest, event: Event, day: str) -> HttpResponse:
    """Show an evening; before its table is computed say so, and never show the season's."""
    meeting = meeting_on(event, date_of(day))
    now = timezone.now()
    result_due_at = find_next_result_time(meeting)
    context: dict[str, object] = {
        "meeting": meeting,
        "evening_day": meeting.date.isoformat(),
        "is_on": is_going_on(meeting, now),
        **_tables_of(event, meeting),
        "end": find_evening_end(event, meeting),
        "ends_at": None if is_over(meeting) else find_end(meeting, now=now),
        "free_places": free_to_answer(meeting, count_taken(meeting), now=now),
        "may_penalize": not event.is_ladder and may_do(event, "penalize"),
        "adjustments": evening_ledger(event, meeting, penalties_add=penalties_add(event)),
        "result": results_of(meeting).first(),
        "result_due_at": result_due_at,
        "is_result_due": result_due_at is not None and result_due_at <= now,
        "has_hands": has_counted_games(event, meeting),
        "excused": list_excused_of(event, meeting),
        "not_entered": list_not_entered(meeting) if may_do(event, "manage_event") else (),
        "add_not_entered": add_not_entered_path(meeting),
        "is_excused_mean": settings_of(event).excused == "mean",
    }
    newest = context["result"]
    state = meeting.state_now  # type: ignore[attr-defined]  # annotated
    if may_enter_attendance(event) and takes_attendance(
        meeting.date, state, evening_day(event, now)
    ):
        context["attendance_day"] = meeting.date
    if isinstance(newest, Publication):
        context["earlier"] = find_earlier_result(event, meeting, newest.number)
    try:
        table = evening_table(event, meeting)
    except EveningOfLadder:
        context["on_ladder"] = ladder_evening(event, meeting.date)
        context["is_computing"] = is_behind(event)
        context["being_corrected"] = moves_being_corrected(event, meeting)
    except NothingOfEvening:
        context["is_computing"] = context["has_hands"]
    else:
        view = view_of_table(request, event, table)
        document = json.loads(table.body)
        winners = winners_of(document)
        context |= {"view": view, "is_of_evening": table.is_own, "winners": winners}
        context["decided_on"] = decided_on(document)
        if table.is_own:
            context["effect"] = evening_moves(event, meeting)
        if not view.sorted_by and (table.is_own or winners):
            context["first"] = first_places_of(view)
    crumbs = (layout.evenings_link(event),)
    head = _page_head(request, event, meeting, context)
    return render_event(request, "standings/evening.html", event, context, crumbs=crumbs, head=head)


def _tables_of(event: Event, meeting: Meeting) -> dict[str, object]:
    cards_by_round = evening_cards(event, meeting)
    rounds = [RoundOfEvening(number, cards) for number, cards in cards_by_round.items()]
    games = games_of(card for cards in cards_by_round.values() for card in cards)
    return {"rounds": rounds, "games": games}


def _page_head(
    request: PageRequest, event: Event, meeting: Meeting, context: Mapping[str, Any]
) -> PageHead | None:
    """Return the head of the page, which names the first of the evening, and of no ladder."""
    about = _("Evening of %(day)s of %(event)s, a Hearts event of %(club)s.")
    if event.is_ladder:
        about = _("Moves of %(day)s on %(event)s, a Hearts ladder of %(club)s.")
    elif "view" in context and not context["is_of_evening"]:
        about = _("Standings of %(event)s after the evening of %(day)s, an event of %(club)s.")
    elif context["is_on"]:
        about = _("Evening of %(day)s of %(event)s so far, a Hearts event of %(club)s.")
    first = []
    if "view" in context and not context["view"].sorted_by:
        first = [(row.place, row.name) for row in context["view"].rows]
    number = context["result"].number if context["result"] is not None else None
    return evening_head(request, event, meeting.date, about, first, number)
