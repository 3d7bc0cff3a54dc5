"""Stored hands, games and totals of an event in bulk, for replaying and comparing them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from django.db import connection

from tournaments.domain.seating_runs import SeatRun
from tournaments.models.audit import AuditLine
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Sitting
from tournaments.models.standings import PLACES, Aggregate, Contribution
from tournaments.selectors.audit import event_subjects
from tournaments.selectors.hands.game_for_update import ADDED

GAMES = 10_000
"""Games in one batch."""


class StoredGame(NamedTuple):
    """A game as stored. `sides` has the side of each seat clockwise; `progress` is JSON."""

    id: int
    snapshot_id: int
    sides: str
    progress: str | None
    hands_counted: int
    counts: bool


Row: TypeAlias = tuple[Any, ...]


class StoredHand(NamedTuple):
    """A hand that counts; `typed` and `moon` are JSON, `scores` and `totals` None without rows."""

    game_id: int
    number: int
    typed: str
    scores: str | None
    totals: str | None
    verified: str
    moon: str | None


_SCORE = """CASE WHEN s.score_im IS NULL THEN s.score || ':' || s.moons
                ELSE s.score || ':' || s.score_im || ':' || s.moons END"""
_TOTAL = "CASE WHEN s.total_im IS NULL THEN s.total || '' ELSE s.total || ':' || s.total_im END"
_GAMES = {
    "postgresql": """
        SELECT g.id, g.snapshot_id, string_agg(t.side, ',' ORDER BY t.number), g.progress,
            g.hands_counted, g.counts
        FROM tournaments_game g JOIN tournaments_seat t ON t.table_id = g.table_id
        WHERE g.id = ANY(ARRAY(SELECT id FROM tournaments_game
            WHERE event_id = {event} AND id > {after} ORDER BY id LIMIT {limit}))
        GROUP BY g.id ORDER BY g.id
        """,
    # Before 3.44 it cannot order what it puts together, but it goes through a list in its order.
    "sqlite": """
        SELECT g.id, g.snapshot_id, (SELECT group_concat(side, ',') FROM (
            SELECT t.side FROM tournaments_seat t WHERE t.table_id = g.table_id
            ORDER BY t.number)), g.progress, g.hands_counted, g.counts
        FROM tournaments_game g WHERE g.event_id = {event} AND g.id > {after}
        ORDER BY g.id LIMIT {limit}
        """,
}
# PostgreSQL sorts all seats once and groups them as they come: half of the time that it takes to
# sort the seats of every hand by itself.
_HANDS = {
    "postgresql": """
        SELECT h.game_id, h.number, e.typed, s.scores, s.totals, e.verified, e.moon
        FROM tournaments_hand h
        JOIN tournaments_game g ON g.id = h.game_id
        JOIN tournaments_entry e ON e.id = h.entry_id
        LEFT JOIN (
            SELECT entry_id, string_agg(score, ',') AS scores, string_agg(total, ',') AS totals
            FROM (
                SELECT s.entry_id, {score} AS score, {total} AS total
                FROM tournaments_seatscore s
                JOIN tournaments_seat t ON t.id = s.seat_id
                JOIN tournaments_game g ON g.table_id = t.table_id
                WHERE g.event_id = {event} AND g.id BETWEEN {first} AND {last}
                ORDER BY s.entry_id, t.number
            ) in_order
            GROUP BY entry_id
        ) s ON s.entry_id = e.id
        WHERE g.event_id = {event} AND g.id BETWEEN {first} AND {last} AND h.state = 'accepted'
        ORDER BY h.game_id, h.number
        """,
    "sqlite": """
        SELECT h.game_id, h.number, e.typed,
            (SELECT group_concat(one, ',') FROM (SELECT {score} AS one
                FROM tournaments_seatscore s JOIN tournaments_seat t ON t.id = s.seat_id
                WHERE s.entry_id = e.id ORDER BY t.number)),
            (SELECT group_concat(one, ',') FROM (SELECT {total} AS one
                FROM tournaments_seatscore s JOIN tournaments_seat t ON t.id = s.seat_id
                WHERE s.entry_id = e.id ORDER BY t.number)),
            e.verified, e.moon
        FROM tournaments_hand h
        JOIN tournaments_game g ON g.id = h.game_id
        JOIN tournaments_entry e ON e.id = h.entry_id
        WHERE g.event_id = {event} AND g.id BETWEEN {first} AND {last}
            AND h.state = 'accepted'
        ORDER BY h.game_id, h.number
        """,
}


def stored_games(event: Event, *, after: int, limit: int) -> Sequence[StoredGame]:
    """Return the next games of the event by id, those with an id above `after`."""
    statement = _GAMES[connection.vendor].format(event=event.pk, after=after, limit=limit)
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return [StoredGame._make([*row[:-1], bool(row[-1])]) for row in cursor.fetchall()]


def stored_hands(event: Event, *, first: int, last: int) -> Sequence[Row]:
    """Return the rows (as `StoredHand`) of the event's games of these ids, in order."""
    statement = _HANDS[connection.vendor].format(
        score=_SCORE, total=_TOTAL, event=event.pk, first=first, last=last
    )
    with connection.cursor() as cursor:
        cursor.execute(statement)
        rows: list[Row] = cursor.fetchall()
        return rows


