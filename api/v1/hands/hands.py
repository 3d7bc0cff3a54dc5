"""The hands of an event and of a table: entered, revised, deleted, restored; their previews."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, TypeVar

from django.urls import reverse
from rest_framework import serializers

from api.lists import Filter, Flat, limited, listing
from api.resource_schema import IfMatch
from api.resources import ResourceViewSet, creates, performs, previews, reads, writes
from api.serializers.fast_serialization import plain
from api.serializers.strict_fields import TextField
from api.serializers.strict_serializers import StrictSerializer
from api.v1.hands.entries import (
    MOST_SEATS,
    NOTE_HELP,
    EntryField,
    HandsField,
    KnownMovesField,
    NewHandSerializer,
    PlayersField,
    RevisedHandSerializer,
    additional_field,
    hand_row,
    in_body,
    previewed_field,
    recorded_row,
    sent_hand,
)
from api.v1.hands.previews import HandChangeSerializer, PreviewSerializer, entry_of
from api.v1.rounds.tables import HandSerializer, hand_json, seat_lines
from scoring.errors import Refused
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.reasons import reason_problems
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.errors import Conflict, Missing
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand, HandState
from tournaments.policy import Actor
from tournaments.selectors.db.statements import RenderedRows
from tournaments.selectors.events.events import get_event
from tournaments.selectors.hands.event_hands import event_hands
from tournaments.selectors.hands.games import game_standing
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, hand_of
from tournaments.selectors.jobs.queue import event_version
from tournaments.selectors.rounds.tables import game_at_address
from tournaments.services.hands.record_entry import NEWEST, RecordedHand, record_entry
from tournaments.services.hands.void_hand import undo_hand, void_hand
from tournaments.services.operations import Operation
from tournaments.services.previewing.run_preview import ChosenHands, preview, save_as_previewed
from tournaments.states import HAND, state_problem

T = TypeVar("T")


class EventHandSerializer(HandSerializer):
    """A hand of an event as it counts, with its round.

    Only `read_hand` also has `game` and `warnings`.
    """

    def get_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = super().get_fields()
        for name in ("game", "event_version", "warnings"):
            del fields[name]
        return {"round": serializers.IntegerField(help_text="Number of the round."), **fields}


class TotalsSerializer(StrictSerializer):
    """The totals of a whole game."""

    entry = EntryField(help_text='Totals in seat order, as in `{"points": [61, 43, 70, 86]}`.')
    hands = HandsField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=LAST_HAND,
        help_text="Number of hands that the totals cover; null or left out if it is unknown.",
    )
    players = PlayersField(
        required=False,
        max_length=MOST_SEATS,
        help_text="Player ids in seat order, checked as in `POST …/hands`.",
    )
    note = TextField(required=False, allow_blank=True, help_text=NOTE_HELP)
    additional = additional_field()
    known_moves = KnownMovesField()


class HandMoveSerializer(StrictSerializer):
    """The reason for deleting or restoring a hand."""

    reason = TextField(help_text="Reason in one sentence; it is stored.")
    previewed = previewed_field()


NAMED: Final = IfMatch(
    text='The ETag of the hand that you looked at, as in `"1"`, or `*`', is_number=True
)
NAMED_OR_NOT: Final = IfMatch(
    text='The ETag of the hand that you looked at, as in `"1"`; `*` or nothing: the hand as it is '
    "now",
    is_number=True,
    is_required=False,
)
_KEPT: Final[dict[str, Any]] = {"keeps_key": True, "has_repeats": False}


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

    Each hand has the members of `read_hand` except `game`, `warnings` and `event_version`, and its
    `round`.
    """
    hands = event_hands(get_event(actor, club, event), player=player)
    rows = limited(hands.rows, round=round, table=table, state=state)
    return replace(hands, rows=rows)


class AtTableViewSet(ResourceViewSet):
    """What is below a table, whose event is read with its game, in one query."""

    @cached_property
    def game(self) -> Game:
        address = self.kwargs
        return game_at_address(self.actor, address["club"], address["event"], address["code"])

    def get_parent(self) -> Event:
        return self.game.event

    def get_object(self) -> Game:
        return self.game


