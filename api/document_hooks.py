"""What the OpenAPI document says beside its addresses: tags with their words, and examples.

Examples are answers that tests collected (`make examples`), a file for each operation.
"""

import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from scoring.json_types import JsonDict

TAGGED: Final = "api.v1."
EXAMPLES: Final = Path(__file__).resolve().parent / "examples"
"""Where the example of each operation is, under its name."""

NEEDS_BODY: Final = "x-needs-body"
"""The extension by which an operation says that its body cannot be left out."""


def tag_of(module: str) -> str:
    """Return the tag of the operations of a module: its subject.

    >>> tag_of("api.v1.standings.history")
    'standings'
    """
    return module.removeprefix(TAGGED).partition(".")[0]


def with_tags(result: Any, **kwargs: object) -> JsonDict:
    """Describe each tag by the docstring of its package; a hook of drf-spectacular."""
    used = {
        tag
        for methods in result["paths"].values()
        for operation in methods.values()
        for tag in operation["tags"]
    }
    result["tags"] = [
        {"name": tag, "description": inspect.getdoc(import_module(TAGGED + tag))}
        for tag in sorted(used)
    ]
    made: JsonDict = result
    return made


def with_required_bodies(result: Any, **kwargs: object) -> JsonDict:
    """Require the body of operations that say so by `NEEDS_BODY`; a hook of drf-spectacular.

    It knows by itself only where a serializer has a required member.
    """
    for methods in result["paths"].values():
        for operation in methods.values():
            if operation.pop(NEEDS_BODY, False):
                operation["requestBody"]["required"] = True
    made: JsonDict = result
    return made


def with_examples(result: Any, **kwargs: object) -> JsonDict:
    """Give each operation its example; a hook of drf-spectacular."""
    for methods in result["paths"].values():
        for operation in methods.values():
            file = EXAMPLES / f"{operation['operationId']}.json"
            if file.exists():
                _add_example(operation, json.loads(file.read_text(encoding="utf-8")))
    made: JsonDict = result
    return made


def _add_example(operation: JsonDict, example: JsonDict) -> None:
    """Write what was sent and what was answered beside their schemas."""
    sent = operation.get("requestBody", {}).get("content", {})
    if "request" in example and "application/json" in sent:
        sent["application/json"].setdefault("example", example["request"])
    answers = operation["responses"][str(example["status"])].get("content", {})
    if example["media_type"] in answers and "answer" in example:
        answers[example["media_type"]]["example"] = example["answer"]
