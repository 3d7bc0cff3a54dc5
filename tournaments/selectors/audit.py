"""Lines of a club's audit trail, for its owners and for monitoring."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import TypeVar

from django.db.models import Q, QuerySet

from tournaments.models.audit import AuditLine, RefusedAct
from tournaments.models.clubs import Club
from tournaments.models.events import Event, FormerEventSlug

R = TypeVar("R", AuditLine, RefusedAct)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Filters of the audit trail; an empty one is not applied.

    `by` is a user name, or the label of who has no account (`link:3`, `command:demo`, `clock`),
    `object` the beginning of a subject (`event:league`), `since` and `before` moments.
    """

    by: str = ""
    act: str = ""
    object: str = ""
    since: datetime | None = None
    before: datetime | None = None


def event_subjects(event: Event) -> tuple[str, ...]:
    """Return what the audit trail calls an event: by its address, and by each that it had."""
    former = FormerEventSlug.objects.filter(event=event).order_by("pk")
    return tuple(f"event:{slug}" for slug in (event.slug, *former.values_list("slug", flat=True)))


def is_about(subjects: tuple[str, ...], rest: str) -> Q:
    """Return the condition of audit lines whose subject is one of `subjects` and begins so then."""
    return reduce(or_, (Q(subject__startswith=f"{subject}/{rest}") for subject in subjects))


def list_audit_lines(club: Club, criteria: AuditFilter) -> QuerySet[AuditLine]:
    """Return the lines of a club that meet the criteria, the newest first, with their accounts."""
    lines = AuditLine.objects.filter(club=club).select_related("user").order_by("-number")
    if criteria.object:
        lines = lines.filter(subject__startswith=criteria.object)
    return _limited(lines, criteria, at="at")


def _limited(rows: QuerySet[R], criteria: AuditFilter, *, at: str) -> QuerySet[R]:
    if criteria.by:
        rows = rows.filter(Q(user__username=criteria.by) | Q(actor=criteria.by))
    if criteria.act:
        rows = rows.filter(act=criteria.act)
    if criteria.since is not None:
        rows = rows.filter(**{f"{at}__gte": criteria.since})
    if criteria.before is not None:
        rows = rows.filter(**{f"{at}__lt": criteria.before})
    return rows


def list_refused_acts(club: Club, criteria: AuditFilter) -> QuerySet[RefusedAct]:
    """Return the refused acts of a club that meet the criteria, the newest first; none by object,
    which they do not have."""
    acts = RefusedAct.objects.filter(club=club).select_related("user").order_by("-hour", "-id")
    if criteria.object:
        return acts.none()
    return _limited(acts, criteria, at="hour")


def list_operations_in(club: Club) -> Sequence[str]:
    return _values(club, "act")


def list_people_in(club: Club) -> Sequence[str]:
    """Return the names of the accounts that a club's lines and refused acts have, by name."""
    return _values(club, "user__username")


def _values(club: Club, column: str) -> Sequence[str]:
    values: set[str | None] = set()
    for rows in (AuditLine.objects.filter(club=club), RefusedAct.objects.filter(club=club)):
        values.update(rows.values_list(column, flat=True).distinct())
    return tuple(sorted(value for value in values if value is not None))


def made_by(line: AuditLine | RefusedAct) -> str:
    if line.user is None:
        return line.actor
    return line.user.get_username()


def get_newest_audit_line_at() -> datetime | None:
    return AuditLine.objects.order_by("-pk").values_list("at", flat=True).first()
