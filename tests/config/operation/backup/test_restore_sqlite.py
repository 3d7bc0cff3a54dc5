"""SQLite: what a restore refuses, and that nothing is touched then."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyrage
import pytest
from django.conf import LazySettings

from config.operation.backup.archive import BackupKeys, DatabaseContents
from config.operation.backup.backups import BackupReport, make_backup, restore_backup
from config.operation.backup.destination import (
    FILE_NAME,
    LOCK,
    BackupRefused,
    LastBackup,
    read_last_backup,
)
from config.operation.backup.sqlite import SqliteBackup

NOW = datetime(2026, 3, 1, 3, 0, 7, tzinfo=UTC)
Make = Callable[..., BackupReport]


@pytest.fixture(autouse=True)
def var(settings: LazySettings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path


@pytest.fixture
def live(migrated: Path, tmp_path: Path) -> Path:
    path = tmp_path / "live.sqlite3"
    shutil.copy(migrated, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO auth_user (password, is_superuser, username, last_name, email, is_staff, "
            "is_active, date_joined, first_name) VALUES ('', 0, 'olga', '', '', 0, 1, '', '')"
        )
    return path


@pytest.fixture
def made(live: Path, tmp_path: Path) -> Make:
    def make(keep: int | None = None, keys: BackupKeys | None = None) -> BackupReport:
        return make_backup(
            database(live), tmp_path / "backups", keep=keep, verify=True, keys=keys, now=NOW
        )

    return make


def database(path: Path) -> dict[str, Any]:
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path)}


def accounts(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT username FROM auth_user")]


@contextmanager
def opened_elsewhere(path: Path) -> Iterator[None]:
    """Another process that has read the database and keeps it open."""
    code = (
        "import sqlite3, sys; line = sqlite3.connect(sys.argv[1]);"
        "line.execute('PRAGMA journal_mode=WAL').fetchall();"
        "line.execute('SELECT count(*) FROM sqlite_master').fetchall();"
        "print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        yield
        process.communicate()


def test_backup_is_restored_where_no_database_is(made: Make, tmp_path: Path) -> None:
    report = made()
    into = tmp_path / "new.sqlite3"
    manifest, n_missing_migrations, has_other_key = restore_backup(
        report.file, into=database(into), keys=None, is_copy=False, now=NOW
    )
    assert accounts(into) == ["olga"]
    assert into.stat().st_mode & 0o777 == 0o600
    assert manifest == report.manifest
    assert n_missing_migrations == 0
    assert not has_other_key
    assert sorted(path.name for path in tmp_path.glob("*new*")) == [
        "new.sqlite3",
        "new.sqlite3.serve-lock",
    ]


def test_backup_replaces_a_database_never_used(made: Make, migrated: Path, tmp_path: Path) -> None:
    into = tmp_path / "new.sqlite3"
    shutil.copy(migrated, into)
    restore_backup(made().file, into=database(into), keys=None, is_copy=False, now=NOW)
    assert accounts(into) == ["olga"]


def test_backup_of_another_key_is_told(made: Make, tmp_path: Path, settings: LazySettings) -> None:
    report = made()
    settings.SECRET_KEY = "another"
    *_, has_other_key = restore_backup(
        report.file, into=database(tmp_path / "new.sqlite3"), keys=None, is_copy=False, now=NOW
    )
    assert has_other_key


def test_database_that_is_not_empty_is_refused(made: Make, live: Path) -> None:
    report = made()
    before = live.read_bytes()
    with pytest.raises(BackupRefused, match="not empty: it has accounts"):
        restore_backup(report.file, into=database(live), keys=None, is_copy=False, now=NOW)
    assert live.read_bytes() == before


def test_database_of_another_program_is_refused(made: Make, tmp_path: Path) -> None:
    into = tmp_path / "photos.sqlite3"
    with closing(sqlite3.connect(into)) as connection, connection:
        connection.execute("CREATE TABLE album (id INTEGER)")
    before = into.read_bytes()
    with pytest.raises(BackupRefused, match="a table album, which is not Blacklady's"):
        restore_backup(made().file, into=database(into), keys=None, is_copy=False, now=NOW)
    assert into.read_bytes() == before


def test_file_that_is_no_database_is_refused(made: Make, tmp_path: Path) -> None:
    into = tmp_path / "letter.txt"
    into.write_text("Dear Olga, " * 200, encoding="utf-8")
    with pytest.raises(BackupRefused, match="cannot be read as a database"):
        restore_backup(made().file, into=database(into), keys=None, is_copy=False, now=NOW)
    assert into.read_text(encoding="utf-8") == "Dear Olga, " * 200


def test_database_open_elsewhere_is_refused(made: Make, migrated: Path, tmp_path: Path) -> None:
    into = tmp_path / "new.sqlite3"
    shutil.copy(migrated, into)
    with opened_elsewhere(into), pytest.raises(BackupRefused, match="in use by another process"):
        restore_backup(made().file, into=database(into), keys=None, is_copy=False, now=NOW)
    assert accounts(into) == []
    restore_backup(made().file, into=database(into), keys=None, is_copy=False, now=NOW)


@pytest.mark.parametrize("end", ["-wal", "-journal"])
def test_log_left_of_a_deleted_database_is_refused(made: Make, tmp_path: Path, end: str) -> None:
    (tmp_path / f"new.sqlite3{end}").touch()
    with pytest.raises(BackupRefused, match="is left of a database that is gone"):
        restore_backup(
            made().file, into=database(tmp_path / "new.sqlite3"), keys=None, is_copy=False, now=NOW
        )
    assert not (tmp_path / "new.sqlite3").exists()


def test_newer_backup_is_refused(made: Make, tmp_path: Path, settings: LazySettings) -> None:
    ours = settings.VERSION
    settings.VERSION = "99.1.0"
    report = made()
    settings.VERSION = ours
    with pytest.raises(BackupRefused, match=r"by version 99\.1\.0, this is"):
        restore_backup(
            report.file, into=database(tmp_path / "new.sqlite3"), keys=None, is_copy=False, now=NOW
        )
    assert not (tmp_path / "new.sqlite3").exists()


def test_backup_of_a_release_is_restored_by_the_version_before_it(
    made: Make, tmp_path: Path, settings: LazySettings
) -> None:
    settings.VERSION = "99.1.0"
    report = made()
    settings.VERSION = "99.1.0.dev0"
    into = tmp_path / "new.sqlite3"
    restore_backup(report.file, into=database(into), keys=None, is_copy=False, now=NOW)
    assert into.exists()


def test_backup_of_an_unknown_migration_is_refused(made: Make, live: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(live)) as connection, connection:
        connection.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('tournaments', '9999_of_tomorrow', '')"
        )
    with pytest.raises(BackupRefused, match=r"a migration tournaments\.9999_of_tomorrow"):
        restore_backup(
            made().file, into=database(tmp_path / "new.sqlite3"), keys=None, is_copy=False, now=NOW
        )


def test_backup_of_an_older_release_says_how_many_migrations_it_lacks(
    made: Make, live: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(live)) as connection, connection:
        connection.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    _, n_missing_migrations, _ = restore_backup(
        made().file, into=database(tmp_path / "new.sqlite3"), keys=None, is_copy=False, now=NOW
    )
    assert n_missing_migrations == 1


def test_encrypted_backup_opens_with_its_secret_key_only(made: Make, tmp_path: Path) -> None:
    secret = pyrage.x25519.Identity.generate()
    public, private = tmp_path / "public", tmp_path / "private"
    public.write_text(str(secret.to_public()), encoding="utf-8")
    private.write_text(str(secret), encoding="utf-8")
    report = made(keys=BackupKeys(public))
    assert [path.name for path in (report.file, report.key_file)] == [
        "blacklady-20260301T030007Z.zip.age",
        "blacklady-20260301T030007Z.key.age",
    ]
    assert b"olga" not in report.file.read_bytes()
    into = tmp_path / "new.sqlite3"
    for keys, reason in ((None, "set BACKUP_KEY_FILE"), (BackupKeys(public), "only public keys")):
        with pytest.raises(BackupRefused, match=reason):
            restore_backup(report.file, into=database(into), keys=keys, is_copy=False, now=NOW)
    assert not into.exists()
    restore_backup(
        report.file, into=database(into), keys=BackupKeys(private), is_copy=False, now=NOW
    )
    assert accounts(into) == ["olga"]


def test_older_backups_go_once_the_new_one_is_whole(made: Make, live: Path, tmp_path: Path) -> None:
    first, second = made(), made()
    assert made(keep=2).deleted == [first.file]
    assert not first.key_file.exists()
    live.write_bytes(b"no database" * 500)
    before = sorted(path.name for path in (tmp_path / "backups").iterdir())
    with pytest.raises(BackupRefused):
        made(keep=1)
    assert sorted(path.name for path in (tmp_path / "backups").iterdir()) == before
    assert second.file.exists()


def test_report_for_programs_and_the_last_backup_for_monitoring_say_what_was_written(
    made: Make, tmp_path: Path
) -> None:
    report = made()
    found = json.loads(json.dumps(report.as_json()))
    assert (found["counts"]["accounts"], found["verified"], found["warnings"]) == (1, True, [])
    size = report.file.stat().st_size
    assert read_last_backup() == LastBackup(NOW, size, report.file, is_verified=True)
    assert FILE_NAME in {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"at": 1}', '{"at": "2026-03-01T03:00:07"}'])
def test_damaged_file_counts_as_no_last_backup(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text, encoding="utf-8")
    assert read_last_backup() is None


def test_backup_whose_restore_differs_is_not_kept(
    made: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = SqliteBackup.contents_of

    def without_a_row(backup: SqliteBackup, dump: Path) -> DatabaseContents:
        with closing(sqlite3.connect(dump)) as connection, connection:
            connection.execute("DELETE FROM auth_user")
        return whole(backup, dump)

    monkeypatch.setattr(SqliteBackup, "contents_of", without_a_row)
    with pytest.raises(BackupRefused, match="auth_user differs after a restore"):
        made()
    assert [path.name for path in (tmp_path / "backups").iterdir()] == [LOCK]
    assert read_last_backup() is None


def test_draft_of_a_killed_restore_is_deleted_by_the_next_backup_and_by_the_next_restore(
    made: Make, live: Path, tmp_path: Path
) -> None:
    draft = live.with_name(".live.sqlite3.restored-4711")
    draft.write_bytes(b"all hands")
    report = made()
    assert report.left_by_killed == [".live.sqlite3.restored-4711"]
    assert not draft.exists()
    gone = tmp_path / "gone.sqlite3"
    other_draft = gone.with_name(".gone.sqlite3.restored-4711")
    other_draft.write_bytes(b"all hands")
    restore_backup(report.file, into=database(gone), keys=None, is_copy=False, now=NOW)
    assert gone.exists()
    assert not other_draft.exists()


def switch_rows(path: Path) -> list[tuple[str, int, int, str]]:
    query = (
        "SELECT scope, version, done, marked_at FROM tournaments_dirty "
        "WHERE scope LIKE 'outgoing-%' ORDER BY scope DESC"
    )
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def set_switch(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO tournaments_dirty (scope, version, done, attempts, parked, error, "
            "marked_at) VALUES (?, 1, 1, 0, 0, '', '2026-02-01 03:00:07')",
            [("outgoing-off",), ("outgoing-held",)],
        )


LATER = NOW + timedelta(days=1)
OFF_SINCE_LATER = [
    ("outgoing-off", 1, 1, "2026-03-02 03:00:07.000000"),
    ("outgoing-held", 1, 1, "2026-03-02 03:00:07.000000"),
]


def test_copy_sends_nothing_from_the_moment_of_the_restore(made: Make, tmp_path: Path) -> None:
    into = tmp_path / "new.sqlite3"
    restore_backup(made().file, into=database(into), keys=None, is_copy=True, now=LATER)
    assert switch_rows(into) == OFF_SINCE_LATER


def test_copy_in_a_database_never_used_sends_nothing(
    made: Make, migrated: Path, tmp_path: Path
) -> None:
    into = tmp_path / "new.sqlite3"
    shutil.copy(migrated, into)
    restore_backup(made().file, into=database(into), keys=None, is_copy=True, now=LATER)
    assert switch_rows(into) == OFF_SINCE_LATER


def test_copy_of_a_copy_is_held_since_its_own_restore(
    made: Make, live: Path, tmp_path: Path
) -> None:
    set_switch(live)
    into = tmp_path / "new.sqlite3"
    restore_backup(made().file, into=database(into), keys=None, is_copy=True, now=LATER)
    assert switch_rows(into) == OFF_SINCE_LATER


def test_server_of_the_club_sends_and_drops_what_its_backup_held(
    made: Make, live: Path, tmp_path: Path
) -> None:
    set_switch(live)
    into = tmp_path / "new.sqlite3"
    restore_backup(made().file, into=database(into), keys=None, is_copy=False, now=LATER)
    assert switch_rows(into) == [("outgoing-held", 1, 1, "2026-02-01 03:00:07")]


def test_backup_from_before_the_first_migration_is_restored_as_a_copy(tmp_path: Path) -> None:
    empty = tmp_path / "empty.sqlite3"
    with closing(sqlite3.connect(empty)) as connection, connection:
        connection.execute("CREATE TABLE auth_user (id integer PRIMARY KEY)")
    report = make_backup(
        database(empty), tmp_path / "backups", keep=None, verify=True, keys=None, now=NOW
    )
    into = tmp_path / "new.sqlite3"
    restore_backup(report.file, into=database(into), keys=None, is_copy=True, now=LATER)
    with closing(sqlite3.connect(into)) as connection:
        assert connection.execute("SELECT count(*) FROM auth_user").fetchall() == [(0,)]
