"""Imports of an event: the files, their progress and their problems."""

import json
from collections.abc import Sequence
from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import caller
from api.lists import Flat, csv_response
from api.media_types import XLSX
from api.openapi import reading
from api.resources import ResourceViewSet
from api.serializers.fast_serialization import OutputSerializer
from api.v1.fields import IntegerListField, StringListField
from tournaments.documents.sheet_files import sheet_lines
from tournaments.documents.workbooks import sheets_book
from tournaments.domain.imports.alike import alike_findings
from tournaments.errors import Missing, first_or_missing
from tournaments.models.events import Event
from tournaments.models.imports import BatchState, ImportBatch, ProblemState, UndoneHand
from tournaments.policy import Actor
from tournaments.selectors import imports
from tournaments.selectors.events.events import get_event
from tournaments.selectors.imports import lost_criteria
from tournaments.selectors.jobs.queue import get_import_progress
from tournaments.services.operations import require

GOING_ON: Final = (BatchState.READING, BatchState.RUNNING, BatchState.UNDOING)
"""States that a worker, or a command, ends."""


class ImportSerializer(OutputSerializer):
    """One file that was imported into an event, and its progress."""

    number = serializers.IntegerField(help_text="Number of the import within the event.")
    file = serializers.CharField(source="file_name", help_text="File name.")
    state = serializers.ChoiceField(
        choices=BatchState.choices,
        help_text=(
            "State of the import. A dry run goes from reading to preview (checked, nothing is "
            "stored in the event), an import from running to done, an undo from undoing to undone. "
            "At mapping it waits until the columns of the file are assigned (`…/columns`)."
        ),
    )
    rows_done = serializers.IntegerField(
        source="upload.rows_done",
        default=None,
        allow_null=True,
        help_text="Number of processed rows; null if the file is not stored.",
    )
    rows_total = serializers.IntegerField(
        source="upload.rows_total",
        default=None,
        allow_null=True,
        help_text="Number of rows; 0 until it is known, null if the file is not stored.",
    )
    rows = serializers.IntegerField(
        help_text="Number of rows in the report; set once the whole file has been read."
    )
    hands = serializers.IntegerField()
    accepted = serializers.IntegerField(
        help_text="Number of hands that are, or would be, in the event."
    )
    added = serializers.IntegerField(help_text="Number of these hands that are new with this file.")
    problems = serializers.IntegerField(
        source="n_problems", help_text="Number of problems found; `…/problems` lists them."
    )
    waiting = serializers.IntegerField(
        source="n_open", help_text="Number of problems that somebody still has to resolve."
    )
    error = serializers.SerializerMethodField(
        help_text=(
            "Reason why reading, importing or undoing the file stopped early; null otherwise."
        )
    )
    made_by = serializers.CharField(source="made_as")
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_error(self, batch: ImportBatch) -> str | None:
        """Return why the work on the file ended too early."""
        upload = getattr(batch, "upload", None)
        return (upload.error if upload is not None else "") or imports.why_not_undone(batch) or None


class ImportOutlineSerializer(OutputSerializer):
    """Evenings, tables and rounds that an import would fill or create."""

    evenings = serializers.ListField(child=serializers.DateField(), help_text="Dates of evenings.")
    new_evenings = serializers.ListField(
        child=serializers.DateField(), help_text="Those of them that the event does not have yet."
    )
    tables = serializers.IntegerField(help_text="Number of tables that would get hands.")
    new_tables = serializers.IntegerField(
        help_text="Number of those of them that the event does not have yet."
    )
    new_rounds = IntegerListField(help_text="Numbers of rounds that would be created.")
    rounds = IntegerListField(help_text="Existing rounds that would get hands.")
    loses_places = serializers.BooleanField(
        help_text="Whether players have no place after the import: the standings need the number "
        "of hands, and games of the file do not have it."
    )
    lost_tie_breaks = StringListField(
        help_text="Keys of the event's tie-breaks that the import would make ineffective."
    )


