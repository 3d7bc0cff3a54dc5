"""Stages of an event: planned, cut, undone, changed with their ETag, moved and removed."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import conditional
from api.openapi import reading
from api.query_parameters import allow_only
from api.resource_schema import ANY_TAG
from api.resources import ResourceViewSet, changes, creates, performs, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import ChoiceTextField, NumberOrTextField, StrictField, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.serializers.typed_documents import DocumentField, DocumentListField
from api.v1.addresses import managed_event
from api.v1.fields import (
    EntrantReferenceSerializer,
    IntegerListField,
    MomentField,
    ReasonSerializer,
    StringListField,
)
from api.v1.standings.standings import StandingsSerializer
from scoring.errors import Problem
from tournaments.models.events import Carry, Seeding, Stage, StageKind, StageTakes
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.players import is_same_for_everybody
from tournaments.selectors.stages import StageRow, get_stage, stage_row, stage_rows, stage_tag
from tournaments.selectors.standings.history import stage_table, stage_to_rank
from tournaments.services.operations import Operation
from tournaments.services.previewing.documents import (
    AnswerPreviewDocument,
    CutChangeDocument,
    NumberChange,
    PlayoffChangeDocument,
    PlayoffRows,
    RefusedAnswerDocument,
)
from tournaments.services.previewing.playoff_answers import answers_about_cut
from tournaments.services.stages.cuts import ANSWERS, answer_cut, make_cut, require_cut, undo_cut
from tournaments.services.stages.plan_stages import (
    begin_stage,
    edit_stage,
    plan_stage,
    remove_stage,
)

MAKE_CUT: Final = """Start a further stage at once, or plan one.

With only `cut` and `name` the best of the standings go on at once, and new rounds belong to the
new stage. With any other field the stage is only planned; start it later with `begin`."""


class StageMemberSerializer(EntrantReferenceSerializer):
    """An entrant who went on into the stage."""


class CutQuestionSerializer(OutputSerializer):
    """A question about a cut: which entrants would go on after a correction."""

    above = serializers.IntegerField(help_text="Number of entrants who go on.")
    tie = serializers.BooleanField(help_text="Whether a tie would span the cut-off line.")
    come = serializers.CharField(help_text="Codes of who would come in, or `nobody`.")
    go = serializers.CharField(help_text="Codes of who would go out, or `nobody`.")
    shared = serializers.IntegerField(
        default=None,
        allow_null=True,
        help_text=(
            "Number of entrants who have gone on, if the correction changes who shares the last "
            "place; otherwise null."
        ),
    )


class StageSerializer(OutputSerializer):
    """A stage of an event; `cut` is the number of entrants who went on into it, or null."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=StageKind.choices)
    cut = serializers.IntegerField(allow_null=True)
    made_at = MomentField(allow_null=True)
    rounds = IntegerListField()
    went_on = StageMemberSerializer(many=True)
    asked = CutQuestionSerializer(
        allow_null=True, help_text="Open question about the cut after a correction, or null."
    )
    state = serializers.ChoiceField(choices=["planned", "begun"])
    planned_rounds = serializers.IntegerField(
        allow_null=True, help_text="Number of rounds planned; null for no fixed number."
    )
    table_sizes = IntegerListField()
    carry = serializers.ChoiceField(
        choices=Carry.choices, help_text="Weight of the games before the stage."
    )
    from_stage = serializers.IntegerField(
        allow_null=True, help_text="Number of the stage that the entrants come from, or null."
    )
    takes = serializers.ChoiceField(
        choices=StageTakes.choices,
        help_text="Whether those who go on from `from_stage` play here, or the others.",
    )
    advance = serializers.DictField(
        allow_null=True,
        child=serializers.IntegerField(),
        help_text=(
            "Rule for who goes on: `best`, or `each_table` and `wild_cards`; null: everybody."
        ),
    )
    seeding = serializers.ChoiceField(
        choices=Seeding.choices, help_text="Order of the entrants in the first draw."
    )
    each_round = serializers.DictField(
        allow_null=True,
        child=serializers.IntegerField(),
        help_text="Rule for who goes on from a knock-out round; null: the best two of each table.",
    )
    from_round = serializers.IntegerField(
        allow_null=True,
        help_text="Only for a consolation: the knock-out round whose losers enter it; else null.",
    )
    also_from = serializers.IntegerField(
        allow_null=True, help_text="Number of a second stage whose best come back, or null."
    )
    also_best = serializers.IntegerField(
        allow_null=True, help_text="Number of entrants who come back from `also_from`."
    )


