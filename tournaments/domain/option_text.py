"""Options of rules in the reader's language: labels, values, and what differs from the rules.

Nothing is written here. The words are those of one table, `scoring/data/option_words.toml`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from scoring import option_labels
from scoring.json_types import JsonObject
from scoring.rules.rules import Rules
from scoring.rules_card.options import (
    differing_options,
    option_sentence,
    option_value_text,
    present_value,
)
from scoring.rules_card.wording import sentence_text


@dataclass(frozen=True, slots=True)
class OptionText:
    """One option that was chosen: its label, its value, and what it means as a sentence."""

    name: str
    label: str
    value: str
    sentence: str


def option_label(name: str) -> str:
    return gettext(option_labels.option_label(name))


def option_groups() -> dict[str, str]:
    """Return the groups of options with their headings, in the order of a form."""
    return {key: gettext(heading) for key, heading in option_labels.option_groups().items()}


def choice_label(name: str, value: object) -> str:
    return gettext(option_labels.choice_label(name, value) or str(value))


def value_text(name: str, value: object, rules: Rules | None = None) -> str:
    """Return a value of an option as a few words; `rules` give the number of cards."""
    if name not in option_labels.option_labels():
        return str(value)
    return sentence_text(option_value_text(name, value, rules), gettext)


def present_text(name: str, rules: Rules) -> str:
    return value_text(name, present_value(name, rules), rules)


def present_sentence(name: str, rules: Rules) -> str:
    """Return the present rule that an option would change, as a sentence; "" if none."""
    value = present_value(name, rules)
    return "" if value is None else sentence_text(option_sentence(name, value, rules), gettext)


def differing(options: JsonObject, base: Rules, rules: Rules) -> tuple[OptionText, ...]:
    return tuple(
        OptionText(
            name,
            option_label(name),
            sentence_text(value, gettext),
            sentence_text(sentence, gettext),
        )
        for name, value, sentence in differing_options(options, base, rules)
    )


def sentences(options: Sequence[OptionText]) -> tuple[str, ...]:
    """Return what options mean, each sentence once."""
    return tuple(dict.fromkeys(option_text.sentence for option_text in options))
