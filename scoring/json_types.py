"""Types of parsed JSON and TOML whose members their reader checks one by one.

A document whose members are known has a type of its own; these two are for what comes from
outside: cases, typed entries, files of rules, options, stored facts.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

JsonObject: TypeAlias = Mapping[str, Any]
"""An object that is only read."""

JsonDict: TypeAlias = dict[str, Any]
"""An object of one's own, which may be written to."""
