"""Challenges on a ladder: sent, answered, put off, played, confirmed."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.fast_serialization import plain
from api.idempotent_writes import MOST_TEXT, json_answer, sent_texts, written_once
from api.openapi import reading
from api.pagination import Listing
from api.query_parameters import allow_only
from api.v1.fields import MomentField, sent_day
from scoring.errors import Problem, Refused, shown
from tournaments.models.events import Event
from tournaments.models.ladders import ChallengeState
from tournaments.policy import Actor
from tournaments.presenters.ladders.challenge_rows import challenge_line, told_challenges
from tournaments.selectors.db.raw_pagination import RenderedRows
from tournaments.selectors.events.events import event_at
from tournaments.selectors.ladders.challenges import challenge_at
from tournaments.services.ladders.answer_challenge import answer_challenge, postpone_challenge
from tournaments.services.ladders.challenge_results import give_result
from tournaments.services.ladders.issue_challenge import issue_challenge

MOST_AT_TABLE: Final = 13
"""More chairs than any table has."""


class SideSerializer(serializers.Serializer[Any]):
    """One of the two, and the place on the ladder."""

    player_id = serializers.CharField(help_text="Code of the entrant.")
    player = serializers.CharField()
    place = serializers.IntegerField(
        allow_null=True,
        help_text="As the ladder was last worked out, in the answer to a write as it is now. "
        "null: not on the list.",
    )


class ChallengeSerializer(serializers.Serializer[Any]):
    """A challenge. From `due_at` on it is what `due_state` says, whatever comes later."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=ChallengeState.choices)
    challenger = SideSerializer(help_text="From below.")
    challenged = SideSerializer(help_text="From above.")
    issued_at = MomentField()
    accepted_at = MomentField(
        allow_null=True, help_text="From then the game's days run: anew after a result taken back."
    )
    played_at = MomentField(allow_null=True, help_text="When its result came.")
    closed_at = MomentField(allow_null=True)
    due_at = MomentField(allow_null=True, help_text="When the clock moves it on.")
    due_state = serializers.CharField(allow_null=True, help_text="To which state.")
    postponed_by = serializers.ListField(
        child=serializers.CharField(), help_text="Codes of who used the one postponement."
    )
    cancel_asked_by = serializers.CharField(
        allow_null=True, help_text="Code of who wants to call it off, until the other agrees."
    )
    table = serializers.CharField(allow_null=True, help_text="Code of the table of its game.")
    winner = serializers.CharField(allow_null=True, help_text="Code of who won at the table.")
    confirmed_as = serializers.CharField(
        allow_blank=True, help_text="Who confirmed it: `loser`, a role, or `clock`."
    )
    confirmed_by = serializers.CharField(
        allow_blank=True, help_text="Their name, as you may know it; empty for the clock."
    )
    words = serializers.CharField(allow_blank=True)
    may = serializers.ListField(
        child=serializers.CharField(),
        help_text="States that you may take it to now (`played`: by its result), and `postpone`.",
    )


class NewChallengeSerializer(serializers.Serializer[Any]):
    """Who is challenged, by whom."""

    challenged = serializers.CharField(help_text="Code of the entrant, or id of its player.")
    challenger = serializers.CharField(
        required=False, help_text="Left out: yourself. Hosts may say anybody."
    )
    words = serializers.CharField(required=False, max_length=MOST_TEXT)


class ChallengeMoveSerializer(serializers.Serializer[Any]):
    """Where the challenge goes."""

    to = serializers.ChoiceField(choices=ChallengeState.choices)
    reason = serializers.CharField(
        required=False, max_length=MOST_TEXT, help_text="Needed to make one void."
    )


class PostponementSerializer(serializers.Serializer[Any]):
    """For whom a host puts the game off; the two leave it out."""

    by = serializers.CharField(required=False, help_text="`challenger` or `challenged`.")


class ResultOfChallengeSerializer(serializers.Serializer[Any]):
    """Either the table that was played, or everybody's totals."""

    table = serializers.CharField(required=False, help_text="Its code, as in r3t2.")
    points = serializers.DictField(
        required=False, help_text="Totals by player id, in the order in which they sat."
    )
    played_on = serializers.DateField(
        required=False, help_text="Local day of typed totals; today where it is left out."
    )


def _challenges(actor: Actor, club: str, event: str) -> RenderedRows:
    """The challenges of a ladder by number, open and over; of any other event there are none."""
    found = event_at(actor, club, event)
    return told_challenges(found, actor=actor, now=timezone.now())


