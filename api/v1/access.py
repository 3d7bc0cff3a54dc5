"""Tokens of accounts and clubs."""

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.resources import ResourceViewSet, creates, performs, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import ChoiceTextField, TextField, WholeNumberField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.addresses import uuid_of
from api.v1.fields import MomentField
from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from tournaments.errors import Missing
from tournaments.models.access import Scope, TableLink, Token
from tournaments.models.rounds import Round, Table
from tournaments.selectors.access.table_links import (
    get_linked_table,
    list_tables_with_links,
    secrets_of,
)
from tournaments.selectors.access.tokens import (
    get_club_token,
    get_own_token,
    list_tokens_of,
    list_working_tokens,
)
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_round
from tournaments.services.access.table_links import (
    HOURS,
    LONGEST_HOURS,
    make_link,
    make_links,
    revoke_links,
)
from tournaments.services.access.tokens import (
    LONGEST_DAYS,
    create_token,
    revoke_club_token,
    revoke_token,
)
from tournaments.services.operations import Operation

DAYS: Final = 90
"""Days that a token works where the request names none."""


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

    token = serializers.CharField(
        source="plain_text", help_text="Plain text of the token. Only this answer shows it."
    )


class NewTokenSerializer(StrictSerializer):
    """A token to create."""

    name = TextField(help_text="Name that tells its purpose, up to 60 characters.")
    scope = ChoiceTextField(
        choices=Scope.choices, help_text="Rights of the token, within those of your role."
    )
    club = TextField(required=False, help_text="Slug of a club to bind it to; by default none.")
    days = WholeNumberField(
        code="bad_token_time",
        expected=str(LONGEST_DAYS),
        left_out=DAYS,
        min_value=1,
        max_value=LONGEST_DAYS,
        help_text=f"Days of validity, up to {LONGEST_DAYS}; {DAYS} by default.",
    )


class RevokedTokenSerializer(OutputSerializer):
    """The token that was revoked."""

    id = serializers.UUIDField(source="public_id")


class TokenViewSet(ResourceViewSet):
    """Your own valid tokens, the newest first."""

    resource = ("token", "tokens")
    read_right = "own_account"
    lookup_url_kwarg = "token"
    serializer_class = TokenSerializer
    ordering = ("-id",)
    create = creates(
        create_token, NewTokenSerializer, answer=CreatedTokenSerializer, has_secret=True
    )
    destroy = writes(revoke_token, None, answer=RevokedTokenSerializer)

    def get_queryset(self) -> QuerySet[Token]:
        return list_tokens_of(self.actor, timezone.now())

    def perform_create(self, op: Operation, body: dict[str, Any]) -> Token:
        club = get_club(op.actor, body["club"]) if body.get("club") else None
        return create_token(
            op, name=body["name"], club=club, scope=body["scope"], days=body["days"]
        )

    def perform_destroy(self, op: Operation, _body: dict[str, Any]) -> Token:
        public_id = uuid_of(self.kwargs["token"], "token")
        return revoke_token(op, token=get_own_token(op.actor, public_id))


class ClubTokenViewSet(ResourceViewSet):
    """The valid tokens that are bound to a club, the newest first; for its owners."""

    resource = ("club_token", "club_tokens")
    read_right = "manage_club_tokens"
    lookup_url_kwarg = "token"
    serializer_class = ClubTokenSerializer
    ordering = ("-id",)
    destroy = writes(revoke_club_token, None, answer=RevokedTokenSerializer)

    def get_queryset(self) -> QuerySet[Token]:
        return list_working_tokens(timezone.now()).filter(club=self.parent)

    def get_object(self) -> Token:
        return get_club_token(self.parent, uuid_of(self.kwargs["token"], "token"))


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

    revoked = serializers.IntegerField(source="*", help_text="Number of links that were revoked.")


class HoursSerializer(StrictSerializer):
    """The validity of new table links."""

    hours = WholeNumberField(
        code="bad_link_time",
        expected=str(LONGEST_HOURS),
        left_out=HOURS,
        within=(1, LONGEST_HOURS),
        help_text=f"Hours of validity, up to {LONGEST_HOURS}; {HOURS} by default.",
    )


class NewTableLinkSerializer(HoursSerializer):
    """A table link to create."""

    order = ("table", "hours")

    table = TextField(help_text="Code of the table.")


class LinkViewSet(ResourceViewSet):
    """The valid table links of an event, without their addresses; for directors."""

    resource = ("link", "links")
    read_right = "manage_links"
    lookup_url_kwarg = "code"
    serializer_class = TableLinkSerializer
    ordering = ()
    create = creates(
        make_link,
        NewTableLinkSerializer,
        answer=CreatedTableLinkSerializer,
        has_secret=True,
        name="create_link",
    )
    destroy = writes(
        revoke_links,
        None,
        answer=RevokedTableLinksSerializer,
        name="revoke_link",
        text="Revoke the link of a table; it stops working.",
    )
    revoke = performs(
        revoke_links,
        "revoke",
        detail=False,
        answer=RevokedTableLinksSerializer,
        text="Revoke all table links of an event.",
    )

    def get_queryset(self) -> Sequence[JsonDict]:
        tables = list_tables_with_links(self.parent, timezone.now())
        return [{"table": table, "link": table.link} for table in tables]

    def get_object(self) -> Table:
        return get_linked_table(self.parent, self.kwargs["code"], timezone.now())

    def perform_create(self, op: Operation, body: dict[str, Any]) -> dict[str, Any]:
        try:
            table = get_linked_table(self.parent, body["table"], op.now)
        except Missing as missing:
            raise Refused(Problem("unknown_table", ("table",), missing.problem.facts)) from missing
        return _with_secrets(self.request, make_link(op, table, hours=body["hours"]))


class RoundLinkViewSet(ResourceViewSet):
    """Creates and revokes the links of the tables of a round."""

    resource = ("link", "links")
    ordering = ()
    create = creates(
        make_links,
        HoursSerializer,
        answer=CreatedTableLinksSerializer,
        has_secret=True,
        name="create_round_links",
    )
    revoke = performs(
        revoke_links,
        "revoke",
        detail=False,
        answer=RevokedTableLinksSerializer,
        name="revoke_round_links",
        text="Revoke the links of all tables of a round.",
    )

    def get_subject(self) -> Round:
        return get_round(self.parent, self.kwargs["number"])

    def get_location(self, result: Any) -> str:
        return reverse("list_links", args=[self.kwargs["club"], self.kwargs["event"]])

    def perform_create(self, op: Operation, body: dict[str, Any]) -> dict[str, Any]:
        links = make_links(op, self.get_subject(), hours=body["hours"])
        links = sorted(links, key=lambda link: link.table.number)
        return {"results": [_with_secrets(self.request, link) for link in links]}


def _with_secrets(request: Request, link: TableLink) -> dict[str, Any]:
    secrets = secrets_of(link.seed)
    path = reverse("tournaments:open-link", args=[secrets.token])
    return {
        "table": link.table,
        "link": link,
        "url": request.build_absolute_uri(path),
        "short_code": secrets.code_in_print,
    }
