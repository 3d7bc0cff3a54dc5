"""When the newest line of any club's audit trail was written; for monitoring."""

from datetime import datetime

from tournaments.models.audit import AuditLine


def newest_audit_line_at() -> datetime | None:
    """Return the moment of the line that was stored last; None where there is none."""
    return AuditLine.objects.order_by("-pk").values_list("at", flat=True).first()
