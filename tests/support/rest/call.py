"""One request over REST, with what must be there before it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from api.openapi_document import EXAMPLES
from api.schema_views import document
from tests.support.answers import Answer
from tests.support.cast import Cast
from tests.support.webhooks import DELIVERY, WEBHOOK

CLUB = "/api/v1/clubs/riverside"
FILES = {"file": "night.csv", "photo": "sheet.jpg"}
"""Member of a body that is sent as a file → the name of the file."""
MEMBER, CLAIM = UUID(int=1), UUID(int=2)
TOKEN = UUID("0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55")
NAMES: Final[Mapping[str, object]] = {
    "claim": CLAIM,
    "club": "riverside",
    "code": "r1t1",
    "alias": TOKEN,
    "constraint": TOKEN,
    "day": "2025-11-13",
    "delivery": DELIVERY,
    "entrant": "pair-1",
    "event": "league",
    "house": "thursday-rules",
    "invitation": MEMBER,
    "kind": "digest",
    "member": MEMBER,
    "number": "1",
    "other": "2",
    "plan": TOKEN,
    "player_id": "RL01",
    "position": "{problem}",
    "season": "autumn",
    "token": TOKEN,
    "variant": "hearts",
    "webhook": WEBHOOK,
}
"""Name in the address of an operation → what stands there where a request does not say it."""


@dataclass(frozen=True, slots=True)
class RestCall:
    """One request, made by somebody of the cast after `prepare`."""

    path: str
    body: Mapping[str, Any] = field(default_factory=dict)
    who: str = "dirk"
    prepare: Callable[[Cast], object] = lambda cast: None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    status: int = 200
    lines: int = 1
    """So many lines of the audit it leaves."""
    operation: str = ""

    @property
    def address(self) -> str:
        """The address of the request; of the club's where it does not say the whole."""
        return self.path if self.path.startswith("/api/") else CLUB + self.path

    def send(self, client: Client, key: str = "key-1") -> Answer:
        headers = {"Idempotency-Key": key, **self.headers}
        if self.method == "PATCH":
            headers["If-Match"] = "*"
        elif self.path.endswith("/seats"):
            headers["If-Match"] = Client().get(self.address)["ETag"]
        for member, name in FILES.items():
            if member in self.body:
                file = SimpleUploadedFile(name, self.body[member])
                return client.post(self.address, {member: file}, headers=headers)
        return client.generic(
            self.method,
            self.address,
            json.dumps(dict(self.body)),
            content_type="application/json",
            headers=headers,
        )


def documented(
    operation: str,
    prepare: Callable[[Cast], object] = lambda cast: None,
    *,
    who: str = "dirk",
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    lines: int = 1,
    query: str = "",
    **names: str,
) -> RestCall:
    """Return the request of an operation: its body and status are those of its example."""
    example = json.loads((EXAMPLES / f"{operation}.json").read_text(encoding="utf-8"))
    [(method, path)] = [
        (method, path)
        for path, methods in document()["paths"].items()
        for method, description in methods.items()
        if description["operationId"] == operation
    ]
    return RestCall(
        path.format_map({**NAMES, **names}) + query,
        example.get("request", {}) if body is None else body,
        who,
        prepare,
        method.upper(),
        headers or {},
        example["status"],
        lines,
        operation,
    )


def by_operation(*calls: RestCall) -> Mapping[str, RestCall]:
    return {call.operation: call for call in calls}
