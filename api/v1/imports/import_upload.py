"""Importing a file of sheets: the same report as the command and the page give.

A small file is worked off while its sender waits; a larger one, or a spreadsheet that unfolds to
more, in the background (`batches`).
"""

import hashlib
import json
import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotency import KEY, REPLAYED_HEADER, Steps, answered_once
from api.openapi import writing
from api.problems import BadRequest
from api.query_parameters import allow_only
from api.v1.imports.import_batches import ImportProblemSerializer, ImportSerializer, batch_json
from scoring.errors import Problem, Refused, shown
from tournaments.importers.import_sheets import CLOSING, import_steps
from tournaments.importers.import_sheets import ImportRequest as ImportRequest
from tournaments.importers.mapping.select_plan import NotMapped, PlanRequest
from tournaments.importers.report import Report
from tournaments.importers.results import import_results
from tournaments.importers.tabular.csv import Unreadable
from tournaments.importers.tabular.spreadsheets import MOST_BYTES as MOST_UNFOLDED
from tournaments.importers.tabular.spreadsheets import unfolded_size
from tournaments.models.events import Event
from tournaments.models.imports import Holds
from tournaments.policy import Actor
from tournaments.selectors.events.events import event_at
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.uploads import LARGEST, keep_upload

AT_ONCE: Final = 1024 * 1024
"""Bytes of a file that is imported while its sender waits; a worker brings in a larger one."""

_YES_NO: Final = {"true": True, "1": True, "false": False, "0": False, "": False}
_GIVEN: Final = ("round", "table")
_FIELDS: Final = ("dry_run", "file", "holds", *_GIVEN)

LOCATION: Final = OpenApiParameter(
    "Location", OpenApiTypes.URI_REF, OpenApiParameter.HEADER, response=[202],
    description="The address of the import that goes on.",
)  # fmt: skip


class SheetFile(serializers.Serializer[Any]):
    """A file of sheets."""

    file = serializers.FileField(
        help_text=f"At most {LARGEST // 1024 // 1024} MB; up to {AT_ONCE // 1024} kB the report is "
        "the answer, beyond that 202 says where to ask for it."
    )
    dry_run = serializers.BooleanField(required=False, help_text="Say everything, write nothing.")
    holds = serializers.ChoiceField(
        choices=Holds.choices,
        required=False,
        help_text="Hands (so it is if nothing is said), or the totals of whole games: a row a game "
        "(`round`, `table`, `player 1`, `score 1` …), or a row a player or a side.",
    )
    round = serializers.CharField(required=False, help_text="Where a mapping has no column for it.")
    table = serializers.CharField(required=False, help_text="Where a mapping has no column for it.")


class ReportSerializer(serializers.Serializer[Any]):
    """What a file holds, and what became of it."""

    file = serializers.CharField()
    dry_run = serializers.BooleanField()
    rows = serializers.IntegerField()
    hands = serializers.IntegerField()
    accepted = serializers.IntegerField(help_text="Hands that are, or would be, in the event.")
    already = serializers.IntegerField(
        help_text="Of these, hands that were there before with the same content."
    )
    problems = ImportProblemSerializer(many=True)
    mapping = serializers.CharField(
        required=False, help_text="The club's mapping that the file's columns were read by."
    )


def _import_file(request: Request, club: str, event: str) -> Steps:
    """Import a file of sheets, or with `dry_run` only say what is in it.

    With `holds=totals` it is a file of the totals of whole games, as on the page. The report has
    every problem in one pass; what waits for a person is settled on the import's page. The same
    file again brings nothing twice. Foreign columns of hands are read by a mapping that the club
    keeps for such heads. A larger file, or a spreadsheet that unfolds to more, is kept and goes on
    in the background: 202, with the address of the import; a dry run ends there as a preview.
    """
    allow_only(request)
    actor = known_caller(request)
    found = event_at(actor, club, event)
    target = find_target(actor=actor, club=club, event=event)
    file, dry_run, holds = _sent(request)
    given = {key: _text(request.POST, key) for key in _GIVEN if key in request.POST}
    unfolded = unfolded_size(file)
    if (file.size or 0) > AT_ONCE or AT_ONCE < unfolded <= MOST_UNFOLDED:
        yield
        return _kept(actor, found, file, dry_run, given, holds)
    with tempfile.TemporaryDirectory(prefix="blacklady-") as folder:
        path = Path(folder) / "sheets"
        path.write_bytes(file.read())
        try:
            if holds == Holds.TOTALS:
                yield
                report = import_results(
                    target=target, path=path, name=_name(file), dry_run=dry_run, now=timezone.now()
                )
            else:
                wanted = ImportRequest(
                    path=path, name=_name(file), dry_run=dry_run, wanted=PlanRequest(values=given)
                )
                steps = import_steps(target=target, request=wanted, now=timezone.now())
                while next(steps) != CLOSING:
                    pass
                yield
                report = _closed(steps)
        except NotMapped as fault:
            raise Refused(fault.problem) from fault
        except Unreadable as fault:
            raise Refused(Problem("unreadable_file", ("file",), {"why": str(fault)})) from fault
    said = json.dumps(report.as_json(), ensure_ascii=False)
    return HttpResponse(said, content_type="application/json")


