"""The settings of an event, changed with a reason, and the log of its changes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rest_framework import serializers

from api.lists import SINCE, Filter, Flat, limited, listing
from api.resource_schema import IfMatch
from api.resources import ResourceViewSet, changes, reads
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import TextField
from api.serializers.strict_serializers import StrictSerializer
from api.serializers.typed_documents import DocumentChangeField, DocumentField
from api.v1.fields import MomentField
from scoring.errors import Problem
from scoring.json_types import JsonDict
from tournaments.domain.event_settings import Settings, as_stored, settings_of, tag_of
from tournaments.domain.messages import sentence
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.change_log import change_rows, sides_of
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.settings_checks import (
    current_facts,
    evening_warnings,
    tie_break_warnings,
    unusable_criteria,
)
from tournaments.selectors.standings.opening_values import bye_warnings
from tournaments.services.events.change_event import change_settings, has_hands


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
        many=True,
        help_text="Notes on gaps: ties that stay, byes that wait for a number of games.",
    )


class SettingsChangeSerializer(StrictSerializer):
    """The settings to change."""

    settings = DocumentChangeField(
        document=Settings,
        expected="an object of settings",
        help_text="Settings to change; others stay as they are.",
    )
    reason = TextField(required=False, help_text="Reason in a sentence; needed after a first hand.")


class SettingsViewSet(ResourceViewSet):
    """The settings of an event."""

    is_single = True
    resource = ("settings", "settings")
    serializer_class = SettingsSerializer
    etag_text = "Mark of the settings as they are, for `If-Match` of a `PATCH`."
    retrieve = reads("The current settings of an event.")
    partial_update = changes(
        change_settings,
        SettingsChangeSerializer,
        if_match=IfMatch(text="The ETag of the settings that you looked at, or `*`"),
    )

    def get_arguments(self, body: JsonDict) -> JsonDict:
        values = body["settings"]
        if isinstance(placement := values.get("placement"), Mapping):
            # A list for one size of table keeps those for the others.
            values = {**values, "placement": {**settings_of(self.parent).placement, **placement}}
        return {"values": values, "reason": body["reason"], "based_on": body["based_on"]}

    def get_row(self, result: object) -> Flat:
        event = get_event(self.actor, self.parent.club.slug, self.parent.slug)
        settings = settings_of(event)
        idle = unusable_criteria(settings, current_facts(event), seed=event.seed)
        return {
            "settings": as_stored(settings),
            "has_hands": has_hands(event),
            "no_effect": [_note(problem, key) for key, problem in idle.items()],
            "warnings": [
                *(_note(problem, "tie_breaks") for problem in tie_break_warnings(settings)),
                *(_note(problem, "bye_award") for problem in bye_warnings(event)),
                *(
                    _note(problem, "evening_points")
                    for problem in evening_warnings(event, settings)
                ),
            ],
            "tag": tag_of(settings),
        }

    def get_tag(self, row: Flat) -> str:
        return str(row["tag"])


def _note(problem: Problem, key: str) -> Mapping[str, str]:
    return {"code": problem.code, "key": key, "message": sentence(problem)}


class ChangeSerializer(OutputSerializer):
    """One change: a correction, a deleted hand, a penalty, a ruling, a change of settings, a
    reopening.
    """

    version = serializers.IntegerField(help_text="Version of the event that contains the change.")
    at = MomentField()
    kind = serializers.CharField(help_text="Kind, such as `correct_hand` or `settings`.")
    by = serializers.CharField(
        help_text="Role of who made the change; `clock`, `upgrade`: automatic."
    )
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
