"""Import a file of sheets: upload, confirm, discard, undo, start again."""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from api.authentication import known_caller
from api.conditional_requests import location_parameter
from api.idempotency import Steps, idempotent_write, json_answer
from api.problems import BadRequest
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.strict_fields import ChoiceTextField, StrictField, UploadField, bad_choice
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from api.v1.addresses import requested_event
from api.v1.imports.import_batches import (
    ImportDetailSerializer,
    ImportProblemSerializer,
    ImportSerializer,
    accepted,
    importing,
)
from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict, JsonObject
from tournaments.documents.read.apply_plan import NotMapped, PlanRequest
from tournaments.documents.read.csv import Unreadable
from tournaments.documents.read.spreadsheets import MOST_BYTES as MOST_UNFOLDED
from tournaments.documents.read.spreadsheets import unfolded_size
from tournaments.models.imports import Holds, ImportBatch
from tournaments.selectors import imports
from tournaments.services.imports.import_results import import_results
from tournaments.services.imports.import_sheets import (
    CLOSING,
    ImportRequest,
    import_steps,
    run_steps,
)
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.undo import request_undo
from tournaments.services.imports.uploads import (
    LARGEST,
    confirm_upload,
    discard_upload,
    retry_upload,
    store_upload,
)
from tournaments.services.operations import DeclaredOperation, Operation

AT_ONCE: Final = 1024 * 1024
"""Bytes of a file that is imported while its sender waits; a worker imports a larger one."""

_YES_NO: Final = {"true": True, "1": True, "false": False, "0": False, "": False}
_GIVEN: Final = ("round", "table")

LOCATION: Final = location_parameter("The address of the import.", 202)


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


class PlainTextField(StrictField, serializers.CharField):
    """The text of a field of a form, in small letters."""

    takes_null = True

    def to_internal_value(self, data: Any) -> Any:
        return data.lower()


class SheetFile(StrictSerializer):
    """A file of sheets."""

    order = ("dry_run", "file", "holds", *_GIVEN)

    file = UploadField(
        help_text=f"The file, at most {LARGEST // 1024 // 1024} MB. Up to {AT_ONCE // 1024} kB the "
        "answer is the report; for a larger file it is 202 with the address of the import."
    )
    dry_run = YesNoField(required=False, help_text="Whether to report only and store nothing.")
    holds = HoldsField(
        choices=Holds.choices,
        required=False,
        help_text=(
            "Content of the file: `hands` (the default), or `totals` of whole games: one row per "
            "game (`round`, `table`, `player 1`, `score 1` …), or one row per player or side."
        ),
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


def _read_form(request: Request) -> JsonObject:
    files, texts = request.FILES, request.POST
    form = {**dict.fromkeys(files), **texts.dict(), "file": files.get("file")}
    fields = validated(request, SheetFile, form)
    if (fields["file"].size or 0) > LARGEST:
        raise BadRequest(Problem("too_large", ("file",), {"most": LARGEST}), status=413)
    return fields


def _name(file: UploadedFile[Any]) -> str:
    return (file.name or "").replace("\0", "")[:255]


def _fingerprint(request: Request) -> bytes:
    file = request.FILES.get("file")
    digest = hashlib.sha256(str(sorted(request.POST.items())).encode())
    if isinstance(file, UploadedFile):
        digest.update(_name(file).encode())
        for chunk in file.chunks():
            digest.update(chunk)
        file.seek(0)
    return digest.digest()


@idempotent_write(
    ReportSerializer,
    SheetFile,
    tells=(LOCATION,),
    parser=MultiPartParser,
    fingerprint=_fingerprint,
    later=ImportSerializer,
    act="import_sheets",
)
def import_sheets_view(request: Request, club: str, event: str) -> Steps:
    """Import a file of sheets, or with `dry_run` only report on it.

    With `holds=totals` the file has the totals of whole games. The report lists all problems at
    once; those that need a person are resolved afterwards. Sending a file again imports no hand
    twice. Unknown columns of hands are read with a mapping that the club stored for the headings.
    A larger file, or a spreadsheet that unfolds to more, is stored and imported in the background:
    the answer is 202 with the address of the import; a dry run ends there in state `preview`.
    """
    actor, the_event = requested_event(request, club, event)
    target = find_target(actor=actor, club=club, event=event)
    form = _read_form(request)
    file, dry_run = form["file"], bool(form.get("dry_run"))
    holds = Holds(form.get("holds") or Holds.HANDS)
    values = {key: form[key] for key in _GIVEN if form.get(key) is not None}
    unfolded = unfolded_size(file)
    if (file.size or 0) > AT_ONCE or AT_ONCE < unfolded <= MOST_UNFOLDED:
        yield
        batch = store_upload(
            Operation(actor, timezone.now()),
            the_event,
            name=_name(file),
            content=file.read(),
            values=values,
            is_confirmed=not dry_run,
            holds=holds,
        )
        return accepted(the_event, batch.number)
    op = Operation(actor, timezone.now())
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        path = Path(folder) / "sheets"
        path.write_bytes(file.read())
        plan = PlanRequest(values=values)
        upload = ImportRequest(path=path, name=_name(file), dry_run=dry_run, wanted=plan)
        try:
            if holds == Holds.TOTALS:
                yield
                report = import_results(op, target, upload)
            else:
                steps = import_steps(op, target, upload)
                while next(steps) != CLOSING:
                    pass
                yield
                report = run_steps(steps)
        except NotMapped as fault:
            raise Refused(fault.problem) from fault
        except Unreadable as fault:
            raise Refused(Problem("unreadable_file", ("file",), {"why": str(fault)})) from fault
    return json_answer(report.as_json())


class DiscardedImportSerializer(OutputSerializer):
    """An import that was discarded; its number is free again."""

    number = serializers.IntegerField()


@idempotent_write(
    ImportDetailSerializer, EmptyBody, status=202, tells=(LOCATION,), act="import_sheets"
)
def confirm_import_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Import the hands of a checked file: its import goes from `preview` to `running`.

    The work goes on in the background; read the import until `finished` is true.
    """
    return _move(request, club, event, number, confirm_upload)


@idempotent_write(
    ImportDetailSerializer, EmptyBody, status=202, tells=(LOCATION,), act="import_sheets"
)
def undo_import_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Undo an import: it goes from `done` to `undoing`, and to `undone` once its hands are removed.

    The work goes on in the background; read the import until `finished` is true. Only a director
    may undo an import with hands at final tables.
    """
    return _move(request, club, event, number, request_undo)


@idempotent_write(
    ImportDetailSerializer, EmptyBody, status=202, tells=(LOCATION,), act="import_sheets"
)
def restart_import_view(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Retry an import that failed in the background; no hand is imported twice."""
    return _move(request, club, event, number, retry_upload)


@idempotent_write(DiscardedImportSerializer, EmptyBody, act="import_sheets")
def discard_import_view(request: Request, club: str, event: str, number: int) -> JsonDict:
    """Discard an import without hands in the event: in `reading`, `mapping` or `preview`."""
    actor = known_caller(request)
    the_event = importing(actor, club, event)
    validated(request, EmptyBody)
    batch = imports.batch_at(the_event, number)
    discard_upload(Operation(actor, timezone.now()), batch)
    return {"number": number}


def _move(
    request: Request,
    club: str,
    event: str,
    number: int,
    operation: DeclaredOperation[[ImportBatch], None],
) -> HttpResponse:
    actor = known_caller(request)
    the_event = importing(actor, club, event)
    validated(request, EmptyBody)
    batch = imports.batch_at(the_event, number)
    operation(Operation(actor, timezone.now()), batch)
    return accepted(the_event, number)
