"""Entering the sheets of a night in one request: all of them, or each with its own answer."""

import hashlib
from collections.abc import Sequence
from typing import IO, Any, ClassVar, Final

from django.http import HttpResponse
from rest_framework import serializers

from api.idempotency import fingerprint_of, json_answer
from api.media_types import StrictJSONParser, read_capped
from api.openapi import ProblemMember
from api.problems import BadRequest, error_json
from api.resources import ResourceViewSet, writes
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import (
    BooleanField,
    DayField,
    TextField,
    WholeNumberField,
    WordField,
    is_whole,
)
from api.serializers.strict_serializers import BodiesField, StrictSerializer
from api.v1.hands.entries import (
    ENTRY_HELP,
    MOST_SEATS,
    BoardField,
    EntryField,
    HandNumberField,
    PlayersField,
    additional_field,
)
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from tournaments.domain.imports.imported_sheets import (
    MOST_HANDS,
    MOST_SHEETS,
    SentHand,
    SentSheet,
    SheetResult,
)
from tournaments.domain.replay_game import LAST_HAND
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.imports.enter_sheets import enter_sheets
from tournaments.services.imports.targets import find_target
from tournaments.services.operations import Operation
from tournaments.services.rounds.rounds import LAST_ROUND
from tournaments.services.rounds.seating import table_code

MOST_BYTES: Final = 2 * 1024 * 1024
"""Twice what 2,000 hands need that name every card of two packs."""

MODES: Final = ("all", "each")
_FACTS: Final = {"most_sheets": MOST_SHEETS, "most_hands": MOST_HANDS}


class SentHandSerializer(StrictSerializer):
    """One hand of a sheet."""

    number = HandNumberField(min_value=1, max_value=LAST_HAND)
    entry = EntryField(help_text=ENTRY_HELP)
    players = PlayersField(
        required=False,
        max_length=MOST_SEATS,
        help_text="The players of this hand, where somebody replaced a player of the sheet.",
    )
    board = BoardField()
    additional = additional_field()
    disputed = TextField(
        left_out=None,
        help_text="Why the hand is stored as disputed although its total is wrong; directors.",
    )


class HandResultSerializer(OutputSerializer):
    """The result for one hand."""

    number = serializers.IntegerField(allow_null=True, help_text="Hand number; null if unreadable.")
    status = serializers.IntegerField(
        help_text="Status of the hand: 201 entered; 200 already in the event; 409 in conflict with "
        "the event or another sheet; 422 refused."
    )
    errors = ProblemMember(many=True)  # type: ignore[assignment]  # a field of the answer


class SheetResultSerializer(OutputSerializer):
    """The result for one sheet."""

    index = serializers.IntegerField(help_text="Place of the sheet in the request, from 0.")
    status = serializers.IntegerField(
        help_text="Status of the sheet: 201 if all its hands are in the event, else 409 or 422."
    )
    table = serializers.CharField(allow_null=True, help_text="Code of the table, as in `r1t1`.")
    errors = ProblemMember(  # type: ignore[assignment]  # a field of the answer
        many=True, help_text="Problems of the whole sheet; none of its hands is entered then."
    )
    hands = HandResultSerializer(many=True)


class EnteredSheetsSerializer(OutputSerializer):
    """The results for the sheets of a request."""

    number = serializers.IntegerField(
        allow_null=True,
        help_text="Number of the import that holds the new hands, for undoing it; null if no hand "
        "is new.",
    )
    added = serializers.IntegerField(help_text="Number of hands that are new.")
    event_version = serializers.IntegerField(
        help_text="Version of the event; publications of it or a later one contain the hands."
    )
    results = SheetResultSerializer(many=True)


def too_many() -> BadRequest:
    """Return the refusal of a request with too many sheets or hands."""
    return BadRequest(Problem("too_many_sheets", ("sheets",), dict(_FACTS)), status=413)


class SheetsParser(StrictJSONParser):
    """A body with the sheets of a night; one that is too large is refused before it is read."""

    def read(self, stream: IO[bytes]) -> bytes:
        try:
            return read_capped(stream, MOST_BYTES)
        except BadRequest as error:
            raise too_many() from error


class SentHandsField(BodiesField):
    """The hands of a sheet."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list) or not data:
            raise _bad_sheets("hands", data, "a list of hands")
        return tuple(map(_hand, data))


class SentSheetSerializer(StrictSerializer):
    """The sheet of one table in one round."""

    order: ClassVar[Sequence[str]] = (
        "round",
        "date",
        "table",
        "variant",
        "players",
        "running",
        "hands",
    )

    round = WholeNumberField(
        code="bad_round_number",
        expected=f"1 to {LAST_ROUND}",
        within=(1, LAST_ROUND),
        min_value=1,
        max_value=LAST_ROUND,
        help_text="Number of the round; it is created if the event does not have it.",
    )
    date = DayField(
        required=False,
        allow_null=True,
        help_text="Date of the meeting; it is created if the event has none on that day.",
    )
    table = WholeNumberField(
        code="bad_table_number",
        expected=f"1 to {LAST_ROUND}",
        within=(1, LAST_ROUND),
        min_value=1,
        max_value=LAST_ROUND,
        help_text="Number of the table in the round; it is created if the round does not have it.",
    )
    variant = TextField(
        required=False, help_text="Id or name of the variant, if it is not that of the event."
    )
    players = PlayersField(
        required=False,
        max_length=MOST_SEATS,
        help_text="Player ids or unique names, clockwise; by default the players who sit at the "
        "table.",
    )
    running = BooleanField(
        left_out=False,
        help_text="Whether the points are running totals: each is the total of all hands so far.",
    )
    hands = SentHandsField(child=SentHandSerializer(), min_length=1, max_length=MOST_HANDS)


class SentSheetsField(BodiesField):
    """The sheets of a request."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list) or not data:
            raise _bad_sheets("sheets", data, "a list of sheets")
        hands = (len(sheet["hands"]) for sheet in data if _has_hands(sheet))
        if len(data) > MOST_SHEETS or sum(hands) > MOST_HANDS:
            raise too_many()
        return tuple(map(_sheet, data))


