"""Faulty hands of every variant at random, and what the buttons offered for them are worth.

A button is pressed as the pages do it: the fields of the form, `forms.hands.hand_form_buttons`,
the entry that the fields make then, and the scorer; where the grid takes the hand too, through its
texts as well.
"""

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scoring.entry.sheet import boxes
from scoring.errors import Problem, Refused
from scoring.game.game import HandScore, new_game, play
from scoring.numbers import score_json
from scoring.rules.catalogue import catalogue
from scoring.rules.rules import Rules
from tests.support.answers import Json
from tests.support.scoring.catalogue_facts import VARIANTS
from tests.support.scoring.random_hands import Dealt, dealt_at, settled
from tournaments.views.hands.form_feedback import changed, field_problems_of
from tournaments.views.hands.grid_cells import entry_in, grammar_of, ways_of, write_row
from tournaments.views.hands.hand_form_fields import (
    EntryFields,
    Fields,
    entry_of,
    fields_of,
    number_in,
    sheet_of,
)

ONE_MISTAKE = ("a count off by one", "a card at the wrong seat", "a moon unmarked")
OTHERS = (
    "points off by one", "a card with nobody", "a card twice", "both forms of a moon",
    "a wrong sign", "a letter for a number", "two mistakes",
)  # fmt: skip
KINDS = (*ONE_MISTAKE * 2, *OTHERS)
FIRST = 3
MOST_DEALS = 60


@dataclass(frozen=True)
class Faulty:
    """A hand with a mistake in it: the fields as they were typed, and as they should have been."""

    variant: str
    seats: int
    way: str
    kind: str
    fields: Fields
    right: Fields


@dataclass(frozen=True)
class Offered:
    """What was offered for one hand: how many buttons, how many save, where the right one is."""

    faulty: Faulty
    buttons: tuple[str, ...]
    saved: tuple[bool, ...]
    place: int | None


def faulty_hands(number: int, seed: int = 15) -> Iterator[Faulty]:
    """So many faulty hands, variant after variant and kind after kind, the same for a seed."""
    made = turn = 0
    while made < number:
        lap, place = divmod(turn, len(VARIANTS))
        variant, kind = VARIANTS[place], KINDS[(lap + place) % len(KINDS)]
        chance = random.Random(f"{seed} {turn}")  # noqa: S311 - deals cards, keeps no secret
        found = faulty_hand(chance, variant, kind)
        turn += 1
        if found is not None:
            made += 1
            yield found


def faulty_hand(chance: random.Random, variant: str, kind: str) -> Faulty | None:
    """A hand of this kind, where the variant has one; the scorer refuses it, and takes the right
    one."""
    rules = catalogue().rules(variant)
    least, most = rules.keys.players
    for _deal in range(MOST_DEALS):
        seats = chance.randint(least, most)
        dealt = dealt_at(chance, rules, seats)
        sheet = sheet_of(rules, seats, _teams(rules, seats))
        made = _MISTAKES[kind](chance, dealt, sheet)
        if made is None:
            continue
        way, right, fields = made
        is_wrong = refusal(rules, seats, entry_of(sheet, way, fields))
        if is_wrong and not refusal(rules, seats, entry_of(sheet, way, right)):
            return Faulty(variant, seats, way, kind, fields, right)
    return None


def _teams(rules: Rules, seats: int) -> Sequence[Sequence[int]] | None:
    return new_game(rules, seats).teams or None


def refusal(rules: Rules, seats: int, entry: Json) -> tuple[Problem, ...]:
    """Why an entry is refused as the first hand of a game; empty where it is not."""
    return _played(rules, seats, entry)[1]


def _played(
    rules: Rules, seats: int, entry: Mapping[str, object]
) -> tuple[HandScore | None, tuple[Problem, ...]]:
    try:
        return play(rules, new_game(rules, seats), dict(entry), open_ended=True)[0], ()
    except Refused as refused:
        return None, refused.problems


Made = tuple[str, Fields, Fields]
"""A way of writing, the right fields, the fields with the mistake."""


def _written(
    chance: random.Random, dealt: Dealt, sheet: EntryFields, ways: Sequence[str]
) -> tuple[str, Fields]:
    """The hand in one of the ways, its moon marked where a page would ask: way, fields."""
    way = chance.choice(ways)
    state = new_game(dealt.rules, dealt.seats)
    kinds = {box.kind for box in boxes(dealt.rules, dealt.seats)}
    entry = dealt.counts if way == "counts" and dealt.ready.short_form else dict(dealt.entry)
    if "first_trick" not in kinds:
        entry = {key: value for key, value in entry.items() if key != "first_trick_by"}
    hand = settled(dealt, entry, state, chance.randint(0, 1))
    if way == "points":
        kept = ("declared", "pledges", "unclaimed", "passer")
        beside = {key: value for key, value in dealt.beside.items() if key in kept}
        entry = beside | {"points": [score_json(score) for score in hand.scores]}
    elif hand.moon is not None and hand.moon.choice:
        entry |= {"slam_choice": hand.moon.choice}
        if chance.random() < 0.5:
            entry |= {"shooter": hand.moon.by[0]}
    return way, fields_of(sheet, entry, way)