class EntryViewSet(AtTableViewSet):
    """Entries of hands and totals."""

    resource = ("hand", "hands")
    serializer_class = HandSerializer
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    location_text = "The address of the hand."
    etag_text = "Revision of the hand, for `If-Match` of the next edit."

    def get_row(self, result: Any) -> Flat:
        if isinstance(result, RecordedHand) and not result.replayed:
            return recorded_row(self.game, result)
        address = self.kwargs
        number = result.hand.number if isinstance(result, RecordedHand) else address["number"]
        return hand_row(self.game.event, address["code"], number)

    def get_tag(self, row: Flat) -> str:
        return str(row["revision"])

    def get_location(self, result: Any) -> str:
        return reverse("read_hand", kwargs={**self.kwargs, "number": result.hand.number})

    def record(self, op: Operation, body: JsonDict) -> RecordedHand:
        """Record a hand as it was sent; refusals point into the body."""
        is_totals = "hands" in body
        based_on = body.get("based_on")
        try:
            return record_entry(
                op,
                self.game,
                number=body["number"],
                is_totals=is_totals,
                hands=body.get("hands"),
                board=None if is_totals else body.get("board"),
                entry=body.get("entry", {}),
                source="api",
                based_on=NEWEST if "based_on" in body and based_on is None else based_on,
                key=body.get("key"),
                reason=body.get("reason", ""),
                note=body["note"],
                players=body.get("players"),
                additional=bool(body.get("additional")),
                known_moves=body.get("known_moves"),
            )
        except Refused as refused:
            raise Refused(*map(in_body, refused.problems)) from refused
        except Conflict as conflict:
            if conflict.problem.code == "entry_outdated" and conflict.there is None:
                facts = {"hand": body["number"], "table": self.game.table.code}
                raise Missing("hand", facts) from conflict
            yours = None
            if conflict.problem.code == "entry_outdated":
                yours = {name: body.get(name) for name in ("entry", "note", "reason")}
                if body.get("players") is not None:
                    yours["players"] = list(body["players"])
            raise self.with_hand(conflict, yours) from conflict

    def with_hand(self, conflict: Conflict, yours: JsonObject | None = None) -> Conflict:
        """Return the conflict with the hand that is there, and what its caller sent."""
        if not isinstance(hand := conflict.there, Hand):
            return conflict
        document = plain(HandSerializer)(
            hand_row(self.game.event, self.game.table.code, hand.number)
        )
        return Conflict(conflict.problem, there=document, yours=yours)


class TotalsViewSet(EntryViewSet):
    """The totals of a table."""

    is_single = True
    submit = writes(record_entry, TotalsSerializer, name="enter_totals", status=201, **_KEPT)

    def perform_submit(self, op: Operation, body: JsonDict) -> RecordedHand:
        """Enter the totals of a table as its hand 0, where no single hand is known.

        A table has either hands or totals. `PUT …/hands/0` enters the next revision of the totals.
        """
        return self.record(op, {"hands": None, **body, "number": TOTALS})


