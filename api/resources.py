"""REST resources: viewsets over operations.

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

A request is checked in this order: the caller, the query, a repeated `Idempotency-Key`, the right,
`If-Match`, the body, the row. Whatever else is wrong, a missing right is reported first.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, ClassVar, cast

from django.http import HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import APIException, NotAuthenticated
from rest_framework.parsers import BaseParser
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from api.authentication import caller, known_caller
from api.conditional_requests import NO_STORE
from api.deprecation import Deprecation
from api.idempotency import REPLAYED, Steps, answer_once, json_answer, key_of
from api.lists import Filter, Flat, Listing, Rows
from api.media_types import NDJSON, RENDERERS
from api.permissions import KnownCallerOrReadOnly, check_first
from api.problems import BadRequest
from api.query_parameters import allow_only, names_in_query
from api.resource_schema import ANY_TAG, Read, ResourceSchema, Shape, Write, perform_of
from api.serializers.fast_serialization import plain
from api.serializers.strict_serializers import EmptyBody, StrictSerializer, validated
from scoring.errors import Refused
from tournaments.domain.etags import etag
from tournaments.errors import Conflict, Forbidden, Missing
from tournaments.policy import LINK, PUBLIC, Actor, may
from tournaments.selectors.clubs.clubs import get_club
from tournaments.selectors.events.events import get_event
from tournaments.services.operations import (
    DeclaredOperation,
    Operation,
    club_of,
    require,
    require_role,
)

Handler = Callable[..., HttpResponse]


def creates(
    operation: DeclaredOperation[..., Any], body: type[StrictSerializer], **more: Any
) -> Handler:
    """Return the action `create`: a POST to the list."""
    more.setdefault("status", 201)
    return writes(operation, body, **more)


def changes(
    operation: DeclaredOperation[..., Any], body: type[StrictSerializer], **more: Any
) -> Handler:
    """Return the action `partial_update`: a PATCH based on the ETag that was read."""
    more.setdefault("if_match", ANY_TAG)
    return writes(operation, body, **more)


def removes(operation: DeclaredOperation[..., Any], name: str, text: str) -> Handler:
    """Return the action `destroy`: a DELETE; `name` and `text` are those of its answer, an id."""
    members = {"id": serializers.UUIDField(source="public_id"), "__doc__": text}
    shape = type(f"{name}Serializer", (serializers.Serializer,), members)
    return writes(operation, body=None, answer=shape)


def performs(operation: DeclaredOperation[..., Any], url_path: str, **more: Any) -> Handler:
    """Return an extra action: a POST to `url_path` below a row, or below the list."""
    detail = more.pop("detail", True)
    body = more.pop("body", EmptyBody)
    handler = writes(operation, body, **more)
    handler.__name__ = url_path.replace("-", "_")
    extra_action = action(["post"], detail=detail, url_path=url_path)
    return cast("Handler", extra_action(handler))


def writes(
    operation: DeclaredOperation[..., Any],
    body: type[StrictSerializer] | None,
    *,
    name: str = "",
    text: str = "",
    right: str = "",
    **more: Any,
) -> Handler:
    """Return the handler of a write; `name`, `text` and `right` replace the operation's.

    `more` are the other fields of `Write`.
    """
    write = Write(
        operation=operation,
        operation_id=name or operation.__name__,
        description=text or inspect.getdoc(operation) or "",
        right=right or operation.right,
        body=body,
        **more,
    )

    def handle(view: "ResourceViewSet", request: Request, **address: str) -> HttpResponse:
        allow_only(request, *names_in_query(write.query_parameters))
        if not write.has_repeats:
            return view.write(write, request)
        run: Callable[[], HttpResponse | Steps]
        if write.is_in_steps:
            run = partial(view.write_in_steps, write, request)
        else:
            run = partial(view.write, write, request)
        return answer_once(
            request,
            run,
            is_in_steps=write.is_in_steps,
            fingerprint=write.fingerprint,
            has_secret=write.has_secret,
        )

    handle.declared = write  # type: ignore[attr-defined]  # read by the router and the document
    return handle


def previews(
    operation: DeclaredOperation[..., Any], url_path: str, body: type[StrictSerializer], **more: Any
) -> Handler:
    """Return an extra action that says what the operation would do; nothing is stored."""
    return performs(operation, url_path, body=body, has_repeats=False, **more)


def reads(text: str, *query_parameters: OpenApiParameter) -> Callable[..., HttpResponseBase]:
    """Return the action `retrieve`: a GET of one row, described by `text`."""

    def retrieve(view: "ResourceViewSet", request: Request, **address: str) -> HttpResponseBase:
        allow_only(request, *names_in_query(query_parameters))
        return view.read(view.get_row(view.get_object()))

    retrieve.__doc__ = text
    retrieve.query_parameters = query_parameters  # type: ignore[attr-defined]  # as `declared`
    return retrieve


class ResourceViewSet(ViewSet):
    """Rows below a club or an event: read by selectors, changed by operations.

    A subclass has `rows_selector` or `get_queryset`, and `row_selector` or `get_object` where rows
    have an address. Its docstring describes the list.
    """

    resource: ClassVar[tuple[str, str]]
    """Name of a row and of the list, in operation ids and files."""
    is_single: ClassVar[bool] = False
    """Whether there is one row, at the address itself; then `get_object` is that row."""
    noun: ClassVar[str] = ""
    """Name of a row in texts; empty = that in `resource`."""
    serializer_class: ClassVar[Shape]
    detail_serializer_class: ClassVar[Shape | None] = None
    """Serializer of one row, if the list shows less."""
    lookup_field: ClassVar[str] = "pk"
    """Member of a new row that ends its `Location`; `pk` = the list is the location."""
    lookup_url_kwarg: ClassVar[str] = ""
    location_text: ClassVar[str] = "Address of the new object, or of the list that contains it."
    is_personal: ClassVar[bool] = False
    """Whether rows have e-mail addresses: nothing on the way may store an answer."""
    read_right: ClassVar[str] = "read_public"
    hidden_as: ClassVar[str] = ""
    """Kind of the 404 for callers without the right to read; empty = 403."""
    ordering: ClassVar[tuple[str, ...]] = ("pk",)
    """Columns that a cursor follows, the last one unique; empty = the list is always one page."""
    columns: ClassVar[tuple[str, ...]] = ()
    """Columns of the CSV; empty = the members of the serializer."""
    filters: ClassVar[Sequence[Filter]] = ()
    etag_text: ClassVar[str] = ""
    """Description of the ETag of a row; empty = a general one."""
    lookup_value_converter = "name"
    row_selector: "ClassVar[staticmethod[..., Any] | None]" = None
    """Returns a row, by what the address is below and by the member `lookup_url_kwarg`."""
    rows_selector: "ClassVar[staticmethod[..., Rows] | None]" = None
    """Returns the rows below that."""
    tag_of_row: "ClassVar[staticmethod[..., str] | None]" = None
    """Returns what the ETag of a row is made of; None = rows have none."""
    deprecation: ClassVar[Deprecation | None] = None
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
        if not self.rows_selector:
            return ()
        return self.rows_selector(self.parent)

    def get_parent(self) -> Any:
        """Return the club or the event of the address with the `role` of the caller, or None."""
        address = self.kwargs
        if "event" in address:
            code = address.get("code", "")
            return get_event(self.actor, address["club"], address["event"], code=code)
        if "club" not in address:
            return None
        return get_club(self.actor, address["club"])

    def get_object(self) -> Any:
        """Return the row that the address names; by default what the address is below."""
        if self.row_selector is None:
            return self.parent
        return self.row_selector(self.parent, self.kwargs[self.lookup_url_kwarg])

    def get_subject(self) -> Any:
        """Return what the operation of the request is called with."""
        if not self.detail:
            return self.parent
        return self.get_object()

    def get_body(self, shape: type[StrictSerializer]) -> dict[str, Any]:
        return validated(self.request, shape)

    def get_arguments(self, body: dict[str, Any]) -> Mapping[str, Any]:
        return body

    def get_row(self, result: Any) -> Any:
        """Return the row that shows what `get_object` or a write returned."""
        return result

    def get_tag(self, row: Any) -> str:
        """Return what the ETag of a row is made of; empty = the row has none."""
        if self.tag_of_row is None:
            return ""
        return self.tag_of_row(row)

    def get_refusal(self, refusal: Refused | Conflict) -> Exception:
        """Return what an operation was refused with as the answer has it."""
        return refusal

    def get_status(self, write: Write, result: Any) -> int:
        """Return the status of the answer with what a write returned."""
        return write.status

    def get_lines(self, row: Flat) -> Iterable[Flat]:
        return (row,)

    def get_location(self, result: Any) -> str:
        """Return the address of what a write created."""
        row_name, list_name = self.resource
        address = dict(self.kwargs)
        address.pop(self.lookup_url_kwarg, None)
        if self.lookup_field == "pk":
            return reverse(f"list_{list_name}", kwargs=address)
        address[self.lookup_url_kwarg] = getattr(result, self.lookup_field)
        return reverse(f"read_{row_name}", kwargs=address)

    @cached_property
    def parent(self) -> Any:
        """The club or the event of the address, or None, for a caller with the right."""
        parent = self.get_parent()
        right = self.declared.right
        role = str(getattr(parent, "role", PUBLIC))
        if self.is_hidden and not may(role, right):
            raise Missing(self.hidden_as)
        if right == "read_public":
            return parent
        if self.actor.kind == "public":
            raise NotAuthenticated
        if isinstance(self.declared, Write) or parent is None or role == LINK:
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
        return self.action not in (None, "", "metadata")

    @property
    def declared(self) -> Write | Read:
        """What the action of the request is."""
        name = self.action or ""
        handler = getattr(self, name, None)
        write = getattr(handler, "declared", None)
        if isinstance(write, Write):
            return write

        row_name, list_name = self.resource
        operation_ids = {
            "list": f"list_{list_name}",
            "list_csv": f"list_{list_name}_csv",
            "retrieve": f"read_{row_name}",
        }
        # The docstring of the class describes the list, that of a method its action.
        described = self if name.startswith("list") else handler
        return Read(
            operation_id=operation_ids.get(name, name),
            description=inspect.getdoc(described) or "",
            right=self.read_right,
            media_type="text/csv" if name == "list_csv" else "application/json",
            query_parameters=getattr(handler, "query_parameters", ()),
        )

    def get_permissions(self) -> Sequence[BasePermission]:
        if self.request.method in ("GET", "HEAD", "OPTIONS"):
            return [AllowAny()]
        return [KnownCallerOrReadOnly()]

    def initialize_request(self, request: Any, *args: Any, **kwargs: Any) -> Request:
        # The parsers of a request depend on its action, which DRF sets after they are chosen.
        self.action = self.action_map.get(request.method.lower(), "")
        return super().initialize_request(request, *args, **kwargs)

    def get_parsers(self) -> list[BaseParser]:
        if not self.is_declared:
            return []
        return [self.declared.parser()]

    def get_renderers(self) -> list[BaseRenderer]:
        media_types = ["text/csv" if self.action == "list_csv" else "application/json"]
        if self.action in ("list", "create") and self.ordering:
            media_types.append(NDJSON)
        return [RENDERERS[media_type]() for media_type in media_types]

    @property
    def default_response_headers(self) -> dict[str, str]:
        """The headers of every answer; for `Vary`, DRF looks at a class attribute."""
        headers = dict(super().default_response_headers)
        if len(self.get_renderers()) > 1:
            headers["Vary"] = "Accept"
        if self.deprecation is not None:
            headers.update(self.deprecation.headers)
        if self.is_personal:
            headers["Cache-Control"] = NO_STORE
        return headers

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.is_admitted = True
        if not self.is_declared or self.declared.right == "read_public":
            return
        # A write below a club checks the right in `run`, after a repeat is answered.
        if "club" not in kwargs or isinstance(self.declared, Read):
            self.check_right()

    def check_right(self) -> None:
        """Refuse a caller without the right; reading `parent` does."""
        _ = self.parent

    def handle_exception(self, exc: Exception) -> Any:
        """Report a missing right before any other error of the request."""
        if not self.is_declared or not self.is_admitted:
            return super().handle_exception(exc)
        right = self.declared.right
        hidden_read = None
        if self.is_hidden:
            hidden_read = (right, self.hidden_as)
            right = ""
        elif right == "read_public":
            right = ""
        try:
            check_first(exc, self.request, right, self.kwargs, read=hidden_read)
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
        headers = {}
        tag = self.etag_of(row)
        if tag:
            headers["ETag"] = tag
        return Response(plain(self.row_shape)(row), headers=headers)

    def etag_of(self, row: Any) -> str:
        """Return the ETag of a row; empty = the row has none."""
        tag = self.get_tag(row)
        if not tag:
            return ""
        return etag(tag)

    @property
    def has_tag(self) -> bool:
        """Whether the rows may have an ETag."""
        return self.tag_of_row is not None or type(self).get_tag is not ResourceViewSet.get_tag

    # Writes

    def write(self, write: Write, request: Request) -> HttpResponse:
        return self.answer_with(write, self.run(write, request))

    def write_in_steps(self, write: Write, request: Request) -> Steps:
        """Do the same where `perform_<action>` commits as it goes."""
        result = yield from self.run(write, request)
        return self.answer_with(write, result)

    def run(self, write: Write, request: Request) -> Any:
        """Run a write: `perform_<action>`, if the class has it, else the operation itself."""
        op = Operation(known_caller(request), timezone.now())
        self.check_right()
        body: dict[str, Any] = {}
        if write.if_match is not None:
            body["based_on"] = write.if_match.read(request, of=self.resource[0])
        if write.keeps_key:
            body["key"] = key_of(request)
        if write.body is not None:
            body |= self.get_body(write.body)
        perform = getattr(self, perform_of(str(self.action)), None)
        try:
            if perform:
                return perform(op, body)
            return self.call(op, write.operation, body)
        except (Refused, Conflict) as refusal:
            raise self.get_refusal(refusal) from refusal

    def answer_with(self, write: Write, result: Any) -> HttpResponse:
        """Return the answer with a result; `perform_<action>` may return one itself."""
        if isinstance(result, HttpResponse):
            return result
        if write.answer is not None:
            body = plain(write.answer)(result)
            tag = ""
        else:
            row = self.get_row(result)
            body = plain(self.row_shape)(row)
            tag = self.etag_of(row)
        status = self.get_status(write, result)
        answer = json_answer(body, status=status, tag=tag, is_secret=write.has_secret)
        if status in write.location_statuses and self.location_text:
            answer["Location"] = self.get_location(result)
        if write.keeps_key and result.replayed:
            answer[REPLAYED] = "true"
        return answer

    def call(
        self, op: Operation, operation: DeclaredOperation[..., Any], body: dict[str, Any]
    ) -> Any:
        """Call an operation; return its result, or the row that it changed or removed."""
        if not operation.has_subject:
            return operation(op, **self.get_arguments(body))
        subject = self.get_subject()
        result = operation(op, subject, **self.get_arguments(body))
        if result is None:
            return subject
        return result
