"""One hand over REST beside the rows it writes as one raw statement; small and large league."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from benchmarks.corrected import some_entries
from benchmarks.databases import on_postgresql
from benchmarks.http import Application, Environ, environ, opened
from benchmarks.leagues import (
    CLUB,
    NOW,
    bring_in,
    double,
    hands_of,
    seated,
    token_of,
    write_league,
)
from benchmarks.measure import Figure, Goal, compared, once, say
from benchmarks.reading_standings import EVENT
from benchmarks.sizes import Sizes
from tournaments.models.audit import AuditLine
from tournaments.models.clubs import Club, Membership
from tournaments.models.events import Entrant, Event
from tournaments.models.hands import Entry, Game, Hand, SeatScore
from tournaments.models.jobs import event_scope
from tournaments.models.rounds import Seat
from tournaments.models.standings import Contribution
from tournaments.policy import command
from tournaments.services.access.tokens import make_token
from tournaments.services.db.bulk import stored_time
from tournaments.services.operations import Operation

Values = Mapping[str, Any]


def _columns(model: type[Model], *others: str) -> tuple[str, ...]:
    """Return the columns of a table, without its id and the `others`."""
    return tuple(
        str(field.column)
        for field in model._meta.concrete_fields
        if field.column not in ("id", *others)
    )


ADDED = _columns(Contribution, "club_id", "event_id", "game_id", "entrant_id", "is_dropped")
ENTRY = _columns(Entry, "club_id", "hand_id", "revision")
SCORE = _columns(SeatScore, "club_id", "entry_id", "seat_id")
LINE = _columns(AuditLine, "club_id", "number")


STATEMENT = """
WITH taken AS (SELECT nextval(pg_get_serial_sequence('tournaments_entry', 'id')) AS id),
hand AS (
    INSERT INTO tournaments_hand (club_id, game_id, number, state, revision, entry_id, hands)
    SELECT %(club)s, %(game)s, %(number)s, 'accepted', 1, id, 1 FROM taken RETURNING id, entry_id),
entry AS (
    INSERT INTO tournaments_entry (id, hand_id, club_id, revision, {entry})
    SELECT entry_id, id, %(club)s, 1, {entry_values} FROM hand RETURNING id),
scores AS (
    INSERT INTO tournaments_seatscore (club_id, entry_id, seat_id, {score})
    SELECT %(club)s, entry.id, d.* FROM entry, unnest({score_arrays}) AS d),
contributions AS (
    INSERT INTO tournaments_contribution (club_id, event_id, game_id, entrant_id, {added})
    SELECT %(club)s, %(event)s, %(game)s, d.* FROM unnest({added_arrays}) AS d
    ON CONFLICT (game_id, entrant_id) DO UPDATE SET {added_sets}),
sums AS (
    UPDATE tournaments_aggregate a SET hands = a.hands + 1, points = a.points + d.points
    FROM unnest(%(entrants)s::bigint[], %(points)s::bigint[]) AS d(entrant_id, points)
    WHERE a.event_id = %(event)s AND a.entrant_id = d.entrant_id),
game AS (
    UPDATE tournaments_game
    SET state = %(state)s, progress = %(progress)s::jsonb, hands_counted = %(number)s
    WHERE id = %(game)s),
dirty AS (
    UPDATE tournaments_dirty SET version = version + 1, marked_at = %(marked_at)s
    WHERE scope = %(scope)s),
head AS (
    UPDATE tournaments_audithead SET number = number + 1, digest = %(head)s
    WHERE club_id = %(club)s RETURNING number)
INSERT INTO tournaments_auditline (club_id, number, {line})
SELECT %(club)s, number, {line_values} FROM head
"""


@dataclass(frozen=True, slots=True)
class HandRows:
    """What was written for a hand, for the same hand of a twin table; keys are columns."""

    at: Values
    entry: Values
    line: Values
    scores: Sequence[Sequence[Any]]
    added: Sequence[Sequence[Any]]


def rows_of(hand: Hand, twin: Game) -> HandRows:
    """Return the rows of a hand that was posted just now, for the table of `twin`."""
    entry = Entry.objects.filter(hand=hand).values(*ENTRY).get()
    lines = AuditLine.objects.filter(club_id=hand.club_id).order_by("-number")
    line = lines.values(*LINE)[0]
    at = {
        "club": hand.club_id,
        "event": twin.event_id,
        "game": twin.pk,
        "number": hand.number,
        "state": hand.game.state,
        "progress": json.dumps(hand.game.progress),
        "marked_at": stored_time(line["at"]),
        "scope": event_scope(twin.event_id),
        "head": line["digest"],
    }
    return HandRows(at, _raw(entry), _raw(line), _scores(hand, twin), _added(hand, twin))


def _scores(hand: Hand, twin: Game) -> Sequence[Sequence[object]]:
    seats = Seat.objects.filter(table_id=twin.table_id).order_by("number")
    scores = SeatScore.objects.filter(entry__hand=hand).order_by("seat__number")
    pairs = zip(seats.values_list("pk", flat=True), scores.values_list(*SCORE), strict=True)
    return [[seat, *score] for seat, score in pairs]


def _added(hand: Hand, twin: Game) -> Sequence[Sequence[object]]:
    entrants = dict(Entrant.objects.filter(event_id=twin.event_id).values_list("code", "pk"))
    added = Contribution.objects.filter(game_id=hand.game_id).order_by("entrant__code")
    return [
        [entrants[code], *values] for code, *values in added.values_list("entrant__code", *ADDED)
    ]


def write_hand(rows: HandRows) -> None:
    if on_postgresql():
        with connection.cursor() as cursor:
            cursor.execute(STATEMENT_MADE, _parameters(rows))
    else:
        _write_on_sqlite(rows)


def _raw(values: Values) -> Values:
    """Return the columns as a statement takes them: JSON as text, moments as the database has."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name in ("typed", "moon", "facts"):
            found[name] = None if value is None else json.dumps(value)
        elif name in ("at", "entered_at"):
            found[name] = stored_time(value)
        else:
            found[name] = value
    return found


