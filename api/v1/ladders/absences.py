"""Absences of a ladder's members, for members of the club."""

from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.idempotency import idempotent_write, json_answer
from api.lists.pagination import Listing
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import DayField, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.events.requested_event import requested_event
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.events import event_at
from tournaments.selectors.ladders.challenges import absence_lines
from tournaments.services.ladders.absences import end_absence, report_absence


class AbsenceSerializer(serializers.Serializer[Any]):
    """Local days on which a member is away, both included."""

    player_id = serializers.CharField(help_text="Code of the entrant.")
    player = serializers.CharField()
    since = serializers.DateField()
    until = serializers.DateField(allow_null=True, help_text="null: not known yet.")


class NewAbsenceSerializer(StrictSerializer):
    """A member's absence, with its days."""

    player_id = TextField(
        required=False, help_text="Left out: yourself. Hosts may name any member."
    )
    since = DayField()
    until = DayField(required=False, help_text="Left out: not known yet.")


class ReturnSerializer(StrictSerializer):
    """The end of an absence, with its day."""

    player_id = TextField(
        required=False, help_text="Left out: yourself. Hosts may name any member."
    )
    back = DayField(required=False, help_text="Left out: today.")


class AbsencesSerializer(serializers.Serializer[Any]):
    """A member's current absences."""

    results = AbsenceSerializer(many=True)


def _absences(actor: Actor, club: str, event: str) -> RenderedRows:
    """All absences of a ladder, past ones too, by the first day; for members of the club."""
    return absence_lines(event_at(actor, club, event))


ABSENCES: Final = Listing(
    name="absences",
    shape=AbsenceSerializer,
    rows=_absences,
    columns=("player_id", "player", "since", "until"),
    order=("since", "entrant__code"),
)


def _tell_absence(request: Request, club: str, event: str) -> HttpResponse:
    """Enter an absence: your own, or as a host that of a member."""
    actor, found = requested_event(request, club, event)
    sent = validated(request, NewAbsenceSerializer)
    row = report_absence(actor=actor, event=found, now=timezone.now(), **sent)
    lines = absence_lines(found)
    own = next(one for one in lines if (one.player_id, one.since) == (row.entrant.code, row.since))
    answer = json_answer(plain(AbsenceSerializer)(own), status=201)
    answer["Location"] = reverse("list_absences", args=[club, event])
    return answer


def _end_absence(request: Request, club: str, event: str) -> HttpResponse:
    """End the current absence, or else remove the next one.

    Your own, or as a host that of a member.
    """
    actor, found = requested_event(request, club, event)
    sent = validated(request, ReturnSerializer)
    entrant = end_absence(actor=actor, event=found, now=timezone.now(), **sent)
    own = [one for one in absence_lines(found) if one.player_id == entrant.code]
    return json_answer({"results": [plain(AbsenceSerializer)(one) for one in own]})


tell_absence_view = idempotent_write(
    _tell_absence, AbsenceSerializer, NewAbsenceSerializer, status=201
)
"""`POST E/absences`."""
end_absence_view = idempotent_write(_end_absence, AbsencesSerializer, ReturnSerializer)
"""`POST E/absences/end`."""
