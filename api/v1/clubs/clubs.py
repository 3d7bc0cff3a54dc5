"""Clubs: read, created, searched."""

from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.conditional_requests import etag_parameter
from api.idempotency import idempotent_write, json_answer
from api.lists.pagination import Listing
from api.openapi import reading
from api.problems import BadRequest
from api.query_parameters import TEXT, allow_only, text_parameter
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.fields import MomentField
from scoring.errors import Problem, shown
from tournaments.domain.etags import etag
from tournaments.domain.seating.seating_preferences import PREFERENCES
from tournaments.models.clubs import Club, ClubVisibility, EventCreators, NamesPolicy
from tournaments.policy import PUBLIC, Actor
from tournaments.selectors.clubs.clubs import get_club, list_clubs_for
from tournaments.selectors.events.club_settings import club_settings
from tournaments.selectors.people.search import KINDS, search_clubs
from tournaments.services.clubs.clubs import create_club
from tournaments.services.events.change_club import club_tag

ETAG: Final = etag_parameter("Names exactly these settings, for `PATCH`.", 200)


class ClubSerializer(serializers.Serializer[Any]):
    """A club."""

    slug = serializers.CharField()
    name = serializers.CharField()
    time_zone = serializers.CharField(help_text="Meetings have local dates of this time zone.")
    language = serializers.CharField(help_text="Of the club's pages; only English so far.")


class SeatingSerializer(serializers.Serializer[Any]):
    """Which table sizes a club prefers."""

    threes = serializers.BooleanField()
    fives = serializers.BooleanField()
    prefer = serializers.ChoiceField(choices=PREFERENCES)


class ClubDetailSerializer(ClubSerializer):
    """A club with its settings."""

    visibility = serializers.ChoiceField(choices=ClubVisibility.choices)
    names_policy = serializers.ChoiceField(
        choices=NamesPolicy.choices, help_text="How the public reads names of players."
    )
    event_creators = serializers.ChoiceField(choices=EventCreators.choices)
    requires_second_factor = serializers.BooleanField(help_text="Of owners and directors.")
    colour = serializers.CharField(allow_blank=True, help_text="Empty for the standard one.")
    seating = SeatingSerializer(help_text="Table sizes that seating plans propose.")
    reminder_days = serializers.IntegerField(
        allow_null=True,
        help_text="Days before a planned evening on which players are reminded by mail, at 10:00 "
        "of the club's time zone; null: no reminders.",
    )
    about = serializers.CharField(
        allow_blank=True, help_text="Plain text of the club's page; a blank line ends a paragraph."
    )
    when_where = serializers.CharField(allow_blank=True, help_text="When and where the club plays.")
    how_to_join = serializers.ListField(
        child=serializers.CharField(), help_text="One step a line, at most five."
    )
    fee = serializers.CharField(allow_blank=True)
    contact = serializers.CharField(allow_blank=True, help_text="As the owner wrote it.")
    welcomes_visitors = serializers.BooleanField(help_text="Whether visitors are welcome.")
    front_event = serializers.CharField(
        allow_null=True,
        help_text="Slug of the event that the club's page shows first; null where the owner chose "
        "none, or one that you may not read. The page shows the running league then.",
    )
    logo = serializers.CharField(allow_null=True, help_text="Address of a PNG.")
    delete_after = MomentField(
        allow_null=True, help_text="For owners: when the club is deleted; null if it is not."
    )


def club_answer(club: Club) -> tuple[dict[str, Any], str]:
    """Return a club as its answers have it, to the role that it was read for, and its ETag."""
    settings = club_settings(club, role=str(getattr(club, "role", PUBLIC)))
    logo = None
    if club.logo_digest:
        address = {"club": club.slug, "digest": club.logo_digest}
        logo = reverse("tournaments:club-logo", kwargs=address)
    members = {**settings, "logo": logo, "delete_after": club.delete_after}
    return dict(plain(ClubDetailSerializer)(members)), etag(club_tag(settings))


def _clubs(actor: Actor) -> QuerySet[Club]:
    """The clubs that you may read, by name."""
    return list_clubs_for(actor)


CLUBS = Listing(name="clubs", shape=ClubSerializer, rows=_clubs, order=("name", "slug"))


