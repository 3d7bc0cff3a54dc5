"""Tables of an open night, formed from the players who are free."""

from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.request import Request

from api.idempotent_writes import idempotent_write, json_answer
from api.serializers.strict_fields import BooleanField, StrictField, bad_setting
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.events.requested_event import requested_event
from scoring.errors import shown
from tournaments.selectors.events.meetings import meeting_on
from tournaments.selectors.seating_plans.open_night import open_night
from tournaments.services.seating_plans.form_tables import form_tables
from tournaments.views.rounds.meetings import date_of

MOST_PICKED = 13


class PickedField(StrictField, serializers.ListField):
    """Ids of players."""

    child = serializers.CharField()

    def to_internal_value(self, data: object) -> object:
        """Return the ids.

        Raises:
            Refused: bad_setting.
        """
        is_list = isinstance(data, list) and len(data) <= MOST_PICKED
        if not is_list or not all(isinstance(one, str) and "\x00" not in one for one in data):  # type: ignore[attr-defined]  # a list
            raise bad_setting(self, shown(data), 'a list of ids of players, as in ["RL01"]')
        return data


class NewTablesSerializer(StrictSerializer):
    """Which tables to form."""

    players = PickedField(
        required=False,
        left_out=empty,
        help_text="Players of the one table to form; without it the players who are free.",
    )
    single = BooleanField(
        required=False,
        left_out=False,
        help_text="One table only, that of the player who played least and waits longest.",
    )


class FormedTableSerializer(serializers.Serializer[Any]):
    """A table that was formed."""

    code = serializers.CharField()
    round = serializers.IntegerField(help_text="Number of the round in the event.")
    number = serializers.IntegerField()
    seats = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of players, clockwise."
    )


class FormedTablesSerializer(serializers.Serializer[Any]):
    """The tables that were formed, and who waits."""

    tables = FormedTableSerializer(many=True)
    waiting = serializers.ListField(
        child=serializers.CharField(), help_text="Ids of players who are still free."
    )


def _form_tables(request: Request, club: str, event: str, day: str) -> HttpResponse:
    """Form tables of an open night from the players who are free, with the fewest repeats.

    The plan that is chosen for the meeting is an open night. Free are players who are checked in
    and sit at no table that is playing; such tables stay as they are. The tables are posted: a
    player's next table is in a later round than the one before, which is made where it is missing.
    """
    actor, found = requested_event(request, club, event)
    meeting = meeting_on(found, date_of(day))
    meeting.event = found
    sent = validated(request, NewTablesSerializer)
    formed = form_tables(
        actor=actor,
        meeting=meeting,
        players=sent.get("players", ()),
        is_single=sent["single"],
        now=timezone.now(),
    )
    body = {
        "tables": [
            {
                "code": one.code,
                "round": one.round_number,
                "number": one.number,
                "seats": [who.player_id for who in one.players],
            }
            for one in formed
        ],
        "waiting": [one.player_id for one in open_night(meeting).free],
    }
    answer = json_answer(body, status=201)
    answer["Location"] = reverse("list_meetings", args=[club, event])
    return answer


form_tables_view = idempotent_write(
    _form_tables, FormedTablesSerializer, NewTablesSerializer, status=201
)
"""`POST E/meetings/{date}/tables`."""
