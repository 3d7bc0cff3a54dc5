"""The columns of a file that an import asks about, and the mappings that a club stores."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema_field
from rest_framework import serializers

from api.lists import Flat
from api.query_parameters import choice_parameter
from api.resources import ResourceViewSet, creates, reads, writes
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
from scoring.errors import Problem, Refused, shown
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
from tournaments.domain.name_matching import folded
from tournaments.errors import Conflict, refuse_any
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
    "points), `empty_is_zero` (an empty cell means no points), `dash_is_zero` (a dash too) and "
    "`seat_is_place` (the column of seats has places, and is not read)."
)
SAMPLED: Final = 12
"""Number of rows of which cells are shown."""

FIRST: Final = 3
"""Number of hands that are shown of a reading."""
_CELLS_HELP: Final = "Content of players' columns if a row is a hand; by default `points`."
_NAME_HELP: Final = "Name; a stored mapping with the same columns gets it."
_SO_MANY_COLUMNS: Final = f"a list of 1 to {MOST_COLUMNS} columns"


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
        expected=_SO_MANY_COLUMNS,
        min_length=1,
        max_length=MOST_COLUMNS,
        help_text="Meanings of columns; a column that is left out is not read.",
    )
    cells = WordField(choices=CELLS, required=False, help_text=_CELLS_HELP)
    reading = WordField(
        choices=KEYS,
        required=False,
        help_text=(
            f"{_READING_HELP} Needed if the columns alone make no hands "
            "of the first rows of the file, or in several ways."
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
    keeps_names = BooleanField(
        left_out=False,
        help_text="Whether the club keeps that the headings of columns are names of the players of "
        "`player_id`: next time nobody is asked. The answer of a host is proposed to the "
        "directors. A seat, a number or a usual heading is not kept.",
    )


class MappingSerializer(OutputSerializer):
    """The meanings of the columns of files with certain headings, as a club stores them."""

    number = serializers.IntegerField()
    name = serializers.CharField()
    rows = serializers.ChoiceField(choices=LAYOUTS, source="plan.rows", help_text=_ROWS_HELP)
    columns = serializers.SerializerMethodField(help_text="Meanings of the columns, by heading.")
    cells = serializers.SerializerMethodField(
        help_text="Content of players' columns if a row is a hand; else empty."
    )
    reading = serializers.SerializerMethodField(
        help_text="How the numbers of these files are written, beside the meanings of the columns."
    )
    players = serializers.SerializerMethodField(
        help_text="Ids of the players of columns whose headings do not name them, by heading."
    )
    by_dates = serializers.SerializerMethodField(help_text="Whether each new date begins a round.")
    table = serializers.SerializerMethodField(
        help_text="Table of every such file; null if a column gives it, or each file."
    )
    made_by = serializers.CharField(source="made_as")
    changed_at = MomentField()

    def get_columns(self, mapping: ColumnMap) -> dict[str, str]:
        """Return the columns by their headings."""
        return dict(mapping.plan["columns"])

    def get_cells(self, mapping: ColumnMap) -> str:
        """Return the content of players' columns."""
        return str(mapping.plan.get("cells", ""))

    @extend_schema_field(serializers.ChoiceField(choices=KEYS))
    def get_reading(self, mapping: ColumnMap) -> str:
        """Return the key of the reading."""
        return key_of_plan(plan_from(mapping.plan))

    def get_players(self, mapping: ColumnMap) -> dict[str, str]:
        """Return the ids of players by the headings of their columns."""
        return dict(mapping.plan.get("players", {}))

    def get_by_dates(self, mapping: ColumnMap) -> bool:
        """Return whether rounds are counted by dates."""
        return bool(mapping.plan.get("given", {}).get("round") == DATES)

    @extend_schema_field(serializers.CharField(allow_null=True))
    def get_table(self, mapping: ColumnMap) -> str | None:
        """Return the table of every file."""
        return mapping.plan.get("given", {}).get("table") or None


class ImportMappingSerializer(StrictSerializer):
    """The name of a mapping to store."""

    name = TextField(help_text=_NAME_HELP)


