"""Tokens of accounts and clubs."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotency import created, idempotent_write, json_answer
from api.lists.pagination import Listing
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import ChoiceTextField, TextField, WholeNumberField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.addresses import managed_event, uuid_of
from api.v1.events.events import requested_event
from api.v1.fields import MomentField
from scoring.errors import Problem, Refused
from tournaments.errors import Missing
from tournaments.models.access import Scope, TableLink, Token
from tournaments.models.events import Event
from tournaments.models.meetings import Table
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import (
    LinkedTable,
    list_linked_tables,
    list_tables_with_links,
    secrets_of,
)
from tournaments.selectors.access.tokens import list_tokens_of, list_tokens_of_club
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_round
from tournaments.services.access.table_links import LASTS, make_link, make_links, revoke_links
from tournaments.services.access.table_links import LONGEST as LONGEST_LINK
from tournaments.services.access.tokens import (
    LONGEST,
    create_own_token,
    require_own_account,
    revoke_club_token,
    revoke_own_token,
)
from tournaments.services.permissions import require, require_role

DAYS: Final = 90
"""Days that a token works where the request names none."""
_MOST_DAYS: Final = 10**6
"""Further than the service counts; more days would not fit into a `timedelta`."""


class TokenSerializer(OutputSerializer):
    """A valid token. Its plain text is shown only once, when it is created."""

    id = serializers.UUIDField(source="public_id")
    name = serializers.CharField()
    scope = serializers.ChoiceField(choices=Scope.choices)
    club = serializers.CharField(
        source="club.slug",
        allow_null=True,
        default=None,
        help_text="Slug of the club that the token is bound to; null for all clubs of the account.",
    )
    created_at = MomentField(source="made_at")
    expires_at = MomentField(allow_null=True)
    used_at = MomentField(allow_null=True, help_text="Time of the last use, to the hour, or null.")


class ClubTokenSerializer(TokenSerializer):
    """A token that is bound to a club, with the account that it acts as."""

    username = serializers.CharField(source="user.username")


class CreatedTokenSerializer(TokenSerializer):
    """A new token with its plain text."""

    token = serializers.CharField(help_text="Plain text of the token. Only this answer shows it.")


class NewTokenSerializer(StrictSerializer):
    """A token to create."""

    name = TextField(help_text="Name that tells its purpose, up to 60 characters.")
    scope = ChoiceTextField(
        choices=Scope.choices, help_text="Rights of the token, within those of your role."
    )
    club = TextField(required=False, help_text="Slug of a club to bind it to; by default none.")
    days = WholeNumberField(
        code="bad_token_time",
        expected=str(LONGEST.days),
        within=(-_MOST_DAYS, _MOST_DAYS),
        left_out=DAYS,
        min_value=1,
        max_value=LONGEST.days,
        help_text=f"Days of validity, up to {LONGEST.days}; {DAYS} by default.",
    )


class RevokedTokenSerializer(OutputSerializer):
    """The token that was revoked."""

    id = serializers.UUIDField()


def _tokens(actor: Actor) -> QuerySet[Token]:
    """Your own valid tokens, the newest first."""
    if actor.kind == "public":
        raise NotAuthenticated
    require_own_account(actor)
    return list_tokens_of(actor, timezone.now())


def _club_tokens(actor: Actor, club: str) -> QuerySet[Token]:
    """The valid tokens that are bound to a club, the newest first; for its owners."""
    home = get_club(actor, club)
    if actor.kind == "public":
        raise NotAuthenticated
    require_role(actor, str(getattr(home, "role", "")), "manage_club_tokens")
    return list_tokens_of_club(home, timezone.now())


TOKENS: Final = Listing(name="tokens", shape=TokenSerializer, rows=_tokens, order=("-id",))
CLUB_TOKENS: Final = Listing(
    name="club_tokens", shape=ClubTokenSerializer, rows=_club_tokens, order=("-id",)
)


@idempotent_write(CreatedTokenSerializer, NewTokenSerializer, status=201, has_secret=True)
def create_token_view(request: Request) -> HttpResponse:
    """Create a token that acts as you. Only this answer shows its plain text."""
    actor = known_caller(request)
    body = validated(request, NewTokenSerializer)
    slug = body.pop("club", "")
    token, plain_text = create_own_token(
        actor=actor,
        club=get_club(actor, slug) if slug else None,
        lasts=timedelta(days=body.pop("days")),
        now=timezone.now(),
        **body,
    )
    answer = plain(TokenSerializer)(token) | {"token": plain_text}
    return created(answer, "list_tokens", is_secret=True)


@idempotent_write(RevokedTokenSerializer, None, method="DELETE")
def revoke_token_view(request: Request, token: str) -> HttpResponse:
    """Revoke one of your own tokens; it stops working."""
    public_id = uuid_of(token, "token")
    revoke_own_token(actor=known_caller(request), public_id=public_id, now=timezone.now())
    return json_answer({"id": str(public_id)})


@idempotent_write(RevokedTokenSerializer, None, method="DELETE")
def revoke_club_token_view(request: Request, club: str, token: str) -> HttpResponse:
    """Revoke a token that is bound to a club, of any account; for owners."""
    actor, public_id = known_caller(request), uuid_of(token, "token")
    home = get_club(actor, club)
    revoke_club_token(actor=actor, club=home, public_id=public_id, now=timezone.now())
    return json_answer({"id": str(public_id)})


_HOURS: Final = int(LASTS.total_seconds() // 3600)
_MOST: Final = LONGEST_LINK.days * 24


class TableLinkSerializer(OutputSerializer):
    """The valid link of a table: it opens the table without an account."""

    table = serializers.CharField(source="table.code", help_text="Code of the table.")
    round = serializers.IntegerField(source="table.round.number")
    number = serializers.IntegerField(source="table.number", help_text="Number of the table.")
    created_at = MomentField(source="link.made_at")
    expires_at = MomentField(source="link.expires_at")
    used_at = MomentField(
        source="link.used_at",
        allow_null=True,
        help_text="Time of the first use; null if it was never used.",
    )


class CreatedTableLinkSerializer(TableLinkSerializer):
    """A new table link with its address and its short code."""

    url = serializers.CharField(help_text="Address of the table. Only this answer shows it.")
    short_code = serializers.CharField(
        help_text="Code to enter at `/t` while the round is played. Only this answer shows it."
    )


class CreatedTableLinksSerializer(OutputSerializer):
    """The table links that were created."""

    results = CreatedTableLinkSerializer(many=True)


class RevokedTableLinksSerializer(OutputSerializer):
    """The result of revoking table links."""

    revoked = serializers.IntegerField(help_text="Number of links that were revoked.")


class HoursSerializer(StrictSerializer):
    """The validity of new table links."""

    hours = WholeNumberField(
        code="bad_link_time",
        expected=str(_MOST),
        left_out=_HOURS,
        within=(1, _MOST),
        help_text=f"Hours of validity, up to {_MOST}; {_HOURS} by default.",
    )


class NewTableLinkSerializer(HoursSerializer):
    """A table link to create."""

    order = ("table", "hours")

    table = TextField(help_text="Code of the table.")


def _links(actor: Actor, club: str, event: str) -> Sequence[LinkedTable]:
    """The valid table links of an event, without their addresses; for directors."""
    current_event = managed_event(actor, club, event, "manage_links")
    return list_tables_with_links(current_event, timezone.now())


LINKS: Final = Listing(name="links", shape=TableLinkSerializer, rows=_links)


@idempotent_write(CreatedTableLinkSerializer, NewTableLinkSerializer, status=201, has_secret=True)
def create_link_view(request: Request, club: str, event: str) -> HttpResponse:
    """Create the link of a table. Only this answer shows its address and its short code.

    An earlier link of the table stops working.
    """
    actor, current_event = _managed_event(request, club, event)
    now, body = timezone.now(), validated(request, NewTableLinkSerializer)
    try:
        table = _get_table(current_event, body["table"], now)
    except Missing as missing:
        raise Refused(Problem("unknown_table", ("table",), missing.problem.facts)) from missing
    link = make_link(actor=actor, table=table, lasts=timedelta(hours=body["hours"]), now=now)
    body = _with_secrets(request, LinkedTable(table, (), link))
    return created(body, "list_links", club, event, is_secret=True)


@idempotent_write(CreatedTableLinksSerializer, HoursSerializer, status=201, has_secret=True)
def create_round_links_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Create a link for each table of a round that has none.

    Only this answer shows the addresses and short codes of the new links.
    """
    actor, current_event = _managed_event(request, club, event)
    round_, now = get_round(current_event, number), timezone.now()
    lasts = timedelta(hours=validated(request, HoursSerializer)["hours"])
    links = make_links(actor=actor, round_=round_, lasts=lasts, now=now)
    table_ids = {link.table_id for link in links}
    tables = list_linked_tables(current_event, now, round_number=number) if links else ()
    results = [_with_secrets(request, row) for row in tables if row.table.pk in table_ids]
    return created({"results": results}, "list_links", club, event, is_secret=True)