def _marks(model: type[Model], names: Sequence[str], prefix: str) -> str:
    types = {field.column: field.cast_db_type(connection) for field in model._meta.concrete_fields}
    return ", ".join(f"%({prefix}_{name})s::{types[name]}" for name in names)


def _arrays(number: int, prefix: str) -> str:
    return ", ".join(f"%({prefix}_{index})s::bigint[]" for index in range(number))


STATEMENT_MADE = STATEMENT.format(
    entry=", ".join(ENTRY),
    entry_values=_marks(Entry, ENTRY, "entry"),
    score=", ".join(SCORE),
    score_arrays=_arrays(1 + len(SCORE), "score"),
    added=", ".join(ADDED),
    added_arrays=_arrays(1 + len(ADDED), "added"),
    added_sets=", ".join(f"{name} = EXCLUDED.{name}" for name in ADDED),
    line=", ".join(LINE),
    line_values=_marks(AuditLine, LINE, "line"),
)


def _parameters(rows: HandRows) -> Values:
    return {
        **rows.at,
        **{f"entry_{name}": value for name, value in rows.entry.items()},
        **{f"line_{name}": value for name, value in rows.line.items()},
        **{f"score_{at}": list(column) for at, column in enumerate(zip(*rows.scores, strict=True))},
        **{f"added_{at}": list(column) for at, column in enumerate(zip(*rows.added, strict=True))},
        "entrants": [row[0] for row in rows.added],
        "points": [row[1] for row in rows.scores],
    }


@transaction.atomic
def _write_on_sqlite(rows: HandRows) -> None:
    """Write one table after the other; nobody reads the numbers between them again."""
    at = rows.at
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO tournaments_hand (club_id, game_id, number, state, revision, hands) "
            "VALUES (%s, %s, %s, 'accepted', 1, 1)",
            [at["club"], at["game"], at["number"]],
        )
        hand = cursor.lastrowid
        names, marks = ", ".join(ENTRY), ", ".join(["%s"] * len(ENTRY))
        cursor.execute(
            f"INSERT INTO tournaments_entry (hand_id, club_id, revision, {names}) "
            f"VALUES (%s, %s, 1, {marks})",
            [hand, at["club"], *rows.entry.values()],
        )
        entry = cursor.lastrowid
        cursor.execute("UPDATE tournaments_hand SET entry_id = %s WHERE id = %s", [entry, hand])
        names, marks = ", ".join(SCORE), ", ".join(["%s"] * (3 + len(SCORE)))
        cursor.executemany(
            f"INSERT INTO tournaments_seatscore (club_id, entry_id, seat_id, {names}) "
            f"VALUES ({marks})",
            [[at["club"], entry, *row] for row in rows.scores],
        )
        names, marks = ", ".join(ADDED), ", ".join(["%s"] * (4 + len(ADDED)))
        sets = ", ".join(f"{name} = EXCLUDED.{name}" for name in ADDED)
        cursor.executemany(
            f"INSERT INTO tournaments_contribution "
            f"(club_id, event_id, game_id, entrant_id, {names}) "
            f"VALUES ({marks}) ON CONFLICT (game_id, entrant_id) DO UPDATE SET {sets}",
            [[at["club"], at["event"], at["game"], *row] for row in rows.added],
        )
        cursor.executemany(
            "UPDATE tournaments_aggregate SET hands = hands + 1, points = points + %s "
            "WHERE event_id = %s AND entrant_id = %s",
            [
                [score[1], at["event"], added[0]]
                for score, added in zip(rows.scores, rows.added, strict=True)
            ],
        )
        cursor.execute(
            "UPDATE tournaments_game SET state = %s, progress = %s, hands_counted = %s "
            "WHERE id = %s",
            [at["state"], at["progress"], at["number"], at["game"]],
        )
        cursor.execute(
            "UPDATE tournaments_dirty SET version = version + 1, marked_at = %s WHERE scope = %s",
            [at["marked_at"], at["scope"]],
        )
        cursor.execute(
            "UPDATE tournaments_audithead SET number = number + 1, digest = %s "
            "WHERE club_id = %s RETURNING number",
            [at["head"], at["club"]],
        )
        number = cursor.fetchone()[0]
        names, marks = ", ".join(LINE), ", ".join(["%s"] * (2 + len(LINE)))
        cursor.execute(
            f"INSERT INTO tournaments_auditline (club_id, number, {names}) VALUES ({marks})",
            [at["club"], number, *rows.line.values()],
        )


