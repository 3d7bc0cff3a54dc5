"""Clubs that a caller may read."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.fast_serialization import plain
from api.openapi import reading
from api.pagination import Listing
from api.query_parameters import allow_only
from tournaments.models.clubs import Club
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import club_at, clubs_for


class ClubSerializer(serializers.Serializer[Any]):
    """A club."""

    slug = serializers.CharField()
    name = serializers.CharField()
    time_zone = serializers.CharField(help_text="Meetings have local dates of this time zone.")
    language = serializers.CharField(help_text="Of the club's pages; only English so far.")


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


@reading("read_club", ClubSerializer)
def read_club(request: Request, club: str) -> HttpResponseBase:
    """One club."""
    allow_only(request)
    return Response(plain(ClubSerializer)(club_at(caller(request), club)))
