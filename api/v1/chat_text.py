"""Texts for a chat in short lines: seating, results, due challenges, who is expected."""

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request

from api.authentication import caller, known_caller
from api.conditional_requests import conditional
from api.media_types import TEXT
from api.openapi import reading
from tournaments.domain.etags import etag, mark_of_text
from tournaments.models.events import Event
from tournaments.selectors import chat_text
from tournaments.selectors.events.events import get_event, get_round
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.events.players import is_same_for_everybody
from tournaments.selectors.ladders.ladders import get_ladder
from tournaments.services.operations import require


@reading("read_seating_text", media_type=TEXT, has_etag=True)
def read_seating_text(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The seating of a round as text for a chat, a line for each table."""
    the_event = get_event(caller(request), club, event)
    return _answer(
        request, the_event, chat_text.seating_text(the_event, get_round(the_event, number))
    )


@reading("read_result_text", media_type=TEXT, has_etag=True)
def read_result_text(request: Request, club: str, event: str, day: str) -> HttpResponseBase:
    """The first five of an evening as text for a chat, the season after it, and who moved.

    An evening that is over has the places of its newest result; while it is being corrected the
    text says so, without the season. A ladder has the moves of the day.
    """
    the_event = get_event(caller(request), club, event)
    meeting = meeting_on(the_event, date_of(day))
    text = chat_text.result_text(the_event, meeting, now=timezone.now())
    return _answer(request, the_event, text)


@reading("read_expected_text", media_type=TEXT, has_etag=True, right="take_attendance")
def read_expected_text(request: Request, club: str, event: str, day: str) -> HttpResponseBase:
    """The players who are here or still expected at an evening, as text for a chat; for hosts."""
    the_event = get_event(caller(request), club, event)
    require(known_caller(request), the_event.club, "take_attendance")
    meeting = meeting_on(the_event, date_of(day))
    return _answer(request, the_event, chat_text.expected_text(meeting), is_public=False)


@reading("read_challenges_text", media_type=TEXT, has_etag=True)
def read_challenges_text(request: Request, club: str, event: str) -> HttpResponseBase:
    """The challenges of a ladder that have a deadline, as text for a chat, the next one first."""
    ladder = get_ladder(caller(request), club, event)
    return _answer(request, ladder, chat_text.challenges_text(ladder, now=timezone.now()))


def _answer(
    request: Request, event: Event, text: str, *, is_public: bool = True
) -> HttpResponseBase:
    def content() -> HttpResponse:
        return HttpResponse(text + "\n", content_type="text/plain; charset=utf-8")

    tag = etag(f"text-{mark_of_text(text)}")
    return conditional(request, tag, content, is_public=is_public and is_same_for_everybody(event))
