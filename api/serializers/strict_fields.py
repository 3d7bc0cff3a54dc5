"""Fields of bodies: the values each takes, and the code by which it refuses everything else."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime, time
from typing import Any, ClassVar, Final, TypeGuard

from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import SkipField, empty

from scoring.errors import Problem, Refused, shown

MOST_TEXT: Final = 500
"""Characters of a text."""

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


class StrictField(serializers.Field[Any, Any, Any, Any]):
    """A member of a body. Its problems begin at the member itself."""

    takes_null: ClassVar[bool] = False
    """Whether null means the same as a member that was left out."""

    usual: ClassVar[object] = empty
    """The value of a member that was left out, if there is one, where `left_out` names no other."""

    def __init__(self, **more: Any) -> None:
        """A field with `left_out` is not required."""
        if "left_out" in more:
            more.setdefault("required", False)
        self.left_out = more.pop("left_out", self.usual)
        super().__init__(**more)

    def run_validation(self, data: object = empty) -> object:
        if data is empty:
            return self._missing()
        if data is None and (self.allow_null or self.takes_null):
            return None
        value = self.to_internal_value(data)
        if _has_nul(data):
            raise Refused(Problem("nul_character", (), {"where": self.field_name or "body"}))
        return value

    def _missing(self) -> object:
        if self.left_out is not empty:
            return self.left_out
        if not self.required:
            raise SkipField
        try:
            return self.to_internal_value(None)
        except Refused as refused:
            missing = {"missing_member": str(self.field_name)}
            problems = (
                replace(problem, facts={**problem.facts, **missing}) for problem in refused.problems
            )
            raise Refused(*problems) from refused


def _has_nul(value: object) -> bool:
    r"""Return whether a text has a character that PostgreSQL cannot store, or one within it has.

    >>> _has_nul({"a": ["b", {"c\0": 1}]}), _has_nul(["\0"]), _has_nul({"a": [1, None, "b"]})
    (True, True, False)
    """
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, Mapping):
        return any(_has_nul(part) for member in value.items() for part in member)
    return isinstance(value, list) and any(map(_has_nul, value))


def is_text(value: object) -> bool:
    """Return whether something is a text that can be stored and is not too long.

    >>> is_text("é" * 500), is_text("x" * 501), is_text("a\\0"), is_text(1), is_text("")
    (True, False, False, False, True)
    """
    return isinstance(value, str) and len(value) <= MOST_TEXT and "\x00" not in value


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether something is a whole number, which true and 1.0 are not."""
    return isinstance(value, int) and not isinstance(value, bool)


class _Text(StrictField):
    """A text as it was sent; one that was left out is empty. Services judge its content."""

    usual = ""

    def to_internal_value(self, data: object) -> object:
        if not is_text(data):
            raise Refused(Problem("bad_text", (), {"field": self.field_name, "most": MOST_TEXT}))
        return data


class TextField(_Text, serializers.CharField):
    """A text; the document has the most that it may be long."""

    most: ClassVar[int | None] = MOST_TEXT
    """Characters; None where the service judges that."""

    def __init__(self, **more: Any) -> None:
        if self.most is not None:
            more.setdefault("max_length", self.most)
        super().__init__(**more)


class ChoiceTextField(_Text, serializers.ChoiceField):
    """A text with documented choices; the service decides which one it takes now."""


