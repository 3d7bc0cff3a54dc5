"""How the database keeps what is published."""

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


def test_postgresql_compresses_what_is_published_with_lz4() -> None:
    """Reading a large table costs a third of what it costs with PostgreSQL's own method."""
    if connection.vendor != "postgresql":
        pytest.skip("of PostgreSQL only")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname, attcompression FROM pg_attribute"
            " WHERE attrelid = 'tournaments_publication'::regclass AND attname IN ('body', 'csv')"
        )
        assert dict(cursor.fetchall()) == {"body": "l", "csv": "l"}
