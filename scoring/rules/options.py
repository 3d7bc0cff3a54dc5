"""Options: the named patches of `data/options.toml` that a club may put on a variant.

Pure but for reading that one file, once. The file's order is the order in which options are
applied.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, fields
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path as File
from typing import Any, TypeAlias

from scoring.cards import BASES, selects
from scoring.errors import Problem, Refused, Suggestion, shown
from scoring.option_labels import choice_key, choice_label, option_label, option_labels
from scoring.rules import schema
from scoring.rules.rules import Keys, Rules
from scoring.rules.schema import Reader, Reading, by_seats, list_of, whole
from scoring.rules.types import SelfFrom

MOST_UNKNOWN = 20
"""Options of no name that we know; the rest of them is not listed."""
MOST_VALUES = 100
Patch: TypeAlias = Mapping[str, Any]
_FILE = File(__file__).parent.parent / "data" / "options.toml"
_READERS: Mapping[str, Reader] = {
    "number": schema.score,
    "amount": schema.amount,
    "whole": whole(1),
    "flag": schema.flag,
    "selector": schema.selector,
    "values": list_of(list_of(schema.anything)),
    "card_map": by_seats(list_of(schema.card)),
    "self_from": schema.self_from,
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


def every_option() -> tuple[Option, ...]:
    """All options, in the order of the file."""
    return tuple(_option(name, option) for name, option in option_table().items())


def _option(name: str, option: Mapping[str, Any]) -> Option:
    takes = option.get("takes", list(option.get("choices", ())))
    if isinstance(takes, list):
        return Option(name, option["says"], "choice", tuple(takes))
    return Option(name, option["says"], takes, ())


def _has_a_place(name: str, option: Mapping[str, Any], rules: Mapping[str, Any]) -> bool:
    patches = option["choices"].values() if "choices" in option else [option["patch"]]
    try:
        _require_its_place(option, rules)
        for patch in patches:
            _apply(deepcopy(dict(rules)), patch)
    except _Elsewhere:
        return False
    return True


def _require_its_place(option: Mapping[str, Any], rules: Mapping[str, Any]) -> None:
    """Refuse an option that could be put on these rules but would change nothing.

    Raises:
        _Elsewhere: `where`, `number`, `counts`, `pack` or `alone` of the option does not hold.
    """
    if "where" in option:
        found = _part(rules, option["where"])
        if not found or ("among" in option and found not in option["among"]):
            raise _Elsewhere
    if option.get("number", rules.get("number", "real")) != rules.get("number", "real"):
        raise _Elsewhere
    if "pack" in option and not _matched(rules, option["pack"]):
        raise _Elsewhere
    if "alone" in option and _named_elsewhere(rules, option["alone"]):
        raise _Elsewhere
    if "counts" in option:
        asked = _matched(rules, option["counts"])
        if not asked or asked - _matched(rules, rules["counting"]):
            raise _Elsewhere


def _asked(name: str) -> str:
    """What rules must have for the option, as a sentence."""
    needs = option_labels()[name].needs
    only = f" It is for rules where {needs}." if needs else ""
    return "These rules have nothing that it could change." + only


def _named_elsewhere(rules: Mapping[str, Any], card: str) -> bool:
    """Whether a rule beside its value names a card: a moon, a modifier, a bonus or a charge."""
    parts = ("slams", "modifiers", "hand_bonus", "chargeable")
    return any(card in text.split(",") for part in parts for text in _texts(rules.get(part, [])))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


def _matched(rules: Mapping[str, Any], selector: str) -> set[str]:
    """The cards in the pack of some table that a selector matches."""
    deck, terms = rules["deck"], selector.split(",")
    added = {card for cards in deck.get("add", {}).values() for card in cards}
    return {
        card
        for card in (*BASES[deck["base"]], *added)
        if any(selects(term, card) for term in terms)
    }


def _part(rules: Mapping[str, Any], path: str) -> Any:
    """What stands at a path, whose steps are those of a patch."""
    found: Any = rules
    for step in path.split("."):
        found = _entry(found, step)
    return found


def with_options(rules: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The resolved rules with the options applied, as JSON.

    Raises:
        Refused: unknown_option, bad_option; a problem for each option that cannot stand.
    """
    unknown = [name for name in options if name not in option_table()]
    problems = [_unknown(name) for name in unknown[:MOST_UNKNOWN]]
    found: dict[str, Any] = deepcopy(dict(rules))
    known = {name: value for name, value in options.items() if name in option_table()}
    found["options"] = deepcopy(known)
    for name in option_table():
        if name not in known:
            continue
        try:
            _put_on(found, name, known)
        except _Elsewhere:
            problems.append(bad_option(name, known[name], _why_not(rules, name, known)))
        except Refused as refused:
            problems += refused.problems
    if not problems:
        problems += _not_counted(options, found)
    if problems:
        raise Refused(*problems)
    return found


