"""A publication's stored bytes and files (spreadsheet, print, picture) for its readers."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal, TypeAlias, TypeVar

from tournaments.errors import Missing
from tournaments.models.events import Event, Visibility
from tournaments.models.publication_packs import COLUMNS, DISCARDED, Discarded, unpack
from tournaments.models.standings import FileForm, Publication, PublicationFile
from tournaments.policy import Actor
from tournaments.selectors.clubs.names import FULL_NAME, hides_names, name_column
from tournaments.selectors.db.statements import one_row
from tournaments.selectors.events.events import get_event
from tournaments.selectors.events.meetings import date_of, meeting_on
from tournaments.selectors.events.players import for_public, is_behind_names
from tournaments.selectors.events.seasons import (
    get_season,
    is_season_for_everybody,
    season_publication,
)
from tournaments.selectors.standings.evening_results import read_result

Form: TypeAlias = Literal["body", "csv"]
"""The column that holds the bytes: JSON or CSV."""
Table: TypeAlias = Literal["standings", "ladder"]
"""Table of an event: its standings or its ladder."""
T = TypeVar("T", "StoredPublication", "FoundFile")

MOST_ETAGS: Final = 4
"""Maximum number of a caller's ETags that the database compares; more are not sent."""
_PUBLIC: Final = "e.visibility = 'public' AND c.is_public AND c.delete_after IS NULL"
_FROM: Final = """FROM tournaments_club c
    JOIN tournaments_event e ON e.club_id = c.id
    JOIN tournaments_publication p ON p.{of} = e.id"""
_AT_ADDRESS: Final = f"""WHERE c.slug = %s AND e.slug = %s
        AND (e.id = %s OR ({_PUBLIC}))
        AND p.number = COALESCE(
            %s, (SELECT MAX(n.number) FROM tournaments_publication n WHERE n.{{of}} = e.id)
        )
"""  # noqa: S608 - words of our own
_LOOK: Final = f"""
    SELECT p.id, p.published_at, p.etag, {_PUBLIC}, {{newer}},
        p.names_version < c.names_version,
        CASE WHEN p.pack = 0 THEN p.{{form}}
        WHEN p.names_version >= c.names_version AND (p.etag IN (%s, %s, %s, %s)
            OR (p.id = %s AND p.etag = %s AND p.published_at = %s))
        THEN NULL WHEN p.pack > 0 THEN k.content ELSE p.{{form}} END, p.pack
    {_FROM}
    LEFT JOIN tournaments_publicationpack k ON k.id = p.pack
    {_AT_ADDRESS}
"""
_NEWER: Final = """EXISTS (
        SELECT 1 FROM tournaments_publication n WHERE n.{of} = e.id AND n.number = p.number + 1
    )"""
_COLUMNS: Final = {"standings": "event_id", "ladder": "ladder_id"}


@dataclass(frozen=True, slots=True)
class StoredPublication:
    """A publication's bytes, as read or cached; `content` is empty if the client has them already.

    `is_superseded` is set for one requested by number. One that `is_behind_names` is older than the
    current display of names: no cache may share its bytes between readers.
    """

    publication: int
    published_at: object
    etag: str
    is_public: bool
    content: bytes
    is_superseded: bool = False
    is_behind_names: bool = False


FileKind: TypeAlias = tuple[FileForm, str, str]
"""Which file: its form, the paper of a print, and the mark of the layout that it has today."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A publication that the actor may read, with its file; `etag` is empty where none is stored.

    `content` is None where none is stored, or where the asker holds it already. `source` is the
    ETag of the JSON as the actor reads it, `stored_etag` that of the publication as stored.
    `document` is that JSON where it is not the stored one: with the names of today.
    """

    club: int
    publication: int
    source: str
    stored_etag: str
    look: str
    is_public: bool
    is_superseded: bool
    is_behind_names: bool
    etag: str = ""
    content: bytes | None = None
    document: Publication | None = None


@cache
def _look_statement(of: Table, form: Form, *, is_numbered: bool) -> str:
    column = _COLUMNS[of]
    newer = _NEWER.format(of=column) if is_numbered else "FALSE"
    return _LOOK.format(of=column, form=form, newer=newer)


NOTHING: Final = StoredPublication(0, None, "", False, b"")
"""No cached bytes."""


