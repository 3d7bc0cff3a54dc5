"""A league made large by SQL: every row of an event that is there, once more, again and again.

Rounds, tables, hands and scores are doubled with new ids and later rounds; what is summed up is
summed up again, so that the result is what importing twice as many evenings would have left.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from django.db import connection, transaction
from django.db.models import Model

from benchmarks.rows import on_postgresql
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.meetings import Meeting, Round, Seat, Sitting, Table
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.services.db.bulk import SUMS

DOUBLED: tuple[type[Model], ...] = (
    Meeting,
    Round,
    Table,
    Seat,
    Sitting,
    Game,
    Hand,
    Entry,
    SeatScore,
    Contribution,
)
OWN: Mapping[type[Model], str] = {
    Meeting: "event_id = {event}",
    Round: "event_id = {event}",
    Table: "event_id = {event}",
    Game: "event_id = {event}",
    Contribution: "event_id = {event}",
    Seat: "table_id IN (SELECT id FROM tournaments_table WHERE event_id = {event})",
    Sitting: "round_id IN (SELECT id FROM tournaments_round WHERE event_id = {event})",
    Hand: "game_id IN (SELECT id FROM tournaments_game WHERE event_id = {event})",
    Entry: "hand_id IN (SELECT h.id FROM tournaments_hand h JOIN tournaments_game g "
    "ON g.id = h.game_id WHERE g.event_id = {event})",
    SeatScore: "seat_id IN (SELECT s.id FROM tournaments_seat s JOIN tournaments_table t "
    "ON t.id = s.table_id WHERE t.event_id = {event})",
}
"""Which rows of a table belong to an event."""

Moved = Mapping[str, int]
"""Table → what is added to its ids."""


def double(event: Event) -> None:
    """Let the event have been played twice as long."""
    with transaction.atomic(), _unchecked():
        moved = {model._meta.db_table: _highest(model) for model in DOUBLED}
        rounds = _number("SELECT MAX(number) FROM tournaments_round WHERE event_id = %s", event.pk)
        days = _number("SELECT COUNT(*) FROM tournaments_meeting WHERE event_id = %s", event.pk)
        for model in DOUBLED:
            _copy(model, event.pk, moved, rounds, days)
        sets = ", ".join(f"{name} = 2 * {name}" for name in SUMS)
        table = Aggregate._meta.db_table
        _run(f"UPDATE {table} SET {sets} WHERE event_id = {event.pk}")
    _settle_down()


def add_publications(slug: str, number: int) -> None:
    """Give an event so many publications more, as if it had changed as often; they are empty."""
    event = Event.objects.get(slug=slug)
    newest = Publication.objects.filter(event=event).order_by("-number").first()
    if newest is None:
        raise AssertionError(f"{slug} has not been published yet")
    row = (
        f"{event.club_id}, {event.pk}, {newest.number} + n, {newest.version} + n, '', '',"
        f" {_EMPTY[connection.vendor]}, {_EMPTY[connection.vendor]}, published_at, 0, 0, FALSE"
    )
    _run(
        "INSERT INTO tournaments_publication "
        "(club_id, event_id, number, version, digest, etag, body, csv, published_at, audit_number, "
        "names_version, is_redacted) "
        f"WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted "
        f"WHERE n < {number}) SELECT {row} FROM counted, "
        f"(SELECT published_at FROM tournaments_publication WHERE id = {newest.pk}) AS newest"
    )
    _settle_down()


_EMPTY = {"postgresql": "''::bytea", "sqlite": "x''"}


def _copy(model: type[Model], event: int, moved: Moved, rounds: int, days: int) -> None:
    meta = model._meta
    columns, values = [], []
    for field in meta.concrete_fields:
        column = str(field.column)
        columns.append(column)
        to = field.related_model._meta.db_table if field.related_model else ""
        if field.primary_key:
            values.append(f"id + {moved[meta.db_table]}")
        elif to in moved:
            values.append(f"{column} + {moved[to]}")
        elif (model, column) == (Round, "number"):
            values.append(f"number + {rounds}")
        elif (model, column) == (Table, "code"):
            values.append(_code(rounds))
        elif (model, column) == (Meeting, "public_id"):
            values.append("gen_random_uuid()" if on_postgresql() else "lower(hex(randomblob(16)))")
        elif (model, column) == (Meeting, "date"):
            values.append(f"date + {days}" if on_postgresql() else f"date(date, '+{days} days')")
        else:
            values.append(column)
    _run(
        f"INSERT INTO {meta.db_table} ({', '.join(columns)}) SELECT {', '.join(values)} "
        f"FROM {meta.db_table} WHERE {OWN[model].format(event=event)}"
    )


def _code(rounds: int) -> str:
    """Return the expression for a copied table's code."""
    number = "(SELECT r.number FROM tournaments_round r WHERE r.id = round_id)"
    return f"'r' || ({number} + {rounds}) || 't' || number"


def _highest(model: type[Model]) -> int:
    return _number(f"SELECT MAX(id) FROM {model._meta.db_table}")


def _number(statement: str, *values: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(statement, list(values))
        return int(cursor.fetchone()[0] or 0)


def _run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@contextmanager
def _unchecked() -> Iterator[None]:
    """Leave foreign keys unchecked: the copies point at each other as the originals did."""
    if on_postgresql():
        _run("SET LOCAL session_replication_role = replica")
    else:
        _run("PRAGMA defer_foreign_keys = ON")
    yield


def _settle_down() -> None:
    """Let the database learn what it holds now, and go on counting after the highest id."""
    if on_postgresql():
        for table in (*(model._meta.db_table for model in DOUBLED), Publication._meta.db_table):
            _run(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), "
                f"(SELECT MAX(id) FROM {table}))"
            )
    _run("ANALYZE")
