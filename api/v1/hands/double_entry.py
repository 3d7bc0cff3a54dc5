"""Double entry: the second entry of a sheet, what differs from the first, and the decision."""

import json
from dataclasses import replace
from functools import cached_property
from typing import get_args

from rest_framework import serializers

from api.deprecation import DOUBLE_ENTRY
from api.resource_schema import IfMatch
from api.resources import ResourceViewSet, reads, writes
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import BooleanField, TextField, WordField, bad_setting
from api.serializers.strict_serializers import BodiesField, StrictSerializer, read_bodies
from api.serializers.typed_documents import DocumentField
from api.v1.fields import MomentField
from api.v1.hands.entries import (
    MOST_SEATS,
    BoardField,
    EntryField,
    HandNumberField,
    KnownMovesField,
    PlayersField,
)
from scoring.entry.typed_hand import EntryDocument
from scoring.errors import SENTENCES as OF_THE_SCORER
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.etags import mark_of_text
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import LAST_HAND
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event
from tournaments.models.hands import Game, Ruling
from tournaments.selectors.hands.double_entry import DoubleEntryState, double_entry_of_table
from tournaments.selectors.hands.score_sheet import get_game, table_sheet
from tournaments.services.hands.double_entry import SecondEntry, choose_entry, enter_again
from tournaments.services.operations import Operation, require


class FirstEntrySerializer(OutputSerializer):
    """The first entry of a hand. It counts unless a decision takes the second."""

    revision = serializers.IntegerField()
    entry = DocumentField(EntryDocument, help_text="The entry as it was made.")
    board = serializers.IntegerField(
        allow_null=True, help_text="Number of the board, in a duplicate event."
    )
    entered_by = serializers.CharField(source="by")
    entered_at = MomentField()


class SecondEntrySerializer(OutputSerializer):
    """The entry of a hand by a second person."""

    entry = DocumentField(
        EntryDocument,
        source="typed",
        allow_null=True,
        help_text="The second entry; null if the sheet has none.",
    )
    board = serializers.IntegerField(
        allow_null=True, help_text="Number of the board, in a duplicate event."
    )
    entered_by = serializers.CharField(source="by")
    entered_at = MomentField(source="at")


class DecisionSerializer(OutputSerializer):
    """Which of two entries is right."""

    right = serializers.ChoiceField(source="stands", choices=Ruling.Stands.choices)
    reason = serializers.CharField()
    decided_by = serializers.CharField(source="by_as")
    decided_at = MomentField(source="at")


class HandEnteredTwiceSerializer(OutputSerializer):
    """Both entries of a hand."""

    number = serializers.IntegerField()
    state = serializers.ChoiceField(
        choices=get_args(DoubleEntryState),
        help_text="Comparison of both entries. once: no second entry; same: both agree; differs: a "
        "decision is needed; changed: corrected since, a decision is needed; settled: decided.",
    )
    first = FirstEntrySerializer(
        allow_null=True, help_text="The first entry; null if the first sheet has no such hand."
    )
    second = SecondEntrySerializer(allow_null=True)
    decision = DecisionSerializer(allow_null=True)


class DoubleEntrySerializer(OutputSerializer):
    """The two entries of a sheet."""

    table = serializers.CharField()
    required = serializers.BooleanField(  # type: ignore[assignment]  # a field of the answer
        help_text="Whether the event requires double entry."
    )
    complete = serializers.BooleanField(help_text="Whether each hand has a second entry.")
    open = serializers.IntegerField(help_text="Number of hands that need a decision.")
    hands = HandEnteredTwiceSerializer(many=True)


class SecondHandSerializer(StrictSerializer):
    """A hand of the second entry."""

    number = HandNumberField(min_value=1, max_value=LAST_HAND)
    entry = EntryField(help_text="Cards or points of each seat, in the boxes of the entry schema.")
    board = BoardField()


