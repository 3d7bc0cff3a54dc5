"""Every option and every choice has a label and a sentence, and what rules say is in words."""

import re
from dataclasses import replace
from functools import cache

import pytest

from scoring.option_labels import option_groups, option_labels
from scoring.rules.catalogue import catalogue
from scoring.rules.options import every_option, option_table, options_of
from scoring.rules.rules import Rules
from scoring.rules_card.options import (
    differing_options,
    option_sentence,
    option_value_text,
    present_value,
)
from tests.support.scoring.option_choices import choices_for

ADDS = ("jack_of_diamonds", "bonus_floor", "ten_of_clubs", "pledge", "no_trick_bonus")
"""Options that add to a list."""
RAW = re.compile(r"_|[<>=]=?|\bTrue\b|\bFalse\b|\bNone\b|[{}\[\]*$]|Complex|Fraction|\bslam\b")
"""What only a file or a program understands."""


@cache
def cases() -> tuple[tuple[str, str, object, Rules], ...]:
    return tuple(
        (variant, option.name, value, catalogue().rules(variant, {option.name: value}))
        for variant in catalogue().ids
        for option in options_of(catalogue().resolved(variant))
        for value in choices_for(variant, option.name)
    )


def test_every_option_and_every_choice_has_a_label_and_a_sentence() -> None:
    words = option_labels()
    assert set(words) == set(option_table())
    for option in every_option():
        own = words[option.name]
        assert own.label, option.name
        assert own.group in option_groups(), option.name
        choices = option.choices or (("true", "false") if option.takes == "flag" else ())
        assert set(own.choices) == set(choices), option.name
        for choice in choices:
            assert own.choices[choice].label, (option.name, choice)
            assert own.choices[choice].sentence.endswith("."), (option.name, choice)
        told_by = words[own.told_by] if own.told_by else None
        assert choices or own.sentence.endswith(".") or (told_by and told_by.choices), option.name


def test_every_option_that_needs_something_says_what() -> None:
    asks = ("where", "number", "counts", "pack", "alone", "passes")
    for name, option in option_table().items():
        assert bool(option_labels()[name].needs) == any(one in option for one in asks), name


def test_no_word_for_an_option_is_a_raw_key() -> None:
    for name, words in option_labels().items():
        said = [words.label, words.needs, words.absent]
        said += [text for one in words.choices.values() for text in (one.label, one.sentence)]
        for text in said:
            plain = re.sub(r"\{(target|value)\}", "", text)
            assert not RAW.search(plain), (name, text)
            assert plain not in option_table(), (name, text)


def test_every_choice_of_every_variant_is_said_in_words() -> None:
    tried = set()
    for variant, name, value, rules in cases():
        said = str(option_value_text(name, value, rules)), str(option_sentence(name, value, rules))
        for text in said:
            assert text, (variant, name, value)
            assert not RAW.search(text), (variant, name, value, text)
        tried.add(name)
    assert tried == set(option_table())


def test_what_every_variant_says_itself_is_in_words() -> None:
    for variant in catalogue().ids:
        rules = catalogue().rules(variant, {})
        for option in options_of(catalogue().resolved(variant)):
            present = present_value(option.name, rules)
            text = str(option_value_text(option.name, present, rules))
            assert text, (variant, option.name)
            assert not RAW.search(text), (variant, option.name, text)


def test_what_differs_is_what_changes_the_rules() -> None:
    for variant, name, value, rules in cases():
        plain = catalogue().rules(variant, {})
        is_same = replace(rules.keys, options={}) == replace(plain.keys, options={})
        differs = bool(differing_options({name: value}, plain, rules))
        # A value may be written a second time: then the rules differ only in how they are written.
        assert differs != is_same or (not differs and name in ADDS), (variant, name, value)


@pytest.mark.parametrize(
    ("variant", "name", "says"),
    [
        ("hearts", "target", "100"),
        ("hearts", "target_op", "reaches the limit"),
        ("black-lady-pass-right", "target_op", "passes the limit"),
        ("gong-zhu", "target_op", "falls to the limit"),
        ("hearts", "moon", "the shooter chooses"),
        ("black-maria", "moon", "no award"),
        ("likha", "moon_self_amount", "37"),
        ("hearts", "moon_amount", "what its cards are worth"),
        ("hearts", "moon_needs", "all 13 hearts and Q♠"),
        ("golden-ten", "bonus_floor", "not for a hand"),
        ("golden-ten", "deals", "6"),
        ("hearts", "deals", "no fixed number"),
        ("hearts-traditional", "all_to_one", "the pool stays for the next hand"),
        ("complex-hearts", "queen_of_spades", "13i"),
        ("omnibus-hearts", "bonus_card", "J♦"),
        ("hearts", "removed_cards", "2♦ with 3 players; 2♦ and 2♣ with 5 players"),
        ("turbo-hearts", "ten_of_clubs", "doubles the points of its taker"),
        ("hearts", "pledge", "no"),
    ],
)
def test_present_value_is_what_the_rules_say(variant: str, name: str, says: str) -> None:
    rules = catalogue().rules(variant, {})
    assert str(option_value_text(name, present_value(name, rules), rules)) == says


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"target_op": ">"}, ["The game ends when a total passes 100."]),
        ({"target": 61}, ["The game ends when a total reaches 61."]),
        ({"target": 100, "moon": "choose", "tie": "continue", "queen_of_spades": 13}, []),
        ({"removed_cards": {"3": ["2D"], "5": ["2D", "2C"]}}, []),
        ({"new_moon_from": {"score": 50, "who": "self"}},
         ["A moon takes points off only from a total of 50 of the shooter."]),
        ({"custom_values": [["KS", 10], ["QD", "1/2"]]},
         ["More cards that count: K♠: 10 and Q♦: 1/2."]),
        ({"moon_others_amount": 20}, ["Points for each of the others after a moon: 20."]),
    ],
)  # fmt: skip
def test_only_what_differs_from_the_rules_is_said(
    options: dict[str, object], says: list[str]
) -> None:
    plain, rules = catalogue().rules("hearts", {}), catalogue().rules("hearts", options)
    assert [str(one[2]) for one in differing_options(options, plain, rules)] == says
