"""Options in words: what a value is called, and what it means for the rules that it stands on.

Pure. The words are those of `data/option_words.toml`; the numbers and cards in them come from the
option's value and the resolved rules. See docs/variant-options.md.
"""

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from scoring.cards import BASES, Deck, card_sign, is_selector
from scoring.json_types import JsonObject, is_list
from scoring.numbers import Complex, read_score
from scoring.option_labels import choice_key, option_labels
from scoring.rules.compiled_rules import prepare
from scoring.rules.options import option_table
from scoring.rules.present_options import is_present, present_value
from scoring.rules.rules import Rules
from scoring.rules.types import SelfFrom
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


def option_value_text(name: str, value: object, rules: Rules | None) -> Text:
    """The name of a value of an option, as a few words.

    Without rules a selector is given as it is written.

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
        return _by_seats(_at_tables(value, rules))
    if takes == "cycles" and isinstance(value, Mapping):
        return _cycles(value)
    if takes == "values" and _are_pairs(value):
        return one_or_list([_valued(pair, rules) for pair in value])
    if isinstance(value, SelfFrom):
        return _from(value.score, value.who)
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
    if "{target}" in template:
        facts["target"] = option_value_text("target", present_value("target", rules), rules)
    return Sentence(template, **facts)


def differing_options(
    options: Mapping[str, object], base: Rules, rules: Rules
) -> tuple[tuple[str, Text, Text], ...]:
    """Those options that say anything else than the `base` rules that they stand on.

    Each with its value in words and its sentence, in the order of the file.
    """
    return tuple(
        (name, option_value_text(name, value, rules), option_sentence(name, value, rules))
        for name, value in ((name, options[name]) for name in option_table() if name in options)
        if not is_present(name, value, base)
    )


def _are_pairs(value: object) -> TypeGuard[Sequence[tuple[str, object]]]:
    return is_list(value) and all(is_list(pair) and len(pair) == 2 for pair in value)


def _cards(selector: str, rules: Rules | None) -> Text:
    """The cards in words; copies of them only count where they are in play."""
    if rules is None or not is_selector(selector):
        return selector.replace(",", ", ")
    deck = prepare(rules, rules.keys.players[0]).deck
    if not deck.mask(selector):
        added = dict.fromkeys(card for cards in rules.keys.deck.add.values() for card in cards)
        deck = Deck((*BASES[rules.keys.deck.base], *added))
    mask = deck.mask(selector)
    return all_cards(deck, mask) if mask else selector.replace(",", ", ")


def _at_tables(cards: Mapping[str, object], rules: Rules | None) -> Mapping[str, object]:
    """The numbers of players that the rules take, as far as there are any."""
    sizes = {"*", *map(str, rules.table_sizes if rules else ())}
    return {seats: codes for seats, codes in cards.items() if seats in sizes} or cards


def _by_seats(cards: JsonObject) -> Text:
    texts: list[Text] = []
    for seats, codes in cards.items():
        listed = tuple(card_sign(card) for card in codes) or Sentence("no card")
        text = "{cards} with {n} players" if seats != "*" else "{cards} at every table"
        texts.append(Sentence(text, cards=listed, n=seats))
    return joined("{these}; {those}", texts) if texts else Sentence("none")


def _cycles(cycles: Mapping[str, Sequence[str]]) -> Text:
    """Each passing cycle once, with the numbers of players that have it."""
    numbers: dict[tuple[str, ...], list[str]] = {}
    for number, cycle in cycles.items():
        numbers.setdefault(tuple(cycle), []).append(number)
    sentences: list[Text] = []
    for cycle, seats in numbers.items():
        text = "{ways} with {n} players" if "*" not in seats else "{ways} at every other table"
        sentences.append(Sentence(text, ways=cycle_text(cycle), n=either(seats)))
    return joined("{these}; {those}", sentences)


def _valued(pair: tuple[str, object], rules: Rules | None) -> Text:
    return Sentence("{cards}: {n}", cards=_cards(pair[0], rules), n=_number(pair[1]))


def _from(score: object, who: object) -> Text:
    if who == "self":
        return Sentence("{n} of the shooter", n=_number(score))
    return Sentence("{n} of any player", n=_number(score))


def _number(value: object) -> str:
    if isinstance(value, Complex):
        return points(value)
    number = read_score(value, pairs=isinstance(value, list), stored=True)
    return points(number) if number is not None else str(value).replace("-", "−")
