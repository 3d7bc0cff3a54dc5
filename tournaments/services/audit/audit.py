"""The audit trail, one line an operation, chained by hash within its club; refused operations; the
public change log."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

import structlog
from django.db import Error, connection

from tournaments.domain.people.name_eraser import NameEraser, bare_letters
from tournaments.domain.reasons import LONGEST_REASON
from tournaments.errors import Forbidden
from tournaments.models.audit import AuditHead, AuditLine, RefusedAct
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Event
from tournaments.models.standings import Change, Publication
from tournaments.policy import Actor, shown_role
from tournaments.selectors.access.table_links import find_link_in_cookie, link_holder
from tournaments.services.db.bulk import insert_few, prepared
from tournaments.services.db.transactions import is_dry_run, write_last
from tournaments.services.jobs.enqueue import mark_changed

AUDIT: Final = 1
AFTER_AUDIT: Final = 2
"""Orders of `write_last`: the lines of the trail, and what needs their numbers or comes after."""

NAMES: Final = "names"
"""Kind of the change log's line: ranks and values of the next publication are the same."""

OF_NOTE: Final = frozenset({"forbidden", "beyond_scope"})
"""Codes that are counted: another role, or a token that is not made for the right."""

REFUSED_ACTS_KEPT: Final = timedelta(days=90)

_AT_ONCE: Final = 2_000
"""Lines that are in memory at one time."""

_TABLE: Final = RefusedAct._meta.db_table

_ONE_MORE: Final = (
    f"ON CONFLICT (club_id, actor, act, hour) DO UPDATE SET times = {_TABLE}.times + 1"
)

log = structlog.get_logger(__name__)


def append_audit(
    club: Club,
    actor: Actor,
    operation: str,
    subject: str,
    *,
    now: datetime,
    facts: Mapping[str, object],
) -> AuditLine:
    """Append one line to the club's chain at the end of the outermost operation, and return it.

    The chain's head is the last row a transaction locks, so that others wait for it no longer than
    a commit; the line gets its number then. A rollback leaves no line; outside of any operation it
    is written at once. A dry run writes none.

    `facts` holds ids and numbers, never names: in a typed `reason`, the names of the club's players
    are replaced by their ids, so that erasing a person leaves the chain unchanged.
    """
    line = AuditLine(
        club=club,
        at=now,
        user_id=actor.user_id,
        actor=actor.label,
        act=operation,
        subject=subject,
        facts=dict(facts),
    )
    if not is_dry_run():
        line.facts = _without_names(club, facts)
        write_last(partial(_chain, line), order=(AUDIT, club.pk))
    return line


def lock_audit_head(club: Club) -> None:
    """Lock the head of a club's chain before the line is appended.

    For callers whose row has a key that another transaction may write after locking the head.
    """
    AuditHead.objects.get_or_create(club=club)
    AuditHead.objects.select_for_update(no_key=True).get(club=club)


def _without_names(club: Club, facts: Mapping[str, object]) -> dict[str, object]:
    """Return facts whose reason names no player of the club; one query where there is a reason."""
    reason = facts.get("reason")
    if not isinstance(reason, str) or not reason:
        return dict(facts)
    letters = bare_letters(reason)
    rows = Player.objects.filter(club=club).values_list("name", "nickname", "player_id")
    longest_first = sorted(rows, key=lambda row: -len(row[0]))
    for name, nickname, player_id in longest_first:
        names = []
        for text in (name, nickname):
            if text and all(word in letters for word in bare_letters(text).split()):
                names.append(text)
        if names:
            reason = NameEraser(names, player_id).text(reason)
    return {**facts, "reason": reason}


_NEXT: Final = """
    UPDATE tournaments_audithead SET number = number + 1, digest = {sha256}
    WHERE club_id = %s RETURNING number, digest
"""
_LINE: Final = "INSERT INTO tournaments_auditline ({columns}) {values} RETURNING id"
_SHA256: Final = {
    "postgresql": "encode(sha256(convert_to({text}, 'UTF8')), 'hex')",
    "sqlite": "SHA256({text})",  # Django's own function
}
_TEXT: Final = """'["' || digest || '",' || (number + 1) || ',' || %s"""
"""Hashed text of a line: the first two members come from the database, the others from the
caller."""


def _chain(line: AuditLine) -> None:
    """Lock and move the chain's head, which the first line of a club makes, and append `line`.

    The database hashes, so that nothing goes back and forth while the head is locked: one
    statement on PostgreSQL, two on SQLite.
    """
    column_names, values = prepared(line, without=("id", "number", "digest"))
    columns = ", ".join([*column_names, "number", "digest"])
    marks = ", ".join(["%s"] * len(column_names))
    members = [line.at.isoformat(), line.actor, line.act, line.subject, line.facts]
    text = _compact_json(members).removeprefix("[")
    next_head = _NEXT.format(sha256=_SHA256[connection.vendor].format(text=_TEXT))
    head_values: list[Any] = [text, line.club_id]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            insert = _LINE.format(columns=columns, values=f"SELECT {marks}, head.* FROM head")  # noqa: S608 - names of our own columns
            statement = f"WITH head AS ({next_head}) {insert}, number, digest"
            cursor.execute(statement, [*head_values, *values])
            row = cursor.fetchone()
        else:
            cursor.execute(next_head, head_values)
            row = cursor.fetchone()
            if row is not None:
                insert = _LINE.format(columns=columns, values=f"VALUES ({marks}, %s, %s)")
                cursor.execute(insert, [*values, *row])
                row = (*cursor.fetchone(), *row)
    if row is None:
        AuditHead.objects.get_or_create(club=line.club)
        _chain(line)
        return
    line.pk, line.number, line.digest = row
    line._state.adding = False


