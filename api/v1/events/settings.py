"""The settings of an event, changed with a reason, and the log of its changes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag
from api.idempotency import idempotent_write, json_answer
from api.lists import SINCE, Filter, limited, listing
from api.openapi import reading
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import ObjectField, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.serializers.typed_documents import DocumentField
from api.v1.addresses import requested_event
from api.v1.fields import MomentField
from scoring.errors import Problem
from scoring.json_types import JsonObject
from tournaments.domain.etags import etag
from tournaments.domain.event_settings import Settings, as_stored, settings_of, tag_of
from tournaments.domain.messages import sentence
from tournaments.models.events import Event
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.change_log import change_rows, sides_of
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.settings_checks import (
    current_facts,
    tie_break_warnings,
    unusable_criteria,
)
from tournaments.services.events.change_event import change_settings, has_hands
from tournaments.services.operations import Operation

IF_MATCH: Final = if_match_parameter("The ETag of the settings that you looked at, or `*`")
ETAG: Final = etag_parameter("Mark of the settings as they are, for `If-Match` of a `PATCH`.", 200)


class SettingNoteSerializer(OutputSerializer):
    """A note on a setting, for information only."""

    code = serializers.CharField()
    key = serializers.CharField(help_text="Key of the setting or of the tie-break.")
    message = serializers.CharField()


class SettingsSerializer(OutputSerializer):
    """The settings of an event."""

    settings = DocumentField(
        Settings, help_text="Settings by key; docs/event-settings.md lists the values of each."
    )
    has_hands = serializers.BooleanField(help_text="Whether hands exist: a change needs a reason.")
    no_effect = SettingNoteSerializer(
        many=True, help_text="Notes on tie-breaks for which the sheets lack the data."
    )
    warnings = SettingNoteSerializer(
        many=True, help_text="Notes on gaps of the tie-breaks, such as ties that stay."
    )


class SettingsChangeSerializer(StrictSerializer):
    """The settings to change."""

    settings = ObjectField(
        expected="an object of settings", help_text="Settings to change; others stay as they are."
    )
    reason = TextField(required=False, help_text="Reason in a sentence; needed after a first hand.")


@reading("read_settings", SettingsSerializer, parameters=(ETAG,))
def read_settings(request: Request, club: str, event: str) -> HttpResponseBase:
    """The current settings of an event."""
    current_event = get_event(caller(request), club, event)
    return Response(
        plain(SettingsSerializer)(_document(current_event)), headers={"ETag": _etag(current_event)}
    )


@idempotent_write(
    SettingsSerializer,
    SettingsChangeSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
    operation=change_settings,
)
def change_settings_view(request: Request, club: str, event: str) -> HttpResponse:
    actor, current_event = requested_event(request, club, event)
    based_on = if_match_tag(request, of="settings")
    body = validated(request, SettingsChangeSerializer)
    op, values = Operation(actor, timezone.now()), body["settings"]
    if isinstance(placement := values.get("placement"), Mapping):
        # A list for one size of table keeps those for the others.
        values = {**values, "placement": {**settings_of(current_event).placement, **placement}}
    change_settings(op, current_event, values=values, reason=body["reason"], based_on=based_on)
    current_event = get_event(actor, club, event)
    return json_answer(
        plain(SettingsSerializer)(_document(current_event)), tag=_etag(current_event)
    )


def _etag(event: Event) -> str:
    return etag(tag_of(settings_of(event)))


def _document(event: Event) -> JsonObject:
    settings = settings_of(event)
    idle = unusable_criteria(settings, current_facts(event), seed=event.seed)
    return {
        "settings": as_stored(settings),
        "has_hands": has_hands(event),
        "no_effect": [_note(problem, key) for key, problem in idle.items()],
        "warnings": [_note(problem, "tie_breaks") for problem in tie_break_warnings(settings)],
    }


def _note(problem: Problem, key: str) -> Mapping[str, str]:
    return {"code": problem.code, "key": key, "message": sentence(problem)}


class ChangeSerializer(OutputSerializer):
    """One change: a correction, a deleted hand, a penalty, a ruling, a change of settings, a
    reopening.
    """

    version = serializers.IntegerField(help_text="Version of the event that contains the change.")
    at = MomentField()
    kind = serializers.CharField(help_text="Kind, such as `correct_hand` or `settings`.")
    by = serializers.CharField(help_text="Role of who made the change; `clock`: automatic.")
    table = serializers.CharField(
        help_text="Code of the table, empty for a change that concerns no table."
    )
    number = serializers.IntegerField(allow_null=True, help_text="Number of the hand, or null.")
    reason = serializers.CharField()
    facts = serializers.DictField(help_text="Details by kind, such as the revision of a hand.")
    before = serializers.SerializerMethodField(help_text="Old value, such as an entry or a state.")
    after = serializers.SerializerMethodField(help_text="New value; null if there is none.")
    publication = serializers.IntegerField(
        allow_null=True, help_text="Number of the first publication that has the change."
    )

    def get_before(self, row: Change) -> Any:
        """Return the value before."""
        return sides_of(row)[0]

    def get_after(self, row: Change) -> Any:
        """Return the value after."""
        return sides_of(row)[1]


@listing(
    "changes",
    ChangeSerializer,
    columns=("version", "at", "kind", "by", "table", "number", "reason", "publication"),
    order=("-id",),
    filters=(
        SINCE,
        Filter("kind", "Only changes of this kind, as in `correct_hand`."),
        Filter("table", "Only changes at the table with this code."),
    ),
)
def list_changes(
    actor: Actor, club: str, event: str, since: str = "", kind: str = "", table: str = ""
) -> RenderedRows:
    """The change log of an event, the newest first; with `since` a version, only later changes."""
    rendered_rows = change_rows(actor, club, event, int(since or 0))
    return replace(rendered_rows, rows=limited(rendered_rows.rows, kind=kind, table=table))
