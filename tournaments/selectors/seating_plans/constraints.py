"""The seating constraints of an event."""

from uuid import UUID

from django.db.models import QuerySet

from tournaments.errors import Missing
from tournaments.models.events import Event
from tournaments.models.seating_plans import SeatingConstraint


def constraints_of(event: Event) -> QuerySet[SeatingConstraint]:
    """Return the constraints of an event, the first one first, with their players.

    The caller has asked whether the reader may manage the event: reasons are in them.
    """
    rows = SeatingConstraint.objects.filter(event=event).select_related("player", "other")
    return rows.order_by("created_at", "pk")


def constraint_at(event: Event, constraint: str | UUID) -> SeatingConstraint:
    """Return one constraint of an event, with its players.

    Raises:
        Missing: unknown_constraint.
    """
    try:
        key = constraint if isinstance(constraint, UUID) else UUID(constraint)
    except ValueError:
        raise Missing("constraint", {"constraint": str(constraint)[:40]}) from None
    found = constraints_of(event).filter(public_id=key).first()
    if found is None:
        raise Missing("constraint", {"constraint": str(key)})
    return found
