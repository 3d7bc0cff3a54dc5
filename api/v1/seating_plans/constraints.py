"""Seating constraints of an event, for directors: read with their reasons, added, removed."""

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.fields import empty

from api.resources import ResourceViewSet, creates, removes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import TextField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import MomentField
from api.v1.seating_plans.seating_plans import NumberField
from tournaments.models.seating_plans import ConstraintKind, SeatingConstraint
from tournaments.selectors.seating_plans.plans import constraints_of, get_constraint
from tournaments.services.seating_plans.constraints import add_constraint, remove_constraint


class ConstraintSerializer(OutputSerializer):
    """Two players who sit apart or together, or one player at a fixed table."""

    id = serializers.UUIDField(source="public_id")
    kind = serializers.ChoiceField(choices=ConstraintKind.choices)
    player = serializers.CharField(source="player.player_id")
    other = serializers.CharField(source="other.player_id", default=None, allow_null=True)
    table = serializers.IntegerField(source="table_number", allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    created_at = MomentField()


class NewConstraintSerializer(StrictSerializer):
    """A constraint to add."""

    kind = TextField(help_text="`apart`, `together` or `fixed_table`.")
    player = TextField(help_text="Id of a player.")
    other = TextField(left_out=empty, help_text="The second player, for `apart` and `together`.")
    table = NumberField(left_out=empty, help_text="Number of the table, for `fixed_table`.")
    reason = TextField(left_out=empty, help_text="The reason; only directors can read it.")


class ConstraintViewSet(ResourceViewSet):
    """The seating constraints of an event with their reasons; for directors."""

    resource, read_right = ("constraint", "constraints"), "manage_event"
    lookup_url_kwarg = "constraint"
    serializer_class = ConstraintSerializer
    create = creates(add_constraint, NewConstraintSerializer)
    destroy = removes(remove_constraint, "RemovedConstraint", "The constraint that was removed.")

    def get_queryset(self) -> QuerySet[SeatingConstraint]:
        return constraints_of(self.parent)

    def get_object(self) -> SeatingConstraint:
        return get_constraint(self.parent, self.kwargs["constraint"])
