"""Play-offs of an event: read as it is, directed by directors. Hands go to their tables."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import caller, known_caller
from api.fast_serialization import plain
from api.idempotent_writes import MOST_TEXT, json_answer, sent_texts, written_once
from api.openapi import reading
from api.pagination import Flat, Listing
from api.query_parameters import allow_only
from api.v1.fields import MomentField
from scoring.errors import Problem, Refused, shown
from tournaments.models.events import Event
from tournaments.models.hands import GameState
from tournaments.models.playoffs import PlayoffState, PlayoffStepKind
from tournaments.policy import Actor
from tournaments.previewing.playoff_answers import answers_about
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.events.events import event_at
from tournaments.selectors.playoffs.playoffs import PlayoffView, playoff_at, playoffs_of
from tournaments.services.access.permissions import require
from tournaments.services.playoffs.director_actions import (
    answer_playoff,
    extend_playoff,
    member_gone,
    move_playoff,
    seat_neutrals,
    waive_playoff,
)


class BoundarySerializer(serializers.Serializer[Any]):
    """A line that matters: it runs below place `above`."""

    kind = serializers.CharField(help_text="`title`, `promotion`, `cut` or `prize`.")
    above = serializers.IntegerField()


class PlayoffMemberSerializer(serializers.Serializer[Any]):
    """Who is level, and how it stands."""

    player_id = serializers.CharField()
    player = serializers.CharField()
    status = serializers.CharField(
        help_text="`playing`; `above` or `below` the lines; `placed` between two of them; `gone`."
    )
    total = serializers.CharField(
        allow_null=True, help_text="Since it last began from 0, while it plays."
    )
    made = serializers.ListField(
        child=serializers.CharField(),
        help_text="Totals of what is over, `lot` and `gone` among them.",
    )
    place = serializers.IntegerField(
        allow_null=True, help_text="Within the group, from 1, once decided."
    )


class PlayoffTableSerializer(serializers.Serializer[Any]):
    """A table of a play-off; its hands are those of `E/tables/{code}/hands`."""

    code = serializers.CharField()
    round = serializers.IntegerField()
    state = serializers.ChoiceField(choices=GameState.choices)
    is_open = serializers.BooleanField(help_text="Whether hands are entered there now.")
    hands = serializers.IntegerField()
    variant = serializers.CharField()
    fillers = serializers.IntegerField(
        help_text="Chairs of neutral players, whose scores do not count."
    )
    members = serializers.ListField(child=serializers.CharField())


class PlayoffStepSerializer(serializers.Serializer[Any]):
    """One thing that happened, in order."""

    number = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=PlayoffStepKind.choices)
    at = MomentField()
    by = serializers.CharField(help_text="The role that did it; `policy` where the event says so.")
    table = serializers.CharField(allow_blank=True)
    hand = serializers.IntegerField(allow_null=True)
    player_id = serializers.CharField(allow_blank=True)
    scores = serializers.DictField(
        allow_null=True, help_text="What a hand gave by id; null where it does not count any more."
    )
    facts = serializers.DictField()


class ChairSerializer(serializers.Serializer[Any]):
    """A chair that is no member's, at an open table."""

    table = serializers.CharField()
    seat = serializers.CharField()
    player_id = serializers.CharField(allow_blank=True)
    player = serializers.CharField(allow_blank=True)


