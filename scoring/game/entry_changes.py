"""What differs between two entries, as facts for whoever reads a suggestion."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from scoring.cards import card_name, read_card
from scoring.entry.sheet import seat_names
from scoring.entry.typed_hand import TypedHand
from scoring.game.hand_to_repair import NOBODY, Entry
from scoring.json_types import JsonDict

_SEATS = ("shooter", "first_trick_by", "passer", "last_trick", "declared_out")
"""Fields that name a seat."""


def changes(before: Entry, after: Entry, typed: TypedHand) -> list[JsonDict]:
    """What differs between two entries, as facts: `what`, where (`seat`, `place`), `found`, `to`.

    Cards say `card`, `found` and `to` as places; None is nowhere and `NOBODY` unclaimed.
    """
    names = seat_names(typed.seats)
    found: list[dict[str, Any]] = []
    for what in ("hearts", "tricks", "trick_points", "melds", "points", "clean"):
        old, new = before.get(what), after.get(what)
        if not isinstance(new, list | tuple) or old == new:
            continue
        was = list(old) if isinstance(old, list | tuple) else []
        for place, value in enumerate(new):
            had = was[place] if place < len(was) else None
            if had != value:
                seat = typed.sides[place][0] if what in ("points", "clean") else place
                found.append(
                    {"what": what, "seat": names[seat], "place": place, "found": had, "to": value}
                )
    found += _moves(before, after, names)
    for what in ("declared", "pledges", "slam_choice", *_SEATS):
        if before.get(what) != after.get(what):
            to = after.get(what)
            mark: dict[str, Any] = {"what": what, "found": before.get(what), "to": to}
            if what in _SEATS and isinstance(to, int):
                mark["seat"] = names[to]
            found.append(mark)
    return found


def _moves(before: Entry, after: Entry, names: Sequence[str]) -> list[dict[str, object]]:
    gone: list[tuple[str, int]] = []
    come: list[tuple[str, int]] = []
    old, new = _places(before), _places(after)
    for place in dict.fromkeys((*old, *new)):
        was, now = old.get(place, Counter()), new.get(place, Counter())
        gone += [(card, place) for card in (was - now).elements()]
        come += [(card, place) for card in (now - was).elements()]
    found = []
    for card, place in come:
        source = next((at for at, one in enumerate(gone) if one[0] == card), None)
        origin = gone.pop(source)[1] if source is not None else None
        found.append(_move(card, origin, place, names))
    return found + [_move(card, place, None, names) for card, place in gone]


def _move(card: str, found: int | None, to: int | None, names: Sequence[str]) -> JsonDict:
    told = {"what": "card", "card": card, "name": card_name(card) if read_card(card) else card}
    where = {None: None, NOBODY: ""}
    return {
        **told,
        "found": found,
        "to": to,
        "found_seat": where.get(found, names[found] if found is not None else None),
        "seat": where.get(to, names[to] if to is not None else None),
    }


def _places(entry: Entry) -> dict[int, Counter[str]]:
    piles = dict(enumerate(entry.get("taken") or ()))
    listed = {NOBODY: entry.get("unclaimed") or (), **piles}
    return {
        place: Counter(read_card(code) or str(code) for code in pile)
        for place, pile in listed.items()
        if isinstance(pile, list | tuple)
    }