def _flat(row: Any) -> Sequence[Mapping[str, Any]]:
    sides = {name: row[name]["player_id"] for name in ("challenger", "challenged")}
    names = {f"{name}_name": row[name]["player"] for name in sides}
    lists = {name: " ".join(row[name]) for name in ("postponed_by", "may")}
    return ({**row, **names, **sides, **lists},)


CHALLENGES: Final = Listing(
    name="challenges",
    shape=ChallengeSerializer,
    rows=_challenges,
    columns=(
        *("number", "state", "challenger", "challenger_name", "challenged", "challenged_name"),
        *("issued_at", "accepted_at", "played_at", "closed_at", "due_at", "due_state"),
        *(
            "postponed_by",
            "cancel_asked_by",
            "table",
            "winner",
            "confirmed_as",
            "confirmed_by",
            "words",
        ),
    ),
    order=("number",),
    lines=_flat,
)


@reading("read_challenge", ChallengeSerializer)
def read_challenge(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """One challenge, with what you may do with it now."""
    allow_only(request)
    actor = caller(request)
    return Response(_shown(actor, event_at(actor, club, event), number))


def _issue_challenge(request: Request, club: str, event: str) -> HttpResponse:
    """Challenge somebody further up. All that is against it is said at once."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    sent = sent_texts(request.data, ("challenged", "challenger", "words"))
    row = issue_challenge(actor=actor, event=found, now=timezone.now(), **sent)
    answer = json_answer(_shown(actor, found, row.number, anew=True), status=201)
    answer["Location"] = reverse("read_challenge", args=[club, event, row.number])
    return answer


def _move_challenge(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Answer a challenge, withdraw it, give it up, call it off, confirm its result or take that
    back. The first of the two who sends `cancelled` asks, the second agrees."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    sent = sent_texts(request.data, ("to", "reason"))
    answer_challenge(actor=actor, event=found, number=number, now=timezone.now(), **sent)
    return json_answer(_shown(actor, found, number, anew=True))


def _postpone_challenge(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Put the game off, which each of the two may once."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    sent = sent_texts(request.data, ("by",))
    postpone_challenge(actor=actor, event=found, number=number, now=timezone.now(), **sent)
    return json_answer(_shown(actor, found, number, anew=True))


def _give_result(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Say how it was played; it counts when the loser or a host confirms it, or the clock."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    body = dict(request.data)
    points, played_on = _points(body.pop("points", None)), _day(body)
    sent = sent_texts(body, ("table",))
    give_result(
        actor=actor,
        event=found,
        number=number,
        table=sent["table"],
        points=points,
        played_on=played_on,
        source="api",
        now=timezone.now(),
    )
    return json_answer(_shown(actor, found, number, anew=True))


issue_challenge_view = written_once(
    _issue_challenge, ChallengeSerializer, NewChallengeSerializer, status=201
)
"""`POST E/challenges`."""
move_challenge_view = written_once(_move_challenge, ChallengeSerializer, ChallengeMoveSerializer)
"""`POST E/challenges/{number}/moves`."""
postpone_challenge_view = written_once(
    _postpone_challenge, ChallengeSerializer, PostponementSerializer
)
"""`POST E/challenges/{number}/postpone`."""
give_result_view = written_once(_give_result, ChallengeSerializer, ResultOfChallengeSerializer)
"""`POST E/challenges/{number}/result`."""


def _shown(actor: Actor, event: Event, number: int, *, anew: bool = False) -> dict[str, Any]:
    row = challenge_at(event, number)
    line = challenge_line(event, row, actor=actor, now=timezone.now(), anew=anew)
    return plain(ChallengeSerializer)(line)


def _day(body: dict[str, Any]) -> date | None:
    return sent_day(body.pop("played_on", None), "played_on")


def _points(found: Any) -> Mapping[str, object] | None:
    """Return totals by player id as they were sent; what they say is the scorer's to judge."""
    if found is None:
        return None
    if not isinstance(found, dict) or not 0 < len(found) <= MOST_AT_TABLE:
        facts = {
            "key": "points",
            "found": f"totals of {len(found)}" if isinstance(found, dict) else shown(found),
            "expected": f"an object of totals by player id, 1 to {MOST_AT_TABLE} of them",
        }
        raise Refused(Problem("bad_setting", ("points",), facts))
    if any(len(name) > MOST_TEXT or "\x00" in name for name in found):
        named: dict[str, int | str] = {"field": "A player id", "most": MOST_TEXT}
        raise Refused(Problem("bad_text", ("points",), named))
    return found
