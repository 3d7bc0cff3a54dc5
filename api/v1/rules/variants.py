"""The catalogue: rules as data, the boxes of a sheet under them, rules cards."""

from dataclasses import asdict
from typing import Any, Final

from django.http import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.lists.pagination import Listing
from api.openapi import reading
from api.problems import BadRequest
from api.query_parameters import allow_only, whole_number
from api.v1.fields import ScoreField
from scoring.entry.sheet import boxes, hand_total, seat_names
from scoring.errors import Problem, Refused, Suggestion, score_json
from scoring.json_types import JsonDict
from scoring.rules.catalogue import Variant
from scoring.rules.dealing import uneven
from scoring.rules.rules import Rules
from tournaments.policy import Actor
from tournaments.selectors.rules.rule_sets import variants
from tournaments.selectors.rules.rules_cards import card_view, usual_seats

USUAL_SEATS: Final = 4
VARIANT_ID: Final = "VariantId"
SEATS: Final = OpenApiParameter(
    "seats", OpenApiTypes.INT, description="Players at the table; four where the rules allow it."
)


class VariantSerializer(serializers.Serializer[Any]):
    """A set of rules in short."""

    id = serializers.CharField()
    name = serializers.CharField()
    aliases = serializers.ListField(child=serializers.CharField())
    summary = serializers.CharField(allow_blank=True)
    status = serializers.CharField(allow_blank=True)


class VariantDetailSerializer(VariantSerializer):
    """A set of rules, complete."""

    sources = serializers.ListField(child=serializers.CharField())
    notes = serializers.CharField(allow_blank=True, help_text="Uncertain points.")
    rules = serializers.DictField(help_text="The resolved rules; keys as in docs/rules-engine.md.")


class BoxSerializer(serializers.Serializer[Any]):
    """One box of a sheet."""

    key = serializers.CharField()
    kind = serializers.CharField()
    card = serializers.CharField(allow_null=True)
    label = serializers.CharField()  # type: ignore[assignment]  # a field of the answer
    maximum = serializers.IntegerField(
        allow_null=True, help_text="The most over all seats together, for a number."
    )
    columns = serializers.ListField(
        child=serializers.CharField(), help_text="Column headings under which an import reads it."
    )
    choices = serializers.ListField(child=serializers.CharField())
    per = serializers.CharField(help_text="seat, or hand for a box of the whole hand")
    labels = serializers.ListField(
        child=serializers.CharField(), help_text="Names of the choices; empty where they have none."
    )


class EntrySchemaSerializer(serializers.Serializer[Any]):
    """The boxes of a sheet under some rules, in the order of the paper."""

    variant = serializers.CharField()
    seats = serializers.IntegerField()
    seat_labels = serializers.ListField(child=serializers.CharField())
    sides = serializers.ListField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text=(
            "The seats (from 1) of each side, the first one's first; empty in games without sides."
        ),
    )
    pooled = serializers.BooleanField(
        help_text="Whether a side is one unit: `points` and `clean` have one value a side."
    )
    hand_total = ScoreField(help_text="The total of a hand, before moons and modifiers.")
    boxes = BoxSerializer(many=True)


def _variants(actor: Actor) -> list[Variant]:
    """The variants of this site by id."""
    offered = variants()
    return [offered.variant(each) for each in offered.ids]


VARIANTS = Listing(name="variants", shape=VariantSerializer, rows=_variants)


@reading("read_variant", VariantDetailSerializer)
def read_variant(request: Request, variant: str) -> HttpResponseBase:
    """One variant with its resolved rules."""
    allow_only(request)
    variant_row = named(variant)
    whole = asdict(variant_row) | {"rules": variants().rules(variant_row.id).as_json()}
    return Response(VariantDetailSerializer(whole).data)


@reading("read_entry_schema", EntrySchemaSerializer, parameters=(SEATS,))
def read_entry_schema(request: Request, variant: str) -> HttpResponseBase:
    """The boxes of a sheet of this variant, from which forms and imports are made."""
    return entry_schema(request, variants().rules(named(variant).id))


def entry_schema(request: Request, rules: Rules) -> Response:
    """Return the boxes of a sheet for the number of players in the request.

    Raises:
        BadRequest: bad_parameter; seat_count where the cards cannot be dealt evenly to them.
    """
    allow_only(request, "seats")
    least, most = rules.keys.players
    usual = min(max(USUAL_SEATS, least), most)
    seats = whole_number(request, "seats", least=least, most=most, default=usual)
    if odd := uneven(rules, seats):
        raise BadRequest(odd)
    teams = rules.keys.teams
    schema = {
        "variant": rules.id,
        "seats": seats,
        "seat_labels": seat_names(seats),
        "sides": [[seat + 1 for seat in side] for side in teams.shape],
        "pooled": teams.mode == "pooled",
        "hand_total": score_json(hand_total(rules, seats)),
        "boxes": boxes(rules, seats),
    }
    return Response(EntrySchemaSerializer(schema).data)


def with_variant_ids(result: JsonDict, **kwargs: object) -> object:
    """Make the document name this site's variants, those of BLACKLADY_VARIANTS included.

    A hook of drf-spectacular: addresses take exactly these ids.
    """
    ids = list(variants().ids)
    result["components"]["schemas"][VARIANT_ID] = {
        "type": "string", "enum": ids, "description": "The id of a variant of this site.",
    }  # fmt: skip
    for address, methods in result["paths"].items():
        if "/variants/{variant}" not in address:
            continue
        for parameter in methods["get"]["parameters"]:
            if parameter["name"] == "variant":
                parameter["schema"] = {"$ref": f"#/components/schemas/{VARIANT_ID}"}
    return result


def named(variant: str) -> Variant:
    """Return the variant with exactly this id; the refusal of another id names similar ones.

    Raises:
        BadRequest: 404 unknown_variant.
    """
    offered = variants()
    if variant in offered.ids:
        return offered.variant(variant)
    try:
        close = offered.find(variant)
    except Refused as refused:
        raise BadRequest(*refused.problems, status=404) from refused
    raise BadRequest(_unknown(variant, close), status=404)


def _unknown(variant: str, close: str) -> Problem:
    suggestion = Suggestion("closest", facts={"name": close})
    return Problem("unknown_variant", ("variant",), {"found": variant}, (suggestion,))


class RuleSerializer(serializers.Serializer[Any]):
    """One rule of a card."""

    key = serializers.CharField(help_text="The same for the same rule on the cards of all games.")
    heading = serializers.CharField()
    said = serializers.CharField(allow_blank=True, source="text")
    figure = serializers.CharField(allow_blank=True, help_text="Its number, where it has one.")


class SubjectSerializer(serializers.Serializer[Any]):
    """The rules on one subject."""

    key = serializers.CharField()
    heading = serializers.CharField()
    rules = RuleSerializer(many=True, source="lines")


class CardSerializer(serializers.Serializer[Any]):
    """A rules card for players, for one number of them; the example is scored by the engine."""

    id = serializers.CharField()
    name = serializers.CharField()
    version = serializers.CharField(help_text="The content hash of the rules.")
    seats = serializers.IntegerField()
    subjects = SubjectSerializer(many=True, source="blocks")


@reading("read_rules_card", CardSerializer, parameters=(SEATS,))
def read_rules_card(request: Request, variant: str) -> HttpResponseBase:
    """A variant's rules as sentences for players, with a worked example."""
    allow_only(request, "seats")
    rules = variants().rules(named(variant).id)
    least, most = rules.keys.players
    seats = whole_number(request, "seats", least=least, most=most, default=usual_seats(rules))
    return Response(CardSerializer(card_view(rules, seats)).data)
