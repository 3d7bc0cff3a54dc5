"""Looking for a name in everything that is stored: every text and byte column of every table."""

from collections.abc import Iterable
from pathlib import Path

from django.db import connection


def rows_with(*texts: str) -> dict[str, int]:
    """Return how many rows of which column hold one of the texts, in any case; {} for none."""
    found: dict[str, int] = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            columns = connection.introspection.get_table_description(cursor, table)
            names = ", ".join(connection.ops.quote_name(one.name) for one in columns)
            cursor.execute(f"SELECT {names} FROM {connection.ops.quote_name(table)}")  # noqa: S608 - our own tables
            for row in cursor.fetchall():
                for column, value in zip(columns, row, strict=True):
                    if _holds(value, texts):
                        at = f"{table}.{column.name}"
                        found[at] = found.get(at, 0) + 1
    return found


def files_with(folder: Path, *texts: str) -> list[str]:
    files = [one for one in sorted(folder.rglob("*")) if one.is_file()]
    return [str(file.relative_to(folder)) for file in files if _holds(file.read_bytes(), texts)]


def _holds(value: object, texts: Iterable[str]) -> bool:
    if isinstance(value, memoryview):
        value = bytes(value)
    if isinstance(value, bytes):
        readings = (value.decode(one, errors="replace") for one in ("utf-8", "utf-16-le"))
        return any(_holds(reading, texts) for reading in readings)
    if isinstance(value, str):
        escaped = [text.encode("ascii", "backslashreplace").decode() for text in texts]
        shown = value.casefold()
        return any(one.casefold() in shown for one in [*texts, *escaped])
    return value is not None and not isinstance(value, int | float) and _holds(str(value), texts)
