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
        help_text="User name of the account, or `link:3`, `command:demo`, `public`."
    )
    act = serializers.CharField()
    object = serializers.CharField(source="subject", help_text="As in `event:league/table:r1t2`.")
    facts = serializers.DictField(help_text="Ids and numbers, never names.")
    digest = serializers.CharField(help_text="SHA-256 that chains the line to the one before.")

    def get_by(self, line: AuditLine) -> str:
        """Return who acted."""
        return made_by(line)


class RefusedActSerializer(OutputSerializer):
    """An act that somebody tried within an hour and may not do."""

    hour = MomentField(help_text="When the hour began.")
    by = serializers.SerializerMethodField(help_text="User name of the account, or `link:3`.")
    act = serializers.CharField(help_text="The act in the table of roles, such as `manage_event`.")
    times = serializers.IntegerField(help_text="How often within the hour.")

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
    """Refused acts of a club, those of the newest hour first; for its owners."""
    return list_refused_acts(_club(actor, club), AuditFilter(by, act, since=_moment(since)))


def _club(actor: Actor, slug: str) -> Club:
    club = get_club(actor, slug)
    if actor.kind == "public":
        raise NotAuthenticated
    require_role(actor, str(getattr(club, "role", "")), "read_audit")
    return club


_BY: Final = Filter("Only lines of this user name or label.")
_SINCE: Final = Filter(
    "Only lines from this day (2025-11-06) or moment on, in UTC.", is_moment=True
)
AUDIT: Final = Listing(
    name="audit",
    shape=AuditLineSerializer,
    rows=_lines,
    columns=("number", "at", "by", "act", "object", "digest"),
    order=("-number",),
    filters={
        "by": _BY,
        "act": Filter("Only lines of this act, as in `give_role`."),
        "object": Filter("Only lines whose object begins with this text, as in `event:league`."),
        "since": _SINCE,
    },
)
REFUSED_ACTS: Final = Listing(
    name="refused_acts",
    shape=RefusedActSerializer,
    rows=_refused_acts,
    order=("-hour", "-id"),
    filters={"by": _BY, "act": Filter("Only this act, as in `manage_event`."), "since": _SINCE},
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
    """A mail that waits, was given up, or was sent in the last 30 days."""

    number = serializers.IntegerField()
    kind = serializers.CharField()
    to = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=MAIL_STATES)
    error = serializers.CharField(
        allow_blank=True, help_text="Error of the last failed attempt; empty once the mail is sent."
    )
    attempts = serializers.IntegerField()
    created_at = MomentField()
    due_at = MomentField(help_text="When it is tried next, or was tried last.")
    sent_at = MomentField(allow_null=True)


class SentAgainSerializer(OutputSerializer):
    """The mail that is sent again."""

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
    """Send a mail that was not delivered again, at once. A mail that was sent is 409."""
    actor, home = requested_club(request, club)
    send_again(actor=actor, club=home, number=number, now=timezone.now())
    return json_answer({"number": number})
