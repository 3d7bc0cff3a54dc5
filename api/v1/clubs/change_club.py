"""Changing the settings of a club, its logo, exporting its data, and deleting it."""

import hashlib
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from api.authentication import known_caller
from api.conditional_requests import if_match_parameter, if_match_tag_or_any
from api.idempotency import KEY, REPLAYED_HEADER, idempotent, idempotent_write, json_answer
from api.media_types import ZIP
from api.openapi import reading, writing
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import (
    BooleanField,
    ChoiceTextField,
    ObjectField,
    StrictField,
    TextField,
    TextListField,
    UploadField,
    bad_setting,
    is_whole,
)
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.addresses import requested_club
from api.v1.clubs.clubs import ETAG, ClubDetailSerializer, club_answer
from api.v1.fields import MomentField
from scoring.errors import shown
from tournaments.models.clubs import Club, ClubVisibility, EventCreators, NamesPolicy
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.services.clubs.clubs import remove_logo, set_logo
from tournaments.services.clubs.deletion import archive_response, delete_club, undo_deletion
from tournaments.services.events.change_club import MOST_REMINDER_DAYS, change_club
from tournaments.services.permissions import require

IF_MATCH: Final = if_match_parameter("The ETag of the club that you read, or `*`")
_STAYS: Final[dict[str, Any]] = {"required": False, "left_out": empty}


class DaysField(StrictField, serializers.IntegerField):
    """A number of days, whose bounds the service judges."""

    def to_internal_value(self, data: Any) -> object:
        if not is_whole(data):
            raise bad_setting(self, shown(data), f"1 to {MOST_REMINDER_DAYS}, or null")
        return data


class LongTextField(TextField):
    """A text of several paragraphs, whose length the service judges."""

    most = None

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, str):
            return super().to_internal_value(data)
        return data


class ClubChangeSerializer(StrictSerializer):
    """A change of a club; members that are left out stay."""

    name = TextField(**_STAYS)
    slug = TextField(**_STAYS, help_text="The former slug redirects to this one (308).")
    time_zone = TextField(**_STAYS)
    language = TextField(**_STAYS)
    visibility = ChoiceTextField(**_STAYS, choices=ClubVisibility.choices)
    names_policy = ChoiceTextField(**_STAYS, choices=NamesPolicy.choices)
    event_creators = ChoiceTextField(**_STAYS, choices=EventCreators.choices)
    requires_second_factor = BooleanField(**_STAYS)
    colour = TextField(
        **_STAYS, help_text="`#0a5167`, readable on light pages; empty for the standard one."
    )
    seating = ObjectField(
        **_STAYS,
        expected="an object, as in {}",
        help_text="`threes` and `fives` (true or false): whether tables of three and of five are "
        "proposed; `prefer`: `threes`, `fives` or `sit_outs`. Members that are left out stay.",
    )
    reminder_days = DaysField(
        **_STAYS,
        allow_null=True,
        help_text="Days before an evening on which players are reminded; null: no reminders.",
    )
    about = LongTextField(
        **_STAYS, help_text="Plain text, at most 2,000 characters; a blank line ends a paragraph."
    )
    when_where = TextField(**_STAYS, help_text="At most 160 characters.")
    how_to_join = TextListField(
        **_STAYS, child=serializers.CharField(), help_text="At most 5 steps of 200 characters."
    )
    fee = TextField(**_STAYS, help_text="At most 120 characters.")
    contact = TextField(**_STAYS, help_text="At most 200 characters, public with the club.")
    welcomes_visitors = BooleanField(**_STAYS)
    front_event = TextField(
        **_STAYS, allow_null=True, help_text="Slug of the first event; null: the running league."
    )


class LogoSerializer(StrictSerializer):
    """A picture."""

    logo = UploadField(help_text="PNG, JPEG or WebP, up to 2 MB.")


class DeletionSerializer(StrictSerializer):
    """The confirmation of a deletion."""

    confirm = TextField(help_text="The slug of the club.")


class ClubDeletionSerializer(serializers.Serializer[Any]):
    """Whether a club is to be deleted."""

    slug = serializers.CharField()
    delete_after = MomentField(allow_null=True, help_text="Undo is possible until then.")


