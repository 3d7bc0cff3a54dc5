"""People of a club: whole lists added at once, records merged, a person erased, everything stored
about one."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.idempotency import idempotent_write, json_answer
from api.openapi import reading
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import (
    MOST_TEXT,
    BooleanField,
    ChoiceTextField,
    TextField,
)
from api.serializers.strict_serializers import (
    EmptyBody,
    StrictSerializer,
    validated,
)
from api.v1.addresses import requested_club
from api.v1.fields import MomentField
from scoring.errors import Problem, Refused, shown
from tournaments.errors import Missing
from tournaments.models.clubs import Club, Erasure, Player
from tournaments.policy import Actor
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.players import player_for
from tournaments.selectors.people.accounts import get_personal_data
from tournaments.selectors.people.merges import find_merge
from tournaments.services.people.erase_player import (
    ask_erasure,
    decline_erasure,
    erase_player,
    withdraw_erasure,
)
from tournaments.services.people.merge_players import merge_players, undo_merge
from tournaments.services.permissions import require
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
    player_id = serializers.CharField()
    into = serializers.CharField()
    tables = serializers.IntegerField()
    hands = serializers.IntegerField()
    challenges = serializers.IntegerField()
    absences = serializers.IntegerField()
    adjustments = serializers.IntegerField(help_text="Number of penalties and bonuses.")
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

    merge = serializers.CharField()
    player_id = serializers.CharField()
    into = serializers.CharField()
    undone_at = MomentField()


class EraseSerializer(StrictSerializer):
    """The reason for erasing a person."""

    reason = TextField(max_length=MOST_TEXT)


class ErasedSerializer(OutputSerializer):
    """An erased person."""

    player_id = serializers.CharField()
    name = serializers.CharField(help_text="The text that replaces the name.")
    publications = serializers.IntegerField(help_text="Number of publications that were rewritten.")
    texts = serializers.IntegerField(help_text="Number of other rows that contained the name.")
    erased_at = MomentField()


REQUESTS: Final[Mapping[str, Callable[..., Erasure]]] = {
    "ask": ask_erasure,
    "withdraw": withdraw_erasure,
    "decline": decline_erasure,
}
"""What a request to be erased is sent for, and what does it."""


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
    account = serializers.DictField(allow_null=True)
    entries = RowsField()
    results = RowsField()
    seats = RowsField()
    penalties = RowsField()
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


@reading("read_player_data", PersonalDataSerializer)
def read_player_data(request: Request, club: str, player_id: str) -> HttpResponseBase:
    """Everything that a club stores about a player; for owners and for the person."""
    actor = caller(request)
    home = get_club(actor, club)
    player = player_for(actor, home, player_id)
    if actor.kind == "public":
        raise NotAuthenticated
    answer = Response(get_personal_data(actor, home, player))
    answer["Cache-Control"] = "private, no-store"
    return answer


@idempotent_write(MergeSerializer, NewMergeSerializer)
def merge_player_view(request: Request, club: str, player_id: str) -> HttpResponse:
    """Merge a player into another player (`into`) who is the same person."""
    actor, home, source = _player(request, club, player_id)
    require(actor, home, "merge_players")
    body = validated(request, NewMergeSerializer)
    try:
        target = player_for(actor, home, body["into"])
    except Missing as missing:
        facts = {"player": shown(body["into"])}
        raise Refused(Problem("unknown_player", ("into",), facts)) from missing
    now = timezone.now()
    both: dict[str, Any] = {
        "actor": actor,
        "club": home,
        "source": source,
        "target": target,
        "now": now,
    }
    preview = preview_merge(**both)
    merge = None if body.get("dry_run") else merge_players(**both)
    preview |= {
        "merge": str(merge.public_id) if merge is not None else None,
        "player_id": preview["source"],
        "into": preview["target"],
    }
    return json_answer(plain(MergeSerializer)(preview))


@idempotent_write(UndoneMergeSerializer, EmptyBody)
def unmerge_player_view(request: Request, club: str, player_id: str) -> HttpResponse:
    """Undo the merge of a player; refused if something newer depends on the moved rows."""
    actor, home = requested_club(request, club)
    require(actor, home, "merge_players")
    validated(request, EmptyBody)
    player_merge = find_merge(home, player_id)
    if player_merge is None:
        raise Missing("merge", {"player": shown(player_id)})
    undone = undo_merge(actor=actor, club=home, source=player_merge.source, now=timezone.now())
    merge = {
        "merge": str(undone.public_id),
        "player_id": undone.source.player_id,
        "into": undone.target.player_id,
        "undone_at": undone.undone_at,
    }
    return json_answer(plain(UndoneMergeSerializer)(merge))


@idempotent_write(ErasedSerializer, EraseSerializer)
def erase_player_view(request: Request, club: str, player_id: str) -> HttpResponse:
    """Erase a person: the player's number replaces the name everywhere, and results stay.

    This cannot be undone.
    """
    actor, home, player = _player(request, club, player_id)
    body = validated(request, EraseSerializer)
    now = timezone.now()
    erased, n_publications, n_texts = erase_player(
        actor=actor, club=home, player=player, confirmed=player_id, now=now, **body
    )
    answer = {
        "player_id": erased.player_id,
        "name": erased.name,
        "publications": n_publications,
        "texts": n_texts,
        "erased_at": erased.erased_at,
    }
    return json_answer(plain(ErasedSerializer)(answer))


@idempotent_write(ErasureSerializer, ErasureRequestSerializer)
def request_erasure_view(request: Request, club: str, player_id: str) -> HttpResponse:
    """Ask to be erased, withdraw such a request, or, as an owner, decline it."""
    actor, home, player = _player(request, club, player_id)
    to = validated(request, ErasureRequestSerializer)["to"]
    if to not in REQUESTS:
        facts = {"parameter": "to", "found": shown(to), "expected": ", ".join(REQUESTS)}
        raise Refused(Problem("bad_parameter", ("to",), facts))
    erasure: Erasure = REQUESTS[to](actor=actor, club=home, player=player, now=timezone.now())
    return json_answer(plain(ErasureSerializer)(erasure))


def _player(request: Request, club: str, player_id: str) -> tuple[Actor, Club, Player]:
    actor, home = requested_club(request, club)
    return actor, home, player_for(actor, home, player_id)
