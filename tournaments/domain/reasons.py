"""Reasons: one sentence that a person gives, which is kept and shown."""

from collections.abc import Iterator
from typing import Final

from scoring.errors import Problem, Refused
from tournaments.errors import refuse_any

LONGEST_REASON: Final = 500
BAD_REASON: Final = ("reason_required", "bad_text")


def reason_problems(
    reason: str, at: str = "reason", *, most: int = LONGEST_REASON
) -> Iterator[Problem]:
    if not reason.strip():
        yield Problem("reason_required", (at,))
    elif len(reason.strip()) > most or "\x00" in reason:
        yield Problem("bad_text", (at,), {"field": at, "most": most})


def require_some_reason(reason: str) -> None:
    """Refuse an empty reason; its length is not looked at."""
    if not reason.strip():
        raise Refused(Problem("reason_required", ("reason",)))


def require_reason(reason: str, at: str = "reason") -> None:
    refuse_any(reason_problems(reason, at))
