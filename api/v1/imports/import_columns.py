"""The columns of a file that an import asks about, and the mappings that a club stores."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from api.lists import Flat
from api.query_parameters import choice_parameter
from api.resources import ResourceViewSet, reads, writes
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import (
    BooleanField,
    DayField,
    NumberOrTextField,
    TextField,
    WordField,
)
from api.serializers.strict_serializers import BodiesField, StrictSerializer
from api.v1.fields import MomentField, StringListField
from api.v1.imports.import_batches import AtImportViewSet, ImportDetailSerializer
from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict, JsonObject
from tournaments.documents.read.column_plan import (
    CELLS,
    MOST_COLUMNS,
    ColumnPlan,
    labels_of,
    plan_from,
)
from tournaments.documents.read.columns import column_meanings
from tournaments.documents.read.readings import Reading
from tournaments.documents.read.ways import KEYS, key_of_plan, ways_in, with_ways
from tournaments.errors import Conflict
from tournaments.models.clubs import Club
from tournaments.models.events import Event
from tournaments.models.imports import (
    DATES,
    HANDS,
    IGNORE,
    NAMES,
    PLAYER,
    SEATS,
    BatchState,
    ColumnMap,
    ImportBatch,
    Upload,
)
from tournaments.selectors import imports
from tournaments.services.imports import column_mappings
from tournaments.services.imports.batches import stale_batch_problem
from tournaments.services.operations import Operation

LAYOUTS: Final = (SEATS, HANDS, NAMES)
ASSIGNABLE: Final = (BatchState.MAPPING, BatchState.PREVIEW)
"""States of an import whose columns can be assigned."""

ROWS: Final = OpenApiParameter(
    "rows",
    OpenApiTypes.STR,
    enum=LAYOUTS,
    description="Layout for which columns are proposed; by default the most likely one.",
)
_ROWS_HELP: Final = (
    "Content of a row: seats (one player in one hand), hands (one hand, with a column for each "
    "player) or names (one hand, with names and points in pairs of columns)."
)
_READING_HELP: Final = (
    "How the numbers are written: `as_written`, or in ways: `round_is_hand` (the round column "
    "counts the hands of a table), `running` (running totals), `minus` (a minus marks penalty "
    "points), `empty_is_zero` (an empty cell is no points), `dash_is_zero` (a dash too) and "
    "`seat_is_place` (the column of seats has places, and is not read)."
)
SAMPLED: Final = 12
"""Number of rows of which cells are shown."""

FIRST: Final = 3
"""Number of hands that are shown of a reading."""


class FileColumnSerializer(OutputSerializer):
    """One column of a file."""

    label = serializers.CharField(  # type: ignore[assignment]  # a field of the answer
        help_text="Heading of the column, made unique among the columns."
    )
    means = serializers.CharField(help_text="Meaning; one of `meanings`.")
    player_id = serializers.CharField(
        allow_null=True, help_text="Id of the player, for a column whose heading does not name one."
    )
    sample = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text="Cells in the first rows."
    )


class ReadHandSerializer(OutputSerializer):
    """A hand as a reading of a file has it, with texts as read."""

    round = serializers.CharField()
    table = serializers.CharField()
    hand = serializers.CharField()
    players = StringListField(help_text="Headings or names of its players.")
    points = StringListField(help_text="Points of these players.")


class ReadingSerializer(OutputSerializer):
    """One of the ways in which the numbers of a file can be read."""

    reading = serializers.ChoiceField(choices=KEYS, help_text=_READING_HELP)
    hands = ReadHandSerializer(many=True, help_text="The first three hands, read so.")


class ImportColumnsSerializer(OutputSerializer):
    """The columns of a file with their meanings: assigned, from a stored mapping, or guessed."""

    rows = serializers.ChoiceField(choices=LAYOUTS, help_text=_ROWS_HELP)
    cells = serializers.CharField(
        allow_blank=True, help_text="Content of players' columns if a row is a hand; else empty."
    )
    columns = FileColumnSerializer(many=True)
    meanings = StringListField(help_text="All meanings that a column of this layout can have.")
    round = serializers.CharField(
        allow_null=True, help_text="Round of the whole file, if no column gives it."
    )
    by_dates = serializers.BooleanField(help_text="Whether each new date begins a new round.")
    table = serializers.CharField(allow_null=True)
    date = serializers.DateField(allow_null=True)
    mapping = serializers.CharField(
        allow_null=True, help_text="Stored mapping with exactly these columns; null without one."
    )
    reading = serializers.ChoiceField(
        choices=KEYS,
        allow_null=True,
        help_text="Proposed reading of the numbers; null if one of `readings` must be chosen.",
    )
    readings = ReadingSerializer(
        many=True, help_text="Readings by which the first rows are possible hands, to choose from."
    )


class AssignedColumnSerializer(StrictSerializer):
    """The meaning of a column of a file."""

    label = TextField()  # type: ignore[assignment]  # a field of the question
    means = TextField(help_text="Meaning; one of `meanings`. `ignore`: not read.")
    player_id = TextField(required=False, help_text="Id of the player of the column.")


class AssignColumnsSerializer(StrictSerializer):
    """The meanings of the columns of a file."""

    rows = WordField(choices=LAYOUTS, help_text=_ROWS_HELP)
    columns = BodiesField(
        child=AssignedColumnSerializer(),
        expected=f"a list of 1 to {MOST_COLUMNS} columns",
        min_length=1,
        max_length=MOST_COLUMNS,
        help_text="Meanings of columns; a column that is left out is not read.",
    )
    cells = WordField(
        choices=CELLS,
        required=False,
        help_text="Content of players' columns if a row is a hand; by default `points`.",
    )
    reading = WordField(
        choices=KEYS,
        required=False,
        help_text=(
            f"{_READING_HELP} Needed if the first rows of the file are no hands by the columns "
            "alone, or in several ways."
        ),
    )
    round = NumberOrTextField(
        required=False,
        help_text=(
            "Round for rows without a round column; with `by_dates` that of the first new date."
        ),
    )
    by_dates = BooleanField(left_out=False, help_text="Whether each new date begins a round.")
    table = NumberOrTextField(required=False, help_text="Table for rows without a table column.")
    date = DayField(
        required=False, allow_null=True, help_text="Date for rows without a date column."
    )


class MappingSerializer(OutputSerializer):
    """The meanings of the columns of files with certain headings, as a club stores them."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    rows = serializers.ChoiceField(choices=LAYOUTS, source="plan.rows", help_text=_ROWS_HELP)
    columns = serializers.SerializerMethodField(help_text="Meanings of the columns, by heading.")
    made_by = serializers.CharField(source="made_as")
    changed_at = MomentField()

    def get_columns(self, mapping: ColumnMap) -> dict[str, str]:
        """Return the columns by their headings."""
        return dict(mapping.plan["columns"])


