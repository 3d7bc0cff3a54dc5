"""One request over REST, with what must be there before it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests.support.answers import Answer
from tests.support.builders import Cast

CLUB = "/api/v1/clubs/riverside"
FILES = {"file": "night.csv", "photo": "sheet.jpg"}
"""Member of a body that is sent as a file → the name of the file."""


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
