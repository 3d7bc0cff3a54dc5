"""Bodies of requests: strict serializers and lists of them, whose refusals are problems."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction
from rest_framework import serializers
from rest_framework.fields import SkipField, empty
from rest_framework.request import Request

from api.problems import BadRequest, pointer
from api.serializers.strict_fields import StrictField, bad_setting
from scoring.errors import Problem, Refused, listed, shown
from scoring.json_types import JsonDict, JsonObject
from tournaments.domain.messages import sentence


class StrictSerializer(serializers.Serializer[Any]):
    """A body that has the declared members and no others.

    `is_valid` says whether it can be read; `problems` then has everything that is wrong with it.
    """

    order: ClassVar[Sequence[str]] = ()
    """Members as problems list them, where that is not the order of the document."""

    problems: tuple[Problem, ...] = ()

    def is_valid(self, *, raise_exception: bool = False) -> bool:
        is_valid = super().is_valid()
        if raise_exception and not is_valid:
            raise Refused(*self.problems)
        return is_valid

    def run_validation(self, data: object = empty) -> object:
        try:
            return super().run_validation(data)
        except Refused as refused:
            self.problems = refused.problems
            detail: dict[str, list[str]] = {}
            for problem in refused.problems:
                detail.setdefault(pointer(problem.at), []).append(sentence(problem))
            raise serializers.ValidationError(detail) from refused

    def to_internal_value(self, data: Mapping[str, object]) -> dict[str, object]:
        names = tuple(self.order) or tuple(self.fields)
        names = tuple(name for name in names if name in self.fields)
        expected = ", ".join(names)
        problems = [
            Problem("unknown_member", (name,), {"found": shown(name), "expected": expected})
            for name in sorted(set(data) - set(names))
        ]
        members: dict[str, Any] = {}
        for name in names:
            try:
                members[name] = self.fields[name].run_validation(data.get(name, empty))
            except SkipField:
                continue
            except Refused as refused:
                problems += (
                    replace(problem, at=(name, *problem.at)) for problem in refused.problems
                )
        problems += self.body_problems(data)
        if problems:
            raise Refused(*problems)
        return members

    def body_problems(self, body: Mapping[str, object]) -> Iterator[Problem]:
        """Yield what is wrong with members in combination, whatever is wrong with each."""
        yield from ()


class StrictExtension(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Closes the documented schema of every strict body: unknown members are refused."""

    target_class = StrictSerializer
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> JsonDict:
        schema = auto_schema._map_serializer(  # type: ignore[no-untyped-call]  # untyped there
            self.target, direction, bypass_extensions=True
        )
        return {**schema, "additionalProperties": False}


class EmptyBody(StrictSerializer):
    """An empty object; the request needs no members."""


def validated(
    request: Request, kind: type[StrictSerializer], data: JsonObject | None = None, **context: Any
) -> JsonDict:
    """Return the body of a request, as `kind` reads it.

    Args:
        data: what was sent, where that is not the parsed body as it is.
        context: what the serializer has to know besides.
    """
    serializer = kind(data=request.data if data is None else data, context=context)
    if not serializer.is_valid():
        require_body(request, serializer)
        raise Refused(*serializer.problems)
    body: dict[str, Any] = serializer.validated_data
    return body


def require_body(request: Request, serializer: StrictSerializer) -> None:
    """Check that a request has a body; one that needs a body is refused for each member else."""
    if request.stream is None:
        needed = [name for name, field in serializer.fields.items() if field.required]
        members = f" with {listed(needed)}" if needed else ""
        why = f"the body is missing. Send a JSON object{members}."
        raise BadRequest(Problem("bad_json", facts={"why": why}))


class BodiesField(StrictField, serializers.ListField):
    """A list of bodies, each of which is read by a serializer of its own, the `child`.

    Args:
        expected: what the sentence of a refusal says is expected.
    """

    def __init__(self, *, expected: str = "", **more: Any) -> None:
        super().__init__(**more)
        self.expected = expected

    def run_validation(self, data: object = empty) -> object:
        """Return what was sent; the fields of each body look for NUL characters."""
        if data is empty:
            return self._missing()
        return self.to_internal_value(data)

    def to_internal_value(self, data: object) -> object:
        least = self.min_length or 0
        most = self.max_length or 0
        kind = type(self.child)
        if not isinstance(data, list) or not least <= len(data) <= most:
            raise bad_setting(self, shown(data), self.expected)
        return tuple(read_bodies(data, cast("type[StrictSerializer]", kind)))


def read_bodies(data: Sequence[object], kind: type[StrictSerializer]) -> list[JsonDict]:
    problems: list[Problem] = []
    bodies: list[JsonDict] = []
    for at, members in enumerate(data):
        if not isinstance(members, dict):
            facts = {"key": "item", "found": shown(members), "expected": "an object"}
            problems.append(Problem("bad_setting", (at,), facts))
            continue
        body = kind(data=members)
        if body.is_valid():
            bodies.append(body.validated_data)
        else:
            problems += (replace(problem, at=(at, *problem.at)) for problem in body.problems)
    if problems:
        raise Refused(*problems)
    return bodies
