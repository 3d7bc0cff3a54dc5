"""REST resources: viewsets over operations, their addresses and their part of the OpenAPI document.

    class ConstraintViewSet(ResourceViewSet):
        '''The seating constraints of an event with their reasons; for directors.'''

        resource, read_right = ("constraint", "constraints"), "manage_event"
        serializer_class = ConstraintSerializer
        create = creates(add_constraint, NewConstraintSerializer)
        destroy = removes(remove_constraint, "constraint")

The right of a write and its description come from the operation.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, cast

import uritemplate
from django.http import HttpResponse, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import APIException, NotAuthenticated
from rest_framework.parsers import BaseParser
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import DynamicRoute, Route, SimpleRouter
from rest_framework.viewsets import ViewSet

from api.authentication import caller, known_caller
from api.conditional_requests import (
    etag_parameter,
    if_match_parameter,
    if_match_tag_or_any,
    location_parameter,
)
from api.idempotency import (
    KEY,
    REPLAYED_HEADER,
    fingerprint_of,
    idempotent,
    json_answer,
)
from api.lists.list_filters import Filter
from api.lists.pagination import Flat, Listing, Rows, one_line
from api.media_types import NDJSON, RENDERERS, StrictJSONParser
from api.openapi import FAILURE, page_of
from api.openapi_document import tag_of
from api.permissions import KnownCallerOrReadOnly, require_factor, require_first
from api.problems import BadRequest
from api.query_parameters import PATH, allow_only, names_in_query
from api.serializers.fast_serialization import plain
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from scoring.errors import Refused
from tournaments.domain.etags import etag
from tournaments.errors import Forbidden, Missing
from tournaments.policy import PUBLIC, Actor, may
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_event
from tournaments.services.operations import DeclaredOperation, Operation, club_of
from tournaments.services.permissions import require, require_role

Shape = type[serializers.BaseSerializer[Any]]
Call = Callable[["Any", Operation, dict[str, Any]], Any]


@dataclass(frozen=True, slots=True)
class Write:
    """What a write does: an operation with the body of its request and of its answer."""

    operation: DeclaredOperation[..., Any]
    body: type[StrictSerializer] | None
    answer: Shape | None = None
    """None = the serializer of the viewset."""
    call: Call | None = None
    """Runs the operation with a body, as (viewset, operation, body), and returns what is shown.

    None = the operation is called with the row and the members of the body.
    """
    on_home: bool = False
    """The operation is called with the club or event; otherwise with the row of the address."""
    status: int = 200
    location: str = ""
    """The row, or the list that contains what was created; empty = the viewset's list.

    A list is that of the club or event if the operation is called with that.
    """
    if_match: bool = False
    asks: Sequence[OpenApiParameter] = ()
    """Query parameters, which `call` reads."""
    has_secret: bool = False
    name: str = ""
    """Operation id; empty = the name of the operation."""
    text: str = ""
    """Description in the OpenAPI document; empty = the docstring of the operation."""

    @property
    def right(self) -> str:
        return self.operation.right

    @property
    def operation_id(self) -> str:
        return self.name or self.operation.__name__

    @property
    def description(self) -> str:
        return self.text or inspect.getdoc(self.operation) or ""


@dataclass(frozen=True, slots=True)
class Read:
    """A read of a viewset."""

    operation_id: str
    description: str
    right: str
    media_type: str = "application/json"


Handler = Callable[..., HttpResponse]


def creates(
    operation: DeclaredOperation[..., Any], body: type[StrictSerializer], **more: Any
) -> Handler:
    """Return the action `create`: a POST to the list."""
    return writes(operation, body, **{"status": 201, "on_home": True, **more})


def changes(
    operation: DeclaredOperation[..., Any], body: type[StrictSerializer], **more: Any
) -> Handler:
    """Return the action `partial_update`: a PATCH based on the ETag that was read."""
    return writes(operation, body, **{"if_match": True, **more})


def removes(operation: DeclaredOperation[..., Any], kind: str, **more: Any) -> Handler:
    """Return the action `destroy`: a DELETE that answers with the id of what it removed."""
    members = {"id": serializers.UUIDField(), "__doc__": f"The {kind} that was removed."}
    shape = type(f"Removed{kind.title()}Serializer", (serializers.Serializer,), members)
    return writes(operation, None, **{"answer": shape, **more})


def performs(operation: DeclaredOperation[..., Any], url_path: str, **more: Any) -> Handler:
    """Return an extra action: a POST to `url_path` below a row, or below the list."""
    detail, body = more.pop("detail", True), more.pop("body", EmptyBody)
    handler = writes(operation, body, **{"on_home": not detail, **more})
    handler.__name__ = url_path.replace("-", "_")
    return cast("Handler", action(["post"], detail=detail, url_path=url_path)(handler))


def writes(
    operation: DeclaredOperation[..., Any], body: type[StrictSerializer] | None, **more: Any
) -> Handler:
    """Return the handler of a write."""
    write = Write(operation, body, **more)

    def handle(view: "ResourceViewSet", request: Request, **address: str) -> HttpResponse:
        def work(request: Request, **address: str) -> HttpResponse:
            return view.perform(write, request)

        query, has_secret = names_in_query(write.asks), write.has_secret
        once = idempotent(work, fingerprint=fingerprint_of, has_secret=has_secret, query=query)
        return once(request, **address)

    handle.declared = write  # type: ignore[attr-defined]  # read by the router and the document
    return handle


class ResourceSchema(AutoSchema):
    """Describes the actions of a viewset in the OpenAPI document."""

    @property
    def viewset(self) -> "ResourceViewSet":
        return cast("ResourceViewSet", self.view)

    def get_operation_id(self) -> str:
        return self.viewset.declared.operation_id

    def get_description(self) -> str:  # type: ignore[override]  # as drf-spectacular has it
        return self.viewset.declared.description

    def get_summary(self) -> str:
        return self.get_description().partition("\n")[0].rstrip(".")

    def get_tags(self) -> list[str]:
        return [tag_of(type(self.view).__module__)]

    def get_override_parameters(self) -> list[Any]:
        known = [PATH[name] for name in uritemplate.variables(self.path) if name in PATH]
        return [*known, *self.viewset.documented_parameters()]

    def get_request_serializer(self) -> Any:
        declared = self.viewset.declared
        return {"application/json": declared.body} if isinstance(declared, Write) else None

    def get_response_serializers(self) -> Any:
        declared, view = self.viewset.declared, self.viewset
        line = self.get_description().partition("\n")[0]
        if isinstance(declared, Write):
            shape = declared.answer or view.row_shape
            return {declared.status: OpenApiResponse(shape, line), **FAILURE}
        if declared.media_type != "application/json":
            text = OpenApiResponse(OpenApiTypes.STR, line)
            return {(200, declared.media_type): text, **FAILURE}
        if view.action != "list":
            shape = view.row_shape
            return {(200, declared.media_type): OpenApiResponse(shape, line), **FAILURE}
        page = OpenApiResponse(page_of(view.serializer_class), line)
        rows = OpenApiResponse(OpenApiTypes.STR, "All rows, one on each line.")
        batches = {(200, NDJSON): rows} if view.ordering else {}
        return {(200, declared.media_type): page, **FAILURE, **batches}

    def _is_list_view(self, serializer: Any = None) -> bool:
        return False  # the page is described as it is


class ResourceViewSet(ViewSet):
    """Rows below a club or an event: read by selectors, changed by operations.

    A subclass has `get_queryset`, and `get_object` where rows have an address. Its docstring
    describes the list.
    """

    resource: ClassVar[tuple[str, str]]
    """Name of a row and of the list, in operation ids and files."""
    noun: ClassVar[str] = ""
    """Name of a row in texts; empty = that in `resource`."""
    serializer_class: ClassVar[Shape]
    detail_serializer_class: ClassVar[Shape | None] = None
    """Of one row, where the list shows less of each."""
    lookup_field: ClassVar[str] = "pk"
    lookup_url_kwarg: ClassVar[str] = ""
    location_text: ClassVar[str] = "Address of the new object, or of the list that contains it."
    read_right: ClassVar[str] = "read_public"
    hidden_as: ClassVar[str] = ""
    """What is missing for those without the right to read; empty = they are refused."""
    ordering: ClassVar[tuple[str, ...]] = ("pk",)
    """Columns that a cursor follows, the last one unique; empty = the list is always one page."""
    columns: ClassVar[tuple[str, ...]] = ()
    """Columns of the CSV; empty = the members of the serializer."""
    filters: ClassVar[Mapping[str, Filter]] = {}
    etag_text: ClassVar[str] = ""
    """Description of the ETag of a row; empty = a general one."""
    lookup_value_converter = "name"
    schema = ResourceSchema()
    is_admitted = False

    def get_queryset(self, *args: Any, **filters: Any) -> Rows:
        """Return the rows of the list; `filters` are texts, empty for all."""
        return ()

    def get_object(self) -> Any:
        """Return the row that the address names; None where rows have no address."""
        return None

    def get_row(self, result: Any) -> Any:
        """Return the row that shows what `get_object` or a write returned."""
        return result

    def get_tag(self, row: Any) -> str:
        """Return what the ETag of a row is made of; empty = rows have none."""
        return ""

    def get_lines(self, row: Flat) -> Iterable[Flat]:
        """Return the lines of a row in the CSV."""
        return one_line(row)

    @cached_property
    def home(self) -> Any:
        """The club or the event of the address, or None, for a caller with the right."""
        address = self.kwargs
        home: Any = None
        if "event" in address:
            code = address.get("code", "")
            home = get_event(self.actor, address["club"], address["event"], code=code)
        elif "club" in address:
            home = get_club(self.actor, address["club"])
        right, role = self.declared.right, str(getattr(home, "role", PUBLIC))
        if self.is_hidden and not may(role, right):
            raise Missing(self.hidden_as)
        if right == "read_public":
            return home
        if self.actor.kind == "public":
            raise NotAuthenticated
        if isinstance(self.declared, Write) or home is None:
            require_role(self.actor, role, right)
        else:
            require(self.actor, club_of(home), right)
        return home

    @property
    def is_hidden(self) -> bool:
        return bool(self.hidden_as) and isinstance(self.declared, Read)

    @property
    def actor(self) -> Actor:
        return caller(self.request)

    @property
    def is_declared(self) -> bool:
        """Whether the resource has the method; OPTIONS is the framework's."""
        return self.action not in (None, "metadata")

    @property
    def declared(self) -> Write | Read:
        """What the action of the request is."""
        name = self.action or ""
        write = getattr(getattr(self, name, None), "declared", None)
        if isinstance(write, Write):
            return write
        (row, rows), about = self.resource, inspect.getdoc(type(self)) or ""
        if name == "list":
            return Read(f"list_{rows}", about, self.read_right)
        if name == "list_csv":
            return Read(f"list_{rows}_csv", about, self.read_right, "text/csv")
        about = inspect.getdoc(getattr(self, name)) or ""
        return Read(f"read_{row}" if name == "retrieve" else name, about, self.read_right)

    def get_permissions(self) -> Sequence[BasePermission]:
        is_read = self.request.method in ("GET", "HEAD", "OPTIONS")
        return [AllowAny() if is_read else KnownCallerOrReadOnly()]

    def get_parsers(self) -> list[BaseParser]:
        return [StrictJSONParser()]

    def get_renderers(self) -> list[BaseRenderer]:
        kinds = ["text/csv" if self.action == "list_csv" else "application/json"]
        if self.action in ("list", "create") and self.ordering:
            kinds.append(NDJSON)
        return [RENDERERS[kind]() for kind in kinds]

    @property
    def default_response_headers(self) -> dict[str, str]:
        """The headers of every answer; for `Vary`, DRF looks at a class attribute."""
        vary = {"Vary": "Accept"} if len(self.get_renderers()) > 1 else {}
        return {**super().default_response_headers, **vary}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.is_admitted = True
        needs_right = self.is_declared and self.declared.right != "read_public"
        if needs_right and ("club" not in kwargs or isinstance(self.declared, Read)):
            _ = self.home  # checks the right; a write checks it after a repeat is answered

    def handle_exception(self, exc: Exception) -> Any:
        """Report a missing right before any other error of the request."""
        if self.is_declared and self.is_admitted:
            right = self.declared.right
            act = "" if right == "read_public" or self.is_hidden else right
            read = (right, self.hidden_as) if self.is_hidden else None
            try:
                if isinstance(exc, APIException | BadRequest | Refused):
                    require_first(self.request, act, self.kwargs, read)
                elif isinstance(exc, Missing | Forbidden):
                    require_factor(self.request, exc, right, self.kwargs)
            except (APIException, BadRequest, Missing, Forbidden) as refusal:
                exc = refusal
        return super().handle_exception(exc)

    @property
    def row_shape(self) -> Shape:
        return self.detail_serializer_class or self.serializer_class

    # Reads

    @property
    def listing(self) -> Listing:
        return Listing(
            name=self.resource[1],
            shape=self.serializer_class,
            rows=self.get_queryset,
            columns=self.columns,
            order=self.ordering,
            lines=self.get_lines,
            filters=self.filters,
        )

    def list(self, request: Request, **address: str) -> HttpResponseBase:
        return self.listing.answer(request, self.get_queryset)

    def list_csv(self, request: Request, **address: str) -> HttpResponseBase:
        return self.listing.answer_csv(request, self.get_queryset)

    def read(self, request: Request) -> HttpResponseBase:
        """Return the answer with one row, for `retrieve`."""
        allow_only(request)
        row = self.get_row(self.get_object())
        return Response(plain(self.row_shape)(row), headers=self.etag_of(row))

    def etag_of(self, row: Any) -> dict[str, str]:
        tag = self.get_tag(row)
        return {"ETag": etag(tag)} if tag else {}

    # Writes

    def perform(self, write: Write, request: Request) -> HttpResponse:
        """Do what a write declares: first the right, then the request, then the row."""
        op = Operation(known_caller(request), timezone.now())
        subject = self.home
        sent: dict[str, Any] = {}
        if write.if_match:
            sent["based_on"] = if_match_tag_or_any(request, of=self.resource[0])
        if write.body is not None:
            sent |= validated(request, write.body)
        if write.call is not None:
            result = write.call(self, op, sent)
        else:
            subject = subject if write.on_home else self.get_object()
            result = write.operation(op, subject, **sent)
        if write.body is None and result is None:
            result = {"id": subject.public_id}
        row = self.get_row(result) if write.answer is None else result
        answer = json_answer(
            plain(write.answer or self.row_shape)(row),
            status=write.status,
            is_secret=write.has_secret,
        )
        for header, value in self.etag_of(row).items() if write.answer is None else ():
            answer[header] = value
        if write.status == 201:
            address = {key: str(value) for key, value in self.kwargs.items()}
            if write.location == f"read_{self.resource[0]}":
                address[self.lookup_url_kwarg] = getattr(result, self.lookup_field)
            elif not write.location:
                address.pop(self.lookup_url_kwarg, None)
            elif write.on_home:
                address = {key: address[key] for key in ("club", "event") if key in address}
            answer["Location"] = reverse(
                write.location or f"list_{self.resource[1]}", kwargs=address
            )
        return answer

    # The OpenAPI document

    def documented_parameters(self) -> Iterable[OpenApiParameter]:
        """Yield the query parameters and headers of the action."""
        declared, kind = self.declared, self.noun or self.resource[0]
        is_of_row = not isinstance(declared, Write) or declared.answer is None
        has_tag = is_of_row and type(self).get_tag is not ResourceViewSet.get_tag
        status = declared.status if isinstance(declared, Write) else 200
        text = self.etag_text or f"ETag of the {kind}, for `If-Match` of `PATCH`."
        tag = etag_parameter(text, status)
        if isinstance(declared, Write):
            if declared.if_match:
                yield if_match_parameter(f"The ETag of the {kind} that you read, or `*`")
            yield from (*declared.asks, KEY, REPLAYED_HEADER)
            if declared.status == 201:
                yield location_parameter(self.location_text)
            yield from [tag] if has_tag else ()
        elif self.action == "list":
            yield from self.listing.parameters
        elif self.action == "list_csv":
            yield from self.listing.csv_parameters
        elif has_tag:
            yield tag


