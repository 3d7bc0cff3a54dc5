"""Which mails and notices your account gets in each of its clubs."""

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import etag_parameter, if_match_parameter, if_match_tag_or_any
from api.idempotent_writes import idempotent_write, json_answer
from api.lists.pagination import Listing
from api.openapi import reading
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import BooleanField
from api.serializers.strict_serializers import StrictSerializer, validated
from tournaments.domain.etags import etag
from tournaments.domain.people.notification_kinds import DEFAULTS
from tournaments.policy import Actor
from tournaments.selectors.notices.choices import OwnChoice, own_choice, own_choices
from tournaments.services.access.notifications import change_notification

IF_MATCH: Final = if_match_parameter("The ETag of the choice that was read, or `*`")
ETAG: Final = etag_parameter("Names the choice.", 200)


class NotificationSerializer(serializers.Serializer[Any]):
    """Whether one kind comes by mail and as a notice."""

    club = serializers.CharField(help_text="Slug.")
    kind = serializers.ChoiceField(choices=tuple(DEFAULTS))
    by_mail = serializers.BooleanField()
    as_notice = serializers.BooleanField()


class ChangeNotificationSerializer(StrictSerializer):
    """The changes of a choice; a member that is left out keeps its value."""

    by_mail = BooleanField(required=False)
    as_notice = BooleanField(required=False)


def _choices(actor: Actor) -> Sequence[OwnChoice]:
    """Your notifications in each of your clubs. Mails about signing in are always sent."""
    if actor.user_id is None:
        raise NotAuthenticated
    return own_choices(actor)


NOTIFICATIONS: Final = Listing(
    name="notifications",
    shape=NotificationSerializer,
    rows=_choices,
    columns=("club", "kind", "by_mail", "as_notice"),
)


@reading("read_notification", NotificationSerializer, parameters=(ETAG,))
def read_notification(request: Request, club: str, kind: str) -> HttpResponseBase:
    """One kind in one of your clubs; the ETag is for changing it."""
    allow_only(request)
    actor = caller(request)
    if actor.user_id is None:
        raise NotAuthenticated
    found = own_choice(actor, club, kind)
    return Response(plain(NotificationSerializer)(found), headers={"ETag": etag(found.tag)})


def _change_notification(request: Request, club: str, kind: str) -> HttpResponse:
    """Change whether a kind comes by mail, or as a notice.

    `If-Match` names what you read, or is `*`.
    """
    allow_only(request)
    actor = known_caller(request)
    based_on = if_match_tag_or_any(request, of="notification")
    sent = validated(request, ChangeNotificationSerializer)
    changed = change_notification(actor=actor, club=club, kind=kind, based_on=based_on, **sent)
    answer = json_answer(plain(NotificationSerializer)(changed))
    answer["ETag"] = etag(changed.tag)
    return answer


change_notification_view = idempotent_write(
    _change_notification,
    NotificationSerializer,
    ChangeNotificationSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
)
"""`PATCH /api/v1/me/notifications/{club}/{kind}`."""
