"""Standings of events and stages as stored bytes, and the metrics they rank by."""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Final, TypeAlias

from django.http import HttpResponse, HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from api.authentication import caller
from api.conditional_requests import is_known, known_etags, unchanged, with_etag
from api.lists import SINCE, csv_response, listing
from api.openapi import reading
from api.problems import BadRequest
from api.serializers.fast_serialization import OutputSerializer
from api.serializers.typed_documents import DocumentField, DocumentListField
from api.v1.fields import MomentField, StringListField
from api.v1.standings.history import AS_OF, table_then
from scoring.errors import Problem
from tournaments.domain.standings.criteria import CriterionText, list_criteria
from tournaments.domain.standings.standings_documents import (
    ClubName,
    ColumnDocument,
    EveningAbout,
    EventAbout,
    ProgressDocument,
    SchemeDocument,
    StandingsDocumentRow,
)
from tournaments.policy import Actor
from tournaments.selectors.db.statements import PagedRows
from tournaments.selectors.standings.publication_bytes import (
    NOTHING,
    Form,
    StoredPublication,
    Table,
    current_bytes,
    numbered_bytes,
)
from tournaments.selectors.standings.publications import publication_rows

Place: TypeAlias = tuple[str, str, Table, Form]
"""Club and event as in the address, which of its tables, and the form."""

MOST_BYTES: Final = 32 * 1024 * 1024


class PublicationCache:
    """The newest bytes of each key in this process, so that further readers cost no copy.

    Every read asks the database which publication is the newest and whether the reader may see it;
    only the bytes are cached here, within a size limit. The least recently used are dropped first.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._held: OrderedDict[Place, StoredPublication] = OrderedDict()
        self._lock = Lock()

    def get(self, place: Place) -> StoredPublication:
        with self._lock:
            if place not in self._held:
                return NOTHING
            self._held.move_to_end(place)
            return self._held[place]

    def keep(self, place: Place, cached: StoredPublication) -> None:
        """Replace the bytes of a key; bytes above the size limit are not stored."""
        with self._lock:
            self._size += len(cached.content) - len(self._held.pop(place, NOTHING).content)
            self._held[place] = cached
            while self._size > self._most:
                self._size -= len(self._held.popitem(last=False)[1].content)

    def forget(self) -> None:
        with self._lock:
            self._held.clear()
            self._size = 0


CACHED_PUBLICATIONS: Final = PublicationCache()


class PublicationSerializer(OutputSerializer):
    """A numbered, immutable snapshot of standings; `E/publications/{number}` has it whole."""

    number = serializers.IntegerField()
    version = serializers.IntegerField(help_text="Version of the event that the rows are based on.")
    published_at = MomentField()
    digest = serializers.CharField()


class PublicationHeadSerializer(PublicationSerializer):
    """The publication that a document comes from."""

    redacted = serializers.BooleanField(
        required=False, help_text="Whether names differ from those that were published first."
    )


class StandingsSerializer(OutputSerializer):
    """Standings: `rows` are ranked, those in `provisional_rows` have too few games for a rank."""

    publication = PublicationHeadSerializer(
        required=False, help_text="The publication; only for the current table."
    )
    club = DocumentField(ClubName)
    event = DocumentField(EventAbout)
    evening = DocumentField(
        EveningAbout,
        required=False,
        help_text="The evening whose table this is; only for the table of an evening.",
    )
    as_of = DocumentField(ProgressDocument)
    scheme = DocumentField(SchemeDocument)
    columns = DocumentListField(ColumnDocument)
    rows = DocumentListField(StandingsDocumentRow)
    provisional_rows = DocumentListField(StandingsDocumentRow)


class MetricSerializer(OutputSerializer):
    """A figure of the standings, or a tie-break."""

    key = serializers.CharField()
    use = serializers.ChoiceField(
        choices=("primary", "column", "tie_break"),
        help_text=(
            "Use. primary: it may decide the standings of an event; tie_break: it may break ties; "
            "column: it is only shown."
        ),
    )
    name = serializers.CharField()
    short = serializers.CharField(help_text="Short name, as the heading of a column.")
    direction = serializers.ChoiceField(
        choices=("asc", "desc"), allow_null=True, help_text="Ranking order; asc: lower is better."
    )
    definition = serializers.CharField()
    example = serializers.CharField()
    needs = StringListField(help_text="Data that the sheets must have.")
    reads = serializers.ChoiceField(
        choices=("counted", "all"),
        allow_null=True,
        help_text="Whether a tie-break looks at counted or at all games; null: at none.",
    )


@reading("read_standings", StandingsSerializer, parameters=AS_OF, has_etag=True)
def read_standings(request: Request, club: str, event: str) -> HttpResponseBase:
    """The current standings, byte for byte as published; or those as of a round or a day.

    Send the ETag as `If-None-Match`: the answer is 304 if the standings are unchanged. Standings of
    the past include today's corrections and have no `publication`.
    """
    return _current(request, club, event, "body")


@reading("read_standings_csv", media_type="text/csv", parameters=AS_OF, has_etag=True)
def read_standings_csv(request: Request, club: str, event: str) -> HttpResponseBase:
    """The current standings as CSV; or those as of a round or a day."""
    return _current(request, club, event, "csv")


@reading("read_publication", StandingsSerializer, has_etag=True)
def read_publication(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """One numbered publication of the standings, which never changes.

    It can be withdrawn, so caches ask again by its ETag. The header `Link` leads to the newest
    publication (`latest-version`) and, if there is one, to the next (`successor-version`).
    """
    return numbered_table(request, club, event, number, "body")


@reading("read_publication_csv", media_type="text/csv", has_etag=True)
def read_publication_csv(request: Request, club: str, event: str, number: int) -> HttpResponseBase:
    """One numbered publication of the standings as CSV."""
    return numbered_table(request, club, event, number, "csv")


@listing("publications", PublicationSerializer, order=("-number",), filters=(SINCE,))
def list_publications(actor: Actor, club: str, event: str, since: str = "") -> PagedRows:
    """The publications of an event, the newest first; with `since` a version, only later ones."""
    rows = publication_rows(actor, club, event)
    return rows.filter(version__gt=int(since)) if since else rows


def _current(request: Request, club: str, event: str, form: Form) -> HttpResponseBase:
    if request.query_params.keys() & {"round", "date"}:
        return table_then(request, club, event, form)
    return current_table(request, club, event, form, "standings")


def current_table(
    request: Request, club: str, event: str, form: Form, of: Table
) -> HttpResponseBase:
    """Answer with the bytes of the newest publication of an event's standings, or of its ladder."""
    place = (club, event, of, form)
    cached = CACHED_PUBLICATIONS.get(place)
    etags = known_etags(request)
    stored = current_bytes(caller(request), club, event, form=form, of=of, held=cached, etags=etags)
    if stored is None:
        raise BadRequest(Problem("not_published", facts={"event": event}), status=404)
    if is_known(stored.etag, etags):
        return _answer(stored, b"", of, form)
    if stored.content and not stored.is_behind_names:
        CACHED_PUBLICATIONS.keep(place, stored)
    return _answer(stored, stored.content or cached.content, of, form)


