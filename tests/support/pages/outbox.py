"""What a phone's outbox sends and is answered."""

import json
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from django.test import Client

from tests.support.answers import Answer, Json
from tests.support.pages.hand_entry import NEW


def shell(page: Answer) -> Json:
    match = re.search(r'data-outbox="([^"]*)"', page.content.decode())
    assert match
    given: dict[str, Any] = json.loads(unescape(match[1]))
    return given


def send(
    client: Client, fields: Mapping[str, object], *, address: str = NEW, owner: str = ""
) -> Answer:
    owner = owner or shell(client.get(NEW))["owner"]
    kept = {"way": "counts", "number": 2, "key": "phone-1", "go": "save"}
    return client.post(address, {**kept, **fields}, headers={"X-Outbox": owner})
