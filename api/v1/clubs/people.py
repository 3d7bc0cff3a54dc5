"""People of a club: records merged, a person erased, everything stored about one."""

from typing import Any

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.conditional_requests import NO_STORE
from api.openapi import reading
from api.resources import performs
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import BooleanField, ChoiceTextField, TextField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.addresses import OfPlayerViewSet
from api.v1.fields import MomentField, ReasonSerializer
from scoring.errors import Problem, Refused, shown
from tournaments.errors import Missing
from tournaments.models.clubs import Erasure, PlayerMerge
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.players import player_for
from tournaments.selectors.people.accounts import get_personal_data
from tournaments.selectors.people.merges import get_merge
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import (
    REQUESTS,
    ask_erasure,
    erase_player,
)
from tournaments.services.people.merge_players import merge_players, undo_merge
from tournaments.services.previewing.preview_changes import preview_merge


class MergedPlaceSerializer(OutputSerializer):
    """The place of one of the two entrants in an event's standings."""

    code = serializers.CharField(help_text="Code of the entrant.")
    rank = serializers.IntegerField(allow_null=True)
    games = serializers.IntegerField()


class MergedEventSerializer(OutputSerializer):
    """The effect of a merge on the two players in one event."""

    slug = serializers.CharField()
    name = serializers.CharField()
    state = serializers.CharField()
    is_joined = serializers.BooleanField(help_text="Whether both compete and get one row.")
    before = MergedPlaceSerializer(many=True)
    after = MergedPlaceSerializer(many=True)
    n_moved = serializers.IntegerField(help_text="Number of other entrants whose place changes.")


class MergeSerializer(OutputSerializer):
    """The numbers of rows that a merge moves from one player (`player_id`) to another (`into`)."""

    merge = serializers.CharField(allow_null=True, help_text="Id of the merge; null in a dry run.")
    player_id = serializers.CharField(source="source")
    into = serializers.CharField(source="target")
    tables = serializers.IntegerField()
    hands = serializers.IntegerField()
    challenges = serializers.IntegerField()
    absences = serializers.IntegerField()
    adjustments = serializers.IntegerField(help_text="Number of penalties and bonuses.")
    opening_values = serializers.IntegerField(help_text="Number of values from before.")
    disputes = serializers.IntegerField()
    invitations = serializers.IntegerField()
    attendance = serializers.IntegerField(help_text="Number of evenings with attendance stated.")
    constraints = serializers.IntegerField(help_text="Number of seating constraints.")
    plans = serializers.IntegerField(help_text="Number of coming seating plans with the player.")
    account = serializers.BooleanField(help_text="Whether the account is linked to `into`.")
    events = MergedEventSerializer(many=True)


class NewMergeSerializer(StrictSerializer):
    """The player to merge into."""

    into = TextField(help_text="Number of the player who gets the records.")
    dry_run = BooleanField(required=False, help_text="Whether to report only what would be moved.")


class UndoneMergeSerializer(OutputSerializer):
    """A merge that was undone."""

    merge = serializers.CharField(source="public_id")
    player_id = serializers.CharField(source="source.player_id")
    into = serializers.CharField(source="target.player_id")
    undone_at = MomentField()


class EraseSerializer(ReasonSerializer):
    """The reason for erasing a person."""


class ErasedSerializer(OutputSerializer):
    """An erased person."""

    player_id = serializers.CharField(source="player.player_id")
    name = serializers.CharField(source="player.name", help_text="The text that replaces the name.")
    publications = serializers.IntegerField(help_text="Number of publications that were rewritten.")
    texts = serializers.IntegerField(help_text="Number of other rows that contained the name.")
    erased_at = MomentField(source="player.erased_at")


class ErasureRequestSerializer(StrictSerializer):
    """The step to take with a request to be erased."""

    to = ChoiceTextField(
        choices=list(REQUESTS),
        help_text="Act to do: the person may `ask` and `withdraw`, an owner may `decline`.",
    )


