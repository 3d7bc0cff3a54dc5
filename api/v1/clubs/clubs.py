"""Clubs: read, created, searched, changed, exported and deleted."""

from typing import Any, Final

from django.db.models import QuerySet, TextChoices
from django.http import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import NO_STORE
from api.idempotency import fingerprint_of_file
from api.media_types import ZIP
from api.openapi import reading
from api.query_parameters import TEXT, choice_parameter, text_parameter
from api.resources import ResourceViewSet, changes, creates, performs, reads, writes
from api.serializers.fast_serialization import OutputSerializer, plain
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
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import MomentField, StringListField
from scoring.errors import shown
from scoring.json_types import JsonDict
from tournaments.domain.club_settings import CLUB_SETTINGS
from tournaments.domain.etags import etag
from tournaments.domain.seating_preferences import PREFERENCES
from tournaments.domain.setting_kinds import Setting
from tournaments.models.clubs import Club
from tournaments.selectors.clubs.clubs import get_club, list_clubs_for
from tournaments.selectors.events.settings_checks import club_settings
from tournaments.selectors.people.search import SEARCH_KINDS, search_clubs
from tournaments.services.clubs.change_club import change_club, club_tag
from tournaments.services.clubs.clubs import create_club, remove_logo, set_logo
from tournaments.services.clubs.deletion import archive_response, delete_club, undo_delete_club
from tournaments.services.operations import Operation


class ClubSerializer(OutputSerializer):
    """A club."""

    slug = serializers.CharField()
    name = serializers.CharField()
    time_zone = serializers.CharField(help_text="Time zone of the dates of the meetings.")
    language = serializers.CharField(help_text="Language of the club's pages; only English so far.")


class SeatingSerializer(OutputSerializer):
    """Table sizes that the seating plans of a club may use, and the preferred one."""

    threes = serializers.BooleanField()
    fives = serializers.BooleanField()
    prefer = serializers.ChoiceField(choices=PREFERENCES)


class ClubDetailSerializer(ClubSerializer):
    """A club with its settings."""

    seating = SeatingSerializer(help_text="Table sizes that seating plans propose.")
    how_to_join = StringListField(help_text="Steps of joining the club; at most five.")
    front_event = serializers.CharField(
        allow_null=True,
        help_text="Slug of the event that the club's page shows first. Null if none was chosen, or "
        "if you may not read it; the page then shows the running league.",
    )
    logo = serializers.CharField(allow_null=True, help_text="Address of the logo (PNG), or null.")
    delete_after = MomentField(
        allow_null=True, help_text="Time of the scheduled deletion; null if there is none."
    )

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        names = dict.fromkeys((*ClubSerializer().fields, *CLUB_SETTINGS, *fields))
        return {name: fields.get(name) or _answer_field(CLUB_SETTINGS[name]) for name in names}


class NewClubSerializer(StrictSerializer):
    """A club to create."""

    name = TextField(help_text="Name of the club, up to 120 characters.")
    slug = TextField(
        required=False, help_text="Lowercase letters, digits and hyphens; by default from the name."
    )
    time_zone = TextField(
        left_out="UTC", help_text="Time zone of the meetings, such as `Europe/Warsaw`."
    )
    language = TextField(left_out="en", help_text="Language of the club's pages.")


MOST_MATCHES: Final = 50
_PARAMETERS: Final = (
    OpenApiParameter(
        "q",
        TEXT,
        description="Words that must each begin a word of the name; accents and case are ignored.",
    ),
    OpenApiParameter(
        "kind", OpenApiTypes.STR, enum=SEARCH_KINDS, description="Only results of this kind."
    ),
)


class FoundSerializer(OutputSerializer):
    """A club, a player, an event, an evening or a game that was found."""

    kind = serializers.ChoiceField(choices=SEARCH_KINDS)
    id = serializers.CharField(
        help_text=(
            "Id among the results of its kind: a slug (club, event, house rules), a `player_id`, "
            "the date of an evening or the id of a variant."
        )
    )
    name = serializers.CharField(help_text="Name, as far as the caller may read it.")
    club = serializers.CharField(
        allow_blank=True, help_text="Slug of the club; empty for a game of the catalogue."
    )
    event = serializers.CharField(
        allow_blank=True, help_text="Slug of the event (for events and evenings) or empty."
    )
    url = serializers.CharField(help_text="Address of the page of the result.")


class FoundInClubSerializer(FoundSerializer):
    """A player, an event, an evening or a game that was found in a club."""


class LongTextField(TextField):
    """A text of several paragraphs, whose length the service judges."""

    most = None

    def to_internal_value(self, data: object) -> object:
        if isinstance(data, str):
            return data
        return super().to_internal_value(data)


class LogoSerializer(StrictSerializer):
    """A picture to use as the logo of a club."""

    logo = UploadField(help_text="Picture file: PNG, JPEG or WebP, up to 2 MB.")


class DeletionSerializer(StrictSerializer):
    """The confirmation of a deletion."""

    confirm = TextField(help_text="Slug of the club, repeated as the confirmation.")


class ClubDeletionSerializer(OutputSerializer):
    """The state of a club's deletion."""

    slug = serializers.CharField()
    delete_after = MomentField(
        allow_null=True,
        help_text="Time of the deletion, which can be undone before; null after undo.",
    )


class ClubDeletionViewSet(ResourceViewSet):
    """The deletion of a club."""

    is_single = True
    resource = ("deletion", "deletions")
    serializer_class = ClubDeletionSerializer
    submit = writes(delete_club, DeletionSerializer)
    undo = performs(undo_delete_club, "undo")


