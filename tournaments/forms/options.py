"""The options of a variant as fields: what each does, its choices, what was typed as a value."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.options import Option

WHOLE: Final = re.compile(r"[-+]?[0-9]{1,9}")

SHAPES: Final[Mapping[str, str | Promise]] = {
    "number": _("Points, for example −10."),
    "amount": _("Points, or slam for what the cards are worth."),
    "whole": _("A whole number from 1."),
    "selector": _("Cards: QS, *H, Q*, 5-10H, with commas."),
    "values": _("One a line: the cards and their points, for example KS 10."),
    "card_map": _("One a line: the number of players and the cards, for example 3: 2D."),
    "self_from": _("A total, and whose it is: 50 self, or 50 any."),
}
"""How each kind of value is written."""

_LINES: Final = frozenset({"values", "card_map"})


def option_field(option: Option) -> forms.CharField:
    """Return the field of an option; empty means that the rules stay as they are."""
    words = {"true": _("yes"), "false": _("no")}
    values = ("true", "false") if option.takes == "flag" else option.choices
    widget: forms.Widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    if values:
        shown = [(value, words.get(value, value.replace("-", " "))) for value in values]
        widget = forms.Select(choices=[("", _("as the rules say")), *shown])
    elif option.takes in _LINES:
        widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false"})
    hint: Any = option.says
    if option.takes in SHAPES and not values:
        hint = _Hint(option.says, SHAPES[option.takes])
    return forms.CharField(
        label=option_label(option.name),
        required=False,
        help_text=hint,
        widget=widget,
    )


def option_label(name: str) -> str:
    """Return what an option is called on pages.

    >>> option_label("bonus_card")
    'Bonus card'
    """
    return name.replace("_", " ").capitalize()


def option_shown(value: Any) -> str:
    """Return a value of an option as it is read: as it is typed, but in words and with a minus."""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    text = option_text(value)
    return text if isinstance(value, str) else text.replace("-", "−")


class _Hint:
    """What an option does and how it is written, in the reader's language when it is printed."""

    def __init__(self, says: str, written: str | Promise) -> None:
        self._parts = (says, written)

    def __str__(self) -> str:
        return " ".join(str(part) for part in self._parts)


def option_value(option: Option, text: str) -> object:
    """Return a typed option as the scorer takes it; what has not its shape stays as it was typed.

    >>> option_value(Option("custom_values", "", "values", ()), "KS 10")
    [['KS', 10]]
    >>> option_value(Option("removed_cards", "", "card_map", ()), "3: 2D; 5: 2D 2C")
    {'3': ['2D'], '5': ['2D', '2C']}
    >>> option_value(Option("new_moon_from", "", "self_from", ()), "50 any")
    {'score': 50, 'who': 'any'}
    """
    plain = text.replace("−", "-").strip()
    match option.takes:
        case "flag":
            return text == "true"
        case "choice":
            return text
        case "number" | "amount" | "whole":
            return _number(plain)
        case "values":
            return _values(plain)
        case "card_map":
            return _card_map(plain)
        case "self_from":
            score, _gap, who = plain.partition(" ")
            return {"score": _number(score), "who": who.strip()} if who else plain
        case _:
            return plain


def option_text(value: Any) -> str:
    """Return a value of an option as it is typed.

    >>> option_text(-11), option_text(True), option_text({"3": ["2D"]})
    ('-11', 'true', '3: 2D')
    >>> option_text([["KS", 10], ["QD", "1/2"]])
    'KS 10\\nQD 1/2'
    """
    match value:
        case bool():
            return "true" if value else "false"
        case {"score": score, "who": who}:
            return f"{score} {who}"
        case dict():
            lines = (f"{seats}: {' '.join(map(str, cards))}" for seats, cards in value.items())
            return "\n".join(lines)
        case [[_, _], *_]:
            return "\n".join(f"{cards} {option_text(points)}" for cards, points in value)
        case list():
            return json.dumps(value)
        case _:
            return str(value)


def _number(text: str) -> object:
    """A whole number, a pair `[re, im]`, or the text as it is."""
    if WHOLE.fullmatch(text):
        return int(text)
    if text.startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _lines(text: str) -> list[str]:
    return [line.strip() for line in re.split(r"[\n;]", text) if line.strip()]


def _values(text: str) -> list[list[object]]:
    pairs = (re.split(r"[\s=]+", line, maxsplit=1) for line in _lines(text))
    return [[cards, *map(_number, points)] for cards, *points in pairs]


def _card_map(text: str) -> object:
    parts = [line.partition(":") for line in _lines(text)]
    if not all(gap for _, gap, _ in parts):
        return text
    return {seats.strip(): re.split(r"[\s,]+", cards.strip()) for seats, _, cards in parts}
