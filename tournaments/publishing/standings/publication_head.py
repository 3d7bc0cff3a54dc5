"""The head of a publication: its number, version, moment and digest, before its body."""

from datetime import UTC, datetime
from typing import Final

from tournaments.domain.etags import digest_of
from tournaments.publishing.standings.render import compact


def with_head(body: bytes, *, number: int, version: int, now: datetime) -> bytes:
    """Return the standings as served: `body` with the member `publication` before all others."""
    head = {
        "number": number,
        "version": version,
        "published_at": now.astimezone(UTC).strftime(_MOMENT),
        "digest": digest_of(body),
    }
    return _HEAD + compact(head) + b"," + body[1:]


_HEAD: Final = b'{"publication":'


_MOMENT: Final = "%Y-%m-%dT%H:%M:%SZ"
