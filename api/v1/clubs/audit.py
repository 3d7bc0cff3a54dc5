"""The audit trail and the mails of a club, for its owners."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from django.db.models import QuerySet
from django.utils.dateparse import parse_date, parse_datetime
from rest_framework import serializers

from api.lists import Filter
from api.query_parameters import bad_parameter
from api.resources import ResourceViewSet, performs
from api.serializers.fast_serialization import OutputSerializer
from api.v1.fields import MomentField
from tournaments.models.audit import AuditLine, RefusedAct
from tournaments.models.outbox import Outbox
from tournaments.selectors.audit import AuditFilter, list_audit_lines, list_refused_acts, made_by
from tournaments.selectors.notices.outbox import MAIL_STATES, get_mail, mail_rows
from tournaments.services.notices.outbox import send_mail_again
from tournaments.services.operations import Operation


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

    resource, read_right = ("audit_line", "audit"), "read_audit"
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

    resource, read_right = ("refused_act", "refused_acts"), "read_audit"
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


class MailSerializer(OutputSerializer):
    """A mail of the club: waiting, failed permanently (`parked`), or sent in the last 30 days."""

    number = serializers.IntegerField()
    kind = serializers.CharField()
    to = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=MAIL_STATES)
    error = serializers.CharField(
        allow_blank=True, help_text="Error of the last failed attempt; empty once the mail is sent."
    )
    attempts = serializers.IntegerField()
    created_at = MomentField()
    due_at = MomentField(help_text="Time of the next attempt; of the last one if none follows.")
    sent_at = MomentField(allow_null=True)


class SentAgainSerializer(OutputSerializer):
    """The mail for which another attempt was scheduled."""

    number = serializers.IntegerField(source="pk")


class MailViewSet(ResourceViewSet):
    """The mails of a club: failed ones first, then waiting, then sent ones; for its owners."""

    resource, read_right = ("mail", "mails"), "read_mail"
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    serializer_class = MailSerializer
    ordering = ()
    filters = (Filter("state", "Only mails in this state.", MAIL_STATES),)
    send = performs(send_mail_again, "send", body=None, answer=SentAgainSerializer)

    def get_queryset(self, state: str = "") -> Sequence[dict[str, object]]:
        rows = mail_rows(self.parent, with_site=self.actor.is_site_admin)
        return [row for row in rows if state in ("", row["state"])]

    def perform_send(self, op: Operation, _body: dict[str, object]) -> Outbox:
        mail = get_mail(self.parent, self.kwargs["number"], with_site=op.actor.is_site_admin)
        send_mail_again(op, self.parent, mail=mail)
        return mail
