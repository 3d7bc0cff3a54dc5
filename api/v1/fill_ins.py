"""The request for one more player at a meeting: asked, read and ended by hosts."""

from django.utils import timezone
from rest_framework import serializers

from api.resources import ResourceViewSet, reads, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_serializers import EmptyBody
from api.v1.fields import MomentField
from scoring.json_types import JsonDict
from tournaments.models.contacts import FillInRequest
from tournaments.models.rounds import Meeting
from tournaments.selectors.attendance.fill_ins import fill_in_text, list_fill_ins, open_fill_in
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.services.attendance.fill_ins import ask_fill_in, end_fill_in
from tournaments.services.attendance.set_attendance import TAKE


class FillInSerializer(OutputSerializer):
    """A request for one more player at a meeting."""

    is_open = serializers.BooleanField(help_text="Whether the first who answers is still in.")
    asked_at = MomentField(allow_null=True, help_text="Null if nobody was ever asked.")
    filled_at = MomentField(allow_null=True)
    filled_by = serializers.CharField(
        allow_null=True, help_text="The club's own number of the player who came in."
    )
    text = serializers.CharField(
        allow_blank=True, help_text="Text for a chat with the link; empty once it is over."
    )


class FillInViewSet(ResourceViewSet):
    """The newest request for one more player at a meeting."""

    is_single = True
    resource, read_right = ("fill_in", "fill_ins"), TAKE
    location_text = ""
    serializer_class = FillInSerializer
    retrieve = reads("The newest request for one more player at a meeting, for hosts.")
    submit = writes(ask_fill_in, EmptyBody, status=201, has_secret=True)
    destroy = writes(end_fill_in, None)

    def get_subject(self) -> Meeting:
        return meeting_on(self.parent, date_of(self.kwargs["day"]))

    def get_object(self) -> FillInRequest:
        newest = next(iter(list_fill_ins(self.get_subject())), None)
        return newest or FillInRequest(meeting=self.get_subject())

    def get_row(self, result: FillInRequest) -> JsonDict:
        result.meeting = self.get_subject()
        is_open = result.pk and open_fill_in(result.meeting, timezone.now()) == result
        return {
            "is_open": bool(is_open),
            "asked_at": result.asked_at,
            "filled_at": result.filled_at,
            "filled_by": result.filled_by.player_id if result.filled_by is not None else None,
            "text": fill_in_text(result) if is_open else "",
        }
