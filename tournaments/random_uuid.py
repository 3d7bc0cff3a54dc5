"""A random UUID made by the database: the default of an id that an older release does not write.

Migrations use this expression too, so it must not change.
"""

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Func, UUIDField
from django.db.models.sql.compiler import SQLCompiler
from django.utils.deconstruct import deconstructible


@deconstructible
class RandomUUID(Func):
    """Makes 122 random bits on PostgreSQL; 128 and no version on SQLite, which has no function."""

    template = "gen_random_uuid()"
    arity = 0
    output_field = UUIDField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any
    ) -> tuple[str, Any]:
        """Return the expression as SQLite stores UUIDs, in 32 hexadecimal digits."""
        return self.as_sql(compiler, connection, template="lower(hex(randomblob(16)))", **context)
