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
    pointers: Pointers = {}
    for model in apps.get_app_config("tournaments").get_models():
        columns = model._meta.concrete_fields
        keys = [column for column in columns if isinstance(column, models.ForeignKey)]
        if any(key.related_model is Club for key in keys):
            pointers[model] = [key for key in keys if key.related_model is not model]
    emptied: Pointers = {model: [] for model in pointers}
    order = []
    while pointers:
        targets = {key.related_model for keys in pointers.values() for key in keys}
        free = [model for model in pointers if model not in targets]
        for model in free:
            order.append((model, emptied[model]))
            del pointers[model]
        for model, fields in pointers.items() if not free else ():
            rings = [key for key in fields if key.null and _leads_back(key, model, pointers)]
            emptied[model] += rings
            pointers[model] = [key for key in fields if key not in rings]
    return tuple(order)


def _leads_back(pointer: Pointer, model: type[models.Model], pointers: Pointers) -> bool:
    """Whether what a column points at points at its model, over however many others."""
    visited: set[Any] = set()
    ahead: list[Any] = [pointer.related_model]
    while ahead:
        target = ahead.pop()
        if target is model:
            return True
        if target in pointers and target not in visited:
            visited.add(target)
            ahead += [field.related_model for field in pointers[target]]
    return False
