"""A table's link as a phone opens it: by address, once; afterwards by cookies."""

from collections.abc import Callable, Iterable, Mapping
from http.cookies import SimpleCookie

Get = Callable[[str, Mapping[str, str]], Iterable[str]]
"""Makes a GET of a path with these headers; returns what the answer's Set-Cookie headers say."""


def opened(get: Get, token: str) -> Mapping[str, str]:
    """Open a link; returns the headers of all that its holder sends from then on."""
    kept = SimpleCookie()
    for path in (f"/t/{token}", "/t"):
        for said in get(path, _shown(kept)):
            kept.load(said)
    return {**_shown(kept), "X-CSRFToken": kept["csrftoken"].value}


def _shown(kept: SimpleCookie) -> dict[str, str]:
    return {"Cookie": "; ".join(f"{name}={one.coded_value}" for name, one in kept.items())}