class SecondHandsField(BodiesField):
    """The hands of a second entry, each number once."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list) or not data or len(data) > LAST_HAND:
            raise bad_setting(self, shown(data), f"a list of 1 to {LAST_HAND} hands")
        bodies = read_bodies(data, SecondHandSerializer)
        numbers: set[object] = set()
        for at, body in enumerate(bodies):
            if body["number"] in numbers:
                facts = {"found": body["number"], "expected": "each number once"}
                raise Refused(Problem("bad_hand_number", (at, "number"), facts))
            numbers.add(body["number"])
        return tuple(
            SecondEntry(body["number"], body["entry"], None, body.get("board")) for body in bodies
        )


class SecondSheetSerializer(StrictSerializer):
    """A sheet as a second person enters it."""

    hands = SecondHandsField(child=SecondHandSerializer(), min_length=1, max_length=LAST_HAND)
    complete = BooleanField(
        left_out=False,
        help_text="Whether these are all hands; a hand that only the first entry has then differs.",
    )
    players = PlayersField(
        required=False,
        max_length=MOST_SEATS,
        help_text="Player ids in seat order, checked against the seating.",
    )
    known_moves = KnownMovesField()


class DecideEntrySerializer(StrictSerializer):
    """Which of two entries is right."""

    right = WordField(choices=Ruling.Stands.choices)
    reason = TextField(required=False, help_text="Reason for the decision, stored with it.")


class BothEntriesViewSet(ResourceViewSet):
    """What is shown after a second entry and after a decision."""

    is_single = True
    resource = ("double_entry", "double_entries")
    read_right = "enter_hand"
    serializer_class = DoubleEntrySerializer
    etag_text = "ETag of both entries; send it as `If-Match` of a decision."
    deprecation = DOUBLE_ENTRY

    @cached_property
    def parent(self) -> Event:
        """The event; a table's link is refused, since two people are two accounts."""
        event: Event = super().parent
        require(self.actor, event.club, "enter_hand")
        return event

    def get_object(self) -> Game:
        return get_game(self.parent, self.kwargs["code"])

    def get_row(self, result: object) -> JsonObject:
        return _row(self.parent, self.kwargs["code"])

    def get_tag(self, row: JsonObject) -> str:
        document = plain(DoubleEntrySerializer)(row)
        return mark_of_text(json.dumps(document, sort_keys=True))


class DoubleEntryViewSet(BothEntriesViewSet):
    """The two entries of a table's sheet."""

    retrieve = reads(
        "Both entries of a table's sheet, hand by hand; for those who may enter hands."
    )
    submit = writes(enter_again, SecondSheetSerializer, name="enter_second")

    def perform_submit(self, op: Operation, body: JsonDict) -> None:
        """Enter a sheet a second time, all hands or none; differences need a decision.

        The second entry does not count. The person who entered a hand first cannot be the second:
        409 (`typed_by_you`). An event that does not require double entry answers 409
        (`double_entry_off`).
        """
        try:
            enter_again(
                op,
                self.get_object(),
                rows=body["hands"],
                is_whole=body["complete"],
                displayed_players=body.get("players"),
                known_moves=body.get("known_moves"),
                is_all_or_none=True,
            )
        except Refused as refused:
            raise Refused(*map(_in_body, refused.problems)) from refused


class DecisionViewSet(BothEntriesViewSet):
    """Which entry of a hand is right."""

    submit = writes(
        choose_entry,
        DecideEntrySerializer,
        name="decide_entry",
        if_match=IfMatch(text="The ETag of the sheet's two entries, or `*`", of="sheet"),
    )

    def perform_submit(self, op: Operation, body: JsonDict) -> None:
        """Decide which entry of a hand is right. The second one, if right, becomes the next
        revision.

        `If-Match` names the sheet that you read, or is `*`. If somebody changed an entry meanwhile,
        the answer is 412 with the sheet as it is now (`there`). Deciding needs the rights of a
        correction: once the round is closed, those of a director.
        """
        number = self.kwargs["number"]
        tag = body["based_on"]
        hands = double_entry_of_table(self.parent, self.kwargs["code"]).hands
        twice = next((hand for hand in hands if hand.number == number), None)
        if twice is None or not twice.second:
            raise Missing("hand", {"hand": number, "table": self.kwargs["code"]})
        row = self.get_row(None)
        if tag not in (None, theirs := self.get_tag(row)):
            facts = {"yours": tag, "theirs": theirs}
            document = plain(DoubleEntrySerializer)(row)
            raise Conflict(Problem("entry_outdated", facts=facts), there=document)
        choose_entry(
            op,
            self.get_object(),
            number=number,
            second=twice.second,
            revision=twice.revision,
            stands=body["right"],
            reason=body["reason"],
        )


def _in_body(problem: Problem) -> Problem:
    """Return a problem at its place in the body: what the scorer finds is in the entry."""
    match problem.at:
        case ("hands", int(place), *rest) if problem.code in OF_THE_SCORER:
            return replace(problem, at=("hands", place, "entry", *rest))
    return problem


def _row(event: Event, code: str) -> JsonObject:
    pairs = double_entry_of_table(event, code)
    hands = {hand.number: hand for hand in table_sheet(event, code).hands}
    return {
        "table": code,
        "required": settings_of(event).double_entry,
        "complete": pairs.is_typed_twice,
        "open": len(pairs.open),
        "hands": [
            {
                "number": pair.number,
                "state": pair.state,
                "first": hands.get(pair.number) if pair.revision else None,
                "second": pair if pair.second else None,
                "decision": pair.ruled,
            }
            for pair in pairs.hands
        ],
    }