def current_bytes(
    actor: Actor,
    club: str,
    event: str,
    *,
    form: Form,
    of: Table,
    number: int | None = None,
    held: StoredPublication = NOTHING,
    etags: Collection[str] = (),
) -> StoredPublication | None:
    """Return the bytes of an event's newest publication, or of a numbered one; None without it.

    One query for an event that is public, two for any other. The bytes stay in the database where
    their ETag is one of `etags` or they are those of `held`. Of a publication that is older than
    how names are shown today the public gets the names of today, in four more.
    """
    parameters: list[Any] = [*_known(etags), held.publication, held.etag, held.published_at]

    def look(event_id: int) -> StoredPublication | None:
        return _look((of, form), [*parameters, club, event, event_id, number])

    stored_publication, renamed = _find_readable(look, actor, club, event, of)
    if stored_publication is None or renamed is None:
        return stored_publication
    stored = Publication.objects.get(pk=stored_publication.publication)
    publication = for_public(stored, renamed.club, renamed)
    content = bytes(publication.body if form == "body" else publication.csv)
    return replace(stored_publication, etag=publication.etag, content=content)


def numbered_bytes(
    actor: Actor,
    club: str,
    event: str,
    number: int,
    *,
    form: Form,
    of: Table,
    etags: Collection[str],
) -> StoredPublication:
    """Return the bytes of one numbered publication, as `current_bytes` does."""
    stored_publication = current_bytes(
        actor, club, event, form=form, of=of, number=number, etags=etags
    )
    if stored_publication is None:
        raise Missing("publication", {"publication": number})
    return stored_publication


def _known(etags: Collection[str]) -> list[str]:
    return [*etags, *[""] * MOST_ETAGS][:MOST_ETAGS]


def _find_readable(
    look: Callable[[int], T | None], actor: Actor, club: str, event: str, of: Table
) -> tuple[T | None, Event | None]:
    """Search public objects first; if there is none, search those that the actor may see.

    Returns the object, and its event if its names are older than today's.
    """
    publication = look(0)
    if publication is not None and not publication.is_behind_names:
        return publication, None
    readable = get_event(actor, club, event)
    if of == "ladder":
        require_ladder(readable)
    publication = publication or look(readable.pk)
    is_behind = publication is not None and publication.is_behind_names
    return publication, readable if is_behind and name_column(readable) != FULL_NAME else None


def require_ladder(event: Event) -> None:
    if not event.is_ladder:
        raise Missing("ladder", {"event": event.slug})


def _look(table_and_form: tuple[Table, Form], parameters: list[object]) -> StoredPublication | None:
    statement = _look_statement(*table_and_form, is_numbered=parameters[-1] is not None)
    row = one_row(statement, parameters, binary=True)
    if row is None:
        return None
    publication, published_at, etag, is_public, is_superseded, is_behind, content, packed = row
    if packed == DISCARDED:
        raise Discarded(Publication.objects.get(pk=publication))
    if content is not None and packed is not None:
        content = unpack(bytes(content))[publication][COLUMNS.index(table_and_form[1])]
    return StoredPublication(
        publication=publication,
        published_at=published_at,
        etag=etag,
        is_public=bool(is_public),
        content=bytes(content or b""),
        is_superseded=bool(is_superseded),
        is_behind_names=bool(is_behind),
    )


_LOOK_FOR_FILE: Final = f"""
    SELECT c.id, p.id, p.etag, c.language || '|' || c.time_zone || '|' || c.colour, {_PUBLIC},
        {_NEWER},
        p.names_version < c.names_version, p.pack, f.etag,
        CASE WHEN f.etag IN (%s, %s, %s, %s) THEN NULL ELSE f.content END
    {_FROM}
    LEFT JOIN tournaments_publicationfile f ON f.publication_id = p.id
        AND f.form = %s AND f.paper = %s AND f.layout = %s AND f.source = p.etag
        AND f.look = c.language || '|' || c.time_zone || '|' || c.colour
        AND f.content IS NOT NULL
    {_AT_ADDRESS}
"""
_LOOKS: Final = {
    "standings": _LOOK_FOR_FILE.format(of="event_id"),
    "ladder": _LOOK_FOR_FILE.format(of="ladder_id"),
}


