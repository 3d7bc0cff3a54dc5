"""What the form's own buttons do to its fields: one more, one less, the rest, mended.

A button's value is a few words; each stands for one change, so a form works without a script.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from scoring.entry.sheet import Box
from tournaments.forms.hands.hand_form_fields import (
    UNCLAIMED,
    EntryFields,
    Fields,
    first,
    number_in,
    posted_fields,
)

SAVE: Final = "save"
"""What the button that saves is called; a change may ask to be saved at once (`save:…`)."""
LONGEST_BUTTON: Final = 8_000
"""Letters of a button's value: a correction may change the piles of every seat."""


def changed(sheet: EntryFields, fields: Fields, button: str) -> tuple[Fields, bool]:
    """Return the fields after a button, and whether the hand is to be saved.

    `plus:hearts-2`, `plus:hearts-2:-1`, `set:points-3=7`, `give:card-QS:3` (one more copy to row
    3), `give:cards-3:QS`, `rest:2` (the hearts or trick points left), `left:2` (the cards left);
    `save:slam_choice=self` sets and saves. A button that the page does not have changes nothing.
    """
    act, _, what = button.partition(":")
    if act in ("", SAVE) and not what:
        return fields, True
    if act in ("set", SAVE):
        return _set(sheet, fields, what), act == SAVE
    if act == "plus":
        name, _, step = what.partition(":")
        return _step(sheet, fields, name, number_in(step or "1") or 0), False
    if act == "give":
        name, _, value = what.partition(":")
        return _give(sheet, fields, name, value), False
    if act == "left":
        for box in sheet.cards if number_in(what) is not None else ():
            for _copy in range(open_copies(box, fields)):
                fields = _give(sheet, fields, f"card-{box.card}", what)
        return fields, False
    if act == "rest":
        missing = rest_of(sheet, fields)
        by = _set(sheet, fields, f"{counted_kind(sheet)}-{what}={max(missing, 0)}")
        return (by if number_in(what) is not None else fields), False
    return fields, False


def rest_of(sheet: EntryFields, fields: Mapping[str, Sequence[str]]) -> int:
    """Return how many hearts, or trick points, are not written yet; below 0 where too many are."""
    kind = counted_kind(sheet)
    return (sheet.trick_total or len(sheet.hearts)) - count_in(sheet, fields, kind)


def counted_kind(sheet: EntryFields) -> str:
    """Return the kind of the fields whose numbers total what a hand has."""
    return "trick_points" if sheet.trick_total else "hearts"


def count_in(sheet: EntryFields, fields: Mapping[str, Sequence[str]], kind: str) -> int:
    """Return the numbers of a kind (hearts, tricks, trick_points) together."""
    names = (f"{kind}-{row}" for row in (UNCLAIMED, *sheet.rows))
    return sum(number_in(first(fields, name)) or 0 for name in names)


def open_copies(box: Box, fields: Mapping[str, Sequence[str]]) -> int:
    """Return how many copies of a box's card lie with nobody yet."""
    return max((box.maximum or 1) - len(fields.get(f"card-{box.card}", ())), 0)


def _give(sheet: EntryFields, fields: Fields, name: str, value: str) -> Fields:
    """Add a card to what stands in a field; where there is no copy left, the last one moves."""
    there = list(fields.get(name, ()))
    if name.startswith("cards-"):
        return {**fields, **posted_fields(sheet, {name: [" ".join([*there, value])]})}
    copies = next((box.maximum or 1 for box in sheet.cards if f"card-{box.card}" == name), 1)
    return {**fields, **posted_fields(sheet, {name: [*there[: copies - 1], value]})}


def _set(sheet: EntryFields, fields: Fields, what: str) -> Fields:
    """Set fields as `name=value&name=value` says; a name that is no field is passed over."""
    wanted: Fields = {}
    for pair in what[:LONGEST_BUTTON].split("&"):
        name, _, value = pair.partition("=")
        wanted.setdefault(name, []).append(value)
    return {**fields, **posted_fields(sheet, wanted)}


def _step(sheet: EntryFields, fields: Fields, name: str, step: int) -> Fields:
    now = number_in(first(fields, name)) or 0
    lowest = now + step if name.startswith("points") else max(now + step, 0)
    return _set(sheet, fields, f"{name}={lowest}")
