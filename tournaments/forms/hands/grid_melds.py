"""Melds in a cell of the grid: the trick points, then a code for each meld, as in `133 rm 2m`.

A code is made of the first letters of a meld's words; its whole id is read too. Pure.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from scoring.entry.meld_names import meld_codes
from tournaments.forms.hands.hand_form_fields import (
    MOST_OF_A_MELD,
    EntryFields,
    Fields,
    first,
    meld_field,
    number_in,
)

_TOKEN: Final = re.compile(r"([0-9]{0,2})([a-z][a-z_]*)")
_TRICKS: Final = re.compile(r"[0-9]{1,4}")


def read_shown(sheet: EntryFields, row: int, text: str) -> Fields | None:
    """Return the fields that a cell means; None where it cannot be read."""
    fields: Fields = {}
    known = {**{meld: meld for meld in sheet.melds}, **meld_codes(sheet.melds)}
    for place, token in enumerate(text.lower().replace(",", " ").split()):
        if not place and _TRICKS.fullmatch(token):
            fields[f"trick_points-{row}"] = [str(int(token))]
            continue
        found = _TOKEN.fullmatch(token)
        if found is None or found[2] not in known:
            return None
        name = meld_field(row, known[found[2]])
        times = min(int(found[1] or 1), MOST_OF_A_MELD)
        fields[name] = [str(times + int(first(fields, name) or 0))]
    return fields


def write_shown(sheet: EntryFields, row: int, fields: Mapping[str, Sequence[str]]) -> str:
    """Return a seat's trick points and melds as a cell has them; empty where nothing is written."""
    said = [first(fields, f"trick_points-{row}")]
    for code, meld in meld_codes(sheet.melds).items():
        times = number_in(first(fields, meld_field(row, meld))) or 0
        if times > 0:
            said.append(code if times == 1 else f"{times}{code}")
    return " ".join(filter(None, said))


def shown_words(sheet: EntryFields, row: int, fields: Mapping[str, Sequence[str]]) -> str:
    """Return what a cell means in words, to stand below it."""
    box = sheet.box("melds")
    said = []
    for meld, label in zip(box.choices, box.labels, strict=True) if box else ():
        times = number_in(first(fields, meld_field(row, meld))) or 0
        if times > 0:
            said.append(label if times == 1 else f"{times}× {label}")
    return ", ".join([first(fields, f"trick_points-{row}") or "0", *said])
