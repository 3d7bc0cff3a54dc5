"""What takes the room of the database, and what was added within a month, in few statements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.apps import apps
from django.db import Error, connection
from django.db.models import Max, Min, Model

from config.health import database_time_limit

MONTH: Final = timedelta(days=30)
KINDS: Final = {
    "hands": "Entry.entered_at Hand Game SeatScore Contribution Table Seat Sitting",
    "publications": "Publication.published_at PublicationPack PublicationFile StoredHistory",
    "audit trail": "AuditLine.at",
    "photos": "SheetPhoto.added_at Picture",
    "imports": "ImportBatch.started_at Upload ImportProblem Replacement UndoneHand",
    "mails": "Outbox.created_at",
    "notices": "Notice.created_at",
    "webhooks": "WebhookEvent.created_at WebhookDelivery",
}
"""Kind → its tables; the first with its time, in whose order its rows get their ids."""


@dataclass(frozen=True, slots=True)
class KindGrowth:
    """Bytes are None on SQLite, where only the whole file is known without reading it."""

    name: str
    bytes: int | None
    rows_of_month: int
    bytes_of_month: int | None


@dataclass(frozen=True, slots=True)
class DatabaseGrowth:
    bytes: int
    kinds: Sequence[KindGrowth]


def read_growth(now: datetime) -> DatabaseGrowth | None:
    """Return the size of the database and of its kinds, the largest first; None if it is slow."""
    on_sqlite = connection.vendor == "sqlite"
    file = "(SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)"
    whole = file if on_sqlite else "pg_database_size(current_database())"
    tables = "SELECT oid::regclass::text, pg_total_relation_size(oid) FROM pg_class"
    try:
        with database_time_limit(), connection.cursor() as cursor:
            cursor.execute(f"SELECT {whole}")
            [[total]] = cursor.fetchall()
            cursor.execute("SELECT 0, 0" if on_sqlite else f"{tables} WHERE relkind = 'r'")
            sizes = dict(cursor.fetchall())
            kinds = [_kind(name, None if on_sqlite else sizes, now - MONTH) for name in KINDS]
    except Error:
        return None
    kinds.sort(key=lambda kind: (-(kind.bytes or 0), -kind.rows_of_month))
    return DatabaseGrowth(total, kinds)


def _kind(name: str, sizes: Mapping[str, int] | None, since: datetime) -> KindGrowth:
    """Take the rows of a month for as large as the others of their kind."""
    first_table, *others = KINDS[name].split()
    model_name, time = first_table.split(".")
    models = [apps.get_model("tournaments", each) for each in (model_name, *others)]
    ids = models[0]._default_manager.aggregate(first=Min("pk"), last=Max("pk"))
    first, end = ids["first"] or 0, (ids["last"] or -1) + 1
    n_rows = end - _first_since(models[0], time, since, first, end)
    if sizes is None:
        return KindGrowth(name, None, n_rows, None)
    size = sum(sizes[model._meta.db_table] for model in models)
    return KindGrowth(name, size, n_rows, size * n_rows // max(1, end - first))


def _first_since(model: type[Model], time: str, since: datetime, low: int, high: int) -> int:
    """Return the first id of that time or later, by halving: some twenty reads of an index."""
    while low < high:
        middle = (low + high) // 2
        rows = model._default_manager.filter(pk__gte=middle).order_by("pk")
        row = rows.values_list("pk", time).first()
        if row is None or row[1] >= since:
            high = middle
        else:
            low = row[0] + 1
    return low
