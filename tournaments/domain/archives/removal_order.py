"""The order in which the rows of a club can be removed, from the foreign keys of the models."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from django.apps import apps
from django.db import models

from tournaments.models.clubs import Club

Pointer: TypeAlias = "models.ForeignKey[Any, Any]"
Pointers: TypeAlias = dict[type[models.Model], list[Pointer]]
"""Models with the columns by which they point at others."""


@lru_cache(maxsize=1)
def removal_order() -> Sequence[tuple[type[models.Model], Sequence[Pointer]]]:
    """Return the models below a club, those first that nothing points at any more, each with the
    columns that are emptied before all, as two models point at each other."""
    pointers: Pointers = {model: _pointers(model) for model in _below_a_club()}
    emptied: Pointers = {model: [] for model in pointers}
    order = []
    while pointers:
        free = [one for one in pointers if not _is_pointed_at(one, pointers)]
        for model in free:
            order.append((model, emptied[model]))
            del pointers[model]
        for model, fields in pointers.items() if not free else ():
            rings = [one for one in fields if one.null and _leads_back(one, model, pointers)]
            emptied[model] += rings
            pointers[model] = [one for one in fields if one not in rings]
    return tuple(order)


def _below_a_club() -> list[type[models.Model]]:
    found = apps.get_app_config("tournaments").get_models()
    return [
        model
        for model in found
        if any(pointer.related_model is Club for pointer in _foreign_keys(model))
    ]


def _foreign_keys(model: type[models.Model]) -> list[Pointer]:
    return [
        concrete_field
        for concrete_field in model._meta.concrete_fields
        if isinstance(concrete_field, models.ForeignKey)
    ]


def _pointers(model: type[models.Model]) -> list[Pointer]:
    return [pointer for pointer in _foreign_keys(model) if pointer.related_model is not model]


def _is_pointed_at(model: type[models.Model], left: Pointers) -> bool:
    return any(field.related_model is model for fields in left.values() for field in fields)


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
