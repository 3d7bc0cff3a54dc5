"""Challenges on a ladder and absences of its members."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller
from api.idempotency import created, idempotent_write, json_answer
from api.lists import Filter, limited, listing
from api.openapi import reading
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import (
    MOST_TEXT,
    ChoiceTextField,
    DayField,
    StrictField,
    TextField,
    bad_setting,
    is_text,
)
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.addresses import requested_event
from api.v1.fields import MomentField, StringListField
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict, JsonObject
from tournaments.models.events import Event
from tournaments.models.ladders import ChallengeState
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.events import get_event
from tournaments.selectors.ladders.challenges import (
    absence_lines,
    challenge_at,
    challenge_line,
    challenge_rows_by_number,
)
from tournaments.services.ladders.challenges import (
    answer_challenge,
    enter_result,
    issue_challenge,
    postpone_challenge,
)
from tournaments.services.ladders.members import end_absence, report_absence


class AbsenceSerializer(OutputSerializer):
    """An absence of a member, in local days; the first and the last day are included."""

    player_id = serializers.CharField(help_text="Code of the entrant.")
    player = serializers.CharField()
    since = serializers.DateField()
    until = serializers.DateField(allow_null=True, help_text="Last day; null: not known yet.")


class NewAbsenceSerializer(StrictSerializer):
    """A member's absence, with its days."""

    player_id = TextField(
        required=False,
        help_text="Code of the member; by default your own. Hosts may name any member.",
    )
    since = DayField()
    until = DayField(
        required=False, help_text="Last day of the absence; omit it if it is not known yet."
    )


class ReturnSerializer(StrictSerializer):
    """The end of an absence, with its day."""

    player_id = TextField(
        required=False,
        help_text="Code of the member; by default your own. Hosts may name any member.",
    )
    back = DayField(required=False, help_text="First day back; by default today.")


class AbsencesSerializer(OutputSerializer):
    """A member's current absences."""

    results = AbsenceSerializer(many=True)


@listing("absences", AbsenceSerializer, order=("since", "entrant__code"))
def list_absences(actor: Actor, club: str, event: str) -> RenderedRows:
    """All absences of a ladder, past ones too, by the first day; for members of the club."""
    return absence_lines(get_event(actor, club, event))


@idempotent_write(AbsenceSerializer, NewAbsenceSerializer, status=201, act="challenge")
def tell_absence_view(request: Request, club: str, event: str) -> HttpResponse:
    """Enter an absence: your own, or as a host that of a member."""
    actor, ladder = requested_event(request, club, event)
    body = validated(request, NewAbsenceSerializer)
    row = report_absence(actor=actor, event=ladder, now=timezone.now(), **body)
    code = row.entrant.code
    line = next(
        line
        for line in absence_lines(ladder)
        if line["player_id"] == code and line["since"] == row.since
    )
    return created(plain(AbsenceSerializer)(line), "list_absences", club, event)


@idempotent_write(AbsencesSerializer, ReturnSerializer, act="challenge")
def end_absence_view(request: Request, club: str, event: str) -> HttpResponse:
    """End the current absence of a member, or if there is none, remove the next one.

    Members may do so for themselves, hosts for any member.
    """
    actor, ladder = requested_event(request, club, event)
    body = validated(request, ReturnSerializer)
    entrant = end_absence(actor=actor, event=ladder, now=timezone.now(), **body)
    lines = [line for line in absence_lines(ladder) if line["player_id"] == entrant.code]
    return json_answer({"results": [plain(AbsenceSerializer)(line) for line in lines]})


MOST_AT_TABLE: Final = 13
"""More seats than any table has."""


class SideSerializer(OutputSerializer):
    """One of the two players of a challenge, with the place on the ladder."""

    player_id = serializers.CharField(help_text="Code of the entrant.")
    player = serializers.CharField()
    place = serializers.IntegerField(
        allow_null=True,
        help_text=(
            "Place on the ladder as last computed; in the answer to a write the current place. "
            "Null for a member who is not on the list."
        ),
    )