class ErasureSerializer(OutputSerializer):
    """A request to be erased."""

    id = serializers.CharField(source="public_id")
    player_id = serializers.CharField(source="player.player_id")
    asked_at = MomentField()
    declined_at = MomentField(allow_null=True)


class RowsField(serializers.ListField):
    """Rows of one kind."""

    child = serializers.DictField()


class PersonalDataSerializer(OutputSerializer):
    """Everything that a club stores about a person. Lists are in order of time."""

    club = serializers.DictField()
    player = serializers.DictField()
    contact = serializers.DictField(allow_null=True)
    aliases = RowsField(help_text="Names by which files of the club call the player.")
    personal_links = RowsField()
    filled_in = RowsField()
    account = serializers.DictField(allow_null=True)
    entries = RowsField()
    results = RowsField()
    seats = RowsField()
    penalties = RowsField()
    opening_values = RowsField()
    result_notes = RowsField()
    challenges = RowsField()
    absences = RowsField()
    attendance = RowsField()
    seating_constraints = RowsField()
    disputes = RowsField()
    entered_hands = RowsField()
    invitations = RowsField()
    claims = RowsField()
    merges = RowsField()
    erasures = RowsField()
    notices = RowsField()
    notification_choices = RowsField()
    audit = RowsField(help_text="Lines of the audit trail, with ids only and no names.")
    refused_acts = RowsField()


@reading("read_player_data", PersonalDataSerializer, right="own_account")
def read_player_data(request: Request, club: str, player_id: str) -> HttpResponseBase:
    """Everything that a club stores about a player; for owners and for the person."""
    actor = caller(request)
    home = get_club(actor, club)
    player = player_for(actor, home, player_id)
    if actor.kind == "public":
        raise NotAuthenticated
    answer = Response(get_personal_data(actor, home, player))
    answer["Cache-Control"] = NO_STORE
    return answer


class PlayerActViewSet(OfPlayerViewSet):
    """What is done with the whole record of a player."""

    resource = ("player", "players")
    lookup_url_kwarg = "player_id"
    merge = performs(
        merge_players, "merge", body=NewMergeSerializer, answer=MergeSerializer, name="merge_player"
    )
    unmerge = performs(undo_merge, "unmerge", answer=UndoneMergeSerializer, name="unmerge_player")
    erase = performs(erase_player, "erase", body=EraseSerializer, answer=ErasedSerializer)
    erasure_request = performs(
        ask_erasure,
        "erasure-request",
        body=ErasureRequestSerializer,
        answer=ErasureSerializer,
        name="request_erasure",
        text="Ask to be erased, withdraw such a request, or, as an owner, decline it.",
    )

    def perform_merge(self, op: Operation, body: dict[str, Any]) -> dict[str, object]:
        source = self.get_object()
        try:
            target = player_for(op.actor, self.parent, body["into"])
        except Missing as missing:
            facts = {"player": shown(body["into"])}
            raise Refused(Problem("unknown_player", ("into",), facts)) from missing
        preview = preview_merge(op, source, target)
        merge = None if body.get("dry_run") else merge_players(op, source, target=target)
        return {**preview, "merge": merge and merge.public_id}

    def perform_erase(self, op: Operation, body: dict[str, Any]) -> dict[str, object]:
        player, publications, texts, _names_left = erase_player(
            op, self.get_object(), confirmed=self.kwargs["player_id"], reason=body["reason"]
        )
        return {"player": player, "publications": publications, "texts": texts}

    def perform_erasure_request(self, op: Operation, body: dict[str, Any]) -> Erasure:
        if (to := body["to"]) not in REQUESTS:
            facts = {"parameter": "to", "found": shown(to), "expected": ", ".join(REQUESTS)}
            raise Refused(Problem("bad_parameter", ("to",), facts))
        return REQUESTS[to](op, self.get_object())

    def perform_unmerge(self, op: Operation, _body: dict[str, Any]) -> PlayerMerge:
        return undo_merge(op, get_merge(self.parent, self.kwargs["player_id"]))