class NewMappingSerializer(StrictSerializer):
    """A mapping to store without a file."""

    name = TextField(help_text=_NAME_HELP)
    rows = WordField(choices=LAYOUTS, help_text=_ROWS_HELP)
    columns = BodiesField(
        child=AssignedColumnSerializer(),
        expected=_SO_MANY_COLUMNS,
        min_length=1,
        max_length=MOST_COLUMNS,
        help_text="Meanings of all columns of these files, with their headings as labels; `ignore` "
        "for a column that is not read.",
    )
    cells = WordField(choices=CELLS, required=False, help_text=_CELLS_HELP)
    reading = WordField(choices=KEYS, required=False, help_text=_READING_HELP)
    by_dates = BooleanField(left_out=False, help_text="Whether each new date begins a round.")
    table = NumberOrTextField(
        required=False, help_text="Table of every such file, if it has no column for it."
    )


class DeletedMappingSerializer(OutputSerializer):
    """A mapping that was deleted."""

    number = serializers.IntegerField()


def _plan(club: Club, labels: Sequence[str], body: JsonDict) -> ColumnPlan:
    """Return the plan that a body assigns to columns with these labels."""
    refuse_any(list(_label_problems(body["columns"])))
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


def _label_problems(columns: Sequence[JsonDict]) -> Iterator[Problem]:
    """Yield a problem for each column without a label, or with that of another one."""
    labels: set[str] = set()
    for at, column in enumerate(columns):
        label = folded(column["label"])
        facts = {"field": "label", "found": shown(column["label"])}
        place = ("columns", at, "label")
        if not column["label"].strip():
            yield Problem("bad_mapping", place, {**facts, "expected": "the heading of a column"})
        elif label in labels:
            yield Problem("bad_mapping", place, {**facts, "expected": "each column once"})
        labels.add(label)


def _in_body(problem: Problem, labels: Sequence[str], body: JsonDict) -> Problem:
    match problem.at:
        case ("column" | "player" as kind, int(place)):
            label = labels[place]
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
        labels = labels_of(column_mappings.file_heads(upload))
        try:
            column_mappings.map_columns(
                op,
                batch,
                upload=upload,
                plan=_plan(self.parent.club, labels, body),
                values={key: body[key] for key in ("round", "table")},
                day=body["date"],
                is_told=bool(body["reading"]),
                keeps_names=body["keeps_names"],
            )
        except Refused as refused:
            problems = (_in_body(problem, labels, body) for problem in refused.problems)
            raise Refused(*problems) from refused
        return self.get_batch()


class ImportMappingViewSet(AtImportViewSet):
    """The mapping that a club stores from an import."""

    is_single = True
    resource = ("mapping", "mappings")
    serializer_class = MappingSerializer
    location_text = ResourceViewSet.location_text
    submit = writes(column_mappings.store_mapping, ImportMappingSerializer, status=201)

    def get_object(self) -> Upload:
        batch = self.get_batch()
        upload = imports.file_of(batch)
        if upload is None:
            raise Conflict(Problem("import_without_file", facts={"number": batch.number}))
        return upload

    def get_location(self, result: Any) -> str:
        mapping: ColumnMap = result
        return reverse("read_mapping", args=(self.kwargs["club"], mapping.number))


class MappingViewSet(ResourceViewSet):
    """The column mappings of a club, the last changed one first; for callers who may import."""

    resource, read_right = ("mapping", "mappings"), imports.RIGHT
    lookup_field = "number"
    lookup_url_kwarg, lookup_value_converter = "number", "number"
    serializer_class = MappingSerializer
    ordering = ("-changed_at", "-number")
    row_selector = staticmethod(imports.map_at)
    rows_selector = staticmethod(imports.maps_of)
    create = creates(column_mappings.save_mapping, NewMappingSerializer, name="create_mapping")
    retrieve = reads("One column mapping of the club, for callers who may import.")
    destroy = writes(column_mappings.delete_mapping, None, answer=DeletedMappingSerializer)

    def perform_create(self, op: Operation, body: JsonDict) -> ColumnMap:
        labels = [column["label"] for column in body["columns"]]
        try:
            plan = _plan(self.parent, labels, body)
            return column_mappings.save_mapping(op, self.parent, name=body["name"], plan=plan)
        except Refused as refused:
            problems = (_in_body(problem, labels, body) for problem in refused.problems)
            raise Refused(*problems) from refused

    def get_lines(self, row: Flat) -> Sequence[Flat]:
        lists = {}
        for key in ("columns", "players"):
            lists[key] = "; ".join(f"{name}: {text}" for name, text in sorted(row[key].items()))
        return ({**row, **lists},)
