"""Lists of players: a whole list is added to a club at once, and taken off it again."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.idempotency import idempotent_write, json_answer
from api.serializers.strict_fields import TextField, bad_setting
from api.serializers.strict_serializers import (
    BodiesField,
    EmptyBody,
    StrictSerializer,
    read_bodies,
    validated,
)
from api.v1.addresses import requested_club
from scoring.errors import Problem, Refused, shown
from tournaments.services.clubs.player_paste import (
    MOST_LINES,
    PastedPlayer,
    add_pasted_players,
    plan_players,
    undo_pasted_players,
)
from tournaments.services.permissions import require

_MEMBERS: Final[Mapping[str, str]] = {
    "player_id_twice": "player_id",
    "player_id_of_another": "player_id",
    "player_id_too_long": "player_id",
    "player_id_not_usable": "player_id",
}
"""Problem of a line → the member that it is about, where that is not the name."""


class RosterPlayerSerializer(StrictSerializer):
    """A person of a list."""

    name = TextField()
    player_id = TextField(
        required=False, help_text="The club's own number; without it the next free one, P0001 …"
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
        help_text="Players of the club, by name or number, stay as they are.",
    )  # fmt: skip


class RosterLineSerializer(serializers.Serializer[Any]):
    """The outcome for one person of a list."""

    index = serializers.IntegerField(help_text="Place in the request, from 0.")
    name = serializers.CharField()
    player_id = serializers.CharField(allow_blank=True, help_text="Empty unless `new` or sent.")
    outcome = serializers.ChoiceField(
        choices=["new", "there", "twice"],
        help_text="`there`: the club had them; `twice`: an earlier one of the list.",
    )
    like = serializers.CharField(
        allow_blank=True, help_text="The player that is meant, or one with nearly the same name."
    )


class RosterSerializer(serializers.Serializer[Any]):
    """A list of people that was added."""

    number = serializers.IntegerField(help_text="For undoing it.")
    added = serializers.IntegerField(help_text="How many are new in the club.")
    players = RosterLineSerializer(many=True)


class UndoneRosterSerializer(serializers.Serializer[Any]):
    """A list of people that was taken off a club's list."""

    removed = serializers.ListField(child=serializers.CharField(), help_text="Numbers of players.")
    kept = serializers.ListField(
        child=serializers.CharField(), help_text="Players who were seated or entered since."
    )


def _add_roster(request: Request, club: str) -> HttpResponse:
    """Add a list of people to a club, all or none; 1,000 at most.

    Each line of the answer says what became of it. `POST C/rosters/{number}/undo` takes them off
    the list again. If somebody changes the club's list at the same moment, the answer is 409
    (`list_changed`): send it again.
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
    answer = json_answer(body, status=201)
    answer["Location"] = reverse("list_players", args=[club])
    return answer


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


def _undo_roster(request: Request, club: str, number: int) -> HttpResponse:
    """Take the people of a list off the club's list again; players who were seated since stay."""
    actor, home = requested_club(request, club)
    validated(request, EmptyBody)
    removed, seated = undo_pasted_players(actor=actor, club=home, number=number, now=timezone.now())
    return json_answer({"removed": removed, "kept": seated})


add_roster_view = idempotent_write(_add_roster, RosterSerializer, NewRosterSerializer, status=201)
"""`POST C/rosters`."""
undo_roster_view = idempotent_write(_undo_roster, UndoneRosterSerializer, EmptyBody)
"""`POST C/rosters/{number}/undo`."""
