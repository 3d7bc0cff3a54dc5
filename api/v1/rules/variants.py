"""The catalogue: rules as data, the boxes of a sheet under them, rules cards, and the scorer on
its own."""

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import IO, Any, Final

from django.core.cache import cache
from django.http import HttpResponse, HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view, parser_classes, permission_classes, throttle_classes
from rest_framework.exceptions import Throttled
from rest_framework.parsers import BaseParser
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.throttling import UserRateThrottle

from api.lists import listing
from api.media_types import json_of, read_capped
from api.openapi import FAILURE, acting, reading
from api.openapi_document import NEEDS_BODY
from api.problems import BadRequest
from api.query_parameters import allow_only, whole_number
from api.serializers.fast_serialization import OutputSerializer
from api.v1.fields import IntegerListField, ScoreField, StringListField
from scoring.budget import Budget
from scoring.entry.sheet import boxes, hand_total, seat_names
from scoring.errors import Problem, Refused, Suggestion, score_json
from scoring.json_types import JsonDict
from scoring.rules.catalogue import Variant
from scoring.rules.dealing import uneven
from scoring.rules.rules import Rules
from tournaments.domain.client_address import client_network
from tournaments.domain.replay_game import A_REQUEST, HINT_STEPS, HINTS_OF_A_REQUEST
from tournaments.policy import Actor
from tournaments.selectors.rules.rule_sets import case_answers, variants
from tournaments.selectors.rules.rules_cards import CardView, card_view, usual_seats

USUAL_SEATS: Final = 4
VARIANT_ID: Final = "VariantId"
SEATS: Final = OpenApiParameter(
    "seats",
    OpenApiTypes.INT,
    description="Number of players at the table; by default four, if the rules allow it.",
)


class VariantSerializer(OutputSerializer):
    """A variant of the game, without its rules."""

    id = serializers.CharField()
    name = serializers.CharField()
    aliases = StringListField()
    summary = serializers.CharField(allow_blank=True)
    status = serializers.CharField(allow_blank=True)


class VariantDetailSerializer(VariantSerializer):
    """A variant of the game with its rules."""

    sources = StringListField()
    notes = serializers.CharField(allow_blank=True, help_text="Notes on uncertain points.")
    rules = serializers.DictField(help_text="Complete rules; docs/rules-engine.md lists the keys.")


class BoxSerializer(OutputSerializer):
    """One box of a score sheet: a place where a value of a hand is written."""

    key = serializers.CharField()
    kind = serializers.CharField()
    card = serializers.CharField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]  # a field of the answer
    maximum = serializers.IntegerField(
        allow_null=True,
        help_text="Largest sum over all seats, if the value is a number; otherwise null.",
    )
    columns = StringListField(help_text="Headings by which an import recognizes the box's column.")
    choices = StringListField()
    per = serializers.CharField(help_text="Unit with its own value: each `seat`, or the `hand`.")
    labels = StringListField(
        help_text="Names of the `choices`, in their order; empty without names."
    )


class EntrySchemaSerializer(OutputSerializer):
    """The boxes of a score sheet under given rules, in the order of the printed sheet."""

    variant = serializers.CharField()
    seats = serializers.IntegerField()
    seat_labels = StringListField()
    sides = serializers.ListField(
        child=IntegerListField(),
        help_text=("Numbers of the seats (from 1) of each side; empty in games without sides."),
    )
    pooled = serializers.BooleanField(
        help_text="Whether `points` and `clean` have one value for each side, not for each seat."
    )
    hand_total = ScoreField(help_text="Sum of all points of a hand, before moons and modifiers.")
    boxes = BoxSerializer(many=True)


class RuleSerializer(OutputSerializer):
    """One rule of a rules card."""

    key = serializers.CharField(help_text="Key of the rule, the same on the cards of all games.")
    heading = serializers.CharField()
    said = serializers.CharField(allow_blank=True, source="text")
    figure = serializers.CharField(allow_blank=True, help_text="Figure of the rule, if it has one.")


class SubjectSerializer(OutputSerializer):
    """The rules of a rules card about one subject."""

    key = serializers.CharField()
    heading = serializers.CharField()
    rules = RuleSerializer(many=True, source="lines")