def _closed(steps: Generator[object, None, Report]) -> Report:
    try:
        next(steps)
    except StopIteration as end:
        report: Report = end.value
        return report
    raise AssertionError("an import is closed in its last step")


def _kept(
    actor: Actor,
    event: Event,
    file: UploadedFile[Any],
    dry_run: bool,
    given: Mapping[str, str],
    holds: Holds,
) -> HttpResponse:
    """Put a file before the workers, and say where it is told how far they are."""
    batch = keep_upload(
        actor=actor,
        event=event,
        name=_name(file),
        content=file.read(),
        now=timezone.now(),
        given=given,
        is_confirmed=not dry_run,
        holds=holds,
    )
    said = json.dumps(batch_json(event, batch.number), ensure_ascii=False)
    answer = HttpResponse(said, status=202, content_type="application/json")
    answer["Location"] = reverse("read_import", args=[event.club.slug, event.slug, batch.number])
    return answer


def _sent(request: Request) -> tuple[UploadedFile[Any], bool, Holds]:
    """Return the file, whether it is only to be looked through, and what it holds.

    Raises:
        BadRequest: 413 too_large.
        Refused: every field that cannot be read.
    """
    files, texts = request.FILES, request.POST
    problems = [
        Problem("unknown_member", (name,), {"found": shown(name), "expected": ", ".join(_FIELDS)})
        for name in sorted({*files, *texts} - set(_FIELDS))
    ]
    holds = texts.get("holds") or Holds.HANDS.value
    if holds not in Holds.values:
        facts = {"found": shown(holds), "expected": ", ".join(Holds.values)}
        problems.append(Problem("bad_parameter", ("holds",), {"parameter": "holds", **facts}))
    elif holds == Holds.TOTALS:
        facts = {"expected": ", ".join(one for one in _FIELDS if one not in _GIVEN)}
        problems += [
            Problem("unknown_member", (name,), {"found": name, **facts})
            for name in _GIVEN
            if name in texts
        ]
    file = files.get("file")
    if not isinstance(file, UploadedFile):
        problems.append(Problem("file_needed", ("file",)))
    dry_run = _YES_NO.get(_text(texts, "dry_run"))
    if dry_run is None:
        problems.append(Problem("bad_flag", ("dry_run",), {"field": "dry_run"}))
    if problems or not isinstance(file, UploadedFile):
        raise Refused(*problems)
    if (file.size or 0) > LARGEST:
        raise BadRequest(Problem("too_large", ("file",), {"most": LARGEST}), status=413)
    return file, bool(dry_run), Holds(holds)


def _text(texts: QueryDict, name: str) -> str:
    return str(texts.get(name, "")).lower()


def _name(file: UploadedFile[Any]) -> str:
    return (file.name or "").replace("\0", "")[:255]


def _fingerprint(request: Request) -> bytes:
    """Return what tells one file from another, for its idempotency key."""
    file = request.FILES.get("file")
    digest = hashlib.sha256(str(sorted(request.POST.items())).encode())
    if isinstance(file, UploadedFile):
        digest.update(_name(file).encode())
        for chunk in file.chunks():
            digest.update(chunk)
        file.seek(0)
    return digest.digest()


import_sheets = writing(
    "import_sheets", "POST", ReportSerializer, SheetFile, status=200,
    parameters=(KEY, REPLAYED_HEADER, LOCATION), parser=MultiPartParser, later=ImportSerializer,
)(answered_once(_import_file, fingerprint=_fingerprint))  # fmt: skip
"""`POST E/imports`."""
