"""Servers as deploy/ and docker-compose.yml describe them, with nothing writable but the state."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.support.live.project import LiveProject
from tests.support.live.read_only import Server, install_wheel, read_only_server
from tests.support.made_once import made_once

ServerMaker = Callable[[str], AbstractContextManager[Server]]


@pytest.fixture(scope="session")
def wheel_environment() -> Path:
    """An environment with the wheel of this tree, made once for all processes of a run."""
    return made_once("wheel", install_wheel) / "environment"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, wheel_environment: Path) -> ServerMaker:
    """Make a server: `with server(DATABASE_URL) as made: …`; its processes end with the block."""

    @contextmanager
    def make(database_url: str) -> Iterator[Server]:
        place = tmp_path_factory.mktemp("server")
        project = LiveProject(place, {"DATABASE_URL": database_url})
        (place / "directories").mkdir()
        with read_only_server(place / "directories", wheel_environment, project) as made:
            yield made

    return make
