"""Real installations for tests that start, kill and restart processes."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from config import env
from tests.support.live.project import ROOT, Inside, LiveProject
from tests.support.services import beside_postgresql


@pytest.fixture
def embedded(
    live_project: Callable[..., LiveProject], migrated: Path
) -> Callable[..., LiveProject]:
    """Make an embedded installation with an empty database: `embedded(BROKER_URL=…)`."""

    def make(**environment: str) -> LiveProject:
        made = live_project(**environment)
        shutil.copy(migrated, made.place / "live.sqlite3")
        return made

    return make


@pytest.fixture
def project(embedded: Callable[..., LiveProject]) -> LiveProject:
    """An embedded installation with an empty database; nothing runs yet."""
    return embedded()


@pytest.fixture(
    params=[
        pytest.param("sqlite", marks=beside_postgresql()),
        pytest.param("pg", marks=pytest.mark.pg),
    ]
)
def installation(
    request: pytest.FixtureRequest,
    live_project: Callable[..., LiveProject],
    embedded: Callable[..., LiveProject],
) -> LiveProject:
    """An installation with an empty database of either kind, and a home; nothing runs yet."""
    if request.param == "pg":
        made = live_project(DATABASE_URL=request.getfixturevalue("migrated_pg_url"))
    else:
        made = embedded()
    made.environment["BLACKLADY_HOME"] = str(made.place)
    return made


@pytest.fixture(scope="session")
def inside(django_db_blocker: DjangoDbBlocker) -> Inside:
    """Let this process work on an installation's own database: `with inside(project): …`."""

    @contextmanager
    def switched(project: LiveProject) -> Iterator[None]:
        url = project.environment["DATABASE_URL"]
        database = settings.DATABASES["default"] | _database(url)
        outside = connections["default"]
        with django_db_blocker.unblock():
            connections["default"] = ConnectionHandler({"default": database})["default"]
            try:
                yield
            finally:
                connections["default"].close()
                connections["default"] = outside

    return switched


def _database(url: str) -> dict[str, object]:
    return env.database("NO_SUCH_VARIABLE", default=url, below=ROOT) | (
        {
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 10,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
            }
        }
        if url.startswith("sqlite")
        else {"OPTIONS": {}, "CONN_MAX_AGE": 0}
    )