SUMS: Final = (
    *(field.attname for field in Aggregate._meta.concrete_fields if field.attname in ADDED),
    *(f"place_{place}" for place in range(1, PLACES + 1)),
)
"""The columns of an aggregate that are sums of contributions."""


def game_ids(event: Event, *, after: int, limit: int) -> Sequence[int]:
    """Return the next games of the event by id, those with an id above `after`."""
    games = Game.objects.filter(event=event, pk__gt=after).order_by("pk")
    return list(games.values_list("pk", flat=True)[:limit])


def number_of_games(event: Event) -> int:
    return Game.objects.filter(event=event).count()


def stored_chairs(event: Event, *, first: int, last: int) -> Mapping[int, Sequence[SeatRun]]:
    """Return who sat where in the games of these ids, as far as they compete."""
    statement = """
        SELECT g.id, n.kind, s.number, t.player_id, t.from_hand, t.to_hand,
            t.substitute_for_id, m.entrant_id
        FROM tournaments_game g
        JOIN tournaments_seat s ON s.table_id = g.table_id
        JOIN tournaments_sitting t ON t.seat_id = s.id
        JOIN tournaments_entrantmember m
            ON m.event_id = g.event_id AND m.player_id = t.player_id
        JOIN tournaments_entrant n ON n.id = m.entrant_id
        WHERE g.event_id = %s AND g.id BETWEEN %s AND %s
        """
    chairs: dict[int, list[SeatRun]] = {}
    with connection.cursor() as cursor:
        cursor.execute(statement, [event.pk, first, last])
        for game_id, kind, *run in cursor.fetchall():
            is_group = kind != EntrantKind.PLAYER
            chairs.setdefault(game_id, []).append(SeatRun(*(*run, is_group)))
    return chairs


def stored_lengths(event: Event, *, first: int, last: int) -> Mapping[int, int | None]:
    """Return the number of hands that a sheet with totals only covers, by game."""
    totals = Hand.objects.filter(
        game__event=event, game__gte=first, game__lte=last, number=0, state="accepted"
    )
    return dict(totals.values_list("game_id", "hands"))


def stored_worth(
    event: Event, *, first: int, last: int
) -> Mapping[int, Mapping[int, tuple[int, ...]]]:
    """Return what each of these games adds as stored: by entrant, in the order of `ADDED`."""
    rows = Contribution.objects.filter(event=event, game__gte=first, game__lte=last)
    worth: dict[int, dict[int, tuple[int, ...]]] = {}
    for game_id, entrant_id, *values in rows.values_list("game_id", "entrant_id", *ADDED):
        worth.setdefault(game_id, {})[entrant_id] = tuple(values)
    return worth


