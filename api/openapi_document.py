"""Additions to the OpenAPI document: tags, examples, links, options of rules."""

import inspect
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from drf_spectacular.utils import Direction
from rest_framework import serializers

from scoring.json_types import JsonDict
from scoring.option_labels import option_labels
from scoring.rules.options import Option, every_option
from scoring.rules.schema import LONGEST_CYCLE, MOST_NOT_PASSED, WAYS

_VALUES: Mapping[str, Mapping[str, Any]] = {
    "whole": {"type": "integer", "minimum": 1},
    "flag": {"type": "boolean"},
    "selector": {"type": "string"},
    "cards": {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "maxItems": MOST_NOT_PASSED,
        "uniqueItems": True,
    },
    "values": {"type": "array", "items": {"type": "array", "items": {}}},
    "card_map": {"type": "object", "additionalProperties": {"type": "array", "items": {}}},
    "self_from": {"type": "object", "additionalProperties": {}},
    "cycles": {
        "type": "object",
        "additionalProperties": {
            "type": "array",
            "items": {"type": "string", "enum": list(WAYS)},
            "minItems": 1,
            "maxItems": LONGEST_CYCLE,
        },
    },
}
"""The values of an option without choices; points may be a number, a text or a pair."""


class OptionsField(serializers.DictField):
    """Chosen options: name → value."""