def _copied(fields: Fields) -> Fields:
    return {name: list(values) for name, values in fields.items()}


def _count_off(chance: random.Random, dealt: Dealt, sheet: EntryFields) -> Made | None:
    way, right = _written(chance, dealt, sheet, ["counts"])
    fields = _copied(right)
    names = [name for name in fields if name.startswith(("hearts-", "tricks-"))]
    names = [name for name in names if not name.endswith("-0")]
    if not names:
        return None
    name = chance.choice(names)
    off = (number_in(fields[name][0]) or 0) + chance.choice([1, -1])
    return (way, right, fields | {name: [str(off)]}) if off >= 0 else None


def _card_moved(chance: random.Random, dealt: Dealt, sheet: EntryFields) -> Made | None:
    """A card with another seat than took it; what the sheet says beside it gives it away."""
    way, right = _written(chance, dealt, sheet, ["counts", "cards"])
    fields = _copied(right)
    row = str(chance.choice(sheet.rows))
    cards = [name for name in fields if name.startswith("card-") and fields[name]]
    piles = [name for name in fields if name.startswith("cards-") and fields[name]]
    if way == "counts" and cards:
        name = chance.choice(cards)
        place = chance.randrange(len(fields[name]))
        if chance.random() < 0.3:  # typed in a second cell as well
            fields[name] = [*fields[name], row]
        else:
            fields[name][place] = row
    elif piles:
        name = chance.choice(piles)
        pile = fields[name][0].split()
        card = pile.pop(chance.randrange(len(pile)))
        fields[name] = [" ".join(pile)] if pile else []
        other = f"cards-{row}"
        fields[other] = [" ".join([*(fields.get(other) or [""])[0].split(), card])]
        if chance.random() < 0.3:
            fields[name] = right[name]
    return None if fields == right else (way, right, fields)


def _unmarked(chance: random.Random, dealt: Dealt, sheet: EntryFields) -> Made | None:
    way, right = _written(chance, dealt, sheet, ["counts", "cards", "points"])
    if way != "points":
        if "slam_choice" not in right:
            return None
        marks = ("slam_choice", "shooter")
        return way, right, {name: one for name, one in right.items() if name not in marks}
    # Points as the cards count them: nobody wrote how the moon is settled.
    rules = dealt.rules
    hand = settled(dealt, dealt.entry, new_game(rules, dealt.seats))
    if hand.moon is None or rules.keys.settle or dealt.ready.sum_modifiers or dealt.ready.bonuses:
        return None
    ready, points = dealt.ready, []
    for side in dealt.sides:
        bits = [ready.deck.first[card] for seat in side for card in dealt.piles[seat]]
        points.append(sum((ready.worth_of(bit) for bit in bits), start=ready.zero))
    entry = dealt.beside | {"points": [score_json(point) for point in points]}
    return way, right, fields_of(sheet, entry, way)


def _points_off(chance: random.Random, dealt: Dealt, sheet: EntryFields) -> Made | None:
    way, right = _written(chance, dealt, sheet, ["points"])
    name = f"points-{chance.choice(sheet.rows)}"
    point = number_in((right.get(name) or ["?"])[0])
    if point is None:
        return None
    return way, right, _copied(right) | {name: [str(point + chance.choice([1, -1]))]}


def _sign(chance: random.Random, dealt: Dealt, sheet: EntryFields) -> Made | None:
    way, right = _written(chance, dealt, sheet, ["points"])
    names = [f"points-{row}" for row in sheet.rows]
    wrong = [name for name in names if number_in((right.get(name) or ["0"])[0])]
    if not wrong:
        return None
    name = chance.choice(wrong)
    return way, right, _copied(right) | {name: [str(-(number_in(right[name][0]) or 0))]}


def _lost(chance: random.Random, dealt: Dealt, sheet: EntryFields) -> Made | None:
    way, right = _written(chance, dealt, sheet, ["counts", "cards"])
    fields = _copied(right)
    names = [name for name in fields if name.startswith(("card-", "cards-")) and fields[name]]
    if not names:
        return None
    name = chance.choice(names)
    pile = fields[name][0].split() if way == "cards" else fields[name]
    pile.pop(chance.randrange(len(pile)))
    fields[name] = ([" ".join(pile)] if pile else []) if way == "cards" else pile
    return way, right, fields


def _twice(chance: random.Random, dealt: Dealt, sheet: EntryFields) -> Made | None:
    way, right = _written(chance, dealt, sheet, ["counts", "cards"])
    fields = _copied(right)
    names = [name for name in fields if name.startswith(("card-", "cards-")) and fields[name]]
    if not names:
        return None
    name, row = chance.choice(names), chance.choice(sheet.rows)
    if way == "counts":
        return way, right, fields | {name: [*fields[name], str(row)]}
    card, other = chance.choice(fields[name][0].split()), f"cards-{row}"
    pile = [*(fields.get(other) or [""])[0].split(), card]
    return way, right, fields | {other: [" ".join(pile)]}


