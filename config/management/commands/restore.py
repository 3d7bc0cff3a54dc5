"""`manage.py restore`: restore a backup into an empty, unused database."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config import env
from config.operation.backup.archive import Manifest, configured_keys
from config.operation.backup.backups import counted, refusal_of, restore_backup
from config.operation.backup.destination import BackupRefused


class Command(BaseCommand):
    """Exit status 2 if the restore failed; nothing was changed then."""

    help = "Restore a backup into an empty database that nobody uses."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE", help="the backup")
        parser.add_argument(
            "--into",
            metavar="URL",
            help="the database, instead of DATABASE_URL; others on this machine may see a "
            "password in it",
        )

    def handle(self, *args: object, file: Path, into: str | None, **options: Any) -> None:
        try:
            report = restore_backup(file, into=_database(into), keys=configured_keys())
        except (BackupRefused, ImproperlyConfigured) as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        except OSError as fault:
            raise CommandError(refusal_of(fault, file), returncode=2) from fault
        self.stdout.write(_in_words(file, *report))


def _database(url: str | None) -> Mapping[str, Any]:
    """The database by its URL, completed from the settings of the installation's own server."""
    installed: Mapping[str, Any] = settings.DATABASES["default"]
    if url is None:
        return installed
    database = env.database_of(url, named="--into", below=Path.cwd())
    if database["ENGINE"] == installed["ENGINE"]:
        database["OPTIONS"] = {**installed.get("OPTIONS", {}), **database.get("OPTIONS", {})}
        if all(database.get(name) == installed.get(name) for name in ("HOST", "PORT", "USER")):
            database["PASSWORD"] = database.get("PASSWORD") or installed.get("PASSWORD", "")
    return database


def _in_words(
    file: Path, manifest: Manifest, n_missing_migrations: int, has_other_key: bool
) -> str:
    origin = f"{manifest.created_at:%Y-%m-%d %H:%M:%S} UTC, version {manifest.version}"
    lines = [f"Restored {file.name} ({origin}): {counted(manifest.counts)}."]
    if n_missing_migrations:
        lines.append(
            f"It is of an older release, {n_missing_migrations} migrations back: "
            f"run {settings.COMMAND} migrate."
        )
    if has_other_key:
        lines.append(
            "This installation has another secret key than the one that was backed up: set "
            "SECRET_KEY to the content of the backup's .key file, or table links, second factors "
            "and waiting mails do not work."
        )
    lines.append(
        f"Next: {settings.COMMAND} replay --check and {settings.COMMAND} verify_audit, then start "
        "the service."
    )
    return "\n".join(lines)