@extend_schema_field(OpenApiTypes.INT)
class CutField(NumberOrTextField):
    """How many go on; as a text, too, as a form sends it."""


class NewCutSerializer(StrictSerializer):
    """A cut to make."""

    cut = CutField(help_text="Number of entrants who go on.")
    name = TextField(required=False, help_text="Name of the stage.")


class PlanField(StrictField, serializers.JSONField):
    """A value of a stage's plan as it was sent; the service judges it. Null is no intention."""

    def __init__(self, **more: Any) -> None:
        super().__init__(required=False, allow_null=True, **more)

    def to_internal_value(self, data: object) -> object:
        return data


@extend_schema_field(OpenApiTypes.STR)
class PlanTextField(PlanField):
    """A text; the service has the choices."""


@extend_schema_field(OpenApiTypes.INT)
class PlanNumberField(PlanField):
    """A number."""


@extend_schema_field({"type": "array", "items": {"type": "integer"}, "nullable": True})
class PlanSizesField(PlanField):
    """A list of table sizes."""


@extend_schema_field(
    {"type": "object", "additionalProperties": {"type": "integer"}, "nullable": True}
)
class AdvanceField(PlanField):
    """Who goes on to a stage."""


class StageFieldsSerializer(StrictSerializer):
    """The plan of a stage; fields that are left out stay as they are."""

    name = PlanTextField(help_text="Name of the stage.")
    movement = PlanTextField(help_text="Movement, which answers have as `kind`.")
    rounds = PlanNumberField(help_text="Number of rounds planned; null for no fixed number.")
    table_sizes = PlanSizesField(help_text="Seats that tables may have, such as `[4, 3]`.")
    carry = PlanTextField(help_text="Weight of earlier games: `all`, `half`, `none` or `seeding`.")
    from_stage = PlanNumberField(help_text="Stage of the entrants; null for the one before.")
    takes = PlanTextField(
        help_text="Players of the stage: `winners` (who go on) or `losers` (the others)."
    )
    advance = AdvanceField(
        help_text=(
            'Rule for who goes on: `{"best": 8}`, `{"each_table": 2, "wild_cards": 1}`, or null '
            "for everybody."
        )
    )
    seeding = PlanTextField(help_text="Draw by `standings`, `ladder` (start positions) or `lot`.")
    each_round = AdvanceField(
        help_text=(
            'Rule for who goes on from each round of a knock-out, such as `{"each_table": 2, '
            '"wild_cards": 1}`; null for the best two of each table.'
        )
    )
    from_round = PlanNumberField(
        help_text=(
            "Only for a consolation: the knock-out round whose losers enter it; null: round 1."
        )
    )
    also_from = PlanNumberField(
        help_text="Number of a second earlier stage whose best come back; null for none."
    )
    also_best = PlanNumberField(help_text="Number of entrants who come back from `also_from`.")


class NewStageSerializer(StageFieldsSerializer):
    """A stage to plan or, with only `cut` and `name`, one that begins at once."""

    cut = CutField(left_out=empty, help_text="Number of best entrants who go on at once.")


class AnswerSerializer(StrictSerializer):
    """The answer about a cut: `keep` the entrants who went on, or `redo` the cut."""

    answer = ChoiceTextField(choices=list(ANSWERS))
    reason = TextField()


class CutAnswerSerializer(OutputSerializer):
    """The effect of an answer, or the code of its refusal."""

    answer = serializers.ChoiceField(choices=list(ANSWERS))
    refused = serializers.CharField(required=False)
    rows = DocumentField(
        PlayoffRows,
        required=False,
        help_text="Rows of the standings that would differ from the published ones.",
    )
    playoffs = DocumentListField(
        PlayoffChangeDocument,
        required=False,
        help_text="Play-offs that would change, in the form of a preview.",
    )
    cuts = DocumentListField(
        CutChangeDocument,
        required=False,
        help_text="Cuts that would change, with the entrants who come `in` and go `out`.",
    )
    tables = StringListField(required=False, help_text="Codes of tables to be removed.")
    publication = DocumentField(
        NumberChange, required=False, help_text="Number of the publication before and after."
    )


