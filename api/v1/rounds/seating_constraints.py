"""Seating constraints of an event, for directors: read with their reasons, added, removed."""

from typing import Final

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.request import Request

from api.idempotency import created, idempotent_write, json_answer
from api.lists.pagination import Listing
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.addresses import managed_event
from api.v1.events.events import requested_event
from api.v1.fields import MomentField
from api.v1.rounds.seating_plans import NumberField
from tournaments.models.seating_plans import ConstraintKind, SeatingConstraint
from tournaments.policy import Actor
from tournaments.selectors.seating_plans.plans import constraints_of
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


class RemovedConstraintSerializer(OutputSerializer):
    """The constraint that was removed."""

    id = serializers.UUIDField()


def _constraints(actor: Actor, club: str, event: str) -> QuerySet[SeatingConstraint]:
    """The seating constraints of an event with their reasons; for directors."""
    return constraints_of(managed_event(actor, club, event, "manage_event"))


CONSTRAINTS: Final = Listing(
    name="constraints",
    shape=ConstraintSerializer,
    rows=_constraints,
    order=("pk",),
)


@idempotent_write(ConstraintSerializer, NewConstraintSerializer, status=201)
def add_constraint_view(request: Request, club: str, event: str) -> HttpResponse:
    """Add a constraint; one that contradicts another is refused with the names of both players."""
    actor, the_event = requested_event(request, club, event)
    body = validated(request, NewConstraintSerializer)
    constraint = add_constraint(actor=actor, event=the_event, now=timezone.now(), **body)
    return created(plain(ConstraintSerializer)(constraint), "list_constraints", club, event)


@idempotent_write(RemovedConstraintSerializer, None, method="DELETE")
def remove_constraint_view(
    request: Request, club: str, event: str, constraint: str
) -> HttpResponse:
    """Remove a constraint; plans that were made stay as they are."""
    actor, the_event = requested_event(request, club, event)
    remove_constraint(actor=actor, event=the_event, constraint=constraint, now=timezone.now())
    return json_answer({"id": constraint})
