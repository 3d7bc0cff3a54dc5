"""Emptying the tables after a test that commits, in milliseconds instead of half a second.

Django truncates every table, which makes hundreds of files on PostgreSQL, and then writes content
types and permissions anew. Here the rows go out of the tables that have any, and those two stay as
the migrations left them.
"""

from functools import cache

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.test import TransactionTestCase

KEPT = {"django_content_type", "auth_permission"}


def tables_emptied(test: TransactionTestCase) -> None:
    """End a test that commits; tests/conftest.py puts it in place of Django's own."""
    for alias in test._databases_names(include_mirrors=False):  # type: ignore[attr-defined]  # not in the stubs
        empty(connections[alias])


def empty(connection: BaseDatabaseWrapper) -> None:
    names = _tables(connection.alias)
    quoted = {name: connection.ops.quote_name(name) for name in names}
    filled = " UNION ALL ".join(
        f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {quoted[name]})"  # noqa: S608  # names of ours
        for name in names
    )
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(filled)
        found = [name for (name,) in cursor.fetchall()]
        _let_go(connection, cursor)
        for name in found:
            cursor.execute(f"DELETE FROM {quoted[name]}")  # noqa: S608  # a name of ours


def _let_go(connection: BaseDatabaseWrapper, cursor: CursorWrapper) -> None:
    """Ask nothing about foreign keys, where we may say so: everything goes."""
    if connection.vendor != "postgresql":
        return
    cursor.execute("SHOW is_superuser")
    if cursor.fetchone() == ("on",):
        cursor.execute("SET LOCAL session_replication_role = replica")


@cache
def _tables(alias: str) -> tuple[str, ...]:
    introspection = connections[alias].introspection
    found = introspection.django_table_names(only_existing=True, include_views=False)
    return tuple(sorted(set(found) - KEPT))