def _compact_json(members: Sequence[object]) -> str:
    """Return the text of a line that is hashed, or a part of it."""
    return json.dumps(members, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def count_refused_act(*, actor: Actor, club_slug: str, refusal: Forbidden, now: datetime) -> None:
    """Count a refused operation in a club; never fails."""
    if refusal.problem.code not in OF_NOTE:
        return
    with _faults_are_logged():
        club_id = Club.objects.filter(slug=club_slug).values_list("pk", flat=True).first()
        if club_id is not None:
            _add_refused_act(club_id, actor, right=str(refusal.problem.facts["act"]), now=now)


def count_refused_link(*, cookie: str, right: str, now: datetime) -> None:
    """Count an operation of a link's holder away from the table of the link; never fails."""
    with _faults_are_logged():
        link, name = find_link_in_cookie(cookie, now)
        if link is not None:
            _add_refused_act(link.club_id, link_holder(link, name), right=right, now=now)


def delete_old_refused_acts(*, now: datetime) -> None:
    RefusedAct.objects.filter(hour__lt=now - REFUSED_ACTS_KEPT).delete()


def _add_refused_act(club_id: int, actor: Actor, *, right: str, now: datetime) -> None:
    """Add one to the row of this hour, with one statement: two at once lose nothing."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    row = RefusedAct(
        club_id=club_id, user_id=actor.user_id, actor=actor.label, act=right, hour=hour
    )
    columns, values = prepared(row, without=("id",))
    insert_few(_TABLE, columns, [values], otherwise=_ONE_MORE)


@contextmanager
def _faults_are_logged() -> Iterator[None]:
    try:
        yield
    except Error as fault:
        log.warning("refused_act_not_counted", fault=str(fault))


def note_change(
    *,
    event: Event,
    version: int | None = None,
    kind: str,
    by: str,
    now: datetime,
    table: str = "",
    number: int | None = None,
    reason: str = "",
    facts: Mapping[str, object] | None = None,
) -> Change:
    """Add a line to the event's change log.

    Args:
        version: the event's version that contains the change; None: the event is marked now.
        kind: `correct_hand`, `void_hand`, `settings`, `penalty`, `ruling` and so on.
        by: the role that did it.
        table: the public code of the table, `number` the hand's, where it is about one.
    """
    if version is None:
        version = mark_changed(event=event, now=now)
    return Change.objects.create(
        club_id=event.club_id,
        event=event,
        version=version,
        at=now,
        kind=kind,
        table=table,
        number=number,
        reason=reason.strip()[:LONGEST_REASON],
        by=shown_role(by),
        facts=dict(facts or {}),
    )


@dataclass(frozen=True, slots=True)
class LogLine:
    """What differs among lines of the change log that are written together."""

    facts: Mapping[str, object]
    reason: str = ""


def note_changes(
    *, event: Event, kind: str, by: str, now: datetime, lines: Sequence[LogLine]
) -> None:
    """Add lines of one kind to the event's change log, which is marked as changed once."""
    if not lines:
        return
    version = mark_changed(event=event, now=now)
    Change.objects.bulk_create(
        Change(
            club_id=event.club_id,
            event=event,
            version=version,
            at=now,
            kind=kind,
            reason=line.reason.strip()[:LONGEST_REASON],
            by=shown_role(by),
            facts=dict(line.facts),
        )
        for line in lines
    )


def mark_names_changed(
    events: Iterable[Event], *, by: str, now: datetime, others: Iterable[Event] = ()
) -> None:
    """Have events published again under the names of today, final ones too.

    Events are marked in ascending id, so that two such operations queue; the log says why there
    is a new publication, where there was one. `others` are marked without a line.
    """
    renamed = list(events)
    publications = Publication.objects.filter(event__in=renamed)
    published = set(publications.values_list("event_id", flat=True).distinct())
    for event in sorted({*renamed, *others}, key=lambda event: event.pk):
        version = mark_changed(event=event, now=now)
        if event.pk in published:
            note_change(event=event, version=version, kind=NAMES, by=by, now=now)


def line_digest(previous: str, line: AuditLine) -> str:
    """Return the SHA-256 that chains a line to the digest of the one before it.

    The text is compact JSON of the digest before, number, moment, actor, act, subject and facts
    (docs/contracts.md, "Audit trail").
    """
    members = [
        previous,
        line.number,
        line.at.isoformat(),
        line.actor,
        line.act,
        line.subject,
        line.facts,
    ]
    return hashlib.sha256(_compact_json(members).encode()).hexdigest()


def verify_audit(club: Club) -> tuple[int, int, str]:
    """Return how many lines of a club's chain are sound, and the first that is not with its fault.

    The fault is "" for an unbroken chain; else `changed` (the digest is not that of the line),
    `missing` (no line has the number) or `head` (lines were cut off, or added, at the end).

    The head is read first: lines that are appended meanwhile are verified as well.
    """
    head = AuditHead.objects.filter(club=club).first()
    lines = AuditLine.objects.filter(club=club).order_by("number")
    last = 0
    digest = ""
    digest_at_head = ""
    for line in lines.iterator(chunk_size=_AT_ONCE):
        if line.number != last + 1:
            return last, last + 1, "missing"
        digest = line_digest(digest, line)
        if digest != line.digest:
            return last, line.number, "changed"
        last = line.number
        if head is not None and last == head.number:
            digest_at_head = digest

    if head is None:
        if last:
            return last, last, "head"
    elif last < head.number or digest_at_head != head.digest:
        return last, head.number, "head"
    return last, 0, ""
