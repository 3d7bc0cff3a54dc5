"""Every address that the site answers, by walking Django's resolver."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern

UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
METHODS = ("GET", *UNSAFE)
NOBODY = "00000000-0000-4000-8000-000000000000"
"""An id that nothing has."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route as it is written, and the view that answers it."""

    pattern: str
    view: Any

    def path(self, names: Mapping[str, object]) -> str:
        """Return an address of this route, `names` filled in; the rest is `1`, or nobody's id."""

        def name(found: re.Match[str]) -> str:
            return str(names.get(found[2], NOBODY if found[1] == "uuid" else 1))

        filled = re.sub(r"<(?:(\w+):)?(\w+)>", name, self.pattern)
        return f"/{filled}"


def routes() -> list[Route]:
    """Return every route of the site; those of the admin and of signing in are among them."""
    return sorted(_below(get_resolver(), ""), key=lambda route: route.pattern)


def _below(resolver: URLResolver, prefix: str) -> Iterator[Route]:
    for each in resolver.url_patterns:
        written = prefix + _written(each.pattern)
        if isinstance(each, URLPattern):
            yield Route(written, each.callback)
        else:
            yield from _below(each, written)


def _written(pattern: object) -> str:
    """A route as text; of a regular expression its names and its plain letters."""
    if isinstance(pattern, RoutePattern):
        return str(pattern)
    named = re.sub(r"\(\?P<(\w+)>[^()]*(?:\([^()]*\)[^()]*)*\)", r"<\1>", str(pattern))
    return re.sub(r"[\^$\\?]", "", named)