class AlikeProblemsSerializer(OutputSerializer):
    """The open problems of one code, which can be answered alike."""

    code = serializers.CharField()
    problems = serializers.IntegerField(help_text="Number of open problems.")
    answers = StringListField(
        help_text="Keys of the answers that fit all of them, for `POST …/answers`."
    )


class ImportDetailSerializer(ImportSerializer):
    """One import, with its outline and whether it is finished."""

    outline = serializers.SerializerMethodField(
        help_text="Evenings, tables and rounds of the file in state `preview`; otherwise null."
    )

    @extend_schema_field(ImportOutlineSerializer(allow_null=True))
    def get_outline(self, batch: ImportBatch) -> dict[str, object] | None:
        """Return the evenings, tables and rounds of a file before its import."""
        upload = getattr(batch, "upload", None)
        if upload is None or not upload.outline or batch.state != BatchState.PREVIEW:
            return None
        keys = ("evenings", "tables", "new_rounds", "rounds")
        values = {key: upload.outline[key] for key in keys}
        values["new_evenings"] = upload.outline.get("new_evenings", [])
        values["new_tables"] = upload.outline.get("new_tables", 0)
        return {
            **values,
            "loses_places": imports.loses_places(batch.event, upload.outline),
            "lost_tie_breaks": list(lost_criteria(batch.event, upload.outline)),
        }

    alike = serializers.SerializerMethodField(
        help_text="Open problems by code, with the answers that can be given to all of one code. "
        "Unknown names are not among them: `…/likely` and `…/players` answer these."
    )

    @extend_schema_field(AlikeProblemsSerializer(many=True))
    def get_alike(self, batch: ImportBatch) -> list[dict[str, object]]:
        """Return the kinds of open problems with the answers that fit all of a kind."""
        return [
            {"code": kind.code, "problems": kind.n, "answers": kind.answers}
            for kind in alike_findings(imports.problems_in_order(batch), least=1)
        ]

    finished = serializers.SerializerMethodField(
        help_text="Whether the work is over. Counts and problems then no longer change."
    )

    def get_finished(self, batch: ImportBatch) -> bool:
        """Return whether the work on the file is over, or was given up."""
        progress = get_import_progress(batch.pk)
        return bool(progress.fault) or not (progress.is_behind or batch.state in GOING_ON)

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_error(self, batch: ImportBatch) -> str | None:
        """Return why the work has ended too early, the workers' own fault included."""
        return super().get_error(batch) or get_import_progress(batch.pk).fault or None


class FilePlaceSerializer(OutputSerializer):
    """A place in a file: a row of a sheet, or a column where players are rows."""

    sheet = serializers.CharField(allow_blank=True, help_text="Name of the sheet; empty for text.")
    row = serializers.IntegerField(allow_null=True, help_text="Row from 1.")
    column = serializers.CharField(allow_null=True, help_text="Letters of the column.")


class ImportProblemSerializer(OutputSerializer):
    """One mistake of a file."""

    lines = IntegerListField(
        help_text="Line numbers of the table that was read; 1 is the header. They are those of the "
        "file, unless there are `places`."
    )
    places = FilePlaceSerializer(
        many=True,
        help_text="Places of the lines in the file, where sheets were joined, or tables side by "
        "side or below each other are read as one.",
    )
    round = serializers.IntegerField(allow_null=True)
    table = serializers.IntegerField(allow_null=True)
    hand = serializers.IntegerField(allow_null=True)
    code = serializers.CharField()
    found = serializers.CharField(allow_null=True, allow_blank=True)
    expected = serializers.CharField(allow_null=True, allow_blank=True)
    message = serializers.CharField()
    suggestion = serializers.CharField(allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        kinds = serializers.CharField(help_text="Class: accept-note, ask, reject or skip.")
        return {**super().get_fields(), "class": kinds}


class UndoneHandSerializer(OutputSerializer):
    """A hand that the undoing of an import removed, as it was entered."""

    round = serializers.IntegerField()
    table = serializers.IntegerField()
    hand = serializers.IntegerField(source="number", help_text="Number; 0: a sheet of totals only.")
    date = serializers.DateField(source="day", allow_null=True)
    variant = serializers.CharField(source="snapshot.variant")
    state = serializers.CharField(help_text="State before the removal: accepted, disputed or void.")
    players = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="Ids of the players by seat, clockwise; empty where nobody was named.",
    )
    revisions = serializers.ListField(
        child=serializers.DictField(),
        help_text=(
            "Entries of the hand, the first one first, with `entry` as entered, `moon`, `reason`, "
            "`note`, `source`, `import`, `entered_by`, `entered_at`; the last one also has `board` "
            "if the hand had one."
        ),
    )


