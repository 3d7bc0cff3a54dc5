"""The clock by which workers claim jobs: that of the database, which all of them share."""

from datetime import datetime

from django.db import connection


def database_time(now: datetime) -> datetime:
    """Return the time of the PostgreSQL server; `now` with SQLite, which has no other clock."""
    if connection.vendor != "postgresql":
        return now
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement_timestamp()")
        moment: datetime = cursor.fetchone()[0]
    return moment
