"""`manage.py status`: what is wrong with this installation, and how fast its database grows."""

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypedDict

from django.apps import apps
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.db import Error, connection
from django.db.models import Count, Model, Q
from django.utils import timezone

from config.database_connections import limit_database_time
from config.health import database_time_limit
from config.operation.status.installation_status import InstallationStatus, read_status

MONTH: Final = timedelta(days=30)
GROWING_KINDS: Final = {
    "hands": "Entry.entered_at Hand Game SeatScore Contribution Table Seat Sitting",
    "publications": "Publication.published_at PublicationPack PublicationFile StoredHistory",
    "audit trail": "AuditLine.at",
    "photos": "SheetPhoto.added_at Picture",
    "imports": "ImportBatch.started_at Upload ImportProblem Replacement UndoneHand",
    "mails": "Outbox.created_at",
    "notices": "Notice.created_at",
    "webhooks": "WebhookEvent.created_at WebhookDelivery",
}
"""Kind → its tables; the first with its time, by which its rows are counted."""
MOST_COUNTED: Final = 1_000_000
"""A table of more rows is not counted, which would take seconds."""


class TableSize(NamedTuple):
    """The size of a table on PostgreSQL; the rows are those of its last ANALYZE, -1 before one."""

    n_bytes: int
    n_rows: float


class KindGrowth(TypedDict):
    """The size of a kind. Bytes are None on SQLite, where only the whole file is known."""

    name: str
    bytes: int | None
    rows_of_month: int
    bytes_of_month: int | None


class DatabaseGrowth(TypedDict):
    """The size of the database and of its kinds, the largest first."""

    bytes: int
    kinds: list[KindGrowth]


def read_growth(now: datetime) -> DatabaseGrowth | None:
    """Return the growth of the database; None if reading it is slow."""
    on_sqlite = connection.vendor == "sqlite"
    file = "(SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)"
    whole = file if on_sqlite else "pg_database_size(current_database())"
    tables = "SELECT oid::regclass::text, pg_total_relation_size(oid), reltuples FROM pg_class"
    try:
        with database_time_limit(), connection.cursor() as cursor:
            cursor.execute(f"SELECT {whole}")
            [[total]] = cursor.fetchall()
            sizes: dict[str, TableSize] = {}
            if not on_sqlite:
                cursor.execute(f"{tables} WHERE relkind = 'r'")
                sizes = {table: TableSize(*size) for table, *size in cursor.fetchall()}
            kinds = [_kind(name, sizes, now - MONTH) for name in GROWING_KINDS]
    except Error:
        return None
    kinds.sort(key=lambda kind: (-(kind["bytes"] or 0), -kind["rows_of_month"]))
    return {"bytes": total, "kinds": kinds}


def _kind(name: str, sizes: Mapping[str, TableSize], since: datetime) -> KindGrowth:
    """Take the rows of a month for as large as the others of their kind."""
    first_table, *others = GROWING_KINDS[name].split()
    model_name, time = first_table.split(".")
    models = [apps.get_model("tournaments", each) for each in (model_name, *others)]
    n_all, n_rows = _count_rows(models[0], time, since, sizes.get(models[0]._meta.db_table))
    size = of_month = None
    if sizes:
        size = sum(sizes[model._meta.db_table].n_bytes for model in models)
        of_month = size * n_rows // max(1, n_all)
    return {"name": name, "bytes": size, "rows_of_month": n_rows, "bytes_of_month": of_month}


def _count_rows(
    model: type[Model], time: str, since: datetime, size: TableSize | None
) -> tuple[int, int]:
    """Return how many rows there are, and how many of that time or later.

    Ids do not tell: an import of a club stores old rows with new ids. Of large tables it is what
    PostgreSQL estimates, as for its plans.
    """
    recent = Q(**{f"{time}__gte": since})
    if size is None or size.n_rows <= MOST_COUNTED:
        counts = model._default_manager.aggregate(
            all=Count("pk"), recent=Count("pk", filter=recent)
        )
        return counts["all"], counts["recent"]
    [plan] = json.loads(model._default_manager.filter(recent).explain(format="json"))
    return round(size.n_rows), plan["Plan"]["Plan Rows"]


class Command(BaseCommand):
    help = "Say what is wrong with this installation: 0 well, 1 degraded."
    requires_system_checks = ()  # it says itself what does not work

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *args: object, **options: Any) -> None:
        """Exit status 1 if anything is wrong; notes do not count."""
        limit_database_time("web")  # it connects as a web process does, and meets the same faults
        logging.disable(logging.WARNING)  # what it would log, it prints
        try:
            status = read_status(timezone.now())
            growth = None if status.jobs is None else read_growth(status.at)
        finally:
            logging.disable(logging.NOTSET)
        lines: Iterable[str] = in_words(status, growth)
        if options["json"]:
            lines = [as_json(status, growth)]
        self.stdout.write("\n".join(lines))
        if not status.is_well:
            raise SystemExit(1)


def in_words(status: InstallationStatus, growth: DatabaseGrowth | None) -> Iterator[str]:
    problems = sum(finding.severity != "note" for finding in status.findings)
    if not problems:
        yield f"All is well. Blacklady {settings.VERSION}."
    else:
        word = "problem" if problems == 1 else "problems"
        yield f"Degraded: {problems} {word}. Blacklady {settings.VERSION}."
    for finding in status.findings:
        yield ""
        since = "" if finding.since is None else f" Since {_moment(finding.since)}."
        yield f"[{finding.severity}] {finding.sentence}{since}"
        yield f"  {finding.advice}"
    if growth is not None:
        yield ""
        yield f"The database has {_size(growth['bytes'])}."
        for kind in growth["kinds"]:
            n_bytes, of_month = kind["bytes"], kind["bytes_of_month"]
            size = "" if n_bytes is None else f"{_size(n_bytes)}, "
            more = "" if of_month is None else f", about {_size(of_month)}"
            yield f"  {kind['name']}: {size}{kind['rows_of_month']:,} new in 30 days{more}"


def as_json(status: InstallationStatus, growth: DatabaseGrowth | None) -> str:
    content = {
        "status": "well" if status.is_well else "degraded",
        "version": settings.VERSION,
        "at": status.at,
        "findings": list(map(asdict, status.findings)),
        "workers": list(map(asdict, status.workers)),
        "hints_waiting": status.hints_waiting,
        "jobs": _figures(status.jobs, "waiting", "oldest", "parked", "deadlines_missed"),
        "outgoing": _figures(status.outgoing, "is_on", "by_setting", "off_since"),
        "mail": _figures(status.mail, "waiting", "oldest", "parked"),
        "webhooks": status.webhooks
        and {
            "waiting": status.webhooks.waiting,
            "due": status.webhooks.due,
            "oldest_due": status.webhooks.oldest,
            "parked": status.webhooks.parked,
        },
        "disks": [
            {"place": place, "free_bytes": free, "size_bytes": size}
            for place, (free, size) in status.disks.items()
        ],
        "last_backup": _figures(status.last_backup, "at", "size_bytes"),
        "certificate_ends_at": status.certificate.ends_at,
        "database": growth,
    }
    return json.dumps(content, indent=2, default=_moment)


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:,.1f} MB"


def _figures(figures: object, *names: str) -> dict[str, object] | None:
    if figures is None:
        return None
    return {name: getattr(figures, name) for name in names}


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
