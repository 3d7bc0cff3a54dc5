"""`manage.py restore`: restore a backup into an empty, unused database."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from config import env
from config.operation.backup.archive import Manifest, configured_keys
from config.operation.backup.backups import counted, refusal_of, restore_backup
from config.operation.backup.destination import BackupRefused

COPY: Final = "copy"
MOVED: Final = "moved"
QUESTION: Final = (
    "Is this the club's server, which sends mails and webhooks from now on, or a copy, which sends "
    f"nothing?\nType {MOVED} for the club's server, {COPY} for a copy: "
)
UNSAID: Final = (
    "Say with --moved that this is the club's server, or with --copy that it is a copy, which "
    "sends no mails and webhooks. Nothing was restored."
)


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
        which = parser.add_mutually_exclusive_group()
        which.add_argument(
            "--copy", action="store_true", help="this is a copy: it sends no mails and webhooks"
        )
        which.add_argument(
            "--moved", action="store_true", help="this is the club's server from now on"
        )

    def handle(self, *args: object, file: Path, into: str | None, **options: Any) -> None:
        is_copy = options["copy"]
        if not is_copy and not options["moved"]:
            is_copy = self._ask_whether_copy()
        try:
            report = restore_backup(
                file,
                into=_database(into),
                keys=configured_keys(),
                is_copy=is_copy,
                now=timezone.now(),
            )
        except (BackupRefused, ImproperlyConfigured) as refusal:
            raise CommandError(str(refusal), returncode=2) from refusal
        except OSError as fault:
            raise CommandError(refusal_of(fault, file), returncode=2) from fault
        self.stdout.write(_in_words(file, *report, is_copy=is_copy))

    def _ask_whether_copy(self) -> bool:
        """Ask at a terminal; refuse where nobody can answer."""
        if not sys.stdin.isatty():
            raise CommandError(UNSAID, returncode=2)
        while True:
            self.stdout.write(QUESTION, ending="")
            self.stdout.flush()
            answer = sys.stdin.readline()
            if not answer:
                raise CommandError(UNSAID, returncode=2)
            if answer.strip().lower() in (COPY, MOVED):
                return answer.strip().lower() == COPY


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
    file: Path, manifest: Manifest, n_missing_migrations: int, has_other_key: bool, *, is_copy: bool
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
    if is_copy:
        lines.append(f"It is a copy: mails and webhooks wait until {settings.COMMAND} outgoing on.")
    lines.extend(_overruling(is_copy=is_copy))
    lines.append(
        f"Next: {settings.COMMAND} replay --check and {settings.COMMAND} verify_audit, then start "
        "the service."
    )
    return "\n".join(lines)


def _overruling(*, is_copy: bool) -> Iterator[str]:
    """Say where the setting OUTGOING decides otherwise."""
    if settings.OUTGOING is is_copy:
        word = "on" if settings.OUTGOING else "off"
        yield f"The setting OUTGOING={word} overrules that: unset it before you start the service."
