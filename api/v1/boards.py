"""Boards of a duplicate event: deals, results, hand records."""

import json
from collections.abc import Sequence
from typing import Final

from django.http import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import caller
from api.lists import Flat, listing
from api.media_types import PDF
from api.openapi import reading
from api.resources import ResourceViewSet, creates, performs, reads, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import StrictField, TextField, is_whole
from api.serializers.strict_serializers import StrictSerializer
from api.v1.fields import IntegerListField, StringListField
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.documents.hand_records import hand_record_document
from tournaments.documents.typesetting import pdf_response, typeset_pdf
from tournaments.errors import Missing
from tournaments.policy import Actor
from tournaments.selectors.boards import board_view, cards_with_printings, hand_records
from tournaments.selectors.events.events import get_event
from tournaments.services.boards import deal_boards, delete_deals, load_boards, print_deals
from tournaments.services.operations import Operation


class BoardCardSerializer(OutputSerializer):
    """A board of a duplicate event, as in the list of boards."""

    number = serializers.IntegerField()
    dealer = serializers.CharField(help_text="Seat of the dealer: N, E, S or W.")
    round = serializers.IntegerField(
        allow_null=True,
        help_text=(
            "Number of the round that plays the board; null if the board moves or has no round."
        ),
    )
    board_set = serializers.IntegerField(
        allow_null=True,
        help_text=(
            "Number of the set of boards with which it moves between tables; null if it does not "
            "move."
        ),
    )
    shown = serializers.BooleanField(
        source="is_shown", help_text="Whether the cards and results of the board may be read."
    )
    results = serializers.IntegerField(
        source="n_results", help_text="Number of tables that have played the board."
    )
    source = serializers.ChoiceField(choices=("seed", "file"))  # type: ignore[assignment]  # a field of the answer
    commitment = serializers.CharField(
        help_text="SHA-256 of the seed, or of the deals of a file (the later `secret`)."
    )
    secret = serializers.CharField(
        allow_blank=True,
        help_text="Seed or deals behind `commitment`; empty until all their boards are shown.",
    )
    printed_by = serializers.CharField(
        allow_blank=True,
        help_text=(
            "Names of those who printed the cards while they were secret; empty if nobody did."
        ),
    )
    printed_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Time at which the secret cards were first printed; null if nobody did.",
    )


class HandCardsSerializer(OutputSerializer):
    """The cards of one seat."""

    seat = serializers.CharField()
    cards = StringListField()


class BoardSerializer(OutputSerializer):
    """A board; `hands` is empty while the cards are secret."""

    number = serializers.IntegerField()
    dealer = serializers.CharField()
    round = serializers.IntegerField(allow_null=True)
    passing = serializers.CharField(allow_blank=True)
    commitment = serializers.CharField()
    shown = serializers.BooleanField(source="is_shown")
    hands = HandCardsSerializer(many=True)


class BoardResultSerializer(OutputSerializer):
    """One seat's result of a board at one table."""

    table = serializers.CharField()
    round = serializers.IntegerField()
    hand = serializers.IntegerField()
    line = serializers.CharField(help_text="Seat that scored: N, E, S or W.")
    player_id = serializers.CharField(allow_blank=True)
    player = serializers.CharField(allow_blank=True)
    score = serializers.JSONField()
    matchpoints = serializers.JSONField(help_text='Matchpoints, such as 2 or "3/2".')
    percentage = serializers.CharField(help_text="Matchpoints in per cent, to four places.")
    datum = serializers.JSONField(
        help_text=(
            'Difference from the mean of the other tables, such as "22/3"; above 0 is better.'
        )
    )


class MadeDealsSerializer(OutputSerializer):
    """The boards that were created or deleted."""

    commitment = serializers.CharField()
    boards = IntegerListField()


class _CountField(StrictField, serializers.IntegerField):
    """A whole number whose bounds the service judges."""

    def to_internal_value(self, data: object) -> object:
        if not is_whole(data):
            raise Refused(
                Problem("bad_board_rounds", (), {"found": shown(data), "least": 0, "most": 1000})
            )
        return data


class _DealsField(StrictField, serializers.ListField):
    """Deals in our form, which the reader of deal files judges."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list):
            raise Refused(Problem("bad_deal_file", (), {"at": "deals"}))
        return data


class _PbnField(StrictField, serializers.CharField):
    """The text of a PBN file, which its reader judges."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, str):
            raise Refused(Problem("deal_file_unreadable"))
        return data


class NewDealsSerializer(StrictSerializer):
    """Boards to create, by exactly one of `count`, `deals` and `pbn`."""

    count = _CountField(required=False, help_text="Number of boards to deal from a new seed.")
    deals = _DealsField(
        required=False,
        child=serializers.DictField(),
        help_text="Deals, each with `number`, `dealer` and `hands` (the cards of N, E, S and W).",
    )
    pbn = _PbnField(required=False, help_text="Text of a file in PBN (Portable Bridge Notation).")
    boards_per_round = _CountField(
        left_out=0, help_text="Number of boards for each round; 0 if the boards belong to no round."
    )
    tables = _CountField(
        left_out=0,
        help_text=(
            "Number of tables between which the boards move (5, 7, 11 or 13), each with "
            "`boards_per_round` of them in a round. 0: the same boards at every table."
        ),
    )
    first_round = _CountField(left_out=1, help_text="Round that plays the first board.")


