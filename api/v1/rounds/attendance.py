"""The attendance of a meeting: one row a player, the newest statement of all devices counts."""

from typing import Any, Final

from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotency import created, idempotent_write, json_answer
from api.lists.pagination import Listing
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import BooleanField, DeviceTimeField, TextField, WholeNumberField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.fields import MomentField
from tournaments.errors import Forbidden
from tournaments.models.meetings import Attendance, AttendanceState, Meeting
from tournaments.policy import Actor
from tournaments.selectors.attendance.attendance_list import (
    AttendanceRow,
    attendance_of,
    attendance_row,
    player_of_meeting,
)
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.services.attendance.set_attendance import (
    MOST_ROUNDS,
    add_meeting_guest,
    set_attendance,
)

_ROUND: Final[dict[str, Any]] = {
    "code": "bad_attendance_round",
    "expected": f"1 to {MOST_ROUNDS}",
    "required": False,
    "allow_null": True,
}


class AttendanceSerializer(OutputSerializer):
    """A player at a meeting."""

    player_id = serializers.CharField()
    name = serializers.CharField()
    state = serializers.ChoiceField(
        choices=AttendanceState.choices,
        allow_blank=True,
        help_text="State of the player; empty if nothing is recorded yet.",
    )
    answer = serializers.CharField(
        allow_blank=True,
        help_text="Newest of the statements expected, late and absent; empty if there is none.",
    )
    from_round = serializers.IntegerField(
        allow_null=True, help_text="First round of the evening that the player plays."
    )
    leaves_after_round = serializers.IntegerField(allow_null=True)
    arrived_at = MomentField(allow_null=True)
    at = MomentField(
        source="stated_at", allow_null=True, help_text="Device time of the newest statement."
    )
    guest = serializers.BooleanField()
    came_last = serializers.BooleanField(help_text="Whether the player came to the last meeting.")


class AttendanceStatementSerializer(StrictSerializer):
    """A statement from one device. Round numbers that are left out stay as they are."""

    state = TextField(help_text="State: `expected`, `here`, `late`, `left` or `absent`.")
    from_round = WholeNumberField(**_ROUND, help_text="First round to play; null: from the start.")
    leaves_after_round = WholeNumberField(**_ROUND, help_text="Last round; null: until the end.")
    at = DeviceTimeField(
        required=False,
        help_text="Device time of the statement; now if it is left out or in the future.",
    )


class NewGuestSerializer(StrictSerializer):
    """A guest of an evening."""

    name = TextField()
    is_new = BooleanField(
        required=False, help_text="Whether the guest is not the player of a similar name."
    )


def _attendance(actor: Actor, club: str, event: str, day: str) -> list[AttendanceRow]:
    """The attendance of a meeting, for hosts and directors; players who may still come are first.

    All active players of the club are listed: those who come late, those expected, those who came
    last time, the others, those here, those who left, those absent.
    """
    the_event = get_event(actor, club, event)
    if actor.kind == "public":
        raise NotAuthenticated
    if not may_do(the_event, "take_attendance") or not actor.is_within_scope("take_attendance"):
        raise Forbidden("take_attendance")
    return list(attendance_of(meeting_on(the_event, date_of(day))).rows)


ATTENDANCE: Final = Listing(
    name="attendance",
    shape=AttendanceSerializer,
    rows=_attendance,
)  # fmt: skip


@idempotent_write(AttendanceSerializer, AttendanceStatementSerializer, method="PUT")
def set_attendance_view(
    request: Request, club: str, event: str, day: str, player_id: str
) -> HttpResponse:
    """State that a player is expected, here, late, left or absent. The newest `at` counts.

    There is no `If-Match`: a statement older than the recorded one changes nothing and is only kept
    in the change log. The answer is the attendance of the player afterwards. A linked player may
    state for themselves whether they will come, while the meeting is planned, and on its day that
    they are here.
    """
    actor = known_caller(request)
    meeting = _meeting(actor, club, event, day)
    player = player_of_meeting(meeting, player_id)
    body = validated(request, AttendanceStatementSerializer)
    now = timezone.now()
    at = body.pop("at", None) or now
    row = set_attendance(actor=actor, meeting=meeting, player=player, stated_at=at, now=now, **body)
    return json_answer(_attendance_json(row))


@idempotent_write(AttendanceSerializer, NewGuestSerializer, status=201)
def add_meeting_guest_view(request: Request, club: str, event: str, day: str) -> HttpResponse:
    """Check in a guest by name. The name is added to the club's players.

    If exactly one player has that name, this player is checked in instead. A similar name is
    refused with `guest_may_be_known`; send it again with `is_new`, or check in the player.
    """
    actor = known_caller(request)
    meeting = _meeting(actor, club, event, day)
    body = validated(request, NewGuestSerializer)
    row = add_meeting_guest(actor=actor, meeting=meeting, now=timezone.now(), **body)
    return created(_attendance_json(row), "list_attendance", club, event, day)


def _meeting(actor: Actor, club: str, event: str, day: str) -> Meeting:
    the_event = get_event(actor, club, event)
    meeting = meeting_on(the_event, date_of(day))
    meeting.event = the_event
    return meeting


def _attendance_json(row: Attendance) -> Any:
    return plain(AttendanceSerializer)(attendance_row(row))