class HandViewSet(EntryViewSet):
    """The hands of a table in order, each with the score and the total of every seat."""

    ordering = ()
    columns = (
        *("table", "hand", "revision", "state", "variant", "seat", "label", "side", "player_id"),
        *("player", "score", "total", "moon"),
    )
    create = creates(record_entry, NewHandSerializer, name="enter_hand", **_KEPT)
    retrieve = reads("One hand as it counts. Its ETag is the revision, for `If-Match` of an edit.")
    update = writes(
        record_entry, RevisedHandSerializer, name="revise_hand", if_match=NAMED, **_KEPT
    )
    preview = previews(
        record_entry,
        "preview",
        HandChangeSerializer,
        name="preview_hand",
        if_match=NAMED,
        answer=PreviewSerializer,
    )
    void = performs(
        void_hand, "void", body=HandMoveSerializer, name="delete_hand", if_match=NAMED_OR_NOT
    )
    undo = performs(undo_hand, "undo")
    restore = performs(
        record_entry,
        "restore",
        body=HandMoveSerializer,
        name="restore_hand",
        if_match=NAMED_OR_NOT,
        right="correct_closed",
    )

    def get_queryset(self) -> list[Flat]:
        event = self.game.event
        sheet = table_sheet(event, self.game.table.code)
        standing = game_standing(event, sheet.code)
        version = event_version(event)
        return [hand_json(sheet, hand, standing, version) for hand in sheet.hands]

    def get_lines(self, row: Flat) -> Iterable[Flat]:
        return seat_lines(row)

    def get_body(self, shape: type[StrictSerializer]) -> JsonDict:
        if not issubclass(shape, NewHandSerializer):
            return super().get_body(shape)
        return sent_hand(shape, self.request, self.actor, self.game, self.kwargs.get("number"))

    @property
    def hand(self) -> HandView:
        return hand_of(table_sheet(self.game.event, self.game.table.code), self.kwargs["number"])

    def perform_create(self, op: Operation, body: JsonDict) -> RecordedHand:
        """Enter a new hand of a table. If it exists already, the answer is 409 with the existing
        hand.

        A hand that is the same as the one before it is stored, and `warnings` says so.

        A refusal (422) lists all problems at once. A request may be repeated with its
        `Idempotency-Key` at any time: the answer is then the hand as it is now.
        """
        return self.record(op, body)

    def perform_update(self, op: Operation, body: JsonDict) -> RecordedHand:
        """Enter the next revision of a hand, with a reason; earlier entries are kept.

        `If-Match` names the revision that you read. Without it the answer is 428; if somebody
        changed the hand meanwhile it is 412, with the current hand (`there`) and what you sent
        (`yours`). With `previewed` the revision is saved only if its effect is still that of the
        preview; otherwise the answer is 409 with the new preview.
        """
        return self._as_previewed(op, body, lambda: self.record(op, body))

    def perform_preview(self, op: Operation, body: JsonDict) -> JsonDict:
        """The effect of correcting, undoing, deleting or restoring a hand; nothing is stored.

        `If-Match` names the revision that you read. A change that could not be saved is refused
        here.
        """
        hand = self.hand
        change = self._previewed(op, hand, self._looked_at(hand, body))
        effect = preview(self._ref, change, now=op.now)
        return {**effect.as_json(), "digest": effect.digest}

    def perform_void(self, op: Operation, body: JsonDict) -> object:
        """Delete a hand: it no longer counts. Its entries are kept, and it can be restored.

        If somebody changed the hand since the revision in `If-Match`, the answer is 412 with the
        current hand (`there`).
        """
        change = self._looked_at(self.hand, body)
        return self._as_previewed(op, body, lambda: self._void(op, change))

    def perform_undo(self, op: Operation, body: JsonDict) -> Hand:
        """Undo a hand that you entered in the last ten minutes, without a reason.

        It must be the last one entered at its table, unchanged, in a round that is not closed. It
        no longer counts, and `POST …/hands` enters it again under its number. Otherwise the answer
        is 409 (`undo_over`).
        """
        return undo_hand(op, self.game, number=self.kwargs["number"])

    def perform_restore(self, op: Operation, body: JsonDict) -> object:
        """Restore a deleted hand: its last entry counts again, as a new revision.

        If one of its players now sits at another table of the round, the answer is 409
        (`players_sit_elsewhere`).
        """
        hand = self.hand
        if hand.state != HandState.VOID:
            problem = state_problem(HAND, hand.state, HandState.ACCEPTED)
            raise Conflict(replace(problem, at=()))
        change = self._looked_at(hand, body)
        self._as_previewed(op, body, lambda: self._restore(op, hand.entry, change))
        return hand

    @property
    def _ref(self) -> ChosenHands:
        return ChosenHands(self.game.event, self.game.table.code, self.kwargs["number"])

    def _looked_at(self, hand: HandView, body: JsonDict) -> JsonDict:
        """Return a body whose revision is the current one, where the request names none."""
        if body["based_on"] is not None:
            return body
        return {**body, "based_on": hand.revision}

    def _as_previewed(self, op: Operation, body: JsonDict, change: Callable[[], T]) -> T:
        if not body["previewed"]:
            return change()
        return save_as_previewed(self._ref, change, digest=body["previewed"], now=op.now)

    def _void(self, op: Operation, body: JsonDict) -> Hand:
        number = self.kwargs["number"]
        try:
            return void_hand(
                op, self.game, number=number, based_on=body["based_on"], reason=body["reason"]
            )
        except Conflict as conflict:
            raise self.with_hand(conflict) from conflict

    def _restore(self, op: Operation, entry: JsonObject, body: JsonDict) -> RecordedHand:
        try:
            return record_entry(
                op,
                self.game,
                number=self.kwargs["number"],
                entry=entry,
                based_on=body["based_on"],
                reason=body["reason"],
                source="api",
            )
        except Conflict as conflict:
            raise self.with_hand(conflict) from conflict

    def _previewed(self, op: Operation, hand: HandView, body: JsonDict) -> Callable[[], object]:
        """Return the change whose effect is asked for."""
        act = body["act"]
        if act == "correct":
            return lambda: self.record(op, body)
        if problems := tuple(reason_problems(body["reason"])):
            raise Refused(*problems)
        if act == "void":
            return lambda: self._void(op, body)
        revision = body["based_on"]
        if act == "undo" and hand.state != HandState.VOID:
            revision -= 1  # a void hand is restored as its newest revision has it
        entry = entry_of(hand, revision)
        return lambda: self._restore(op, entry, body)
