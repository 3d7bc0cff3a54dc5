"""An entry back in the fields of the host's page: as it was written, or in the other way.

The other direction of `forms.hands.hand_form_fields`; shape only, like it.
"""

from collections.abc import Sequence
from typing import Any, Final

from scoring.entry.sheet import points_text
from scoring.json_types import JsonObject
from tournaments.forms.hands.hand_form_fields import (
    MARKED,
    UNCLAIMED,
    EntryFields,
    Fields,
    entry_of,
    meld_field,
    number_in,
)

_OWN: Final = {"counts": ("hearts-", "card-", "trick_points-"), "cards": ("cards-",)}
"""Way of writing → how its own fields begin."""


def way_of(sheet: EntryFields, entry: JsonObject) -> str:
    """Return the way in which an entry was written.

    Cards that the page has no mark for, the hearts that are counted above all, were typed.
    """
    if sheet.melds and ("taken" in entry or "points" not in entry):
        return "cards" if "taken" in entry and "trick_points" not in entry else "counts"
    if "hearts" in entry or "taken" in entry:
        marks = {box.card for box in sheet.cards}
        cards = [code for pile in entry.get("taken") or () for code in pile]
        listed = entry.get("hearts") is None and any(code not in marks for code in cards)
        return "cards" if listed else "counts"
    return "clean" if "clean" in entry and "clean" in sheet.ways else "points"


def fields_of(sheet: EntryFields, entry: JsonObject, way: str = "") -> Fields:
    """Return the fields that show an entry again, for a revision of it, in its way or another."""
    found: Fields = {}
    taken, unclaimed = entry.get("taken") or [], entry.get("unclaimed") or []
    way = way or way_of(sheet, entry)
    if way == "cards":
        _fill_piles(found, sheet, taken, unclaimed)
    else:
        _fill(found, sheet, "hearts", _hearts_of(sheet, entry))
        _fill_cards(found, sheet, taken, unclaimed)
    _fill(found, sheet, "tricks", entry.get("tricks"))
    _fill(found, sheet, "trick_points", _trick_points_of(sheet, entry, way))
    _fill_melds(found, sheet, entry.get("melds"))
    pledges = enumerate(entry.get("pledges") or [], start=1)
    found |= {f"pledge-{seat}": [str(pledge)] for seat, pledge in pledges if pledge}
    for key, kind in (("points", "points"), ("clean", "clean")):
        for row, value in zip(sheet.rows, entry.get(key) or [], strict=False):
            if value is not False:
                found[f"{kind}-{row}"] = ["1" if value is True else points_text(value)]
    found["charged"] = [str(card) for card in entry.get("declared") or []]
    if entry.get("slam_choice"):
        found["slam_choice"] = [str(entry["slam_choice"])]
    for mark in MARKED:
        if mark == "last_trick" and sheet.melds and way == "counts":
            continue  # the trick points have it
        if isinstance(entry.get(mark), int):
            found[mark] = [str(sheet.row_of(entry[mark] + 1))]
    return found


def _hearts_of(sheet: EntryFields, entry: JsonObject) -> Sequence[object] | None:
    counts: Sequence[Any] | None = entry.get("hearts")
    if counts is None and entry.get("taken") and sheet.hearts:
        counts = [sum(card in sheet.hearts for card in pile) for pile in entry["taken"]]
    return counts


def _trick_points_of(sheet: EntryFields, entry: JsonObject, way: str) -> Sequence[object] | None:
    """The trick points of an entry; those of its cards and last trick where it has no others."""
    points: Sequence[Any] | None = entry.get("trick_points")
    if points is None and entry.get("taken") and sheet.melds and way == "counts":
        last = entry.get("last_trick")
        points = [
            sum(sheet.trick_cards.get(card, 0) for card in pile) + sheet.last_trick * (seat == last)
            for seat, pile in enumerate(entry["taken"])
        ]
    return points


def _fill(found: Fields, sheet: EntryFields, kind: str, values: Sequence[object] | None) -> None:
    for seat, value in enumerate(values or [], start=1):
        name = f"{kind}-{sheet.row_of(seat)}"
        there = found.get(name)
        was = number_in(there[0]) if there else None
        if isinstance(value, int) and was is not None:
            found[name] = [str(value + was)]
        elif value is not None and not there:
            found[name] = [str(value)]


def _fill_melds(found: Fields, sheet: EntryFields, shown: object) -> None:
    for seat, names in enumerate(shown if isinstance(shown, list) else (), start=1):
        for meld in sheet.melds if isinstance(names, list) else ():
            if times := names.count(meld):
                found[meld_field(seat, meld)] = [str(times)]


def _fill_cards(
    found: Fields, sheet: EntryFields, taken: Sequence[Sequence[str]], unclaimed: Sequence[str]
) -> None:
    piles = [(UNCLAIMED, unclaimed)]
    piles += [(sheet.row_of(seat), pile) for seat, pile in enumerate(taken, start=1)]
    for box in sheet.cards:
        holders = [str(seat) for seat, pile in piles for card in pile if card == box.card]
        if holders:
            found[f"card-{box.card}"] = holders
    left = sum(card in sheet.hearts for card in unclaimed)
    if left:
        found[f"hearts-{UNCLAIMED}"] = [str(left)]


def _fill_piles(
    found: Fields, sheet: EntryFields, taken: Sequence[Sequence[str]], unclaimed: Sequence[str]
) -> None:
    piles: dict[int, list[str]] = {UNCLAIMED: list(unclaimed)}
    for seat, pile in enumerate(taken, start=1):
        piles.setdefault(sheet.row_of(seat), []).extend(map(str, pile))
    for row, pile in piles.items():
        if pile:
            found[f"cards-{row}"] = [" ".join(pile)]


def converted_fields(sheet: EntryFields, way: str, to: str, fields: Fields) -> Fields:
    """Return the fields with the cards of one way written in the other, if nothing stands there.

    Hearts that were counted are no cards that could be listed; everything else can.
    """
    if way == to or not {way, to} <= _OWN.keys() or any(n.startswith(_OWN[to]) for n in fields):
        return fields
    entry = entry_of(sheet, way, fields)
    if entry.pop("hearts", None):
        entry.pop("unclaimed", None)
    shown = fields_of(sheet, entry, to)
    own = {name: values for name, values in shown.items() if name.startswith(_OWN[to])}
    numbers = [name for name in own if name.startswith(("hearts-", "trick_points-"))]
    nothing = {name for name in numbers if own[name] == ["0"]}
    return fields | {name: own[name] for name in own.keys() - nothing}