@reading("read_club", ClubDetailSerializer, parameters=(ETAG,))
def read_club(request: Request, club: str) -> HttpResponseBase:
    """One club with its settings."""
    allow_only(request)
    body, tag = club_answer(get_club(caller(request), club))
    return Response(body, headers={"ETag": tag})


CREATED_ETAG = etag_parameter("Names exactly these settings, for `PATCH`.", 201)

LOCATION = OpenApiParameter(
    "Location", OpenApiTypes.URI_REF, OpenApiParameter.HEADER, response=[201],
    description="The address of the club.",
)  # fmt: skip


class NewClubSerializer(StrictSerializer):
    """A club to create."""

    name = TextField(help_text="Up to 120 characters.")
    slug = TextField(
        required=False,
        help_text="Lowercase letters, digits and hyphens; made from the name where it is left out.",
    )
    time_zone = TextField(
        required=False, left_out="UTC", help_text="Of its meetings, as in `Europe/Warsaw`."
    )
    language = TextField(required=False, left_out="en", help_text="Of its pages.")


def _create_club(request: Request) -> HttpResponse:
    """Create a club; you are its owner.

    Any account may, where the site does not reserve it for its administrators (403). A token that
    is bound to one club cannot.
    """
    allow_only(request)
    actor = known_caller(request)
    settings = validated(request, NewClubSerializer)
    club = create_club(actor=actor, now=timezone.now(), **settings)
    body, tag = club_answer(get_club(actor, club.slug))
    answer = json_answer(body, status=201)
    answer["ETag"] = tag
    answer["Location"] = reverse("read_club", args=[club.slug])
    return answer


create_club_view = idempotent_write(
    _create_club,
    ClubDetailSerializer,
    NewClubSerializer,
    status=201,
    tells=(LOCATION, CREATED_ETAG),
)
"""`POST /clubs`."""


MOST: Final = 50
_PARAMETERS: Final = (
    OpenApiParameter(
        "q",
        TEXT,
        description="Each word begins a word of the name; accents and case make no difference.",
    ),
    OpenApiParameter(
        "kind", OpenApiTypes.STR, enum=KINDS, description="Only results of this kind."
    ),
)


class FoundSerializer(serializers.Serializer[Any]):
    """A club, a player, an event, an evening or a game that was found."""

    kind = serializers.ChoiceField(choices=KINDS)
    id = serializers.CharField(
        help_text=(
            "Slug of a club, an event or house rules, `player_id` of a player, date of an evening, "
            "id of a variant."
        )
    )
    name = serializers.CharField(help_text="As you may read it.")
    club = serializers.CharField(
        allow_blank=True, help_text="Slug of the club; empty for a game of the catalogue."
    )
    event = serializers.CharField(
        allow_blank=True, help_text="Slug of the event, for events and evenings."
    )
    url = serializers.CharField(help_text="Its page.")


class FoundInClubSerializer(FoundSerializer):
    """A player, an event, an evening or a game that was found in a club."""


@reading("search", FoundSerializer, parameters=_PARAMETERS, is_list=True)
def search(request: Request) -> HttpResponseBase:
    """Search the clubs that you may read: at most 50 results of each kind, the best first.

    The contents of at most 20 clubs are searched, your own first. Clubs are found by their names.
    """
    return _answer(request, None)


@reading("search_club", FoundInClubSerializer, parameters=_PARAMETERS, is_list=True)
def search_club(request: Request, club: str) -> HttpResponseBase:
    """Search a club: at most 50 results of each kind, the best first."""
    return _answer(request, get_club(caller(request), club))


def _answer(request: Request, club: Club | None) -> HttpResponseBase:
    allow_only(request, "q", "kind")
    kind = text_parameter(request, "kind")
    if kind and kind not in KINDS:
        facts = {"parameter": "kind", "found": shown(kind), "expected": ", ".join(KINDS)}
        raise BadRequest(Problem("bad_parameter", facts=facts))
    by_kind, _is_partial = search_clubs(caller(request), text_parameter(request, "q"), club)
    rows = [row for key, rows in by_kind.items() if kind in ("", key) for row in rows[:MOST]]
    results = list(map(plain(FoundSerializer), rows))
    return Response({"next": None, "previous": None, "results": results})
