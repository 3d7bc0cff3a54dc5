"""Migrations are one line of history and stand on their own."""

import ast

from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from tests.support.sources import PACKAGES, modules


def test_each_app_has_one_last_migration() -> None:
    loader = MigrationLoader(None)
    for app in apps.get_app_configs():
        if app.label in loader.migrated_apps:
            assert len(loader.graph.leaf_nodes(app.label)) == 1, app.label


def test_migration_imports_nothing_of_ours() -> None:
    found = [
        f"{path}:{node.lineno}"
        for path, tree in modules("tournaments", migrations=True)
        if "/migrations/" in path
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in imported(node)
        if name.split(".")[0] in PACKAGES
        and not name.startswith(("tournaments.migrations.", "tournaments.random_uuid"))
    ]
    assert found == []


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [alias.name for alias in node.names]