def _both_forms(chance: random.Random, dealt: Dealt, sheet: EntryFields) -> Made | None:
    """The shooter's points taken off, and given to the others as well: 26, 26, 26, −26."""
    state = new_game(dealt.rules, dealt.seats)
    one, other = (settled(dealt, dealt.entry, state, which) for which in (0, 1))
    if one.moon is None or one.moon.choice not in ("self", "others") or one.scores == other.scores:
        return None
    way = "points"
    mixed = [a if a != dealt.ready.zero else b for a, b in zip(one.scores, other.scores)]  # noqa: B905
    kept = ("declared", "pledges", "unclaimed", "passer")
    beside = {key: value for key, value in dealt.beside.items() if key in kept}
    right = beside | {"points": [score_json(score) for score in one.scores]}
    wrong = beside | {"points": [score_json(score) for score in mixed]}
    return way, fields_of(sheet, right, way), fields_of(sheet, wrong, way)


def _letter(chance: random.Random, dealt: Dealt, sheet: EntryFields) -> Made | None:
    way, right = _written(chance, dealt, sheet, ["counts", "points"])
    kinds = ("hearts-", "tricks-", "points-")
    names = [name for name in right if name.startswith(kinds) and right[name] == ["0"]]
    if not names:
        return None
    return way, right, _copied(right) | {chance.choice(names): ["O"]}


def _two(chance: random.Random, dealt: Dealt, sheet: EntryFields) -> Made | None:
    first = _count_off(chance, dealt, sheet) or _lost(chance, dealt, sheet)
    if first is None:
        return None
    way, right, fields = first
    fields = _copied(fields)
    names = [name for name in fields if name.startswith(("card-", "cards-")) and fields[name]]
    if not names:
        return None
    name = chance.choice(names)
    fields[name] = fields[name][:-1] if way == "counts" else [fields[name][0].rpartition(" ")[0]]
    return way, right, fields


_MISTAKES: Mapping[str, Callable[[random.Random, Dealt, EntryFields], Made | None]] = {
    "a count off by one": _count_off,
    "a card at the wrong seat": _card_moved,
    "a moon unmarked": _unmarked,
    "points off by one": _points_off,
    "a card with nobody": _lost,
    "a card twice": _twice,
    "both forms of a moon": _both_forms,
    "a wrong sign": _sign,
    "a letter for a number": _letter,
    "two mistakes": _two,
}


def pressed(faulty: Faulty) -> Offered:
    rules = catalogue().rules(faulty.variant)
    sheet = sheet_of(rules, faulty.seats, _teams(rules, faulty.seats))
    way, fields = faulty.way, faulty.fields
    problems = refusal(rules, faulty.seats, entry_of(sheet, way, fields))
    names = {row: f"Player {row}" for row in (0, *sheet.rows)}
    right = entry_of(sheet, way, faulty.right)
    wanted = _meant(rules, faulty.seats, right)
    buttons, saved, place = [], [], None
    for problem in problems:
        for text, button in field_problems_of(problem, sheet, way, names, fields).mends:
            after = changed(sheet, _copied(fields), button)[0]
            entries = [entry_of(sheet, way, after)]
            if way in ways_of(sheet):
                grammar = grammar_of(sheet)
                entries.append(entry_in(grammar, way, write_row(grammar, way, after)))
            saves = all(not refusal(rules, faulty.seats, entry) for entry in entries)
            buttons.append(text)
            saved.append(saves)
            if saves and place is None and _meant(rules, faulty.seats, entries[0]) == wanted:
                place = len(buttons)
    return Offered(faulty, tuple(buttons), tuple(saved), place)


def _meant(rules: Rules, seats: int, entry: Json) -> object:
    """What an entry says, however its piles are ordered and its moon is marked."""
    hand = _played(rules, seats, entry)[0]
    if hand is None:
        return None
    said = {key: value for key, value in entry.items() if key not in ("slam_choice", "shooter")}
    said["taken"] = [sorted(pile) for pile in entry.get("taken", ())]
    said["unclaimed"] = sorted(entry.get("unclaimed", ()))
    return json.dumps([said, [score_json(score) for score in hand.scores]], sort_keys=True)


def report(found: Sequence[Offered]) -> Iterator[str]:
    by_kind: dict[str, list[Offered]] = defaultdict(list)
    for one in found:
        by_kind[one.faulty.kind].append(one)
    yield f"{'kind':<26} hands offered saved  right among the first {FIRST}"
    for kind in (*ONE_MISTAKE, *OTHERS):
        if by_kind[kind]:
            yield _line(kind, by_kind[kind])
    yield _line("one mistake (the first 3)", [o for kind in ONE_MISTAKE for o in by_kind[kind]])
    yield _line("all", found)


def _line(name: str, found: Sequence[Offered]) -> str:
    offered = sum(len(one.buttons) for one in found)
    saved = sum(sum(one.saved) for one in found)
    return f"{name:<26} {len(found):5} {offered:7} {saved:5}  {share(found):6.1%}"


def share(found: Sequence[Offered]) -> float:
    """How many of the hands have the right correction among the first few."""
    return sum(one.place is not None and one.place <= FIRST for one in found) / max(len(found), 1)