SMALL, TWIN = "small", "twin"
HANDS = 6
"""Hands a table, as in the leagues."""


Caller = Callable[[Game], Mapping[str, str]]
"""Gives the headers that say who posts the hands of a game."""


def figures(sizes: Sizes, folder: Path) -> Iterator[Figure]:
    """Post into the small league in turn with raw statements, then in turn with the large one."""
    file = write_league(
        folder / "small.csv", players=sizes.standings_players, hands=sizes.small_hands
    )
    for slug in (SMALL, TWIN):
        bring_in(file, slug)
    club = Club.objects.get(slug=CLUB)
    application = Application()
    host, holder = _by_token(club), _by_link(application)
    yield from _beside_raw(application, club, host, sizes)
    yield from _beside_raw(application, club, holder, sizes, how=" with a table's link")
    large = Event.objects.get(club=club, slug=EVENT)
    for number in range(sizes.doublings):
        say(f"doubling the large league, {number + 1} of {sizes.doublings}")
        double(large)
    yield from _beside_large(application, club, host, sizes)


def _by_token(club: Club) -> Caller:
    host = User.objects.create_user("host")
    Membership.objects.create(club=club, user=host, role="host")
    token = make_token(Operation(command("bench"), NOW), club, user=host, scope="enter")
    return lambda game: {"authorization": f"Bearer {token}"}


def _by_link(application: Application) -> Caller:
    """Return whoever holds a table's link, which they open here: a signed cookie and CSRF's two."""
    return lambda game: opened(
        lambda path, headers: application.get(path, **headers).cookies, token_of(game)
    )


def _requests(games: Sequence[Game], caller: Caller) -> Iterator[Environ]:
    entries = some_entries()
    for game in games:
        credentials = caller(game)
        for number in range(1, HANDS + 1):
            headers = {**credentials, "idempotency_key": f"{game.pk}-{number}"}
            body = {"number": number, "entry": next(entries)}
            yield environ("POST", hands_of(game), headers, body)


def _beside_raw(
    application: Application, club: Club, caller: Caller, sizes: Sizes, how: str = ""
) -> Iterator[Figure]:
    """Post a hand, then write the rows that came of it, for the twin table, as one statement.

    The hands of a first table come before anything is measured.
    """
    say(f"posting hands{how}, and writing their rows")
    tables = -(-(sizes.posts + 2 * HANDS) // HANDS)
    first, *mine = seated(club, SMALL, tables)
    _, *theirs = seated(club, TWIN, tables)
    for request in _requests([first], caller):
        application.must(201, request)
    posted: list[float] = []
    raw: list[float] = []
    requests = list(_requests(mine, caller))
    for index, request in enumerate(requests[: sizes.posts]):
        posted.append(once(partial(application.must, 201, request)))
        game, twin = mine[index // HANDS], theirs[index // HANDS]
        hand = Hand.objects.select_related("game").get(game=game, number=1 + index % HANDS)
        raw.append(once(partial(write_hand, rows_of(hand, twin))))
    yield compared(
        "posting a hand",
        f"POST of a hand{how}, {len(posted)} in turn",
        posted,
        "the same rows as raw SQL",
        raw,
        Goal(5),
    )
    statements = _statements(application, requests[sizes.posts])
    yield Figure(
        "posting a hand", f"statements of a POST{how}", len(statements), "statements", goal=Goal(12)
    )
    writing = [statement for statement in statements if not statement.startswith("SELECT")]
    yield Figure("posting a hand", f"of these that write{how}", len(writing), "statements")


def _statements(application: Application, request: Environ) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        application.must(201, request)
    texts = [query["sql"] for query in queries.captured_queries]
    return [text for text in texts if not text.startswith(("BEGIN", "COMMIT"))]


def _beside_large(
    application: Application, club: Club, caller: Caller, sizes: Sizes
) -> Iterator[Figure]:
    large = Event.objects.get(club=club, slug=EVENT)
    hands = Hand.objects.filter(game__event=large).count()
    tables = -(-(sizes.posts + HANDS) // HANDS)
    say("posting hands into a small and a large league")
    requests = [list(_requests(seated(club, slug, tables), caller)) for slug in (SMALL, EVENT)]
    seconds = [
        [once(partial(application.must, 201, one)) for one in pair]
        for pair in zip(*requests, strict=True)
    ]
    few, many = zip(*seconds[HANDS:], strict=True)
    name = f"POST into a league of {hands:,} hands"
    small = f"into one of {sizes.small_hands:,}"
    yield compared("posting a hand", name, many, small, few, Goal(1.2))