def _answer_field(setting: Setting) -> serializers.Field[Any, Any, Any, Any]:
    facts: dict[str, Any] = {"help_text": setting.answer or None}
    match setting.kind:
        case "flag":
            return serializers.BooleanField(**facts)
        case "choice":
            return serializers.ChoiceField(**facts, choices=_choices(setting))
        case "number":
            return serializers.IntegerField(**facts)
        case "days":
            return serializers.IntegerField(**facts, allow_null=True)
    return serializers.CharField(**facts, allow_blank=True)


def _choices(setting: Setting) -> list[tuple[str, str]]:
    return [
        (card.value, card.value.label if isinstance(card.value, TextChoices) else str(card.label))
        for card in setting.choices
    ]


@reading("search", FoundSerializer, parameters=_PARAMETERS, is_list=True)
def search(request: Request) -> HttpResponseBase:
    """Search the clubs that you may read: at most 50 results of each kind, the best first.

    All clubs are searched by name; players, events, evenings and games in at most 20 clubs, your
    own first.
    """
    return _answer(request, None)


@reading("search_club", FoundInClubSerializer, parameters=_PARAMETERS, is_list=True)
def search_club(request: Request, club: str) -> HttpResponseBase:
    """Search a club: at most 50 results of each kind, the best first."""
    return _answer(request, get_club(caller(request), club))


def _answer(request: Request, club: Club | None) -> HttpResponseBase:
    kind = choice_parameter(request, "kind", SEARCH_KINDS)
    by_kind, _is_partial = search_clubs(caller(request), text_parameter(request, "q"), club)
    rows = [
        row for key, rows in by_kind.items() if kind in ("", key) for row in rows[:MOST_MATCHES]
    ]
    results = list(map(plain(FoundSerializer), rows))
    return Response({"next": None, "previous": None, "results": results})


class NumberField(StrictField, serializers.IntegerField):
    """A whole number, whose bounds the service judges."""

    def to_internal_value(self, data: Any) -> object:
        if not is_whole(data):
            raise bad_setting(self, shown(data), CLUB_SETTINGS[str(self.field_name)].expected)
        return data


class ClubChangeSerializer(StrictSerializer):
    """A change of a club's settings; omitted members keep their values."""

    seating = ObjectField(
        left_out=empty,
        expected="an object, as in {}",
        help_text="Table sizes: `threes` and `fives` allow tables of three and five; `prefer` is "
        "`threes`, `fives` or `sit_outs`. Omitted members keep their values.",
    )
    how_to_join = TextListField(left_out=empty, help_text="Up to 5 steps of 200 characters.")
    front_event = TextField(
        left_out=empty,
        allow_null=True,
        help_text="Slug of the event shown first; null: the running league.",
    )

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        return {key: fields.get(key) or _body_field(CLUB_SETTINGS[key]) for key in CLUB_SETTINGS}


def _body_field(setting: Setting) -> StrictField:
    facts: dict[str, Any] = {"left_out": empty, "help_text": setting.body or None}
    match setting.kind:
        case "flag":
            return BooleanField(**facts)
        case "choice":
            return ChoiceTextField(**facts, choices=_choices(setting))
        case "number":
            return NumberField(**facts)
        case "days":
            return NumberField(**facts, allow_null=True)
        case "paragraphs":
            return LongTextField(**facts)
    return TextField(**facts)


class ClubRowViewSet(ResourceViewSet):
    """A club with its settings, as its caller may read them."""

    resource = ("club", "clubs")
    lookup_url_kwarg = "club"
    lookup_field = "slug"
    serializer_class, detail_serializer_class = ClubSerializer, ClubDetailSerializer

    def get_row(self, result: Club) -> JsonDict:
        club: Any = result if result is self.parent else get_club(self.actor, result.slug)
        logo = None
        if club.logo_digest:
            address = {"club": club.slug, "digest": club.logo_digest}
            logo = reverse("tournaments:club-logo", kwargs=address)
        settings = club_settings(club, role=club.role)
        return {**settings, "logo": logo, "delete_after": club.delete_after}


class ClubViewSet(ClubRowViewSet):
    """The clubs that you may read, by name."""

    tag_of_row = staticmethod(club_tag)
    etag_text = "ETag of these settings, for `If-Match` of `PATCH`."
    location_text = "The address of the club."
    ordering = ("name", "slug")
    retrieve = reads("One club with its settings.")
    create = creates(create_club, NewClubSerializer)
    partial_update = changes(change_club, ClubChangeSerializer)

    def get_queryset(self) -> QuerySet[Club]:
        return list_clubs_for(self.actor)

    def perform_update(self, op: Operation, body: JsonDict) -> Club:
        based_on = body.pop("based_on")
        return change_club(op, self.parent, wanted=body, based_on=based_on)


class LogoViewSet(ClubRowViewSet):
    """The logo of a club."""

    is_single = True
    submit = writes(
        set_logo, LogoSerializer, parser=MultiPartParser, fingerprint=fingerprint_of_file("logo")
    )
    destroy = writes(remove_logo, None)

    def perform_submit(self, op: Operation, body: JsonDict) -> Club:
        return set_logo(op, self.parent, content=body["logo"].read())

    def etag_of(self, row: JsonDict) -> str:
        return etag(club_tag(row))


@reading("export_club", media_type=ZIP, right="export_club")
def export_club(request: Request, club: str) -> HttpResponseBase:
    """The data of a club as a ZIP, for its owners; required before its deletion."""
    op = Operation(known_caller(request), timezone.now())
    current_club = get_club(op.actor, club)
    op.require("export_club", current_club)
    answer = archive_response(op, current_club)
    answer["Cache-Control"] = NO_STORE
    return answer
