"""Backups and restores that meet each other, a server, a full disk or a password."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.contrib.auth.models import User
from psycopg import sql

from config import env
from config.operation.backup.archive import Archive
from config.operation.backup.backups import backup_of
from config.operation.backup.destination import LOCK
from config.operation.backup.postgresql import PostgresBackup
from tests.conftest import own_database
from tests.live.conftest import Inside
from tests.support.live.project import PATIENCE_S, ROOT, LiveProject, wait_until
from tests.support.live.small_disk import on_small_disk
from tests.support.services import address

pytestmark = pytest.mark.worker


@pytest.fixture
def pg_project(live_project: Callable[..., LiveProject], migrated_pg_url: str) -> LiveProject:
    made = live_project(DATABASE_URL=migrated_pg_url)
    made.environment["BLACKLADY_HOME"] = str(made.place)
    return made


@pytest.fixture
def own_role() -> Iterator[str]:
    """A role of the server that only this test uses, so that no other test drops what is its."""
    role = f"blacklady_test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(address("pg"), autocommit=True) as server:
        server.execute(f"CREATE ROLE {role} SUPERUSER LOGIN")
        try:
            yield role
        finally:
            for name in scratch_databases(role):
                server.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
            server.execute(f"DROP ROLE {role}")


@pytest.fixture
def project_of_own_role(pg_project: LiveProject, own_role: str) -> LiveProject:
    url = urlsplit(pg_project.environment["DATABASE_URL"])
    place = f"{own_role}@{url.hostname}:{url.port or 5432}"
    pg_project.environment["DATABASE_URL"] = urlunsplit(url._replace(netloc=place))
    return pg_project


@contextlib.contextmanager
def empty_database(project: LiveProject) -> Iterator[str]:
    """The address of another database, which nothing is in."""
    if project.environment["DATABASE_URL"].startswith("postgres"):
        with own_database() as url:
            yield url
    else:
        yield f"sqlite:///{project.place / 'other.sqlite3'}"


def backups(place: Path) -> list[str]:
    """What is in a directory of backups but its lock."""
    return sorted(path.name for path in place.iterdir() if path.name != LOCK)


def start(project: LiveProject, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=project.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_backups_at_once_are_whole_or_refused(installation: LiveProject) -> None:
    place = installation.place / "backups"
    both = [start(installation, "backup", "--to", str(place)) for _ in range(2)]
    said = [process.communicate(timeout=PATIENCE_S)[1] for process in both]
    codes = [process.returncode for process in both]
    assert sorted(codes) in ([0, 0], [0, 2]), said
    for code, text in zip(codes, said, strict=True):
        assert ("Another backup is being written" in text) == (code == 2)
    written = backups(place)
    assert len(written) == 2 * codes.count(0)
    for name in written:
        if name.endswith(".zip"):
            Archive(place / name)


@pytest.mark.tier_long
def test_serve_and_restore_keep_apart(installation: LiveProject, inside: Inside) -> None:
    with inside(installation):
        User.objects.create_user("olga")
    done = installation.manage("backup", "--to", str(installation.place / "backups"), "--json")
    file = json.loads(done.stdout)["file"]
    with empty_database(installation) as url:
        installation.environment["DATABASE_URL"] = url
        target = backup_of(env.database_of(url, named="", below=ROOT))
        with inside(installation), target.reserved():
            refused = installation.manage("serve", "--port", "0")
        assert refused.returncode == 2
        assert "is being served already" in refused.stderr

        serving = installation.start("manage.py", "serve")
        restored = installation.manage("restore", "--moved", file)
        wait_until(
            lambda: serving.poll() is not None or installation.readiness() is not None,
            what=installation.log,
        )
        served = serving.poll() is None
        assert restored.returncode in (0, 2), restored.stderr
        assert serving.poll() in (None, 2), installation.log
        assert served or restored.returncode == 0
        if not served:
            installation.serve()
        refused = installation.manage("restore", "--moved", file)
        assert refused.returncode == 2
        assert "in use" in refused.stderr or "being served" in refused.stderr
        with inside(installation):
            names = list(User.objects.values_list("username", flat=True))
            assert names == (["olga"] if restored.returncode == 0 else [])
        installation.drain()


def test_full_disk_leaves_no_half_of_a_backup(installation: LiveProject) -> None:
    url = installation.environment["DATABASE_URL"]
    if url.startswith("postgres"):
        (installation.place / "live.sqlite3").touch()
    with on_small_disk(installation) as disk:
        if url.startswith("postgres"):
            installation.environment["DATABASE_URL"] = url
        words = ("backup", "--to", str(disk.database.parent / "backups"))
        disk.fill(but_kb=60)
        refused = installation.manage(*words)
        assert refused.returncode == 2, refused.stderr
        assert "The disk is full. Make room for" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
        assert backups(disk.files / "backups") == []
        disk.clear()
        done = installation.manage(*words)
        assert done.returncode == 0, done.stderr
        assert len(backups(disk.files / "backups")) == 2


def test_directory_that_cannot_be_made_is_refused_in_one_line(project: LiveProject) -> None:
    (project.place / "file").touch()
    refused = project.manage("backup", "--to", str(project.place / "file" / "backups"))
    assert refused.returncode == 2
    assert refused.stderr.endswith("backups: Not a directory. Nothing was written.\n")
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.tier_long
@pytest.mark.pg
def test_database_of_postgresql_that_is_in_use_or_filled_is_refused(
    pg_project: LiveProject, inside: Inside, pg_url: str
) -> None:
    with inside(pg_project):
        User.objects.create_user("olga")
    done = pg_project.manage("backup", "--to", str(pg_project.place / "backups"), "--json")
    file = json.loads(done.stdout)["file"]
    filled = pg_project.manage("restore", "--moved", file)
    assert filled.returncode == 2
    assert "is not empty: it has accounts" in filled.stderr
    with psycopg.connect(pg_url):
        used = pg_project.manage("restore", "--moved", file, "--into", pg_url)
    assert used.returncode == 2
    assert "is in use: 1 other connection is open" in used.stderr
    with psycopg.connect(pg_url) as connection:
        connection.execute("CREATE TABLE album (id integer)")
    foreign = pg_project.manage("restore", "--moved", file, "--into", pg_url)
    assert "it has a table album, which is not Blacklady's" in foreign.stderr
    with psycopg.connect(pg_url) as connection:
        query = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
        assert connection.execute(query).fetchall() == [("album",)]


@pytest.mark.tier_long
@pytest.mark.pg
def test_role_that_may_not_create_databases_keeps_the_backup(pg_project: LiveProject) -> None:
    url = urlsplit(pg_project.environment["DATABASE_URL"])
    role = sql.Identifier(f"blacklady_test_{uuid.uuid4().hex[:12]}")
    with psycopg.connect(address("pg"), autocommit=True) as server:
        server.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'pass-word'").format(role))
        server.execute(sql.SQL("GRANT pg_read_all_data TO {}").format(role))
        try:
            name = role.as_string(server).strip('"')
            place = f"{name}:pass-word@{url.hostname}:{url.port or 5432}"
            pg_project.environment["DATABASE_URL"] = urlunsplit(url._replace(netloc=place))
            done = pg_project.manage(
                "backup", "--to", str(pg_project.place / "backups"), "--verify"
            )
        finally:
            server.execute(sql.SQL("DROP OWNED BY {}").format(role))
            server.execute(sql.SQL("DROP ROLE {}").format(role))
    assert done.returncode == 1, done.stderr
    assert "The backup was not verified. The role of DATABASE_URL may not create" in done.stderr
    assert len(backups(pg_project.place / "backups")) == 2


def scratch_databases(owner: str) -> set[str]:
    query = "SELECT datname::text FROM pg_database WHERE pg_get_userbyid(datdba) = %s"
    with psycopg.connect(address("pg")) as server:
        names = {name for (name,) in server.execute(query, [owner])}
    return {name for name in names if name.startswith("blacklady_verify_")}


@contextlib.contextmanager
def database_named(name: str, *, owner: str = "") -> Iterator[None]:
    with psycopg.connect(address("pg"), autocommit=True) as server:
        server.execute(f'CREATE DATABASE "{name}"' + (f" OWNER {owner}" if owner else ""))
        try:
            yield
        finally:
            server.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


@pytest.mark.pg
@pytest.mark.tier_long  # a quick machine drops the database before the backup is stopped
def test_scratch_database_of_a_killed_backup_is_named_by_status_and_dropped_by_the_next(
    project_of_own_role: LiveProject, own_role: str
) -> None:
    project = project_of_own_role
    before = scratch_databases(own_role)
    words = ("backup", "--to", str(project.place / "backups"), "--verify")
    killed = start(project, *words)
    wait_until(lambda: scratch_databases(own_role) - before, what="a scratch database")
    killed.send_signal(signal.SIGSTOP)
    [scratch] = scratch_databases(own_role) - before
    assert left(project) == [], "it is in use"
    killed.kill()
    killed.communicate()

    wait_until(lambda: scratch in left(project), what="the end of its sessions")
    done = project.manage(*words)
    assert done.returncode == 0, done.stderr
    assert f"Deleted {scratch}, which a killed command had left." in done.stdout
    assert scratch_databases(own_role) == before
    assert left(project) == []


def left(project: LiveProject) -> list[str]:
    """The scratch databases that `status` names."""
    findings = json.loads(project.manage("status", "--json").stdout)["findings"]
    sentences = [each["sentence"] for each in findings if each["code"] == "backup_left"]
    return [
        sentence.rpartition(": ")[2].rstrip(".")
        for sentence in sentences
        if "blacklady_verify_" in sentence
    ]


@pytest.mark.pg
def test_scratch_database_in_use_or_of_others_or_of_another_name_is_not_dropped(
    project_of_own_role: LiveProject, own_role: str
) -> None:
    engine = backup_of(
        env.database_of(project_of_own_role.environment["DATABASE_URL"], named="", below=ROOT)
    )
    assert isinstance(engine, PostgresBackup)
    token = uuid.uuid4().hex[:12]
    scratch = f"blacklady_verify_{token}"
    others = f"blacklady_verify_{uuid.uuid4().hex[:12]}"
    role = f"blacklady_test_{token}"
    server_url = address("pg")
    with psycopg.connect(server_url, autocommit=True) as server:
        server.execute(f"CREATE ROLE {role}")
    try:
        with (
            database_named(scratch, owner=own_role),
            database_named(others, owner=role),
            database_named(f"{scratch}_by_hand", owner=own_role),
        ):
            inside_url = urlunsplit(urlsplit(server_url)._replace(path=f"/{scratch}"))
            with psycopg.connect(inside_url):
                assert scratch not in engine.remove_left()
            with psycopg.connect(server_url, application_name=f"blacklady-backup-{token}"):
                assert scratch not in engine.remove_left()
            wait_until(lambda: scratch in engine.remove_left(), what="the end of a session")
            assert scratch_databases(role) == {others}
            assert scratch_databases(own_role) == {f"{scratch}_by_hand"}
    finally:
        with psycopg.connect(server_url, autocommit=True) as server:
            server.execute(f"DROP ROLE {role}")


@pytest.mark.pg
def test_two_backups_at_once_leave_each_other_their_scratch_databases(
    project_of_own_role: LiveProject, own_role: str
) -> None:
    project = project_of_own_role
    before = scratch_databases(own_role)
    running = [
        start(project, "backup", "--to", str(project.place / name), "--verify")
        for name in ("one", "two", "three")
    ]
    for process in running:
        _out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, err
    assert scratch_databases(own_role) == before


@pytest.mark.pg
def test_password_is_in_no_command_line_environment_and_message(pg_project: LiveProject) -> None:
    recorded = pg_project.place / "recorded"
    programs = pg_project.place / "bin"
    programs.mkdir()
    for name in ("pg_dump", "psql"):
        program = programs / name
        found = next(
            Path(place) / name
            for place in os.environ["PATH"].split(os.pathsep)
            if (Path(place) / name).exists()
        )
        program.write_text(
            f'#!/bin/sh\necho {name} "$@" >> {recorded}\nenv >> {recorded}\nexec {found} "$@"\n',
            encoding="utf-8",
        )
        program.chmod(0o755)
    url = urlsplit(pg_project.environment["DATABASE_URL"])
    place = f"{url.username}:canary-word@{url.hostname}:{url.port or 5432}"
    pg_project.environment |= {
        "DATABASE_URL_FILE": str(pg_project.place / "url"),
        "PATH": f"{programs}:{os.environ['PATH']}",
    }
    del pg_project.environment["DATABASE_URL"]
    (pg_project.place / "url").write_text(urlunsplit(url._replace(netloc=place)), encoding="utf-8")
    done = pg_project.manage("backup", "--to", str(pg_project.place / "backups"), "--verify")
    assert done.returncode == 0, done.stderr
    (pg_project.place / "url").write_text(
        urlunsplit(url._replace(netloc=place, path="/none")), encoding="utf-8"
    )
    refused = pg_project.manage("backup", "--to", str(pg_project.place / "backups"))
    assert refused.returncode == 2
    text = recorded.read_text(encoding="utf-8", errors="replace")
    assert [name for name in ("pg_dump --format", "psql --no-psqlrc") if name not in text] == []
    for said in (text, done.stdout, done.stderr, refused.stdout, refused.stderr):
        assert "canary-word" not in said
