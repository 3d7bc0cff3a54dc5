"""The database that the tests themselves run on."""

import pytest
from django.db import connection

import config.wsgi  # noqa: F401 - as tests of the web process import it


@pytest.mark.django_db
def test_no_table_is_vacuumed_and_no_statement_ended_by_the_clock() -> None:
    if connection.vendor != "postgresql":
        return  # SQLite has neither
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace"
            " AND NOT coalesce('autovacuum_enabled=false' = ANY(reloptions), false)"
        )
        assert cursor.fetchall() == []
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone() == ("0",)
