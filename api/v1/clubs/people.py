"""People of a club: whole lists added at once, records merged, a person erased, everything stored
about one."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.idempotency import created, idempotent_write, json_answer
from api.openapi import reading
from api.resources import ResourceViewSet, performs
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    MOST_TEXT,
    BooleanField,
    ChoiceTextField,
    TextField,
    bad_setting,
)
from api.serializers.strict_serializers import (
    BodiesField,
    EmptyBody,
    StrictSerializer,
    read_bodies,
    validated,
)
from api.v1.addresses import requested_club
from api.v1.fields import MomentField
from scoring.errors import Problem, Refused, shown
from tournaments.errors import Missing
from tournaments.models.clubs import Erasure, Player, PlayerMerge
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.players import player_for
from tournaments.selectors.people.accounts import get_personal_data
from tournaments.selectors.people.merges import get_merge
from tournaments.services.clubs.player_paste import (
    MOST_LINES,
    PastedPlayer,
    add_pasted_players,
    plan_players,
    undo_pasted_players,
)
from tournaments.services.operations import Operation
from tournaments.services.people.erase_player import (
    REQUESTS,
    ErasedPlayer,
    ask_erasure,
    erase_player,
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
    player_id = serializers.CharField(source="source")
    into = serializers.CharField(source="target")
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

    merge = serializers.CharField(source="public_id")
    player_id = serializers.CharField(source="source.player_id")
    into = serializers.CharField(source="target.player_id")
    undone_at = MomentField()


class EraseSerializer(StrictSerializer):
    """The reason for erasing a person."""

    reason = TextField(max_length=MOST_TEXT)


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


class PlayerActViewSet(ResourceViewSet):
    """What is done with the whole record of a player."""

    resource = ("player", "players")
    lookup_url_kwarg = "player_id"

    def get_object(self) -> Player:
        return player_for(self.actor, self.home, self.kwargs["player_id"])

    def _merge(self, op: Operation, body: dict[str, Any]) -> dict[str, object]:
        source = self.get_object()
        try:
            target = player_for(op.actor, self.home, body["into"])
        except Missing as missing:
            facts = {"player": shown(body["into"])}
            raise Refused(Problem("unknown_player", ("into",), facts)) from missing
        preview = preview_merge(op, source, target)
        merge = None if body.get("dry_run") else merge_players(op, source, target=target)
        return {**preview, "merge": merge and merge.public_id}

    def _erase(self, op: Operation, body: dict[str, Any]) -> ErasedPlayer:
        return erase_player(op, self.get_object(), confirmed=self.kwargs["player_id"], **body)

    def _request(self, op: Operation, body: dict[str, Any]) -> Erasure:
        if (to := body["to"]) not in REQUESTS:
            facts = {"parameter": "to", "found": shown(to), "expected": ", ".join(REQUESTS)}
            raise Refused(Problem("bad_parameter", ("to",), facts))
        return REQUESTS[to](op, self.get_object())

    def _unmerge(self, op: Operation, _body: dict[str, Any]) -> PlayerMerge:
        return undo_merge(op, get_merge(self.home, self.kwargs["player_id"]))

    merge = performs(
        merge_players,
        "merge",
        body=NewMergeSerializer,
        answer=MergeSerializer,
        call=_merge,
        name="merge_player",
    )
    unmerge = performs(
        undo_merge,
        "unmerge",
        answer=UndoneMergeSerializer,
        call=_unmerge,
        name="unmerge_player",
    )
    erase = performs(
        erase_player, "erase", body=EraseSerializer, answer=ErasedSerializer, call=_erase
    )
    erasure_request = performs(
        ask_erasure,
        "erasure-request",
        body=ErasureRequestSerializer,
        answer=ErasureSerializer,
        call=_request,
        name="request_erasure",
        text="Ask to be erased, withdraw such a request, or, as an owner, decline it.",
    )


_MEMBERS: Final[Mapping[str, str]] = {
    "player_id_twice": "player_id",
    "player_id_of_another": "player_id",
    "player_id_too_long": "player_id",
    "player_id_not_usable": "player_id",
}
"""Problem of a line → the member that it is about, where that is not the name."""


class RosterPlayerSerializer(StrictSerializer):
    """A person of a list to add."""

    name = TextField()
    player_id = TextField(
        required=False,
        help_text="The club's own number; by default the next free one, such as P0001.",
    )


class RosterField(BodiesField):
    """The people of a list."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list) or not data:
            raise bad_setting(self, shown(data), "a list of players")
        return tuple(
            PastedPlayer(
                line=line,
                name=player["name"],
                player_id=player.get("player_id") or "",
                as_written=True,
            )
            for line, player in enumerate(
                read_bodies(data[: MOST_LINES + 1], RosterPlayerSerializer), start=1
            )
        )


