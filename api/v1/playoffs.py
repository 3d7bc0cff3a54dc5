"""Tie-break play-offs."""

from collections.abc import Iterable, Sequence
from typing import cast

from django.http import HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import known_caller
from api.lists import Flat
from api.openapi import reading
from api.resources import ResourceViewSet, creates, performs, reads
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import MOST_TEXT, TextField, TextListField, WholeNumberField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer
from api.serializers.typed_documents import DocumentField, DocumentListField
from api.v1.addresses import managed_event
from api.v1.fields import IntegerListField, MomentField, ReasonSerializer, StringListField
from scoring.json_types import JsonDict
from tournaments.models.events import Event
from tournaments.models.hands import GameState
from tournaments.models.playoffs import Playoff, PlayoffState, PlayoffStepKind
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.playoffs.playoffs import PlayoffView, get_playoff, playoffs_of
from tournaments.services.operations import Operation
from tournaments.services.playoffs.director_actions import (
    answer_playoff,
    extend_playoff,
    move_playoff,
    play_off_tie,
    retire_member,
    seat_neutrals,
    waive_playoff,
)
from tournaments.services.previewing.documents import (
    CutChangeDocument,
    NumberChange,
    PlayoffChangeDocument,
    PlayoffRows,
)
from tournaments.services.previewing.playoff_answers import answers_about


class BoundarySerializer(OutputSerializer):
    """A cut-off: the line below place `above`."""

    kind = serializers.CharField(
        help_text=(
            "Kind of the line: `title`, `promotion`, `cut`, `prize`, `table` (the last place that "
            "goes on from a table) or `wild_card` (the last wild card of a round)."
        )
    )
    above = serializers.IntegerField()
    round = serializers.IntegerField(
        allow_null=True, help_text="Number of the round, for `table` and `wild_card`; else null."
    )
    table = serializers.IntegerField(
        allow_null=True, help_text="Number of the table; null except for `table`."
    )


class PlayoffMemberSerializer(OutputSerializer):
    """A tied entrant, and how far the play-off has gone for it."""

    player_id = serializers.CharField()
    player = serializers.CharField()
    status = serializers.CharField(
        help_text=(
            "State of the entrant: `playing`; `above` or `below` all cut-off lines of the "
            "play-off; `placed` between two of them; `gone` (it did not come or gave up)."
        )
    )
    total = serializers.CharField(
        allow_null=True,
        help_text="Points since it last started from 0; null while it does not play.",
    )
    made = StringListField(
        help_text="Totals of the finished games of the play-off; also `lot` or `gone`."
    )
    place = serializers.IntegerField(
        allow_null=True, help_text="Place within the group, from 1; null until decided."
    )


class PlayoffTableSerializer(OutputSerializer):
    """A table of a play-off; its hands are under `…/tables/{code}/hands`."""

    code = serializers.CharField()
    round = serializers.IntegerField()
    state = serializers.ChoiceField(choices=GameState.choices)
    is_open = serializers.BooleanField(help_text="Whether hands are entered there now.")
    hands = serializers.IntegerField()
    variant = serializers.CharField()
    fillers = serializers.IntegerField(
        help_text="Number of seats for neutral players, whose scores do not count."
    )
    members = StringListField()


class PlayoffStepSerializer(OutputSerializer):
    """A step of a play-off: a hand, a withdrawal, heats, further hands or lots."""

    number = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=PlayoffStepKind.choices)
    at = MomentField()
    by = serializers.CharField(
        help_text="Role of the person who did it; `policy` for a setting of the event."
    )
    table = serializers.CharField(allow_blank=True)
    hand = serializers.IntegerField(allow_null=True)
    player_id = serializers.CharField(allow_blank=True)
    scores = serializers.DictField(
        allow_null=True,
        help_text=(
            "Scores of the hand by id of the entrant; null for other steps and for a hand that no "
            "longer counts."
        ),
    )
    facts = serializers.DictField()


class ChairSerializer(OutputSerializer):
    """A seat of a neutral player at an open table."""

    table = serializers.CharField()
    seat = serializers.CharField()
    player_id = serializers.CharField(allow_blank=True)
    player = serializers.CharField(allow_blank=True)


