"""A database made before the initial migration is told to start over, and nothing in it changes."""

import sqlite3

from tests.support.live.project import LiveProject


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
