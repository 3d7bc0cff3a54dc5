"""What a database publishes, as digests: `python -m benchmarks.digests`, to compare two commits.

Prints one line for each publication (without members that are words or moments), each address, and
each operation of the REST reference with the digest of its members and codes. Two commits that
print the same lines publish the same.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.urls import URLPattern, URLResolver, get_resolver  # noqa: E402 - after `setup`
from drf_spectacular.generators import SchemaGenerator  # noqa: E402

from tournaments.models.standings import Publication  # noqa: E402

LEFT_OUT: Final = frozenset(
    {"title", "short", "reason", "ahead", "sentences", "published_at", "digest"}
)
"""Members of published documents that are words, a moment, or a digest of a document with them."""
PROSE: Final = frozenset({"description", "summary", "tags", "title", "example", "examples"})
WHO: Final = frozenset({"security"})
"""Members of an operation that say who may call it, which is neither a member nor a code."""


def digest(value: object) -> str:
    """Return the digest of a JSON value, whatever the order of its members."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def without(value: Any, names: frozenset[str]) -> Any:
    """Return a JSON value without the members of these names, at any depth."""
    if isinstance(value, dict):
        return {key: without(one, names) for key, one in value.items() if key not in names}
    return [without(one, names) for one in value] if isinstance(value, list) else value


def publications() -> Iterator[str]:
    for row in Publication.objects.select_related("event", "season").order_by("pk"):
        where = row.event.slug if row.event is not None else f"season {row.season}"
        body = without(json.loads(bytes(row.body)), LEFT_OUT)
        yield f"publication {where} {row.number} {digest(body)} {len(bytes(row.csv))}"


def addresses(patterns: Any = None, before: str = "") -> Iterator[str]:
    for one in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(one, URLResolver):
            yield from addresses(one.url_patterns, before + str(one.pattern))
        elif isinstance(one, URLPattern):
            yield f"address {before}{one.pattern}"


def operations() -> Iterator[str]:
    """Yield a line for each operation of the REST reference; names of its schemas do not count."""
    document: Mapping[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    schemas = document["components"]["schemas"]

    def resolved(value: Any, depth: int = 0) -> Any:
        if isinstance(value, dict):
            name = value.get("$ref", "").rpartition("/")[2]
            if name in schemas and depth < 12:
                return resolved(schemas[name], depth + 1)
            return {key: resolved(one, depth) for key, one in value.items() if key != "$ref"}
        return [resolved(one, depth) for one in value] if isinstance(value, list) else value

    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            told = without(resolved(operation), (PROSE | WHO) - {"title"})
            yield f"operation {operation['operationId']} {method} {path} {digest(told)}"


if __name__ == "__main__":
    for line in sorted([*publications(), *addresses(), *operations()]):
        sys.stdout.write(line + "\n")