class NewMappingSerializer(StrictSerializer):
    """The name of a mapping to store."""

    name = TextField(help_text="Name; a stored mapping with the same columns is renamed.")


class DeletedMappingSerializer(OutputSerializer):
    """A mapping that was deleted."""

    number = serializers.IntegerField()


def _plan(club: Club, upload: Upload, body: JsonDict) -> ColumnPlan:
    labels = labels_of(column_mappings.file_heads(upload))
    means = dict.fromkeys(labels, IGNORE) | {
        column["label"]: column["means"] for column in body["columns"]
    }
    people = {
        column["label"]: column["player_id"]
        for column in body["columns"]
        if column["player_id"] and column["means"] == PLAYER and column["label"] in labels
    }
    values_of_plan = {"round": DATES} if body["by_dates"] else {}
    plan = plan_from(
        {
            "rows": body["rows"],
            "columns": means,
            "cells": body["cells"] or CELLS[0],
            "players": column_mappings.ids_of(club, people, labels),
            "given": {**values_of_plan, "table": body["table"].strip()},
        }
    )
    ways = ways_in(body["reading"])
    if ways is None:
        return plan
    return with_ways(plan, ways)


def _in_body(problem: Problem, upload: Upload, body: JsonDict) -> Problem:
    match problem.at:
        case ("column" | "player" as kind, int(place)):
            label = labels_of(column_mappings.file_heads(upload))[place]
            at = next(
                (n for n, column in enumerate(body["columns"]) if column["label"] == label), None
            )
            if at is not None:
                member = "means" if kind == "column" else "player_id"
                return replace(problem, at=("columns", at, member))
    return problem


