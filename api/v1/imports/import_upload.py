"""Import a file of sheets: upload, confirm, discard, undo, start again."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from api.idempotency import Steps, json_answer
from api.lists import Filter, limited
from api.problems import BadRequest
from api.resources import creates, performs, reads
from api.serializers.fast_serialization import OutputSerializer, plain
from api.serializers.strict_fields import (
    ChoiceTextField,
    StrictField,
    TextField,
    TextListField,
    UploadField,
    bad_choice,
)
from api.serializers.strict_serializers import StrictSerializer, validated
from api.v1.imports.import_batches import (
    AtImportViewSet,
    ImportDetailSerializer,
    ImportProblemSerializer,
    ImportSerializer,
)
from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from tournaments.documents.read.apply_plan import NotMapped, PlanRequest
from tournaments.documents.read.csv import WIDEST_ROW, Unreadable, run_steps
from tournaments.documents.read.source_file import MOST_BYTES as MOST_UNFOLDED
from tournaments.documents.read.source_file import unfolded_size
from tournaments.documents.read.totals import MOST_ROWS as MOST_OF_TOTALS
from tournaments.documents.read.ways import KEYS
from tournaments.models.imports import BatchState, Holds, ImportBatch
from tournaments.selectors import imports
from tournaments.services.imports.answer_alike import answer_alike
from tournaments.services.imports.import_file import import_steps
from tournaments.services.imports.import_sheets import CLOSING, ImportRequest
from tournaments.services.imports.resolve_people import add_unknown_players, take_likely_people
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.undo import request_undo
from tournaments.services.imports.uploads import (
    LARGEST,
    confirm_upload,
    discard_upload,
    retry_upload,
    store_upload,
)
from tournaments.services.operations import Operation

AT_ONCE: Final = 1024 * 1024
"""Bytes of a file that is imported while its sender waits; a worker imports a larger one."""

_YES_NO: Final = {"true": True, "1": True, "false": False, "0": False, "": False}
_GIVEN: Final = ("reading", "round", "table")

_IMPORT: Final = """\
Import a file of sheets, or with `dry_run` only report on it.

