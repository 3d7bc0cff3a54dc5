"""What the audit trail calls an event: by its present address, and by each that it had."""

from functools import reduce
from operator import or_

from django.db.models import Q

from tournaments.models.events import Event, FormerEventSlug


def event_subjects(event: Event) -> tuple[str, ...]:
    """Return what the audit trail calls an event: by its address, and by each that it had."""
    former = FormerEventSlug.objects.filter(event=event).order_by("pk")
    return tuple(f"event:{one}" for one in (event.slug, *former.values_list("slug", flat=True)))


def is_about(subjects: tuple[str, ...], rest: str) -> Q:
    """Return the condition of audit lines whose subject is one of `subjects` and begins so then."""
    return reduce(or_, (Q(subject__startswith=f"{one}/{rest}") for one in subjects))