class WordField(ChoiceTextField):
    """A text that is one of its choices; no service takes another one."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, str) or data not in self.choices:
            raise bad_choice(self, data, tuple(map(str, self.choices)))
        return data


class NumberOrTextField(TextField):
    """A text, or a whole number, which is read as one."""

    def to_internal_value(self, data: object) -> object:
        return super().to_internal_value(str(data) if is_whole(data) else data)


class WholeNumberField(StrictField, serializers.IntegerField):
    """A whole number, refused by a code of its own.

    Args:
        code: of the problem.
        expected: what its sentence says is expected.
        within: the least and the most; None where the service judges that.
    """

    def __init__(
        self, *, code: str, expected: str, within: tuple[int, int] | None = None, **more: object
    ) -> None:
        super().__init__(**more)
        self.code, self.expected, self.within = code, expected, within

    def to_internal_value(self, data: Any) -> object:
        least, most = self.within or (data, data)
        if not is_whole(data) or not least <= data <= most:
            facts = {"found": shown(data), "expected": self.expected}
            raise Refused(Problem(self.code, (), facts))
        return data


class DayField(StrictField, serializers.DateField):
    """A local day, as in 2025-10-30."""

    takes_null = True

    def run_validation(self, data: object = empty) -> object:
        if data is not empty and data is not None:
            return self.to_internal_value(data)
        if data is empty and self.required:
            return self._missing()
        if not self.required:
            return None
        return self.to_internal_value(None)

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str) and _DAY.fullmatch(data):
            with suppress(ValueError):
                return date.fromisoformat(data)
        raise Refused(Problem("bad_day", (), {"found": shown(data)}))


class BooleanField(StrictField, serializers.BooleanField):
    """True or false; nothing else stands for them."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, bool):
            raise bad_setting(self, shown(data), "true or false")
        return data


class ObjectField(StrictField, serializers.DictField):
    """An object.

    Args:
        expected: what the sentence of a refusal says is expected.
    """

    def __init__(self, *, expected: str, **more: object) -> None:
        super().__init__(**more)
        self.expected = expected

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, Mapping):
            raise bad_setting(self, shown(data), self.expected)
        return data


class TextListField(StrictField, serializers.ListField):
    """A list of texts; the first item that is not a text is named."""

    child = serializers.CharField()

    def to_internal_value(self, data: object) -> object:
        facts = {"field": self.field_name, "most": MOST_TEXT}
        if not isinstance(data, list):
            raise Refused(Problem("bad_text", (), facts))
        bad = next((at for at, text in enumerate(data) if not is_text(text)), None)
        if bad is not None:
            raise Refused(Problem("bad_text", (bad,), facts))
        return data


class DayListField(StrictField, serializers.ListField):
    """Local days."""

    child = serializers.DateField()

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, list):
            raise bad_setting(self, shown(data), "a list of days, as in 2025-10-30")
        days, problems = [], []
        for at, day in enumerate(data):
            try:
                days.append(DayField().to_internal_value(day))
            except Refused:
                problems.append(Problem("bad_day", (at,), {"found": shown(day)}))
        if problems:
            raise Refused(*problems)
        return days


def bad_setting(field: StrictField, value: str, expected: str) -> Refused:
    """Return the refusal of a member that is not of the kind that is expected."""
    facts = {"key": field.field_name, "found": value, "expected": expected}
    return Refused(Problem("bad_setting", (), facts))


def bad_choice(field: StrictField, value: object, choices: Sequence[str]) -> Refused:
    """Return the refusal of a member whose text is not among the choices."""
    facts = {"parameter": field.field_name, "found": shown(value), "expected": ", ".join(choices)}
    return Refused(Problem("bad_parameter", (), facts))


_CLOCK: Final = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?", re.ASCII)


class ClockField(StrictField, serializers.TimeField):
    """A local time, as in 19:30."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str) and _CLOCK.fullmatch(data):
            with suppress(ValueError):
                return time.fromisoformat(data)
        raise Refused(Problem("bad_time", (), {"found": shown(data)}))


class DeviceTimeField(StrictField, serializers.DateTimeField):
    """A moment with its zone, as in 2025-11-06T19:12:40Z."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, str) and len(data) <= 40:
            with suppress(ValueError, OverflowError):
                moment = datetime.fromisoformat(data)
                if moment.utcoffset() is not None and moment.year > 1900:
                    return moment
        raise Refused(Problem("bad_moment", (), {"found": shown(data)}))


@extend_schema_field(OpenApiTypes.BINARY)
class UploadField(StrictField, serializers.FileField):
    """A file."""

    def to_internal_value(self, data: object) -> object:
        if not isinstance(data, UploadedFile):
            raise Refused(Problem("file_needed"))
        return data
