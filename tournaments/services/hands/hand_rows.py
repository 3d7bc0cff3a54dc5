"""Writing hands and their entries, each of which points at the other."""

import json
from collections.abc import Sequence
from typing import Any, Final

from django.db import connection

from tournaments.models.hands import Entry, Hand
from tournaments.services.db.bulk import prepared

_HAND: Final = "INSERT INTO tournaments_hand ({columns}, entry_id) VALUES ({marks}, {entry})"
_ENTRY: Final = """
    INSERT INTO tournaments_entry (id, hand_id, {columns}) VALUES ({ids}, {marks})
    RETURNING hand_id, id, typed
"""
_REVISION: Final = """
    INSERT INTO tournaments_entry (hand_id, {columns}) VALUES (%s, {marks})
    RETURNING hand_id, id, typed
"""
_COUNTS: Final = (
    "UPDATE tournaments_hand SET state = %s, revision = %s, entry_id = %s WHERE id = %s"
)
_NEXT_ENTRY: Final = {
    "postgresql": "nextval(pg_get_serial_sequence('tournaments_entry', 'id'))",
    # The caller's transaction holds the write lock (IMMEDIATE), so nobody else takes this one.
    "sqlite": "(SELECT COALESCE(MAX(seq), 0) + 1 FROM sqlite_sequence"
    " WHERE name = 'tournaments_entry')",
}


def insert_hand(hand: Hand, entry: Entry) -> None:
    """Insert `hand` with `entry` as the revision that counts, and give both their ids.

    The entry's id is taken first, so that the hand is written once: one statement on PostgreSQL,
    two on SQLite. What was entered is read from the database again, as a reader will find it.
    """
    columns, values = prepared(hand, without=("id", "entry_id"))
    next_entry = _NEXT_ENTRY[connection.vendor]
    insert = _HAND.format(columns=_listed(columns), marks=_marks(values), entry=next_entry)
    columns, typed = prepared(entry, without=("id", "hand_id"))
    second = {"columns": _listed(columns), "marks": _marks(typed)}
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            ids = "(SELECT entry_id FROM hand), (SELECT id FROM hand)"
            statement = f"WITH hand AS ({insert} RETURNING id, entry_id) "
            cursor.execute(statement + _ENTRY.format(ids=ids, **second), [*values, *typed])
        else:
            cursor.execute(f"{insert} RETURNING id, entry_id", values)
            hand_id, entry_id = cursor.fetchone()
            statement = _ENTRY.format(ids="%s, %s", **second)
            cursor.execute(statement, [entry_id, hand_id, *typed])
        hand.pk, entry.pk, entry.typed = _written(cursor.fetchone())
    hand.entry, entry.hand = entry, hand
    hand._state.adding = entry._state.adding = False


def insert_revision(hand: Hand, entry: Entry) -> None:
    """Insert `entry` as the next revision of `hand`, give it its id and make it the one that
    counts; two statements."""
    columns, typed = prepared(entry, without=("id", "hand_id"))
    with connection.cursor() as cursor:
        cursor.execute(
            _REVISION.format(columns=_listed(columns), marks=_marks(typed)), [hand.pk, *typed]
        )
        _, entry.pk, entry.typed = _written(cursor.fetchone())
        cursor.execute(_COUNTS, [hand.state, entry.revision, entry.pk, hand.pk])
    hand.entry, entry.hand = entry, hand
    entry._state.adding = False


def _written(row: Sequence[Any]) -> tuple[int, int, Any]:
    hand_id, entry_id, typed = row
    return hand_id, entry_id, json.loads(typed)


def _listed(columns: list[str]) -> str:
    return ", ".join(columns)


def _marks(values: list[Any]) -> str:
    return ", ".join(["%s"] * len(values))
