"""The change log of an event: changes of results that had counted."""

from dataclasses import replace
from typing import Any

from rest_framework import serializers

from api.lists.list_filters import Filter, limited
from api.lists.pagination import Listing
from api.v1.fields import MomentField
from tournaments.models.standings import Change
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.change_log import change_rows, sides_of


class ChangeSerializer(serializers.Serializer[Any]):
    """One change: a correction, a deleted hand, a penalty, a ruling, a change of settings, a
    reopening.
    """

    version = serializers.IntegerField(help_text="The event's version that contains it.")
    at = MomentField()
    kind = serializers.CharField(help_text="`correct_hand`, `void_hand`, `settings` and so on.")
    by = serializers.CharField(help_text="The role that made it, or `clock`; never a name.")
    table = serializers.CharField(
        help_text="Code of the table, empty for a change that concerns no table."
    )
    number = serializers.IntegerField(allow_null=True, help_text="Number of the hand.")
    reason = serializers.CharField()
    facts = serializers.DictField(help_text="The revision, or details that depend on the kind.")
    before = serializers.SerializerMethodField(help_text="The value before: an entry, a state …")
    after = serializers.SerializerMethodField(help_text="The value after.")
    publication = serializers.IntegerField(
        allow_null=True, help_text="The first publication that holds it."
    )

    def get_before(self, row: Change) -> Any:
        """Return the value before."""
        return sides_of(row)[0]

    def get_after(self, row: Change) -> Any:
        """Return the value after."""
        return sides_of(row)[1]


def _changes(
    actor: Actor, club: str, event: str, since: int = 0, kind: str = "", table: str = ""
) -> RenderedRows:
    """The change log of an event, the newest first; with `since` a version, only later changes."""
    found = change_rows(actor, club, event, since)
    return replace(found, rows=limited(found.rows, kind=kind, table=table))


CHANGES = Listing(
    name="changes",
    shape=ChangeSerializer,
    rows=_changes,
    columns=("version", "at", "kind", "by", "table", "number", "reason", "publication"),
    order=("-id",),
    has_since=True,
    filters={
        "kind": Filter("Only changes of this kind, as in `correct_hand`."),
        "table": Filter("Only changes at the table with this code."),
    },
)