class CommitmentSerializer(StrictSerializer):
    """The commitment that identifies a set of deals."""

    commitment = TextField(
        max_length=64, help_text="Commitment of the deals, as in the list of boards."
    )


class DealSerializer(OutputSerializer):
    """A deal: its number, its dealer and the cards of each seat."""

    number = serializers.IntegerField()
    dealer = serializers.CharField(help_text="Seat of the dealer: N, E, S or W.")
    hands = serializers.DictField(child=StringListField(), help_text="The cards of N, E, S and W.")


class PrintedDealsSerializer(OutputSerializer):
    """Deals with their cards, and when they were printed."""

    commitment = serializers.CharField()
    printed_at = serializers.DateTimeField()
    deals = DealSerializer(many=True)


MAKE_DEALS: Final = """\
Create boards, dealt from a new seed or read from deals in JSON or PBN.

The cards stay secret until every table has played the board or its round is closed. The answer
holds the commitment, with which anybody can then check the cards.
"""
PRINT_DEALS: Final = """\
Read the cards of deals that are still secret, in order to deal them.

Only for directors who do not play in the event. From then on the list of boards names the
caller, the audit log records the printing, and the caller cannot play any of these boards.
"""


class BoardViewSet(ResourceViewSet):
    """The boards of a duplicate event with their commitments; empty for other events."""

    resource = ("board", "boards")
    lookup_url_kwarg = lookup_value_converter = "number"
    serializer_class, detail_serializer_class = BoardCardSerializer, BoardSerializer
    row_selector = staticmethod(board_view)
    rows_selector = staticmethod(cards_with_printings)
    ordering = ()
    columns = (
        *("number", "dealer", "round", "shown", "results", "source", "commitment", "secret"),
        *("printed_by", "printed_at", "board_set"),
    )
    retrieve = reads(
        "One board: its dealer and pass, and its cards once every table has played it."
    )
    create = creates(
        deal_boards,
        NewDealsSerializer,
        answer=MadeDealsSerializer,
        name="make_deals",
        text=MAKE_DEALS.strip(),
    )
    print = performs(
        print_deals,
        "print",
        detail=False,
        body=CommitmentSerializer,
        answer=PrintedDealsSerializer,
        status=201,
        has_secret=True,
        text=PRINT_DEALS.strip(),
    )

    def perform_create(self, op: Operation, body: JsonDict) -> JsonDict:
        if sum(name in body for name in ("count", "deals", "pbn")) != 1:
            raise Refused(Problem("deals_needed"))
        if "count" in body:
            deal = deal_boards(
                op,
                self.parent,
                count=body["count"],
                boards_per_round=body["boards_per_round"],
                first_round=body["first_round"],
                tables=body["tables"] or None,
            )
        else:
            if "pbn" in body:
                text = body["pbn"]
            else:
                text = json.dumps({"deals": body["deals"]})
            deal = load_boards(
                op,
                self.parent,
                content=str(text).encode(errors="replace"),
                boards_per_round=body["boards_per_round"],
                first_round=body["first_round"],
                tables=body["tables"] or None,
            )
        numbers = deal.boards.order_by("number").values_list("number", flat=True)
        return {"commitment": deal.commitment, "boards": list(numbers)}

    def perform_print(self, op: Operation, body: JsonDict) -> JsonDict:
        printing, boards = print_deals(op, self.parent, commitment=body["commitment"])
        return {
            "commitment": printing.deal.commitment,
            "printed_at": printing.printed_at,
            "deals": [board.as_json() for board in boards],
        }


class DealsDeletionViewSet(ResourceViewSet):
    """The deletion of deals."""

    is_single = True
    resource = ("deals", "deals")
    serializer_class = MadeDealsSerializer
    submit = writes(delete_deals, CommitmentSerializer)

    def perform_submit(self, op: Operation, body: JsonDict) -> JsonDict:
        commitment = body["commitment"]
        return {
            "commitment": commitment,
            "boards": delete_deals(op, self.parent, commitment=commitment),
        }


@listing("board_results", BoardResultSerializer)
def list_results(actor: Actor, club: str, event: str, number: int) -> Sequence[Flat]:
    """The results of a board at every table, seat by seat; empty while the board is secret."""
    tables = board_view(get_event(actor, club, event), number)["results"]
    return [
        {"table": table["code"], "round": table["round"], "hand": table["hand"], **cell}
        for table in tables
        for cell in table["cells"]
    ]


@reading("print_hand_records", media_type=PDF)
def print_hand_records(request: Request, club: str, event: str) -> HttpResponseBase:
    """The hand records of all boards that may be shown, as a PDF."""
    current_event = get_event(caller(request), club, event)
    boards = hand_records(current_event)
    if not boards:
        raise Missing("hand_records")
    pdf = typeset_pdf(hand_record_document(current_event, boards))
    return pdf_response(pdf, f"{current_event.slug}-hand-records.pdf")
