"""The options of a variant as fields, and the choice of a game by any of its names."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from django import forms
from django.forms.renderers import BaseRenderer
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring import option_labels
from scoring.cards import is_selector
from scoring.errors import Refused
from scoring.json_types import JsonDict
from scoring.rules.catalogue import Variant
from scoring.rules.compiled_rules import prepare, value_for
from scoring.rules.dealing import mixes_nothing, passing_ring
from scoring.rules.options import Option
from scoring.rules.rules import Rules
from scoring.rules.schema import WAYS
from scoring.rules.types import Play
from scoring.rules_card.playing import cycle_text
from scoring.rules_card.wording import sentence_text
from tournaments.selectors.rules.rule_sets import (
    VariantChoices,
    choice_label,
    option_groups,
    option_label,
    present_sentence,
    present_text,
    value_text,
)
from tournaments.views.http.service_form import ServiceForm

_BETWEEN = " / "
"""Separator of the ways of a cycle; a way may contain a comma."""


class CyclesSelect(forms.Widget):
    """A select for each number of players, all of one name; a value begins with its number."""

    def __init__(self, cycles: Sequence[Sequence[str]], rules: Rules) -> None:
        super().__init__()
        self.cycles, self.rules = cycles, rules

    def id_for_label(self, id_: str) -> str:
        return f"{id_}_{self.rules.keys.players[0]}" if id_ else ""

    def value_from_datadict(self, data: Mapping[str, Any], files: object, name: str) -> str:
        """Return what is chosen as text, a line for each number of players."""
        return posted_cycles(data, name)

    def render(
        self,
        name: str,
        value: object,
        attrs: dict[str, Any] | None = None,
        renderer: BaseRenderer | None = None,
    ) -> SafeString:
        cycles = read_cycles(str(value or ""))
        chosen: Mapping[str, Sequence[str]] = cycles if isinstance(cycles, dict) else {}
        least, most = self.rules.keys.players
        rows = []
        for seats in range(least, most + 1):
            cycle = value_for(chosen, seats, ())
            select = forms.Select(choices=list(self._choices(seats, tuple(cycle))))
            select_id = f"{(attrs or {}).get('id', name)}_{seats}"
            text = gettext("%(n)s players") % {"n": seats}
            picked = write_cycles({str(seats): cycle}) if cycle else ""
            widget = select.render(name, picked, {**(attrs or {}), "id": select_id}, renderer)
            rows.append((select_id, text, widget))
        field = '<div class="field"><label class="small" for="{}">{}</label>{}</div>'
        return format_html_join("", field, rows)

    def _choices(self, seats: int, chosen: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        present = passing_ring(self.rules.keys.play, seats)
        yield "", gettext("default: %(value)s") % {"value": _in_words(present)}
        table = prepare(self.rules, seats)
        offered = [
            cycle
            for cycle in map(tuple, self.cycles)
            if (passing_ring(Play(cycle), table.seats) == cycle and not mixes_nothing(table, cycle))
        ]
        for cycle in dict.fromkeys([*offered, chosen] if chosen else offered):
            yield write_cycles({str(seats): cycle}), _in_words(cycle)


WHOLE: Final = re.compile(r"[-+]?[0-9]{1,9}")

GroupedGames: TypeAlias = Sequence[tuple[str, Sequence[tuple[str, str]]]]
"""Ids and names of games, in groups with a heading."""


@dataclass(frozen=True, slots=True)
class VariantSelection:
    """A game as typed: its description, rules and options, if it is `offered`."""

    typed: str
    offered: VariantChoices
    chosen: Variant | None = None
    rules: Rules | None = None
    options: Sequence[Option] = ()


def _in_words(cycle: Sequence[str]) -> str:
    return sentence_text(cycle_text(cycle), gettext)


def posted_cycles(data: Mapping[str, Any], name: str) -> str:
    if hasattr(data, "getlist"):
        values = data.getlist(name)
    else:
        values = [data.get(name, "")]
    return "\n".join(filter(None, map(str, values)))


def write_cycles(cycles: Mapping[str, Sequence[str]]) -> str:
    r"""Return cycles as text.

    >>> write_cycles({"3": ["left", "hold"], "4": ["2 left, 2 right"]})
    '3: left / hold\n4: 2 left, 2 right'
    """
    return "\n".join(f"{seats}: {_BETWEEN.join(cycle)}" for seats, cycle in cycles.items())


def read_cycles(text: str) -> object:
    """Return cycles as the scorer takes them; text of another form is returned as it is.

    >>> read_cycles("3: left / hold")
    {'3': ['left', 'hold']}
    """
    parts = [line.partition(":") for line in text.splitlines() if line.strip()]
    if not all(gap for _, gap, _ in parts):
        return text
    return {seats.strip(): re.split(r"\s*/\s*", ways.strip()) for seats, _, ways in parts}


SHAPES: Final = {
    "number": _("Points, for example −10."),
    "amount": _("Points, or slam for the value of the cards."),
    "whole": _("A whole number from 1."),
    "selector": _("Cards: QS, *H, Q*, 5-10H, with commas."),
    "cards": _("Cards: 2C, QS, with commas."),
    "values": _("One per line: the cards and their points, for example KS 10."),
    "card_map": _("One per line: the number of players and the cards, for example 3: 2D."),
    "self_from": _("A total and its owner: 50 self or 50 any."),
    "cycles": _("One per line: the number of players and the ways, for example 4: left / hold."),
}
"""Kind of value → how it is written."""

_LINES: Final = frozenset({"values", "card_map", "cycles"})


def option_field(option: Option, rules: Rules | None) -> forms.CharField:
    """Return the field of an option; an empty value leaves the rules unchanged.

    Args:
        rules: the unchanged rules, which the field shows.
    """
    values = ("true", "false") if option.takes == "flag" else option.choices
    present = present_text(option.name, rules) if rules is not None else ""
    stays = gettext("default")
    if present:
        stays = gettext("default: %(value)s") % {"value": present}
    widget: forms.Widget = forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})
    hint = [gettext(option.says)]
    if option.takes == "cycles" and rules is not None:
        widget = CyclesSelect(option.cycles, rules)
    elif values:
        choices = [(value, choice_label(option.name, value)) for value in values]
        widget = forms.Select(choices=[("", stays), *choices])
    else:
        if option.takes in _LINES:
            widget = forms.Textarea(attrs={"rows": 2, "spellcheck": "false"})
        hint.append(str(SHAPES[option.takes]))
        if present:
            hint.append(gettext("Default: %(value)s.") % {"value": present})
    return forms.CharField(label=option_label(option.name), help_text=" ".join(hint), widget=widget)


def _default_text(options: Sequence[Option], rules: Rules | None) -> str:
    if rules is None:
        return gettext("Default.")
    first = next(filter(None, (present_sentence(option.name, rules) for option in options)), "")
    if not first:
        return gettext("Default.")
    return gettext("Default: %(value)s") % {"value": first}


def option_value(option: Option, text: str) -> object:
    """Return a typed option in the scorer's form; a malformed one is returned as typed.

    >>> option_value(Option("custom_values", "", "values", ()), "KS 10")
    [['KS', 10]]
    >>> option_value(Option("removed_cards", "", "card_map", ()), "3: 2D; 5: 2D 2C")
    {'3': ['2D'], '5': ['2D', '2C']}
    >>> option_value(Option("not_passed", "", "cards", ()), "2C, QS")
    ['2C', 'QS']
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
        case "cards":
            return list(filter(None, re.split(r"[\s,;]+", plain)))
        case "values":
            pairs = (re.split(r"[\s=]+", line, maxsplit=1) for line in _lines(plain))
            return [[cards, *map(_number, points)] for cards, *points in pairs]
        case "card_map":
            return _card_map(plain)
        case "cycles":
            return read_cycles(plain)
        case "self_from":
            score, _gap, who = plain.partition(" ")
            if not who:
                return plain
            return {"score": _number(score), "who": who.strip()}
        case _:
            return plain


