"""What the check of an uploaded archive found: read by people before they import it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class ArchiveFound:
    """An archive whose files all match their checksums, and whose rows can all be read.

    `slug` and `name` are the club's where it was exported, `made_at` the moment of that in ISO
    8601. `free_slug` is the address that is proposed here: the same one, where it is free.
    """

    slug: str
    name: str
    free_slug: str
    format: int
    release: str
    made_at: str
    is_anonymous: bool
    files: int
    events: int
    players: int
    hands: int
    publications: int
    photos: int

    @property
    def is_slug_taken(self) -> bool:
        """Whether the club needs another address here."""
        return self.free_slug != self.slug

    @property
    def exported_at(self) -> datetime | None:
        """Return when the club was exported; None where the archive says no such moment."""
        try:
            found = datetime.fromisoformat(self.made_at)
        except ValueError:
            return None
        return found if found.tzinfo is not None else None

    def as_json(self) -> dict[str, Any]:
        """Return it as `ClubImport.found` has it."""
        return asdict(self)


def found_from(stored: Mapping[str, Any]) -> ArchiveFound:
    """Return what `as_json` wrote."""
    return ArchiveFound(**stored)
