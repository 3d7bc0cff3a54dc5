"""REST resources: viewsets over operations, and their addresses.

    class ConstraintViewSet(ResourceViewSet):
        '''The seating constraints of an event with their reasons; for directors.'''

        resource, read_right = ("constraint", "constraints"), "manage_event"
        serializer_class = ConstraintSerializer
        create = creates(add_constraint, NewConstraintSerializer)
        destroy = removes(remove_constraint, "RemovedConstraint", "The removed constraint.")

The right of a write and its description come from the operation. The members of its body are
compared with the arguments of the operation when the module is imported. `get_arguments` turns a
body into these arguments; a method `perform_<action>` does what takes more than one call. Both name
the arguments themselves.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, cast

from django.http import HttpResponse, HttpResponseBase
from django.urls import URLPattern, path, reverse
from django.utils import timezone
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
from api.conditional_requests import if_match_tag
from api.idempotency import fingerprint_of, idempotent, json_answer
from api.lists import Filter, Flat, Listing, Rows
from api.media_types import NDJSON, RENDERERS, StrictJSONParser
from api.permissions import KnownCallerOrReadOnly, check_first
from api.problems import BadRequest
from api.query_parameters import allow_only, names_in_query
from api.resource_schema import Read, ResourceSchema, Shape, Write
from api.serializers.fast_serialization import plain
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from tournaments.domain.etags import etag
from tournaments.errors import Forbidden, Missing
from tournaments.policy import PUBLIC, Actor, may
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_event
from tournaments.services.operations import DeclaredOperation, Operation, club_of
from tournaments.services.permissions import require, require_role

Handler = Callable[..., HttpResponse]


def creates(
    operation: DeclaredOperation[..., Any], body: type[StrictSerializer], **more: Any
) -> Handler:
    """Return the action `create`: a POST to the list."""
    return writes(operation, body, **{"status": 201, **more})


def changes(
    operation: DeclaredOperation[..., Any], body: type[StrictSerializer], **more: Any
) -> Handler:
    """Return the action `partial_update`: a PATCH based on the ETag that was read."""
    return writes(operation, body, **{"if_match": True, **more})


def removes(operation: DeclaredOperation[..., Any], name: str, text: str) -> Handler:
    """Return the action `destroy`: a DELETE; `name` and `text` are those of its answer, an id."""
    members = {"id": serializers.UUIDField(), "__doc__": text}
    shape = type(f"{name}Serializer", (serializers.Serializer,), members)
    return writes(operation, None, answer=shape)


def performs(operation: DeclaredOperation[..., Any], url_path: str, **more: Any) -> Handler:
    """Return an extra action: a POST to `url_path` below a row, or below the list."""
    detail, body = more.pop("detail", True), more.pop("body", EmptyBody)
    handler = writes(operation, body, **more)
    handler.__name__ = url_path.replace("-", "_")
    return cast("Handler", action(["post"], detail=detail, url_path=url_path)(handler))


def writes(
    operation: DeclaredOperation[..., Any],
    body: type[StrictSerializer] | None,
    *,
    name: str = "",
    text: str = "",
    **more: Any,
) -> Handler:
    """Return the handler of a write; `name` and `text` replace those of the operation."""
    write = Write(
        operation=operation,
        operation_id=name or operation.__name__,
        description=text or inspect.getdoc(operation) or "",
        right=operation.right,
        body=body,
        **more,
    )

    def handle(view: "ResourceViewSet", request: Request, **address: str) -> HttpResponse:
        once = idempotent(
            lambda request, **address: view.write(write, request),
            fingerprint=fingerprint_of,
            has_secret=write.has_secret,
            query=names_in_query(write.query_parameters),
        )
        return once(request, **address)

    handle.declared = write  # type: ignore[attr-defined]  # read by the router and the document
    return handle


def reads(text: str) -> Callable[..., HttpResponseBase]:
    """Return the action `retrieve`: a GET of one row, described by `text`."""

    def retrieve(view: "ResourceViewSet", request: Request, **address: str) -> HttpResponseBase:
        allow_only(request)
        return view.read(view.get_row(view.get_object()))

    retrieve.__doc__ = text
    return retrieve


def perform_of(action: str) -> str:
    """Return the name of the method that does what an action takes in more than one call."""
    return f"perform_{action.removeprefix('partial_')}"


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
    """Member of a new row that ends its `Location`; `pk` = the list is the location."""
    lookup_url_kwarg: ClassVar[str] = ""
    location_text: ClassVar[str] = "Address of the new object, or of the list that contains it."
    read_right: ClassVar[str] = "read_public"
    hidden_as: ClassVar[str] = ""
    """What is missing for those without the right to read; empty = they are refused."""
    ordering: ClassVar[tuple[str, ...]] = ("pk",)
    """Columns that a cursor follows, the last one unique; empty = the list is always one page."""
    columns: ClassVar[tuple[str, ...]] = ()
    """Columns of the CSV; empty = the members of the serializer."""
    filters: ClassVar[Sequence[Filter]] = ()
    etag_text: ClassVar[str] = ""
    """Description of the ETag of a row; empty = a general one."""
    lookup_value_converter = "name"
    schema = ResourceSchema()
    is_admitted = False

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if cls.get_arguments is not ResourceViewSet.get_arguments:
            return
        for name, handler in inspect.getmembers(cls, inspect.isfunction):
            write = getattr(handler, "declared", None)
            if isinstance(write, Write) and not hasattr(cls, perform_of(name)):
                write.compare_names()

    def get_queryset(self, *args: Any, **filters: Any) -> Rows:
        """Return the rows of the list; `filters` are texts, empty for all."""
        return ()

    def get_object(self) -> Any:
        """Return the row that the address names; None where rows have no address."""
        return None

    def get_subject(self) -> Any:
        """Return what the operation of the request is called with."""
        return self.get_object() if self.detail else self.parent

    def get_arguments(self, body: dict[str, Any]) -> Mapping[str, Any]:
        """Return the arguments of the operation of the request."""
        return body

    def get_row(self, result: Any) -> Any:
        """Return the row that shows what `get_object` or a write returned."""
        return result

    def get_tag(self, row: Any) -> str:
        """Return what the ETag of a row is made of; empty = rows have none."""
        return ""

    def get_lines(self, row: Flat) -> Iterable[Flat]:
        """Return the lines of a row in the CSV."""
        return (row,)

    def get_location(self, result: Any) -> str:
        """Return the address of what a write created."""
        row, rows = self.resource
        address = {key: self.kwargs[key] for key in self.kwargs if key != self.lookup_url_kwarg}
        if self.lookup_field == "pk":
            return reverse(f"list_{rows}", kwargs=address)
        address[self.lookup_url_kwarg] = getattr(result, self.lookup_field)
        return reverse(f"read_{row}", kwargs=address)

    @cached_property
    def parent(self) -> Any:
        """The club or the event of the address, or None, for a caller with the right."""
        address = self.kwargs
        parent: Any = None
        if "event" in address:
            code = address.get("code", "")
            parent = get_event(self.actor, address["club"], address["event"], code=code)
        elif "club" in address:
            parent = get_club(self.actor, address["club"])
        right, role = self.declared.right, str(getattr(parent, "role", PUBLIC))
        if self.is_hidden and not may(role, right):
            raise Missing(self.hidden_as)
        if right == "read_public":
            return parent
        if self.actor.kind == "public":
            raise NotAuthenticated
        if isinstance(self.declared, Write) or parent is None:
            require_role(self.actor, role, right)
        else:
            require(self.actor, club_of(parent), right)
        return parent

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
        handler = getattr(self, name, None)
        if isinstance(write := getattr(handler, "declared", None), Write):
            return write
        row, rows = self.resource
        described = self if name.startswith("list") else handler
        operation_id = {
            "list": f"list_{rows}", "list_csv": f"list_{rows}_csv", "retrieve": f"read_{row}"
        }.get(name, name)  # fmt: skip
        return Read(
            operation_id=operation_id,
            description=inspect.getdoc(described) or "",
            right=self.read_right,
            media_type="text/csv" if name == "list_csv" else "application/json",
        )

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
            _ = self.parent  # checks the right; a write checks it after a repeat is answered

    def handle_exception(self, exc: Exception) -> Any:
        """Report a missing right before any other error of the request."""
        if self.is_declared and self.is_admitted:
            right = self.declared.right
            act = "" if right == "read_public" or self.is_hidden else right
            read = (right, self.hidden_as) if self.is_hidden else None
            try:
                check_first(exc, self.request, act, self.kwargs, read)
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

    def read(self, row: Any) -> HttpResponseBase:
        """Return the answer with a row."""
        tag = self.etag_of(row)
        return Response(plain(self.row_shape)(row), headers={"ETag": tag} if tag else None)

    def etag_of(self, row: Any) -> str:
        tag = self.get_tag(row)
        return etag(tag) if tag else ""

    @property
    def has_tag(self) -> bool:
        return type(self).get_tag is not ResourceViewSet.get_tag

    # Writes

    def write(self, write: Write, request: Request) -> HttpResponse:
        """Do what a write declares: first the right, then the request, then the row."""
        op = Operation(known_caller(request), timezone.now())
        _ = self.parent  # checks the right
        body: dict[str, Any] = {}
        if write.if_match:
            body["based_on"] = if_match_tag(request, of=self.resource[0])
        if write.body is not None:
            body |= validated(request, write.body)
        perform = getattr(self, perform_of(str(self.action)), None)
        result = perform(op, body) if perform else self.call(op, write.operation, body)
        row = result if write.answer else self.get_row(result)
        answer = json_answer(
            plain(write.answer or self.row_shape)(row),
            status=write.status,
            tag="" if write.answer else self.etag_of(row),
            is_secret=write.has_secret,
        )
        if write.status == 201:
            answer["Location"] = self.get_location(result)
        return answer

    def call(
        self, op: Operation, operation: DeclaredOperation[..., Any], body: dict[str, Any]
    ) -> Any:
        """Call an operation; return its result, or the id of what it removed."""
        subject = [self.get_subject()] if operation.has_subject else []
        result = operation(op, *subject, **self.get_arguments(body))
        return {"id": subject[0].public_id} if result is None else result


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

    def get_method_map(self, viewset: Any, method_map: Mapping[str, str]) -> dict[str, str]:
        actions = super().get_method_map(viewset, method_map)
        has_list = "get_queryset" in vars(viewset)
        return {key: name for key, name in actions.items() if has_list or "list" not in name}


def routes(prefix: str, viewset: type[ResourceViewSet]) -> list[URLPattern]:
    """Return the addresses of a viewset; each view has its operations and rights by method."""
    router = ResourceRouter(trailing_slash=False, use_regex_path=False)
    lookup = router.get_lookup_regex(viewset)
    return [
        _address(viewset, route.url.format(prefix=prefix, lookup=lookup), mapping, route.detail)
        for route in router.get_routes(viewset)
        if (mapping := router.get_method_map(viewset, route.mapping))
    ]


def _address(viewset: Any, url: str, mapping: dict[str, str], detail: bool) -> URLPattern:
    view = viewset.as_view(mapping, detail=detail)
    declared = {method: viewset(action=name).declared for method, name in mapping.items()}
    view.operations = {method: each.operation_id for method, each in declared.items()}
    view.acts = {method: each.right for method, each in declared.items()}
    if "get" in mapping:
        view.acts["head"] = view.acts["get"]
    return cast("URLPattern", path(url, view, name=next(iter(view.operations.values()))))