def option_text(value: Any) -> str:
    """Return a value of an option as it is typed.

    >>> option_text(-11), option_text(True), option_text({"3": ["2D"]})
    ('-11', 'true', '3: 2D')
    >>> option_text(["2C", "QS"]), option_text(["1/2", 13])
    ('2C, QS', '["1/2", 13]')
    >>> option_text([["KS", 10], ["QD", "1/2"]])
    'KS 10\\nQD 1/2'
    """
    match value:
        case bool():
            return "true" if value else "false"
        case {"score": score, "who": who}:
            return f"{score} {who}"
        case dict() if any(way in WAYS for ways in value.values() for way in ways):
            return write_cycles(value)
        case dict():
            lines = (f"{seats}: {' '.join(map(str, cards))}" for seats, cards in value.items())
            return "\n".join(lines)
        case [[_, _], *_]:
            return "\n".join(f"{cards} {option_text(points)}" for cards, points in value)
        case [str(), *_] as cards if all(map(is_selector, map(str, cards))):
            return ", ".join(cards)
        case list():
            return json.dumps(value)
        case _:
            return str(value)


def _number(text: str) -> object:
    """Return a whole number, a pair `[re, im]`, or the text as it is."""
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


def _card_map(text: str) -> object:
    parts = [line.partition(":") for line in _lines(text)]
    if not all(gap for _, gap, _ in parts):
        return text
    return {seats.strip(): re.split(r"[\s,]+", cards.strip()) for seats, _, cards in parts}


