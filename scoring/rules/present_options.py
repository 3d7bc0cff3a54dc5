"""What rules have where an option would change them, and whether they have its value already."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any

from scoring.cards import selects
from scoring.errors import Refused
from scoring.json_types import JsonObject, is_list
from scoring.option_labels import choice_key, choice_label
from scoring.rules.dealing import passing_ring
from scoring.rules.options import option_table
from scoring.rules.rules import Keys, NoSuchPart, Patch, Rules, apply_patch
from scoring.rules.schema import WRITTEN_AS
from scoring.rules.types import Play, SelfFrom


def present_value(name: str, rules: Rules) -> object | None:
    """The value in the rules that the option would change; None where they have none.

    A choice is given by its key, a number as a score, everything else as JSON has it.
    """
    if name in rules.options:
        stated: object = rules.options[name]
        return stated
    option = option_table()[name]
    if option.get("takes") == "cycles":
        return _cycles(rules.keys.play, rules)
    if "choices" in option:
        return _present_choice(option["choices"], rules)
    if option.get("each"):
        return None
    values = [_value_at(rules.keys, path, target) for path, target in option["patch"].items()]
    values = [value for value in values if value is not _ABSENT]
    agree = values and values[0] != {} and all(value == values[0] for value in values)
    return values[0] if agree else None


def _cycles(play: Play, rules: Rules) -> Mapping[str, tuple[str, ...]]:
    return {str(seats): passing_ring(play, seats) for seats in rules.table_sizes}


def _present_choice(choices: Mapping[str, Patch], rules: Rules) -> str | None:
    """The choice that would change nothing; of several the one that says most."""
    for choice in sorted(choices, key=lambda name: len(choices[name]), reverse=True):
        patched = deepcopy(rules.as_json())
        try:
            apply_patch(patched, choices[choice])
            changed = Rules.from_json(patched, stored=True)
        except (NoSuchPart, Refused):
            continue
        if _holds(rules.keys, changed.keys):
            return choice
    return None


def _holds(keys: Keys, changed: Keys) -> bool:
    """Whether rules have all that a change would put into them."""
    pairs = ((getattr(keys, key.name), getattr(changed, key.name)) for key in fields(Keys))
    return all(before == after or _has_it(before, after) for before, after in pairs)


def _has_it(before: object, after: object) -> bool:
    if isinstance(before, str) and isinstance(after, str):
        before, after = tuple(before.split(",")), tuple(after.split(","))
    if not isinstance(before, tuple) or not isinstance(after, tuple) or len(after) <= len(before):
        return False
    return all(item in before for item in after)


_ABSENT = object()


def _value_at(keys: Any, path: str, target: Any) -> Any:
    """The value of the rules at a path of a patch; `_ABSENT` where they have no such part."""
    part = keys
    for step in path.rstrip("+").split("."):
        is_list = isinstance(part, tuple)
        part = _item(part, step) if is_list else getattr(part, WRITTEN_AS.get(step, step), None)
        if part is None:
            return _ABSENT
    if path.endswith(".outside"):
        return "score" if part else "drop"
    return part if target == "$" else _matching(part, target)


def _item(items: tuple[object, ...], step: str) -> object:
    """The item of a typed list that `step` names, by place, cards, id or name; None without one."""
    if step.isdigit() and int(step) < len(items):
        return items[int(step)]
    named = (part for part in reversed(items)
             if step in (getattr(part, key, None) for key in ("cards", "id", "name")))  # fmt: skip
    return next(named, None)


def _matching(items: tuple[object, ...], target: object) -> object:
    """The value that stands for `$` in the part of a list that is written as `target`."""
    for item in reversed(items):  # of several values of a card the last counts
        for template in target if isinstance(target, list) else [target]:
            if isinstance(template, Mapping):
                value = _value_in(item, template)
                if value is not _ABSENT:
                    return value
    return _ABSENT


def _value_in(item: Any, template: JsonObject) -> Any:
    value = _ABSENT
    for key, target in template.items():
        part = getattr(item, key, None)
        if key == "name":  # a card may have its value under another name
            continue
        if key == "cards":
            if not any(selects(term, target) for term in item.cards.split(",")):
                return _ABSENT
        elif target == "$":
            value = part
        elif isinstance(target, Mapping):
            if any(getattr(part, name, None) != expected for name, expected in target.items()):
                return _ABSENT
        elif part != target:
            return _ABSENT
    return value


def is_present(name: str, value: object, rules: Rules) -> bool:
    """Whether rules say already what an option would choose."""
    choices = option_table()[name].get("choices", {})
    if choices and not choices.get(choice_key(value), True):
        return True  # a choice that changes nothing
    present = present_value(name, rules)
    if present is None:
        return False
    if option_table()[name].get("takes") == "cycles" and isinstance(value, Mapping):
        play = rules.keys.play
        changed = replace(play, passing_with={**play.passing_with, **value})
        return present == _cycles(changed, rules)
    if choice_label(name, value) is not None:
        return choice_key(present) == choice_key(value)
    return _plain(present) == _plain(value, rules)


def _plain(value: object, rules: Rules | None = None) -> object:
    """A value that is written as JSON or typed, in one form."""
    if isinstance(value, SelfFrom):
        return {"score": value.score, "who": value.who}
    if isinstance(value, Mapping):
        return {key: _plain(item, rules) for key, item in value.items()}
    number = rules.number(value, stored=True) if rules else None
    if number is None and is_list(value):
        return [_plain(item, rules) for item in value]
    return value if number is None else number
