"""A game's rules card as JSON: the sentences of the page, in the same order."""

from typing import Any

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from api.openapi import reading
from api.query_parameters import allow_only, whole_number
from api.v1.rules.variants import SEATS, named
from tournaments.presenters.rules.rules_cards import card_view, usual_seats
from tournaments.services.rules.rule_sets import variants


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
