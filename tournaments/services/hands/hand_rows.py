"""Writing the rows of hands and entries, and the notices and audit lines that follow."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.db import connection

from tournaments.domain.notices import Recipients
from tournaments.errors import Conflict, Forbidden
from tournaments.models.hands import Dispute, Entry, Game, Hand
from tournaments.models.ladders import Challenge, ChallengeState
from tournaments.models.webhooks import WebhookKind
from tournaments.selectors.access.personal_links import find_person
from tournaments.selectors.events.entrants import recipients_at_table, recipients_of_entrants
from tournaments.selectors.waiting import ROUND_CLOSED, refused_lines
from tournaments.services.audit.audit import note_change
from tournaments.services.db.bulk import prepared
from tournaments.services.notices.notifications import (
    Message,
    notify,
    notify_each,
    without_actor,
)
from tournaments.services.operations import Operation
from tournaments.services.webhooks.delivery import record_event

CONTESTED: Final = ("hand_exists", "entry_outdated")
"""Why an entry is refused where somebody else was first."""


def audit_contested(
    op: Operation, refusal: Conflict | Forbidden, game: Game, /, *, number: int, **_entry: object
) -> None:
    """Audit that somebody else was first, or, once for a hand, that its round was closed.

    The entry is returned to its author.
    """
    problem = refusal.problem
    if problem.code in CONTESTED:
        facts = {"code": problem.code, **problem.facts}
        audit_hand(op, game, number, "enter_hand_refused", facts)
    elif problem.facts.get("act") == "correct_closed" and game.state != "abandoned":
        lines = refused_lines([game.club_id], op.now)
        if not lines.filter(subject=subject_of_hand(game, number)).exists():
            audit_hand(op, game, number, "enter_hand_refused", {"code": ROUND_CLOSED})


def notify_of_correction(op: Operation, game: Game, hand: Hand, operation: str) -> None:
    """Notify the players of a hand, except the actor, that `operation` changed it."""
    notify(
        club=game.event.club,
        to=without_actor(recipients_at_table(game.table_id), op.actor),
        kind="correction",
        key=f"{hand.pk}:{hand.revision}:{operation}",
        facts={"hand": hand.pk, "revision": hand.revision, "act": operation},
        now=op.now,
    )


def audit_hand(
    op: Operation, game: Game, number: int | None, operation: str, facts: Mapping[str, object]
) -> None:
    """Append an audit line about a hand; without a number about its table."""
    op.audit(game, facts, name=operation, subject=subject_of_hand(game, number))


def subject_of_hand(game: Game, number: int | None) -> str:
    hand = "" if number is None else f"/hand:{number}"
    return f"event:{game.event.slug}/table:{game.table.code}{hand}"


def note_correction(
    game: Game,
    hand: Hand,
    kind: str,
    role: str,
    version: int,
    reason: str,
    now: datetime,
    **facts: object,
) -> None:
    """Note in the change log, and for webhooks, that a hand has another revision.

    `facts` go into the change log too.
    """
    note_change(
        event=game.event,
        version=version,
        kind=kind,
        by=role,
        now=now,
        table=game.table.code,
        number=hand.number,
        reason=reason,
        facts={"revision": hand.revision, **facts},
    )
    correction = {
        "table": game.table.code,
        "hand": hand.number,
        "change": kind,
        "revision": hand.revision,
        "event_version": version,
    }
    record_event(game.event, WebhookKind.HAND_CORRECTED, correction, now=now)


def notify_of_rulings(op: Operation, disputes: Sequence[Dispute]) -> None:
    """Tell the players and the opener of disputes of one event; each reader of the first theirs.

    Of players without an account the opener is told, and both sides of a challenge whose result
    waited for the ruling.
    """
    messages = []
    for dispute in disputes:
        accounts = recipients_at_table(dispute.hand.game.table_id).accounts
        if dispute.opened_by_id is not None:
            accounts |= {dispute.opened_by_id}
        waiting = Challenge.objects.filter(
            game=dispute.hand.game_id, state=ChallengeState.PLAYED
        ).values_list("challenger", "challenged")
        sides = recipients_of_entrants({side for pair in waiting for side in pair})
        people = find_person(dispute.opened_label) | sides.people
        to = Recipients(accounts | sides.accounts, people)
        message = Message(f"{dispute.pk}:{dispute.state}", {"dispute": dispute.pk})
        messages.append((without_actor(to, op.actor), message))
    # Of several messages to one reader the last one is sent.
    messages.reverse()
    club = disputes[0].event.club
    notify_each(club=club, kind="dispute_decided", messages=messages, now=op.now)


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
    hand_parts, values = _insert_parts(hand, "id", "entry_id")
    insert = _HAND.format(**hand_parts, entry=_NEXT_ENTRY[connection.vendor])
    parts, entry_values = _insert_parts(entry, "id", "hand_id")
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            ids = "(SELECT entry_id FROM hand), (SELECT id FROM hand)"
            statement = f"WITH hand AS ({insert} RETURNING id, entry_id) "
            cursor.execute(statement + _ENTRY.format(ids=ids, **parts), [*values, *entry_values])
        else:
            cursor.execute(f"{insert} RETURNING id, entry_id", values)
            hand_id, entry_id = cursor.fetchone()
            statement = _ENTRY.format(ids="%s, %s", **parts)
            cursor.execute(statement, [entry_id, hand_id, *entry_values])
        hand.pk, entry.pk, stored = cursor.fetchone()
    entry.typed = json.loads(stored)
    hand.entry, entry.hand = entry, hand
    hand._state.adding = entry._state.adding = False


def insert_revision(hand: Hand, entry: Entry) -> None:
    """Insert `entry` as the next revision of `hand`, give it its id and make it the one that
    counts; two statements."""
    parts, values = _insert_parts(entry, "id", "hand_id")
    with connection.cursor() as cursor:
        cursor.execute(_REVISION.format(**parts), [hand.pk, *values])
        _, entry.pk, stored = cursor.fetchone()
        cursor.execute(_COUNTS, [hand.state, entry.revision, entry.pk, hand.pk])
    entry.typed = json.loads(stored)
    hand.entry, entry.hand = entry, hand
    entry._state.adding = False


def _insert_parts(row: Hand | Entry, *without: str) -> tuple[dict[str, str], list[Any]]:
    columns, values = prepared(row, without=without)
    return {"columns": ", ".join(columns), "marks": ", ".join(["%s"] * len(values))}, values
