"""The check of a table's sheet against the paper: whether it was made, and making it."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.idempotent_writes import idempotent_write, json_answer
from api.openapi import reading
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.fields import MomentField
from tournaments.models.events import Event
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.score_sheet import game_at, table_sheet
from tournaments.selectors.rounds.sheet_verification import sheet_digest, sheet_verification_of
from tournaments.services.access.permissions import require
from tournaments.services.rounds.sheet_verification import confirm_sheet


class SheetCheckSerializer(serializers.Serializer[Any]):
    """A table's sheet, and who last found that it says what the paper says."""

    table = serializers.CharField()
    state = serializers.CharField(help_text="Of the table.")
    sheet = serializers.CharField(
        help_text="Names exactly these hands with their revisions; for the check."
    )
    checked = serializers.BooleanField(help_text="Whether this sheet was checked as it is now.")
    checked_by = serializers.CharField(allow_null=True, help_text="Null: nobody ever checked it.")
    checked_at = MomentField(allow_null=True)


class NewSheetCheckSerializer(StrictSerializer):
    """The sheet that was compared with the paper."""

    sheet = TextField(help_text="`sheet` of what you compared.")


@reading("read_sheet_check", SheetCheckSerializer)
def read_sheet_check(request: Request, club: str, event: str, code: str) -> HttpResponseBase:
    """Whether a table's sheet was checked against the paper; for those who may enter hands there.

    Raises:
        NotAuthenticated: not_signed_in.
        Forbidden: enter_hand.
    """
    allow_only(request)
    actor = caller(request)
    found = event_at(actor, club, event, code=code)
    if actor.kind == "public":
        raise NotAuthenticated
    require(actor, found.club, "enter_hand", table_id=game_at(found, code).table_id)
    return Response(_document(found, code))


def _check_sheet(request: Request, club: str, event: str, code: str) -> HttpResponse:
    """Record that a table's sheet says what the paper says; a game that plays is complete then.

    `sheet` names what was compared. If a hand was entered or changed since, the answer is 409
    (`sheet_changed`).
    """
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event, code=code)
    game = game_at(found, code)
    require(actor, found.club, "enter_hand", table_id=game.table_id)
    sent = validated(request, NewSheetCheckSerializer)
    confirm_sheet(actor=actor, game=game, seen=sent["sheet"], now=timezone.now())
    return json_answer(_document(found, code))


def _document(event: Event, code: str) -> Mapping[str, object]:
    sheet = table_sheet(event, code)
    last = sheet_verification_of(event, sheet)
    body = {
        "table": code,
        "state": sheet.state,
        "sheet": sheet_digest(sheet),
        "checked": last is not None and last.is_current,
        "checked_by": last.by if last is not None else None,
        "checked_at": last.at if last is not None else None,
    }
    return plain(SheetCheckSerializer)(body)


check_sheet_view = idempotent_write(_check_sheet, SheetCheckSerializer, NewSheetCheckSerializer)
"""`POST E/tables/{code}/sheet-check`."""
