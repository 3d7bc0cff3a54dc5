"""The head of a publication: its number, version, moment and digest, before its body."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from tournaments.domain.etags import digest_of


def compact(value: object) -> bytes:
    """Return `value` as a published document writes JSON: compact, UTF-8.

    >>> compact({"place": "2=", "name": "Zoë"}).decode()
    '{"place":"2=","name":"Zoë"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def with_head(
    body: bytes, *, number: int, version: int, now: datetime, redacted: bool = False
) -> bytes:
    """Return the standings as served: `body` with the member `publication` before all others."""
    return headed(
        body,
        {
            "number": number,
            "version": version,
            "published_at": now.astimezone(UTC).strftime(_MOMENT),
        },
        redacted=redacted,
    )


def headed(body: bytes, names: Mapping[str, Any], *, redacted: bool) -> bytes:
    """Return `body` behind a head with what `names` the publication and the body's own digest."""
    head = {
        "number": names["number"],
        "version": names["version"],
        "published_at": names["published_at"],
        "digest": digest_of(body),
        **({"redacted": True} if redacted else {}),
    }
    return _HEAD + compact(head) + b"," + body[1:]


_HEAD: Final = b'{"publication":'


_MOMENT: Final = "%Y-%m-%dT%H:%M:%SZ"
