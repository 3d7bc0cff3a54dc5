"""Fixtures that every test may use. tests/support/tiers.py decides which of them run."""

import gc
import math
import os
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import hypothesis
import kombu
import psycopg
import pytest
import time_machine
from django.conf import settings as django_settings
from django.core.management import call_command
from django.db import connection
from django.template import Context, Template
from django.test import testcases
from django.test import utils as test_utils
from django.test.signals import template_rendered
from django.utils.safestring import SafeString
from hypothesis import HealthCheck, Phase
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from psycopg import sql
from pytest_django import DjangoDbBlocker

from tests.support import services
from tests.support.browser import end_browser
from tests.support.cast import NOW
from tests.support.database_clock import answer_clock
from tests.support.emptied import tables_emptied
from tests.support.lengths import is_long, short_or_long
from tests.support.live.deadlocks import check_deadlocks, deadlocks_on_purpose
from tests.support.live.project import LiveProject, own_redis
from tests.support.live.reused_database import ReusedDatabase
from tests.support.made_once import PLACE, made_once
from tests.support.template_database import migrate_meanwhile, migrated_template
from tournaments.domain import faults
from tournaments.domain.circuit_breaker import BROKER, CACHE
from tournaments.selectors.jobs import outgoing

__all__ = ["deadlocks_on_purpose"]

pytest_plugins = [
    "tests.support.module_scope",
    "tests.support.fixtures",
    "tests.support.large_stack",
    "tests.support.published_documents",
    "tests.support.refusals",
    "tests.support.rest.request_counts",
    "tests.support.scenarios.evenings",
    "tests.support.shared_rewriting",
    "tests.support.walks",
]

ROOT = Path(__file__).resolve().parent.parent

