"""Meetings of an event and its rounds: planned, moved, cancelled, removed, read."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers

from api.lists import Filter, limited
from api.query_parameters import bad_parameter
from api.resource_schema import ANY_TAG
from api.resources import (
    ResourceViewSet,
    changes,
    creates,
    performs,
    previews,
    reads,
    writes,
)
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    ChoiceTextField,
    ClockField,
    DayField,
    DayListField,
    TextField,
    WholeNumberField,
)
from api.serializers.strict_serializers import BodiesField, StrictSerializer
from api.v1.fields import (
    MISSING_HANDS,
    IntegerListField,
    MomentField,
    ScoreField,
    StringListField,
)
from scoring.errors import shown
from scoring.json_types import JsonDict
from tournaments.domain.evening_series import (
    MOST_BREAKS,
    MOST_EVENINGS,
    SERIES_INTERVALS,
    WEEKDAYS,
    Break,
)
from tournaments.models.events import Event
from tournaments.models.hands import GameState
from tournaments.models.rounds import (
    EndedBy,
    Meeting,
    MeetingState,
    Round,
    RoundState,
    SitOutReason,
)
from tournaments.policy import Actor
from tournaments.selectors.attendance.places import count_taken, free_to_answer, with_taken
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.entrants import sit_outs_in
from tournaments.selectors.events.evening_series import DateState, SeriesDate, count_changes
from tournaments.selectors.events.events import rounds_of
from tournaments.selectors.events.meetings import date_of, meetings_of
from tournaments.selectors.ladders.log import tables_on_ladder
from tournaments.selectors.rounds.rematches import list_rematches
from tournaments.selectors.rounds.round_names import name_of_round
from tournaments.selectors.rounds.round_progress import round_clock
from tournaments.selectors.rounds.rounds import (
    match_rows,
    meeting_with_rounds,
    removed_tables,
    round_cards,
)
from tournaments.services.attendance.set_attendance import UNCHANGED
from tournaments.services.operations import Operation
from tournaments.services.rounds.evening_series import (
    cancel_meetings,
    change_later_meetings,
    plan_series,
    preview_dates,
)
from tournaments.services.rounds.evenings import end_evening
from tournaments.services.rounds.meetings import (
    MOST_CAPACITY,
    change_meeting,
    meeting_tag,
    plan_meeting,
    remove_meeting,
)
from tournaments.services.rounds.rounds import MOST_EXTRA_MINUTES

_CAPACITY: Final[dict[str, Any]] = {
    "code": "bad_capacity",
    "expected": f"0 to {MOST_CAPACITY}",
    "required": False,
    "allow_null": True,
    "help_text": "How many people may come, 0: everybody; null: as the event's settings say. In an "
    "event of pairs or teams, how many of those.",
}


class MeetingSerializer(OutputSerializer):
    """A meeting; the date is local to the club's time zone."""

    date = serializers.DateField()
    time = serializers.TimeField(
        format="%H:%M", allow_null=True, help_text="Local time at which it begins."
    )
    place = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(source="state_now", choices=MeetingState.choices)
    cancel_reason = serializers.CharField(
        allow_blank=True, help_text="Reason for cancelling the meeting; otherwise empty."
    )
    gathers = serializers.BooleanField(
        help_text="Whether people come together: it was planned or started, players were asked, or "
        "a round was posted. False for the date of sheets or of a challenge's result alone."
    )
    is_over = serializers.BooleanField(
        help_text="Whether the evening is over: it was ended, and no round was posted, opened "
        "again or closed since."
    )
    ended_at = MomentField(
        allow_null=True, help_text="When it was ended last; it may go on since (`is_over`)."
    )
    ended_by = serializers.ChoiceField(
        choices=EndedBy.choices,
        allow_blank=True,
        help_text="`person`: somebody ended it; `hour`: an hour after its last round; `noon`: at "
        "noon of the next day; `record`: its sheets were brought in days later, or it was over "
        "before results were made (it has no result). Empty before.",
    )
    rounds = serializers.SerializerMethodField(help_text="Numbers of the rounds of the meeting.")
    capacity = serializers.IntegerField(
        allow_null=True,
        help_text="How many people may come, in an event of pairs or teams how many of those, 0: "
        "everybody; null: as the setting `capacity` of the event says.",
    )

    free_places = serializers.SerializerMethodField(
        help_text="How many places are free for new answers; null without a limit, and once the "
        "evening has begun, is over or is cancelled."
    )

    @extend_schema_field(serializers.IntegerField(allow_null=True))
    def get_free_places(self, meeting: Meeting) -> int | None:
        """Return how many places are free."""
        n_taken = meeting.n_taken  # type: ignore[attr-defined]  # annotated
        return free_to_answer(meeting, n_taken, now=timezone.now())

    @extend_schema_field(IntegerListField())
    def get_rounds(self, meeting: Meeting) -> list[int]:
        """Return the numbers of the meeting's rounds."""
        return [round_.number for round_ in meeting.rounds.all()]


