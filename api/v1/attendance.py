"""The attendance of a meeting, one row a player, and its request for one more player (fill-in)."""

from collections.abc import Sequence
from typing import Any, Final

from django.utils import timezone
from rest_framework import serializers

from api.resources import creates, performs, reads, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import BooleanField, DeviceTimeField, TextField, WholeNumberField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.addresses import OfMeetingViewSet
from api.v1.fields import MomentField
from scoring.json_types import JsonDict
from tournaments.models.access import FillInRequest
from tournaments.models.rounds import Attendance, AttendanceState
from tournaments.selectors.attendance.attendance_list import (
    AttendanceRow,
    attendance_of,
    attendance_row,
    player_of_meeting,
)
from tournaments.selectors.attendance.fill_ins import fill_in_text, list_fill_ins, open_fill_in
from tournaments.services.attendance.excuses import LONGEST_REASON, excuse_player
from tournaments.services.attendance.fill_ins import MOST_WANTED, ask_fill_in, end_fill_in
from tournaments.services.attendance.set_attendance import (
    MOST_ROUNDS,
    TAKE,
    UNCHANGED,
    add_meeting_guest,
    set_attendance,
)
from tournaments.services.operations import Operation

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
        help_text="Newest of the statements expected, late, absent and waiting; empty if there is "
        "none.",
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
    answered_at = MomentField(
        allow_null=True,
        help_text="When the answer became what it is; saying it again does not move it.",
    )
    excused = serializers.BooleanField(
        source="excuse.is_excused",
        help_text="Whether the player is excused: absent, and answered so in time, or "
        "by a director's word.",
    )
    excused_by_director = serializers.BooleanField(
        source="excuse.by_director",
        help_text="Whether `excused` is a director's word (`POST …/excuse`).",
    )
    answered_late = serializers.BooleanField(
        source="excuse.is_late",
        help_text="Whether the player is absent and answered so after the time to withdraw or, "
        "without one (setting `withdraw_hours`), after it began, which excuses nobody.",
    )
    entered = serializers.BooleanField(
        source="is_entered",
        help_text="Whether the player competes in the event, alone, in a pair or in a team. An "
        "excused evening gives points to nobody else.",
    )
    waiting = serializers.IntegerField(
        help_text="Number on the waiting list, from 1; 0 for who is not on it."
    )


class AttendanceStatementSerializer(StrictSerializer):
    """A statement from one device. Round numbers that are left out stay as they are."""

    state = TextField(
        help_text="State: `expected`, `here`, `late`, `left`, `absent` or `waiting`. The player's "
        "own `expected` or `late` is stored as `waiting` if all places are taken."
    )
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


class ExcuseSerializer(StrictSerializer):
    """A director's word on whether a player is excused of a meeting."""

    excused = BooleanField(
        allow_null=True, help_text="true or false; null: as the player's answer says."
    )
    reason = TextField(help_text=f"1 to {LONGEST_REASON} characters, for the change log.")


class AttendanceViewSet(OfMeetingViewSet):
    """The attendance of a meeting, for hosts and directors; players who may still come are first.

    All active players of the club are listed: those who come late, those expected, those who came
    last time, the others, those who wait for a place, those here, those who left, those absent.
    """

    resource = ("attendance", "attendance")
    read_right = TAKE
    serializer_class = AttendanceSerializer
    lookup_url_kwarg = "player_id"
    ordering = ()
    create = creates(add_meeting_guest, NewGuestSerializer, right="add_guest")
    update = writes(set_attendance, AttendanceStatementSerializer)
    excuse = performs(excuse_player, "excuse", body=ExcuseSerializer)

    def get_queryset(self) -> Sequence[AttendanceRow]:
        return attendance_of(self.get_subject()).rows

    def perform_update(self, op: Operation, body: JsonDict) -> Attendance:
        meeting = self.get_subject()
        return set_attendance(
            op,
            meeting,
            player=player_of_meeting(meeting, self.kwargs["player_id"]),
            state=body["state"],
            stated_at=body.get("at"),
            from_round=body.get("from_round", UNCHANGED),
            leaves_after_round=body.get("leaves_after_round", UNCHANGED),
        )

    def perform_excuse(self, op: Operation, body: JsonDict) -> Attendance:
        meeting = self.get_subject()
        player = player_of_meeting(meeting, self.kwargs["player_id"])
        excused, reason = body["excused"], body["reason"]
        return excuse_player(op, meeting, player=player, excused=excused, reason=reason)

    def get_row(self, result: Attendance) -> AttendanceRow:
        return attendance_row(result)


class WantedSerializer(StrictSerializer):
    """How many players are missing."""

    wanted = WholeNumberField(
        code="bad_number_wanted",
        expected=f"1 to {MOST_WANTED}",
        required=False,
        left_out=1,
        help_text=f"1 to {MOST_WANTED}; by default 1.",
    )


class FillInSerializer(OutputSerializer):
    """A request for one more player at a meeting."""

    is_open = serializers.BooleanField(help_text="Whether the first who answers is still in.")
    asked_at = MomentField(allow_null=True, help_text="Null if nobody was ever asked.")
    filled_at = MomentField(allow_null=True)
    filled_by = serializers.CharField(
        allow_null=True, help_text="The club's own number of the player who came in."
    )
    wanted = serializers.IntegerField(
        help_text="How many are asked for: the one of this request, and those who follow it."
    )
    text = serializers.CharField(
        allow_blank=True, help_text="Text for a chat with the link; empty once it is over."
    )


class FillInViewSet(OfMeetingViewSet):
    """The newest request for one more player at a meeting."""

    is_single = True
    resource = ("fill_in", "fill_ins")
    read_right = TAKE
    location_text = ""
    serializer_class = FillInSerializer
    retrieve = reads("The newest request for one more player at a meeting, for hosts.")
    submit = writes(ask_fill_in, WantedSerializer, status=201, has_secret=True)
    destroy = writes(end_fill_in, None)

    def get_object(self) -> FillInRequest:
        newest = next(iter(list_fill_ins(self.get_subject())), None)
        return newest or FillInRequest(meeting=self.get_subject())

    def get_row(self, result: FillInRequest) -> JsonDict:
        result.meeting = self.get_subject()
        is_open = False
        if result.pk is not None:
            is_open = open_fill_in(result.meeting, timezone.now()) == result
        return {
            "is_open": is_open,
            "asked_at": result.asked_at,
            "filled_at": result.filled_at,
            "filled_by": result.filled_by.player_id if result.filled_by is not None else None,
            "wanted": result.wanted,
            "text": fill_in_text(result) if is_open else "",
        }
