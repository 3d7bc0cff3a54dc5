"""The mails of a club, for its owners."""

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotent_writes import idempotent_write, json_answer
from api.lists.list_filters import Filter, limited_rows
from api.lists.pagination import Listing
from api.query_parameters import allow_only
from api.v1.fields import MomentField
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import club_at
from tournaments.selectors.notices.club_mails import MAIL_STATES, MailRow, mail_rows
from tournaments.services.access.permissions import require
from tournaments.services.clubs.send_again import send_again


class MailSerializer(serializers.Serializer[Any]):
    """A mail that waits, was given up, or was sent in the last 30 days."""

    number = serializers.IntegerField()
    kind = serializers.CharField()
    to = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=MAIL_STATES)
    error = serializers.CharField(
        allow_blank=True, help_text="Of the last try that failed; empty once it is sent."
    )
    attempts = serializers.IntegerField()
    created_at = MomentField()
    due_at = MomentField(help_text="When it is tried next, or was tried last.")
    sent_at = MomentField(allow_null=True)


class SentAgainSerializer(serializers.Serializer[Any]):
    """The mail that is tried anew."""

    number = serializers.IntegerField()


def _mails(actor: Actor, club: str, state: str = "") -> Sequence[MailRow]:
    """The mails of a club: given up first, then those that wait, then sent ones; for its owners."""
    home = club_at(actor, club)
    if actor.kind == "public":
        raise NotAuthenticated
    require(actor, home, "read_mail")
    return limited_rows(mail_rows(home, with_site=actor.is_site_admin), state=state)


MAILS: Final = Listing(
    name="mails",
    shape=MailSerializer,
    rows=_mails,
    columns=(
        *("number", "kind", "to", "state", "error", "attempts", "created_at", "due_at", "sent_at"),
    ),
    filters={"state": Filter("Only mails in this state.", MAIL_STATES)},
)


def _send_mail_again(request: Request, club: str, number: int) -> HttpResponse:
    """Have a mail that was not delivered tried anew, at once. One that was sent: 409."""
    allow_only(request)
    actor = known_caller(request)
    home = club_at(actor, club)
    send_again(actor=actor, club=home, number=number, now=timezone.now())
    return json_answer({"number": number})


send_mail_again_view = idempotent_write(_send_mail_again, SentAgainSerializer, None)
"""`POST C/mail/{number}/send`."""