_OWN: Final[Mapping[str, Any]] = {
    "allow_null": True,
    "help_text": "Variant of new tables of the round; null: that of the event.",
}


class RoundSerializer(OutputSerializer):
    """Tables that play at the same time; rounds are numbered through the whole event."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=RoundState.choices)
    meeting = serializers.DateField(
        source="meeting.date", default=None, allow_null=True, help_text="Date of the meeting."
    )
    tables = serializers.IntegerField(source="n_tables", help_text="Number of tables.")
    variant = serializers.CharField(source="snapshot.variant", default=None, **_OWN)
    variant_name = serializers.CharField(source="snapshot.variant_name", default=None, **_OWN)


class SeatPlayerSerializer(OutputSerializer):
    """A player who took over a seat, or whose seat it was."""

    player_id = serializers.CharField()
    player = serializers.CharField()


class ResultSerializer(OutputSerializer):
    """The result of an entrant at a table; before the first hand only the players."""

    player_id = serializers.CharField(source="entrant_id")
    player = serializers.CharField(source="name")
    place = serializers.CharField(
        allow_blank=True, help_text="The place, such as 1 or 2=; empty before the first hand."
    )
    points = ScoreField(
        allow_null=True,
        help_text=(
            "Points at the table; null before the first hand, or if they are complex numbers."
        ),
    )
    moons = serializers.IntegerField(
        allow_null=True, help_text="Number of moons; null if the sheet has totals only."
    )
    hands = serializers.IntegerField(
        allow_null=True,
        help_text=(
            "Number of hands of the table that the entrant played; null before the first hand."
        ),
    )
    plays_for = SeatPlayerSerializer(
        many=True, help_text="Players whose seat the player took over."
    )
    replaced_by = SeatPlayerSerializer(
        many=True, help_text="Players who took over the seat of the entrant or of its member."
    )


class TableCardSerializer(OutputSerializer):
    """A table in short."""

    code = serializers.CharField()
    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=GameState.choices)
    variant = serializers.CharField()
    variant_name = serializers.CharField()
    hands = serializers.IntegerField(help_text="Number of hands that count.")
    missing_hands = IntegerListField(source="missing_numbers", help_text=MISSING_HANDS)
    results = ResultSerializer(source="lines", many=True)


class SitOutSerializer(OutputSerializer):
    """An entrant who does not play in a round, and the reason."""

    player_id = serializers.CharField(source="entrant_id")
    player = serializers.CharField(source="name")
    reason = serializers.ChoiceField(choices=SitOutReason.choices)


class RemovedTableSerializer(OutputSerializer):
    """A table that was removed before its first hand, and its players, clockwise."""

    code = serializers.CharField(
        help_text="Code of the table; use it in `POST E/tables/{code}/restore`."
    )
    number = serializers.IntegerField()
    players = StringListField(source="people")


class RoundClockSerializer(OutputSerializer):
    """When a round ends: by the clock of the event, or as an estimate."""

    ends_at = MomentField()
    is_estimated = serializers.BooleanField(
        help_text="Whether the end is estimated: the event has no clock (`round_minutes` is 0)."
    )
    extra_minutes = serializers.IntegerField(help_text="Number of minutes added to the round.")


class RoundExtensionSerializer(StrictSerializer):
    """How much longer a round lasts."""

    minutes = WholeNumberField(
        code="bad_minutes",
        expected=f"1 to {MOST_EXTRA_MINUTES}",
        help_text=f"Minutes to add, from 1; {MOST_EXTRA_MINUTES} in all for a round.",
    )


class MatchTeamSerializer(OutputSerializer):
    """A team of a match, with its points once all tables of the match are over."""

    player_id = serializers.CharField(source="entrant_id", help_text="Code of the team.")
    player = serializers.CharField(source="name")
    place_points = ScoreField(
        allow_null=True, help_text="Place points of the team; null before the end or if forfeited."
    )
    match_points = serializers.IntegerField(allow_null=True, help_text="2 won, 1 tied, 0 lost.")


class MatchSerializer(OutputSerializer):
    """A match of two teams, at one table or two; without a table it was not played."""

    number = serializers.IntegerField()
    tables = StringListField(help_text="Codes of its tables.")
    teams = MatchTeamSerializer(many=True)
    forfeited_by = serializers.CharField(
        allow_null=True, help_text="Code of the team that forfeits, short of players; else null."
    )


class RoundDetailSerializer(OutputSerializer):
    """A round with its tables."""

    number = serializers.IntegerField()
    name = serializers.CharField(
        allow_blank=True,
        help_text=(
            "Name within a knock-out (First round, Semi-final, Final), or of a play-off; otherwise "
            "empty."
        ),
    )
    state = serializers.ChoiceField(choices=RoundState.choices)
    meeting = serializers.DateField(source="meeting.date", default=None, allow_null=True)
    variant = serializers.CharField(source="snapshot.variant", default=None, **_OWN)
    variant_name = serializers.CharField(source="snapshot.variant_name", default=None, **_OWN)
    clock = RoundClockSerializer(
        allow_null=True, help_text="End of the round; null before it is posted and once closed."
    )
    tables = TableCardSerializer(many=True)
    sit_outs = SitOutSerializer(
        many=True, help_text="The entrants who sit out; only directors see those who left."
    )
    matches = MatchSerializer(many=True, help_text="Matches of teams; empty if none play.")
    meet_again = serializers.ListField(
        child=StringListField(),
        help_text=(
            "Names of each two pairs or teams who met in an earlier posted round; of each two "
            "players in a round of a plan. Empty for everybody but directors."
        ),
    )
    moves_nobody = StringListField(help_text="On a ladder: codes of tables that move nobody.")
    removed_tables = RemovedTableSerializer(
        many=True, help_text="Tables that directors can restore; empty for everybody else."
    )


ANYWAY: Final = OpenApiParameter(
    "anyway", OpenApiTypes.BOOL, description="`true` to delete the recorded attendance too."
)


class NewMeetingSerializer(StrictSerializer):
    """A meeting to plan; date and time are local to the club."""

    date = DayField()
    time = ClockField(required=False, allow_null=True)
    place = TextField(left_out="")
    capacity = WholeNumberField(**_CAPACITY)


class MeetingChangeSerializer(StrictSerializer):
    """A change of a meeting; fields that are left out stay as they are."""

    date = DayField(required=False)
    time = ClockField(required=False, allow_null=True, help_text="Local time; null for none.")
    place = TextField(left_out=None)
    capacity = WholeNumberField(**_CAPACITY)
    state = ChoiceTextField(
        choices=[MeetingState.PLANNED, MeetingState.CANCELLED],
        left_out=None,
        help_text="New state of the meeting; `cancelled` needs a reason.",
    )
    reason = TextField(left_out="")


_SERIES_CAPACITY: Final[Mapping[str, Any]] = {
    **_CAPACITY,
    "help_text": "How many people may come to each, 0: everybody; null: as the event's settings "
    "say.",
}


class SeriesBreakSerializer(StrictSerializer):
    """Days without a meeting."""

    first = DayField()
    last = DayField(required=False, help_text="The last day; by default the first one.")
    reason = TextField(
        left_out="", help_text="Where it is given, the dates become cancelled meetings with it."
    )


class SeriesSerializer(StrictSerializer):
    """Meetings at an interval; dates and times are local to the club."""

    first = DayField(help_text="The first meeting; the others are on its day of the week.")
    last = DayField(required=False, help_text="The last day that may have a meeting.")
    number = WholeNumberField(
        code="bad_number_of_evenings",
        expected=f"1 to {MOST_EVENINGS}",
        within=(1, MOST_EVENINGS),
        required=False,
        allow_null=True,
        help_text="How many meetings, without those in breaks, in place of `last`.",
    )
    interval = ChoiceTextField(
        choices=SERIES_INTERVALS,
        left_out=SERIES_INTERVALS[0],
        help_text="`month` is the same day of the week of each month, such as the second Thursday.",
    )
    breaks = BodiesField(
        child=SeriesBreakSerializer(),
        max_length=MOST_BREAKS,
        expected=f"a list of up to {MOST_BREAKS} breaks",
        required=False,
    )
    left_out = DayListField(
        child=serializers.DateField(), left_out=[], help_text="Dates without a meeting."
    )
    time = ClockField(required=False, allow_null=True)
    place = TextField(left_out="")
    capacity = WholeNumberField(**_SERIES_CAPACITY)


class LaterMeetingsSerializer(StrictSerializer):
    """A change of a meeting and the later ones; members that are left out stay as they are."""

    weekday = ChoiceTextField(
        choices=WEEKDAYS, left_out="", help_text="The new day, in the same week from Monday on."
    )
    time = ClockField(required=False, allow_null=True, help_text="Local time; null for none.")
    place = TextField(left_out=None)
    capacity = WholeNumberField(**_SERIES_CAPACITY)


class CancelledMeetingsSerializer(StrictSerializer):
    """Days whose meetings are cancelled, and why."""

    first = DayField()
    last = DayField(required=False, help_text="The last day; by default the first one.")
    reason = TextField()


class SeriesDateSerializer(OutputSerializer):
    """A date, and what becomes of it."""

    date = serializers.DateField(source="day")
    state = serializers.ChoiceField(
        choices=[state.value for state in DateState],
        help_text="`plan`, `change` and `cancel` are changes; the others say why there is none: "
        "`in_break`, `left_out`, `past`, `planned` (already), `played` (it has a round or was "
        "ended), `cancelled`, `taken` (the event has a meeting on `to`), `day_past` (`to` is "
        "past), `other_weekday`, `has_adjustments`, `unchanged`.",
    )
    to = serializers.DateField(allow_null=True, help_text="New date of a meeting; else null.")
    reason = serializers.CharField(
        allow_blank=True, help_text="Reason of a break or of a cancelled meeting; else empty."
    )
    events = StringListField(help_text="Names of other events of the club that meet on the date.")


class SeriesDatesSerializer(OutputSerializer):
    """The dates of several meetings, with what becomes of each."""

    changes = serializers.IntegerField(help_text="Number of dates that are changes.")
    dates = SeriesDateSerializer(many=True)


class RemovedMeetingSerializer(OutputSerializer):
    """The meeting that was removed."""

    date = serializers.DateField()


def round_row(actor: Actor, event: Event, round_: Round) -> JsonDict:
    """Return a round with its tables for `RoundDetailSerializer`, as its reader may see it."""
    may_restore = may_do(event, "manage_event") and actor.is_within_scope("manage_event")
    tables = {
        "tables": round_cards(event, round_),
        "sit_outs": sit_outs_in(event, round_, with_left=may_restore),
        "matches": match_rows(event, round_),
        "meet_again": list_rematches(round_) if may_restore else (),
        "moves_nobody": [
            code
            for code, table in tables_on_ladder(event, table__round=round_).items()
            if table["problem"] is not None
        ],
        "removed_tables": removed_tables(event, round_) if may_restore else (),
    }
    head = {"number": round_.number, "state": round_.state, "meeting": round_.meeting}
    head["name"] = name_of_round(event, round_)
    head["clock"] = round_clock(event, round_, now=timezone.now())
    return head | {"snapshot": round_.snapshot} | tables


def _plan(op: Operation, event: Event, body: dict[str, Any]) -> Sequence[SeriesDate]:
    breaks = [
        Break(each["first"], each["last"] or each["first"], each["reason"])
        for each in body.get("breaks", ())
    ]
    return plan_series(
        op,
        event,
        first=body["first"],
        interval=body["interval"],
        last=body["last"],
        number=body.get("number"),
        breaks=breaks,
        left_out=body["left_out"],
        at=body.get("time"),
        place=body["place"],
        capacity=body.get("capacity"),
    )


def _change(op: Operation, meeting: Meeting, body: dict[str, Any]) -> Sequence[SeriesDate]:
    return change_later_meetings(
        op,
        meeting,
        weekday=body["weekday"],
        at=body.get("time", UNCHANGED),
        place=body["place"],
        capacity=body.get("capacity", UNCHANGED),
    )


def _cancel(op: Operation, event: Event, body: dict[str, Any]) -> Sequence[SeriesDate]:
    return cancel_meetings(op, event, first=body["first"], last=body["last"], reason=body["reason"])


def _dates(dates: Sequence[SeriesDate]) -> JsonDict:
    return {"changes": count_changes(dates), "dates": dates}


class MeetingViewSet(ResourceViewSet):
    """The meetings of an event, the newest first."""

    resource = ("meeting", "meetings")
    lookup_url_kwarg = "day"
    serializer_class = MeetingSerializer
    tag_of_row = staticmethod(meeting_tag)
    ordering = ("-date",)
    filters = (Filter("state", "Only meetings in this state.", MeetingState.values),)
    etag_text = "Mark of the meeting, for `If-Match`."
    retrieve = reads("One meeting, by its local date.")
    create = creates(plan_meeting, NewMeetingSerializer)
    partial_update = changes(change_meeting, MeetingChangeSerializer)
    destroy = writes(
        remove_meeting,
        None,
        answer=RemovedMeetingSerializer,
        if_match=ANY_TAG,
        query_parameters=(ANYWAY,),
    )
    end = performs(end_evening, "end")

    series = performs(
        plan_series, "series", body=SeriesSerializer, detail=False, answer=SeriesDatesSerializer
    )
    series_preview = previews(
        plan_series,
        "series-preview",
        SeriesSerializer,
        name="preview_series",
        detail=False,
        answer=SeriesDatesSerializer,
    )
    later = performs(
        change_later_meetings, "later", body=LaterMeetingsSerializer, answer=SeriesDatesSerializer
    )
    later_preview = previews(
        change_later_meetings,
        "later-preview",
        LaterMeetingsSerializer,
        name="preview_later_meetings",
        answer=SeriesDatesSerializer,
    )
    cancel = performs(
        cancel_meetings,
        "cancel",
        body=CancelledMeetingsSerializer,
        detail=False,
        answer=SeriesDatesSerializer,
    )
    cancel_preview = previews(
        cancel_meetings,
        "cancel-preview",
        CancelledMeetingsSerializer,
        name="preview_cancelled_meetings",
        detail=False,
        answer=SeriesDatesSerializer,
    )

    def perform_series(self, op: Operation, body: dict[str, Any]) -> JsonDict:
        return _dates(_plan(op, self.parent, body))

    def perform_series_preview(self, op: Operation, body: dict[str, Any]) -> JsonDict:
        """The dates of a series, with those that would be planned; nothing is stored."""
        return _dates(preview_dates(lambda: _plan(op, self.parent, body)))

    def perform_later(self, op: Operation, body: dict[str, Any]) -> JsonDict:
        return _dates(_change(op, self.get_object(), body))

    def perform_later_preview(self, op: Operation, body: dict[str, Any]) -> JsonDict:
        """The later meetings of a meeting, with those that would change; nothing is stored."""
        meeting = self.get_object()
        return _dates(preview_dates(lambda: _change(op, meeting, body)))

    def perform_cancel(self, op: Operation, body: dict[str, Any]) -> JsonDict:
        return _dates(_cancel(op, self.parent, body))

    def perform_cancel_preview(self, op: Operation, body: dict[str, Any]) -> JsonDict:
        """The meetings of some days, with those that would be cancelled; nothing is stored."""
        return _dates(preview_dates(lambda: _cancel(op, self.parent, body)))

    def perform_create(self, op: Operation, body: dict[str, Any]) -> Meeting:
        day = body["date"]
        at = body.get("time")
        capacity = body.get("capacity")
        return plan_meeting(op, self.parent, day=day, at=at, place=body["place"], capacity=capacity)

    def perform_update(self, op: Operation, body: dict[str, Any]) -> Meeting:
        day = body.pop("date", None)
        at = body.pop("time", UNCHANGED)
        return change_meeting(op, self.get_object(), day=day, at=at, **body)

    def perform_destroy(self, op: Operation, body: dict[str, Any]) -> Meeting:
        text = self.request.query_params.get("anyway", "false")
        if text not in ("true", "false"):
            raise bad_parameter("anyway", shown(text), "true or false")
        meeting = self.get_object()
        remove_meeting(op, meeting, anyway=text == "true", based_on=body["based_on"])
        return meeting

    def get_queryset(self, state: str = "") -> QuerySet[Meeting]:
        meetings = with_taken(meetings_of(self.parent)).select_related("event__club")
        rounds = Prefetch("rounds", rounds_of(self.parent))
        return limited(meetings.prefetch_related(rounds), state_now=state)

    def get_row(self, result: Meeting) -> Meeting:
        result.n_taken = count_taken(result)  # type: ignore[attr-defined]  # as `with_taken`
        return result

    def get_object(self) -> Meeting:
        return meeting_with_rounds(self.parent, date_of(self.kwargs["day"]))