def _columns(event: Event, batch: ImportBatch, upload: Upload, rows: str) -> JsonObject:
    sheet_boxes = column_mappings.boxes_of(upload, event)
    proposed = column_mappings.proposed_columns(upload, event, sheet_boxes, rows)
    plan = proposed.plan
    round_ = upload.given.get("round") or imports.likely_round(batch, upload.day)
    return {
        "rows": plan.rows,
        "cells": plan.cells,
        "columns": [
            {
                "label": label,
                "means": means,
                "player_id": plan.players.get(label) or None,
                "sample": [str(row[index]) for row in upload.sample[:SAMPLED] if index < len(row)],
            }
            for index, (label, means) in enumerate(plan.columns)
        ],
        "meanings": list(column_meanings(plan.rows, sheet_boxes, len(plan.columns))),
        "round": str(round_),
        "by_dates": plan.given.get("round") == DATES,
        "table": upload.given.get("table") or plan.given.get("table") or None,
        "date": upload.day,
        "mapping": proposed.mapping or None,
        "reading": None if proposed.readings else key_of_plan(plan),
        "readings": [_reading(reading) for reading in proposed.readings],
    }


def _reading(reading: Reading) -> JsonObject:
    return {
        "reading": reading.key,
        "hands": [
            {
                "round": hand.round,
                "table": hand.table,
                "hand": hand.number,
                "players": list(hand.names),
                "points": list(hand.points),
            }
            for hand in reading.hands[:FIRST]
        ],
    }


class ColumnsViewSet(AtImportViewSet):
    """The columns of an import's file."""

    is_single = True
    resource = ("import_columns", "import_columns")
    serializer_class = ImportColumnsSerializer
    retrieve = reads("The columns of an import's file; only in state `mapping` or `preview`.", ROWS)
    submit = writes(
        column_mappings.map_columns,
        AssignColumnsSerializer,
        name="map_import_columns",
        status=202,
        answer=ImportDetailSerializer,
    )

    def get_object(self) -> tuple[ImportBatch, Upload, str]:
        """Return the import, its file, and the layout that is asked for."""
        rows = choice_parameter(self.request, "rows", LAYOUTS)
        batch = self.get_batch()
        upload = imports.file_of(batch)
        if upload is None or batch.state not in ASSIGNABLE:
            raise Conflict(stale_batch_problem(batch))
        return batch, upload, rows

    def get_row(self, result: tuple[ImportBatch, Upload, str]) -> JsonObject:
        return _columns(self.parent, *result)

    def perform_submit(self, op: Operation, body: JsonDict) -> ImportBatch:
        batch, upload, _rows = self.get_object()
        try:
            column_mappings.map_columns(
                op,
                batch,
                upload=upload,
                plan=_plan(self.parent.club, upload, body),
                values={key: body[key] for key in ("round", "table")},
                day=body["date"],
                is_told=bool(body["reading"]),
            )
        except Refused as refused:
            problems = (_in_body(problem, upload, body) for problem in refused.problems)
            raise Refused(*problems) from refused
        return self.get_batch()


class NewMappingViewSet(AtImportViewSet):
    """The mapping that a club stores from an import."""

    is_single = True
    resource = ("mapping", "mappings")
    serializer_class = MappingSerializer
    location_text = ResourceViewSet.location_text
    submit = writes(column_mappings.store_mapping, NewMappingSerializer, status=201)

    def get_object(self) -> Upload:
        batch = self.get_batch()
        upload = imports.file_of(batch)
        if upload is None or not imports.may_keep_mapping(batch, upload):
            raise Conflict(stale_batch_problem(batch))
        return upload

    def get_location(self, result: object) -> str:
        return reverse("list_mappings", args=(self.kwargs["club"],))


class MappingViewSet(ResourceViewSet):
    """The column mappings of a club, the last changed one first; for callers who may import."""

    resource, read_right = ("mapping", "mappings"), imports.RIGHT
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    serializer_class = MappingSerializer
    ordering = ("-changed_at", "-number")
    row_selector = staticmethod(imports.map_at)
    rows_selector = staticmethod(imports.maps_of)
    destroy = writes(column_mappings.delete_mapping, None, answer=DeletedMappingSerializer)

    def get_lines(self, row: Flat) -> Sequence[Flat]:
        return ({**row, "columns": "; ".join(map(": ".join, sorted(row["columns"].items())))},)
