"""Writes down what a merge changes and deletes, row by row, so that it can be restored.

Each change is written as Django's JSON serializer has it, in the order in which it was made; an
undo goes through them from the last to the first. What follows from other rows (contributions,
sums, moves of ladders) is not in here: it is computed again.
"""

import json
from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.core import serializers
from django.db.models import ForeignKey, ForeignObjectRel, Model

from tournaments.models.ladders import LadderMove, RatingChange
from tournaments.models.standings import Aggregate, Contribution

DERIVED = (Contribution, Aggregate, LadderMove, RatingChange)
"""What hangs on an entrant and is computed again."""

Steps = list[dict[str, Any]]
"""What was changed and deleted, in order; JSON."""


class MovedRows:
    """Changes and deletions of one merge, as `PlayerMerge.moved` keeps them."""

    def __init__(self) -> None:
        self.steps: Steps = []

    def change(self, row: Model, **values: object) -> None:
        """Give some columns of a row other values; nothing is done where they have these."""
        differing = {name: value for name, value in values.items() if getattr(row, name) != value}
        if not differing:
            return
        names = [row._meta.get_field(name).name for name in differing]
        self.steps.append(_written(row, names))
        type(row)._default_manager.filter(pk=row.pk).update(**differing)
        for name, value in differing.items():
            setattr(row, name, value)

    def delete(self, row: Model) -> None:
        """Delete a row, and what follows from it; nothing else may hang on it any more."""
        for name in dependents(row):
            raise AssertionError(f"{row} is deleted while it has {name}")
        self.steps.append({**_written(row), "deleted": True})
        row.delete()

    def count(self, model: type[Model]) -> int:
        """Return how many rows of a model were changed or deleted, each once."""
        return len({one["pk"] for one in self.steps if one["model"] == model._meta.label_lower})


def columns_to(model: type[Model]) -> list[ForeignKey[Any, Any]]:
    """Return the columns that point at rows of a model, but those of what is computed again."""
    fields = model._meta.get_fields(include_hidden=True)
    columns = [one.field for one in fields if isinstance(one, ForeignObjectRel)]
    return [one for one in columns if one.model not in DERIVED and isinstance(one, ForeignKey)]


def dependents(row: Model) -> Iterable[str]:
    """Yield the names of what hangs on a row and does not follow from other rows."""
    for column in columns_to(type(row)):
        if column.model._default_manager.filter(**{column.name: row.pk}).exists():
            yield column.model._meta.label_lower


def restore(steps: Steps) -> None:
    """Give all rows the values that they had, from the last change to the first."""
    for step in reversed(steps):
        if step.get("deleted"):
            for row in serializers.deserialize("json", json.dumps([_row(step)])):
                row.save()
        else:
            _restore_columns(step)


def _restore_columns(step: dict[str, Any]) -> None:
    model = apps.get_model(step["model"])
    values = {}
    for name, value in step["fields"].items():
        field = model._meta.get_field(name)
        values[getattr(field, "attname", name)] = field.to_python(value)
    model._default_manager.filter(pk=step["pk"]).update(**values)


def _row(step: dict[str, Any]) -> dict[str, Any]:
    return {key: step[key] for key in ("model", "pk", "fields")}


def _written(row: Model, names: list[str] | None = None) -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads(serializers.serialize("json", [row], fields=names))
    return found[0]
