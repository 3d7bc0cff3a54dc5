"""Photos of a table's score sheet: sent, listed, read and deleted by those who may enter there."""

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from api.authentication import caller, known_caller
from api.idempotency import KEY, REPLAYED_HEADER, idempotent
from api.idempotent_writes import LOCATION, idempotent_write, json_answer
from api.lists.pagination import Listing
from api.media_types import JPEG
from api.openapi import reading, writing
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import MOST_TEXT, TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.serializers.upload_field import UploadField
from api.v1.fields import MomentField
from tournaments.domain.sheets.images import LARGEST
from tournaments.models.events import Event
from tournaments.models.photos import SheetPhoto
from tournaments.policy import Actor
from tournaments.selectors.events.events import event_at
from tournaments.selectors.hands.score_sheet import game_at
from tournaments.selectors.rounds.photos import photos_at, picture_at
from tournaments.services.access.permissions import require
from tournaments.services.rounds.photos import add_photo, remove_photo


class PhotoSerializer(serializers.Serializer[Any]):
    """A photo of a sheet; one that was deleted stays in the list, without its picture."""

    number = serializers.IntegerField(help_text="At its table; never used again.")
    width = serializers.IntegerField(help_text="Pixels.")
    height = serializers.IntegerField(help_text="Pixels.")
    size = serializers.IntegerField(help_text="Bytes of the JPEG.")
    added_at = MomentField()
    added_by = serializers.CharField(source="added_as")
    removed_at = MomentField(allow_null=True, help_text="Null while the picture can be read.")
    removed_by = serializers.CharField(source="removed_as")
    reason = serializers.CharField(source="removed_because", help_text="Why it was deleted.")


class NewPhotoSerializer(StrictSerializer):
    """A picture of a sheet."""

    photo = UploadField(help_text=f"JPEG, PNG or WebP, up to {LARGEST // 1024 // 1024} MB.")


class PhotoRemovalSerializer(StrictSerializer):
    """Why a photo is deleted."""

    reason = TextField(max_length=MOST_TEXT)


def _photos(actor: Actor, club: str, event: str, code: str) -> Sequence[SheetPhoto]:
    """The photos of a table's sheet by number; for those who may enter hands there.

    Raises:
        NotAuthenticated: not_signed_in.
        Forbidden: enter_hand.
    """
    found = _event_of_table(actor, club, event, code)
    return photos_at(found, code)


PHOTOS: Final = Listing(
    name="photos",
    shape=PhotoSerializer,
    rows=_photos,
    columns=(
        "number",
        "width",
        "height",
        "size",
        "added_at",
        "added_by",
        "removed_at",
        "removed_by",
        "reason",
    ),
)


@reading("read_photo", media_type=JPEG)
def read_photo(request: Request, club: str, event: str, code: str, number: int) -> HttpResponseBase:
    """A photo of a table's sheet as a JPEG; for those who may enter hands there.

    Raises:
        NotAuthenticated: not_signed_in.
        Forbidden: enter_hand.
        Missing: photo.
    """
    allow_only(request)
    found = _event_of_table(caller(request), club, event, code)
    answer = HttpResponse(picture_at(found, code, number), content_type=JPEG)
    name = f"{found.slug}-{code}-photo-{number}.jpg"
    answer["Content-Disposition"] = f'inline; filename="{name}"'
    return answer


def _add_photo(request: Request, club: str, event: str, code: str) -> HttpResponse:
    """Store a photo of a table's sheet; ten at most.

    The picture is made smaller and written anew as JPEG, without the time and place of the photo.
    The same file again is the photo that is there: 200 in place of 201.
    """
    allow_only(request)
    actor = known_caller(request)
    game = game_at(event_at(actor, club, event, code=code), code)
    sent = validated(request, NewPhotoSerializer)
    stored, is_new = add_photo(
        actor=actor, game=game, content=sent["photo"].read(LARGEST + 1), now=timezone.now()
    )
    answer = json_answer(plain(PhotoSerializer)(stored), status=201 if is_new else 200)
    if is_new:
        answer["Location"] = reverse("list_photos", args=[club, event, code])
    return answer


def _fingerprint(request: Request) -> bytes:
    """Return a digest of the picture that was sent."""
    file: Any = request.FILES.get("photo")
    if file is None:
        return b""
    digest = hashlib.sha256(file.read()).digest()
    file.seek(0)
    return digest


def _remove_photo(request: Request, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Delete the picture of a photo permanently; that it was there stays, with the reason."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event, code=code)
    sent = validated(request, PhotoRemovalSerializer)
    gone = remove_photo(
        actor=actor, game=game_at(found, code), number=number, now=timezone.now(), **sent
    )
    return json_answer(plain(PhotoSerializer)(gone))


add_photo_view = writing(
    "add_photo", "POST", PhotoSerializer, NewPhotoSerializer, status=201, also=200,
    parameters=(KEY, REPLAYED_HEADER, LOCATION), parser=MultiPartParser,
)(idempotent(_add_photo, fingerprint=_fingerprint))  # fmt: skip
"""`POST E/tables/{code}/photos`."""
remove_photo_view = idempotent_write(
    _remove_photo, PhotoSerializer, PhotoRemovalSerializer, method="DELETE"
)
"""`DELETE E/tables/{code}/photos/{number}`."""


def _event_of_table(actor: Actor, club: str, event: str, code: str) -> Event:
    """Return the event of a table where the actor may enter hands.

    Raises:
        NotAuthenticated: not_signed_in.
        Forbidden: enter_hand.
        Missing: event, table.
    """
    found = event_at(actor, club, event, code=code)
    if actor.kind == "public":
        raise NotAuthenticated
    require(actor, found.club, "enter_hand", table_id=game_at(found, code).table_id)
    return found
