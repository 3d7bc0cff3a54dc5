"""Clubs that a caller may read."""

from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.conditional_requests import etag_parameter
from api.lists.pagination import Listing
from api.openapi import reading
from api.query_parameters import allow_only
from api.serializers.fast_serialization import plain
from api.v1.fields import MomentField
from tournaments.domain.etags import etag
from tournaments.domain.seating.seating_preferences import PREFERENCES
from tournaments.models.clubs import Club, ClubVisibility, EventCreators, NamesPolicy
from tournaments.policy import PUBLIC, Actor
from tournaments.selectors.clubs.clubs import club_at, clubs_for
from tournaments.services.events.change_club import club_settings, club_tag

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
    shown = {**settings, "logo": logo, "delete_after": club.delete_after}
    return dict(plain(ClubDetailSerializer)(shown)), etag(club_tag(settings))


def _clubs(actor: Actor) -> QuerySet[Club]:
    """The clubs that you may read, by name."""
    return clubs_for(actor)


CLUBS = Listing(
    name="clubs",
    shape=ClubSerializer,
    rows=_clubs,
    columns=("slug", "name", "time_zone", "language"),
    order=("name", "slug"),
)


@reading("read_club", ClubDetailSerializer, parameters=(ETAG,))
def read_club(request: Request, club: str) -> HttpResponseBase:
    """One club with its settings."""
    allow_only(request)
    body, tag = club_answer(club_at(caller(request), club))
    return Response(body, headers={"ETag": tag})
