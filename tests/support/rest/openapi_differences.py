"""What an OpenAPI document takes away from programs that were written for an earlier one.

docs/api.md promises it under "What may change". A request that was valid stays valid: the old
schema fits into the new one. An answer is read as before: the new schema fits into the old one,
except for further members and words. A word that is gone counts in both directions, for it was
renamed or lost its meaning. Bounds and patterns are not compared: limits may change.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from typing import Any, Final

Json = Mapping[str, Any]
_ON_DEMAND: Final = "Fields"
"""How the names of components end whose rows have the members that `?fields=` asks for."""


def removals(old: Json, new: Json) -> list[str]:
    return sorted(set(_Comparison(old, new).operations()))


@dataclass
class _Comparison:
    old: Json
    new: Json
    results: dict[tuple[int, int, bool], list[str]] = field(default_factory=dict)

    def operations(self) -> Iterator[str]:
        later = {_shape(path): item for path, item in self.new["paths"].items()}
        for path, item in self.old["paths"].items():
            for method, old in item.items():
                at = f"{method.upper()} {path}"
                if (new := later.get(_shape(path), {}).get(method)) is None:
                    yield f"{at}: operation removed"
                    continue
                yield from self.parameters(at, old, new)
                yield from self.bodies(at, old.get("requestBody", {}), new.get("requestBody", {}))
                yield from self.answers(at, old["responses"], new["responses"])

    def parameters(self, at: str, old: Json, new: Json) -> Iterator[str]:
        before, after = _parameters(old), _parameters(new)
        for key in before.keys() & after.keys():
            schemas = (before[key]["schema"], after[key]["schema"])
            yield from self.schemas(f"{at}, {' '.join(key)}", *schemas, request=True)
        before, after = (
            {k: v for k, v in one.items() if k[0] != "path"} for one in (before, after)
        )
        yield from (f"{at}, {' '.join(key)}: removed" for key in before.keys() - after.keys())
        for key, parameter in after.items():
            if parameter.get("required") and not before.get(key, {}).get("required"):
                yield f"{at}, {' '.join(key)}: required now"

    def bodies(self, at: str, old: Json, new: Json) -> Iterator[str]:
        if new.get("required") and not old.get("required"):
            yield f"{at}, body: required now"
        yield from self.contents(f"{at}, body", old, new, request=True)

    def answers(self, at: str, old: Json, new: Json) -> Iterator[str]:
        for status, answer in old.items():
            if status in new:
                gone = answer.get("headers", {}).keys() - new[status].get("headers", {}).keys()
                yield from (f"{at}, {status}: header {header} removed" for header in gone)
                yield from self.contents(f"{at}, {status}", answer, new[status], request=False)
            elif status.startswith("2"):
                yield f"{at}, {status}: removed"

    def contents(self, at: str, old: Json, new: Json, *, request: bool) -> Iterator[str]:
        after = new.get("content", {})
        for media_type, content in old.get("content", {}).items():
            if media_type in after:
                schemas = (content.get("schema", {}), after[media_type].get("schema", {}))
                yield from self.schemas(at, *schemas, request=request)
            else:
                yield f"{at}: {media_type} removed"

    def schemas(self, at: str, old: Json, new: Json, *, request: bool) -> list[str]:
        """Compare two schemas once, and name them by their component where they have one."""
        (name, old), (_, new) = _resolve(self.old, old), _resolve(self.new, new)
        key = (id(old), id(new), request)
        if key not in self.results:
            self.results[key] = []  # for a schema that refers to itself
            where = f"{name} in {'requests' if request else 'answers'}" if name else at
            self.results[key] = list(self.alternatives(where, old, new, request=request))
        return self.results[key]

    def alternatives(self, at: str, old: Json, new: Json, *, request: bool) -> Iterator[str]:
        before, after = _alternatives(self.old, old), _alternatives(self.new, new)
        for narrow in before if request else after:
            wides = [one for one in (after if request else before) if _fits(narrow, one)]
            pairs = [(narrow, wide) if request else (wide, narrow) for wide in wides]
            breaks = [
                [*_values(at, *pair, request=request), *self.members(at, *pair, request=request)]
                for pair in pairs
            ]
            if breaks:
                yield from min(breaks, key=len)
            else:
                change = "refused now" if request else "new"
                yield f"{at}: type {narrow.get('type', 'any')} {change}"

    def members(self, at: str, old: Json, new: Json, *, request: bool) -> Iterator[str]:
        before, after = old.get("properties", {}), new.get("properties", {})
        for member, schema in before.items():
            if member in after:
                yield from self.schemas(f"{at}.{member}", schema, after[member], request=request)
            elif not request or after or new.get("additionalProperties") is False:
                yield f"{at}.{member}: removed"
        needed, granted = (new, old) if request else (old, new)
        for member in needed.get("required", ()):
            if member not in granted.get("required", ()) and (request or member in after):
                yield f"{at}.{member}: {'required' if request else 'may be missing'} now"
        for inner in ("items", "additionalProperties"):
            if isinstance(old.get(inner), Mapping) and isinstance(new.get(inner), Mapping):
                yield from self.schemas(f"{at}[]", old[inner], new[inner], request=request)


def _values(at: str, old: Json, new: Json, *, request: bool) -> Iterator[str]:
    if "enum" in old and "enum" in new:
        gone = [word for word in old["enum"] if word not in (None, *new["enum"])]
        yield from (f"{at}: word {word} removed" for word in gone)
    elif "enum" in (new if request else old):
        yield f"{at}: {'certain words only' if request else 'any word'} now"
    if "format" in old and "format" in new and old["format"] != new["format"]:
        yield f"{at}: format {old['format']} is {new['format']} now"


def _shape(path: str) -> str:
    """Return a path without the names of its parameters, which no program sends."""
    return re.sub(r"{\w+}", "{}", path)


def _parameters(operation: Json) -> dict[tuple[str, str], Json]:
    return {
        (parameter["in"], parameter["name"]): parameter
        for parameter in operation.get("parameters", ())
    }


def _resolve(document: Json, schema: Json) -> tuple[str, Json]:
    """Follow references; return the name of the last component, empty without one."""
    name = ""
    while True:
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = document["components"]["schemas"][name]
        elif len(schema.get("allOf", ())) == 1 and not schema.keys() & {"properties", "type"}:
            schema = schema["allOf"][0]
        else:
            return name, schema


def _alternatives(document: Json, schema: Json) -> list[Json]:
    """Return what a value may be: schemas of one type, or of any, without references."""
    _, schema = _resolve(document, schema)
    if parts := schema.get("oneOf") or schema.get("anyOf"):
        always = (part for part in parts if not part.get("$ref", "").endswith(_ON_DEMAND))
        return _join(
            alternative for part in always for alternative in _alternatives(document, part)
        )
    if parts := schema.get("allOf"):
        rest = {key: value for key, value in schema.items() if key != "allOf"}
        choices = product(*(_alternatives(document, part) for part in (*parts, rest)))
        return [reduce(_merge, choice) for choice in choices]
    types = schema.get("type")
    return [{**schema, "type": one} for one in types] if isinstance(types, list) else [schema]


def _merge(one: Json, other: Json) -> Json:
    properties = {**one.get("properties", {}), **other.get("properties", {})}
    required = [*one.get("required", ()), *other.get("required", ())]
    return {**one, **other, "properties": properties, "required": required}


def _join(parts: Iterable[Json]) -> list[Json]:
    parts = list(parts)
    enums = [part for part in parts if part.get("type") == "string" and "enum" in part]
    words = {"type": "string", "enum": [word for part in enums for word in part["enum"]]}
    return [part for part in parts if part not in enums] + [words] * bool(enums)


def _fits(narrow: Json, wide: Json) -> bool:
    types = (narrow.get("type"), wide.get("type"))
    return types[0] == types[1] or types[1] is None or types == ("integer", "number")
