"""One stage of an event: read with its ETag, and changed or moved by directors."""

from typing import Any, Final

from django.db import transaction
from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.fast_serialization import plain
from api.idempotent_writes import idempotent_write, json_answer
from api.openapi import reading
from api.query_parameters import allow_only
from api.strict_serializers import validated
from api.v1.stages.stages import PlanNumberField, StageFieldsSerializer, StageSerializer, plan_of
from tournaments.domain.etags import etag
from tournaments.selectors.events.cuts import stage_row
from tournaments.selectors.events.events import event_at
from tournaments.services.stages.plan_stages import change_stage, move_stage, stage_tag

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
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    based_on = if_match_tag_or_any(request, of="stage") or ""
    fields = plan_of(validated(request, ChangedStageSerializer))
    to = fields.pop("number", None)
    about: dict[str, Any] = {"actor": actor, "event": found, "now": timezone.now()}
    with transaction.atomic():
        if fields or to is None:
            change_stage(**about, number=number, fields=fields, based_on=based_on)
            based_on = ""  # the plan is another one now
        if to is not None:
            move_stage(**about, number=number, to=to, based_on=based_on)
            number = to
    row = stage_row(found, number)
    answer = json_answer(plain(StageSerializer)(row))
    answer["ETag"] = etag(stage_tag(row))
    return answer


change_stage_view = idempotent_write(
    _change_stage,
    StageSerializer,
    ChangedStageSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
)
"""`PATCH E/stages/{number}`."""
