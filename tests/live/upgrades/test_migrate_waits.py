"""`migrate` gives a table up that is in use, lets others pass, and can be run again."""

from collections.abc import Callable

import psycopg
import pytest

from tests.support.live.project import PATIENCE_S, LiveProject, wait_until

pytestmark = pytest.mark.pg

COLUMN = (
    "SELECT count(*) FROM information_schema.columns"
    " WHERE table_name = 'tournaments_player' AND column_name = 'public_name'"
)


@pytest.mark.tier_long
def test_table_in_use_is_given_up_and_migrated_later(
    live_project: Callable[..., LiveProject], pg_url: str
) -> None:
    project = live_project(DATABASE_URL=pg_url)
    assert project.manage("migrate", "tournaments", "0001", "--verbosity", "0").returncode == 0
    with psycopg.connect(pg_url) as holder:
        holder.execute("LOCK TABLE tournaments_player IN ACCESS SHARE MODE")
        refused = project.manage("migrate", "--verbosity", "0", "--tries", "1")
        assert refused.returncode == 2
        assert "A table stayed in use" in refused.stderr
        assert "Traceback" not in refused.stderr
        assert holder.execute(COLUMN).fetchone() == (0,)

        migrating = project.start("manage.py", "migrate", "--verbosity", "0")
        wait_until(lambda: "in use (try 1 of 10)" in project.log, what="the first try")
        with psycopg.connect(pg_url) as reader:  # waits for a try that is on its way, no longer
            reader.execute("SET statement_timeout = '20s'")
            reader.execute("SELECT count(*) FROM tournaments_player")
        assert migrating.poll() is None
    assert migrating.wait(timeout=PATIENCE_S) == 0
    with psycopg.connect(pg_url) as reader:
        assert reader.execute(COLUMN).fetchone() == (1,)


def test_lock_wait_ends_with_the_command(
    live_project: Callable[..., LiveProject], migrated_pg_url: str
) -> None:
    """`serve` migrates in its own process, which afterwards waits as long as its settings say."""
    project = live_project(DATABASE_URL=migrated_pg_url)
    code = (
        "from django.core.management import call_command; from django.db import connection; "
        "call_command('migrate', verbosity=0); cursor = connection.cursor(); "
        "cursor.execute('SHOW lock_timeout'); print(cursor.fetchone()[0])"
    )
    done = project.manage("shell", "--verbosity", "0", "--command", code)
    assert done.stdout.split() == ["0"], done.stderr
