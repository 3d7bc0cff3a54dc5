"""The effect of a change of a hand; nothing is stored."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework.fields import empty
from rest_framework.request import Request
from rest_framework.response import Response

from api.authentication import known_caller
from api.openapi import writing
from api.query_parameters import allow_only
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import TextField, WordField
from api.serializers.typed_documents import DocumentField, DocumentListField
from api.v1.hands.entries import (
    IF_MATCH,
    EntryField,
    HandsField,
    PlayersField,
    RevisedHandSerializer,
    as_recorded,
    revision_matched,
    sent_hand,
)
from scoring.errors import Problem, Refused
from scoring.json_types import JsonObject
from tournaments.domain.reasons import reason_problems
from tournaments.models.hands import Game
from tournaments.policy import Actor
from tournaments.selectors.hands.score_sheet import table_sheet
from tournaments.selectors.hands.score_sheet_views import HandView, hand_of
from tournaments.selectors.rounds.tables import game_at_address
from tournaments.services.hands.record_entry import record_entry
from tournaments.services.hands.void_hand import void_hand
from tournaments.services.operations import Operation
from tournaments.services.previewing.documents import (
    BoundaryDocument,
    CutChangeDocument,
    HandPair,
    LadderChangesDocument,
    NumberedHandPair,
    OutdatedDraftDocument,
    PlayoffChangeDocument,
    PreviewedEvent,
    PreviewedGame,
    PublicationChange,
    StandingsRowsDocument,
)
from tournaments.services.previewing.run_preview import HandRef, preview

ACTS: Final = ("correct", "undo", "void", "restore")
_STAND_IN: Final = "–"
"""The reason of a preview without a reason."""


class PreviewReasonField(TextField):
    """The reason of the change. Without an entry it is not stored, so any value is accepted."""

    parent: "HandChangeSerializer"

    def run_validation(self, data: object = empty) -> object:
        if self.parent.has_entry():
            return super().run_validation(data)
        return str(data) if data is not empty and data else _STAND_IN


@extend_schema_serializer(exclude_fields=("number", "previewed"))
class HandChangeSerializer(RevisedHandSerializer):
    """A change of a hand whose effect is asked for."""

    order = ("act", *RevisedHandSerializer.order)

    act = WordField(
        choices=ACTS, left_out=ACTS[0], help_text="Kind of change: by default `correct`."
    )
    entry = EntryField(required=False, help_text="The corrected entry; only for `correct`.")
    players = PlayersField(required=False)
    hands = HandsField(
        required=False,
        allow_null=True,
        help_text="Number of hands that the totals cover; only for hand 0.",
    )
    note = TextField(required=False, allow_blank=True)
    reason = PreviewReasonField(left_out=_STAND_IN, allow_blank=True)

    def to_internal_value(self, data: Mapping[str, object]) -> dict[str, object]:
        if not self.has_entry():
            unread = self.fields.keys() - {"act", "reason"}
            data = {name: value for name, value in data.items() if name not in unread}
        return super().to_internal_value(data)

    def has_entry(self) -> bool:
        return bool(self.initial_data.get("act", ACTS[0]) == ACTS[0])


class PreviewSerializer(OutputSerializer):
    """The differences between the current results and those after the change."""

    table = serializers.CharField()
    number = serializers.IntegerField()
    event = DocumentField(
        PreviewedEvent,
        help_text="State of the event, and number of hands corrected since it became final.",
    )
    hand = DocumentField(
        HandPair, help_text="The hand before and after the change: state, revision, entry, scores."
    )
    hands = DocumentListField(
        NumberedHandPair,
        help_text="All hands that the change corrects, with their numbers, before and after it.",
    )
    game = DocumentField(
        PreviewedGame, help_text="Totals and places of the table's seats, before and after."
    )
    boundaries = DocumentListField(
        BoundaryDocument,
        help_text="Entrants who rise above (`in`) or fall below (`out`) each cut-off line.",
    )
    rows = DocumentField(
        StandingsRowsDocument,
        help_text=(
            "Effect on the standings: number of changed rows (`changed`), of changed places "
            "(`places`) and of unchanged rows (`same`), and the first 100 changed rows."
        ),
    )
    ladder = DocumentField(
        LadderChangesDocument,
        allow_null=True,
        help_text=(
            "Effect on the event's ladder: changes of place (their number and the first 100), the "
            "largest changes of ratings, challenges that get another winner or become void, and "
            "the publication. Null for an event without a ladder."
        ),
    )
    playoffs = DocumentListField(
        PlayoffChangeDocument,
        help_text=(
            "Effect on each play-off: `what` is `kept`, `void`, `detected`, `asked`, `answered`, "
            "`decided` or `undecided`. `code` names the question that a director then has to "
            "answer; null without one."
        ),
    )
    cuts = DocumentListField(
        CutChangeDocument,
        help_text=(
            "Effect on each cut (`what`): `kept`, `asked`, `answered` or `redone`; and the "
            "entrants who then go on (`in`) or no longer go on (`out`)."
        ),
    )
    drafts = DocumentListField(
        OutdatedDraftDocument,
        help_text="Draft rounds that were drawn from what changes (`draft_out_of_date`).",
    )
    publication = DocumentField(
        PublicationChange,
        help_text=(
            "Number of the publication before and after the change. `under_review`: nothing is "
            "published until a director has decided about a finished play-off or a cut."
        ),
    )
    digest = serializers.CharField(
        help_text=(
            "Digest of this preview; send it as `previewed` of the PUT that saves the change."
        )
    )


@writing(
    "preview_hand",
    "POST",
    PreviewSerializer,
    HandChangeSerializer,
    status=200,
    parameters=(IF_MATCH,),
    act="enter_hand",
)
def preview_hand(
    request: Request, club: str, event: str, code: str, number: int
) -> HttpResponseBase:
    """The effect of correcting, undoing, deleting or restoring a hand; nothing is stored.

    `If-Match` names the revision that you read. A change that could not be saved is refused here.
    """
    allow_only(request)
    actor = known_caller(request)
    game = game_at_address(actor, club, event, code)
    based_on = revision_matched(request, game, number)
    hand = hand_of(table_sheet(game.event, code), number)
    body = sent_hand(HandChangeSerializer, request, actor, game, number)
    change = _change(actor, game, hand, body, based_on)
    hand_preview = preview(HandRef(game.event, code, number), change, now=timezone.now())
    return Response({**hand_preview.as_json(), "digest": hand_preview.digest})


def _change(
    actor: Actor, game: Game, hand: HandView, body: JsonObject, based_on: int
) -> Callable[[], object]:
    act = body.get("act", "")
    if act == "correct":
        return lambda: as_recorded(actor, game, body, key=None, based_on=based_on)
    reason = body.get("reason", "")
    if problems := tuple(reason_problems(reason)):
        raise Refused(*problems)
    if act == "void":
        return lambda: void_hand(
            Operation(actor, timezone.now()),
            game,
            number=hand.number,
            based_on=based_on,
            reason=reason,
        )
    restored = based_on - 1 if act == "undo" and hand.state != "void" else based_on
    return lambda: record_entry(
        Operation(actor, timezone.now()),
        game,
        number=hand.number,
        entry=_entry_of(hand, restored),
        source="api",
        based_on=based_on,
        reason=reason,
    )


def _entry_of(hand: HandView, revision: int) -> Mapping[str, object]:
    """Return the content of a revision; before the first one there is nothing."""
    entries: Sequence[Mapping[str, Any]] = [
        earlier.entry for earlier in hand.revisions if earlier.number == revision
    ]
    if not entries:
        raise Refused(Problem("nothing_to_undo", ("act",), {"hand": hand.number}))
    return entries[0]