class CardSerializer(OutputSerializer):
    """A rules card: the rules as sentences, for one number of players."""

    id = serializers.CharField()
    name = serializers.CharField()
    version = serializers.CharField(help_text="Hash of the content of the rules.")
    seats = serializers.IntegerField()
    subjects = SubjectSerializer(many=True, source="blocks")


STEPS_A_MINUTE: Final = 5 * A_REQUEST
"""Budget of one address in a minute: some seconds of a processor."""

A_MINUTE: Final = 60

_WORKS: Final = threading.Lock()
"""One request at a time keeps the processor from nobody for long."""

_WAITS: Final = threading.Lock()
"""One more waits for it; so two of the web process' threads are the most that this ever takes."""

WAIT_S: Final = 0.5
LINES: Final = "application/x-ndjson"
_CASE: Final = {"type": "object", "additionalProperties": True}
_EXAMPLE: Final = {
    "id": "a moon",
    "variant": "hearts",
    "seats": 4,
    "hands": [{"entry": {"hearts": [0, 13, 0, 0], "taken": [[], ["QS"], [], []]}}],
}


class ScoreThrottle(UserRateThrottle):
    """How often one caller may ask; the rate is in the settings."""

    scope = "score"

    def get_ident(self, request: Request) -> str:
        return client_network(request)


@listing("variants", VariantSerializer)
def list_variants(actor: Actor) -> list[Variant]:
    """The variants of the game that this site offers, sorted by id."""
    offered = variants()
    return [offered.variant(each) for each in offered.ids]


@reading("read_variant", VariantDetailSerializer)
def read_variant(request: Request, variant: str) -> JsonDict:
    """One variant of the game with its complete rules."""
    variant_row = named(variant)
    return asdict(variant_row) | {"rules": variants().rules(variant_row.id).as_json()}


@reading("read_entry_schema", EntrySchemaSerializer, parameters=(SEATS,))
def read_entry_schema(request: Request, variant: str) -> JsonDict:
    """The boxes of a score sheet of a variant, as forms and imports use them."""
    return entry_schema(request, variants().rules(named(variant).id))


def entry_schema(request: Request, rules: Rules) -> JsonDict:
    """Return the boxes of a sheet for the number of players in the request."""
    least, most = rules.keys.players
    usual = min(max(USUAL_SEATS, least), most)
    seats = whole_number(request, "seats", least=least, most=most, default=usual)
    if odd := uneven(rules, seats):
        raise BadRequest(odd)
    teams = rules.keys.teams
    return {
        "variant": rules.id,
        "seats": seats,
        "seat_labels": seat_names(seats),
        "sides": [[seat + 1 for seat in side] for side in teams.shape],
        "pooled": teams.mode == "pooled",
        "hand_total": score_json(hand_total(rules, seats)),
        "boxes": boxes(rules, seats),
    }


def with_variant_ids(result: JsonDict, **kwargs: object) -> object:
    """Make the document name this site's variants, those of BLACKLADY_VARIANTS included.

    A hook of drf-spectacular: addresses take exactly these ids.
    """
    ids = list(variants().ids)
    result["components"]["schemas"][VARIANT_ID] = {
        "type": "string",
        "enum": ids,
        "description": "The id of a variant of this site.",
    }
    for address, methods in result["paths"].items():
        if "/variants/{variant}" not in address:
            continue
        for parameter in methods["get"]["parameters"]:
            if parameter["name"] == "variant":
                parameter["schema"] = {"$ref": f"#/components/schemas/{VARIANT_ID}"}
    return result


def named(variant: str) -> Variant:
    """Return the variant with exactly this id; the refusal of another id names similar ones."""
    offered = variants()
    if variant in offered.ids:
        return offered.variant(variant)
    try:
        close = offered.find(variant)
    except Refused as refused:
        raise BadRequest(*refused.problems, status=404) from refused
    hints = (Suggestion("closest", facts={"name": close}),)
    raise BadRequest(
        Problem("unknown_variant", ("variant",), {"found": variant}, hints), status=404
    )


