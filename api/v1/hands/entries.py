"""Entering hands: a new hand, and the next revision of an existing one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from rest_framework import serializers
from rest_framework.request import Request

from api.lists import Flat
from api.serializers.strict_fields import (
    BooleanField,
    StrictField,
    TextField,
    WholeNumberField,
    bad_setting,
    is_text,
    is_whole,
)
from api.serializers.strict_serializers import StrictSerializer, require_body
from api.serializers.typed_documents import DocumentField
from api.v1.rounds.tables import hand_json, warnings_of
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import EntryDocument
from scoring.errors import SENTENCES as OF_THE_SCORER
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict
from scoring.numbers import score_json
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import LAST_HAND, TOTALS
from tournaments.models.events import Event
from tournaments.models.hands import Game
from tournaments.policy import Actor
from tournaments.selectors.hands.disputes import count_open_disputes
from tournaments.selectors.hands.games import game_standing, standing_of_game
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import hand_of
from tournaments.selectors.jobs.queue import event_version
from tournaments.services.boards import LAST_BOARD
from tournaments.services.hands.check_entry import entry_problems
from tournaments.services.hands.record_entry import RecordedHand

MOST_SEATS: Final = 40


class HandNumberField(StrictField, serializers.IntegerField):
    """The number of a hand; where the address has one, the same."""

    def to_internal_value(self, data: object) -> object:
        number = self.context.get("number")
        if not is_whole(data) or number not in (None, data):
            expected = f"1 to {LAST_HAND}" if number is None else number
            raise Refused(
                Problem("bad_hand_number", (), {"found": shown(data), "expected": expected})
            )
        return data


NOTE_HELP: Final = "Note on the hand; the sheet shows it to everybody who may read the sheet."
ENTRY_HELP: Final = (
    "Cards or points of a hand, in seat order: `hearts` (a number for each seat) and `taken` (for "
    "each seat a list of its other counting cards, as in `QS`), or `points`. For other members see "
    "docs/contracts.md."
)


class EntryField(StrictField, DocumentField):
    """The entry, which the scorer validates."""

    def __init__(self, **more: Any) -> None:
        super().__init__(document=EntryDocument, **more)

    def to_internal_value(self, data: object) -> object:
        return data

    def _missing(self) -> object:
        if self.required:
            raise Refused(Problem("bad_entry", (), {"found": "null", "missing_member": "entry"}))
        return super()._missing()


class PlayersField(StrictField, serializers.ListField):
    """Ids of players in seat order; null is the same as an empty list."""

    child = serializers.CharField()
    takes_null = True

    def to_internal_value(self, data: object) -> object:
        if not (
            isinstance(data, list)
            and len(data) <= MOST_SEATS
            and all(is_text(player) and player for player in data)
        ):
            raise Refused(Problem("bad_players"))
        return data


class HandsField(WholeNumberField):
    """The number of hands that totals cover."""

    def __init__(self, **more: Any) -> None:
        super().__init__(code="bad_number_of_hands", expected=f"1 to {LAST_HAND}", **more)


class BoardField(StrictField, serializers.IntegerField):
    """The number of a board; null is the same as a board that is left out."""

    takes_null = True

    def __init__(self, help_text: str = "Number of the board, in a duplicate event.") -> None:
        super().__init__(
            required=False, allow_null=True, min_value=1, max_value=LAST_BOARD, help_text=help_text
        )

    def to_internal_value(self, data: object) -> object:
        if not is_whole(data):
            facts = {"found": shown(data), "most": LAST_BOARD}
            raise Refused(Problem("bad_board_number", (), facts))
        return data


class KnownMovesField(StrictField, serializers.IntegerField):
    """How many moves of hands from and to the table the caller knows of."""

    def __init__(self) -> None:
        super().__init__(
            required=False,
            min_value=0,
            help_text=(
                "`hand_moves` of the table as you read it. If hands were moved from or to the "
                "table since, the answer is 409 (`hands_moved`). Left out, it is not checked."
            ),
        )

    def to_internal_value(self, data: object) -> object:
        if is_whole(data) and data >= 0:
            return data
        raise bad_setting(self, shown(data), "a whole number from 0")


def additional_field() -> BooleanField:
    return BooleanField(
        left_out=False,
        help_text="Whether to record a hand beyond the event's `length` instead of refusing it "
        "(`match_over`); directors may.",
    )


def previewed_field() -> TextField:
    return TextField(
        required=False,
        help_text="`digest` of a preview; if the effect is no longer the same, the answer is 409.",
    )


class NewHandSerializer(StrictSerializer):
    """A new hand of a table."""

    number = HandNumberField(min_value=1, max_value=LAST_HAND)
    entry = EntryField(help_text=ENTRY_HELP)
    players = PlayersField(
        required=False,
        max_length=MOST_SEATS,
        help_text=(
            "Player ids in seat order, checked against the seating. At a table without a seating, "
            "these players are seated."
        ),
    )
    note = TextField(required=False, allow_blank=True, help_text=NOTE_HELP)
    board = BoardField(
        "Number of the board, in a duplicate event; it may also be a member of `entry`. If a "
        "revision leaves it out, the board stays."
    )
    additional = additional_field()
    known_moves = KnownMovesField()

    def has_entry(self) -> bool:
        return True


class RevisedHandSerializer(NewHandSerializer):
    """The next revision of a hand, and the reason for it."""

    order: ClassVar[Sequence[str]] = (
        "number",
        "entry",
        "players",
        "note",
        "reason",
        "previewed",
        "hands",
        "board",
        "additional",
        "known_moves",
    )

    number = HandNumberField(
        required=False,
        min_value=1,
        max_value=LAST_HAND,
        help_text="Number of the hand; if sent, it must equal the number in the address.",
    )
    hands = HandsField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=LAST_HAND,
        help_text=(
            "Number of hands that the totals cover, only for hand 0 (a sheet with totals only); "
            "null if it is unknown. If left out, it stays as it is."
        ),
    )
    reason = TextField(help_text="Reason in one sentence; it is stored.")
    previewed = previewed_field()

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        if self.context.get("number", TOTALS) != TOTALS:
            del fields["hands"]
        return fields


def hand_row(event: Event, code: str, number: int) -> Flat:
    """Return a stored hand for `HandSerializer`."""
    sheet = table_sheet(event, code)
    standing = game_standing(event, code)
    version = event_version(event)
    return hand_json(sheet, hand_of(sheet, number), standing, version)


def recorded_row(game: Game, recorded: RecordedHand) -> Flat:
    """Return what `hand_row` would, of a hand that was recorded now; a query for a revision."""
    hand, entry, played = recorded.hand, recorded.entry, recorded.played
    if played is None:
        raise AssertionError("a hand that was not recorded now has to be read")
    sat = {sitting.seat: sitting for sitting in recorded.sat if sitting.has(hand.number)}
    labels = seat_names(len(recorded.seats))
    return {
        "table": game.table.code,
        "number": hand.number,
        "board": hand.board.number if hand.board else None,
        "revision": hand.revision,
        "state": hand.state,
        "verified": entry.verified,
        "variant": game.snapshot.variant,
        "entry": entry.typed,
        "seats": [
            {
                "seat": seat.number,
                "label": label,
                "side": seat.side or None,
                "player_id": holder.player_id if holder else None,
                "player": holder.name if holder else None,
                "score": score_json(score),
                "total": score_json(total),
            }
            for seat, label, score, total in zip(
                recorded.seats, labels, played.score.seat_scores, played.totals, strict=True
            )
            for holder in [sat.get(seat.number)]
        ],
        "moon": entry.moon,
        # Nobody can have disputed what was not there.
        "disputes": count_open_disputes(hand.pk) if hand.revision > 1 else 0,
        "game": standing_of_game(game.event, game, recorded.seats),
        "entered_by": entry.entered_as,
        "entered_at": entry.entered_at,
        "reason": entry.reason,
        "moved_to": None,
        "warnings": warnings_of(hand.number, recorded.repeats),
        "event_version": recorded.event_version,
    }


def sent_hand(
    kind: type[NewHandSerializer],
    request: Request,
    actor: Actor,
    game: Game,
    number: int | None = None,
) -> JsonDict:
    """Return the hand of the request body, with the number of the address.

    Totals have `hands`. Unreadable fields are refused together with the problems of the entry.
    """
    data = _with_board_outside(request.data, game)
    serializer = kind(data=data, context={} if number is None else {"number": number})
    if not serializer.is_valid():
        problems: Sequence[Problem] = ()
        if serializer.has_entry() and "entry" in data:
            problems = entry_problems(actor=actor, game=game, entry=data["entry"], number=number)
        require_body(request, serializer)
        raise Refused(*serializer.problems, *map(in_body, problems))
    fields: JsonDict = serializer.validated_data
    if number is None:
        return fields
    if number == TOTALS and "hands" not in fields:
        hands = table_sheet(game.event, game.table.code).hands
        fields["hands"] = next((hand.n_hands for hand in hands if hand.number == TOTALS), None)
    return {**fields, "number": number}


def _with_board_outside(data: Any, game: Game) -> Any:
    """Return a body whose board is beside its entry, where it was sent as a member of that."""
    entry = data.get("entry") if isinstance(data, Mapping) else None
    if not (isinstance(entry, Mapping) and "board" in entry) or "board" in data:
        return data
    if not settings_of(game.event).duplicate:
        return data
    entry_alone = {key: value for key, value in entry.items() if key != "board"}
    return {**data, "entry": entry_alone, "board": entry["board"]}


def in_body(problem: Problem) -> Problem:
    """Return a problem of the scorer with a path that begins at the body, not at the entry."""
    if problem.code not in OF_THE_SCORER or problem.at[:1] == ("players",):
        return problem
    return replace(problem, at=("entry", *problem.at))
