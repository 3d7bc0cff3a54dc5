"""The PostgreSQL database with an empty, up-to-date schema that tests copy."""

import os
from pathlib import Path
from threading import Thread
from typing import Final
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql

from tests.support.live.project import LiveProject
from tests.support.made_once import PLACE, is_made, made_once
from tests.support.services import address

TEMPLATE: Final = "migrated-pg"


def template_name() -> str:
    return f"{Path(os.environ[PLACE]).name}-template"


def migrated_template() -> str:
    """Make it where no process of this run has yet; its name."""
    name, server = template_name(), address("pg")

    def migrate(place: Path) -> None:
        with psycopg.connect(server, autocommit=True) as cluster:
            cluster.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        url = urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
        project = LiveProject(place, {"DATABASE_URL": url})
        done = project.manage("migrate", "--skip-checks", "--verbosity", "0")
        assert done.returncode == 0, done.stderr

    made_once(TEMPLATE, migrate)
    return name


def migrate_meanwhile(config: pytest.Config) -> None:
    is_whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    is_first = not hasattr(config, "workerinput") and not config.option.collectonly
    if is_whole and is_first and os.environ["DATABASE_URL"].startswith("postgres"):
        thread = Thread(target=migrated_template)
        thread.start()
        config.add_cleanup(thread.join)


def remove_template() -> None:
    if is_made(TEMPLATE):
        with psycopg.connect(address("pg"), autocommit=True) as cluster:
            name = sql.Identifier(template_name())
            cluster.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))
