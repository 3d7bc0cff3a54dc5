"""Adds many columns in one operation, for migrations that run beside the service."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


class AddColumns(migrations.operations.base.Operation):
    """Add columns that refer to no table, and are nullable or have a constant `db_default`.

    Each is one `ALTER TABLE … ADD COLUMN`, on SQLite too, where `AddField` copies the whole table
    for a column that is not nullable. The models are rendered once and not for each column, which
    took most of the time in which the tables are locked.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, operations):
        self.operations = operations

    def deconstruct(self):
        """Return what makes this operation again."""
        return self.__class__.__qualname__, [self.operations], {}

    def state_forwards(self, app_label, state):
        """Describe the models; what was rendered before is rendered again when it is asked for."""
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        """Add the columns."""
        for model, field in self._fields(app_label, schema_editor, to_state):
            BaseDatabaseSchemaEditor.add_field(schema_editor, model, field)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        """Remove the columns, the last one first."""
        for model, field in reversed(self._fields(app_label, schema_editor, from_state)):
            BaseDatabaseSchemaEditor.remove_field(schema_editor, model, field)

    def describe(self):
        """Return the line of `migrate --plan`."""
        return f"Add {len(self.operations)} columns"

    def _fields(self, app_label, schema_editor, state):
        alias = schema_editor.connection.alias
        models = [(state.apps.get_model(app_label, one.model_name), one) for one in self.operations]
        return [
            (model, model._meta.get_field(one.name))
            for model, one in models
            if self.allow_migrate_model(alias, model)
        ]
