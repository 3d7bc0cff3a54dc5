"""The audit trail: one line an act, chained by hash within its club."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime

from tournaments.models.audit import AuditHead, AuditLine
from tournaments.models.clubs import Club
from tournaments.policy import Actor


def append_audit(
    *,
    club: Club,
    actor: Actor,
    act: str,
    subject: str,
    facts: Mapping[str, object],
    now: datetime,
) -> AuditLine:
    """Append one line to the club's chain; call it last in a transaction.

    The chain's head is the last row a transaction locks (design.md 8.1), so that nobody waits
    for it longer than a commit. `facts` holds ids and numbers, never names.
    """
    head = AuditHead.objects.select_for_update().filter(club=club).first()
    if head is None:
        head, _ = AuditHead.objects.select_for_update().get_or_create(club=club)
    line = AuditLine(
        club=club,
        number=head.number + 1,
        at=now,
        user_id=actor.user_id,
        actor=actor.label,
        act=act,
        subject=subject,
        facts=dict(facts),
    )
    line.digest = line_digest(head.digest, line)
    line.save(force_insert=True)
    AuditHead.objects.filter(pk=head.pk).update(number=line.number, digest=line.digest)
    return line


def line_digest(previous: str, line: AuditLine) -> str:
    """Return the SHA-256 that chains `line` to the digest before it."""
    text = json.dumps(
        [
            previous,
            line.number,
            line.at.isoformat(),
            line.actor,
            line.act,
            line.subject,
            line.facts,
        ],
        ensure_ascii=False,
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(text.encode()).hexdigest()
