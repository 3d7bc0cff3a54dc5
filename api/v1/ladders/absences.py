"""Absences of a ladder's members, for members of the club."""

from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.fast_serialization import plain
from api.idempotent_writes import json_answer, sent_texts, written_once
from api.pagination import Listing
from api.query_parameters import allow_only
from api.v1.fields import sent_day
from scoring.errors import Problem, Refused
from tournaments.policy import Actor
from tournaments.selectors.db.raw_pagination import RenderedRows
from tournaments.selectors.events.events import event_at
from tournaments.selectors.ladders.challenges import absence_lines
from tournaments.services.ladders.absences import end_absence, tell_absence


class AbsenceSerializer(serializers.Serializer[Any]):
    """Local days on which a member is away, both included."""

    player_id = serializers.CharField(help_text="Code of the entrant.")
    player = serializers.CharField()
    since = serializers.DateField()
    until = serializers.DateField(allow_null=True, help_text="null: not known yet.")


class NewAbsenceSerializer(serializers.Serializer[Any]):
    """Who is away, and when."""

    player_id = serializers.CharField(
        required=False, help_text="Left out: yourself. Hosts may say anybody."
    )
    since = serializers.DateField()
    until = serializers.DateField(required=False, help_text="Left out: not known yet.")


class ReturnSerializer(serializers.Serializer[Any]):
    """Who is back, and from which day."""

    player_id = serializers.CharField(
        required=False, help_text="Left out: yourself. Hosts may say anybody."
    )
    back = serializers.DateField(required=False, help_text="Left out: today.")


class AbsencesSerializer(serializers.Serializer[Any]):
    """A member's absences as they stand now."""

    results = AbsenceSerializer(many=True)


def _absences(actor: Actor, club: str, event: str) -> RenderedRows:
    """Who is away, by the first day, the past ones too; members of the club are told."""
    return absence_lines(event_at(actor, club, event))


ABSENCES: Final = Listing(
    name="absences",
    shape=AbsenceSerializer,
    rows=_absences,
    columns=("player_id", "player", "since", "until"),
    order=("since", "entrant__code"),
)


def _tell_absence(request: Request, club: str, event: str) -> HttpResponse:
    """Say that you, or as a host somebody, will be away."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    body = dict(request.data)
    since = sent_day(body.pop("since", None), "since")
    until = sent_day(body.pop("until", None), "until")
    sent = sent_texts(body, ("player_id",))
    if since is None:
        raise Refused(Problem("bad_day", ("since",), {"found": ""}))
    row = tell_absence(
        actor=actor, event=found, since=since, until=until, now=timezone.now(), **sent
    )
    lines = absence_lines(found)
    own = next(one for one in lines if (one.player_id, one.since) == (row.entrant.code, row.since))
    answer = json_answer(plain(AbsenceSerializer)(own), status=201)
    answer["Location"] = reverse("list_absences", args=[club, event])
    return answer


def _end_absence(request: Request, club: str, event: str) -> HttpResponse:
    """Say that you, or as a host somebody, are back: the absence that runs ends, or else the next
    one is dropped."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    body = dict(request.data)
    back = sent_day(body.pop("back", None), "back")
    sent = sent_texts(body, ("player_id",))
    entrant = end_absence(actor=actor, event=found, back=back, now=timezone.now(), **sent)
    own = [one for one in absence_lines(found) if one.player_id == entrant.code]
    return json_answer({"results": [plain(AbsenceSerializer)(one) for one in own]})


tell_absence_view = written_once(_tell_absence, AbsenceSerializer, NewAbsenceSerializer, status=201)
"""`POST E/absences`."""
end_absence_view = written_once(_end_absence, AbsencesSerializer, ReturnSerializer)
"""`POST E/absences/end`."""
