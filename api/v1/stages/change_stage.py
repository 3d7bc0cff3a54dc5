"""One stage of an event: read with its ETag; changed, moved or removed by directors."""

from typing import Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.idempotency import idempotent_write, json_answer
from api.openapi import reading
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_serializers import EmptyBody, validated
from api.v1.events.requested_event import requested_event
from api.v1.stages.stages import PlanNumberField, StageFieldsSerializer, StageSerializer, plan_of
from tournaments.domain.etags import etag
from tournaments.selectors.events.cuts import stage_row
from tournaments.selectors.events.events import event_at
from tournaments.services.stages.plan_stages import (
    edit_stage,
    remove_stage,
    stage_tag,
)

IF_MATCH: Final = if_match_parameter("The ETag of the stage that you read, or `*`")
ETAG: Final = etag_parameter("Names exactly this plan, for `PATCH`.", 200)


class ChangedStageSerializer(StageFieldsSerializer):
    """Changes of a stage; `number` alone is the place of another planned stage."""

    number = PlanNumberField(help_text="The place among the planned stages.")


@reading("read_stage", StageSerializer, parameters=(ETAG,))
def read_stage(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """One stage of an event."""
    allow_only(request)
    found = event_at(caller(request), club, event)
    row = stage_row(found, number)
    return Response(plain(StageSerializer)(row), headers={"ETag": etag(stage_tag(row))})


def _change_stage(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Change a stage of which no round was posted, or give it another place.

    `If-Match` names the stage that you read, or is `*`. Without it the answer is 428; if somebody
    changed the stage meanwhile it is 412, with the current plan (`there`).
    """
    actor, found = requested_event(request, club, event)
    based_on = if_match_tag_or_any(request, of="stage") or ""
    fields = plan_of(validated(request, ChangedStageSerializer))
    to = fields.pop("number", None)
    row = edit_stage(
        actor=actor, event=found, number=number, fields=fields, to=to, based_on=based_on,
        now=timezone.now(),
    )  # fmt: skip
    answer = json_answer(plain(StageSerializer)(row))
    answer["ETag"] = etag(stage_tag(row))
    return answer


def _remove_stage(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Remove a planned stage; the answer is the stage as it was.

    `If-Match` names the stage that you read, or is `*`. Without it the answer is 428; if somebody
    changed the stage meanwhile it is 412, with the current plan (`there`), and the stage stays.
    """
    actor, found = requested_event(request, club, event)
    based_on = if_match_tag_or_any(request, of="stage") or ""
    row = remove_stage(
        actor=actor, event=found, number=number, based_on=based_on, now=timezone.now()
    )
    return json_answer(plain(StageSerializer)(row))


change_stage_view = idempotent_write(
    _change_stage,
    StageSerializer,
    ChangedStageSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
)
"""`PATCH E/stages/{number}`."""
remove_stage_view = idempotent_write(
    _remove_stage, StageSerializer, EmptyBody, method="DELETE", asks=(IF_MATCH,)
)
"""`DELETE E/stages/{number}`."""
