"""Planning the meetings of an event: adding, moving, cancelling and removing them."""

from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.idempotent_writes import LOCATION, idempotent_write, json_answer
from api.problems import BadRequest
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.moment_fields import ClockField
from api.serializers.strict_fields import MOST_TEXT, ChoiceTextField, DayField, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.events.requested_event import requested_event
from api.v1.rounds.attendance import day_of
from api.v1.rounds.meetings import MeetingSerializer
from scoring.errors import Problem, shown
from tournaments.domain.etags import etag
from tournaments.models.meetings import Meeting, MeetingState
from tournaments.selectors.events.events import event_at
from tournaments.selectors.events.meetings import meeting_on
from tournaments.services.rounds.meetings import (
    KEPT,
    MeetingChanges,
    change_meeting,
    meeting_tag,
    plan_meeting,
    remove_meeting,
)

IF_MATCH: Final = if_match_parameter("The ETag of the meeting that you read, or `*`")
ANYWAY: Final = OpenApiParameter(
    "anyway", OpenApiTypes.BOOL, description="`true`: with the attendance that was stated."
)
CREATED: Final = etag_parameter("Names exactly this meeting.", 201)
ETAG: Final = etag_parameter("Names exactly this meeting.", 200)


class NewMeetingSerializer(StrictSerializer):
    """A meeting to plan; date and time are local to the club."""

    date = DayField()
    time = ClockField(required=False, allow_null=True)
    place = TextField(left_out="", required=False)


class MeetingChangeSerializer(StrictSerializer):
    """A change of a meeting; members that are left out stay."""

    date = DayField(required=False)
    time = ClockField(required=False, allow_null=True, help_text="null: no time.")
    place = TextField(left_out=None, required=False)
    state = ChoiceTextField(
        choices=[MeetingState.PLANNED, MeetingState.CANCELLED],
        left_out=None,
        required=False,
        help_text="`cancelled` needs a reason.",
    )
    reason = TextField(left_out="", required=False, max_length=MOST_TEXT)


class RemovedMeetingSerializer(serializers.Serializer[Any]):
    """The meeting that was removed."""

    date = serializers.DateField()


def _plan_meeting(request: Request, club: str, event: str) -> HttpResponse:
    """Plan a meeting of an event."""
    actor, found = requested_event(request, club, event)
    sent = validated(request, NewMeetingSerializer)
    made = plan_meeting(
        actor=actor, event=found, day=sent["date"], at=sent.get("time"), place=sent["place"],
        now=timezone.now(),
    )  # fmt: skip
    answer = _answer(made, status=201)
    answer["Location"] = reverse("list_meetings", args=[club, event])
    return answer


def _change_meeting(request: Request, club: str, event: str, day: str) -> HttpResponse:
    """Change date, time and place of a meeting, cancel it with a reason, or plan it again.

    `If-Match` names the meeting that you read, or is `*`. Without it the answer is 428; if somebody
    changed the meeting meanwhile it is 412, with the current one (`there`). A meeting with a round
    keeps its date, and cannot be cancelled.
    """
    actor, found = requested_event(request, club, event)
    shown = meeting_on(found, day_of(day))
    based_on = if_match_tag_or_any(request, of="meeting")
    sent = validated(request, MeetingChangeSerializer)
    changes = MeetingChanges(
        day=sent.get("date"),
        at=sent.get("time", KEPT),
        place=sent["place"],
        state=sent["state"],
        reason=sent["reason"],
    )
    return _answer(
        change_meeting(
            actor=actor, event=found, day=shown.date, changes=changes, based_on=based_on or "",
            now=timezone.now(),
        )
    )  # fmt: skip


def _remove_meeting(request: Request, club: str, event: str, day: str) -> HttpResponse:
    """Remove a meeting without rounds.

    `If-Match` names the meeting that you read, or is `*`. Where players answered or checked in, the
    answer is 409 `meeting_has_attendance`; with `?anyway=true` the attendance is deleted too.
    """
    allow_only(request, "anyway")
    actor = known_caller(request)
    found = event_at(actor, club, event)
    shown = meeting_on(found, day_of(day))
    based_on = if_match_tag_or_any(request, of="meeting")
    remove_meeting(
        actor=actor, event=found, day=shown.date, based_on=based_on or "", now=timezone.now(),
        anyway=_anyway(request),
    )  # fmt: skip
    return json_answer({"date": shown.date.isoformat()})


def _anyway(request: Request) -> bool:
    """Return whether the caller wants what asks for a confirmation.

    Raises:
        BadRequest: bad_parameter.
    """
    sent = request.query_params.get("anyway", "false")
    if sent not in ("true", "false"):
        facts = {"parameter": "anyway", "found": shown(sent), "expected": "true or false"}
        raise BadRequest(Problem("bad_parameter", facts=facts))
    return sent == "true"


def _answer(meeting: Meeting, *, status: int = 200) -> HttpResponse:
    answer = json_answer(plain(MeetingSerializer)(meeting), status=status)
    answer["ETag"] = etag(meeting_tag(meeting))
    return answer


plan_meeting_view = idempotent_write(
    _plan_meeting, MeetingSerializer, NewMeetingSerializer, status=201, tells=(LOCATION, CREATED)
)
"""`POST E/meetings`."""
change_meeting_view = idempotent_write(
    _change_meeting,
    MeetingSerializer,
    MeetingChangeSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
)
"""`PATCH E/meetings/{date}`."""
remove_meeting_view = idempotent_write(
    _remove_meeting, RemovedMeetingSerializer, None, method="DELETE", asks=(IF_MATCH, ANYWAY)
)
"""`DELETE E/meetings/{date}`."""
