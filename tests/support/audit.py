"""The chain of the audit trail, computed apart from the database that hashes it."""

import hashlib
import json

from tournaments.models.audit import AuditLine


def line_digest(previous: str, line: AuditLine) -> str:
    """The SHA-256 that chains `line` to the digest before it."""
    members = [
        previous, line.number, line.at.isoformat(), line.actor, line.act, line.subject, line.facts
    ]  # fmt: skip
    text = json.dumps(members, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
