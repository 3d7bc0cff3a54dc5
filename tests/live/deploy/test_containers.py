"""What docker-compose.yml starts, as an unprivileged account on a tree that is read-only."""

import re
import secrets
import subprocess
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from tests.live.deploy.conftest import ServerMaker
from tests.support.live.deployment import compose_service, image_variables
from tests.support.live.project import free_port
from tests.support.live.read_only import Server

pytestmark = [pytest.mark.pg, pytest.mark.redis, pytest.mark.worker]

LASTING = ("redis", "web", "worker")
SERVICE_ROLE = f"blacklady_{secrets.token_hex(6)}"
"""Roles are shared by the databases of a server, so this one has a name of its own."""
SECRETS = {
    "secret_key": secrets.token_hex(32),
    "postgres_password": "nobody-asks-for-it",
    "service_password": secrets.token_hex(32),
    "redis_password": secrets.token_hex(32),
    "email_url": "consolemail://",
}


class Containers:
    """Processes with the commands, environments and files of the services."""

    def __init__(self, server: Server, pg_url: str) -> None:
        self.server = server
        self._redis_port = free_port()
        self._ours = {
            "DATABASE_URL": pg_url,
            "BROKER_URL": f"redis://127.0.0.1:{self._redis_port}/0",
            "CACHE_URL": f"redis://127.0.0.1:{self._redis_port}/1",
            "SERVICE_ROLE": SERVICE_ROLE,
        }

    def environment(self, name: str) -> dict[str, str]:
        """The image's variables and the service's, with our PostgreSQL and Redis."""
        theirs = {**image_variables(), **compose_service(name)["environment"]}
        account = urlsplit(theirs["DATABASE_URL"]).username
        ours = self._ours
        if account == "blacklady_service":
            database = urlsplit(ours["DATABASE_URL"])
            netloc = f"{SERVICE_ROLE}@{database.hostname}:{database.port}"
            ours = ours | {"DATABASE_URL": urlunsplit(database._replace(netloc=netloc))}
        return {**theirs, **ours}

    def words(self, command: list[str]) -> list[str]:
        """A command or a health check at our port."""
        form, *rest = command
        words = {"CMD": rest, "CMD-SHELL": ["sh", "-c", *rest]}.get(form, command)
        words = [re.sub(r"\b8000\b", str(self.server.project.port), word) for word in words]
        port = f" --port {self._redis_port}"
        words = [word.replace("redis-server -", f"redis-server -{port}") for word in words]
        return [word.replace("redis-cli", f"redis-cli -p {self._redis_port}") for word in words]

    def start(self, name: str) -> subprocess.Popen[bytes]:
        words = self.words(compose_service(name)["command"])
        return self.server.start(*words, environment=self.environment(name))

    def is_healthy(self, name: str) -> bool:
        check = self.words(compose_service(name)["healthcheck"]["test"])
        return self.server.run(*check, environment=self.environment(name)).returncode == 0


@pytest.fixture
def containers(server: ServerMaker, pg_url: str) -> Iterator[Containers]:
    with server(pg_url) as made:
        for name, value in SECRETS.items():
            made.write(f"/run/secrets/{name}", f"{value}\n")
        yield Containers(made, pg_url)
    with psycopg.connect(pg_url, autocommit=True) as connection:
        connection.execute(f"DROP OWNED BY {SERVICE_ROLE}")
        connection.execute(f"DROP ROLE {SERVICE_ROLE}")


def test_services_become_healthy_on_a_read_only_tree(containers: Containers) -> None:
    server = containers.server
    environment = containers.environment("migrate")
    migrated = server.run(*compose_service("migrate")["command"], environment=environment)
    assert migrated.returncode == 0, migrated.stderr
    # The image has these files, and nobody can change them there.
    server.collect_static(environment)
    assert [containers.is_healthy(name) for name in LASTING] == [False] * len(LASTING)
    _redis, web, _worker = (containers.start(name) for name in LASTING)
    server.project.wait_ready(web)
    assert [containers.is_healthy(name) for name in LASTING] == [True] * len(LASTING)
    assert [process.poll() for process in server.project.processes] == [None] * len(LASTING)
    checked = server.run(
        "blacklady", "check", "--deploy", "--fail-level", "WARNING", environment=environment
    )
    assert checked.returncode == 0, checked.stderr
    assert server.files_outside_the_state() == []
