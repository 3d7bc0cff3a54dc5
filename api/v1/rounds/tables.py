"""Tables and their sheets: seats, hands as they count, and every revision of a hand."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from api.lists import Flat, listing
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.typed_documents import DocumentField
from api.v1.fields import MISSING_HANDS, IntegerListField, MomentField, ScoreField
from scoring.entry.typed_hand import EntryDocument
from tournaments.models.events import Event
from tournaments.models.hands import EntryForm, GameState, HandState, Source
from tournaments.policy import Actor
from tournaments.selectors.events.events import get_event
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import (
    HandView,
    Revision,
    TableSheet,
    hand_of,
)
from tournaments.selectors.ladders.log import tables_on_ladder


class SeatSerializer(OutputSerializer):
    """A seat, clockwise from 1, with its player."""

    seat = serializers.IntegerField()
    label = serializers.CharField(  # type: ignore[assignment]  # a field of the answer
        help_text="Name of the seat: N, E, S or W at tables of up to four, else its number."
    )
    side = serializers.CharField(
        allow_null=True, help_text="NS or EW; null in games without sides."
    )
    player_id = serializers.CharField(allow_null=True)
    player = serializers.CharField(allow_null=True)


class FinishSerializer(SeatSerializer):
    """A seat with its current total and place at the table."""

    total = ScoreField(allow_null=True)
    place = serializers.CharField(
        allow_blank=True, help_text="The place, such as 1 or 2=; empty before the first hand."
    )


class TableSerializer(OutputSerializer):
    """A table, which corresponds to one paper sheet. Its hands have an address of their own."""

    code = serializers.CharField()
    number = serializers.IntegerField()
    round = serializers.IntegerField(help_text="Number of the round.")
    meeting = serializers.DateField(allow_null=True)
    state = serializers.ChoiceField(choices=GameState.choices)
    variant = serializers.CharField()
    variant_name = serializers.CharField()
    seats = FinishSerializer(many=True)
    hands = IntegerListField(help_text="Numbers of the hands.")
    missing_hands = IntegerListField(help_text=MISSING_HANDS)
    challenges = IntegerListField(
        help_text="On a ladder: numbers of the challenges that the table decides."
    )
    moves_nobody = serializers.CharField(
        allow_null=True,
        help_text="On a ladder: why the table moves nobody: `ladder_span`, `ladder_table_size`.",
    )


class MoonSerializer(OutputSerializer):
    """The shooter of a moon, and its settlement; seats from 1."""

    id = serializers.CharField()
    by = IntegerListField()
    choice = serializers.CharField(allow_null=True)


class NextSerializer(OutputSerializer):
    """The next hand."""

    number = serializers.IntegerField()
    dealer = serializers.IntegerField(help_text="Seat of the dealer, from 1.")

    def get_fields(self) -> dict[str, Any]:
        return {
            **super().get_fields(),
            "pass": serializers.CharField(
                source="passing", allow_null=True, help_text="Way of passing cards; null: no pass."
            ),
        }


class GameSerializer(OutputSerializer):
    """The current game at the table; seats from 1."""

    hands = serializers.IntegerField()
    finished = serializers.BooleanField()
    winners = IntegerListField()
    losers = IntegerListField()
    leaders = IntegerListField()
    next = NextSerializer(allow_null=True)


class SeatScoreSerializer(SeatSerializer):
    """The score of a seat for a hand, and its total after it; null where no points are scored."""

    score = ScoreField(allow_null=True)
    total = ScoreField(allow_null=True)


class HandSerializer(OutputSerializer):
    """One hand as it counts. Standings whose `version` is `event_version` or more contain it."""

    table = serializers.CharField()
    number = serializers.IntegerField()
    board = serializers.IntegerField(
        allow_null=True, help_text="Number of the board; null outside duplicate events."
    )
    revision = serializers.IntegerField()
    state = serializers.ChoiceField(choices=HandState.choices)
    verified = serializers.CharField(help_text="Check: `cards` or `sum`; `typed` for totals only.")
    variant = serializers.CharField()
    entry = DocumentField(EntryDocument, help_text="The entry as it was entered.")
    seats = SeatScoreSerializer(many=True)
    moon = MoonSerializer(allow_null=True)
    disputes = serializers.IntegerField(
        help_text="Number of open disputes; the hand counts all the same."
    )
    game = GameSerializer()
    entered_by = serializers.CharField(allow_blank=True)
    entered_at = MomentField()
    reason = serializers.CharField(allow_blank=True)
    event_version = serializers.IntegerField()


class RevisionSerializer(OutputSerializer):
    """One entry of a hand; entries are never changed or deleted."""

    revision = serializers.IntegerField(source="number")
    counts = serializers.BooleanField(help_text="Whether this is the entry that counts.")
    form = serializers.ChoiceField(choices=EntryForm.choices)
    entry = DocumentField(EntryDocument)
    entered_by = serializers.CharField(allow_blank=True)
    entered_at = MomentField()
    source = serializers.ChoiceField(  # type: ignore[assignment]  # a field of the answer
        choices=Source.choices
    )
    reason = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)


def seat_lines(hand: Flat) -> Iterable[Flat]:
    """Return one line of CSV a seat, as on the sheet."""
    moon = hand["moon"] or {"id": "", "by": []}
    for seat in hand["seats"]:
        shot = moon["id"] if seat["seat"] in moon["by"] else ""
        yield {**hand, "hand": hand["number"], **seat, "moon": shot}


@listing(
    "revisions",
    RevisionSerializer,
    columns=("revision", "counts", "form", "entered_by", "entered_at", "source", "reason", "note"),
)
def list_revisions(
    actor: Actor, club: str, event: str, code: str, number: int
) -> tuple[Revision, ...]:
    """Every entry of a hand, the first one first, exactly as entered."""
    sheet = table_sheet(get_event(actor, club, event, code=code), code)
    return hand_of(sheet, number).revisions


def table_json(event: Event, code: str) -> Flat:
    """Return a table for `TableSerializer`."""
    sheet, on_ladder = table_sheet(event, code), tables_on_ladder(event, table__code=code).get(code)
    problem = on_ladder["problem"] if on_ladder is not None else None
    return {
        "code": sheet.code,
        "number": sheet.number,
        "round": sheet.round_number,
        "meeting": sheet.date,
        "state": sheet.state,
        "variant": sheet.variant,
        "variant_name": sheet.variant_name,
        "seats": [
            {
                **end.seat.as_json(),
                "total": end.total,
                "place": "" if end.place is None else f"{end.place}{'=' if end.is_tied else ''}",
            }
            for end in sheet.finishes
        ],
        "hands": [hand.number for hand in sheet.hands],
        "missing_hands": sheet.missing_numbers,
        "challenges": on_ladder["challenges"] if on_ladder is not None else (),
        "moves_nobody": problem.code if problem is not None else None,
    }


def hand_json(sheet: TableSheet, hand: HandView, game: Flat, version: int) -> Flat:
    """Return a hand for `HandSerializer`."""
    return {
        "table": sheet.code,
        "number": hand.number,
        "board": hand.board,
        "revision": hand.revision,
        "state": hand.state,
        "verified": hand.verified,
        "variant": sheet.variant,
        "entry": hand.entry,
        "seats": [
            {**cell.seat.as_json(), "score": cell.score, "total": cell.total} for cell in hand.cells
        ],
        "moon": hand.moon and {**hand.moon, "choice": hand.moon["choice"] or None},
        "disputes": hand.n_disputes,
        "entered_by": hand.entered_by,
        "entered_at": hand.entered_at,
        "reason": hand.reason,
        "game": game,
        "event_version": version,
    }