@reading("read_rules_card", CardSerializer, parameters=(SEATS,))
def read_rules_card(request: Request, variant: str) -> CardView:
    """The rules of a variant as sentences for players, with an example that is scored."""
    return card_of(request, variants().rules(named(variant).id))


def card_of(request: Request, rules: Rules) -> CardView:
    """Return the rules card for the number of players that a request asks for."""
    least, most = rules.keys.players
    seats = whole_number(request, "seats", least=least, most=most, default=usual_seats(rules))
    return card_view(rules, seats)


MOST_SCORED_BYTES: Final = 256 * 1024
"""Some hundred hands; more of them belong to the command line or an import."""


class CasesParser(BaseParser):
    """One case or an array of them, as JSON."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, object] | None = None,
    ) -> Any:
        return self.cases(read_capped(stream, MOST_SCORED_BYTES))

    def cases(self, body: bytes) -> list[object]:
        cases = json_of(body)
        return cases if isinstance(cases, list) else [cases]


class CaseLinesParser(CasesParser):
    """One case a line."""

    media_type = LINES

    def cases(self, body: bytes) -> list[object]:
        return [json_of(line) for line in body.splitlines() if line.strip()]


@contextmanager
def _place() -> Iterator[None]:
    """Hold the place of the one request that is worked on."""
    if not _WORKS.acquire(blocking=False):
        if not _WAITS.acquire(blocking=False):
            raise Throttled(wait=1)
        try:
            if not _WORKS.acquire(timeout=WAIT_S):
                raise Throttled(wait=1)
        finally:
            _WAITS.release()
    try:
        yield
    finally:
        _WORKS.release()


def _answers(request: Request, cases: Sequence[object]) -> list[str]:
    """Return answers; the caller pays for their work, and one request at a time is worked on."""
    minute, second = divmod(time.time(), A_MINUTE)
    key = f"score-work:{client_network(request)}:{minute:.0f}"
    if cache.get(key, 0) >= STEPS_A_MINUTE:
        raise Throttled(wait=A_MINUTE - second)
    budget = Budget(A_REQUEST, hint_steps=HINT_STEPS, hints=HINTS_OF_A_REQUEST)
    with _place():
        try:
            return [json.dumps(each, ensure_ascii=False) for each in case_answers(cases, budget)]
        finally:
            cache.add(key, 0, timeout=2 * A_MINUTE)
            with suppress(ValueError):  # it was thrown away meanwhile
                cache.incr(key, budget.spent)


@extend_schema(
    operation_id="score",
    tags=["rules"],
    # A generated client cannot tell two media types of the same body apart, so one is documented.
    request={
        CasesParser.media_type: {
            "description": "A case or an array of cases; anything else gets `errors` in its answer."
        }
    },
    responses={
        (200, CasesParser.media_type): OpenApiResponse(
            {"type": "array", "items": _CASE}, "One answer for each case, in order."
        ),
        (200, LINES): OpenApiResponse({"type": "string"}, "One answer on each line."),
        **FAILURE,
    },
    examples=[OpenApiExample("a moon", _EXAMPLE, request_only=True)],
    extensions={NEEDS_BODY: True},
)
@api_view(["POST"])
@permission_classes([AllowAny])
@parser_classes([CasesParser, CaseLinesParser])
@throttle_classes([ScoreThrottle])
def score(request: Request) -> HttpResponseBase:
    """Score cases as `python -m scoring score` does; the answer of a refused case has `errors`.

    The body is one case, an array of cases, or one case on each line (`application/x-ndjson`). The
    answer is an array, or lines for lines. Nothing is stored. The work is limited for each request
    (`too_much_work`) and for each address in a minute (`too_many_requests`); only the first refused
    hands come with their likely causes.
    """
    allow_only(request)
    cases = request.data
    if not isinstance(cases, list):
        raise BadRequest(Problem("bad_json", facts={"why": "there is nothing."}))
    answers = _answers(request, cases)
    if request.content_type.startswith(LINES):
        return HttpResponse("".join(f"{line}\n" for line in answers), content_type=LINES)
    return HttpResponse(f"[{', '.join(answers)}]", content_type=CasesParser.media_type)


acting(score, "read_public", "post", name="score")