class ResourceRouter(SimpleRouter):
    """Routes of viewsets: `.csv` beside each list, no slash at the end, operation ids as names."""

    routes = [  # noqa: RUF012 - as in the framework
        Route("{prefix}", {"get": "list", "post": "create"}, "", False, {}),
        DynamicRoute("{prefix}/{url_path}", "", False, {}),
        Route("{prefix}.csv", {"get": "list_csv"}, "", False, {}),
        Route(
            "{prefix}/{lookup}",
            {"get": "retrieve", "patch": "partial_update", "delete": "destroy"},
            "", True, {},
        ),
        DynamicRoute("{prefix}/{lookup}/{url_path}", "", True, {}),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__(trailing_slash=False, use_regex_path=False)

    def get_method_map(self, viewset: Any, method_map: Mapping[str, str]) -> dict[str, str]:
        found = super().get_method_map(viewset, method_map)
        has_list = "get_queryset" in vars(viewset)
        return {key: name for key, name in found.items() if has_list or "list" not in name}


def routes(prefix: str, viewset: type[ResourceViewSet]) -> list[URLPattern]:
    """Return the addresses of a viewset; each view has its operations and rights by method."""
    router = ResourceRouter()
    lookup = router.get_lookup_regex(viewset)
    return [
        _address(viewset, route.url.format(prefix=prefix, lookup=lookup), mapping)
        for route in router.get_routes(viewset)
        if (mapping := router.get_method_map(viewset, route.mapping))
    ]


def _address(viewset: Any, url: str, mapping: dict[str, str]) -> URLPattern:
    view = viewset.as_view(mapping)
    view.acts, view.operations = {}, {}
    for method, name in mapping.items():
        instance = viewset()
        instance.action = name
        declared = instance.declared
        view.acts[method], view.operations[method] = declared.right, declared.operation_id
    if "get" in mapping:
        view.acts["head"] = view.acts["get"]
    address: URLPattern = path(url, view, name=next(iter(view.operations.values())))
    return address
