"""Ids of publications and deadlines in feeds and calendars.

An id follows from what an event keeps for ever (its seed, when it was created), so that it stays
through new names, new addresses and a move to another server.
"""

from typing import Final
from uuid import UUID, uuid5

from tournaments.models.events import Event

_OURS: Final = UUID("6f0c4a0e-6a5e-4c1c-9d6b-2b7d3c7f8a11")


def event_id(event: Event, *of: object) -> str:
    """Return the id of an event, or of a part of it that `of` names, as a URN."""
    return f"urn:uuid:{_uuid(event, *of)}"


def calendar_uid(event: Event, *of: object) -> str:
    """Return the `UID` of a part of an event in calendars."""
    return str(_uuid(event, *of))


def _uuid(event: Event, *of: object) -> UUID:
    parts = (event.seed, int(event.created_at.timestamp()), *of)
    return uuid5(_OURS, "/".join(map(str, parts)))
