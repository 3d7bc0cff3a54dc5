"""Imports after their upload: confirmed, discarded, undone, and begun again."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import known_caller
from api.idempotent_writes import idempotent_write, json_answer
from api.query_parameters import allow_only
from api.serializers.strict_serializers import EmptyBody, validated
from api.v1.imports.import_batches import ImportDetailSerializer, batch_json, importing
from api.v1.imports.import_upload import LOCATION
from tournaments.models.imports import ImportBatch
from tournaments.policy import Actor
from tournaments.selectors.imports import imports
from tournaments.services.imports.undo import request_undo
from tournaments.services.imports.uploads import confirm_upload, discard_upload, retry_upload


class DiscardedImportSerializer(serializers.Serializer[Any]):
    """An import that was discarded; its number is free again."""

    number = serializers.IntegerField()


def _confirm_import(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Import the hands of a file that was checked: from `preview` to `running`.

    A worker goes on with it; ask for the import until `finished` is true.
    """

    def act(actor: Actor, batch: ImportBatch) -> None:
        confirm_upload(actor=actor, batch=batch, now=timezone.now())

    return _moved(request, club, event, number, act)


def _undo_import(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Undo an import: from `done` to `undoing`, and to `undone` once its hands are taken out.

    A worker goes on with it; ask for the import until `finished` is true. Tables that are final
    need a director.
    """

    def act(actor: Actor, batch: ImportBatch) -> None:
        request_undo(actor=actor, batch=batch, now=timezone.now())

    return _moved(request, club, event, number, act)


def _restart_import(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Begin an import again that the workers gave up; no hand is imported twice."""

    def act(actor: Actor, batch: ImportBatch) -> None:
        retry_upload(actor=actor, batch=batch, now=timezone.now())

    return _moved(request, club, event, number, act)


def _discard_import(request: Request, club: str, event: str, number: int) -> HttpResponse:
    """Discard a file of which nothing is in the event: in `reading`, `mapping` or `preview`."""
    allow_only(request)
    actor = known_caller(request)
    found = importing(actor, club, event)
    validated(request, EmptyBody)
    batch = imports.batch_at(found, number)
    discard_upload(actor=actor, batch=batch)
    return json_answer({"number": number})


def _moved(
    request: Request,
    club: str,
    event: str,
    number: int,
    act: Callable[[Actor, ImportBatch], None],
) -> HttpResponse:
    allow_only(request)
    actor = known_caller(request)
    found = importing(actor, club, event)
    validated(request, EmptyBody)
    batch = imports.batch_at(found, number)
    act(actor, batch)
    answer = json_answer(batch_json(found, number), status=202)
    answer["Location"] = reverse("read_import", args=[club, event, number])
    return answer


confirm_import_view = idempotent_write(
    _confirm_import, ImportDetailSerializer, EmptyBody, status=202, tells=(LOCATION,)
)
"""`POST E/imports/{n}/confirm`."""
undo_import_view = idempotent_write(
    _undo_import, ImportDetailSerializer, EmptyBody, status=202, tells=(LOCATION,)
)
"""`POST E/imports/{n}/undo`."""
restart_import_view = idempotent_write(
    _restart_import, ImportDetailSerializer, EmptyBody, status=202, tells=(LOCATION,)
)
"""`POST E/imports/{n}/again`."""
discard_import_view = idempotent_write(_discard_import, DiscardedImportSerializer, EmptyBody)
"""`POST E/imports/{n}/discard`."""
