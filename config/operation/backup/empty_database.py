"""When a database is empty, so that a backup may be restored into it.

It is empty if it has no tables, or only tables of this project with no account and no club in
them: what `migrate`, and a `serve` that nobody has signed in to yet, leave.
"""

from collections.abc import Callable, Collection
from typing import Final

from django.apps import apps
from django.conf import settings
from django.db.migrations.recorder import MigrationRecorder

from config.operation.backup.errors import BackupRefused

FILLED: Final = {"auth_user": "accounts", "tournaments_club": "clubs"}
"""Tables with a row as soon as anybody uses the installation."""


def require_empty(name: str, tables: Collection[str], has_rows: Callable[[str], bool]) -> None:
    """Refuse a database that holds anything; `name` is what a person calls it, `tables` all it has.

    Raises:
        BackupRefused: it has tables of others, accounts or clubs.
    """
    strangers = sorted(set(tables) - _own_tables())
    if strangers:
        raise BackupRefused(
            f"{name} is not empty: it has a table {strangers[0]}, which is not Blacklady's. "
            "Restore into an empty database."
        )
    for table, what in FILLED.items():
        if table in tables and has_rows(table):
            raise BackupRefused(
                f"{name} is not empty: it has {what}. Restore into an empty database: move this "
                "one away, or name another with --into."
            )


def _own_tables() -> set[str]:
    """Every table that this release may make: those of models, migrations and the cache."""
    models = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    caches = {
        str(cache["LOCATION"])
        for cache in settings.CACHES.values()
        if str(cache["BACKEND"]).endswith("DatabaseCache")
    }
    return models | caches | {MigrationRecorder.Migration._meta.db_table, "blacklady_cache"}