class OptionsExtension(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """Writes `Options` into the documented schema, once."""

    target_class = OptionsField
    match_subclasses = True

    def map_serializer_field(
        self, auto_schema: AutoSchema, direction: Direction
    ) -> dict[str, object]:
        component = ResolvedComponent(  # type: ignore[no-untyped-call]
            name="Options",
            type=ResolvedComponent.SCHEMA,
            object="Options",
            schema={
                "type": "object",
                "description": "Options of the rules that differ from the variant, by name.",
                "properties": {option.name: _property(option) for option in every_option()},
                "additionalProperties": {},
            },
        )
        auto_schema.registry.register_on_missing(component)
        return component.ref


TAGGED: Final = "api.v1."

EXAMPLES: Final = Path(__file__).resolve().parent / "examples"
"""Folder of the examples, one file for each operation."""

NEEDS_BODY: Final = "x-needs-body"
"""The extension by which an operation says that its body cannot be left out."""

ROOT: Final = "/api/v1"
_ROW: Final = "results/0/"

_MEMBERS: Final = {
    **dict.fromkeys(("club", "event", "season", "house"), "slug"),
    **dict.fromkeys(("claim", "constraint", "delivery", "invitation", "member", "plan"), "id"),
    **dict.fromkeys(("alias", "token", "variant", "webhook"), "id"),
    "entrant": "player_id",
    "day": "date",
}
"""Name in an address → the member of a row that has it, where that is called otherwise."""

_WITHOUT_LINKS: Final = frozenset(
    {
        *("add_opening_values", "add_photo", "add_roster", "add_sit_out"),
        *("list_notifications", "list_photos"),
    }
)

_LATER: Final = frozenset({"import_sheets"})
"""Operations whose answer names what they made where it is 202: the work goes on."""

_OF_THE_SAME: Final = frozenset(
    {"add_house_version", "delete_hand", "preview_hand", "preview_seats", "restore_hand"}
)
"""Operations below a thing whose `If-Match` takes the ETag of the thing itself."""


def _property(option: Option) -> dict[str, object]:
    """One option: its name on pages, what it does, and each choice with its sentence."""
    words = option_labels()[option.name]
    lines = [f"{words.label}. {option.says}"]
    choices = option.choices or (("true", "false") if option.takes == "flag" else ())
    lines += [f"- `{choice}`: {words.choices[choice].sentence}" for choice in choices]
    return {**_VALUES.get(option.takes, {}), "description": "\n".join(lines)}


PUBLISHED_TAGS: Final = {
    "attendance": "rounds",
    "chat_text": "rounds",
    "fill_ins": "rounds",
    "audit": "clubs",
    "notices": "clubs",
    "seating_plans": "rounds",
}
"""Subject → its tag, where it differs: clients that are made of the document have a module each."""


def tag_of(module: str) -> str:
    """Return the tag of the operations of a module: mostly its subject.

    >>> tag_of("api.v1.standings.history")
    'standings'
    """
    subject = module.removeprefix(TAGGED).partition(".")[0]
    return PUBLISHED_TAGS.get(subject, subject)


def operations_of(document: JsonDict) -> Iterator[tuple[str, JsonDict]]:
    """Yield each operation of a document with its path."""
    for path, methods in document["paths"].items():
        for operation in methods.values():
            yield path, operation


def with_tags(result: JsonDict, **kwargs: object) -> JsonDict:
    tags = {tag for _, operation in operations_of(result) for tag in operation["tags"]}
    result["tags"] = [
        {"name": tag, "description": inspect.getdoc(import_module(TAGGED + tag))}
        for tag in sorted(tags)
    ]
    return result


def with_required_bodies(result: JsonDict, **kwargs: object) -> JsonDict:
    """Require the body of operations that say so by `NEEDS_BODY`; a hook of drf-spectacular.

    By itself it knows only of serializers with a required member.
    """
    for _, operation in operations_of(result):
        if operation.pop(NEEDS_BODY, False):
            operation["requestBody"]["required"] = True
    return result


def with_examples(result: JsonDict, **kwargs: object) -> JsonDict:
    """Give each operation its example; a hook of drf-spectacular."""
    for _, operation in operations_of(result):
        file = EXAMPLES / f"{operation['operationId']}.json"
        if not file.exists():
            continue
        example = json.loads(file.read_text(encoding="utf-8"))
        bodies = operation.get("requestBody", {}).get("content", {})
        if "request" in example and "application/json" in bodies:
            bodies["application/json"].setdefault("example", example["request"])
        answers = operation["responses"][str(example["status"])].get("content", {})
        if example.get("media_type") in answers and "answer" in example:
            answers[example["media_type"]]["example"] = example["answer"]
    return result


_E: Final = "/clubs/{club}/events/{event}"
_MADE: Final = {
    "copy_event": (_E, "slug"),
    "claim_player": ("/clubs/{club}/claims/{claim}", "id"),
    "resend_invitation": ("/clubs/{club}/invitations/{invitation}", "id"),
    "test_webhook": ("/clubs/{club}/webhooks/{webhook}/deliveries/{delivery}", "id"),
    "add_house_version": ("/clubs/{club}/variants/{house}/versions/{number}", "version"),
    "list_house_versions": ("/clubs/{club}/variants/{house}/versions/{number}", f"{_ROW}version"),
    "open_table_dispute": (f"{_E}/disputes/{{number}}", "number"),
    "create_link": (f"{_E}/links/{{code}}", "table"),
    "list_links": (f"{_E}/links/{{code}}", f"{_ROW}table"),
    "make_plans": (f"{_E}/plans/{{plan}}", "plans/0/id"),
    "list_plans": (f"{_E}/plans/{{plan}}", f"{_ROW}id"),
    "form_tables": (f"{_E}/tables/{{code}}", "tables/0/code"),
    "seat_table": (f"{_E}/tables/{{code}}", "code"),
    "read_round": (f"{_E}/tables/{{code}}", "tables/0/code"),
    "enter_totals": (f"{_E}/tables/{{code}}/hands/{{number}}", "number"),
    "file_disputed": (f"{_E}/tables/{{code}}/hands/{{number}}", "number"),
    "enter_second": (f"{_E}/tables/{{code}}/double-entry/{{number}}", "hands/0/number"),
    "read_double_entry": (f"{_E}/tables/{{code}}/double-entry/{{number}}", "hands/0/number"),
    "make_deals": (f"{_E}/boards/{{number}}", "boards/0"),
    "import_sheets": (f"{_E}/imports/{{number}}", "number"),
    "store_mapping": ("/clubs/{club}/mappings/{number}", "number"),
}
"""Operation → the address of a thing that its answer names, and where the answer has its name.

The name is that of the last name in braces; the others are those of the request. Lists, and what
is added to them, have the address of their rows without a line here.
"""
_JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class _Operation:
    """One operation of the document, with its address."""

    path: str
    method: str
    content: JsonDict

    @property
    def name(self) -> str:
        operation_id: str = self.content["operationId"]
        return operation_id

    def parameters(self, where: str) -> frozenset[str]:
        return frozenset(
            parameter["name"]
            for parameter in self.content.get("parameters", ())
            if parameter["in"] == where
        )

    @property
    def is_of_json(self) -> bool:
        """Whether its success response is JSON; files contain no links."""
        return any(
            _JSON in answer.get("content", {})
            for status, answer in self.content["responses"].items()
            if status.startswith("2")
        )


def with_links(result: JsonDict, **kwargs: object) -> JsonDict:
    """Write the links beside the answers; a hook of drf-spectacular."""
    operations = [
        _Operation(path, method, content)
        for path, methods in result["paths"].items()
        for method, content in methods.items()
    ]
    for source in operations:
        links = {**dict(_of_own_address(source, operations)), **dict(_of_made(source, operations))}
        if links:
            _answer(source)["links"] = dict(sorted(links.items()))
    return result


def _of_made(source: _Operation, all_: list[_Operation]) -> Iterator[tuple[str, JsonDict]]:
    """Yield the links to resources that an answer names, by target operation."""
    address, pointer = _MADE.get(source.name) or _row_of(source, all_)
    if not address:
        return
    new = address.rpartition("{")[2].rstrip("}")
    path_names = source.parameters("path") - {new}
    names = {name: f"$request.path.{name}" for name in path_names}
    names[new] = f"$response.body#/{pointer}"
    targets = [operation for operation in all_ if _is_of(operation, ROOT + address, is_below=True)]
    if pointer.startswith(_ROW):
        reads = [
            operation
            for operation in targets
            if operation.path == ROOT + address and operation.method == "get"
        ]
        targets = reads or targets
    if not targets:
        raise KeyError(address)
    for target in targets:
        yield target.name, _link(source, target, ROOT + address, names)


def _row_of(source: _Operation, all_: list[_Operation]) -> tuple[str, str]:
    """Return the address of the rows of a list, and the member that names one; or nothing."""
    is_list = source.method == "get" and source.name.startswith("list_")
    is_new = source.method == "post" and "201" in source.content["responses"]
    below = f"{source.path}/{{"
    name = next((op.path[len(below) :] for op in all_ if op.path.startswith(below)), "")
    if not name or not (is_list or is_new) or source.name in _WITHOUT_LINKS:
        return "", ""
    name = name.partition("}")[0]
    row = f"{source.path.removeprefix(ROOT)}/{{{name}}}"
    return row, (_ROW if is_list else "") + _MEMBERS.get(name, name)


def _of_own_address(source: _Operation, all_: list[_Operation]) -> Iterator[tuple[str, JsonDict]]:
    """Yield the links of a read: to edits of the resource, and to resources below it."""
    if source.method != "get" or not source.is_of_json:
        return
    is_thing = source.path.endswith("}")
    names = {name: f"$request.path.{name}" for name in source.parameters("path")}
    for target in all_:
        if target.name != source.name and _is_of(target, source.path, is_below=is_thing):
            yield target.name, _link(source, target, source.path, names)
    for target in all_:
        if target.name in _OF_THE_SAME and target.path == f"{source.path}/preview":
            yield target.name, _link(source, target, source.path, names)


def _is_of(target: _Operation, address: str, *, is_below: bool) -> bool:
    """Whether an operation is at an address, or directly below it."""
    rest = target.path.removeprefix(address) if target.path.startswith(address) else None
    if rest is None or not target.is_of_json:
        return False
    is_just_below = rest.startswith("/") and rest.count("/") == 1 and "{" not in rest
    return rest == "" or (is_below and is_just_below)


def _link(
    source: _Operation, target: _Operation, address: str, names: Mapping[str, str]
) -> JsonDict:
    path_names = target.parameters("path")
    parameters = {
        name: expression for name, expression in sorted(names.items()) if name in path_names
    }
    is_of_the_same = target.path == address or target.name in _OF_THE_SAME
    if (
        is_of_the_same
        and "If-Match" in target.parameters("header")
        and "ETag" in _answer(source).get("headers", {})
    ):
        parameters["header.If-Match"] = "$response.header.ETag"
    return {"operationId": target.name, **({"parameters": parameters} if parameters else {})}


def _answer(source: _Operation) -> JsonDict:
    answers = source.content["responses"]
    statuses = ("202",) if source.name in _LATER else ("201", "200", "202")
    answer: JsonDict = next(answers[status] for status in statuses if status in answers)
    return answer
