"""A publication's files as stored: a spreadsheet, a print, a picture; and whether they are there.

Who may read a publication's JSON may read its files, and nobody else. One statement finds the
club, the event, the publication and the file, as `publication_bytes.py` does for JSON and CSV.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from tournaments.errors import Missing
from tournaments.models.clubs import Club
from tournaments.models.standings import FileForm, Publication, PublicationFile
from tournaments.policy import Actor
from tournaments.selectors.clubs.names import FULL_NAME, name_column
from tournaments.selectors.db.statements import one_row
from tournaments.selectors.events.events import event_at
from tournaments.selectors.events.published_names import for_public, is_behind_names
from tournaments.selectors.events.seasons import is_for_everybody, season_at, season_publication
from tournaments.selectors.standings.publication_bytes import MOST_ETAGS, Table, require_ladder


@dataclass(frozen=True, slots=True)
class FileKind:
    """Which file: its form, the paper of a print, and the mark of the layout that it has today."""

    form: FileForm
    paper: str
    layout: str


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


_LOOK: Final = """
    SELECT c.id, p.id, p.etag, c.language || '|' || c.time_zone || '|' || c.colour,
        e.visibility = 'public' AND c.is_public AND c.delete_after IS NULL,
        EXISTS (
            SELECT 1 FROM tournaments_publication n WHERE n.{of} = e.id AND n.number = p.number + 1
        ),
        p.names_version < c.names_version, f.etag,
        CASE WHEN f.etag IN (%s, %s, %s, %s) THEN NULL ELSE f.content END
    FROM tournaments_club c
    JOIN tournaments_event e ON e.club_id = c.id
    JOIN tournaments_publication p ON p.{of} = e.id
    LEFT JOIN tournaments_publicationfile f ON f.publication_id = p.id
        AND f.form = %s AND f.paper = %s AND f.layout = %s AND f.source = p.etag
        AND f.look = c.language || '|' || c.time_zone || '|' || c.colour
        AND f.content IS NOT NULL
    WHERE c.slug = %s AND e.slug = %s
        AND (e.id = %s OR (
            e.visibility = 'public' AND c.is_public AND c.delete_after IS NULL))
        AND p.number = COALESCE(
            %s, (SELECT MAX(n.number) FROM tournaments_publication n WHERE n.{of} = e.id)
        )
"""
_LOOKS: Final[Mapping[Table, str]] = {
    "standings": _LOOK.format(of="event_id"),
    "ladder": _LOOK.format(of="ladder_id"),
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

    Raises:
        Missing: no such club, event or publication, or not one that the actor may know of.
    """
    known = [*[*etags][:MOST_ETAGS], *[""] * MOST_ETAGS][:MOST_ETAGS]
    asked = [*known, str(kind.form), kind.paper, kind.layout, club, event]
    found = _look(of, [*asked, 0, number])
    if found is not None and not found.is_behind_names:
        return found
    readable = event_at(actor, club, event)
    if of == "ladder":
        require_ladder(readable)
    found = found or _look(of, [*asked, readable.pk, number])
    if found is None and number is not None:
        raise Missing("publication", {"publication": number})
    if found is None or not found.is_behind_names or name_column(readable) == FULL_NAME:
        return found
    stored = Publication.objects.get(pk=found.publication)
    return _as_read(found, stored, for_public(stored, readable.club, readable), kind, etags)


def season_file(
    actor: Actor,
    club: str,
    season: str,
    number: int | None,
    kind: FileKind,
    *,
    etags: Collection[str] = (),
) -> FoundFile | None:
    """Return the file of a season's numbered publication, or of the newest; None before the first.

    Raises:
        Missing: no such club, season or publication, or not one that the actor may know of.
    """
    own = season_at(actor, club, season)
    document = season_publication(actor, own, number, as_stored=True)
    if document is None:
        return None
    newer = Publication.objects.filter(season=own, number=document.number + 1)
    found = FoundFile(
        club=own.club_id,
        publication=document.pk,
        source=document.etag,
        stored_etag=document.etag,
        look=_look_of(own.club),
        is_public=is_for_everybody(own, document),
        is_superseded=number is not None and newer.exists(),
        is_behind_names=is_behind_names(document, own.club),
    )
    stored = Publication.objects.get(pk=document.pk) if found.is_behind_names else document
    return _as_read(found, stored, document, kind, etags)


def file_as_stored(
    found: FoundFile, kind: FileKind, etags: Collection[str] = ()
) -> FoundFile | None:
    """Return the file of a publication that was found before; None where it is not stored."""
    rows = PublicationFile.objects.filter(**key_of(found, kind), content__isnull=False)
    held = rows.filter(etag__in=[*etags]).values_list("etag", flat=True).first() if etags else None
    if held is not None:
        return replace(found, etag=held, content=None)
    row = rows.values_list("etag", "content").first()
    return None if row is None else replace(found, etag=row[0], content=bytes(row[1] or b""))


def key_of(found: FoundFile, kind: FileKind) -> dict[str, Any]:
    """Return the columns by which a file is kept once."""
    return {
        "publication_id": found.publication,
        "form": str(kind.form),
        "paper": kind.paper,
        "source": found.source,
        "look": found.look,
        "layout": kind.layout,
    }


def _as_read(
    found: FoundFile,
    stored: Publication,
    document: Publication,
    kind: FileKind,
    etags: Collection[str],
) -> FoundFile:
    """The file of the JSON as the actor reads it, which may have other names than the stored."""
    own = replace(
        found,
        source=document.etag,
        stored_etag=stored.etag,
        document=document,
        etag="",
        content=None,
    )
    return file_as_stored(own, kind, etags) or own


def _look_of(club: Club) -> str:
    return f"{club.language}|{club.time_zone}|{club.colour}"


def _look(of: Table, values: list[object]) -> FoundFile | None:
    row = one_row(_LOOKS[of], values, binary=True)
    if row is None:
        return None
    club, publication, source, look, is_public, is_superseded, is_behind, etag, content = row
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
