"""A mark of an event's rows that is another one after each change, for the ETags of live pages."""

from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.fields import CharField
from django.db.models.functions import Cast, Coalesce, Concat

from tournaments.models.audit import AuditHead
from tournaments.models.outbox import EVENT_PREFIX, Dirty


def marks_of_changes(*more: QuerySet[Any, Any]) -> Concat:
    """Return a database expression for a mark of an event: its version, and its club's acts.

    Hands raise the version of the event's queue row, all other acts leave a line in the audit trail
    of the club; some do both.

    Args:
        more: subqueries of one column, whose value is part of the mark as well.
    """
    scope = Concat(Value(EVENT_PREFIX), Cast(OuterRef("pk"), CharField()))
    marks = (
        AuditHead.objects.filter(club=OuterRef("club")).values("number")[:1],
        Dirty.objects.filter(scope=scope).values("version")[:1],
        *more,
    )
    texts = [Coalesce(Cast(Subquery(one), CharField()), Value("")) for one in marks]
    return Concat(*(part for one in texts for part in (one, Value("-"))))
