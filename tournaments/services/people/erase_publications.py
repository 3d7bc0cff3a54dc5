"""Takes a person's name out of stored publications: the one time that their bytes change.

Rows say by id who is meant. Each publication that showed the name gets the digest and the ETag of
its new bytes and is marked as redacted; its number, version and moment stay. Stored histories are
deleted and made again by a worker.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from tournaments.domain.people.name_eraser import NameEraser
from tournaments.domain.people.redaction import NewNames, redact_publication
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantKind, Event
from tournaments.models.standings import Publication, StoredHistory
from tournaments.services.standings.publication_files import drop_files

PARTS = ("rows", "provisional_rows", "ratings")


@dataclass(frozen=True, slots=True)
class ErasedPublications:
    """How many publications have other bytes now, and the names that they had shown."""

    n: int
    names: frozenset[str]


def erase_publications(
    player: Player, codes: Collection[str], label: str, eraser: NameEraser
) -> ErasedPublications:
    """Replace a person's name in all publications of the club that show it.

    Args:
        codes: under which the person competes, alone; the player's own number is one of them.
        eraser: for sentences and names of pairs.
    """
    shown: set[str] = set()
    n = 0
    rows = Publication.objects.filter(club=player.club_id).order_by("pk")
    for row in rows.iterator(chunk_size=20):
        body = bytes(row.body)
        shown.update(_names_in(body, codes))
        typed = dict.fromkeys(eraser.found(body.decode()), label)
        new = NewNames(dict.fromkeys(codes, label), typed)
        found = redact_publication(body, bytes(row.csv), new)
        if found.is_changed:
            n += 1
            Publication.objects.filter(pk=row.pk).update(
                body=found.body,
                csv=found.csv,
                digest=found.digest,
                etag=found.etag,
                is_redacted=True,
            )
            drop_files(row.pk)
    return ErasedPublications(n, frozenset(shown - {label, *codes}))


def codes_of(player: Player) -> set[str]:
    """Return the codes under which a player competes alone, in any event."""
    own = Entrant.objects.filter(members__player=player, kind=EntrantKind.PLAYER)
    return {player.player_id, *own.values_list("code", flat=True)}


def drop_histories(events: Collection[Event]) -> list[int]:
    """Delete what is stored of the past of events; returns those that had something."""
    rows = StoredHistory.objects.filter(event__in=[one.pk for one in events])
    had = sorted(set(rows.values_list("event_id", flat=True)))
    rows.delete()
    return had


def _names_in(body: bytes, codes: Collection[str]) -> Iterator[str]:
    """Yield the names that a publication shows for these codes."""
    document: Mapping[str, list[dict[str, object]]] = json.loads(body)
    for part in PARTS:
        for row in document.get(part, ()):
            members = row.get("members") or (row,)
            for who in members if isinstance(members, list | tuple) else ():
                if who["player_id"] in codes:
                    yield str(who["player"])