class PlayoffSerializer(serializers.Serializer[Any]):
    """A tie that matters, and how it is played off."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(choices=PlayoffState.choices)
    policy = serializers.CharField()
    boundaries = BoundarySerializer(many=True)
    cuts = serializers.ListField(
        child=serializers.IntegerField(), help_text="How many of the members come above each line."
    )
    ahead = serializers.IntegerField(help_text="How many are before them all.")
    members = PlayoffMemberSerializer(many=True)
    tiers = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="Ids by how they stand, best first; who gave up is not among them.",
    )
    tables = PlayoffTableSerializer(many=True)
    kind = serializers.CharField(
        allow_blank=True,
        help_text="How it is played now: `fillers`, `two_hands`, `table`, `cancellation`, `heats`; "
        "`lot` where no table can be had.",
    )
    hands_left = serializers.IntegerField(allow_null=True)
    is_exhausted = serializers.BooleanField(
        help_text="Whether the hands are used up: allow more, or draw lots."
    )
    is_waived = serializers.BooleanField()
    is_asked = serializers.BooleanField(help_text="Whether somebody has to answer.")
    asked = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)
    seed = serializers.CharField(allow_null=True, help_text="What lots were drawn from.")
    detected_at = MomentField()
    decided_at = MomentField(allow_null=True)
    steps = PlayoffStepSerializer(many=True)
    chairs = ChairSerializer(
        many=True, help_text="Chairs of neutral players at the open tables, clockwise."
    )
    may = serializers.ListField(
        child=serializers.CharField(), help_text="What you may do now: states, and addresses."
    )


class PlayoffMoveSerializer(serializers.Serializer[Any]):
    """A state to take it to."""

    to = serializers.CharField(help_text="`scheduled`, `by_lot` or `void`.")
    reason = serializers.CharField(
        required=False, max_length=MOST_TEXT, help_text="Needed for `void`."
    )


class NeutralSerializer(serializers.Serializer[Any]):
    """Who sits in the chairs that are no member's."""

    players = serializers.ListField(
        child=serializers.CharField(max_length=MOST_TEXT, allow_blank=True),
        help_text="Ids or names, clockwise from the first such chair; empty leaves it as it is.",
    )


class GoneSerializer(serializers.Serializer[Any]):
    """Who does not play."""

    player_id = serializers.CharField()
    why = serializers.CharField(help_text="`no_show` or `withdrawn`.")


class ExtendSerializer(serializers.Serializer[Any]):
    """How many hands more."""

    hands = serializers.IntegerField(min_value=1)


class WaiveSerializer(serializers.Serializer[Any]):
    """Why they share."""

    reason = serializers.CharField(max_length=MOST_TEXT)


class PlayoffAnswerSerializer(serializers.Serializer[Any]):
    """What becomes of a finished play-off whose group a correction has changed."""

    answer = serializers.CharField(help_text="`keep` or `redo`.")
    reason = serializers.CharField(max_length=MOST_TEXT)


class AnswerPreviewSerializer(serializers.Serializer[Any]):
    """What an answer would do."""

    answer = serializers.CharField(help_text="`keep` or `redo`.")
    rows = serializers.DictField(
        help_text="Rows of the standings that change from what is published, as in a preview."
    )
    playoffs = serializers.ListField(
        child=serializers.DictField(), help_text="What becomes of each play-off, as in a preview."
    )
    cuts = serializers.ListField(
        child=serializers.DictField(), help_text="Who comes `in` and goes `out` of each cut."
    )
    tables = serializers.ListField(
        child=serializers.CharField(), help_text="Tables without a hand that are removed."
    )
    publication = serializers.DictField(help_text="The newest number, and the one after it.")


class AnswersSerializer(serializers.Serializer[Any]):
    """What directors may answer about a finished play-off; empty where nothing is asked."""

    answers = AnswerPreviewSerializer(many=True)


def _playoffs(actor: Actor, club: str, event: str) -> Sequence[PlayoffView]:
    """The play-offs of an event by number, those made void among them."""
    found = event_at(actor, club, event)
    return playoffs_of(found, may_direct=may_do(found, "manage_event"))


def _lines(row: Flat) -> Iterable[Flat]:
    """A line a member, with what is said of its play-off."""
    of = {name: row[name] for name in ("number", "state", "policy")}
    lines = "; ".join(f"{line['kind']} {line['above']}" for line in row["boundaries"])
    for member in row["members"]:
        made = ", ".join(member["made"])
        yield {**of, "boundaries": lines, **{**member, "made": made}}


PLAYOFFS: Final = Listing(
    name="playoffs",
    shape=PlayoffSerializer,
    rows=_playoffs,
    columns=(
        *("number", "state", "policy", "boundaries", "player_id", "player", "status", "total"),
        *("made", "place"),
    ),
    lines=_lines,
)