class ChallengeSerializer(OutputSerializer):
    """A challenge. At `due_at` its state becomes `due_state`; later requests are too late."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=ChallengeState.choices)
    challenger = SideSerializer(help_text="The player who challenges.")
    challenged = SideSerializer(help_text="The player who is challenged.")
    issued_at = MomentField()
    accepted_at = MomentField(
        allow_null=True,
        help_text="Start of the days for playing; they start again if a result is withdrawn.",
    )
    played_at = MomentField(allow_null=True, help_text="Time when the result was entered.")
    closed_at = MomentField(allow_null=True)
    due_at = MomentField(allow_null=True, help_text="Deadline of the current state.")
    due_state = serializers.CharField(allow_null=True, help_text="State after the deadline.")
    postponed_by = StringListField(
        help_text="Codes of the players who have used their one postponement."
    )
    cancel_asked_by = serializers.CharField(
        allow_null=True, help_text="Code of the player who asks to cancel, until the other agrees."
    )
    table = serializers.CharField(allow_null=True, help_text="Code of the table of its game.")
    winner = serializers.CharField(allow_null=True, help_text="Code of the winner at the table.")
    confirmed_winner = serializers.CharField(
        allow_null=True,
        help_text="Code of the winner at the confirmation; `winner` follows a later correction.",
    )
    confirmed_as = serializers.CharField(
        allow_blank=True, help_text="Source of the confirmation: `loser`, a role, or `clock`."
    )
    confirmed_by = serializers.CharField(
        allow_blank=True,
        help_text="Name of the person who confirmed; empty if nobody did or you may not read it.",
    )
    words = serializers.CharField(allow_blank=True)
    may = StringListField(
        help_text="States that you may set now (`played`: by `…/result`), and `postpone`."
    )


class NewChallengeSerializer(StrictSerializer):
    """The two players of a challenge."""

    challenged = TextField(help_text="Code of the entrant, or id of its player.")
    challenger = TextField(
        required=False,
        help_text="Code of the member; by default your own. Hosts may name any member.",
    )
    words = TextField(required=False)


class ChallengeMoveSerializer(StrictSerializer):
    """The new state of a challenge."""

    to = ChoiceTextField(choices=ChallengeState.choices)
    reason = TextField(required=False, help_text="Reason; needed for `void`.")


class PostponementSerializer(StrictSerializer):
    """The player for whom a host postpones the game; players omit it."""

    by = TextField(required=False, help_text="Side: `challenger` or `challenged`.")


class PointsField(StrictField, serializers.DictField):
    """Totals by player id; the scorer validates the numbers."""

    takes_null = True

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, Mapping) or not 0 < len(data) <= MOST_AT_TABLE:
            value = f"totals of {len(data)}" if isinstance(data, Mapping) else shown(data)
            expected = f"an object of totals by player id, 1 to {MOST_AT_TABLE} of them"
            raise bad_setting(self, value, expected)
        if not all(map(is_text, data)):
            raise Refused(Problem("bad_text", (), {"field": "A player id", "most": MOST_TEXT}))
        return data


class ResultOfChallengeSerializer(StrictSerializer):
    """The result: either the table that was played, or the totals of all players."""

    table = TextField(required=False, help_text="Code of the table, as in `r3t2`.")
    points = PointsField(required=False, help_text="Totals by player id, in seat order.")
    played_on = DayField(
        required=False, help_text="Local day of the game, for totals; by default today."
    )


def _flat(row: JsonObject) -> Sequence[JsonObject]:
    sides = {name: row[name]["player_id"] for name in ("challenger", "challenged")}
    names = {f"{name}_name": row[name]["player"] for name in sides}
    lists = {name: " ".join(row[name]) for name in ("postponed_by", "may")}
    return ({**row, **names, **sides, **lists},)


@listing(
    "challenges",
    ChallengeSerializer,
    columns=(
        *("number", "state", "challenger", "challenger_name", "challenged", "challenged_name"),
        *("issued_at", "accepted_at", "played_at", "closed_at", "due_at", "due_state"),
        *("postponed_by", "cancel_asked_by", "table", "winner", "confirmed_as", "confirmed_by"),
        *("words", "confirmed_winner"),
    ),
    order=("number",),
    lines=_flat,
    filters=(Filter("state", "Only challenges in this state.", ChallengeState.values),),
)
def list_challenges(actor: Actor, club: str, event: str, state: str = "") -> RenderedRows:
    """The challenges of a ladder by number, open and closed; empty for any other event."""
    ladder = get_event(actor, club, event)
    challenges = challenge_rows_by_number(ladder, actor=actor, now=timezone.now())
    return replace(challenges, rows=limited(challenges.rows, state=state))


@reading("read_challenge", ChallengeSerializer)
def read_challenge(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """One challenge, with what you may do with it now."""
    actor = caller(request)
    return Response(_challenge_json(actor, get_event(actor, club, event), number))


@idempotent_write(ChallengeSerializer, NewChallengeSerializer, status=201, act="challenge")
def issue_challenge_view(request: Request, club: str, event: str) -> HttpResponse:
    """Challenge a member above you. A refusal lists all problems at once."""
    actor, ladder = requested_event(request, club, event)
    body = validated(request, NewChallengeSerializer)
    row = issue_challenge(actor=actor, event=ladder, now=timezone.now(), **body)
    return created(
        _challenge_json(actor, ladder, row.number, anew=True),
        "read_challenge",
        club,
        event,
        row.number,
    )


@idempotent_write(ChallengeSerializer, ChallengeMoveSerializer, act="challenge")
def move_challenge_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Accept, decline, withdraw, forfeit or cancel a challenge; confirm its result or withdraw it.

    When one of the two players sends `cancelled`, the other is asked to agree.
    """
    actor, ladder = requested_event(request, club, event)
    body = validated(request, ChallengeMoveSerializer)
    answer_challenge(actor=actor, event=ladder, number=number, now=timezone.now(), **body)
    return json_answer(_challenge_json(actor, ladder, number, anew=True))


@idempotent_write(ChallengeSerializer, PostponementSerializer, act="challenge")
def postpone_challenge_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Postpone the game of a challenge; each of the two players may do so once."""
    actor, ladder = requested_event(request, club, event)
    body = validated(request, PostponementSerializer)
    postpone_challenge(actor=actor, event=ladder, number=number, now=timezone.now(), **body)
    return json_answer(_challenge_json(actor, ladder, number, anew=True))


@idempotent_write(ChallengeSerializer, ResultOfChallengeSerializer, act="challenge")
def give_result_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Enter a challenge's result; it counts once the loser, a host or the clock confirms it."""
    actor, ladder = requested_event(request, club, event)
    body = validated(request, ResultOfChallengeSerializer)
    enter_result(
        actor=actor,
        event=ladder,
        number=number,
        table=body["table"],
        points=body.get("points"),
        played_on=body["played_on"],
        source="api",
        now=timezone.now(),
    )
    return json_answer(_challenge_json(actor, ladder, number, anew=True))


def _challenge_json(actor: Actor, event: Event, number: int, *, anew: bool = False) -> JsonDict:
    row = challenge_at(event, number)
    line = challenge_line(event, row, actor=actor, now=timezone.now(), anew=anew)
    return plain(ChallengeSerializer)(line)