class CutAnswersSerializer(OutputSerializer):
    """The answers that directors may give about a cut; empty without a question."""

    answers = CutAnswerSerializer(many=True)


class ChangedStageSerializer(StageFieldsSerializer):
    """Changes of a stage; `number` moves a planned stage to another place."""

    number = PlanNumberField(help_text="New number: the place of another planned stage.")


PLANNED: Final = frozenset(StageFieldsSerializer().fields) - {"name"}
"""Members of a body that plans a stage."""


def plan_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the plan that was sent, with null for a text as an empty one."""
    texts = {"name": "", "carry": "all", "takes": "winners", "seeding": "standings"}
    return {
        key: texts[key] if value is None and key in texts else value for key, value in body.items()
    }


class StageViewSet(ResourceViewSet):
    """The stages of an event by number, play-offs included."""

    resource = ("stage", "stages")
    lookup_url_kwarg = lookup_value_converter = "number"
    serializer_class = StageSerializer
    row_selector = staticmethod(get_stage)
    rows_selector = staticmethod(stage_rows)
    tag_of_row = staticmethod(stage_tag)
    ordering = ()
    columns = ("number", "name", "kind", "cut", "made_at", "rounds")
    etag_text = "Mark of the stage's plan, for `If-Match`."
    create = creates(make_cut, NewStageSerializer, text=MAKE_CUT)
    partial_update = changes(edit_stage, ChangedStageSerializer, name="change_stage")
    destroy = writes(remove_stage, None, answer=StageSerializer, if_match=ANY_TAG)
    begin = performs(begin_stage, "begin")
    undo = performs(undo_cut, "undo", body=ReasonSerializer, answer=StageSerializer)
    answer = performs(answer_cut, "answer", body=AnswerSerializer)

    def retrieve(self, request: Request, **address: str) -> HttpResponseBase:
        """One stage of an event."""
        allow_only(request)
        return self.read(stage_row(self.parent, self.kwargs["number"]))

    def perform_create(self, op: Operation, body: dict[str, Any]) -> Stage:
        if "cut" in body or not PLANNED.intersection(body):
            return make_cut(op, self.parent, **validated(self.request, NewCutSerializer))
        return plan_stage(op, self.parent, fields=plan_of(body))

    def perform_update(self, op: Operation, body: dict[str, Any]) -> StageRow:
        based_on = body.pop("based_on")
        fields = plan_of(body)
        to = fields.pop("number", None)
        return edit_stage(op, self.get_object(), fields=fields, to=to, based_on=based_on)

    def perform_undo(self, op: Operation, body: dict[str, Any]) -> StageRow:
        stage = self.get_object()
        row = stage_row(self.parent, self.kwargs["number"])
        undo_cut(op, stage, reason=body["reason"])
        return row

    def get_row(self, result: Stage | StageRow) -> StageRow:
        if isinstance(result, StageRow):
            return result
        return stage_row(self.parent, result.number)


@reading("read_cut_answers", CutAnswersSerializer, right="manage_event")
def read_cut_answers(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The effect that each answer about a cut would have; for directors. Nothing is stored.

    An answer that cannot be given has `refused`, the code of the refusal.
    """
    current_event = managed_event(request, club, event)
    stage = get_stage(current_event, number)
    require_cut(stage)
    if stage.asked is None:
        return Response({"answers": []})
    answers: list[AnswerPreviewDocument | RefusedAnswerDocument] = [
        {"answer": answer, "refused": preview.code}
        if isinstance(preview, Problem)
        else preview.as_json()
        for answer, preview in answers_about_cut(
            Operation(known_caller(request), timezone.now()), stage
        ).items()
    ]
    return Response({"answers": answers})


@reading("read_stage_standings", StandingsSerializer, has_etag=True)
def read_stage_standings(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """The standings of one stage: only its own games count, and nothing is carried over.

    A worker computes them after each publication. The answer has no `publication`.
    """
    current_event = get_event(caller(request), club, event)
    table = stage_table(current_event, stage_to_rank(current_event, number))
    content = partial(HttpResponse, table.body, content_type="application/json")
    return conditional(request, table.etag, content, is_public=is_same_for_everybody(current_event))
