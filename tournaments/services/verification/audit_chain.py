"""Verify a club's audit trail: every line chains to the one before it, none is missing."""

import hashlib
import json
from dataclasses import dataclass
from typing import Final

from tournaments.models.audit import AuditHead, AuditLine
from tournaments.models.clubs import Club

_AT_ONCE: Final = 2_000
"""Lines that are in memory at one time."""


@dataclass(frozen=True, slots=True)
class AuditVerification:
    """The number of sound lines of a club, and the first line that is not sound.

    `fault` is empty for an unbroken chain; else `changed` (the digest is not that of the line),
    `missing` (no line has the number) or `head` (lines were cut off, or added, at the end).
    """

    club: str
    n_lines: int
    broken_line: int | None = None
    fault: str = ""


def line_digest(previous: str, line: AuditLine) -> str:
    """Return the SHA-256 that chains a line to the digest of the one before it.

    The text is compact JSON of the digest before, number, moment, actor, act, subject and facts
    (docs/contracts.md, "Audit trail").
    """
    members = [
        *(previous, line.number, line.at.isoformat()),
        *(line.actor, line.act, line.subject, line.facts),
    ]
    text = json.dumps(members, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def verify_audit(club: Club) -> AuditVerification:
    """Verify the chain of a club from its first line to its head.

    The head is read first: lines that are appended meanwhile are verified as well.
    """
    head = AuditHead.objects.filter(club=club).first()
    last, digest = 0, ""
    lines = AuditLine.objects.filter(club=club).order_by("number")
    at_head = digest
    for line in lines.iterator(chunk_size=_AT_ONCE):
        if line.number != last + 1:
            return AuditVerification(club.slug, last, last + 1, "missing")
        digest = line_digest(digest, line)
        if digest != line.digest:
            return AuditVerification(club.slug, last, line.number, "changed")
        last = line.number
        if head is not None and last == head.number:
            at_head = digest
    if head is not None and (last < head.number or at_head != head.digest):
        return AuditVerification(club.slug, last, head.number, "head")
    if head is None and last:
        return AuditVerification(club.slug, last, last, "head")
    return AuditVerification(club.slug, last)