@reading("read_playoff", PlayoffSerializer)
def read_playoff(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """A play-off as it stands after its last hand, with what led there."""
    allow_only(request)
    return Response(_shaped(event_at(caller(request), club, event), number))


@reading("read_playoff_answers", AnswersSerializer)
def read_playoff_answers(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """What each answer about a finished play-off would do; for directors. Nothing is kept."""
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    require(actor, found.club, "manage_event")
    if not playoff_at(found, number).is_asked:
        return Response({"answers": []})
    told = answers_about(found, number, actor=actor, now=timezone.now())
    return Response({"answers": [one.as_json() for one in told]})


def _move_playoff(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Prepare a play-off, draw lots among those still undecided, or make it void."""
    actor, found = _asked(request, club, event)
    sent = sent_texts(request.data, ("to", "reason"))
    move_playoff(actor=actor, event=found, number=number, now=timezone.now(), **sent)
    return json_answer(_shaped(found, number))


def _seat_neutrals(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Say who sits in the chairs of neutral players; their scores do not count."""
    actor, found = _asked(request, club, event)
    body = dict(request.data)
    players = _listed(body.pop("players", None), "players")
    sent_texts(body, ())
    seat_neutrals(actor=actor, event=found, number=number, players=players, now=timezone.now())
    return json_answer(_shaped(found, number))


def _listed(value: object, name: str) -> list[str]:
    """The texts of a list that was sent.

    Raises:
        Refused: bad_text, of the list or of the first of it that is none.
    """
    if not isinstance(value, list):
        raise Refused(Problem("bad_text", (name,), {"field": name, "most": MOST_TEXT}))
    for at, one in enumerate(value):
        if not isinstance(one, str) or len(one) > MOST_TEXT or "\x00" in one:
            raise Refused(Problem("bad_text", (name, at), {"field": name, "most": MOST_TEXT}))
    return value


def _playoff_gone(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Place a member last who does not come or gives up; one who is left has won."""
    actor, found = _asked(request, club, event)
    sent = sent_texts(request.data, ("player_id", "why"))
    member_gone(actor=actor, event=found, number=number, now=timezone.now(), **sent)
    return json_answer(_shaped(found, number))


def _extend_playoff(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Allow more hands than there were to be."""
    actor, found = _asked(request, club, event)
    body = dict(request.data)
    sent_texts({key: value for key, value in body.items() if key != "hands"}, ())
    hands = body.get("hands")
    if not isinstance(hands, int) or isinstance(hands, bool):
        facts = {"found": shown(hands), "expected": "1 to 100"}
        raise Refused(Problem("bad_number_of_hands", ("hands",), facts))
    extend_playoff(actor=actor, event=found, number=number, hands=hands, now=timezone.now())
    return json_answer(_shaped(found, number))


def _waive_playoff(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Let those who are level share, with a reason; the play-off holds nothing up any more."""
    actor, found = _asked(request, club, event)
    sent = sent_texts(request.data, ("reason",))
    waive_playoff(actor=actor, event=found, number=number, now=timezone.now(), **sent)
    return json_answer(_shaped(found, number))


def _answer_playoff(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Keep the result of a finished play-off whose group has changed, or play it again."""
    actor, found = _asked(request, club, event)
    sent = sent_texts(request.data, ("answer", "reason"))
    answer_playoff(actor=actor, event=found, number=number, now=timezone.now(), **sent)
    return json_answer(_shaped(found, number))


move_playoff_view = written_once(_move_playoff, PlayoffSerializer, PlayoffMoveSerializer)
"""`POST E/playoffs/{number}/moves`."""
seat_neutrals_view = written_once(_seat_neutrals, PlayoffSerializer, NeutralSerializer)
"""`POST E/playoffs/{number}/neutral`."""
playoff_gone_view = written_once(_playoff_gone, PlayoffSerializer, GoneSerializer)
"""`POST E/playoffs/{number}/gone`."""
extend_playoff_view = written_once(_extend_playoff, PlayoffSerializer, ExtendSerializer)
"""`POST E/playoffs/{number}/extend`."""
waive_playoff_view = written_once(_waive_playoff, PlayoffSerializer, WaiveSerializer)
"""`POST E/playoffs/{number}/waive`."""
answer_playoff_view = written_once(_answer_playoff, PlayoffSerializer, PlayoffAnswerSerializer)
"""`POST E/playoffs/{number}/answer`."""


def _asked(request: Request, club: str, event: str) -> tuple[Actor, Event]:
    allow_only(request)
    actor = known_caller(request)
    return actor, event_at(actor, club, event)


def _shaped(event: Event, number: int) -> Flat:
    may_direct = may_do(event, "manage_event")
    return plain(PlayoffSerializer)(playoff_at(event, number, may_direct=may_direct))
