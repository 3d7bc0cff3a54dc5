"""The service as a role that owns nothing, over TLS; its owner migrates and backs up."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.live.conftest import Inside
from tests.support.certificates import self_signed
from tests.support.live.cluster import FAST, Cluster
from tests.support.live.events import is_published
from tests.support.live.project import LiveProject, wait_until
from tests.support.live.rest_client import Hosts, open_rest_client, published_hands
from tests.support.sources import ROOT
from tournaments.models.hands import Hand
from tournaments.services.db.bulk import analyze_tables

pytestmark = [pytest.mark.worker, pytest.mark.pg, pytest.mark.redis]

ROLE = "blacklady_service"
ENCRYPTED = """
    SELECT bool_and(s.ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid)
    WHERE a.usename = %s
"""
OWNED = "SELECT count(*) FROM pg_shdepend WHERE refobjid = %s::regrole AND deptype = 'o'"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A server that takes connections over TLS too."""
    made = Cluster(*FAST)
    for file, name in zip(self_signed(tmp_path), ("server.crt", "server.key"), strict=True):
        shutil.copy(file, made.place / "data" / name)
        (made.place / "data" / name).chmod(0o600)
        shutil.chown(made.place / "data" / name, (made.place / "data").owner())
    with psycopg.connect(made.url, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET ssl = on")
        connection.execute("SELECT pg_reload_conf()")
    yield made
    made.end()


@pytest.fixture
def project(
    live_project: Callable[..., LiveProject], cluster: Cluster, redis_url: str, tmp_path: Path
) -> LiveProject:
    tls = f"?sslmode=verify-full&sslrootcert={tmp_path / 'certificate.pem'}"
    owner_url = cluster.new_database() + tls
    return live_project(
        DATABASE_URL=owner_url.replace("postgres@", f"{ROLE}@"),
        DATABASE_DIRECT_URL=owner_url,
        BROKER_URL=redis_url,
        CACHE_URL=redis_url,
    )


def test_role_that_owns_nothing_serves_over_tls_what_its_owner_migrates_and_backs_up(
    project: LiveProject, inside: Inside, tmp_path: Path
) -> None:
    file = str(ROOT / "deploy" / "postgresql" / "service_role.sql")
    for words in (("migrate", "--noinput"), *(("dbshell", "--", "--quiet", "--file", file),) * 2):
        done = project.manage(*words)
        assert done.returncode == 0, done.stderr
    web = project.start("manage.py", "web", "--workers", "1")
    project.start_worker("celery@one")
    project.wait_ready(web)
    with inside(project):
        rest, event = open_rest_client(project, 1)
    hosts = Hosts(rest, 1).start()
    wait_until(lambda: hosts.has(5), what=project.log)
    hosts.end()
    owner_url = project.environment["DATABASE_DIRECT_URL"]
    with inside(project):
        wait_until(lambda: is_published(event.pk), what=project.log)
        assert published_hands(event) == len(hosts.acknowledged) >= 5
        with psycopg.connect(owner_url, autocommit=True) as owner:
            assert owner.execute(ENCRYPTED, [ROLE]).fetchone() == (True,)
            assert owner.execute(OWNED, [ROLE]).fetchone() == (0,)
            rows = "SELECT reltuples FROM pg_class WHERE relname = 'tournaments_hand'"
            before = owner.execute(rows).fetchone()
            analyze_tables([Hand])
            assert owner.execute(rows).fetchone() != before
    saved = project.manage("backup", "--to", str(tmp_path / "backups"), "--verify")
    assert saved.returncode == 0, saved.stderr
    with psycopg.connect(project.environment["DATABASE_URL"], autocommit=True) as service:
        for statement in ("CREATE TABLE mine ()", "DROP TABLE tournaments_hand"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                service.execute(statement)


def test_server_with_another_certificate_is_refused(project: LiveProject, tmp_path: Path) -> None:
    folder = tmp_path / "another"
    folder.mkdir()
    other = self_signed(folder)[0]
    for name in ("DATABASE_URL", "DATABASE_DIRECT_URL"):
        project.environment[name] = project.environment[name].replace(
            str(tmp_path / "certificate.pem"), other
        )
    done = project.manage("migrate", "--noinput")
    assert done.returncode != 0
    assert "certificate verify failed" in done.stderr