class NullableText(serializers.CharField):
    """A text, null where there is none."""

    def to_representation(self, value: str) -> Any:
        return value or None


class KeptProblemSerializer(ImportProblemSerializer):
    """One problem of an import, and its resolution."""

    position = serializers.IntegerField(help_text="Number of the problem in the import, from 1.")
    state = serializers.ChoiceField(choices=ProblemState.choices)
    reason = serializers.CharField(allow_blank=True, help_text="Reason for dismissing it.")

    def get_fields(self) -> dict[str, Any]:
        kinds = serializers.CharField(
            source="severity", help_text="Class: accept-note, ask, reject or skip."
        )
        return {**super().get_fields(), "suggestion": NullableText(allow_null=True), "class": kinds}


def importing(actor: Actor, club: str, event: str) -> Event:
    """Return an event whose imports the actor may see; otherwise they seem not to exist."""
    the_event = get_event(actor, club, event)
    if not imports.may_import(the_event):
        raise Missing("import")
    require(actor, the_event.club, imports.RIGHT)
    return the_event


@reading("export_sheets_csv", media_type="text/csv", right="import_sheets", hidden_as="import")
def export_sheets(request: Request, club: str, event: str) -> HttpResponseBase:
    """Every hand that counts as CSV: one line per seat, with the columns that an import reads.

    In lines of a sheet with totals only, the column of the hand says `totals`.

    Only for those who may import, because it contains entries and full names.
    """
    the_event = importing(caller(request), club, event)
    return csv_response("".join(sheet_lines(the_event)), "sheets")


@reading("export_sheets_xlsx", media_type=XLSX, right="import_sheets", hidden_as="import")
def export_sheets_xlsx(request: Request, club: str, event: str) -> HttpResponseBase:
    """Every hand that counts as XLSX: one row per seat, with the columns that an import reads."""
    the_event = importing(caller(request), club, event)
    response = HttpResponse(sheets_book(the_event), content_type=XLSX)
    response["Content-Disposition"] = 'attachment; filename="sheets.xlsx"'
    return response


class AtImportViewSet(ResourceViewSet):
    """What belongs to an import; to those who may not import there seems to be none."""

    read_right = imports.RIGHT
    hidden_as = "import"
    location_text = "The address of the import."

    def get_parent(self) -> Event:
        event: Event = super().get_parent()
        is_sending = self.action == "create"  # then the right is missing, not the import
        if not is_sending and not imports.may_import(event):
            raise Missing("import")
        return event

    def get_batch(self) -> ImportBatch:
        number = self.kwargs["number"]
        batches = imports.batches_with_progress(self.parent).filter(number=number)
        return first_or_missing(batches, "import", **{"import": number})

    def get_location(self, result: ImportBatch) -> str:
        event = result.event
        return reverse("read_import", args=(event.club.slug, event.slug, result.number))


class UndoneHandViewSet(AtImportViewSet):
    """The hands that undoing an import removed, as they were entered; for those who may import."""

    resource = ("undone_hand", "undone_hands")
    serializer_class = UndoneHandSerializer
    ordering = ("round", "table", "number", "pk")

    def get_queryset(self) -> QuerySet[UndoneHand]:
        return imports.undone_hands(self.get_batch())

    def get_lines(self, row: Flat) -> Sequence[Flat]:
        revisions = json.dumps(row["revisions"], ensure_ascii=False)
        return ({**row, "players": " ".join(row["players"]), "revisions": revisions},)