class PlayoffSerializer(OutputSerializer):
    """A tie at a cut-off, and how it is played off."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=PlayoffState.choices)
    policy = serializers.CharField()
    boundaries = BoundarySerializer(many=True)
    cuts = IntegerListField(help_text="Number of members above each cut-off line.")
    ahead = serializers.IntegerField(help_text="Number of entrants ahead of the tied members.")
    members = PlayoffMemberSerializer(many=True)
    tiers = serializers.ListField(
        child=StringListField(),
        help_text="Ids of the members who have not given up, best first, tied members together.",
    )
    tables = PlayoffTableSerializer(many=True)
    kind = serializers.CharField(
        allow_blank=True,
        help_text=(
            "Current way of playing: `fillers`, `two_hands`, `table`, `cancellation`, `heats`; "
            "`lot` where no table is possible."
        ),
    )
    hands_left = serializers.IntegerField(allow_null=True)
    is_exhausted = serializers.BooleanField(
        help_text="Whether all planned hands are played; then allow more, or draw lots."
    )
    is_waived = serializers.BooleanField()
    is_asked = serializers.BooleanField(help_text="Whether a director has to answer `asked`.")
    asked = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)
    seed = serializers.CharField(allow_null=True, help_text="Seed of the lots; null without.")
    detected_at = MomentField()
    decided_at = MomentField(allow_null=True)
    steps = PlayoffStepSerializer(many=True)
    chairs = ChairSerializer(
        many=True, help_text="Seats of neutral players at open tables, clockwise."
    )
    may = StringListField(
        help_text="Acts that you may do now: states for `…/moves`, ends of addresses (`extend`)."
    )


class PlayoffMoveSerializer(StrictSerializer):
    """The new state of a play-off."""

    to = TextField(help_text="New state: `scheduled`, `by_lot` or `void`.")
    reason = TextField(required=False, help_text="Reason; needed for `void`.")


class NeutralSerializer(StrictSerializer):
    """Players for the seats of neutral players."""

    players = TextListField(
        child=serializers.CharField(max_length=MOST_TEXT, allow_blank=True),
        help_text=(
            "Ids or names of the players, clockwise from the first seat of a neutral player; an "
            "empty text leaves its seat as it is."
        ),
    )


class PlayoffRetirementSerializer(StrictSerializer):
    """A member who does not come or gives up."""

    player_id = TextField()
    why = TextField(help_text="Reason: `no_show` or `withdrawn`.")


class ExtendSerializer(StrictSerializer):
    """The number of further hands."""

    hands = WholeNumberField(code="bad_number_of_hands", expected="1 to 100", min_value=1)


class WaiveSerializer(ReasonSerializer):
    """The reason to share the places."""


class PlayoffAnswerSerializer(StrictSerializer):
    """The answer about a finished play-off whose group a correction has changed."""

    answer = TextField(help_text="`keep` the result, or `redo` the play-off.")
    reason = TextField()


class AnswerPreviewSerializer(OutputSerializer):
    """The effect of an answer."""

    answer = serializers.CharField(help_text="`keep` the result, or `redo` the play-off.")
    rows = DocumentField(
        PlayoffRows, help_text="Rows of the standings that would differ from the published ones."
    )
    playoffs = DocumentListField(
        PlayoffChangeDocument, help_text="Effect on each play-off, as in the preview of a hand."
    )
    cuts = DocumentListField(
        CutChangeDocument,
        help_text="Effect on each cut: entrants who then go on (`in`) or no longer go on (`out`).",
    )
    tables = StringListField(help_text="Codes of tables without hands that are removed.")
    publication = DocumentField(
        NumberChange, help_text="Number of the publication, before and after."
    )


class AnswersSerializer(OutputSerializer):
    """The answers that directors may give about a finished play-off; empty without a question."""

    answers = AnswerPreviewSerializer(many=True)


class PlayoffViewSet(ResourceViewSet):
    """The play-offs of an event by number, those in state `void` included."""

    resource = ("playoff", "playoffs")
    lookup_url_kwarg = lookup_value_converter = lookup_field = "number"
    serializer_class = PlayoffSerializer
    ordering = ()
    columns = (
        *("number", "state", "policy", "boundaries", "player_id", "player", "status", "total"),
        *("made", "place"),
    )
    retrieve = reads("One play-off: its state after the last hand, and all its steps.")
    moves = performs(move_playoff, "moves", body=PlayoffMoveSerializer)
    neutral = performs(seat_neutrals, "neutral", body=NeutralSerializer)
    gone = performs(retire_member, "gone", body=PlayoffRetirementSerializer, name="playoff_gone")
    extend = performs(extend_playoff, "extend", body=ExtendSerializer)
    waive = performs(waive_playoff, "waive", body=WaiveSerializer)
    answer = performs(answer_playoff, "answer", body=PlayoffAnswerSerializer)

    def get_queryset(self) -> Sequence[PlayoffView]:
        return playoffs_of(self.parent, may_direct=may_do(self.parent, "manage_event"))

    def get_subject(self) -> Event:
        return cast("Event", self.parent)

    def get_arguments(self, body: JsonDict) -> JsonDict:
        return {**body, "number": self.kwargs["number"]}

    def get_row(self, result: Event | Playoff) -> PlayoffView:
        number = result.number if isinstance(result, Playoff) else self.kwargs["number"]
        return get_playoff(self.parent, number, may_direct=may_do(self.parent, "manage_event"))

    def get_lines(self, row: Flat) -> Iterable[Flat]:
        of = {name: row[name] for name in ("number", "state", "policy")}
        lines = "; ".join(f"{line['kind']} {line['above']}" for line in row["boundaries"])
        for member in row["members"]:
            totals = ", ".join(member["made"])
            yield {**of, "boundaries": lines, **{**member, "made": totals}}


class StagePlayoffViewSet(ResourceViewSet):
    """The play-off of a tie that keeps a stage from beginning."""

    resource = ("playoff", "playoffs")
    serializer_class = PlayoffSerializer
    lookup_url_kwarg = "number"
    lookup_field = "number"
    ordering = ()
    create = creates(play_off_tie, EmptyBody)
    get_arguments, get_row = PlayoffViewSet.get_arguments, PlayoffViewSet.get_row


@reading("read_playoff_answers", AnswersSerializer, right="manage_event")
def read_playoff_answers(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The effect of each answer that a director may give about a finished play-off.

    For directors. Nothing is stored.
    """
    the_event = managed_event(request, club, event)
    if not get_playoff(the_event, number).is_asked:
        return Response({"answers": []})
    answer_previews = answers_about(
        Operation(known_caller(request), timezone.now()), the_event, number
    )
    return Response({"answers": [answer_preview.as_json() for answer_preview in answer_previews]})
