"""Meetings of an event, its rounds, and a summary of the tables of a round."""

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.fast_serialization import plain
from api.openapi import reading
from api.pagination import Listing
from api.query_parameters import allow_only
from api.v1.fields import ScoreField
from tournaments.models.hands import GameState
from tournaments.models.meetings import Meeting, MeetingState, Round, RoundState, SitOutReason
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.adjustments import sit_outs_in
from tournaments.selectors.events.events import event_at, round_at
from tournaments.selectors.rounds.removed_tables import removed_tables
from tournaments.selectors.rounds.rounds import (
    meetings_with_rounds,
    round_cards,
    rounds_with_tables,
)


class MeetingSerializer(serializers.Serializer[Any]):
    """A meeting; the date is local to the club's time zone."""

    date = serializers.DateField()
    state = serializers.ChoiceField(choices=MeetingState.choices)
    rounds = serializers.SerializerMethodField(help_text="Numbers of the rounds played then.")

    @extend_schema_field(serializers.ListField(child=serializers.IntegerField()))
    def get_rounds(self, meeting: Meeting) -> list[int]:
        """Return the numbers of the meeting's rounds."""
        return [found.number for found in meeting.rounds.all()]


_OWN: Final[Mapping[str, Any]] = {
    "allow_null": True,
    "help_text": "Rules of its new tables; null: the rules of the event.",
}


class RoundSerializer(serializers.Serializer[Any]):
    """Tables that play at the same time; rounds are numbered through the whole event."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=RoundState.choices)
    meeting = serializers.DateField(
        source="meeting.date", default=None, allow_null=True, help_text="Date of its meeting."
    )
    tables = serializers.IntegerField(source="n_tables", help_text="Number of its tables.")
    variant = serializers.CharField(source="snapshot.variant", default=None, **_OWN)
    variant_name = serializers.CharField(source="snapshot.variant_name", default=None, **_OWN)


class ResultSerializer(serializers.Serializer[Any]):
    """The result of an entrant at a table; before the first hand only the players."""

    player_id = serializers.CharField(source="entrant_id")
    player = serializers.CharField(source="name")
    place = serializers.CharField(allow_blank=True, help_text="As in 1 or 2=; empty before a hand.")
    points = ScoreField(
        allow_null=True,
        help_text="Null before the first hand, and where points are complex numbers.",
    )
    moons = serializers.IntegerField(
        allow_null=True, help_text="Null where the sheet has totals only."
    )


class TableCardSerializer(serializers.Serializer[Any]):
    """A table in short."""

    code = serializers.CharField()
    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=GameState.choices)
    variant = serializers.CharField()
    variant_name = serializers.CharField()
    hands = serializers.IntegerField(help_text="Number of hands that count.")
    results = ResultSerializer(source="lines", many=True)


class SitOutSerializer(serializers.Serializer[Any]):
    """An entrant who does not play in a round, and the reason."""

    player_id = serializers.CharField(source="entrant_id")
    player = serializers.CharField(source="name")
    reason = serializers.ChoiceField(choices=SitOutReason.choices)


class RemovedTableSerializer(serializers.Serializer[Any]):
    """A table that was removed before its first hand, and its players, clockwise."""

    code = serializers.CharField(help_text="For `POST E/tables/{code}/restore`.")
    number = serializers.IntegerField()
    players = serializers.ListField(child=serializers.CharField(), source="people")


class RoundDetailSerializer(serializers.Serializer[Any]):
    """A round with its tables."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=RoundState.choices)
    meeting = serializers.DateField(source="meeting.date", default=None, allow_null=True)
    variant = serializers.CharField(source="snapshot.variant", default=None, **_OWN)
    variant_name = serializers.CharField(source="snapshot.variant_name", default=None, **_OWN)
    tables = TableCardSerializer(many=True)
    sit_outs = SitOutSerializer(many=True)
    removed_tables = RemovedTableSerializer(
        many=True, help_text="Tables that directors can restore; empty for everybody else."
    )


def _meetings(actor: Actor, club: str, event: str) -> QuerySet[Meeting]:
    """The meetings of an event, the newest first."""
    return meetings_with_rounds(event_at(actor, club, event))


def _rounds(actor: Actor, club: str, event: str) -> QuerySet[Round]:
    """The rounds of an event by number."""
    return rounds_with_tables(event_at(actor, club, event))


MEETINGS = Listing(
    name="meetings",
    shape=MeetingSerializer,
    rows=_meetings,
    columns=("date", "state", "rounds"),
    order=("-date",),
)
ROUNDS = Listing(
    name="rounds",
    shape=RoundSerializer,
    rows=_rounds,
    columns=("number", "state", "meeting", "tables", "variant", "variant_name"),
    order=("number",),
)


@reading("read_round", RoundDetailSerializer)
def read_round(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """One round, with the results at each of its tables."""
    allow_only(request)
    actor = caller(request)
    found = event_at(actor, club, event)
    round_ = round_at(found, number)
    may_restore = may_do(found, "manage_event") and actor.is_within_scope("manage_event")
    tables = {
        "tables": round_cards(found, round_),
        "sit_outs": sit_outs_in(round_),
        "removed_tables": removed_tables(found, round_) if may_restore else (),
    }
    head = {"number": round_.number, "state": round_.state, "meeting": round_.meeting}
    return Response(plain(RoundDetailSerializer)(head | {"snapshot": round_.snapshot} | tables))
