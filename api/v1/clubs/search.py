"""The search of the pages: clubs, players, events, evenings and games that a caller may read."""

from typing import Any, Final

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.openapi import reading
from api.problems import BadRequest
from api.query_parameters import TEXT, allow_only, text_parameter
from api.serializers.fast_serialization import plain
from scoring.errors import Problem, shown
from tournaments.models.clubs import Club
from tournaments.presenters.clubs.search import KINDS, find
from tournaments.selectors.clubs.clubs import club_at

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
    return _answer(request, club_at(caller(request), club))


def _answer(request: Request, club: Club | None) -> HttpResponseBase:
    allow_only(request, "q", "kind")
    kind = text_parameter(request, "kind")
    if kind and kind not in KINDS:
        facts = {"parameter": "kind", "found": shown(kind), "expected": ", ".join(KINDS)}
        raise BadRequest(Problem("bad_parameter", facts=facts))
    found = find(caller(request), text_parameter(request, "q"), club).found
    rows = [one for key, ones in found.items() if kind in ("", key) for one in ones[:MOST]]
    results = list(map(plain(FoundSerializer), rows))
    return Response({"next": None, "previous": None, "results": results})
