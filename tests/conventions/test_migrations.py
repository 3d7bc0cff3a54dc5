"""Migrations are one line of history and stand on their own."""

import ast
import re
from importlib import import_module
from itertools import pairwise

import pytest
from django.apps import apps
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation

from releasing.release import (
    BEFORE_RELEASE,
    ROOT,
    image_version,
    last_migration,
    number,
    project_version,
    releases,
)
from tests.support.expand_then_contract import APP, Expansion
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


def since_last_release() -> list[str]:
    names = {name for app, name in MigrationLoader(None).disk_migrations if app == APP}
    return sorted(name for name in names if name > releases()[-1].migration)


def test_release_before_works_on_the_schema_of_each_migration_since() -> None:
    loader = MigrationLoader(None)
    expansion = Expansion(loader.project_state((APP, releases()[-1].migration)))
    for name in since_last_release():
        module = import_module(f"{APP}.migrations.{name}")
        contracts = getattr(module, "CONTRACTS", {})
        assert all(reason.strip() for reason in contracts.values()), name
        expansion.migrate(loader.disk_migrations[APP, name].operations, contracts)
    assert expansion.found == []


REFUSED = {
    "club.motto": migrations.AddField("club", "motto", models.TextField(default="")),
    "club.slug": migrations.AlterField("club", "slug", models.SlugField(max_length=10)),
    "club.name": migrations.RemoveField("club", "name"),
    "club.language": migrations.RenameField("club", "language", "tongue"),
    "club": migrations.RenameModel("Club", "Society"),
    "player": migrations.DeleteModel("Player"),
    "player.once": migrations.AddConstraint(
        "player", models.UniqueConstraint(fields=["club", "name"], name="once")
    ),
    "logo.club": migrations.CreateModel(
        "Logo", [("club", models.ForeignKey("tournaments.Club", models.CASCADE))]
    ),
    "event.named": migrations.AddConstraint(
        "event", models.CheckConstraint(condition=~models.Q(name=""), name="named")
    ),
}


@pytest.mark.parametrize(("name", "operation"), REFUSED.items(), ids=list(REFUSED))
def test_change_that_breaks_the_release_before_is_found(name: str, operation: Operation) -> None:
    assert expanded(operation) == [name]
    assert expanded(operation, contracts={name: "nobody uses it"}) == []


ALLOWED = {
    "nullable": migrations.AddField("club", "motto", models.TextField(null=True)),
    "default": migrations.AddField("club", "motto", models.TextField(default="", db_default="")),
    "wider": migrations.AlterField("club", "slug", models.SlugField(max_length=99)),
    "new model": migrations.CreateModel("Cup", [("id", models.BigAutoField(primary_key=True))]),
    "looser": migrations.RemoveConstraint("club", "club_has_a_slug"),
}


@pytest.mark.parametrize("operation", ALLOWED.values(), ids=list(ALLOWED))
def test_addition_is_allowed(operation: Operation) -> None:
    assert expanded(operation) == []


def expanded(operation: Operation, contracts: dict[str, str] | None = None) -> list[str]:
    loader = MigrationLoader(None)
    expansion = Expansion(loader.project_state((APP, releases()[0].migration)))
    expansion.migrate([operation], contracts or {})
    return expansion.found


def test_table_of_releases_is_in_order() -> None:
    rows = releases()
    assert [row.version for row in rows] == sorted((row.version for row in rows), key=number)
    assert len({row.commit for row in rows}) == len(rows)
    assert [row for row in rows if len(row.commit) != 40] == []
    assert rows[-1].migration <= last_migration()


def test_version_is_the_one_that_is_prepared() -> None:
    prepared = project_version().removesuffix(BEFORE_RELEASE)
    assert number(prepared) > number(releases()[-1].version)
    assert image_version(ROOT) == project_version()


def test_each_release_has_notes_and_changes() -> None:
    notes = (ROOT / "docs" / "upgrading.md").read_text(encoding="utf-8")
    steps = [f"### From {one.version} to {other.version}\n" for one, other in pairwise(releases())]
    assert [step for step in steps if step not in notes] == []
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [row for row in releases() if f"\n## {row.version}, {row.date}\n" not in changes] == []


def test_upgrade_page_has_the_commit_of_each_tag_that_it_names() -> None:
    notes = (ROOT / "docs" / "upgrading.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| `v(\S+)` \| `(\w+)` \|$", notes)
    assert rows == [(release.version, release.commit) for release in releases()]
    tags = set(re.findall(r"\bv(\d+\.\d+\.\d+)\b", notes))
    assert tags <= {version for version, _commit in rows}
