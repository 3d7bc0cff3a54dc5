"""Options in words: the name of a value, and its meaning for the rules that it applies to.

Pure. The words are those of `data/option_words.toml`; the numbers and cards in them come from the
option's value and the resolved rules. See docs/variant-options.md.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any

from scoring.cards import BASES, Deck, card_sign, is_selector, selects
from scoring.errors import Refused
from scoring.json_types import JsonObject, is_list
from scoring.numbers import Complex, read_score
from scoring.option_labels import choice_key, choice_label, option_labels
from scoring.rules.compiled_rules import prepare
from scoring.rules.dealing import passing_ring
from scoring.rules.options import option_table
from scoring.rules.rules import Keys, NoSuchPart, Patch, Rules, apply_patch
from scoring.rules.schema import WRITTEN_AS
from scoring.rules.types import Play, SelfFrom
from scoring.rules_card.playing import cycle_text
from scoring.rules_card.wording import (
    Sentence,
    Text,
    all_cards,
    either,
    joined,
    one_or_list,
    points,
)

_ABSENT = object()


def present_value(name: str, rules: Rules) -> object | None:
    """The value in the rules that the option would change; None where they have none.

    A choice is given by its key, a number as a score, everything else as JSON has it.
    """
    if name in rules.options:
        stated: object = rules.options[name]
        return stated
    option = option_table()[name]
    if option.get("takes") == "cycles":
        return _passing_cycles(rules.keys.play, rules)
    if "choices" in option:
        return _present_choice(option["choices"], rules)
    if option.get("each"):
        return None
    values = [_value_at(rules.keys, path, target) for path, target in option["patch"].items()]
    values = [value for value in values if value is not _ABSENT]
    if not values or values[0] in ({}, ()):
        return None
    value: object = values[0]
    return value if all(other == value for other in values) else None


def _passing_cycles(play: Play, rules: Rules) -> Mapping[str, tuple[str, ...]]:
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
        pairs = (
            (getattr(rules.keys, key.name), getattr(changed.keys, key.name)) for key in fields(Keys)
        )
        if all(before == after or _has_it(before, after) for before, after in pairs):
            return choice
    return None


def _has_it(before: object, after: object) -> bool:
    if isinstance(before, str) and isinstance(after, str):
        before, after = tuple(before.split(",")), tuple(after.split(","))
    if not isinstance(before, tuple) or not isinstance(after, tuple) or len(after) <= len(before):
        return False
    return all(item in before for item in after)


def _value_at(keys: Any, path: str, target: Any) -> Any:
    part = keys
    for step in path.rstrip("+").split("."):
        is_list = isinstance(part, tuple)
        if is_list:
            part = _item(part, step)
        else:
            part = getattr(part, WRITTEN_AS.get(step, step), None)
        if part is None:
            return _ABSENT
    if path.endswith(".outside"):
        return "score" if part else "drop"
    if target == "$":
        return part
    return _matching(part, target)


def _item(items: tuple[object, ...], step: str) -> object:
    if step.isdigit() and int(step) < len(items):
        return items[int(step)]
    keys = ("cards", "id", "name", "pledge")
    named = (part for part in reversed(items) if step in (getattr(part, key, None) for key in keys))
    return next(named, None)


def _matching(items: tuple[object, ...], target: object) -> object:
    """The value at the place of `$` in the item of a list that matches `target`."""
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
    """Whether rules already have what an option would choose."""
    choices = option_table()[name].get("choices", {})
    if choices and not choices.get(choice_key(value), True):
        return True  # a choice that changes nothing
    present = present_value(name, rules)
    if present is None:
        return False
    if option_table()[name].get("takes") == "cycles" and isinstance(value, Mapping):
        play = rules.keys.play
        changed = replace(play, passing_with={**play.passing_with, **value})
        return present == _passing_cycles(changed, rules)
    if choice_label(name, value) is not None:
        return choice_key(present) == choice_key(value)
    return _plain(present) == _plain(value, rules)


def _plain(value: object, rules: Rules | None = None) -> object:
    if isinstance(value, SelfFrom):
        return {"score": value.score, "who": value.who}
    if isinstance(value, Mapping):
        return {key: _plain(item, rules) for key, item in value.items()}
    number = rules.number(value, stored=True) if rules else None
    if number is None and is_list(value):
        return [_plain(item, rules) for item in value]
    return value if number is None else number


def option_value_text(name: str, value: object, rules: Rules | None) -> Text:
    """The name of a value of an option, as a few words.

    Without rules a selector is returned as written.

    >>> from scoring.rules.catalogue import catalogue
    >>> rules = catalogue().rules("hearts", {})
    >>> str(option_value_text("moon_needs", "*H,QS", rules))
    'all 13 hearts and Q♠'
    >>> str(option_value_text("removed_cards", {"3": ["2D"]}, rules))
    '2♦ with 3 players'
    >>> str(option_value_text("moon", "void", rules))
    'nobody scores'
    """
    words = option_labels()[name]
    if choice := words.choices.get(choice_key(value)):
        return Sentence(choice.label)
    takes = option_table()[name].get("takes")
    if value is None:
        return Sentence(words.absent or "nothing of the kind")
    if value == "slam":
        return Sentence("what its cards are worth")
    if takes == "selector" and isinstance(value, str):
        return _cards(value, rules)
    if takes == "card_map" and isinstance(value, Mapping):
        sizes = {"*", *map(str, rules.table_sizes if rules else ())}
        at_tables = {seats: codes for seats, codes in value.items() if seats in sizes}
        return _by_seats(at_tables or value)
    if takes == "cycles" and isinstance(value, Mapping):
        return _cycles(value)
    if takes in ("cards", "values") and is_list(value):
        return one_or_list(_listed(value, rules))
    if isinstance(value, SelfFrom):
        value = {"score": value.score, "who": value.who}
    if isinstance(value, Mapping) and value.keys() == {"score", "who"}:
        return _from(value["score"], value["who"])
    return _number(value)


def option_sentence(name: str, value: object, rules: Rules) -> Text:
    """The meaning of a value of an option, as a sentence.

    The rules have the option on them, or say this themselves.

    >>> from scoring.rules.catalogue import catalogue
    >>> rules = catalogue().rules("hearts", {"target_op": ">"})
    >>> str(option_sentence("target_op", ">", rules))
    'The game ends when a total passes 100.'
    >>> str(option_sentence("target", 100, rules))
    'The game ends when a total passes 100.'
    """
    words = option_labels()[name]
    if words.told_by:
        return option_sentence(words.told_by, present_value(words.told_by, rules), rules)
    choice = words.choices.get(choice_key(value))
    template = choice.sentence if choice else words.sentence
    facts = {"value": option_value_text(name, value, rules)}
    for other in re.findall(r"\{(\w+)\}", template):
        if other != "value":
            facts[other] = option_value_text(other, present_value(other, rules), rules)
    return Sentence(template, **facts)


def differing_options(
    options: Mapping[str, object], base: Rules, rules: Rules
) -> tuple[tuple[str, Text, Text], ...]:
    """The options that differ from the `base` rules that they apply to.

    Each with its value in words and its sentence, in the order of the file.
    """
    return tuple(
        (name, option_value_text(name, value, rules), option_sentence(name, value, rules))
        for name, value in ((name, options[name]) for name in option_table() if name in options)
        if not is_present(name, value, base)
    )


def _cards(selector: str, rules: Rules | None) -> Text:
    if rules is None or not is_selector(selector):
        return selector.replace(",", ", ")
    deck = prepare(rules, rules.keys.players[0]).deck
    if not deck.mask(selector):
        added = dict.fromkeys(card for cards in rules.keys.deck.add.values() for card in cards)
        deck = Deck((*BASES[rules.keys.deck.base], *added))
    mask = deck.mask(selector)
    if mask:
        return all_cards(deck, mask)
    return selector.replace(",", ", ")


def _listed(items: Sequence[object], rules: Rules | None) -> Iterator[Text]:
    for item in items:
        if is_list(item) and len(item) == 2:
            cards = _cards(str(item[0]), rules)
            yield Sentence("{cards}: {n}", cards=cards, n=_number(item[1]))
        else:
            yield _cards(str(item), rules)


def _by_seats(cards: JsonObject) -> Text:
    texts: list[Text] = []
    for seats, codes in cards.items():
        listed = tuple(card_sign(card) for card in codes) or Sentence("no card")
        text = "{cards} with {n} players" if seats != "*" else "{cards} at every table"
        texts.append(Sentence(text, cards=listed, n=seats))
    if texts:
        return joined("{these}; {those}", texts)
    return Sentence("none")


def _cycles(cycles: Mapping[str, Sequence[str]]) -> Text:
    numbers: dict[tuple[str, ...], list[str]] = {}
    for number, cycle in cycles.items():
        numbers.setdefault(tuple(cycle), []).append(number)
    sentences: list[Text] = []
    for cycle, seats in numbers.items():
        text = "{ways} with {n} players" if "*" not in seats else "{ways} at every other table"
        sentences.append(Sentence(text, ways=cycle_text(cycle), n=either(seats)))
    return joined("{these}; {those}", sentences)


def _from(score: object, who: object) -> Text:
    if who == "self":
        return Sentence("{n} of the shooter", n=_number(score))
    return Sentence("{n} of any player", n=_number(score))


def _number(value: object) -> str:
    if isinstance(value, Complex):
        return points(value)
    number = read_score(value, pairs=isinstance(value, list), stored=True)
    if number is not None:
        return points(number)
    return str(value).replace("-", "−")
