"""People pasted one a line: a name, and an id of the club's own where there is one."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from django import forms
from django.utils.translation import gettext_lazy as _

from tournaments.domain.imports.name_matching import comma_parts, one_person
from tournaments.forms.http.service_form import ServiceForm
from tournaments.services.clubs.player_paste import PastedPlayer

ID: Final = re.compile(r"(?!\d+([./-])\d+\1\d+$)\S*\d\S*")
"""What is taken for an id: no blank in it, and a digit; a date is none."""

HEADS: Final = {"name", "names", "player", "players", "player_id", "id", "no", "no.", "joined"}


class PastePlayersForm(ServiceForm):
    """The list as pasted, and what of it was seen before."""

    names = forms.CharField(
        label=_("Names, one per line"),
        required=False,
        strip=False,
        help_text=_(
            "You can write an id before or after the name: “RL24, Jörg S.” Without an id, the "
            "player gets the next free number."
        ),
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
    )
    seen = forms.CharField(required=False, widget=forms.HiddenInput)

    def clean_names(self) -> str:
        """Refuse a list without a name."""
        text: str = self.cleaned_data["names"]
        if not read_pasted(text):
            raise forms.ValidationError(_("Enter at least one name."))
        return text


def read_pasted(text: str, as_written: Collection[str] = ()) -> Sequence[PastedPlayer]:
    """Return the people of a pasted text; blank lines and a head row are passed over.

    Args:
        as_written: names with a comma that are the names of one person.

    >>> read_pasted("Name\\n\\nRL07; Greta D.\\nSmith, John")[1]
    Pasted(line=4, name='Smith, John', player_id='')
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    written = [(number, line) for number, line in lines if line]
    if written and _is_head(written[0][1]):
        written = written[1:]
    people = (_pasted(number, line) for number, line in written)
    return tuple(replace(one, as_written=one.name in as_written) for one in people)


def with_answer(text: str, answer: str) -> str:
    """Return a pasted text in which a line with a comma says what was chosen.

    Args:
        answer: `one:4` for one person in line 4, `several:4` for a line for each name.

    >>> with_answer("Anna\nRL07; Smith, John", "one:2")
    'Anna\nRL07; John Smith'
    >>> with_answer("Smith, John\nAnna", "several:1"), with_answer("RL07; Ann, Bo", "several:1")
    ('Smith\nJohn\nAnna', 'RL07; Ann\nBo')
    """
    choice, pasted = _answered(text, answer)
    if choice not in ("one", "several") or pasted is None:
        return text
    lines, at = text.splitlines(), pasted.line - 1
    names = [one_person(pasted.name)] if choice == "one" else [*comma_parts(pasted.name)]
    if pasted.player_id:
        names = [f"{pasted.player_id}; {names[0]}", *names[1:]]
    lines[at : at + 1] = names
    return "\n".join(lines)


def name_as_written(text: str, answer: str) -> str:
    """Return the name that is to be kept with its comma, "" where another answer was chosen.

    >>> name_as_written("Anna\nP0009, Meier, jun.", "written:2"), name_as_written("A, B", "one:1")
    ('Meier, jun.', '')
    """
    choice, pasted = _answered(text, answer)
    return pasted.name if choice == "written" and pasted else ""


def _answered(text: str, answer: str) -> tuple[str, PastedPlayer | None]:
    """Return what was chosen, and the line that it was chosen for."""
    choice, _colon, number = answer.partition(":")
    lines = text.splitlines()
    at = int(number) - 1 if number.isascii() and number.isdecimal() and len(number) < 6 else -1
    return choice, _pasted(at + 1, lines[at].strip()) if 0 <= at < len(lines) else None


def _is_head(line: str) -> bool:
    cells = [cell.strip(" \"'").casefold() for cell in re.split(r"[\t;,]", line)]
    return all(cell in HEADS for cell in cells)


def _pasted(number: int, line: str) -> PastedPlayer:
    for mark in "\t;,":
        cells = [cell.strip(" \"'") for cell in line.split(mark)]
        if len(cells) > 1:
            first, second = cells[:2]
            if ID.fullmatch(first):
                names = _name_cells(cells[1:]) if mark == "," else cells[1:2]
                return _player(number, names, cells[1 + len(names) :], first)
            if ID.fullmatch(second):
                return _player(number, [first], cells[2:], second)
            names = _name_cells(cells) if mark == "," else [first]
            if len(names) < len(cells):
                return _player(number, names, cells[len(names) :])
    return PastedPlayer(number, line)


def _player(
    number: int, names: Sequence[str], rest: Sequence[str], player_id: str = ""
) -> PastedPlayer:
    left_out = ", ".join(filter(None, rest))
    return PastedPlayer(number, ", ".join(names), player_id, left_out=left_out)


def _name_cells(cells: Sequence[str]) -> Sequence[str]:
    """Return the parts of a name between commas; empty cells, dates and numbers end it.

    >>> _name_cells(["Meier", "jun."]), _name_cells(["Anna", "16.10.2026"])
    (['Meier', 'jun.'], ['Anna'])
    """
    more = takewhile(lambda cell: cell and not any(map(str.isdigit, cell)), cells[1:])
    return [cells[0], *more]
