"""Patches of rules: changes at paths of their JSON, as options and their file write them."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, TypeAlias

from scoring.json_types import JsonDict, JsonObject

Patch: TypeAlias = Mapping[str, Any]


class NoSuchPart(Exception):
    """The patch names something that these rules do not have."""


def part_at(rules: Mapping[str, object], path: str) -> object:
    """The value at a path, whose steps are those of a patch."""
    found: Any = rules
    for step in path.split("."):
        found = item_at(found, step)
    return found


def filled(template: Any, words: JsonObject) -> Any:
    """The template with each word replaced: alone by the value, within a text by its text."""
    if isinstance(template, Mapping):
        return {key: filled(item, words) for key, item in template.items()}
    if isinstance(template, list):
        return [filled(item, words) for item in template]
    if isinstance(template, str) and "$" in template:
        if template in words:
            return deepcopy(words[template])
        for word in sorted(words, key=len, reverse=True):
            template = template.replace(word, str(words[word]))
    return template


def apply_patch(rules: JsonDict, patch: Patch) -> None:
    """Change `rules` as a patch says.

    Raises:
        NoSuchPart: the patch names something that the rules do not have.
    """
    for path, value in patch.items():
        way, last = path.rstrip("+^?-").split("."), path[-1]
        if last == "-":
            _take_out(rules, way, value)
        elif last in "+^?":
            _extend(rules, way[0], last, filled(value, {"$counting": rules["counting"]}))
        else:
            _put(rules, way, deepcopy(value))


def _take_out(rules: JsonDict, way: list[str], value: str) -> None:
    """Take a term out of a list of cards, or a sentence out of notes."""
    *holders, key = way
    holder: Any = part_at(rules, ".".join(holders)) if holders else rules
    mark = "; " if key == "notes" else ","
    terms = [term for term in str(holder.get(key, "")).split(mark) if term and term != value]
    if key in holder:
        holder[key] = mark.join(terms)


def _extend(rules: JsonDict, key: str, how: str, value: Any) -> None:
    present = rules.get(key, [])
    if isinstance(present, str):
        rules[key] = present + value
    elif how == "+":
        rules[key] = [*present, value]
    elif how == "^":
        rules[key] = [value, *present]
    elif not present:
        rules[key] = [value]


def _put(rules: dict[str, object], way: list[str], value: object) -> None:
    target: Any = rules
    for step in way[:-1]:
        target = item_at(target, step)
    if not isinstance(target, dict):
        raise NoSuchPart
    target[way[-1]] = value


def item_at(holder: object, step: str) -> object:
    """What `step` names in a table, or in a list by place, name, id or cards."""
    if isinstance(holder, dict) and step in holder:
        return holder[step]
    if isinstance(holder, list):
        if step.isdigit() and int(step) < len(holder):
            return holder[int(step)]
        for item in reversed(holder):
            if step in (item.get("name"), item.get("id"), item.get("cards")):
                return item
    raise NoSuchPart
