"""What the test client sends and gets: a JSON body, the answer, and the JSON object in it."""

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from django.core.signals import request_finished
from django.db import close_old_connections
from django.test import Client

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer
else:
    from django.http import HttpResponse as Answer

__all__ = ["Answer", "Json", "close_answer", "post_json", "send_json"]

Json: TypeAlias = dict[str, Any]
"""Parsed JSON that a test looks into: an object of REST, a stored entry, a published body."""


def send_json(client: Client, method: str, address: str, body: object, **headers: str) -> Answer:
    """Send JSON as a program does; headers by name, `If_Match` for `If-Match`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.generic(method, address, json.dumps(body), "application/json", headers=named)


def post_json(client: Client, address: str, body: object, **headers: str) -> Answer:
    """Post JSON as a program does; headers by name, `If_Match` for `If-Match`."""
    return send_json(client, "POST", address, body, **headers)


def close_answer(answer: Answer) -> None:
    request_finished.disconnect(close_old_connections)
    answer.close()
    request_finished.connect(close_old_connections)
