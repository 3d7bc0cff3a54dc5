"""Changes of a whole table over REST: previewed, saved as previewed, refused if it has changed."""

from abc import abstractmethod
from typing import Any, Final

from rest_framework import serializers

from api.lists import Flat
from api.resource_schema import IfMatch
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.typed_documents import DocumentField, DocumentListField
from api.v1.hands.hands import AtTableViewSet
from scoring.errors import Refused
from scoring.json_types import JsonDict
from tournaments.errors import Conflict
from tournaments.selectors.rounds.tables import table_seating
from tournaments.services.operations import Operation
from tournaments.services.previewing.documents import (
    BoundaryDocument,
    CutChangeDocument,
    EveningChangeDocument,
    LadderChangesDocument,
    OutdatedDraftDocument,
    PlayoffChangeDocument,
    PreviewedEvent,
    PublicationChange,
    StandingsRowsDocument,
    TableDifferenceDocument,
)
from tournaments.services.previewing.preview_changes import (
    ChangedTables,
    change_as_previewed,
    preview_players,
)

UNDO: Final = "undo"
"""The act that undoes an earlier change."""

IF_MATCH: Final = IfMatch(text="The ETag of the seats that you looked at, or `*`")


class SeatsPreviewSerializer(OutputSerializer):
    """The differences between the current results and those after the change."""

    event = DocumentField(
        PreviewedEvent,
        help_text="State of the event, and number of hands corrected since it became final.",
    )
    tables = DocumentListField(
        TableDifferenceDocument,
        help_text="Effect on each table: seats, sittings, and the numbers of changed hands.",
    )
    boundaries = DocumentListField(
        BoundaryDocument,
        help_text="Entrants who rise above (`in`) or fall below (`out`) each cut-off line.",
    )
    rows = DocumentField(
        StandingsRowsDocument, help_text="Changed rows of standings, as in the preview of a hand."
    )
    ladder = DocumentField(
        LadderChangesDocument,
        allow_null=True,
        help_text="Effect on the event's ladder, as in the preview of a hand; null without one.",
    )
    evening = DocumentField(
        EveningChangeDocument,
        allow_null=True,
        help_text="Effect on the evening of the table, as in the preview of a hand.",
    )
    playoffs = DocumentListField(PlayoffChangeDocument)
    cuts = DocumentListField(CutChangeDocument)
    drafts = DocumentListField(OutdatedDraftDocument)
    publication = DocumentField(
        PublicationChange, help_text="Number of the publication before and after the change."
    )
    digest = serializers.CharField(
        help_text=(
            "Digest of this preview; send it as `previewed` of the POST that saves the change."
        )
    )


class TableChangeViewSet(AtTableViewSet):
    """A table whose seats and hands are changed at once; each change can be previewed.

    A subclass makes the `change` of a body, and its row of what is read with the ETag (`row_of`).
    """

    is_single = True

    @abstractmethod
    def change(self, op: Operation, body: JsonDict) -> ChangedTables:
        """Make the change that a body asks for."""

    @abstractmethod
    def row_of(self, seating: Any) -> Flat:
        """Return the row of the table, of its seats and hands (`table_seating`)."""

    def save_change(self, op: Operation, body: JsonDict) -> None:
        """Make the change, with `previewed` only if its effect is still that of the preview."""
        digest = body["previewed"]
        if not digest:
            self.change(op, body)
            return
        event = self.game.event
        code = self.game.table.code
        change_as_previewed(event, code, lambda: self.change(op, body), digest=digest, now=op.now)

    def preview_change(self, op: Operation, body: JsonDict) -> JsonDict:
        event = self.game.event
        code = self.game.table.code
        reasoned = {**body, "reason": body["reason"] or "–"}
        preview = preview_players(event, code, lambda: self.change(op, reasoned), now=op.now)
        return {**preview.as_json(), "digest": preview.digest}

    def get_refusal(self, refusal: Refused | Conflict) -> Exception:
        if isinstance(refusal, Conflict) and refusal.problem.code == "seating_outdated":
            row = plain(self.serializer_class)(self.row_of(refusal.there))
            return Conflict(refusal.problem, there=row)
        return refusal

    def get_row(self, result: object) -> Flat:
        return self.row_of(table_seating(self.game.event, self.game.table.code))

    def get_tag(self, row: Flat) -> str:
        return str(row["tag"])