With `holds=totals` the file has the totals of whole games. The report lists all problems at
once; those that need a person are resolved afterwards. Sending a file again imports no hand
twice. Unknown columns of hands are read with a mapping that the club stored for the headings.
A larger file, or a spreadsheet that unfolds to more, is stored and imported in the background:
the answer is 202 with the address of the import; a dry run ends there in state `preview`. With
`background` that is so for a small file too, and a file whose columns are not understood waits in
state `mapping`."""


class YesNoField(StrictField, serializers.BooleanField):
    """Yes or no, as the field of a form."""

    takes_null = True

    def to_internal_value(self, data: Any) -> object:
        flag = _YES_NO.get(data.lower())
        if flag is None:
            raise Refused(Problem("bad_flag", (), {"field": self.field_name}))
        return flag


class HoldsField(ChoiceTextField):
    """The content of a file; hands by default."""

    takes_null = True

    def to_internal_value(self, data: object) -> object:
        if data and data not in Holds.values:
            raise bad_choice(self, data, Holds.values)
        return data


class ReadingField(ChoiceTextField):
    """How the numbers of a file are written."""

    takes_null = True

    def to_internal_value(self, data: object) -> object:
        if data and data not in KEYS:
            raise bad_choice(self, data, KEYS)
        return data or None


class FormTextField(StrictField, serializers.CharField):
    """The text of a field of a form."""

    takes_null = True


class PlainTextField(FormTextField):
    """The text of a field of a form, in small letters."""

    def to_internal_value(self, data: Any) -> Any:
        return data.lower()


class SheetFile(StrictSerializer):
    """A file of sheets."""

    order = ("background", "dry_run", "file", "hidden", "holds", "sheet", *_GIVEN)

    file = UploadField(
        help_text=f"The file, at most {LARGEST // 1024 // 1024} MB and {WIDEST_ROW} columns; a "
        f"spreadsheet unpacks to at most {MOST_UNFOLDED // 1024 // 1024} MB, and a file of totals "
        f"has at most {MOST_OF_TOTALS} rows. Up to {AT_ONCE // 1024} kB the answer is the report; "
        "for a larger file it is 202 with the address of the import."
    )
    background = YesNoField(
        required=False,
        help_text="Whether to answer 202 for a small file too. If its columns are not understood, "
        "the import waits in state `mapping` for `POST …/columns`; without `background` the answer "
        "is 422 (`unknown_heads`), and nothing is stored.",
    )
    dry_run = YesNoField(required=False, help_text="Whether to report only and store nothing.")
    hidden = YesNoField(
        required=False,
        help_text="Whether hidden sheets and rows of a spreadsheet are read too. Without it the "
        "report names them.",
    )
    holds = HoldsField(
        choices=Holds.choices,
        required=False,
        help_text=(
            "Content of the file: `hands` (the default), or `totals` of whole games: one row per "
            "game (`round`, `table`, `player 1`, `score 1` …), or one row per player or side; "
            "`auto`: as the file looks."
        ),
    )
    sheet = FormTextField(
        required=False,
        help_text="Name of the sheet of a spreadsheet to read, if it is not the one that looks "
        "like the contents.",
    )
    reading = ReadingField(
        choices=KEYS,
        required=False,
        help_text="How the numbers are written, instead of as the club's mapping has it; see the "
        "columns of an import.",
    )
    round = PlainTextField(required=False, help_text="Round, for a mapping without a round column.")
    table = PlainTextField(required=False, help_text="Table, for a mapping without a table column.")

    def body_problems(self, body: Mapping[str, object]) -> Iterator[Problem]:
        if body.get("holds") == Holds.TOTALS:
            expected = ", ".join(member for member in self.order if member not in _GIVEN)
            for name in (member for member in _GIVEN if body.get(member) is not None):
                yield Problem("unknown_member", (name,), {"found": name, "expected": expected})


class ReportSerializer(OutputSerializer):
    """The report on a file: its content, and the result of its import."""

    file = serializers.CharField()
    dry_run = serializers.BooleanField()
    rows = serializers.IntegerField()
    hands = serializers.IntegerField()
    accepted = serializers.IntegerField(
        help_text="Number of hands that are, or would be, in the event."
    )
    already = serializers.IntegerField(
        help_text="Number of these hands that were in the event before, with the same content."
    )
    problems = ImportProblemSerializer(many=True)
    mapping = serializers.CharField(
        required=False, help_text="Name of the club's mapping by which the columns were read."
    )


class UnknownPeopleSerializer(StrictSerializer):
    """The unknown people of a file to add to the club."""

    names = TextListField(
        left_out=None, help_text="Names of those to add; without it all of them are added."
    )


class LikelyPeopleSerializer(StrictSerializer):
    """The names of a file that are the players whom they are likely short for."""

    names = TextListField(
        left_out=None, help_text="Names that are; without it all of them, each its likely player."
    )


class AlikeAnswerSerializer(StrictSerializer):
    """One answer to all open problems of one code."""

    code = TextField(help_text="Code of the problems, as in `which_round`.")
    answer = TextField(
        help_text="Key of the answer: one of those that `alike` of the import has for the code."
    )
    reason = TextField(
        required=False, help_text="One sentence, for `leave_out` and `use_file`; both need it."
    )


class DiscardedImportSerializer(OutputSerializer):
    """An import that was discarded; no other import of the event gets its number."""

    number = serializers.IntegerField()


def _name(file: UploadedFile[Any]) -> str:
    return (file.name or "").replace("\0", "")[:255]


def _is_for_a_worker(file: UploadedFile[Any]) -> bool:
    """Whether a file takes too long to import while its sender waits.

    One that unfolds to more than can be read is refused at once.
    """
    if (file.size or 0) > AT_ONCE:
        return True
    return AT_ONCE < unfolded_size(file) <= MOST_UNFOLDED


def _fingerprint(request: Request) -> bytes:
    file = request.FILES.get("file")
    digest = hashlib.sha256(str(sorted(request.POST.items())).encode())
    if isinstance(file, UploadedFile):
        digest.update(_name(file).encode())
        for chunk in file.chunks():
            digest.update(chunk)
        file.seek(0)
    return digest.digest()


class ImportViewSet(AtImportViewSet):
    """The imports of an event, the newest first, for those who may import."""

    resource = ("import", "imports")
    lookup_url_kwarg = lookup_value_converter = "number"
    serializer_class, detail_serializer_class = ImportSerializer, ImportDetailSerializer
    ordering = ("-number",)
    columns = (
        *("number", "file", "state", "rows", "hands", "accepted", "added", "problems", "waiting"),
        *("error", "made_by", "started_at", "ended_at"),
    )
    filters = (Filter("state", "Only imports in this state.", BatchState.values),)
    retrieve = reads("One import: its state and progress, and its result once it is finished.")
    create = creates(
        store_upload,
        SheetFile,
        name="import_sheets",
        text=_IMPORT,
        status=200,
        answer=ReportSerializer,
        later=ImportSerializer,
        is_in_steps=True,
        parser=MultiPartParser,
        fingerprint=_fingerprint,
    )
    confirm = performs(confirm_upload, "confirm", name="confirm_import", status=202)
    discard = performs(
        discard_upload, "discard", name="discard_import", answer=DiscardedImportSerializer
    )
    players = performs(
        add_unknown_players,
        "players",
        name="add_import_players",
        body=UnknownPeopleSerializer,
        status=202,
    )
    likely = performs(
        take_likely_people,
        "likely",
        name="take_likely_players",
        body=LikelyPeopleSerializer,
        status=202,
    )
    answers = performs(
        answer_alike,
        "answers",
        name="answer_import_problems",
        body=AlikeAnswerSerializer,
        status=202,
    )
    undo = performs(request_undo, "undo", name="undo_import", status=202)
    again = performs(retry_upload, "again", name="restart_import", status=202)

    def get_queryset(self, state: str = "") -> QuerySet[ImportBatch]:
        return limited(imports.batches_with_progress(self.parent), state=state)

    def get_object(self) -> ImportBatch:
        return self.get_batch()

    def get_row(self, result: ImportBatch) -> ImportBatch:
        if self.action == "retrieve":
            return result
        return self.get_batch()

    def get_body(self, shape: type[StrictSerializer]) -> JsonDict:
        if shape is not SheetFile:
            return super().get_body(shape)
        files, texts = self.request.FILES, self.request.POST
        form = {**dict.fromkeys(files), **texts.dict(), "file": files.get("file")}
        fields = validated(self.request, shape, form)
        if (fields["file"].size or 0) > LARGEST:
            raise BadRequest(Problem("too_large", ("file",), {"most": LARGEST}), status=413)
        return fields

    def perform_players(self, op: Operation, body: JsonDict) -> ImportBatch:
        batch = self.get_batch()
        add_unknown_players(op, batch, names=body["names"])
        return self.get_batch()

    def perform_likely(self, op: Operation, body: JsonDict) -> ImportBatch:
        batch = self.get_batch()
        take_likely_people(op, batch, names=body["names"])
        return self.get_batch()

    def perform_answers(self, op: Operation, body: JsonDict) -> ImportBatch:
        batch = self.get_batch()
        answer_alike(op, batch, code=body["code"], answer=body["answer"], reason=body["reason"])
        return self.get_batch()

    def perform_create(self, op: Operation, body: JsonDict) -> Steps:
        address = self.kwargs
        target = find_target(actor=op.actor, club=address["club"], event=address["event"])
        file = body["file"]
        dry_run = bool(body.get("dry_run"))
        holds = Holds(body.get("holds") or Holds.HANDS)
        values = {key: body[key] for key in _GIVEN if body.get(key) is not None}
        sheet = body.get("sheet") or ""
        reads_hidden = bool(body.get("hidden"))
        if body.get("background") or _is_for_a_worker(file):
            yield
            batch = store_upload(
                op,
                self.parent,
                name=_name(file),
                content=file.read(),
                values=values,
                is_confirmed=not dry_run,
                holds=holds,
                sheet=sheet,
                hidden=reads_hidden,
            )
            row = plain(ImportDetailSerializer)(self.get_queryset().get(pk=batch.pk))
            answer = json_answer(row, status=202)
            answer["Location"] = self.get_location(batch)
            return answer
        with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
            path = Path(folder) / "sheets"
            path.write_bytes(file.read())
            plan = PlanRequest(values=values)
            upload = ImportRequest(
                path=path,
                name=_name(file),
                dry_run=dry_run,
                wanted=plan,
                sheet=sheet,
                reads_hidden=reads_hidden,
            )
            try:
                steps = import_steps(op, target, upload, holds)
                while next(steps) != CLOSING:
                    pass
                yield
                report = run_steps(steps)
            except NotMapped as fault:
                raise Refused(fault.problem) from fault
            except Unreadable as fault:
                raise Refused(Problem("unreadable_file", ("file",), {"why": str(fault)})) from fault
        return json_answer(report.as_json())
