"""Members of a body that are lists of bodies, each read by a serializer of its own."""

from collections.abc import Sequence
from dataclasses import replace

from rest_framework import serializers
from rest_framework.fields import empty

from api.serializers.strict_fields import StrictField
from api.serializers.strict_serializers import StrictSerializer
from scoring.errors import Problem, Refused, shown
from scoring.json_types import JsonDict


class BodiesField(StrictField, serializers.ListField):
    """A list of bodies, each of which is read by a serializer of its own."""

    def run_validation(self, data: object = empty) -> object:
        """Return what was sent; the fields of each body look for NUL characters.

        Raises:
            SkipField: it may be left out, and was.
            Refused: as `to_internal_value` says.
        """
        return self._missing() if data is empty else self.to_internal_value(data)


def read_bodies(data: Sequence[object], kind: type[StrictSerializer]) -> list[JsonDict]:
    """Return the bodies of a list.

    Raises:
        Refused: everything that cannot be read, each problem at the place of its body; bad_setting
            for what is no object.
    """
    problems: list[Problem] = []
    found: list[JsonDict] = []
    for at, one in enumerate(data):
        if not isinstance(one, dict):
            facts = {"key": "item", "found": shown(one), "expected": "an object"}
            problems.append(Problem("bad_setting", (at,), facts))
            continue
        body = kind(data=one)
        if body.is_valid():
            found.append(body.validated_data)
        else:
            problems += (replace(problem, at=(at, *problem.at)) for problem in body.problems)
    if problems:
        raise Refused(*problems)
    return found
