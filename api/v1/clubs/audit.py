"""The audit trail and the mails of a club, for its owners."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from api.idempotency import idempotent_write, json_answer
from api.lists.list_filters import Filter
from api.lists.pagination import Listing
from api.query_parameters import bad_parameter
from api.serializers.fast_serialization import OutputSerializer
from api.v1.addresses import managed_club, requested_club
from api.v1.fields import MomentField
from tournaments.models.audit import AuditLine, RefusedAct
from tournaments.models.clubs import Club
from tournaments.policy import Actor
from tournaments.selectors.audit import AuditFilter, list_audit_lines, list_refused_acts, made_by
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.notices.outbox import MAIL_STATES, mail_rows
from tournaments.services.notices.outbox import send_again
from tournaments.services.permissions import require_role


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


def _lines(
    actor: Actor, club: str, by: str = "", act: str = "", object: str = "", since: str = ""
) -> QuerySet[AuditLine]:
    """The audit trail of a club, the newest line first; for its owners."""
    return list_audit_lines(_club(actor, club), AuditFilter(by, act, object, _moment(since)))


def _refused_acts(
    actor: Actor, club: str, by: str = "", act: str = "", since: str = ""
) -> QuerySet[RefusedAct]:
    """The refused acts of a club, the newest hour first; for its owners."""
    return list_refused_acts(_club(actor, club), AuditFilter(by, act, since=_moment(since)))


def _club(actor: Actor, slug: str) -> Club:
    club = get_club(actor, slug)
    if actor.kind == "public":
        raise NotAuthenticated
    require_role(actor, str(getattr(club, "role", "")), "read_audit")
    return club


_BY: Final = Filter("Only rows whose `by` is exactly this user name or label.")
_SINCE: Final = Filter(
    "Only rows from this day (such as 2025-11-06) or moment on, in UTC.", is_moment=True
)
AUDIT: Final = Listing(
    name="audit",
    shape=AuditLineSerializer,
    rows=_lines,
    columns=("number", "at", "by", "act", "object", "digest"),
    order=("-number",),
    filters={
        "by": _BY,
        "act": Filter("Only lines of this act, such as `give_role`."),
        "object": Filter("Only lines whose object begins with this text, such as `event:league`."),
        "since": _SINCE,
    },
)
REFUSED_ACTS: Final = Listing(
    name="refused_acts",
    shape=RefusedActSerializer,
    rows=_refused_acts,
    order=("-hour", "-id"),
    filters={
        "by": _BY,
        "act": Filter("Only rows of this act, such as `manage_event`."),
        "since": _SINCE,
    },
)


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

    number = serializers.IntegerField()


def _mails(actor: Actor, club: str, state: str = "") -> Sequence[dict[str, object]]:
    """The mails of a club: failed ones first, then waiting, then sent ones; for its owners."""
    home = managed_club(actor, club, "read_mail")
    rows = mail_rows(home, with_site=actor.is_site_admin)
    return [row for row in rows if state in ("", row["state"])]


MAILS: Final = Listing(
    name="mails",
    shape=MailSerializer,
    rows=_mails,
    filters={"state": Filter("Only mails in this state.", MAIL_STATES)},
)


@idempotent_write(SentAgainSerializer, None)
def send_mail_again_view(request: Request, club: str, number: int) -> HttpResponse:
    """Retry an undelivered mail at once. The answer is 409 if the mail was already sent."""
    actor, home = requested_club(request, club)
    send_again(actor=actor, club=home, number=number, now=timezone.now())
    return json_answer({"number": number})
