"""The pages of the site as a reader finds them: by the links of the pages before."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from django.test import Client
from django.urls import Resolver404, resolve

LINK = re.compile(r'href="(/[^"#]*)"')
NO_PAGES = ("/static/", "/api/", "/admin/", "/accounts/")


def linked_pages(client: Client, starts: Sequence[str], *, of_a_route: int) -> Iterator[str]:
    """Yield the addresses of the pages that links lead to, at most so many of each route.

    Each page was read once when its address comes.
    """
    to_read, read, seen = list(starts), Counter[str](), set(starts)
    while to_read:
        path = to_read.pop(0)
        route = route_of(path)
        if not route or read[route] == of_a_route:
            continue
        answer = client.get(path)
        if answer.status_code != 200 or "text/html" not in answer["Content-Type"]:
            continue
        read[route] += 1
        yield path
        links = [link.replace("&amp;", "&") for link in LINK.findall(answer.content.decode())]
        to_read += [link for link in links if link not in seen]
        seen.update(links)


def route_of(path: str) -> str:
    """Return the route of an address; none for what is no page."""
    if path.startswith(NO_PAGES):
        return ""
    try:
        return str(resolve(path.partition("?")[0]).route)
    except Resolver404:
        return ""
