"""Every address of REST that writes."""

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from django.urls import URLPattern

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
    "alias": UUID(int=0),
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


def rights() -> Mapping[str, str]:
    """Return each operation with the right of the role table that it needs."""
    views: list[Any] = [each.callback for each in urlpatterns]
    return {name: view.rights[method] for view in views for method, name in view.operations.items()}


def writes(event: str) -> Iterator[tuple[str, str, str]]:
    for each in urlpatterns:
        assert isinstance(each, URLPattern)
        operations = each.callback.operations  # type: ignore[attr-defined]  # of `acting`
        for method in UNSAFE:
            if method in operations and each.name != "score":
                address = filled(str(each.pattern), {**NAMES, "event": event})
                yield operations[method], method, "/api/v1/" + address
