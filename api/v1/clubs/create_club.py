"""Creating a club."""

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from api.authentication import known_caller
from api.conditional_requests import etag_parameter
from api.idempotent_writes import idempotent_write, json_answer
from api.query_parameters import allow_only
from api.serializers.strict_fields import TextField
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.clubs.clubs import ClubDetailSerializer, club_answer
from tournaments.selectors.clubs.clubs import club_at
from tournaments.services.clubs.clubs import create_club

ETAG = etag_parameter("Names exactly these settings, for `PATCH`.", 201)
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
    sent = validated(request, NewClubSerializer)
    made = create_club(actor=actor, now=timezone.now(), **sent)
    body, tag = club_answer(club_at(actor, made.slug))
    answer = json_answer(body, status=201)
    answer["ETag"] = tag
    answer["Location"] = reverse("read_club", args=[made.slug])
    return answer


create_club_view = idempotent_write(
    _create_club, ClubDetailSerializer, NewClubSerializer, status=201, tells=(LOCATION, ETAG)
)
"""`POST /clubs`."""
