"""The product's addresses, and the two views that its reads are measured against."""

from functools import lru_cache
from typing import Any

from django.db.models import Count, FloatField, Min, QuerySet, Sum
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from rest_framework import serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.models.events import Entrant

SITTINGS = "members__player__sittings"
SCORES = f"{SITTINGS}__seat__scores"


@lru_cache(maxsize=8)
def some_bytes(size: int) -> bytes:
    return b'"' + b"x" * (size - 2) + b'"'


def bytes_from_memory(request: HttpRequest, size: int) -> HttpResponse:
    """The limit: a view that returns bytes which lie in memory."""
    return HttpResponse(some_bytes(size), content_type="application/json")


class AnnotatedRow(serializers.Serializer[Any]):
    """A row of standings, computed on the read."""

    rank = serializers.IntegerField()
    player_id = serializers.CharField(source="code")
    player = serializers.CharField(source="named")
    tables = serializers.IntegerField()
    hands = serializers.IntegerField()
    points = serializers.IntegerField()
    average_per_hand = serializers.FloatField(source="average")
    moons = serializers.IntegerField()
    withdrawn = serializers.SerializerMethodField()

    def get_withdrawn(self, row: Entrant) -> bool:
        return row.state == "withdrawn"


@api_view(["GET"])
@permission_classes([AllowAny])
def annotated_standings(request: Request, club: str, event: str) -> Response:
    """The usual way: sum up all results on each read, and serialise the rows one by one.

    It has fewer columns than ours (no places, no reasons), so it is cheaper than it would be.
    """
    rows = list(annotated(club, event))
    for rank, row in enumerate(rows, start=1):
        row.rank = rank
    return Response(AnnotatedRow(rows, many=True).data)


def annotated(club: str, event: str) -> QuerySet[Any]:
    """Return the entrants of an event with the sums over every score they have in it."""
    played = {f"{SITTINGS}__round__event__slug": event}
    entrants = Entrant.objects.filter(event__slug=event, event__club__slug=club, **played)
    summed = entrants.annotate(
        named=Min("members__player__name"),
        tables=Count(SITTINGS, distinct=True),
        hands=Count(SCORES),
        points=Sum(f"{SCORES}__score"),
        moons=Sum(f"{SCORES}__moons"),
    )
    average = Cast("points", FloatField()) / Cast("hands", FloatField())
    return summed.annotate(average=average).order_by("average", "code")


urlpatterns = [
    path("bench/bytes/<int:size>", bytes_from_memory),
    path("bench/annotated/<slug:club>/<slug:event>", annotated_standings),
    path("", include("config.urls")),
]
