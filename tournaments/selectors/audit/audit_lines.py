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


def event_subjects(event: Event) -> tuple[str, ...]:
    """Return what the audit trail calls an event: by its address, and by each that it had."""
    former = FormerEventSlug.objects.filter(event=event).order_by("pk")
    return tuple(f"event:{one}" for one in (event.slug, *former.values_list("slug", flat=True)))


def is_about(subjects: tuple[str, ...], rest: str) -> Q:
    """Return the condition of audit lines whose subject is one of `subjects` and begins so then."""
    return reduce(or_, (Q(subject__startswith=f"{subject}/{rest}") for subject in subjects))


R = TypeVar("R", AuditLine, RefusedAct)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """What a reader looks for; whatever is empty does not limit.

    `by` is a user name, or the label of who has no account (`link:3`, `command:demo`, `clock`),
    `object` the beginning of a subject (`event:league`), `since` and `before` moments.
    """

    by: str = ""
    act: str = ""
    object: str = ""
    since: datetime | None = None
    before: datetime | None = None


def list_audit_lines(club: Club, wanted: AuditFilter) -> QuerySet[AuditLine]:
    """Return the lines of a club that `wanted` asks for, the newest first, with their accounts."""
    lines = AuditLine.objects.filter(club=club).select_related("user").order_by("-number")
    if wanted.object:
        lines = lines.filter(subject__startswith=wanted.object)
    return _limited(lines, wanted, at="at")


def _limited(rows: QuerySet[R], wanted: AuditFilter, *, at: str) -> QuerySet[R]:
    if wanted.by:
        rows = rows.filter(Q(user__username=wanted.by) | Q(actor=wanted.by))
    if wanted.act:
        rows = rows.filter(act=wanted.act)
    if wanted.since is not None:
        rows = rows.filter(**{f"{at}__gte": wanted.since})
    if wanted.before is not None:
        rows = rows.filter(**{f"{at}__lt": wanted.before})
    return rows


def list_refused_acts(club: Club, wanted: AuditFilter) -> QuerySet[RefusedAct]:
    """Return the refused acts of a club that `wanted` asks for, the newest first; none by object,
    which they do not have."""
    acts = RefusedAct.objects.filter(club=club).select_related("user").order_by("-hour", "-id")
    if wanted.object:
        return acts.none()
    return _limited(acts, wanted, at="hour")


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
    return line.user.get_username() if line.user is not None else line.actor


def get_newest_audit_line_at() -> datetime | None:
    return AuditLine.objects.order_by("-pk").values_list("at", flat=True).first()
