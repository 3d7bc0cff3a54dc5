"""The passing of rules as a field: a cycle of ways, chosen for each number of players."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.forms.renderers import BaseRenderer
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from scoring.rules.dealing import passing_ring
from scoring.rules.rules import Rules
from scoring.rules.types import Play
from scoring.rules_card.playing import cycle_text
from scoring.rules_card.wording import sentence_text

_BETWEEN = " / "
"""What separates the ways of a cycle; a way may contain a comma."""


class CyclesSelect(forms.Widget):
    """A select for each number of players, all of one name; a value begins with its number."""

    def __init__(self, cycles: Sequence[Sequence[str]], rules: Rules) -> None:
        super().__init__()
        self.cycles, self.rules = cycles, rules

    def id_for_label(self, id_: str) -> str:
        """Return the id of the first select."""
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
        """Return the selects, each with its number of players."""
        cycles = read_cycles(str(value or ""))
        chosen: Mapping[str, Sequence[str]] = cycles if isinstance(cycles, dict) else {}
        least, most = self.rules.keys.players
        rows = []
        for seats in range(least, most + 1):
            cycle = chosen.get(str(seats), chosen.get("*", ()))
            select = forms.Select(choices=list(self._choices(seats, tuple(cycle))))
            select_id = f"{(attrs or {}).get('id', name)}_{seats}"
            text = gettext("%(n)s players") % {"n": seats}
            picked = write_cycles({str(seats): cycle}) if cycle else ""
            widget = select.render(name, picked, {**(attrs or {}), "id": select_id}, renderer)
            rows.append((select_id, text, widget))
        field = '<div class="field"><label class="small" for="{}">{}</label>{}</div>'
        return format_html_join("", field, rows)

    def _choices(self, seats: int, chosen: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """The cycles that a table of this size can play, and the one that is chosen."""
        present = passing_ring(self.rules.keys.play, seats)
        yield "", gettext("default: %(value)s") % {"value": _in_words(present)}
        offered = [cycle for cycle in map(tuple, self.cycles) if _suits(cycle, seats)]
        for cycle in dict.fromkeys([*offered, chosen] if chosen else offered):
            yield write_cycles({str(seats): cycle}), _in_words(cycle)


def _suits(cycle: tuple[str, ...], seats: int) -> bool:
    return passing_ring(Play(cycle), seats) == cycle


def _in_words(cycle: Sequence[str]) -> str:
    return sentence_text(cycle_text(cycle), gettext)


def posted_cycles(data: Mapping[str, Any], name: str) -> str:
    """Return the choices of the selects of one name, a line each."""
    values = data.getlist(name) if hasattr(data, "getlist") else [data.get(name, "")]
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
