"""The audit trail: one line an act, chained by hash within its club."""

import json
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.db import connection

from tournaments.domain.imports.name_matching import folded
from tournaments.domain.people.name_eraser import NameEraser
from tournaments.models.audit import AuditHead, AuditLine
from tournaments.models.clubs import Club, Player
from tournaments.policy import Actor
from tournaments.services.db.bulk import prepared
from tournaments.services.db.dry_run import is_dry_run
from tournaments.services.db.transactions import write_last

AUDIT: Final = 1
AFTER_AUDIT: Final = 2
"""Orders of `write_last`: the lines of the trail, and what needs their numbers or comes after."""


def append_audit(
    *,
    club: Club,
    actor: Actor,
    act: str,
    subject: str,
    facts: Mapping[str, object],
    now: datetime,
) -> AuditLine:
    """Append one line to the club's chain when the outermost act ends, and return it.

    The chain's head is the last row a transaction locks, so that nobody waits for it longer than
    a commit; the line has its number from then on. What is rolled back leaves no line, and outside
    of any act it is written at once. A dry run writes none.

    `facts` holds ids and numbers, never names: in a `reason`, which people type, the numbers of
    the club's players stand in the place of their names, so that erasing a person leaves the chain
    as it is.
    """
    if not is_dry_run():
        facts = _without_names(club, facts)
    line = AuditLine(
        club=club,
        at=now,
        user_id=actor.user_id,
        actor=actor.label,
        act=act,
        subject=subject,
        facts=dict(facts),
    )
    if not is_dry_run():
        write_last(partial(_write, line), order=(AUDIT, club.pk))
    return line


def lock_audit_head(club: Club) -> None:
    """Lock the head of a club's chain before the line is appended.

    For whoever writes a row with a key that somebody else may write behind the head.
    """
    AuditHead.objects.get_or_create(club=club)
    AuditHead.objects.select_for_update(no_key=True).get(club=club)


def _without_names(club: Club, facts: Mapping[str, object]) -> Mapping[str, object]:
    """Return facts in whose reason no player of the club is named; one query where there is one."""
    reason = facts.get("reason")
    if not isinstance(reason, str) or not reason:
        return facts
    said = folded(reason)
    rows = Player.objects.filter(club=club).values_list("name", "nickname", "player_id")
    for name, nickname, number in sorted(rows, key=lambda row: -len(row[0])):
        named = [
            one for one in (name, nickname) if all(word in said for word in folded(one).split())
        ]
        if named:
            reason = NameEraser(named, number).text(reason)
    return {**facts, "reason": reason}


def _write(line: AuditLine) -> None:
    if not _chain(line):  # the first line of a club
        AuditHead.objects.get_or_create(club=line.club)
        _chain(line)


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
"""What a line's digest hashes: the database has the first two members, the caller the others."""


def _chain(line: AuditLine) -> bool:
    """Lock and move the chain's head and append `line` behind it; False where there is no head.

    The database hashes, so that nothing goes back and forth while the head is locked: one
    statement on PostgreSQL, two on SQLite.
    """
    columns, values = prepared(line, without=("id", "number", "digest"))
    listed, marks = ", ".join([*columns, "number", "digest"]), ", ".join(["%s"] * len(columns))
    sha256 = _SHA256[connection.vendor].format(text=_TEXT)
    head: tuple[Any, ...] = (_own_part(line), line.club_id)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            insert = _LINE.format(columns=listed, values=f"SELECT {marks}, head.* FROM head")  # noqa: S608 - names of our own columns
            cursor.execute(
                f"WITH head AS ({_NEXT.format(sha256=sha256)}) {insert}, number, digest",
                [*head, *values],
            )
            found = cursor.fetchone()
        else:
            cursor.execute(_NEXT.format(sha256=sha256), head)
            if found := cursor.fetchone():
                insert = _LINE.format(columns=listed, values=f"VALUES ({marks}, %s, %s)")
                cursor.execute(insert, [*values, *found])
                found = (*cursor.fetchone(), *found)
    if found is None:
        return False
    line.pk, line.number, line.digest = found
    line._state.adding = False
    return True


def _own_part(line: AuditLine) -> str:
    """Return the members of a line that it has before it is in a chain, as compact JSON."""
    members = [line.at.isoformat(), line.actor, line.act, line.subject, line.facts]
    return json.dumps(members, ensure_ascii=False, sort_keys=True, separators=(",", ":"))[1:]