class SentSheetsSerializer(StrictSerializer):
    """The sheets of an evening."""

    mode = WordField(
        choices=MODES,
        help_text="`all`: all hands or none are entered. `each`: every hand is judged by itself.",
    )
    cancelled_evenings = BooleanField(
        left_out=False,
        help_text="Whether sheets of cancelled evenings are entered: they were played after all.",
    )
    sheets = SentSheetsField(child=SentSheetSerializer(), min_length=1, max_length=MOST_SHEETS)


class SheetsViewSet(ResourceViewSet):
    """The sheets of an evening."""

    is_single = True
    resource = ("sheet", "sheets")
    serializer_class = EnteredSheetsSerializer
    location_text = ""
    submit = writes(enter_sheets, SentSheetsSerializer, status=201, also=200, parser=SheetsParser)

    def perform_submit(self, op: Operation, body: JsonDict) -> HttpResponse:
        is_all = body["mode"] == "all"
        address = self.kwargs
        batch, added, results = enter_sheets(
            op,
            self.parent,
            target=find_target(actor=op.actor, club=address["club"], event=address["event"]),
            sheets=body["sheets"],
            digest=hashlib.sha256(fingerprint_of(self.request)).hexdigest(),
            is_all=is_all,
            cancelled_evenings=body["cancelled_evenings"],
        )
        outcomes = zip(body["sheets"], results, strict=True)
        document = {
            "number": batch,
            "added": added,
            "event_version": event_version(self.parent),
            "results": [_result(index, *outcome) for index, outcome in enumerate(outcomes)],
        }
        return json_answer(plain(EnteredSheetsSerializer)(document), status=201 if is_all else 200)


def _result(index: int, sheet: SentSheet, result: SheetResult) -> dict[str, object]:
    is_read = sheet.round is not None and sheet.table is not None
    return {
        "index": index,
        "status": result.status,
        "table": table_code(sheet.round or 0, sheet.table or 0) if is_read else None,
        "errors": list(map(error_json, result.problems)),
        "hands": [
            {
                "number": hand.number,
                "status": result.status_of_hand(place),
                "errors": list(map(error_json, result.by_hand.get(place, ()))),
            }
            for place, hand in enumerate(sheet.hands)
        ],
    }


_HAND: Final = SentHandSerializer()
_SHEET: Final = SentSheetSerializer()
"""Read every hand and sheet: making a serializer takes longer than reading a hand."""


def _hand(data: object) -> SentHand:
    if not isinstance(data, dict):
        return SentHand(None, problems=_bad_sheets("hand", data, "an object").problems)
    try:
        fields: Any = _HAND.to_internal_value(data)
    except Refused as refused:
        number: Any = data.get("number")
        is_number = is_whole(number) and 1 <= number <= LAST_HAND
        return SentHand(number if is_number else None, problems=refused.problems)
    number = fields["number"]
    if not isinstance(number, int) or not 1 <= number <= LAST_HAND:
        facts = {"found": shown(number), "expected": f"1 to {LAST_HAND}"}
        return SentHand(None, problems=(Problem("bad_hand_number", ("number",), facts),))
    return SentHand(
        number,
        fields["entry"],
        fields.get("players"),
        fields.get("board"),
        additional=fields["additional"] is True,
        disputed=fields["disputed"],
    )


def _sheet(data: object) -> SentSheet:
    if not isinstance(data, dict):
        return SentSheet(None, None, problems=_bad_sheets("sheet", data, "an object").problems)
    try:
        fields: Any = _SHEET.to_internal_value(data)
    except Refused as refused:
        return SentSheet(
            _number(data.get("round")),
            _number(data.get("table")),
            hands=tuple(map(_hand, data["hands"])) if _has_hands(data) else (),
            problems=refused.problems,
        )
    return SentSheet(
        fields["round"],
        fields["table"],
        fields.get("date"),
        fields["variant"],
        fields.get("players"),
        fields["hands"],
        running=fields["running"],
    )


def _has_hands(sheet: object) -> bool:
    return isinstance(sheet, dict) and isinstance(sheet.get("hands"), list)


def _number(value: object) -> int | None:
    return value if is_whole(value) and 1 <= value <= LAST_ROUND else None


def _bad_sheets(field: str, value: object, expected: str) -> Refused:
    facts = {"field": field, "found": shown(value), "expected": expected}
    return Refused(Problem("bad_sheets", (), facts))
