"""The page of an evening: its own table, or what a ladder moved on it, and its tables."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournaments.models.events import Event
from tournaments.models.rounds import Meeting
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.meetings import (
    date_of,
    is_going_on,
    meeting_on,
    posted_rounds_of,
)
from tournaments.selectors.ladders.ladders import moves_on
from tournaments.selectors.standings.evening_results import (
    get_next_result_time,
    read_result,
    results_of,
)
from tournaments.selectors.standings.evenings import (
    EveningOfLadder,
    NothingOfEvening,
    evening_table,
    has_counted_games,
    list_evening_rounds,
)
from tournaments.services.rounds.evenings import end_evening
from tournaments.views.http import layout
from tournaments.views.http.decorators import event_form_page, event_page
from tournaments.views.http.layout import PageRequest
from tournaments.views.http.page_head import PageHead, evening_head
from tournaments.views.http.pages import go_to, render_event
from tournaments.views.http.responses import laid_out
from tournaments.views.http.service_form import RefusalMessages, operation_of
from tournaments.views.standings.standings import view_of_table

FIRST_LARGE = 3
"""Places of an evening that are shown large."""
MOST_RESULTS = 50
"""Results of an evening to which the page of one leads."""


@event_form_page(end_evening)
def end(request: PageRequest, event: Event, day: str) -> HttpResponse:
    """End an evening, and lead to its page with what was refused."""
    meeting = meeting_on(event, date_of(day))
    if request.method == "POST":
        with RefusalMessages(request):
            end_evening(operation_of(request), meeting)
            messages.success(request, _("The evening is closed."))
    return go_to("evening", event, day=day)


@event_page("read_public")
def result(request: PageRequest, event: Event, day: str, number: int) -> HttpResponse:
    """Show one result of an evening, as it was drawn."""
    meeting = meeting_on(event, date_of(day))
    publication = read_result(meeting, number)
    numbers = list(results_of(meeting).values_list("number", flat=True)[:MOST_RESULTS])
    context = {
        "meeting": meeting,
        "evening_day": meeting.date.isoformat(),
        "view": laid_out(request, publication),
        "numbers": numbers,
        "newest": numbers[0],
        "is_own": publication.document["evening"]["counts"] == "evening",
    }
    crumbs = (layout.evenings_link(event),)
    return render_event(request, "standings/evening_result.html", event, context, crumbs=crumbs)


@event_page("read_public")
def evening(request: PageRequest, event: Event, day: str) -> HttpResponse:
    """Show an evening; before its table is computed say so, and never show the season's."""
    meeting = meeting_on(event, date_of(day))
    context: dict[str, object] = {
        "meeting": meeting,
        "evening_day": meeting.date.isoformat(),
        "is_on": is_going_on(meeting, timezone.now()),
        "rounds": list_evening_rounds(event, meeting),
        "may_end": _may_end(event, meeting),
        "result": results_of(meeting).first(),
        "result_due_at": get_next_result_time(meeting),
    }
    try:
        table = evening_table(event, meeting)
    except EveningOfLadder:
        context["moves"] = moves_on(event, meeting.date)
    except NothingOfEvening:
        context["is_computing"] = has_counted_games(event, meeting)
    else:
        view = view_of_table(request, event, table)
        first = [row for row in view.rows if row.facts["rank"] <= FIRST_LARGE]
        context |= {"view": view, "table": table}
        if table.is_own and not view.sorted_by:
            context["first"] = first[:FIRST_LARGE]
    crumbs = (layout.evenings_link(event),)
    head = _page_head(request, event, meeting, context)
    return render_event(request, "standings/evening.html", event, context, crumbs=crumbs, head=head)


def _page_head(
    request: PageRequest, event: Event, meeting: Meeting, context: Mapping[str, Any]
) -> PageHead | None:
    """Return the head of the page, which names the first of the evening, and of no ladder."""
    about = _("Evening of %(day)s of %(event)s, a Hearts event of %(club)s.")
    if event.is_ladder:
        about = _("Moves of %(day)s on %(event)s, a Hearts ladder of %(club)s.")
    elif "table" in context and not context["table"].is_own:
        about = _("Standings of %(event)s after the evening of %(day)s, an event of %(club)s.")
    elif context["is_on"]:
        about = _("Evening of %(day)s of %(event)s so far, a Hearts event of %(club)s.")
    first = []
    if "view" in context and not context["view"].sorted_by:
        first = [(row.place, row.name) for row in context["view"].rows]
    return evening_head(request, event, meeting.date, about, first)


def _may_end(event: Event, meeting: Meeting) -> bool:
    if event.is_over or not may_do(event, "manage_event"):
        return False
    is_over = meeting.is_over  # type: ignore[attr-defined]  # annotated
    return not is_over and posted_rounds_of(meeting).exists()
