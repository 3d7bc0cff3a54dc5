"""Types of parsed JSON and TOML whose members their reader checks one by one.

Documents with known members have their own types; these two are for external
input: cases, typed entries, files of rules, options, stored facts.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias, TypeGuard

JsonObject: TypeAlias = Mapping[str, Any]
"""An object that is only read."""

JsonDict: TypeAlias = dict[str, Any]
"""An object of one's own, which may be written to."""


def is_list(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether a value is a list of JSON, or a tuple of our own."""
    return isinstance(value, list | tuple)