def event_file(
    actor: Actor,
    club: str,
    event: str,
    number: int | None,
    kind: FileKind,
    *,
    of: Table = "standings",
    etags: Collection[str] = (),
) -> FoundFile | None:
    """Return the file of an event's numbered publication, or of the newest; None before the first.

    One query for an event that is public, two for any other.
    """
    form, paper, layout = kind
    parameters = [*_known(etags), str(form), paper, layout, club, event]

    def look(event_id: int) -> FoundFile | None:
        return _look_for_file(of, [*parameters, event_id, number])

    found_file, renamed = _find_readable(look, actor, club, event, of)
    if found_file is None and number is not None:
        raise Missing("publication", {"publication": number})
    if found_file is None or renamed is None:
        return found_file
    stored = Publication.objects.get(pk=found_file.publication)
    return _as_read(found_file, stored, for_public(stored, renamed.club, renamed), kind, etags)


def season_file(
    actor: Actor,
    club: str,
    season: str,
    number: int | None,
    kind: FileKind,
    *,
    etags: Collection[str] = (),
) -> FoundFile | None:
    """Return the file of a season's publication, or of the newest; None before the first."""
    the_season = get_season(actor, club, season)
    document = season_publication(actor, the_season, number, as_stored=True)
    if document is None:
        return None
    newer = Publication.objects.filter(season=the_season, number=document.number + 1)
    found_file = FoundFile(
        club=the_season.club_id,
        publication=document.pk,
        source=document.etag,
        stored_etag=document.etag,
        look=f"{the_season.club.language}|{the_season.club.time_zone}|{the_season.club.colour}",
        is_public=is_season_for_everybody(the_season, document),
        is_superseded=number is not None and newer.exists(),
        is_behind_names=is_behind_names(document, the_season.club),
    )
    stored = Publication.objects.get(pk=document.pk) if found_file.is_behind_names else document
    return _as_read(found_file, stored, document, kind, etags)


def evening_file(
    actor: Actor,
    club: str,
    event: str,
    number: int | None,
    kind: FileKind,
    *,
    day: str,
    etags: Collection[str] = (),
) -> FoundFile:
    """Return the file of a numbered result of an evening."""
    the_event = get_event(actor, club, event)
    meeting = meeting_on(the_event, date_of(day))
    document = read_result(meeting, number or 0, as_stored=True)
    of_club = the_event.club
    is_public = the_event.visibility == Visibility.PUBLIC and of_club.is_open
    found_file = FoundFile(
        club=the_event.club_id,
        publication=document.pk,
        source=document.etag,
        stored_etag=document.etag,
        look=f"{of_club.language}|{of_club.time_zone}|{of_club.colour}",
        is_public=is_public and not hides_names(of_club),
        is_superseded=False,
        is_behind_names=is_behind_names(document, of_club),
    )
    stored = Publication.objects.get(pk=document.pk)
    return _as_read(found_file, stored, document, kind, etags)


def file_as_stored(
    found_file: FoundFile, kind: FileKind, etags: Collection[str] = ()
) -> FoundFile | None:
    """Return the file of a publication that was found before; None where it is not stored."""
    rows = PublicationFile.objects.filter(**key_of(found_file, kind), content__isnull=False)
    known_etag = (
        rows.filter(etag__in=[*etags]).values_list("etag", flat=True).first() if etags else None
    )
    if known_etag is not None:
        return replace(found_file, etag=known_etag, content=None)
    row = rows.values_list("etag", "content").first()
    if row is None:
        return None
    return replace(found_file, etag=row[0], content=bytes(row[1] or b""))


def key_of(found_file: FoundFile, kind: FileKind) -> dict[str, Any]:
    form, paper, layout = kind
    return {
        "publication_id": found_file.publication,
        "form": str(form),
        "paper": paper,
        "source": found_file.source,
        "look": found_file.look,
        "layout": layout,
    }


def _as_read(
    found_file: FoundFile,
    stored: Publication,
    document: Publication,
    kind: FileKind,
    etags: Collection[str],
) -> FoundFile:
    own_file = replace(
        found_file,
        source=document.etag,
        stored_etag=stored.etag,
        document=document,
        etag="",
        content=None,
    )
    return file_as_stored(own_file, kind, etags) or own_file


def _look_for_file(of: Table, values: list[object]) -> FoundFile | None:
    row = one_row(_LOOKS[of], values, binary=True)
    if row is None:
        return None
    club, publication, source, look, is_public, is_superseded, is_behind, packed, *file = row
    etag, content = file
    if packed == DISCARDED:
        raise Discarded(Publication.objects.get(pk=publication))
    return FoundFile(
        club=club,
        publication=publication,
        source=source,
        stored_etag=source,
        look=look,
        is_public=bool(is_public),
        is_superseded=bool(is_superseded),
        is_behind_names=bool(is_behind),
        etag=etag or "",
        content=None if content is None else bytes(content),
    )
