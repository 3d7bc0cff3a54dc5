"""The notices of an account, over all of its clubs."""

from uuid import UUID

from django.db.models import F, QuerySet

from tournaments.errors import Missing
from tournaments.models.notices import Notice


def notices_of(user_id: int) -> QuerySet[Notice]:
    """Return the notices of an account in clubs where it is a member, the newest first."""
    rows = Notice.objects.filter(user_id=user_id, club__memberships__user_id=F("user_id"))
    return rows.select_related("club", "user").order_by("-created_at", "-pk")


def unread_notices(user_id: int) -> QuerySet[Notice]:
    """Return the notices that an account has not read, the newest first."""
    return notices_of(user_id).filter(read_at__isnull=True)


def notice_at(user_id: int, public_id: UUID) -> Notice:
    """Return one notice of an account.

    Raises:
        Missing: notice.
    """
    found = notices_of(user_id).filter(public_id=public_id).first()
    if found is None:
        raise Missing("notice")
    return found