class OptionsForm(ServiceForm):
    """A form with a field for each option of a game that was looked at (`options-target`)."""

    def ask_options(self, options: Sequence[Option], rules: Rules | None) -> None:
        """Add the fields of a game's options; each shows the game's rule without it."""
        self._options = list(options)
        self._rules = rules
        for option in self._options:
            self.fields[f"options-{option.name}"] = option_field(option, rules)

    @property
    def option_groups(self) -> list[dict[str, object]]:
        """Return the fields of options (`options-target`) by group, for `_option_groups.html`.

        `value` is what is in force now, in one line; `is_changed` whether any of them is chosen.
        """
        groups: list[dict[str, object]] = []
        by_name = {option.name: option for option in self._options}
        ordered = [by_name[name] for name in option_labels.option_labels() if name in by_name]
        for key, heading in option_groups().items():
            members = [
                option
                for option in ordered
                if option_labels.option_labels()[option.name].group == key
            ]
            if not members:
                continue
            fields = [self[f"options-{option.name}"] for option in members]
            texts = [str(field.value() or "").strip() for field in fields]
            chosen = [
                f"{option_label(option.name)}: "
                f"{value_text(option.name, option_value(option, text), self._rules)}"
                for option, text in zip(members, texts, strict=True)
                if text
            ]
            groups.append(
                {
                    "key": key,
                    "heading": heading,
                    "value": " · ".join(chosen) or _default_text(members, self._rules),
                    "is_changed": bool(chosen),
                    "is_open": bool(chosen) or any(field.errors for field in fields),
                    "fields": fields,
                }
            )
        return groups

    @property
    def option_fields(self) -> list[forms.BoundField]:
        return [self[f"options-{option.name}"] for option in self._options]

    @property
    def chosen_options(self) -> JsonDict:
        """The options that were chosen, as the scorer takes them."""
        texts = (
            (option, self.cleaned_data.get(f"options-{option.name}")) for option in self._options
        )
        return {option.name: option_value(option, text) for option, text in texts if text}


class GameForm(OptionsForm):
    """A form with a `variant`, by any of its names, and its options."""

    variant = forms.CharField()

    def choose_from(self, games: GroupedGames, otherwise: str) -> None:
        """Show a list of `games`, in groups; its first line is what is played `otherwise`."""
        chosen = self["variant"].value()
        listed = {key for _group, choices in games for key, _name in choices}
        unlisted = [(str(chosen), str(chosen))] if chosen and chosen not in listed else []
        choices = [("", otherwise), *unlisted, *games]
        self.fields["variant"].widget = forms.Select(choices=choices)

    @property
    def has_options_set(self) -> bool:
        """Whether an option was chosen, so that the list of options is expanded."""
        return self.is_bound and any(field.value() for field in self.option_fields)

    def game(self) -> JsonDict:
        return {"variant": self.cleaned_data["variant"], "options": self.chosen_options}


def selected_game(typed: str, offered: VariantChoices) -> VariantSelection:
    try:
        chosen, rules = offered.description_of(typed), offered.rules(typed)
    except Refused:
        return VariantSelection(typed, offered)
    return VariantSelection(typed, offered, chosen, rules, offered.options_for(typed))


def grouped_games(offered: VariantChoices) -> GroupedGames:
    """Return the games in groups: the club's own rules, what it usually plays, and all others."""
    house = [(version.code, version.title) for version in offered.house]
    usual = [(key, offered.site.variant(key).name) for key in offered.usual]
    others = [
        (key, offered.site.variant(key).name)
        for key in offered.site.ids
        if key not in offered.usual
    ]
    groups = [
        (gettext("Usual games"), usual),
        (gettext("Other games"), sorted(others, key=lambda choice: choice[1])),
    ]
    if house:
        groups.insert(0, (gettext("House rules"), house))
    return groups


def asks_to_preview(request: HttpRequest, form: ServiceForm, game: VariantSelection) -> bool:
    """Whether the form only asks for a preview; adds an error if no game has the name."""
    if "look" not in request.POST:
        return False
    with form.placing():
        game.offered.find(game.typed)
    return True
