"""Options: the named patches of `data/options.toml` that a club may put on a variant.

Pure but for reading that one file, once. The file's order is the order in which options are
applied.
"""

import tomllib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path as File
from typing import Any, TypeAlias

from scoring import grammar
from scoring.errors import Problem, Refused, Suggestion, shown
from scoring.grammar import Reader, Reading, by_seats, list_of, whole

Patch: TypeAlias = Mapping[str, Any]
_FILE = File(__file__).parent / "data" / "options.toml"
_READERS: Mapping[str, Reader] = {
    "number": grammar.score,
    "amount": grammar.amount,
    "whole": whole(1),
    "flag": grammar.flag,
    "selector": grammar.selector,
    "values": list_of(list_of(grammar.anything)),
    "card_map": by_seats(list_of(grammar.card)),
    "self_from": grammar.self_from,
}


class _Elsewhere(Exception):
    """The patch names something that these rules do not have."""


@lru_cache(maxsize=1)
def option_table() -> Mapping[str, Mapping[str, Any]]:
    """Option name → how it is written in the file, in the order of application."""
    with _FILE.open("rb") as file:
        return tomllib.load(file)


@dataclass(frozen=True, slots=True)
class Option:
    """One option that rules can take.

    `choices` are its values where it has a list of them; else `takes` says what it takes:
    `number`, `amount`, `whole`, `flag`, `selector`, or a shape that only a file can hold.
    """

    name: str
    says: str
    takes: str
    choices: tuple[str, ...]


def options_of(rules: Mapping[str, Any]) -> tuple[Option, ...]:
    """The options that have something to change in the resolved rules, in the order of the file."""
    table = option_table().items()
    return tuple(
        _option(name, option) for name, option in table if _has_a_place(name, option, rules)
    )


def _option(name: str, option: Mapping[str, Any]) -> Option:
    takes = option.get("takes", list(option.get("choices", ())))
    if isinstance(takes, list):
        return Option(name, option["says"], "choice", tuple(takes))
    return Option(name, option["says"], takes, ())


def _has_a_place(name: str, option: Mapping[str, Any], rules: Mapping[str, Any]) -> bool:
    patches = option["choices"].values() if "choices" in option else [option["patch"]]
    try:
        if "where" in option and not _part(rules, option["where"]):
            return False
        for patch in patches:
            _apply(deepcopy(dict(rules)), patch)
    except _Elsewhere:
        return False
    return True


def _part(rules: Mapping[str, Any], path: str) -> Any:
    found: Any = rules
    for step in path.split("."):
        found = _entry(found, step)
    return found


def with_options(rules: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The resolved rules with the options applied, as JSON.

    Raises:
        Refused: unknown_option, bad_option; a problem for each option that cannot stand.
    """
    problems = [_unknown(name) for name in options if name not in option_table()]
    found: dict[str, Any] = deepcopy(dict(rules))
    found["options"] = deepcopy(dict(options))
    for name, option in option_table().items():
        if name not in options:
            continue
        try:
            for patch in _patches(name, option, options[name], found):
                _apply(found, patch)
        except _Elsewhere:
            why = "These rules have nothing that it could change."
            problems.append(bad_option(name, options[name], why))
        except Refused as refused:
            problems += refused.problems
    if problems:
        raise Refused(*problems)
    return found


def bad_option(name: str, value: object, why: str) -> Problem:
    """The problem of an option whose value cannot stand under these rules."""
    return Problem(
        "bad_option", ("options", name), {"option": name, "found": shown(value), "why": why}
    )


def _unknown(name: str) -> Problem:
    close = get_close_matches(str(name), option_table(), n=2)
    return Problem(
        "unknown_option",
        ("options", shown(name)),
        {"found": shown(name)},
        tuple(Suggestion("closest", facts={"name": other}) for other in close),
    )


def _patches(
    name: str, option: Mapping[str, Any], value: object, rules: Mapping[str, Any]
) -> Iterator[Patch]:
    if "choices" in option:
        yield option["choices"][_choice(name, option["choices"], value)]
        return
    _check(name, option["takes"], value, rules)
    if not option.get("each"):
        yield _filled(option["patch"], {"$": value, "$counting": rules["counting"]})
        return
    for cards, points in value if isinstance(value, list) else ():
        yield _filled(option["patch"], {"$cards": cards, "$value": points})


def _choice(name: str, choices: Mapping[str, Patch], value: object) -> str:
    """The name of the choice: `true` for true, `260` for 260; nothing else is translated."""
    key = {True: "true", False: "false"}[value] if isinstance(value, bool) else value
    if type(key) is int and 0 <= key <= grammar.LARGEST_CHOICE:
        key = str(key)
    if not isinstance(key, str) or key not in choices:
        why = f"Known are {', '.join(choices)}."
        raise Refused(bad_option(name, value, why))
    return key


def _check(name: str, takes: object, value: object, rules: Mapping[str, Any]) -> None:
    reading = Reading(pairs=rules.get("number") == "complex")
    reader = grammar.one_of(*takes) if isinstance(takes, list) else _READERS[str(takes)]
    found = reading.attempt(reader, value, ())
    if takes == "values" and not reading.problems:
        for pair in found:
            if len(pair) != 2:
                reading.fault((), "Each entry is a selector and a value.")
                continue
            reading.attempt(grammar.selector, pair[0], ())
            reading.attempt(grammar.score, pair[1], ())
    if reading.problems:
        why = " ".join(str(problem.facts["why"]) for problem in reading.problems[:3])
        raise Refused(bad_option(name, value, why))


def _filled(template: Any, words: Mapping[str, Any]) -> Any:
    """The template with each word replaced: alone by the value, within a text by its text."""
    if isinstance(template, Mapping):
        return {key: _filled(item, words) for key, item in template.items()}
    if isinstance(template, list):
        return [_filled(item, words) for item in template]
    if isinstance(template, str) and "$" in template:
        if template in words:
            return deepcopy(words[template])
        for word in sorted(words, key=len, reverse=True):
            template = template.replace(word, str(words[word]))
    return template


def _apply(rules: dict[str, Any], patch: Patch) -> None:
    for path, value in patch.items():
        way, last = path.rstrip("+^?").split("."), path[-1]
        if last in "+^?":
            _extend(rules, way[0], last, _filled(value, {"$counting": rules["counting"]}))
        else:
            _put(rules, way, deepcopy(value))


def _extend(rules: dict[str, Any], key: str, how: str, value: Any) -> None:
    present = rules.get(key, [])
    if isinstance(present, str):
        rules[key] = present + value
    elif how == "+":
        rules[key] = [*present, value]
    elif how == "^":
        rules[key] = [value, *present]
    elif not present:
        rules[key] = [value]


def _put(rules: dict[str, Any], way: list[str], value: Any) -> None:
    target: Any = rules
    for step in way[:-1]:
        target = _entry(target, step)
    if not isinstance(target, dict):
        raise _Elsewhere
    target[way[-1]] = value


def _entry(holder: Any, step: str) -> Any:
    """What `step` names in a table, or in a list by place, name, id or cards."""
    if isinstance(holder, dict) and step in holder:
        return holder[step]
    if isinstance(holder, list):
        if step.isdigit() and int(step) < len(holder):
            return holder[int(step)]
        for item in reversed(holder):
            if step in (item.get("name"), item.get("id"), item.get("cards")):
                return item
    raise _Elsewhere
