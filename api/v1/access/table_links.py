"""Table links: who holds one enters hands at one table without an account."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request

from api.idempotency import idempotent_write, json_answer
from api.lists.pagination import Listing
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import TextField, WholeNumberField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.events.events import requested_event
from api.v1.fields import MomentField
from scoring.errors import Problem, Refused
from tournaments.errors import Missing
from tournaments.models.access import TableLink
from tournaments.models.events import Event
from tournaments.models.meetings import Table
from tournaments.policy import Actor
from tournaments.selectors.access.table_links import (
    LinkedTable,
    list_linked_tables,
    list_tables_with_links,
    secrets_of,
)
from tournaments.selectors.events.events import event_at, round_at
from tournaments.services.access.table_links import (
    LASTS,
    LONGEST,
    make_link,
    make_links,
    revoke_links,
)
from tournaments.services.permissions import require

_HOURS: Final = int(LASTS.total_seconds() // 3600)
_MOST: Final = LONGEST.days * 24


class TableLinkSerializer(serializers.Serializer[Any]):
    """A table with the link that works."""

    table = serializers.CharField(source="table.code", help_text="Code of the table.")
    round = serializers.IntegerField(source="table.round.number")
    number = serializers.IntegerField(source="table.number", help_text="Of the table.")
    created_at = MomentField(source="link.made_at")
    expires_at = MomentField(source="link.expires_at")
    used_at = MomentField(
        source="link.used_at", allow_null=True, help_text="When it was first used; null: never."
    )


class CreatedTableLinkSerializer(TableLinkSerializer):
    """A new table link with its secrets."""

    url = serializers.CharField(help_text="Opens the table. Shown this once.")
    short_code = serializers.CharField(
        help_text="Opens the table at `/t` while its round is played. Shown this once."
    )


class CreatedTableLinksSerializer(serializers.Serializer[Any]):
    """The table links that were created."""

    results = CreatedTableLinkSerializer(many=True)


class RevokedTableLinksSerializer(serializers.Serializer[Any]):
    """The table links that do not work any more."""

    revoked = serializers.IntegerField(help_text="How many there were.")


class HoursSerializer(StrictSerializer):
    """How long new links work."""

    hours = WholeNumberField(
        code="bad_link_time",
        expected=str(_MOST),
        required=False,
        left_out=_HOURS,
        within=(1, _MOST),
        help_text=f"Hours of validity, up to {_MOST}; {_HOURS} by default.",
    )


class NewTableLinkSerializer(HoursSerializer):
    """A table link to create."""

    order = ("table", "hours")

    table = TextField(help_text="Code of the table.")


def _links(actor: Actor, club: str, event: str) -> Sequence[LinkedTable]:
    """The tables of an event that a link opens now, without the secrets; for directors."""
    current_event = event_at(actor, club, event)
    if actor.kind == "public":
        raise NotAuthenticated
    require(actor, current_event.club, "manage_links")
    return list_tables_with_links(current_event, timezone.now())


LINKS: Final = Listing(name="links", shape=TableLinkSerializer, rows=_links)


def _create_link(request: Request, club: str, event: str) -> HttpResponse:
    """Create the link of a table. The answer shows its address and its short code, this once.

    An earlier link of the table does not work any more.
    """
    actor, current_event = _managed_event(request, club, event)
    now, body = timezone.now(), validated(request, NewTableLinkSerializer)
    try:
        table = _get_table(current_event, body["table"], now)
    except Missing as missing:
        raise Refused(Problem("unknown_table", ("table",), missing.problem.facts)) from missing
    link = make_link(actor=actor, table=table, lasts=timedelta(hours=body["hours"]), now=now)
    return _created(current_event, _with_secrets(request, LinkedTable(table, (), link)))


def _create_round_links(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Create a link for each table of a round that has none; the others keep theirs.

    The answer shows the secrets of the new ones, this once.
    """
    actor, current_event = _managed_event(request, club, event)
    round_, now = round_at(current_event, number), timezone.now()
    lasts = timedelta(hours=validated(request, HoursSerializer)["hours"])
    links = make_links(actor=actor, round_=round_, lasts=lasts, now=now)
    table_ids = {link.table_id for link in links}
    tables = list_linked_tables(current_event, now, round_number=number) if links else ()
    results = [_with_secrets(request, row) for row in tables if row.table.pk in table_ids]
    return _created(current_event, {"results": results})


def _revoke_link(request: Request, club: str, event: str, code: str) -> HttpResponse:
    """Revoke the link of a table; it does not work any more."""
    actor, current_event = _managed_event(request, club, event)
    now = timezone.now()
    table = _get_table(current_event, code, now)
    n = revoke_links(actor=actor, event=current_event, table=table, now=now)
    return json_answer({"revoked": n})


def _revoke_round_links(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Revoke the links of a round's tables."""
    actor, current_event = _managed_event(request, club, event)
    round_ = round_at(current_event, number)
    validated(request, EmptyBody)
    n = revoke_links(actor=actor, event=current_event, round_=round_, now=timezone.now())
    return json_answer({"revoked": n})


def _revoke_links(request: Request, club: str, event: str) -> HttpResponse:
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


create_link_view = idempotent_write(
    _create_link, CreatedTableLinkSerializer, NewTableLinkSerializer, status=201, has_secret=True
)
"""`POST E/links`."""
create_round_links_view = idempotent_write(
    _create_round_links, CreatedTableLinksSerializer, HoursSerializer, status=201, has_secret=True
)
"""`POST E/rounds/{n}/links`."""
revoke_link_view = idempotent_write(
    _revoke_link, RevokedTableLinksSerializer, None, method="DELETE"
)
"""`DELETE E/links/{code}`."""
revoke_round_links_view = idempotent_write(
    _revoke_round_links, RevokedTableLinksSerializer, EmptyBody
)
"""`POST E/rounds/{n}/links/revoke`."""
revoke_links_view = idempotent_write(_revoke_links, RevokedTableLinksSerializer, EmptyBody)
"""`POST E/links/revoke`."""


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


def _created(event: Event, body: object) -> HttpResponse:
    answer = json_answer(body, status=201)
    answer["Location"] = reverse("list_links", args=[event.club.slug, event.slug])
    answer["Cache-Control"] = "no-store"
    return answer