def numbered_table(
    request: Request, club: str, event: str, number: int, form: Form, of: Table = "standings"
) -> HttpResponseBase:
    """Answer with the bytes of one numbered publication of standings, or of a ladder."""
    etags = known_etags(request)
    stored = numbered_bytes(caller(request), club, event, number, form=form, of=of, etags=etags)
    content = b"" if is_known(stored.etag, etags) else stored.content
    response = _answer(stored, content, of, form)
    newest = "/standings" if of == "standings" else ""
    ending = "" if form == "body" else f".{form}"
    response["Link"] = version_links(
        request.path, number, ending, newest, is_superseded=stored.is_superseded
    )
    return response


def version_links(path: str, number: int, ending: str, newest: str, *, is_superseded: bool) -> str:
    """Return where later publications are (RFC 5829); the bytes themselves never say it.

    Args:
        path: of the numbered one, which ends in its number and `ending`.
        newest: how the path of the newest one goes on in its place.
    """
    place = path.removesuffix(f"/publications/{number}{ending}")
    links = [f'<{place}{newest}{ending}>; rel="latest-version"']
    if is_superseded:
        links.append(f'<{place}/publications/{number + 1}{ending}>; rel="successor-version"')
    return ", ".join(links)


def _answer(stored: StoredPublication, content: bytes, of: Table, form: Form) -> HttpResponse:
    """Answer with the content; without any, that nothing changed."""
    if not content:
        response = unchanged()
    elif form == "body":
        response = HttpResponse(content, content_type="application/json")
    else:
        response = csv_response(content, of)
    is_public = stored.is_public and not stored.is_behind_names
    return with_etag(response, stored.etag, is_public=is_public)


@listing(
    "metrics",
    MetricSerializer,
    columns=("key", "use", "name", "short", "direction", "definition", "example"),
)
def list_metrics(_actor: Actor) -> Sequence[CriterionText]:
    """Every figure of the standings and every tie-break, with its definition and an example."""
    return list_criteria()