def _put_on(found: dict[str, Any], name: str, options: Mapping[str, Any]) -> None:
    """Change the rules as one option says.

    Raises:
        _Elsewhere: they have nothing that it could change.
        Refused: bad_option, where its value cannot be read or another option replaces the same.
    """
    option = option_table()[name]
    if beside := [other for other in option.get("without", ()) if other in options]:
        other = option_label(beside[0])
        why = f'It cannot stand beside "{other}", which replaces what it changes.'
        raise Refused(bad_option(name, options[name], why))
    patches = list(_patches(name, option, options[name], found))
    if any(patches):
        _require_its_place(option, found)
    for patch in patches:
        _apply(found, patch)


def _why_not(rules: Mapping[str, Any], name: str, options: Mapping[str, Any]) -> str:
    """Which other option takes away what this one changes; else what it is for."""
    for other in options:
        rest = {key: value for key, value in options.items() if key != other}
        if other != name and _has_room(rules, name, rest):
            label = option_label(other)
            value = choice_label(other, options[other]) or shown(options[other])
            return f'It cannot stand beside "{label}: {value}". {_asked(name)}'
    return _asked(name)


def _has_room(rules: Mapping[str, Any], name: str, options: Mapping[str, Any]) -> bool:
    found: dict[str, Any] = deepcopy(dict(rules))
    for other in option_table():
        if other in options:
            try:
                _put_on(found, other, options)
            except (_Elsewhere, Refused):
                if other == name:
                    return False
    return True


def present_value(name: str, rules: Rules) -> object | None:
    """What rules have where the option would change them; None where they have nothing of it.

    A choice is given by its key, a number as a score, everything else as JSON has it.
    """
    if name in rules.options:
        value: object = rules.options[name]
        return value
    option = option_table()[name]
    if "choices" in option:
        return _present_choice(option["choices"], rules)
    if option.get("each"):
        return None
    found = [_held(rules.keys, path, wanted) for path, wanted in option["patch"].items()]
    held = [value for value in found if value is not _NOT_THERE]
    return held[0] if held and all(value == held[0] for value in held) and held[0] != {} else None


def _present_choice(choices: Mapping[str, Patch], rules: Rules) -> str | None:
    """The choice that would change nothing; of several the one that says most."""
    for choice in sorted(choices, key=lambda one: len(choices[one]), reverse=True):
        patched = deepcopy(rules.as_json())
        try:
            _apply(patched, choices[choice])
            changed = Rules.from_json(patched, stored=True)
        except (_Elsewhere, Refused):
            continue
        if _holds(rules.keys, changed.keys):
            return choice
    return None


def _holds(keys: Keys, changed: Keys) -> bool:
    """Whether rules have all that a change would put into them."""
    pairs = [(getattr(keys, one.name), getattr(changed, one.name)) for one in fields(Keys)]
    return all(before == after or _has_it(before, after) for before, after in pairs)


def _has_it(before: object, after: object) -> bool:
    if isinstance(before, str) and isinstance(after, str):
        before, after = tuple(before.split(",")), tuple(after.split(","))
    if not isinstance(before, tuple) or not isinstance(after, tuple) or len(after) <= len(before):
        return False
    return all(item in before for item in after)


_NOT_THERE = object()
_WRITTEN_AS = {"self": "self_amount", "others": "others_amount"}
"""Keys of rules whose typed part has another name."""


def _held(keys: Any, path: str, wanted: Any) -> Any:
    """What the typed rules have at a path of a patch; `_NOT_THERE` where they have no such part."""
    found = keys
    for step in path.rstrip("+").split("."):
        if isinstance(found, tuple):
            found = _item(found, step)
        else:
            found = getattr(found, _WRITTEN_AS.get(step, step), None)
        if found is None:
            return _NOT_THERE
    if path.endswith(".outside"):
        return "score" if found else "drop"
    return found if wanted == "$" else _matching(found, wanted)


def _item(items: tuple[Any, ...], step: str) -> Any:
    """What `step` names in a typed list, by place, cards, id or name; None where there is none."""
    if step.isdigit() and int(step) < len(items):
        return items[int(step)]
    named = (one for one in reversed(items)
             if step in (getattr(one, key, None) for key in ("cards", "id", "name")))  # fmt: skip
    return next(named, None)


def _matching(found: tuple[Any, ...], wanted: Any) -> Any:
    """The value that stands for `$` in the part of a list that is written as `wanted`."""
    for item in reversed(found):  # of several values of a card the last counts
        for template in wanted if isinstance(wanted, list) else [wanted]:
            if isinstance(template, Mapping):
                value = _value_in(item, template)
                if value is not _NOT_THERE:
                    return value
    return _NOT_THERE