class NewRosterSerializer(StrictSerializer):
    """A list of people to add to a club."""

    players = RosterField(
        child=RosterPlayerSerializer(), min_length=1, max_length=MOST_LINES,
        help_text="People to add; those whom the club has, by number or name, stay as they are.",
    )  # fmt: skip


class RosterLineSerializer(OutputSerializer):
    """The outcome for one person of a list."""

    index = serializers.IntegerField(help_text="Position in the `players` of the request, from 0.")
    name = serializers.CharField()
    player_id = serializers.CharField(
        allow_blank=True, help_text="Number of a `new` player, or the number sent; otherwise empty."
    )
    outcome = serializers.ChoiceField(
        choices=["new", "there", "twice"],
        help_text="`new`: added; `there`: known to the club; `twice`: earlier in the list as well.",
    )
    like = serializers.CharField(
        allow_blank=True, help_text="Player with the same or nearly the same name; or empty."
    )


class RosterSerializer(OutputSerializer):
    """A list of people that was added."""

    number = serializers.IntegerField(help_text="Number of the list, by which it can be undone.")
    added = serializers.IntegerField(help_text="Number of people who are new in the club.")
    players = RosterLineSerializer(many=True)


class UndoneRosterSerializer(OutputSerializer):
    """The outcome of undoing a list of people."""

    removed = serializers.ListField(
        child=serializers.CharField(), help_text="Numbers of the players who were removed."
    )
    kept = serializers.ListField(
        child=serializers.CharField(), help_text="Numbers of those seated or entered since."
    )


@idempotent_write(RosterSerializer, NewRosterSerializer, status=201)
def add_roster_view(request: Request, club: str) -> HttpResponse:
    """Add a list of up to 1,000 people to the players of a club, all or none.

    Each line of the answer has the outcome for one person. `POST C/rosters/{number}/undo` removes
    the new players again. If somebody changes the players at the same moment, the answer is 409
    (`list_changed`): send the request again.
    """
    actor, home = requested_club(request, club)
    require(actor, home, "edit_players")
    pasted = validated(request, NewRosterSerializer)["players"]
    roster = plan_players(home, pasted[:MOST_LINES])
    try:
        number = add_pasted_players(
            actor=actor, club=home, pasted=pasted, seen=roster.digest, now=timezone.now()
        )
    except Refused as refused:
        raise Refused(*_of_body(refused)) from refused
    names = ("name", "player_id", "outcome", "like")
    lines = [
        {"index": line.line - 1, **{name: getattr(line, name) for name in names}}
        for line in roster.lines
    ]
    body = {"number": number, "added": len(roster.new), "players": lines}
    return created(body, "list_players", club)


def _of_body(refused: Refused) -> Iterator[Problem]:
    """Yield the problems of a list at their places in the body: lines count from 1."""
    for problem in refused.problems:
        match problem.at:
            case ("names", int(line)):
                member = _MEMBERS.get(problem.code, "name")
                yield replace(problem, at=("players", line - 1, member))
            case ("names",):
                yield replace(problem, at=("players",))
            case _:
                yield problem


@idempotent_write(UndoneRosterSerializer, EmptyBody)
def undo_roster_view(request: Request, club: str, number: int) -> HttpResponse:
    """Undo the adding of a list of people; those who were seated or entered since stay."""
    actor, home = requested_club(request, club)
    validated(request, EmptyBody)
    removed, seated = undo_pasted_players(actor=actor, club=home, number=number, now=timezone.now())
    return json_answer({"removed": removed, "kept": seated})
