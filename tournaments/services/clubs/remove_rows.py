"""Removing a club whose time is over, piece by piece, so that nobody waits for it.

Rows that point at others go before these, whatever models there are: everything below a club has a
column for it. A few rows go in a transaction; a worker that is killed goes on where it was left.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, TypeAlias

import structlog
from django.apps import apps
from django.db import models, transaction

from tournaments.models.clubs import Club, Membership
from tournaments.models.events import Event, Season
from tournaments.models.imports import ImportBatch
from tournaments.models.outbox import (
    PREFIXES_OF_EVENTS,
    Dirty,
    import_scope,
    removal_scope,
    season_scope,
)

ROWS: Final = 200
"""Rows of one transaction; deleting them takes a tenth of a second or two."""

log = structlog.get_logger(__name__)
Pointer: TypeAlias = "models.ForeignKey[Any, Any]"
Pointers: TypeAlias = dict[type[models.Model], list[Pointer]]
"""Models with the columns by which they point at others."""


def remove_piece(club_id: int, *, now: datetime) -> bool:
    """Remove some rows of a club whose time is over; false where nothing is left to remove.

    Nobody has a role in it any more once the first piece is gone, so that none can be undone.
    """
    with transaction.atomic():
        clubs = Club.objects.select_for_update(no_key=True)
        club = clubs.filter(pk=club_id, delete_after__lte=now).first()
        if club is None:
            return False
        if Membership.objects.filter(club=club).delete()[0]:
            return True
        if any(_steps(club)):
            return True
        club.delete()
        Dirty.objects.filter(scope=removal_scope(club_id)).delete()
    log.info("club_removed", club=club_id)
    return False


def _steps(club: Club) -> Iterator[bool]:
    """Remove a piece of the first model that has rows; whether there were any, model by model."""
    for model, pointers in removal_order():
        rows = model._default_manager.filter(club=club)
        for field in pointers:
            pointing = rows.filter(**{f"{field.name}__isnull": False})
            ids = list(pointing.values_list("pk", flat=True)[:ROWS])
            if ids:
                model._default_manager.filter(pk__in=ids).update(**{field.name: None})
                yield True
    for model, _pointers in removal_order():
        ids = list(model._default_manager.filter(club=club).values_list("pk", flat=True)[:ROWS])
        if ids:
            Dirty.objects.filter(scope__in=_scopes(model, ids)).delete()
            model._default_manager.filter(pk__in=ids).delete()
            yield True


def _scopes(model: type[models.Model], ids: Sequence[int]) -> list[str]:
    """Return the work that waits for rows, of models that have some."""
    if model is Event:
        return [f"{prefix}{pk}" for prefix in PREFIXES_OF_EVENTS for pk in ids]
    scope_of = {Season: season_scope, ImportBatch: import_scope}.get(model)
    return [scope_of(pk) for pk in ids] if scope_of else []


@lru_cache(maxsize=1)
def removal_order() -> Sequence[tuple[type[models.Model], Sequence[Pointer]]]:
    """Return the models below a club, those first that nothing points at any more, each with the
    columns that are emptied before all, as two models point at each other."""
    left: Pointers = {model: _pointers(model) for model in _below_a_club()}
    emptied: Pointers = {model: [] for model in left}
    order = []
    while left:
        free = [one for one in left if not _is_pointed_at(one, left)]
        for model in free:
            order.append((model, emptied[model]))
            del left[model]
        for model, fields in left.items() if not free else ():
            rings = [one for one in fields if one.null and _leads_back(one, model, left)]
            emptied[model] += rings
            left[model] = [one for one in fields if one not in rings]
    return tuple(order)


def _below_a_club() -> list[type[models.Model]]:
    found = apps.get_app_config("tournaments").get_models()
    return [
        model for model in found if any(one.related_model is Club for one in _foreign_keys(model))
    ]


def _foreign_keys(model: type[models.Model]) -> list[Pointer]:
    return [one for one in model._meta.concrete_fields if isinstance(one, models.ForeignKey)]


def _pointers(model: type[models.Model]) -> list[Pointer]:
    return [one for one in _foreign_keys(model) if one.related_model is not model]


def _is_pointed_at(model: type[models.Model], left: Pointers) -> bool:
    return any(one.related_model is model for fields in left.values() for one in fields)


def _leads_back(pointer: Pointer, model: type[models.Model], left: Pointers) -> bool:
    """Whether what a column points at points at its model, over however many others."""
    seen: set[Any] = set()
    ahead: list[Any] = [pointer.related_model]
    while ahead:
        one = ahead.pop()
        if one is model:
            return True
        if one in left and one not in seen:
            seen.add(one)
            ahead += [field.related_model for field in left[one]]
    return False
