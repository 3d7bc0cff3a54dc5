"""Which operations of a migration the release before it could not work with."""

from collections.abc import Iterator, Mapping, Sequence

from django.db.migrations import operations as op
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import (
    BaseConstraint,
    CheckConstraint,
    F,
    Field,
    ManyToManyField,
    Q,
    UniqueConstraint,
)

APP = "tournaments"
REMOVING = (op.DeleteModel, op.RenameModel, op.AlterModelTable)
CHANGING = (op.RemoveField, op.RenameField)


class Expansion:
    """Goes through operations in order; `found` has what is neither an addition nor in `contracts`.

    `state` is that of the release before; models that are created meanwhile are free.
    """

    def __init__(self, state: ProjectState) -> None:
        self.found: list[str] = []
        self._state = state
        self._known = {name for app, name in state.models if app == APP}
        self._added: set[tuple[str, str]] = set()

    def migrate(self, operations: Sequence[Operation], contracts: Mapping[str, str]) -> None:
        for one in flat(operations):
            self.found += [name for name in self._refused(one) if name not in contracts]
            one.state_forwards(APP, self._state)

    def _refused(self, one: Operation) -> Iterator[str]:
        if isinstance(one, REMOVING):
            name = getattr(one, "old_name_lower", getattr(one, "name_lower", ""))
            if name in self._known:
                yield name
            return
        if isinstance(one, op.CreateModel):
            yield from (
                f"{one.name_lower}.{name}" for name, field in one.fields if self._holds(field)
            )
            return
        model = getattr(one, "model_name_lower", "") or getattr(one, "model_name", "").lower()
        if model not in self._known:
            return
        if isinstance(one, CHANGING):
            yield f"{model}.{getattr(one, 'old_name', getattr(one, 'name', ''))}"
        elif isinstance(one, op.AddConstraint):
            columns = {(model, name) for name in columns_of(one.constraint)}
            if not columns & self._added:
                yield f"{model}.{one.constraint.name}"
        elif isinstance(one, op.AddField | op.AlterField) and self._breaks(model, one):
            yield f"{model}.{one.name}"

    def _breaks(self, model: str, one: op.AddField | op.AlterField) -> bool:
        if isinstance(one, op.AlterField):
            return is_stricter(self._state.models[APP, model].fields[one.name], one.field)
        self._added.add((model, one.name))
        return not can_be_left_out(one.field) or self._holds(one.field)

    def _holds(self, field: Field) -> bool:  # type: ignore[type-arg]  # of any type
        """Whether the database refuses to delete a row that the release before deletes."""
        if not getattr(field, "db_constraint", False):
            return False
        app, _, name = str(field.deconstruct()[3]["to"]).rpartition(".")
        return app != APP or name.lower() in self._known


def flat(operations: Sequence[Operation]) -> Iterator[Operation]:
    """Operations with those that they hold; what changes no state is left out."""
    for operation in operations:
        inner = getattr(operation, "operations", None) or getattr(
            operation, "state_operations", None
        )
        if inner:
            yield from flat(inner)
        else:
            yield operation


def can_be_left_out(field: Field) -> bool:  # type: ignore[type-arg]  # of any type
    return field.null or field.has_db_default() or isinstance(field, ManyToManyField)


def is_stricter(old: Field, new: Field) -> bool:  # type: ignore[type-arg]
    shorter = (new.max_length or 0) < (old.max_length or 0)
    other = new.get_internal_type() != old.get_internal_type()
    return shorter or other or (old.null and not new.null) or (new.unique and not old.unique)


def columns_of(constraint: BaseConstraint) -> set[str]:
    found: set[str] = set()
    if isinstance(constraint, UniqueConstraint):
        found |= set(constraint.fields)
    if isinstance(constraint, CheckConstraint) and isinstance(constraint.condition, Q):
        found |= set(_names(constraint.condition))
    return found


def _names(condition: Q) -> Iterator[str]:
    for child in condition.children:
        if isinstance(child, Q):
            yield from _names(child)
        elif isinstance(child, tuple):
            yield child[0].split("__")[0]
            if isinstance(child[1], F):
                yield str(child[1].deconstruct()[1][0])
