"""Examples of the OpenAPI document: what an operation was sent and answered, with stable ids.

What differs from run to run (ids, digests, secrets, the size of a file) is replaced by something of
the same form; lists are cut to their first two rows.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.support.answers import Answer
from tests.support.rest.call import RestCall

MOST_ROWS: Final = 2
MOST_LINES: Final = 3
_STABLE: Final = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "uuid"),
    (re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{64}(?![0-9A-Za-z])"), "hex"),
    (re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{32}(?![0-9A-Za-z])"), "hex"),
    (re.compile(r"(?<![0-9A-Za-z])[0-9a-f]{12}(?![0-9A-Za-z])"), "hex"),
    (re.compile(r"(?<=/invitations/)[^/\"]{20,}"), "secret"),
    (re.compile(r"(?<=/t/)[^/\"]{20,}"), "secret"),
    (re.compile(r"bl_[0-9A-Za-z_-]{20,}"), "token"),
    (re.compile(r"(?<=\"id\": )[0-9]+"), "number"),
)
_DIGITS: Final = "0123456789abcdef"
_OF_THE_DATABASE: Final = {"list_mails": "number", "send_mail_again": "number"}
"""Operation → the member that is the number of a row of the database."""


def example_of(operation: str, call: RestCall, answer: Answer) -> dict[str, Any]:
    """Return the example of an operation: what was sent, the status, what was answered."""
    media = answer.headers.get("Content-Type", "").partition(";")[0]
    example: dict[str, Any] = {"status": answer.status_code, "media_type": media}
    if call.body and not any(isinstance(value, bytes) for value in call.body.values()):
        example["request"] = stable(dict(call.body))
    if media == "application/json":
        example["answer"] = stable(_shortened(json.loads(answer.content)))
    elif media.startswith("text/") or media == "application/toml":
        lines = answer.getvalue().decode().splitlines(keepends=True)[:MOST_LINES]
        example["answer"] = stable("".join(lines))
    if operation.removesuffix("_csv") in _OF_THE_DATABASE and "answer" in example:
        example["answer"] = _without_number(example["answer"])
    return example


def stable(value: object) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    for pattern, kind in _STABLE:
        text = pattern.sub(_replacement(kind), text)
    return json.loads(text)


def _replacement(kind: str) -> Callable[[re.Match[str]], str]:
    return lambda found: _instead(kind, len(found[0]))


def _instead(kind: str, length: int) -> str:
    if kind == "uuid":
        return "0c6d4f9e-5a3b-4f3e-9b1a-2f8f6d1c7a55"
    if kind == "number":
        return "1"
    if kind == "hex":
        return (_DIGITS * 4)[:length]
    return "bl_example" if kind == "token" else "example-of-a-token"


def _shortened(value: object) -> object:
    """Return a value whose lists of objects have their first rows only."""
    if isinstance(value, list):
        rows = value[:MOST_ROWS] if value and isinstance(value[0], Mapping | list) else value
        return [_shortened(row) for row in rows]
    if isinstance(value, Mapping):
        return {key: _shortened(one) for key, one in value.items()}
    return value


def _without_number(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub(r"(?m)^\d+", "1", value)
    if isinstance(value, list):
        return [_without_number(one) for one in value]
    if isinstance(value, dict):
        return {key: 1 if key == "number" else _without_number(one) for key, one in value.items()}
    return value
