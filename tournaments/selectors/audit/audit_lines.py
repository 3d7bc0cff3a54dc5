"""Lines of a club's audit trail, for its owners: the newest first, by person, act, object and day.

Facts and subjects hold ids; who an account is today is read with the line.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club


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


def audit_lines(club: Club, wanted: AuditFilter) -> QuerySet[AuditLine]:
    """Return the lines of a club that `wanted` asks for, the newest first, with their accounts."""
    lines = AuditLine.objects.filter(club=club).select_related("user").order_by("-number")
    if wanted.by:
        lines = lines.filter(Q(user__username=wanted.by) | Q(actor=wanted.by))
    if wanted.act:
        lines = lines.filter(act=wanted.act)
    if wanted.object:
        lines = lines.filter(subject__startswith=wanted.object)
    if wanted.since is not None:
        lines = lines.filter(at__gte=wanted.since)
    if wanted.before is not None:
        lines = lines.filter(at__lt=wanted.before)
    return lines


def acts_in(club: Club) -> Sequence[str]:
    """Return the acts that a club's trail has, by name."""
    acts = AuditLine.objects.filter(club=club).order_by("act").values_list("act", flat=True)
    return tuple(acts.distinct())


def people_in(club: Club) -> Sequence[str]:
    """Return the names of the accounts that a club's trail has, by name."""
    lines = AuditLine.objects.filter(club=club, user__isnull=False)
    names = lines.order_by("user__username").values_list("user__username", flat=True)
    return tuple(names.distinct())


def made_by(line: AuditLine) -> str:
    """Return the name of the account behind a line, or the label of who has none."""
    return line.user.get_username() if line.user is not None else line.actor
