"""The audit trail of a club, for its owners."""

from datetime import UTC, datetime
from typing import Final

from django.db.models import QuerySet
from django.utils.dateparse import parse_date, parse_datetime
from rest_framework import serializers

from api.lists import Filter
from api.query_parameters import bad_parameter
from api.resources import ResourceViewSet
from api.serializers.fast_serialization import OutputSerializer
from api.v1.fields import MomentField
from tournaments.models.audit import AuditLine, RefusedAct
from tournaments.selectors.audit import AuditFilter, list_audit_lines, list_refused_acts, made_by


class AuditLineSerializer(OutputSerializer):
    """One line of the audit trail."""

    number = serializers.IntegerField()
    at = MomentField()
    by = serializers.SerializerMethodField(
        help_text="User name of the account, or a label such as `link:3`, `command:demo`, `public`."
    )
    act = serializers.CharField()
    object = serializers.CharField(
        source="subject", help_text="Object of the act, such as `event:league/table:r1t2`."
    )
    facts = serializers.DictField(help_text="Details of the act: ids and numbers, never names.")
    digest = serializers.CharField(help_text="SHA-256 over this line and the digest before it.")

    def get_by(self, line: AuditLine) -> str:
        """Return who acted."""
        return made_by(line)


class RefusedActSerializer(OutputSerializer):
    """An act that was refused because the caller lacks the right to it, counted by the hour."""

    hour = MomentField(help_text="Start of the hour in which the attempts are counted.")
    by = serializers.SerializerMethodField(
        help_text="User name of the account, or a label such as `link:3`."
    )
    act = serializers.CharField(help_text="Name of the act, such as `manage_event`.")
    times = serializers.IntegerField(help_text="Number of attempts within the hour.")

    def get_by(self, row: RefusedAct) -> str:
        """Return who tried it."""
        return made_by(row)


_BY: Final = Filter("by", "Only rows whose `by` is exactly this user name or label.")
_SINCE: Final = Filter(
    "since", "Only rows from this day (such as 2025-11-06) or moment on, in UTC.", is_moment=True
)


class AuditViewSet(ResourceViewSet):
    """The audit trail of a club, the newest line first; for its owners."""

    resource = ("audit_line", "audit")
    read_right = "read_audit"
    serializer_class = AuditLineSerializer
    columns = ("number", "at", "by", "act", "object", "digest")
    ordering = ("-number",)
    filters = (
        _BY,
        Filter("act", "Only lines of this act, such as `give_role`."),
        Filter("object", "Only lines whose object begins with this text, such as `event:league`."),
        _SINCE,
    )

    def get_queryset(
        self, by: str = "", act: str = "", object: str = "", since: str = ""
    ) -> QuerySet[AuditLine]:
        return list_audit_lines(self.parent, AuditFilter(by, act, object, _moment(since)))


class RefusedActViewSet(ResourceViewSet):
    """The refused acts of a club, the newest hour first; for its owners."""

    resource = ("refused_act", "refused_acts")
    read_right = "read_audit"
    serializer_class = RefusedActSerializer
    ordering = ("-hour", "-id")
    filters = (_BY, Filter("act", "Only rows of this act, such as `manage_event`."), _SINCE)

    def get_queryset(self, by: str = "", act: str = "", since: str = "") -> QuerySet[RefusedAct]:
        return list_refused_acts(self.parent, AuditFilter(by, act, since=_moment(since)))


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    try:
        day, moment = parse_date(text), parse_datetime(text)
    except ValueError:
        day = moment = None
    if moment is None and day is not None:
        moment = datetime(day.year, day.month, day.day, tzinfo=UTC)
    if moment is None:
        expected = "a day as in 2025-11-06 or a moment as in 2025-11-06T20:41:09Z"
        raise bad_parameter("since", text[:40], expected)
    if not moment.tzinfo:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # the first or the last day that there is, said with an offset
        return moment.replace(tzinfo=UTC)
