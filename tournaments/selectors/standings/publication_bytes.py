"""A publication's bytes as stored, for whoever may read them: the read that everybody makes.

One statement finds the club, the event, its newest publication and its bytes. It is written as SQL
because putting the same question together with the ORM takes several times as long as answering
it; what it says holds on SQLite and PostgreSQL alike.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from tournaments.errors import Missing
from tournaments.models.events import Event, EventKind
from tournaments.models.standings import Publication
from tournaments.policy import Actor
from tournaments.selectors.clubs.names import FULL_NAME, name_column
from tournaments.selectors.db.statements import one_row
from tournaments.selectors.events.events import event_at
from tournaments.selectors.events.published_names import for_public

Form: TypeAlias = Literal["body", "csv"]
"""The column that holds the bytes: JSON or CSV."""

Table: TypeAlias = Literal["standings", "ladder"]
"""Which of an event's tables: its standings, or its ladder."""

MOST_ETAGS: Final = 4
"""So many of a caller's ETags spare the database the bytes; nobody sends more."""

_LOOK: Final = """
    SELECT p.id, p.published_at, p.etag,
        e.visibility = 'public' AND c.is_public AND c.delete_after IS NULL, {newer},
        p.names_version < c.names_version,
        CASE WHEN p.names_version >= c.names_version AND (p.etag IN (%s, %s, %s, %s)
            OR (p.id = %s AND p.etag = %s AND p.published_at = %s))
        THEN NULL ELSE p.{form} END
    FROM tournaments_club c
    JOIN tournaments_event e ON e.club_id = c.id
    JOIN tournaments_publication p ON p.{of} = e.id
    WHERE c.slug = %s AND e.slug = %s
        AND (e.id = %s OR (
            e.visibility = 'public' AND c.is_public AND c.delete_after IS NULL))
        AND p.number = COALESCE(
            %s, (SELECT MAX(n.number) FROM tournaments_publication n WHERE n.{of} = e.id)
        )
"""
_NEWER: Final = """EXISTS (
        SELECT 1 FROM tournaments_publication n WHERE n.{of} = e.id AND n.number = p.number + 1
    )"""
_FORMS: Final[tuple[Form, ...]] = ("body", "csv")
_COLUMNS: Final[Mapping[Table, str]] = {"standings": "event_id", "ladder": "ladder_id"}
_CURRENT: Final = {
    (of, form): _LOOK.format(of=column, form=form, newer="FALSE")
    for of, column in _COLUMNS.items()
    for form in _FORMS
}
_NUMBERED: Final = {
    (of, form): _LOOK.format(of=column, form=form, newer=_NEWER.format(of=column))
    for of, column in _COLUMNS.items()
    for form in _FORMS
}


@dataclass(frozen=True, slots=True)
class CachedBytes:
    """Bytes that somebody holds already, and what tells their publication from others.

    `published_at` is as the database wrote it, only good for asking it again.
    """

    publication: int
    published_at: object
    etag: str
    content: bytes


@dataclass(frozen=True, slots=True)
class StoredPublication:
    """A publication's bytes; `content` is None where the asker holds them already. Whether it
    `is_superseded` is told of one that was asked for by its number. One that `is_behind_names` is
    older than how names are shown today: no cache may give one reader's bytes to another."""

    publication: int
    published_at: object
    etag: str
    is_public: bool
    content: bytes | None
    is_superseded: bool = False
    is_behind_names: bool = False


NOTHING: Final = CachedBytes(0, None, "", b"")
"""What somebody holds who holds nothing."""


def current_bytes(
    actor: Actor,
    club: str,
    event: str,
    *,
    form: Form,
    of: Table = "standings",
    held: CachedBytes = NOTHING,
    etags: Collection[str] = (),
) -> StoredPublication | None:
    """Return the bytes of an event's newest publication; None before the first.

    One query for an event that is public, two for any other. The bytes stay in the database where
    their ETag is one of `etags` or they are those of `held`. Of a publication that is older than
    how names are shown today the public gets the names of today, in four more.

    Raises:
        Missing: no such club or event, or not one that the actor may know of; no ladder.
    """
    return _bytes(actor, club, event, None, (of, form), held, etags)


def numbered_bytes(
    actor: Actor,
    club: str,
    event: str,
    number: int,
    *,
    form: Form,
    of: Table = "standings",
    etags: Collection[str] = (),
) -> StoredPublication:
    """Return the bytes of one numbered publication, as `current_bytes` does.

    Raises:
        Missing: no such event or publication, or not one that the actor may know of.
    """
    found = _bytes(actor, club, event, number, (of, form), NOTHING, etags)
    if found is None:
        raise Missing("publication", {"publication": number})
    return found


def _bytes(
    actor: Actor,
    club: str,
    event: str,
    number: int | None,
    what: tuple[Table, Form],
    held: CachedBytes,
    etags: Collection[str],
) -> StoredPublication | None:
    """Look among what is public; where that finds nothing, ask whether the actor may see more."""
    known: list[Any] = [*list(etags)[:MOST_ETAGS], *[""] * MOST_ETAGS][:MOST_ETAGS]
    known += [held.publication, held.etag, held.published_at]
    found = _look(what, [*known, club, event, 0, number])
    if found is not None and not found.is_behind_names:
        return found
    readable = event_at(actor, club, event)
    if what[0] == "ladder":
        require_ladder(readable)
    if found is None:
        found = _look(what, [*known, club, event, readable.pk, number])
    if found is None or not found.is_behind_names or name_column(readable) == FULL_NAME:
        return found
    return _of_today(found, readable, what[1])


def _of_today(found: StoredPublication, event: Event, form: Form) -> StoredPublication:
    """A publication with the names that the public reads today."""
    stored = Publication.objects.get(pk=found.publication)
    made = for_public(stored, event.club, event)
    content = bytes(made.body if form == "body" else made.csv)
    return replace(found, etag=made.etag, content=content)


def require_ladder(event: Event) -> None:
    """Let an event pass that is a ladder.

    Raises:
        Missing: ladder.
    """
    if event.kind != EventKind.LADDER:
        raise Missing("ladder", {"event": event.slug})


def _look(what: tuple[Table, Form], parameters: list[object]) -> StoredPublication | None:
    looks = _CURRENT if parameters[-1] is None else _NUMBERED
    row = one_row(looks[what], parameters, binary=True)
    if row is None:
        return None
    publication, published_at, etag, is_public, is_superseded, is_behind, content = row
    return StoredPublication(
        publication=publication,
        published_at=published_at,
        etag=etag,
        is_public=bool(is_public),
        content=None if content is None else bytes(content),
        is_superseded=bool(is_superseded),
        is_behind_names=bool(is_behind),
    )