@idempotent_write(RevokedTableLinksSerializer, None, method="DELETE")
def revoke_link_view(request: Request, club: str, event: str, code: str) -> HttpResponse:
    """Revoke the link of a table; it stops working."""
    actor, current_event = _managed_event(request, club, event)
    now = timezone.now()
    table = _get_table(current_event, code, now)
    n = revoke_links(actor=actor, event=current_event, table=table, now=now)
    return json_answer({"revoked": n})


@idempotent_write(RevokedTableLinksSerializer, EmptyBody)
def revoke_round_links_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Revoke the links of all tables of a round."""
    actor, current_event = _managed_event(request, club, event)
    round_ = get_round(current_event, number)
    validated(request, EmptyBody)
    n = revoke_links(actor=actor, event=current_event, round_=round_, now=timezone.now())
    return json_answer({"revoked": n})


@idempotent_write(RevokedTableLinksSerializer, EmptyBody)
def revoke_links_view(request: Request, club: str, event: str) -> HttpResponse:
    """Revoke all table links of an event."""
    actor, current_event = _managed_event(request, club, event)
    validated(request, EmptyBody)
    n = revoke_links(actor=actor, event=current_event, now=timezone.now())
    return json_answer({"revoked": n})


def _managed_event(request: Request, club: str, event: str) -> tuple[Actor, Event]:
    """Return the event of a director; anybody else is refused before tables are named."""
    actor, current_event = requested_event(request, club, event)
    require(actor, current_event.club, "manage_links")
    return actor, current_event


def _get_table(event: Event, code: str, now: datetime) -> Table:
    tables = list_linked_tables(event, now, code=code) if code else ()
    if not tables:
        raise Missing("table", {"table": code})
    return tables[0].table


def _with_secrets(request: Request, table: LinkedTable) -> dict[str, Any]:
    assert isinstance(table.link, TableLink)  # noqa: S101 - it was just made
    secrets = secrets_of(table.link.seed)
    path = reverse("tournaments:open-link", args=[secrets.token])
    return {
        **plain(TableLinkSerializer)(table),
        "url": request.build_absolute_uri(path),
        "short_code": secrets.code_in_print,
    }
