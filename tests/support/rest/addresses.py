"""Every address of REST that writes."""

from collections.abc import Iterator
from uuid import UUID

from django.urls import URLPattern

from api.permissions import ACTS
from api.urls import urlpatterns
from tests.api.conftest import filled

UNSAFE = ("post", "put", "patch", "delete")
NAMES = {
    "club": "riverside",
    "code": "r1t1",
    "number": 1,
    "position": 1,
    "player_id": "RL01",
    "house": "house",
    "kind": "digest",
    "claim": UUID(int=0),
    "day": "2025-11-06",
    "plan": UUID(int=0),
    "constraint": UUID(int=0),
    "season": "autumn",
    "entrant": "RL01",
    "member": UUID(int=0),
    "invitation": UUID(int=0),
    "webhook": UUID(int=0),
    "delivery": UUID(int=0),
    "token": "0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55",
    "id": "0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55",
}


def writes(event: str) -> Iterator[tuple[str, str, str]]:
    for each in urlpatterns:
        assert isinstance(each, URLPattern)
        view = getattr(each.callback, "cls", None)
        for method in UNSAFE:
            handler = getattr(view, method, None)
            if handler is None or each.name == "score":
                continue
            name = next((cell for cell in _names_in(handler) if cell in ACTS), "")
            yield name, method, "/api/v1/" + filled(str(each.pattern), {**NAMES, "event": event})


def _names_in(handler: object) -> list[str]:
    found, inner = [], handler
    for cell in getattr(handler, "__closure__", None) or ():
        inner = cell.cell_contents
        while callable(inner) and hasattr(inner, "__name__"):
            found.append(inner.__name__)
            inner = getattr(inner, "__wrapped__", None)
    return found
