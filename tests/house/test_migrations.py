"""Migrations are one line of history and stand on their own."""

import ast

from django.apps import apps
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from tests.house.sources import PACKAGES, modules


def test_each_app_has_one_last_migration() -> None:
    loader = MigrationLoader(None)
    for app in apps.get_app_configs():
        if app.label in loader.migrated_apps:
            assert len(loader.graph.leaf_nodes(app.label)) == 1, app.label


def test_migration_imports_nothing_of_ours() -> None:
    """What it needs it carries: the app of today is not the one that it was written for."""
    found = [
        f"{path}:{node.lineno}"
        for path, tree in modules("tournaments", migrations=True)
        if "/migrations/" in path
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in imported(node)
        if name.split(".")[0] in PACKAGES
    ]
    assert found == []


def test_short_way_to_a_schema_ends_where_the_long_way_does() -> None:
    short = MigrationLoader(None)
    long = MigrationLoader(None, replace_migrations=False)
    squashed = {key: one for key, one in short.disk_migrations.items() if one.replaces}
    assert squashed
    for key, one in squashed.items():
        state = long.project_state([one.replaces[-1]], at_end=True)
        assert told(short.project_state([key]), key[0]) == told(state, key[0])


def told(state: ProjectState, app: str) -> dict[str, object]:
    """What a state says of an app's tables, without the order in which it was said."""
    return {
        name: (
            {key: field.deconstruct()[1:] for key, field in model.fields.items()},
            {
                key: sorted(map(repr, value)) if isinstance(value, list) else value
                for key, value in model.options.items()
                if value
            },
        )
        for (label, name), model in state.models.items()
        if label == app
    }


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]
