"""Creates many tables in one operation, for migrations that add several models."""

from django.db import migrations


class CreateTables(migrations.operations.base.Operation):
    """Create the tables of many models at once.

    A list of `CreateModel` renders all related models again for each of them, which took nine
    tenths of the migration's time. Here the models are rendered once, as all operations leave
    them, and each table is made from that: with the fields, constraints and indexes that are
    added for it further below.
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
        """Create each table; foreign keys follow when all are there."""
        for model in self._models(app_label, schema_editor, to_state):
            schema_editor.create_model(model)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        """Remove the tables, the last one first."""
        for model in reversed(self._models(app_label, schema_editor, from_state)):
            schema_editor.delete_model(model)

    def describe(self):
        """Return the line of `migrate --plan`."""
        return f"Create the tables of {len(self._names())} models"

    def _names(self):
        return [one.name for one in self.operations if isinstance(one, migrations.CreateModel)]

    def _models(self, app_label, schema_editor, state):
        found = [state.apps.get_model(app_label, name) for name in self._names()]
        alias = schema_editor.connection.alias
        return [model for model in found if self.allow_migrate_model(alias, model)]
