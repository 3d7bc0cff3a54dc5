"""The hands of an event, the totals of a table, deleting and restoring a hand."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.conditional_requests import (
    NUMBER_OR_ANY,
    etag_parameter,
    if_match_number,
    if_match_parameter,
)
from api.idempotency import KEY, REPLAYED_HEADER, idempotent_write, json_answer, key_of
from api.lists import Filter, Flat, limited, listing
from api.openapi import writing
from api.query_parameters import allow_only
from api.serializers.strict_fields import TextField
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.addresses import requested_event
from api.v1.hands.entries import (
    ETAG,
    LOCATION,
    MOST_SEATS,
    NOTE_HELP,
    EntryField,
    HandsField,
    PlayersField,
    additional_field,
    as_recorded,
    hand_answer,
    hand_document,
)
from api.v1.rounds.tables import HandSerializer, counted_json, seat_lines
from tournaments.domain.etags import etag
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.errors import Conflict
from tournaments.models.events import Event
from tournaments.models.hands import HandState
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.events import get_event
from tournaments.selectors.hands.event_hands import event_hands
from tournaments.selectors.hands.score_sheet import get_game, table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, hand_of
from tournaments.selectors.rounds.tables import game_at_address
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import undo_hand, void_hand
from tournaments.services.operations import Operation
from tournaments.services.previewing.run_preview import HandRef, save_as_previewed
from tournaments.states import HAND, state_problem


class EventHandSerializer(HandSerializer):
    """A hand of an event as it counts, with its round. Only `read_hand` also has `game`."""

    def get_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().get_fields()
        for name in ("game", "event_version"):
            del fields[name]
        return {"round": serializers.IntegerField(help_text="Number of the round."), **fields}


@listing(
    "event_hands",
    EventHandSerializer,
    columns=(
        *("round", "table", "hand", "board", "revision", "state", "verified", "variant"),
        *("seat", "label", "side", "player_id", "player", "score", "total", "moon"),
        *("entered_by", "entered_at", "reason"),
    ),
    order=("place",),
    lines=seat_lines,
    filters=(
        Filter("round", "Only hands of the round with this number.", least=1),
        Filter("table", "Only hands of the table with this code."),
        Filter("player", "Only hands at which the player with this id had a seat."),
        Filter("state", "Only hands in this state.", HandState.values),
    ),
)
def list_hands(
    actor: Actor,
    club: str,
    event: str,
    round: str = "",
    table: str = "",
    player: str = "",
    state: str = "",
) -> RenderedRows:
    """The hands of all tables of an event, in the order of round, table and number.

    Each hand has the members of `read_hand` except `game` and `event_version`, and its `round`.
    """
    hands = event_hands(get_event(actor, club, event), player=player)
    rows = limited(hands.rows, round=round, table=table, state=state)

    def written(some: Any) -> list[Flat]:
        return [
            {
                "place": hand.place,
                "round": hand.round_number,
                **counted_json(hand, table=hand.code, variant=hand.variant),
            }
            for hand in hands.dress(some)
        ]

    return replace(hands, rows=rows, dress=written)


class TotalsSerializer(StrictSerializer):
    """The totals of a whole game."""

    entry = EntryField(help_text='Totals in seat order, as in `{"points": [61, 43, 70, 86]}`.')
    hands = HandsField(
        required=False, allow_null=True, min_value=1, max_value=LAST_HAND,
        help_text="Number of hands that the totals cover; null or left out if it is unknown.",
    )  # fmt: skip
    players = PlayersField(
        required=False, max_length=MOST_SEATS,
        help_text="Player ids in seat order, checked as in `POST …/hands`.",
    )  # fmt: skip
    note = TextField(required=False, allow_blank=True, help_text=NOTE_HELP)
    additional = additional_field()


@writing(
    "enter_totals", "POST", HandSerializer, TotalsSerializer, status=201,
    parameters=(KEY, REPLAYED_HEADER, LOCATION, ETAG), act="enter_hand")  # fmt: skip
def enter_totals(request: Request, club: str, event: str, code: str) -> HttpResponseBase:
    """Enter the totals of a table as its hand 0, where no single hand is known.

    A table has either hands or totals. `PUT …/hands/0` enters the next revision of the totals.
    """
    allow_only(request)
    actor, key = known_caller(request), key_of(request)
    game = game_at_address(actor, club, event, code)
    body = {"hands": None, **validated(request, TotalsSerializer), "number": TOTALS}
    recorded = as_recorded(actor, game, body, key=key)
    answer = hand_answer(game, recorded, status=201)
    answer["Location"] = reverse("read_hand", args=[club, event, code, TOTALS])
    return answer


IF_MATCH: Final = if_match_parameter(
    'The ETag of the hand that you looked at, as in `"1"`; `*` or nothing: the hand as it is now',
    form=NUMBER_OR_ANY,
    required=False,
)

STATE_ETAG: Final = etag_parameter("Revision of the hand, for `If-Match` of the next edit.", 200)


class HandMoveSerializer(StrictSerializer):
    """The reason for deleting or restoring a hand."""

    reason = TextField(help_text="Reason in one sentence; it is stored.")
    previewed = TextField(
        required=False,
        help_text="`digest` of a preview; if the effect is no longer the same, the answer is 409.",
    )


@idempotent_write(
    HandSerializer, HandMoveSerializer, asks=(IF_MATCH,), tells=(STATE_ETAG,), operation=void_hand
)
def delete_hand_view(
    request: Request, club: str, event: str, code: str, number: int
) -> HttpResponse:
    """Delete a hand: it no longer counts. Its entries are kept, and it can be restored.

    If somebody changed the hand since the revision in `If-Match`, the answer is 412 with the
    current hand (`there`).
    """
    return _move(request, _delete, void_hand.right, club, event, code, number)


@idempotent_write(HandSerializer, EmptyBody, tells=(STATE_ETAG,), operation=undo_hand)
def undo_hand_view(request: Request, club: str, event: str, code: str, number: int) -> HttpResponse:
    """Undo a hand that you entered in the last ten minutes, without a reason.

    It must be the last one entered at its table, unchanged, in a round that is not closed. It no
    longer counts, and `POST …/hands` enters it again under its number. Otherwise the answer is 409
    (`undo_over`).
    """
    actor, _ = known_caller(request), validated(request, EmptyBody)
    game = game_at_address(actor, club, event, code)
    undo_hand(Operation(actor, timezone.now()), game, number=number)
    body = hand_document(game.event, code, number)
    return json_answer(body, tag=etag(body["revision"]))


@idempotent_write(
    HandSerializer, HandMoveSerializer, asks=(IF_MATCH,), tells=(STATE_ETAG,), act="correct_closed"
)
def restore_hand_view(
    request: Request, club: str, event: str, code: str, number: int
) -> HttpResponse:
    """Restore a deleted hand: its last entry counts again, as a new revision.

    If one of its players now sits at another table of the round, the answer is 409
    (`players_sit_elsewhere`).
    """
    return _move(request, _restore, "correct_closed", club, event, code, number)


Change = Callable[[Actor, Event, str, HandView, int, str], object]


def _move(
    request: Request, change: Change, act: str, club: str, event: str, code: str, number: int
) -> HttpResponse:
    actor, current_event = requested_event(request, club, event, code=code, act=act)
    fields = validated(request, HandMoveSerializer)
    hand = hand_of(table_sheet(current_event, code), number)
    named = if_match_number(request, of="hand") if "If-Match" in request.headers else None
    looked = hand.revision if named is None else named
    do = partial(change, actor, current_event, code, hand, looked, fields["reason"])
    try:
        if fields["previewed"]:
            save_as_previewed(
                HandRef(current_event, code, number),
                do,
                digest=fields["previewed"],
                now=timezone.now(),
            )
        else:
            do()
    except Conflict as conflict:
        if conflict.problem.code == "entry_outdated":
            raise Conflict(
                conflict.problem, there=hand_document(current_event, code, number)
            ) from conflict
        raise
    body = hand_document(current_event, code, number)
    return json_answer(body, tag=etag(body["revision"]))


def _delete(
    actor: Actor, event: Event, code: str, hand: HandView, looked: int, reason: str
) -> object:
    return void_hand(
        Operation(actor, timezone.now()),
        get_game(event, code),
        number=hand.number,
        based_on=looked,
        reason=reason,
    )


def _restore(
    actor: Actor, event: Event, code: str, hand: HandView, looked: int, reason: str
) -> object:
    if hand.state != HandState.VOID:
        problem = state_problem(HAND, hand.state, HandState.ACCEPTED)
        raise Conflict(replace(problem, at=()))
    return record_entry(
        Operation(actor, timezone.now()),
        get_game(event, code),
        number=hand.number,
        entry=hand.entry,
        based_on=looked,
        reason=reason,
        source="api",
    )