def summed(
    event: Event, entrants: Sequence[int] | None = None
) -> Sequence[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """Return (entrant, sums of its games, sums as stored); one statement, so of one moment.

    Sums are in the order of `SUMS`. Who has no row yet has sums of 0.
    """
    names = ", ".join(f"COALESCE(c.{name}, 0)" for name in SUMS)
    stored = ", ".join(f"COALESCE(a.{name}, 0)" for name in SUMS)
    sums = ", ".join(f"CAST(SUM({_SOURCE.get(name, name)}) AS bigint) AS {name}" for name in SUMS)
    only = "" if entrants is None else f"AND e.id IN ({', '.join(map(str, map(int, entrants)))})"
    of_contributions = only.replace("e.id", "entrant_id")
    statement = f"""
        SELECT e.id, {names}, {stored} FROM {Entrant._meta.db_table} e
        LEFT JOIN (SELECT entrant_id, {sums} FROM {Contribution._meta.db_table}
            WHERE event_id = %s {of_contributions} GROUP BY entrant_id) c ON c.entrant_id = e.id
        LEFT JOIN {Aggregate._meta.db_table} a ON a.entrant_id = e.id AND a.event_id = e.event_id
        WHERE e.event_id = %s {only} ORDER BY e.id
        """  # noqa: S608 - names of our own tables, and numbers
    with connection.cursor() as cursor:
        cursor.execute(statement, [event.pk, event.pk])
        rows = cursor.fetchall()
    middle = 1 + len(SUMS)
    return [(row[0], tuple(row[1:middle]), tuple(row[middle:])) for row in rows]


_SOURCE: Final = {
    f"place_{place}": f"CASE WHEN place = {place} THEN 1 ELSE 0 END"
    for place in range(1, PLACES + 1)
}
"""SQL of the totals that are not columns."""
AT_ONE_HAND: Final = frozenset(
    {"enter_hand", "correct_hand", "void_hand", "enter_hand_refused", "read_back"}
)
"""Operations that move the sums of those who sit at one table, and nothing else."""
MOST_TABLES: Final = 200
"""With more tables than this anything may have changed: looking costs more than making."""
_TABLE: Final = re.compile(r"r(?P<round>\d+)t\d+")


ChangedTables: TypeAlias = tuple[frozenset[int], frozenset[str]]
"""The rounds with a changed table, and the codes of the entrants at one."""


def changed_tables_since(event: Event, after: int, until: int) -> ChangedTables | None:
    """Return the scope of changes in lines `after` to `until` of the trail; None: anything.

    It has the rounds with a changed table, and the codes of the entrants at one.
    """
    codes: set[str] = set()
    subjects = event_subjects(event)
    lines = AuditLine.objects.filter(club=event.club_id, number__gt=after, number__lte=until)
    for operation, subject in lines.values_list("act", "subject").iterator():
        where, _, rest = subject.partition("/table:")
        if where.startswith("event:") and where.partition("/")[0] not in subjects:
            continue
        if operation not in AT_ONE_HAND or not rest:
            return None
        codes.add(rest.partition("/")[0])
        if len(codes) > MOST_TABLES:
            return None
    matches = map(_TABLE.fullmatch, codes)
    rounds = frozenset(int(match["round"]) if match else 1 for match in matches)
    return rounds, frozenset(_entrants(event, codes))


def _entrants(event: Event, codes: set[str]) -> set[str]:
    played = Contribution.objects.filter(event=event, game__table__code__in=codes)
    sitting = Sitting.objects.filter(seat__table__event=event, seat__table__code__in=codes)
    members = EntrantMember.objects.filter(event=event, player__in=sitting.values("player"))
    return {
        *played.values_list("entrant__code", flat=True),
        *members.values_list("entrant__code", flat=True),
    }
