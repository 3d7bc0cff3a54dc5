"""Whether a backup can be restored here: the release that wrote it, and an empty database."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Final

from django.apps import apps
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from packaging.version import InvalidVersion, Version

from config.operation.backup.archive import Manifest
from config.operation.backup.destination import BackupRefused
from tournaments.management.service import AlreadyServed, only_one_serve


def require_readable(manifest: Manifest) -> None:
    ours = str(settings.VERSION)
    try:
        # 0.7.0.dev0 is what main was before 0.7.0: the migrations say which of the two knows more.
        is_newer = Version(manifest.version).release > Version(ours).release
    except InvalidVersion as fault:
        raise BackupRefused(f"The backup names no version but {manifest.version!r}.") from fault
    if is_newer:
        raise BackupRefused(
            f"The backup was made by version {manifest.version}, this is {ours}: install that "
            "version, or a newer one, and restore with it."
        )
    migrations: dict[str, set[str]] = {}
    for (app, name), migration in MigrationLoader(None).disk_migrations.items():
        migrations.setdefault(app, set()).add(name)
        for replaced_app, replaced in migration.replaces:
            migrations.setdefault(replaced_app, set()).add(replaced)
    installed = {app.label for app in apps.get_app_configs()}
    strange = [
        f"{app}.{name}"
        for app, names in manifest.contents.migrations.items()
        if app in installed
        for name in names
        if name not in migrations.get(app, set())
    ]
    if strange:
        raise BackupRefused(
            f"The backup has a migration {sorted(strange)[0]} that this release ({ours}) does not "
            f"know: restore it with the release that made it ({manifest.version})."
        )


def missing_migrations(manifest: Manifest) -> int:
    done = {(app, name) for app, names in manifest.contents.migrations.items() for name in names}
    return sum(
        (app, name) not in done
        and not (set(migration.replaces) and set(migration.replaces) <= done)
        for (app, name), migration in MigrationLoader(None).disk_migrations.items()
    )


@contextmanager
def reserved_database(
    database: BaseDatabaseWrapper, require_free: Callable[[], None]
) -> Iterator[None]:
    """Lock the database against `serve` for the block, which needs it empty and unused."""
    require_free()
    try:
        with only_one_serve("", on=database):
            require_free()
            yield
    except AlreadyServed as refusal:
        raise BackupRefused(f"{refusal} End it first.") from refusal


FILLED: Final = {"auth_user": "accounts", "tournaments_club": "clubs"}
"""Tables with a row as soon as anybody uses the installation."""


def require_empty(name: str, tables: Collection[str], has_rows: Callable[[str], bool]) -> None:
    """Refuse a database with foreign tables, accounts or clubs; `name` is for the message."""
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