def _value_in(item: Any, template: Mapping[str, Any]) -> Any:
    value = _NOT_THERE
    for key, wanted in template.items():
        there = getattr(item, key, None)
        if key == "name":  # a card may have its value under another name
            continue
        if key == "cards":
            if not any(selects(term, wanted) for term in item.cards.split(",")):
                return _NOT_THERE
        elif wanted == "$":
            value = there
        elif isinstance(wanted, Mapping):
            if any(getattr(there, name, None) != one for name, one in wanted.items()):
                return _NOT_THERE
        elif there != wanted:
            return _NOT_THERE
    return value


def is_present(name: str, value: object, rules: Rules) -> bool:
    """Whether rules say already what an option would choose."""
    choices = option_table()[name].get("choices", {})
    if choices and not choices.get(choice_key(value), True):
        return True  # a choice that changes nothing
    there = present_value(name, rules)
    if there is None:
        return False
    if choice_label(name, value) is not None:
        return choice_key(there) == choice_key(value)
    return _plain(there) == _plain(value, rules)


def _plain(value: object, rules: Rules | None = None) -> object:
    """A value that is written as JSON or typed, in one form."""
    if isinstance(value, SelfFrom):
        return {"score": value.score, "who": value.who}
    if isinstance(value, Mapping):
        return {key: _plain(item, rules) for key, item in value.items()}
    number = rules.number(value, stored=True) if rules else None
    if number is None and isinstance(value, list | tuple):
        return [_plain(item, rules) for item in value]
    return value if number is None else number


def bad_option(name: str, value: object, why: str) -> Problem:
    """The problem of an option whose value cannot stand under these rules."""
    return Problem(
        "bad_option", ("options", name), {"option": name, "found": shown(value), "why": why}
    )


def _unknown(name: str) -> Problem:
    close = get_close_matches(str(name), option_table(), n=2)
    facts = {"found": shown(name)} | ({} if close else {"known": ", ".join(option_table())})
    return Problem(
        "unknown_option",
        ("options", shown(name)),
        facts,
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
    if type(key) is int and 0 <= key <= schema.LARGEST_CHOICE:
        key = str(key)
    if not isinstance(key, str) or key not in choices:
        raise Refused(bad_option(name, value, _known_choices(name, choices)))
    return key


def _known_choices(name: str, choices: Iterable[str]) -> str:
    """The choices of an option as a file and REST write them, each with its label."""
    known = (f"{choice} ({choice_label(name, choice)})" for choice in choices)
    return f"Choices: {', '.join(known)}."


def _check(name: str, takes: object, value: object, rules: Mapping[str, Any]) -> None:
    reading = Reading(pairs=rules.get("number") == "complex")
    reader = schema.one_of(*takes) if isinstance(takes, list) else _READERS[str(takes)]
    found = reading.attempt(reader, value, ())
    if takes == "values" and not reading.problems and len(found) > MOST_VALUES:
        reading.fault((), f"At most {MOST_VALUES} entries.")
    elif takes == "values" and not reading.problems:
        for pair in found:
            _check_value(reading, pair, rules)
    if reading.problems and (choices := option_labels()[name].choices):
        raise Refused(bad_option(name, value, _known_choices(name, choices)))
    if reading.problems:
        why = " ".join(str(problem.facts["why"]) for problem in reading.problems[:3])
        raise Refused(bad_option(name, value, why))


def _check_value(reading: Reading, pair: tuple[Any, ...], rules: Mapping[str, Any]) -> None:
    if len(pair) != 2:
        reading.fault((), "Each entry is a selector and a value.")
        return
    cards = reading.attempt(schema.selector, pair[0], ())
    reading.attempt(schema.score, pair[1], ())
    if cards is not None and not _matched(rules, cards):
        reading.fault((), f"{shown(cards)} is in no pack of these rules.")


def _not_counted(options: Mapping[str, Any], rules: Mapping[str, Any]) -> Iterator[Problem]:
    """What makes a moon must be on the sheet, or nobody can tell who shot it.

    Asked of the finished rules: an option that comes later in the file may make the card count.
    """
    for name, option in option_table().items():
        if name in options and option.get("takes") == "selector":
            asked = _matched(rules, options[name])
            if beside := sorted(asked - _matched(rules, rules["counting"])):
                why = f"{', '.join(beside[:5])} is not counted in these rules."
                yield bad_option(name, options[name], why)


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
        way, last = path.rstrip("+^?-").split("."), path[-1]
        if last == "-":
            terms = rules[way[0]].split(",")
            rules[way[0]] = ",".join(term for term in terms if term != value)
        elif last in "+^?":
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
