"""Files of a publication beside its JSON and CSV: a spreadsheet, a print for the wall, a picture.

Made of the stored publication at the first request and stored; who may read them, their ETag and
what caches may do with them is as for the JSON.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone, translation
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from api.authentication import caller
from api.conditional_requests import is_known, known_etags, unchanged, with_etag
from api.media_types import PDF, PNG, XLSX
from api.openapi import View, reading
from api.problems import BadRequest, problem_response
from api.query_parameters import allow_only, choice_parameter
from api.v1.standings.standings import version_links
from scoring.errors import Problem
from tournaments.documents.standings import (
    link_picture,
    publication_book,
    published_table,
    wall_sheet,
)
from tournaments.domain.etags import mark_of_text
from tournaments.domain.time_limits import TooLong
from tournaments.models.standings import FileForm, Paper, Publication
from tournaments.selectors.standings.publication_bytes import (
    FileKind,
    FoundFile,
    evening_file,
    event_file,
    season_file,
)
from tournaments.services.publishing.publication_files import FileIsBeingMade, publication_file

LAYOUT: Final = 3
"""The layout of the files; a change of what they look like raises it, and they are made anew."""
RETRY_AFTER_S: Final = 2
MEDIA: Final = {FileForm.XLSX: XLSX, FileForm.PDF: PDF, FileForm.PNG: PNG}
PAPER: Final = OpenApiParameter(
    "paper", OpenApiTypes.STR, enum=[*Paper.values], description="Paper size; `a4` by default."
)

Find = Callable[..., FoundFile | None]


@dataclass(frozen=True, slots=True)
class _Table:
    """One of the tables that are published: how its operations are named, and how it is found."""

    name: str
    words: str
    numbered: str
    find: Find
    place: str
    newest: str | None
    """How the path of the newest one goes on; None where it has no address of its own."""


STANDINGS: Final = _Table(
    "standings",
    "The current standings",
    "One numbered publication of the standings",
    event_file,
    "event",
    "/standings",
)
SEASON: Final = _Table(
    "season_standings",
    "The season standings",
    "One numbered publication of the season standings",
    season_file,
    "season",
    "/standings",
)
LADDER: Final = _Table(
    "ladder",
    "The ladder",
    "One numbered publication of the ladder",
    partial(event_file, of="ladder"),
    "event",
    "",
)
EVENING: Final = _Table(
    "evening_result",
    "",
    "One result of an evening",
    evening_file,
    "event",
    None,
)


def _answer(
    request: Request, table: _Table, form: FileForm, at: Mapping[str, object]
) -> HttpResponse:
    """Answer with a file; 503 with `Retry-After` where another process still makes it."""
    number = at.get("number")
    place = str(at[table.place])
    kind = _kind(request, form)
    etags = known_etags(request)
    of_evening = {"day": at["day"]} if table is EVENING else {}
    actor = caller(request)
    found_file = table.find(actor, at["club"], place, number, kind, etags=etags, **of_evening)
    if found_file is None:
        raise BadRequest(Problem("not_published", facts={"event": place}), status=404)
    if not found_file.etag:
        try:
            make = partial(made_file, kind, found_file.look)
            found_file = publication_file(found_file, kind, make, clock=timezone.now)
        except (FileIsBeingMade, TooLong):
            problem = Problem("file_is_being_made", facts={"seconds": RETRY_AFTER_S})
            wait = {"Retry-After": str(RETRY_AFTER_S), "Cache-Control": "no-store"}
            return problem_response(request, 503, [problem], headers=wait)
    if is_known(found_file.etag, etags) or found_file.content is None:
        response = unchanged()
    else:
        response = HttpResponse(found_file.content, content_type=MEDIA[form])
        how = "attachment" if form == FileForm.XLSX else "inline"
        parts = (at["club"], place, at.get("day"), number)
        name = "-".join(str(part) for part in parts if part)
        response["Content-Disposition"] = f'{how}; filename="{name}.{form}"'
    if isinstance(number, int) and table.newest is not None:
        response["Link"] = version_links(
            request.path, number, f".{form}", table.newest, is_superseded=found_file.is_superseded
        )
    is_public = found_file.is_public and not found_file.is_behind_names
    return with_etag(response, found_file.etag, is_public=is_public)


def _kind(request: Request, form: FileForm) -> FileKind:
    paper = ""
    if form == FileForm.PDF:
        allow_only(request, "paper")
        paper = choice_parameter(request, "paper", Paper.values, default=str(Paper.A4))
    else:
        allow_only(request)
    return form, paper, mark_of_text(f"{LAYOUT} {settings.SITE_URL}")


def made_file(kind: FileKind, look: str, publication: Publication) -> bytes:
    """Return a publication in a form, in the language of its club."""
    (form, paper, _layout), (language, zone, colour) = kind, look.split("|")
    with translation.override(language):
        if form == FileForm.XLSX:
            return publication_book(publication, settings.SITE_URL)
        table = published_table(publication, zone)
        if form == FileForm.PDF:
            return wall_sheet(table, paper=paper, colour=colour, site=settings.SITE_URL)
        return link_picture(table, colour=colour)


_FORMS: Final = {
    FileForm.XLSX: "as an XLSX file, with all columns and figures as numbers.",
    FileForm.PDF: "as a PDF file to be hung up.\n\nIt has at most 2,000 rows; more: 422.",
    FileForm.PNG: "as a PNG file of 1200 x 630 pixels, for link previews: the first places.",
}
_MADE: Final = """

The file is made at the first request and then stored. While another process is still making it, the
answer is 503 with `Retry-After`.
"""


def paths(table: _Table, newest: str, numbered: str) -> list[URLPattern]:
    """Return the addresses of a table's files.

    Args:
        newest, numbered: routes of its JSON, of the newest publication and of a numbered one.
    """
    of_number = (
        "ladder_publication" if table is LADDER else table.name.replace("standings", "publication")
    )
    routes = []
    for form in FileForm:
        newest_words = f"{table.words} {_FORMS[form]}{_MADE}"
        numbered_words = f"{table.numbered} {_FORMS[form]}{_MADE}"
        for route, name, words, more in (
            (newest, table.name, newest_words, ()),
            (numbered, of_number, numbered_words, ("number",)),
        ):
            view = _view(f"read_{name}_{form}", table, form, words, ("club", table.place, *more))
            routes.append(path(f"{route}.{form}", view, name=f"read_{name}_{form}"))
    return routes


def result_paths(numbered: str) -> list[URLPattern]:
    """Return the addresses of the files of an evening's results, from the route of their JSON."""
    routes = []
    for form in FileForm:
        name = f"read_{EVENING.name}_{form}"
        words = f"{EVENING.numbered} {_FORMS[form]}{_MADE}"
        view = _view(name, EVENING, form, words, ("club", "event", "day", "number"))
        routes.append(path(f"{numbered}.{form}", view, name=name))
    return routes


def _view(name: str, table: _Table, form: FileForm, words: str, parts: Sequence[str]) -> View:
    def described() -> None:
        """Stand for the view: its docstring and its parameters are those of this form."""

    described.__doc__ = words
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    described.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # as inspect reads it
        [inspect.Parameter(part, kind) for part in ("request", *parts)]
    )

    def view(request: Request, **at: object) -> HttpResponseBase:
        return _answer(request, table, form, at)

    parameters = (PAPER,) if form == FileForm.PDF else ()
    declared = reading(
        name, media_type=MEDIA[form], of=described, parameters=parameters, has_etag=True
    )
    return declared(view)