# How long an example takes says how busy the machine is, and nothing of the code. The tiers that
# decide draw the same examples each time and keep none. To make a failing one smaller may take
# longer than a test may last. `make test-long` searches at random: what it finds becomes an
# `@example`.
hypothesis.settings.register_profile(
    "decide",
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
    phases=(Phase.explicit, Phase.generate, Phase.target),
)
hypothesis.settings.register_profile(
    "search", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis.settings.load_profile(short_or_long("decide", "search"))


def pytest_configure(config: pytest.Config) -> None:
    """Signing in costs nothing in a test, and test clients speak plain HTTP on every database."""
    django_settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    django_settings.SECURE_SSL_REDIRECT = False
    # What one test's requests meet is no fault of another test's installation.
    faults.DIRECTORY = f"{os.environ[PLACE]}/faults-{os.getpid()}"
    # Else every client of a test looks up all static files anew, those of the sidecar too.
    django_settings.WHITENOISE_AUTOREFRESH = True
    # A test may import what a web process imports, and no later one may end for being slow.
    django_settings.DATABASE_TIMEOUTS = {"web": {}, "worker": {}}
    # A page asks once in some seconds whether anything is sent: no test's count depends on when.
    outgoing.KNOWN.known_until = math.inf
    migrate_meanwhile(config)
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(testcases.TransactionTestCase, "_fixture_teardown", tables_emptied)
    monkeypatch.setattr(test_utils, "instrumented_test_render", render_noted)
    if not is_long():
        # Hypothesis also draws constants of all modules that the process has imported, so an
        # example would depend on which tests ran before it.
        monkeypatch.setattr(providers, "_get_local_constants", Constants)
    config.add_cleanup(monkeypatch.undo)


def render_noted(template: Template, context: Context) -> SafeString:
    """Render a template, and let a response know it if it is that of its page.

    Django's own lets it know each template that a page includes, with a copy of the context.
    """
    if context.template is template:
        template_rendered.send(sender=template, template=template, context=context)
    return template.nodelist.render(context)


def pytest_collection_finish() -> None:
    """Let the garbage collector leave alone what stays: thousands of tests, and all modules.

    The pages' modules come before any test: what is imported while a test has put something else
    in place of a function would keep that for all tests after it.
    """
    import_module(django_settings.ROOT_URLCONF)
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    """Let no test read what another one's visitors were given, or learn what was away for it."""
    kept_parts = import_module("tournaments.views.http.responses")
    kept_parts.KEPT_PARTS.forget()
    for breaker in (BROKER, CACHE):
        breaker.succeeded()
    shutil.rmtree(faults.DIRECTORY, ignore_errors=True)


@pytest.fixture(autouse=True)
def one_clock() -> Iterator[None]:
    """Time stands still for the database too where a test stops it."""
    with connection.execute_wrapper(answer_clock):
        yield


@pytest.fixture(scope="session")
def project_root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The hand-out directory with oracle cases and sheets, where it lies beside the project."""
    return services.SHARED


@pytest.fixture(scope="session")
def migrated(django_db_blocker: DjangoDbBlocker) -> Path:
    """A SQLite file with an empty, up-to-date schema, to be copied; made once a run."""
    commands = (("migrate", "--skip-checks"), ("createcachetable",))

    def migrate_here(place: Path) -> None:
        database = connection.settings_dict
        name, database["NAME"] = database["NAME"], str(place / "live.sqlite3")
        with django_db_blocker.unblock():
            for command in commands:
                call_command(*command, verbosity=0)
            connection.close()
        database["NAME"] = name

    def migrate_project(place: Path) -> None:
        project = LiveProject(place, {})
        for command in commands:
            done = project.manage(*command, "--verbosity", "0")
            assert done.returncode == 0, done.stderr

    is_ours = connection.vendor == "sqlite"
    return made_once("migrated", migrate_here if is_ours else migrate_project) / "live.sqlite3"


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Whether the test database is there before its tests: that of SQLite is a copy."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings: None,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Begin with a migrated database, that of SQLite in a file, as an installation does.

    The threads of a live server share one connection to a database in memory, and another thread's
    connection finds its tables locked, where readers of a file never wait for a writer.
    """
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        file = tmp_path_factory.mktemp("database") / "tests.sqlite3"
        database["TEST"]["NAME"] = str(file)
        # Nothing here need survive a power cut, so no commit waits for the disk.
        database["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
        shutil.copy(request.getfixturevalue("migrated"), file)
    else:
        database["TEST"]["TEMPLATE"] = request.getfixturevalue("migrated_pg")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Make the test database, on PostgreSQL without autovacuum.

    Most tests never commit. Autovacuum sees none of their rows and notes that the tables are
    empty, and a join of eight tables planned for that takes seconds instead of milliseconds.
    """
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            for table in connection.introspection.table_names(cursor):
                off = sql.SQL("ALTER TABLE {} SET (autovacuum_enabled = false)")
                cursor.execute(off.format(sql.Identifier(table)))


@contextmanager
def own_database(template: str = "template1") -> Iterator[str]:
    """Make a PostgreSQL database for a block; yields its address."""
    server = services.address("pg")
    name = sql.Identifier(f"blacklady_{uuid.uuid4().hex[:12]}")
    make = sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(name, sql.Identifier(template))
    with psycopg.connect(server, autocommit=True) as server_connection:
        server_connection.execute(make)
        path = f"/{name.as_string(server_connection)[1:-1]}"
        url = urlunsplit(urlsplit(server)._replace(path=path))
        yield url
        try:
            check_deadlocks(url)
        finally:
            server_connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    """Time as it stands at NOW, until a test shifts it."""
    with time_machine.travel(NOW, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def pg_url() -> Iterator[str]:
    """A fresh PostgreSQL database, dropped afterwards. For tests marked `pg`."""
    with own_database() as url:
        yield url


@pytest.fixture(scope="session")
def migrated_pg() -> str:
    """The name of a PostgreSQL database with an empty, up-to-date schema, to be copied."""
    return migrated_template()


@pytest.fixture(scope="session")
def reused_database(migrated_pg: str) -> Iterator[ReusedDatabase]:
    """The database of all tests of this process that begin with an empty one."""
    database = ReusedDatabase(partial(own_database, template=migrated_pg))
    yield database
    database.close()


@pytest.fixture
def migrated_pg_url(reused_database: ReusedDatabase) -> Iterator[str]:
    """A PostgreSQL database with an empty, up-to-date schema. For tests marked `pg`."""
    with reused_database.as_migrated() as url:
        yield url


@pytest.fixture
def redis_url() -> Iterator[str]:
    """An empty database of the Redis server that no other test uses. For tests marked `redis`."""
    with own_redis(services.address("redis")) as url:
        yield url


@pytest.fixture
def broker_queue() -> str:
    return f"blacklady-test-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def rabbitmq_url(broker_queue: str) -> Iterator[str]:
    """The RabbitMQ server; `broker_queue` on it goes afterwards. For tests marked `rabbitmq`."""
    url = services.address("rabbitmq")
    yield url
    with kombu.Connection(url) as broker:
        kombu.Queue(broker_queue, channel=broker.channel()).delete()


@pytest.fixture(scope="session")
def chromium() -> Iterator[str]:
    """The path of Debian's chromium, for tests marked `browser`; the one browser ends with it."""
    yield services.CHROMIUM
    end_browser()


@pytest.fixture
def live_project(tmp_path: Path, broker_queue: str) -> Iterator[Callable[..., LiveProject]]:
    """Make a running project: `live_project(DATABASE_URL=…)`; all processes end with the test."""
    made: list[LiveProject] = []

    def make(**environment: str) -> LiveProject:
        place = tmp_path / f"project{len(made)}"
        place.mkdir()
        settings: Mapping[str, str] = {"BROKER_QUEUE": broker_queue, **environment}
        made.append(LiveProject(place, settings))
        return made[-1]

    yield make
    for project in made:
        project.end()
