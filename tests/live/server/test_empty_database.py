"""A database without tables, one of an older version, and the link to the first account."""

import sqlite3

import pytest

from tests.support.live.project import LiveProject, free_port, wait_until
from tests.support.sources import ROOT

SHEETS = ROOT / "tests" / "sheets" / "sheets.csv"
SAYS = (
    "The tables of the database are missing or out of date. Run manage.py migrate first, then "
    "give the command again.\n"
)


@pytest.mark.parametrize(
    "command",
    [
        ("setup_link",),
        ("import_sheets", "--club", "my-club", "--event", "spring", "--create", str(SHEETS)),
        ("publish", "--club", "my-club", "--event", "spring"),
    ],
    ids=lambda words: words[0],
)
def test_command_without_tables_says_to_migrate_first(
    project: LiveProject, command: tuple[str, ...]
) -> None:
    path = project.place / "live.sqlite3"
    path.unlink()
    refused = project.manage(*command)
    assert (refused.returncode, refused.stderr) == (2, SAYS)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    connection.close()


@pytest.mark.worker
def test_link_to_the_first_account_names_the_running_server(project: LiveProject) -> None:
    port = free_port()
    project.start("manage.py", "serve", "--host", "0.0.0.0", "--port", str(port))  # noqa: S104 - what is tested
    address = f"http://127.0.0.1:{port}/setup/"
    wait_until(lambda: address in project.log, what="the link")
    assert f"Blacklady is at http://127.0.0.1:{port}/, until Ctrl-C." in project.log
    made = project.manage("setup_link")
    assert made.stdout.startswith(address)
    assert "No running server" not in made.stderr


def test_database_of_an_older_version_is_told_to_start_over(project: LiveProject) -> None:
    path = project.place / "live.sqlite3"
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE tournaments_club (id integer PRIMARY KEY, name text)")
        connection.execute("INSERT INTO tournaments_club (name) VALUES ('Riverside')")
    refused = project.manage("migrate", "--verbosity", "0")
    assert refused.returncode == 2
    assert "Start over with an empty database" in refused.stderr
    assert "Traceback" not in refused.stderr
    with sqlite3.connect(path) as connection:
        kept = connection.execute("SELECT name FROM tournaments_club").fetchall()
    connection.close()
    assert kept == [("Riverside",)]
