"""Who sits out in a round: added with the reason, and undone."""

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.idempotent_writes import idempotent_write, json_answer
from api.serializers.strict_fields import ChoiceTextField, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.events.requested_event import requested_event
from api.v1.rounds.meetings import RoundDetailSerializer, round_json
from tournaments.models.meetings import SitOutReason
from tournaments.selectors.events.events import round_at
from tournaments.services.access.permissions import require
from tournaments.services.events.sit_outs import end_sit_out, sit_out


class NewSitOutSerializer(StrictSerializer):
    """An entrant who does not play in a round."""

    entrant = TextField(help_text="Code of the entrant.")
    reason = ChoiceTextField(
        choices=SitOutReason.choices, help_text="A `bye` may be worth something, see the settings."
    )


class SitOutRemovalSerializer(serializers.Serializer[Any]):
    """The entrant who may be seated again."""

    entrant = serializers.CharField()


def _add_sit_out(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Record that an entrant does not play in a round, and why; `sit_outs` of the round has it."""
    actor, found = requested_event(request, club, event)
    require(actor, found.club, "manage_event")
    round_ = round_at(found, number)
    sent = validated(request, NewSitOutSerializer)
    sit_out(
        actor=actor,
        round_=round_,
        entrant=sent["entrant"],
        reason=sent["reason"],
        now=timezone.now(),
    )
    return json_answer(round_json(actor, found, round_at(found, number)), status=201)


def _remove_sit_out(
    request: Request, club: str, event: str, number: int, entrant: str
) -> HttpResponse:
    """Undo a sit-out, so that the entrant may be seated in the round."""
    actor, found = requested_event(request, club, event)
    require(actor, found.club, "manage_event")
    round_ = round_at(found, number)
    end_sit_out(actor=actor, round_=round_, entrant=entrant, now=timezone.now())
    return json_answer({"entrant": entrant})


add_sit_out_view = idempotent_write(
    _add_sit_out, RoundDetailSerializer, NewSitOutSerializer, status=201, tells=()
)
"""`POST E/rounds/{n}/sit-outs`."""
remove_sit_out_view = idempotent_write(
    _remove_sit_out, SitOutRemovalSerializer, None, method="DELETE"
)
"""`DELETE E/rounds/{n}/sit-outs/{entrant}`."""
