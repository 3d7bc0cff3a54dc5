"""Seeded leagues: files of sheets, leagues brought in from them, and leagues made large by SQL."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from django.db import connection, transaction
from django.db.models import Model
from django.utils import timezone

from benchmarks.databases import on_postgresql
from benchmarks.sizes import Sizes
from tests.support.imports.make_league import main as make_league
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.rounds import Meeting, Round, Seat, Sitting, Table
from tournaments.models.standings import Aggregate, Contribution, Publication
from tournaments.policy import command
from tournaments.selectors.access.table_links import secrets_of
from tournaments.services.access.table_links import make_link
from tournaments.services.db.bulk import SUMS
from tournaments.services.imports.import_file import import_file
from tournaments.services.imports.import_sheets import ImportRequest
from tournaments.services.imports.targets import find_target
from tournaments.services.imports.uploads import Report
from tournaments.services.operations import Operation
from tournaments.services.rounds.seating import seat_table

CLUB = "bench"
NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
SEED = 1
BAD_SHARE = 100
"""One line in this many gets a fault."""


def write_league(file: Path, *, players: int, hands: int) -> Path:
    """Write a league with the script that came with the goals; always the same bytes."""
    make_league(
        ["--players", str(players), "--hands", str(hands), "--seed", str(SEED), "--out", str(file)]
    )
    return file


def write_bad(good: Path, bad: Path) -> int:
    """Write `good` with 1 % of its lines spoilt, no two of one hand; returns how many."""
    with good.open(newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    column = {name: index for index, name in enumerate(head)}
    chance = Random(SEED)
    hands = chance.sample(range(len(rows) // 4), max(1, len(rows) // BAD_SHARE))
    for position, hand in enumerate(sorted(hands)):
        _spoil(rows[4 * hand + chance.randrange(4)], column, position % 3)
    with bad.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    return len(hands)


def _spoil(row: list[str], column: dict[str, int], kind: int) -> None:
    """Make a heart too many, a number that is none, or a player whom nobody knows."""
    hearts = column["hearts"]
    if kind == 0:
        row[hearts] = str(int(row[hearts]) + 1)
        row[column["points"]] = ""
    elif kind == 1:
        row[hearts] = "some"
    else:
        row[column["points"]] = str(int(row[column["points"]]) + 1)


def bring_in(file: Path, event: str) -> Report:
    target = find_target(actor=command("import_sheets"), club=CLUB, event=event, create=True)
    request = ImportRequest(file, file.name)
    return import_file(Operation(command("import_sheets"), NOW), target, request)


def standings_league(folder: Path, sizes: Sizes, event: str) -> Report:
    """Bring in the league whose standings are read: so many players, four score rows a hand."""
    file = write_league(
        folder / "standings.csv", players=sizes.standings_players, hands=sizes.standings_hands
    )
    return bring_in(file, event)


def seated(club: Club, slug: str, tables: int) -> list[Game]:
    event = Event.objects.select_related("club").get(club=club, slug=slug)
    people = list(Player.objects.filter(club=club).order_by("player_id"))
    a_round = len(people) // 4
    last = Round.objects.filter(event=event).order_by("-number").values_list("number", flat=True)
    first = (last.first() or 0) + 1
    return [
        seat_table(
            Operation(command("bench"), NOW),
            event,
            round_number=first + index // a_round,
            table_number=1 + index % a_round,
            players=people[4 * (index % a_round) : 4 * (index % a_round) + 4],
        )
        for index in range(tables)
    ]


def hands_of(game: Game) -> str:
    """Return where the hands of a game are posted."""
    event, table = game.event, game.table
    return f"/api/v1/clubs/{CLUB}/events/{event.slug}/tables/{table.code}/hands"


def token_of(game: Game) -> str:
    link = make_link(Operation(command("bench"), timezone.now()), game.table)
    return secrets_of(link.seed).token


def codes(report: Report) -> Sequence[str]:
    return [problem.code for problem in report.problems]


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
"""Table → SQL condition for the rows of an event."""


Moved = Mapping[str, int]
"""Table → what is added to its ids."""


def double(event: Event) -> None:
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
    if on_postgresql():
        for table in (*(model._meta.db_table for model in DOUBLED), Publication._meta.db_table):
            _run(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), "
                f"(SELECT MAX(id) FROM {table}))"
            )
    _run("ANALYZE")
