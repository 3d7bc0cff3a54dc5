"""The labels of options: the name of each, and the meaning of each choice.

Pure but for reading `data/option_words.toml`, once. Every place that names an option takes its
words from here: forms, refusals, rules cards, settings, differences, and the schema of REST. A test
compares the table with the options themselves, so an option without words fails it.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path as File

from scoring.json_types import JsonObject

_FILE = File(__file__).parent / "data" / "option_words.toml"


@dataclass(frozen=True, slots=True)
class OptionLabel:
    """The name of an option or of one of its choices on a page, and its meaning as a sentence.

    `told_by` is the option whose sentence covers this one, `needs` says which rules take it, and
    `absent` is the text for rules without such a part.
    """

    label: str
    group: str = ""
    sentence: str = ""
    told_by: str = ""
    needs: str = ""
    absent: str = ""
    choices: "Mapping[str, OptionLabel]" = field(default_factory=dict)


@lru_cache(maxsize=1)
def _table() -> JsonObject:
    with _FILE.open("rb") as file:
        return tomllib.load(file)


def option_groups() -> Mapping[str, str]:
    """Group → its heading, in the order of a form."""
    groups: Mapping[str, str] = _table()["groups"]
    return groups


@lru_cache(maxsize=1)
def option_labels() -> Mapping[str, OptionLabel]:
    """Option → its words."""
    labels = {}
    for name, words in _table()["options"].items():
        choices = {key: OptionLabel(**choice) for key, choice in words.get("choices", {}).items()}
        labels[name] = OptionLabel(**{**words, "choices": choices})
    return labels


def option_label(name: str) -> str:
    """The name of an option on pages; an unknown option keeps its key.

    >>> option_label("target_op"), option_label("tarrget")
    ('The game ends when a total', 'tarrget')
    """
    label = option_labels().get(name)
    return label.label if label else name


def choice_key(value: object) -> str:
    """The key of a chosen value in the table: `true` for true, `260` for 260.

    >>> choice_key(True), choice_key(260), choice_key("void")
    ('true', '260', 'void')
    """
    key = str(value)
    if key not in ("True", "False"):
        return key
    return key.lower()


def choice_label(name: str, value: object) -> str | None:
    """The name of a choice; None where the option has no such choice."""
    option = option_labels().get(name)
    choice = option.choices.get(choice_key(value)) if option else None
    return choice.label if choice else None
