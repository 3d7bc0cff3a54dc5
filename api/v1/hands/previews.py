"""The effect of a change of a hand; nothing is stored."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework.fields import empty

from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import TextField, WordField
from api.serializers.typed_documents import DocumentField, DocumentListField
from api.v1.hands.entries import EntryField, HandsField, PlayersField, RevisedHandSerializer
from scoring.errors import Problem, Refused
from tournaments.selectors.hands.score_sheet_views import HandView
from tournaments.services.previewing.documents import (
    BoundaryDocument,
    CutChangeDocument,
    EveningChangeDocument,
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

ACTS: Final = ("correct", "undo", "void", "restore")
_STAND_IN: Final = "–"
"""The reason of a preview without a reason."""


class PreviewReasonField(TextField):
    """The reason of the change. Without an entry it is not stored, so any value is accepted."""

    parent: "HandChangeSerializer"

    def run_validation(self, data: object = empty) -> object:
        if self.parent.has_entry():
            return super().run_validation(data)
        if data is not empty and data:
            return str(data)
        return _STAND_IN


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
    evening = DocumentField(
        EveningChangeDocument,
        allow_null=True,
        help_text=(
            "Effect on the table of the evening: the entrants on its first place (`first`), the "
            "number of changed places and the first 20 of them. Where the evening has the table "
            "of the event (in a knock-out or a tournament of stages), `first` are the winners of "
            "the event, and `through` says who goes on otherwise. Null without an evening, and on "
            "a ladder."
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


def entry_of(hand: HandView, revision: int) -> Mapping[str, object]:
    """Return the content of a revision; before the first one there is nothing."""
    entries: Sequence[Mapping[str, Any]] = [
        earlier.entry for earlier in hand.revisions if earlier.number == revision
    ]
    if not entries:
        raise Refused(Problem("nothing_to_undo", ("act",), {"hand": hand.number}))
    return entries[0]
