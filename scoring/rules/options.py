"""Options: the named patches of `data/options.toml` that a club may put on a variant.

Pure but for reading that one file, once. The file's order is the order in which options are
applied.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path as File

from scoring.cards import BASES, selects
from scoring.errors import Problem, Refused, Suggestion, shown, similar
from scoring.json_types import JsonDict, JsonObject
from scoring.option_labels import choice_key, choice_label, option_label, option_labels
from scoring.rules import schema
from scoring.rules.dealing import has_count, passing_ring
from scoring.rules.rules import NoSuchPart, Patch, apply_patch, filled, part_at
from scoring.rules.schema import Reader, Reading, by_seats, list_of, whole
from scoring.rules.types import Play

MOST_UNKNOWN = 20
"""Options of no name that we know; the rest of them is not listed."""
MOST_VALUES = 100
_FILE = File(__file__).parent.parent / "data" / "options.toml"
_READERS: Mapping[str, Reader[object]] = {
    "number": schema.score,
    "amount": schema.amount,
    "whole": whole(1),
    "flag": schema.flag,
    "selector": schema.selector,
    "values": list_of(list_of(schema.anything)),
    "card_map": by_seats(list_of(schema.card)),
    "self_from": schema.self_from,
    "cycles": by_seats(schema.cycle),
    "cards": schema.not_passed,
}


@dataclass(frozen=True, slots=True)
class Option:
    """One option that rules can take.

    `choices` are its values where it has a list of them; else `takes` says what it takes:
    `number`, `amount`, `whole`, `flag`, `selector`, or a shape that only a file can hold. `cycles`
    are those of an option for the passing that a form offers.
    """

    name: str
    says: str
    takes: str
    choices: tuple[str, ...]
    cycles: tuple[tuple[str, ...], ...] = ()


@lru_cache(maxsize=1)
def option_table() -> Mapping[str, JsonObject]:
    """Option name → how it is written in the file, in the order of application."""
    with _FILE.open("rb") as file:
        return tomllib.load(file)


def options_of(rules: JsonObject) -> tuple[Option, ...]:
    """The options that can change the resolved rules, in the order of the file."""
    table = option_table().items()
    return tuple(
        _option(name, option, rules) for name, option in table if _has_a_place(option, rules, {})
    )


def every_option() -> tuple[Option, ...]:
    """All options, in the order of the file."""
    return tuple(_option(name, option) for name, option in option_table().items())


def _option(name: str, option: JsonObject, rules: JsonObject | None = None) -> Option:
    """The option; of its choices those that fit the rules, if there are any."""
    takes = option.get("takes", list(option.get("choices", ())))
    if isinstance(takes, list):
        needs = option.get("needs", {})
        fitting = (
            choice
            for choice in takes
            if rules is None or choice not in needs or _has_a_place(needs[choice], rules, {})
        )
        return Option(name, option["says"], "choice", tuple(fitting))
    cycles = tuple(map(tuple, option.get("cycles", ())))
    return Option(name, option["says"], takes, (), cycles)


def scoring_options(options: JsonObject) -> JsonObject:
    """Those of the chosen options that touch scores; the others change only how a hand is played.

    >>> scoring_options({"target": 50, "lead": "2C", "passing": {"4": ["left"]}})
    {'target': 50}
    """
    return {name: value for name, value in options.items() if not _is_only_played(name)}


def _is_only_played(name: str) -> bool:
    option = option_table().get(name, {})
    paths = [path for patch in _every_patch(option) for path in patch]
    return bool(paths) and all(path.startswith("play.") for path in paths)


def _every_patch(option: JsonObject) -> list[Patch]:
    if "choices" in option:
        return [*option["choices"].values()]
    return [option.get("patch", {})]


def _has_a_place(option: JsonObject, rules: JsonObject, options: JsonObject) -> bool:
    try:
        _require_its_place(option, rules, options)
        for patch in _every_patch(option):
            apply_patch(deepcopy(dict(rules)), patch)
    except NoSuchPart:
        return False
    return True


def _require_its_place(option: JsonObject, rules: JsonObject, options: JsonObject) -> None:
    """Raise `NoSuchPart` for an option that could be put on these rules but would change nothing.

    Then its `where`, `moon`, `lacks`, `number`, `counts`, `pack`, `alone` or `passes` does not hold
    beside the other `options`.
    """
    if _has_one(rules, option.get("lacks", ())) or not _moon_fits(option, rules, options):
        raise NoSuchPart
    if "where" in option:
        part = part_at(rules, option["where"].split("."))
        if not part or ("among" in option and part not in option["among"]):
            raise NoSuchPart
    if option.get("number", rules.get("number", "real")) != rules.get("number", "real"):
        raise NoSuchPart
    if "pack" in option and not _matched(rules, option["pack"]):
        raise NoSuchPart
    if "alone" in option and _is_in_a_rule(rules, option["alone"]):
        raise NoSuchPart
    if "passes" in option and not _passes(rules, option["passes"]):
        raise NoSuchPart
    if "counts" in option:
        cards = _matched(rules, option["counts"]) - _removed(rules)
        if not cards or cards - _matched(rules, rules["counting"]):
            raise NoSuchPart


def _has_one(rules: JsonObject, lacks: str | Sequence[str]) -> bool:
    """Whether the rules have one of these parts."""
    for path in [lacks] if isinstance(lacks, str) else lacks:
        with suppress(NoSuchPart):
            if part_at(rules, path.split(".")):
                return True
    return False


def _players(rules: JsonObject) -> range:
    least, most = rules["players"]
    return range(least, most + 1)


def _removed(rules: JsonObject) -> set[str]:
    deck = rules["deck"]
    if deck.get("packs", 1) != 1:
        return set()
    removed = deck.get("remove", {})
    return set.intersection(
        *(set(removed.get(str(seats), removed.get("*", ()))) for seats in _players(rules))
    )


def _passes(rules: JsonObject, what: str) -> bool:
    """Whether some table passes cards.

    With `across` it has an even number of players; with `count` the rules give the number of cards.
    """
    play = schema.play(Reading(), rules.get("play", {}), ("play",))
    return any(
        has_count(way) if what == "count" else way != "hold"
        for seats in _players(rules)
        if what != "across" or seats % 2 == 0
        for way in passing_ring(play, seats)
    )


def _moon_fits(option: JsonObject, rules: JsonObject, options: JsonObject) -> bool:
    if "moon" not in option or option.get("beside") in options:
        return True
    return part_at(rules, ("slams", "moon", "pay", "mode")) in option["moon"]


def _purpose(name: str, value: object) -> str:
    words = option_labels()[name]
    choice = words.choices.get(choice_key(value))
    needs = (choice.needs if choice else "") or words.needs
    only = f" It is for rules where {needs}." if needs else ""
    return "These rules have nothing that it could change." + only


def _is_in_a_rule(rules: JsonObject, card: str) -> bool:
    """Whether a rule beside its value names a card: a moon, a modifier, a bonus or a charge."""
    parts = ("slams", "modifiers", "hand_bonus", "chargeable")
    return any(card in text.split(",") for part in parts for text in _texts(rules.get(part, [])))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(item)


def _matched(rules: JsonObject, selector: str) -> set[str]:
    deck = rules["deck"]
    terms = selector.split(",")
    added = {card for cards in deck.get("add", {}).values() for card in cards}
    return {
        card
        for card in (*BASES[deck["base"]], *added)
        if any(selects(term, card) for term in terms)
    }


def with_options(rules: JsonObject, options: JsonObject) -> JsonDict:
    """The resolved rules with the options applied, as JSON."""
    table = option_table()
    unknown = [name for name in options if name not in table]
    problems = [_unknown(name) for name in unknown[:MOST_UNKNOWN]]
    readable = {name: options[name] for name in options if name in table}
    patched, failures = _put_all_on(rules, readable)
    patched["options"] = deepcopy(readable)
    for name, failure in failures.items():
        if isinstance(failure, Refused):
            problems += failure.problems
        else:
            problems.append(bad_option(name, readable[name], _why_not(rules, name, readable)))
    if not problems:
        problems += [*_not_counted(options, patched), *_replaced(options, patched)]
    if problems:
        raise Refused(*problems)
    return patched


def _put_all_on(
    rules: JsonObject, options: JsonObject
) -> tuple[JsonDict, dict[str, NoSuchPart | Refused]]:
    """The rules with the options that can be put on them, and why each other one cannot."""
    patched = deepcopy(dict(rules))
    failures = {}
    for name in option_table():
        if name in options:
            try:
                _put_on(patched, name, options)
            except (NoSuchPart, Refused) as failure:
                failures[name] = failure
    return patched, failures


def _put_on(patched: JsonDict, name: str, options: JsonObject) -> None:
    option = option_table()[name]
    if beside := [other for other in option.get("without", ()) if other in options]:
        other = option_label(beside[0])
        why = f'It cannot be combined with "{other}", which replaces what it changes.'
        raise Refused(bad_option(name, options[name], why))
    patches = list(_patches(name, option, options[name], patched))
    if any(patches):
        _require_its_place(option, patched, options)
        _require_its_place(
            option.get("needs", {}).get(choice_key(options[name]), {}), patched, options
        )
    for patch in patches:
        apply_patch(patched, patch)


def _why_not(rules: JsonObject, name: str, options: JsonObject) -> str:
    """The other option that removes what this one changes; else the purpose of the option."""
    for other in options:
        rest = {key: value for key, value in options.items() if key != other}
        if other != name and name not in _put_all_on(rules, rest)[1]:
            name_of_other = option_label(other)
            if not isinstance(options[other], Mapping | list):
                value = choice_label(other, options[other]) or shown(options[other])
                name_of_other += f": {value}"
            return f'It cannot be combined with "{name_of_other}". {_purpose(name, options[name])}'
    return _purpose(name, options[name])


def bad_option(name: str, value: object, why: str) -> Problem:
    """The problem of an option whose value is invalid under these rules."""
    return Problem(
        "bad_option", ("options", name), {"option": name, "found": shown(value), "why": why}
    )


def _unknown(name: str) -> Problem:
    close = similar(str(name), option_table(), 2)
    facts = {"found": shown(name)} | ({} if close else {"known": ", ".join(option_table())})
    hints = tuple(Suggestion("closest", facts={"name": other}) for other in close)
    return Problem("unknown_option", ("options", shown(name)), facts, hints)


def _patches(name: str, option: JsonObject, value: object, rules: JsonObject) -> Iterator[Patch]:
    if "choices" in option:
        yield option["choices"][_choice(name, option["choices"], value)]
        return
    _check(name, option["takes"], value, rules)
    if not option.get("each"):
        yield filled(option["patch"], {"$": value, "$counting": rules["counting"]})
        return
    for cards, points in value if isinstance(value, list) else ():
        yield filled(option["patch"], {"$cards": cards, "$value": points})


def _choice(name: str, choices: Mapping[str, Patch], value: object) -> str:
    """The name of the choice: `true` for true, `260` for 260; nothing else is translated."""
    key = {True: "true", False: "false"}[value] if isinstance(value, bool) else value
    if type(key) is int and 0 <= key <= schema.LARGEST_CHOICE:
        key = str(key)
    if not isinstance(key, str) or key not in choices:
        raise Refused(bad_option(name, value, _known_choices(name, choices)))
    return key


def _known_choices(name: str, choices: Iterable[str]) -> str:
    names = (f"{choice} ({choice_label(name, choice)})" for choice in choices)
    return f"Choices: {', '.join(names)}."


def _check(name: str, takes: object, value: object, rules: JsonObject) -> None:
    reading = Reading(pairs=rules.get("number") == "complex")
    reader = schema.one_of(*takes) if isinstance(takes, list) else _READERS[str(takes)]
    checked = reading.attempt(reader, value, ())
    if takes == "values" and isinstance(checked, tuple) and not reading.problems:
        _check_values(reading, checked, rules)
    if takes == "cards" and isinstance(checked, tuple) and not reading.problems:
        for code in checked:
            if not _matched(rules, str(code)) - _removed(rules):
                reading.fault((), f"{code} is in no pack of these rules.")
    if takes == "cycles" and isinstance(checked, Mapping) and not reading.problems:
        _check_cycles(reading, checked, rules)
    if reading.problems and (choices := option_labels()[name].choices):
        raise Refused(bad_option(name, value, _known_choices(name, choices)))
    if reading.problems:
        why = " ".join(str(problem.facts["why"]) for problem in reading.problems[:3])
        raise Refused(bad_option(name, value, why))


def _check_values(reading: Reading, pairs: Sequence[Sequence[object]], rules: JsonObject) -> None:
    if len(pairs) > MOST_VALUES:
        reading.fault((), f"At most {MOST_VALUES} entries.")
        return
    for pair in pairs:
        if len(pair) != 2:
            reading.fault((), "Each entry is a selector and a value.")
            continue
        cards = reading.attempt(schema.selector, pair[0], ())
        reading.attempt(schema.score, pair[1], ())
        if cards is not None and not _matched(rules, cards):
            reading.fault((), f"{shown(cards)} is in no pack of these rules.")


def _check_cycles(
    reading: Reading, cycles: Mapping[str, tuple[str, ...]], rules: JsonObject
) -> None:
    players = _players(rules)
    if not cycles:
        reading.fault((), "Name at least one number of players.")
    for seats in cycles:
        if seats != "*" and int(seats) not in players:
            reading.fault((), f"These rules are for {players[0]} to {players[-1]} players.")
        elif seats != "*" and not passing_ring(Play(passing_with=cycles), int(seats)):
            reading.fault((), f"With {seats} players no cards can be passed in these ways.")


def _replaced(options: JsonObject, rules: JsonObject) -> Iterator[Problem]:
    """Options that change nothing because another one replaces all that they change."""
    for name, option in option_table().items():
        if name in options and (other := _replacement(option, options, rules)):
            why = f'It cannot be combined with "{option_label(other)}", which replaces it.'
            yield bad_option(name, options[name], why)


def _replacement(option: JsonObject, options: JsonObject, rules: JsonObject) -> str | None:
    """A chosen option that leaves this one without effect.

    Either all of its `replaced_by` are chosen, or a later value covers the cards of the value that
    it `sets`: of two values for a card the last one counts.
    """
    others: list[str] = [
        other
        for other in option.get("replaced_by", ())
        if _has_a_place(option_table()[other], rules, options)
    ]
    if others and all(other in options for other in others):
        return others[0]
    if "sets" not in option:
        return None
    values: list[JsonObject] = rules["values"]
    place = max(at for at, item in enumerate(values) if item.get("name") == option["sets"])
    cards = _matched(rules, values[place]["cards"])
    later = [item for item in values[place + 1 :] if cards <= _matched(rules, item["cards"])]
    names: list[str] = [item.get("name", "custom_values") for item in later]
    return next((name for name in names if name in options), None)


def _not_counted(options: JsonObject, rules: JsonObject) -> Iterator[Problem]:
    for name, option in option_table().items():
        if name in options and option.get("takes") == "selector":
            matched = _matched(rules, options[name])
            if beside := sorted(matched - _matched(rules, rules["counting"])):
                why = f"{', '.join(beside[:5])} is not counted in these rules."
                yield bad_option(name, options[name], why)