def _change_club(request: Request, club: str) -> HttpResponse:
    """Change settings of a club.

    `If-Match` names the club that you read, or is `*`. Without it the answer is 428; if somebody
    changed the settings meanwhile it is 412, with the current ones (`there`). After a change of
    name or slug the standings are published again, with the same places.
    """
    actor, current_club = requested_club(request, club)
    based_on = if_match_tag_or_any(request, of="club")
    body = validated(request, ClubChangeSerializer)
    changed = change_club(
        actor=actor, club=current_club, wanted=body, based_on=based_on or "", now=timezone.now()
    )  # fmt: skip
    return _answer(actor, changed)


def _set_logo(request: Request, club: str) -> HttpResponse:
    """Give a club a logo; it is made smaller and written anew as PNG."""
    actor, current_club = requested_club(request, club)
    require(actor, current_club, "manage_club")
    body = validated(request, LogoSerializer)
    changed = set_logo(
        actor=actor, club=current_club, content=body["logo"].read(), now=timezone.now()
    )  # fmt: skip
    return _answer(actor, changed)


def _fingerprint(request: Request) -> bytes:
    file: Any = request.FILES.get("logo")
    if file is None:
        return b""
    digest = hashlib.sha256(file.read()).digest()
    file.seek(0)
    return digest


def _remove_logo(request: Request, club: str) -> HttpResponse:
    """Take the logo of a club away."""
    allow_only(request)
    actor = known_caller(request)
    changed = remove_logo(actor=actor, club=get_club(actor, club), now=timezone.now())
    return _answer(actor, changed)


def _delete_club(request: Request, club: str) -> HttpResponse:
    """Have a club deleted in 14 days, after an export; until then its owners alone can read it.

    `confirm` repeats the slug. `POST C/delete/undo` keeps the club.
    """
    actor, current_club = requested_club(request, club)
    body = validated(request, DeletionSerializer)
    done = delete_club(actor=actor, club=current_club, now=timezone.now(), **body)
    return json_answer(plain(ClubDeletionSerializer)(done))


def _undo_delete_club(request: Request, club: str) -> HttpResponse:
    """Keep a club that was to be deleted."""
    actor, current_club = requested_club(request, club)
    validated(request, EmptyBody)
    done = undo_deletion(actor=actor, club=current_club, now=timezone.now())
    return json_answer(plain(ClubDeletionSerializer)(done))


change_club_view = idempotent_write(
    _change_club,
    ClubDetailSerializer,
    ClubChangeSerializer,
    method="PATCH",
    asks=(IF_MATCH,),
    tells=(ETAG,),
)
"""`PATCH C`."""
set_logo_view = writing(
    "set_logo", "POST", ClubDetailSerializer, LogoSerializer, status=200,
    parameters=(KEY, REPLAYED_HEADER), parser=MultiPartParser,
)(idempotent(_set_logo, fingerprint=_fingerprint))  # fmt: skip
"""`POST C/logo`."""
remove_logo_view = idempotent_write(_remove_logo, ClubDetailSerializer, None, method="DELETE")
"""`DELETE C/logo`."""
delete_club_view = idempotent_write(_delete_club, ClubDeletionSerializer, DeletionSerializer)
"""`POST C/delete`."""
undo_delete_club_view = idempotent_write(_undo_delete_club, ClubDeletionSerializer, EmptyBody)
"""`POST C/delete/undo`."""


@reading("export_club", media_type=ZIP)
def export_club(request: Request, club: str) -> HttpResponseBase:
    """The data of a club as a ZIP, for its owners; a club can be deleted after it.

    Raises:
        NotAuthenticated: not_signed_in.
        Forbidden: export_club.
    """
    actor, current_club = requested_club(request, club)
    require(actor, current_club, "export_club")
    return archive_response(actor, current_club, now=timezone.now())


def _answer(actor: Actor, club: Club) -> HttpResponse:
    body, tag = club_answer(get_club(actor, club.slug))
    answer = json_answer(body)
    answer["ETag"] = tag
    return answer
