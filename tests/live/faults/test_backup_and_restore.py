"""A backup while hands come in, everything deleted, and the backup restored."""

import io
import json
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone
from psycopg import sql

from config import env
from config.operation.backup.archive import Archive
from config.operation.backup.backups import restore_backup
from config.operation.backup.destination import BackupRefused
from tests.live.conftest import Inside
from tests.support.builders import by_tests
from tests.support.lengths import short_or_long
from tests.support.live.events import computed_anew, is_published, newest, remainder
from tests.support.live.project import ROOT, LiveProject, wait_until
from tests.support.live.rest_client import Hosts, RestClient, open_rest_client, stored
from tests.support.services import address
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Hand, SeatScore
from tournaments.models.rounds import Table
from tournaments.models.standings import Publication
from tournaments.selectors.access.table_links import secrets_of
from tournaments.services.access.table_links import make_link
from tournaments.services.access.tokens import make_token

pytestmark = pytest.mark.worker

TABLES = 4
HANDS = short_or_long(12, 40)
"""So many are acknowledged before the backup begins."""

Publications = dict[int, tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made while hands came in, and what was known then."""

    project: LiveProject
    file: Path
    event: Event
    rest: RestClient
    acknowledged: dict[tuple[str, int], int]
    """Before it began."""
    later: dict[tuple[str, int], int]
    """When everybody had ended."""
    publications: Publications
    secrets: list[str]
    """Tokens that open something."""


def publications(event: Event) -> Publications:
    found = Publication.objects.filter(event=event)
    return {one.number: (one.digest, bytes(one.body)) for one in found}


def destroy(project: LiveProject) -> None:
    """Delete the database with all that belongs to it; on PostgreSQL an empty one is made."""
    url = project.environment["DATABASE_URL"]
    if url.startswith("sqlite"):
        for file in project.place.glob("live.sqlite3*"):
            file.unlink()
        return
    name = sql.Identifier(urlsplit(url).path.removeprefix("/"))
    with psycopg.connect(address("pg"), autocommit=True) as server:
        server.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
        server.execute(sql.SQL("CREATE DATABASE {}").format(name))


def tables_of(project: LiveProject) -> list[str]:
    """What is in the place of the database after it was destroyed."""
    url = project.environment["DATABASE_URL"]
    if url.startswith("sqlite"):
        return [file.name for file in project.place.glob("*live.sqlite3*")]
    with psycopg.connect(url) as connection:
        query = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
        return [name for (name,) in connection.execute(query)]


def unanalyzed(project: LiveProject) -> list[str]:
    """The tables whose rows PostgreSQL has not counted."""
    url = project.environment["DATABASE_URL"]
    if url.startswith("sqlite"):
        return []
    query = "SELECT relname::text FROM pg_stat_user_tables WHERE last_analyze IS NULL"
    with psycopg.connect(url) as connection:
        return [name for (name,) in connection.execute(query)]


def damaged(file: Path, place: Path) -> Iterator[Path]:
    """Copies of a file with one flipped byte each, and some that are cut short."""
    whole = file.read_bytes()
    last = len(whole) - 1
    copy = place / "damaged.zip"
    for at in (0, 10, last // 4, last // 2, 3 * last // 4, last - 200, last - 70, last):
        copy.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        yield copy
    for length in (0, 50, last // 2, last):
        copy.write_bytes(whole[:length])
        yield copy


def plain_text(backup: Backup, place: Path) -> bytes:
    archive = Archive(backup.file)
    member = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
    dump = archive.extract(member[archive.manifest.database], place / "dump")
    if archive.manifest.database == "sqlite":
        return dump.read_bytes()
    words = ["pg_restore", "--file=-", str(dump)]
    return subprocess.run(words, capture_output=True, check=True).stdout


def require_no_secrets(backup: Backup, place: Path) -> None:
    """Nothing that opens something is in a backup; the secret key is beside it, for its owner."""
    text = plain_text(backup, place) + Archive(backup.file).manifest.as_json().encode()
    assert b"riverside" in text
    assert [secret for secret in backup.secrets if secret.encode() in text] == []
    key_file = backup.file.with_suffix(".key")
    assert key_file.read_text(encoding="utf-8").strip() == backup.project.environment["SECRET_KEY"]
    assert key_file.stat().st_mode & 0o777 == 0o600


@pytest.fixture
def backup(installation: LiveProject, inside: Inside) -> Backup:
    """Hosts enter hands as fast as they are acknowledged, before, during and after a backup."""
    served = installation.serve()
    with inside(installation):
        rest, event = open_rest_client(installation, tables=TABLES)
        link = make_link(by_tests(timezone.now()), Table.objects.get(code="r1t1"))
        token = make_token(
            by_tests(timezone.now()), None, user=User.objects.get(username="hanna"), scope="read"
        )
        opening = secrets_of(link.seed)
        secrets = [opening.token, opening.code, token, installation.environment["SECRET_KEY"]]
        hosts = Hosts(rest, TABLES).start()
        wait_until(lambda: hosts.has(HANDS), what=installation.log)
        acknowledged = dict(hosts.acknowledged)
        done = installation.manage(
            "backup", "--to", str(installation.place / "backups"), "--verify", "--json"
        )
        at_its_end = len(hosts.acknowledged)
        wait_until(lambda: hosts.has(at_its_end + 1), what=installation.log)
        hosts.end()
        assert hosts.rude == []
        assert done.returncode == 0, done.stderr
        wait_until(lambda: is_published(event.pk), what=installation.log)
        found = publications(event)
    installation.drain()
    assert served.returncode in (0, -signal.SIGTERM)
    said = json.loads(done.stdout)
    assert said["verified"] is True
    print(
        f"{len(acknowledged)} hands acknowledged before the backup, {said['counts']['hands']} in "
        f"it, {at_its_end} acknowledged at its end; "
        f"{len(hosts.seconds) * TABLES / sum(hosts.seconds):.0f} hands a second"
    )
    assert at_its_end > len(acknowledged), "no hand came in during the backup"
    return Backup(
        installation, Path(said["file"]), event, rest, acknowledged, dict(hosts.acknowledged),
        found, secrets,
    )  # fmt: skip


def test_backup_under_load_is_restored_whole_after_everything_was_deleted(
    backup: Backup, inside: Inside, tmp_path: Path
) -> None:
    project, event = backup.project, backup.event
    require_no_secrets(backup, tmp_path)
    destroy(project)
    into = env.database_of(project.environment["DATABASE_URL"], named="", below=ROOT)
    for copy in damaged(backup.file, tmp_path):
        with pytest.raises(BackupRefused, match="damaged"):
            restore_backup(copy, into=into, keys=None, is_copy=False, now=timezone.now())
    refused = project.manage("restore", "--moved", str(tmp_path / "damaged.zip"))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert len(refused.stderr.splitlines()) == 1
    assert tables_of(project) == []

    done = project.manage("restore", "--moved", str(backup.file))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Restored blacklady-" in done.stdout
    assert "run manage.py migrate" not in done.stdout
    assert unanalyzed(project) == []
    with inside(project):
        there = stored(event)
        assert backup.acknowledged.items() <= there.items() <= backup.later.items()
        print(f"{len(there)} hands restored, {len(backup.later)} were acknowledged in all")
        assert Entry.objects.filter(hand__game__event=event).count() == len(there)
        assert SeatScore.objects.filter(entry__hand__game__event=event).count() == 4 * len(there)
        assert Hand.objects.filter(game__event=event, entry=None).count() == 0
        assert publications(event).items() <= backup.publications.items()
        call_command("verify_audit", stdout=io.StringIO())
        call_command("replay", "--check", stdout=io.StringIO(), stderr=io.StringIO())

    project.serve()
    with inside(project):
        number = sum(code == "r1t1" for code, _ in there) + 1
        answer = backup.rest.enter("r1t1", number, key="after-the-restore")
        assert answer.status == 201, answer
        wait_until(lambda: is_published(event.pk), what=project.log)
        assert remainder(newest(event.pk)) == computed_anew(event.pk)
