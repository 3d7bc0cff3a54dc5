"""Cells and rows of the grid as text: the cards of a seat in a hand, as on paper.

`3q` is three hearts and the queen. Each single card has a letter of its own; a sheet with more
cards than letters can be remembered for lists their codes (`QS 2-5H`). A `-` or `+` at the end is
a moon taken off or given to the others, a `*` marks who shot. A meld's code is made of the first
letters of its words; its whole id is read too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from scoring.cards import SUITS, card_name, rank_of, read_card
from scoring.entry.codec import KEYS, SEATS
from scoring.entry.sheet import MOST_OF_A_MELD, Box, meld_codes, seat_names
from scoring.json_types import JsonDict
from tournaments.views.hands.hand_form_fields import (
    UNCLAIMED,
    EntryFields,
    Fields,
    card_count,
    count_at,
    entry_of,
    fields_of,
    first,
    meld_field,
    way_of,
)

_TOKEN: Final = re.compile(r"([0-9]{0,2})([a-z][a-z_]*)")

_TRICKS: Final = re.compile(r"[0-9]{1,4}")

NOTHING: Final = "0"
SHORTEST_RUN: Final = 3
CLEAN: Final = "c"
NOT_CLEAN: Final = "x"

SIGNS: Final = {"-": "self", "+": "others"}
"""Sign at the end of a cell → how the moon is settled."""

_LETTERS: Final = re.compile(r"([0-9]{0,3})([a-z]*)")
_RUN: Final = re.compile(r"([0-9]{1,2}|[TJQKA])-([0-9]{1,2}|[TJQKA])([A-Z])")

LONGEST: Final = 80
"""Maximum number of letters in a cell."""

COLUMN_HEADS: Final = {
    "charged": gettext_lazy("Charged"),
    "tricks": gettext_lazy("Tricks"),
    "pledge": gettext_lazy("Pledge"),
    "unclaimed": gettext_lazy("Unclaimed"),
    "first_trick": gettext_lazy("First trick"),
    "passer": gettext_lazy("Passed"),
    "declared_out": gettext_lazy("Declared out"),
}
"""Kinds of boxes that a hand has beside its seats, and what stands over their columns."""

_OF_COUNTS: Final = frozenset({"tricks", "first_trick"})


@dataclass(frozen=True, slots=True)
class RowTexts:
    """The typed texts of one row: one for each row of the sheet, and kind → text for others."""

    cells: tuple[str, ...]
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not any(self.cells)


def read_melds(sheet: EntryFields, row: int, text: str) -> Fields | None:
    """Return the fields that a cell means; None where it cannot be read."""
    fields: Fields = {}
    melds = {**{meld: meld for meld in sheet.melds}, **meld_codes(sheet.melds)}
    for place, token in enumerate(text.lower().replace(",", " ").split()):
        if not place and _TRICKS.fullmatch(token):
            fields[f"trick_points-{row}"] = [str(int(token))]
            continue
        match = _TOKEN.fullmatch(token)
        if match is None or match[2] not in melds:
            return None
        name = meld_field(row, melds[match[2]])
        times = min(int(match[1] or 1), MOST_OF_A_MELD)
        fields[name] = [str(times + int(first(fields, name) or 0))]
    return fields


def meld_words(sheet: EntryFields, row: int, fields: Mapping[str, Sequence[str]]) -> str:
    parts = [first(fields, f"trick_points-{row}") or "0"]
    for meld, label in sheet.meld_labels.items():
        times = count_at(fields, meld_field(row, meld))
        if times > 0:
            parts.append(label if times == 1 else f"{times}× {label}")
    return ", ".join(parts)


MOST_LETTERS: Final = 6
"""A sheet with more single cards than these lists their codes instead."""

COMMAND_KEYS: Final = frozenset("rm")
"""Letters that do something while somebody types: the rest, the moon."""


@dataclass(frozen=True, slots=True)
class CellGrammar:
    """How the cells of one sheet are written; `letters` is card → letter, empty for codes."""

    sheet: EntryFields
    letters: Mapping[str, str]

    @property
    def codes(self) -> tuple[str, ...]:
        by_suit = sorted(self.sheet.copies, key=lambda card: (SUITS.index(card[-1]), rank_of(card)))
        return tuple(by_suit)

    @property
    def is_lettered(self) -> bool:
        return bool(self.letters) or not (self.sheet.copies or self.sheet.melds)


def grammar_of(sheet: EntryFields) -> CellGrammar:
    """Return the grammar of a sheet, made from its boxes.

    A letter is the card's rank, its suit where another card has that rank too, or the next that is
    free; none of them is one of `COMMAND_KEYS`.
    """
    cards = sheet.copies
    if len(cards) > MOST_LETTERS:
        return CellGrammar(sheet, {})
    ranks = Counter(_rank_letter(card) for card in cards)
    letters: dict[str, str] = {}
    for card in cards:
        rank = _rank_letter(card)
        suit = card[-1].lower()
        candidates = [rank, suit] if ranks[rank] == 1 else [suit, rank]
        candidates += [*card_name(card).lower(), *ascii_lowercase]
        in_use = COMMAND_KEYS | set(letters.values())
        letters[card] = next(
            letter
            for letter in candidates
            if letter in ascii_lowercase and letter and letter not in in_use
        )
    return CellGrammar(sheet, letters)


def _rank_letter(card: str) -> str:
    rank = card[:-1].lower()
    if rank == "10":
        return "t"
    if rank.isalpha():
        return rank
    return "#"


def read_cell(grammar: CellGrammar, way: str, row: int, text: str) -> Fields | None:
    """Return the fields for a cell; `None` if it cannot be parsed.

    An empty cell gives no fields. Points are not checked here, but by the scorer.
    """
    body, sign, has_star = _split_marks(text)
    fields: Fields = {}
    if sign:
        fields["slam_choice"] = [SIGNS[sign]]
    if has_star:
        fields["shooter"] = [str(row)]
    if way == "points":
        return {**fields, f"points-{row}": [body]} if body else fields
    if way == "clean":
        word = body.lower()
        if word == CLEAN:
            return fields | {f"clean-{row}": ["1"]}
        if word in ("", NOT_CLEAN, NOTHING):
            return fields
        return None
    pile = read_pile(grammar, row, body)
    if pile is None:
        return None
    return pile | fields


def _split_marks(text: str) -> tuple[str, str, bool]:
    """Split a cell into its body, its sign and whether it ends with a star.

    Without a regular expression: one that skips the spaces before both marks takes the fourth
    power of their number, so that a cell of a thousand spaces would keep a process for minutes.
    """
    body = text.replace("\u2212", "-").strip()
    has_star = body.endswith("*")
    body = body.removesuffix("*").rstrip()
    sign = body[-1:] if body[-1:] in SIGNS else ""
    return body.removesuffix(sign).rstrip(), sign, has_star


def read_pile(grammar: CellGrammar, row: int, text: str) -> Fields | None:
    if not text.strip():
        return {}
    if grammar.sheet.melds:
        return read_melds(grammar.sheet, row, text)
    read = _read_letters if grammar.is_lettered else _read_codes
    pile = read(grammar, text)
    if pile is None:
        return None
    hearts, cards = pile
    fields: Fields = {f"card-{card}": [str(row)] * count for card, count in cards.items()}
    if grammar.sheet.hearts:
        fields[f"hearts-{row}"] = [hearts or NOTHING]
    return None if hearts not in ("", NOTHING) and not grammar.sheet.hearts else fields


def _read_letters(grammar: CellGrammar, text: str) -> tuple[str, Counter[str]] | None:
    match = _LETTERS.fullmatch("".join(text.lower().split()))
    cards = {letter: card for card, letter in grammar.letters.items()}
    if match is None or not set(match[2]) <= set(cards):
        return None
    return _number(match[1]), Counter(cards[letter] for letter in match[2])


def _read_codes(grammar: CellGrammar, text: str) -> tuple[str, Counter[str]] | None:
    hearts = ""
    cards = Counter[str]()
    for place, token in enumerate(text.upper().replace(",", " ").split()):
        if not place and token.isdecimal():
            hearts = _number(token)
            continue
        codes = list(_cards_of(grammar, token))
        if not codes:
            return None
        cards.update(codes)
    return hearts, cards


def _number(digits: str) -> str:
    return str(int(digits)) if digits else ""


def _cards_of(grammar: CellGrammar, token: str) -> Iterator[str]:
    """The cards of the sheet that `QS` or `2-5H` names; nothing where one end is no card of it."""
    run = _RUN.fullmatch(token)
    if run:
        ends = [read_card(rank + run[3]) for rank in run.groups()[:2]]
    else:
        ends = [read_card(token)]
    cards = [end for end in ends if end in grammar.codes]
    if len(cards) < len(ends) or not cards:
        return
    low, high = cards[0], cards[-1]
    of_suit = [card for card in grammar.codes if card and low and card[-1] == low[-1]]
    yield from of_suit[of_suit.index(str(low)) : of_suit.index(str(high)) + 1]


def write_cell(
    grammar: CellGrammar, way: str, row: int, fields: Mapping[str, Sequence[str]]
) -> str:
    if way == "points":
        body = first(fields, f"points-{row}")
    elif way == "clean":
        body = CLEAN if first(fields, f"clean-{row}") else NOT_CLEAN
    else:
        body = write_pile(grammar, row, fields)
    return body + ("*" if first(fields, "shooter") == str(row) else "")


def write_pile(grammar: CellGrammar, row: int, fields: Mapping[str, Sequence[str]]) -> str:
    """Return cards taken as a cell has them; `0` for none."""
    if grammar.sheet.melds:
        parts = [first(fields, f"trick_points-{row}")]
        for code, meld in meld_codes(grammar.sheet.melds).items():
            times = count_at(fields, meld_field(row, meld))
            if times > 0:
                parts.append(code if times == 1 else f"{times}{code}")
        return " ".join(filter(None, parts))
    counts = Counter({card: card_count(fields, card, row) for card in grammar.codes})
    hearts = first(fields, f"hearts-{row}")
    if grammar.is_lettered:
        letters = "".join(grammar.letters[card] * counts[card] for card in grammar.sheet.copies)
        return f"{hearts}{letters}" or NOTHING
    codes = [hearts] if hearts not in ("", NOTHING) else []
    while +counts:
        run_cards = [card for card in grammar.codes if counts[card] > 0]
        codes += _runs(grammar, run_cards)
        counts.subtract(run_cards)
    return " ".join(codes) or NOTHING


def _runs(grammar: CellGrammar, cards: Sequence[str]) -> Iterator[str]:
    runs: list[list[str]] = []
    place = {card: number for number, card in enumerate(grammar.codes)}
    for card in cards:
        if runs and runs[-1][-1][-1] == card[-1] and place[runs[-1][-1]] + 1 == place[card]:
            runs[-1].append(card)
        else:
            runs.append([card])
    for run in runs:
        if len(run) < SHORTEST_RUN:
            yield from run
        else:
            yield f"{run[0][:-1]}-{run[-1]}"


def ways_of(sheet: EntryFields) -> tuple[str, ...]:
    return tuple(way for way in sheet.ways if way != "cards")


def columns(sheet: EntryFields, way: str = "counts") -> tuple[Box, ...]:
    if way == "clean":
        return ()
    boxes = (sheet.box(kind) for kind in COLUMN_HEADS)
    return tuple(
        box for box in boxes if box is not None and (way == "counts" or box.kind not in _OF_COUNTS)
    )


def read_row(grammar: CellGrammar, way: str, texts: RowTexts) -> tuple[Fields, tuple[str, ...]]:
    """Return the fields that a row means, and the names of the cells that cannot be read.

    A cell is named by its row (`2`), a column beside them by its kind.
    """
    sheet = grammar.sheet
    parts = {
        str(row): read_cell(grammar, way, row, text)
        for row, text in zip(sheet.rows, texts.cells, strict=True)
    }
    for box in columns(sheet, way):
        if text := texts.beside.get(box.kind, "").strip():
            parts[box.kind] = _read_column(grammar, box, text)
    fields: Fields = {}
    for part in parts.values():
        for key, values in (part or {}).items():
            fields[key] = [*fields.get(key, ()), *values] if key.startswith("card-") else values
    return fields, tuple(name for name, part in parts.items() if part is None)


def write_row(grammar: CellGrammar, way: str, fields: Mapping[str, Sequence[str]]) -> RowTexts:
    sheet = grammar.sheet
    cells = [write_cell(grammar, way, row, fields) for row in sheet.rows]
    sign = {choice: mark for mark, choice in SIGNS.items()}.get(first(fields, "slam_choice"), "")
    if sign:
        place = _settled_at(sheet, cells, fields)
        body = cells[place].removesuffix("*")
        cells[place] = f"{body}{sign}{'*' if body != cells[place] else ''}"
    beside = {box.kind: _write_column(grammar, box, fields) for box in columns(sheet, way)}
    return RowTexts(tuple(cells), {kind: text for kind, text in beside.items() if text})


def texts_of(grammar: CellGrammar, entry: Mapping[str, object]) -> tuple[str, RowTexts]:
    """Return an entry's way of writing and its texts.

    An entry that lists every card is shown as counts: the grid has a field a seat, not a pile.
    """
    way = way_of(grammar.sheet, entry)
    if way not in ways_of(grammar.sheet):
        way = "counts"
    return way, write_row(grammar, way, fields_of(grammar.sheet, entry, way))


def entry_in(grammar: CellGrammar, way: str, texts: RowTexts) -> JsonDict:
    return entry_of(grammar.sheet, way, read_row(grammar, way, texts)[0])


def is_same_entry(
    grammar: CellGrammar, way: str, texts: RowTexts, entry: Mapping[str, object]
) -> bool:
    entry_way, entry_texts = texts_of(grammar, entry)
    if way != entry_way or read_row(grammar, way, texts)[1]:
        return False
    return entry_in(grammar, way, texts) == entry_in(grammar, way, entry_texts)


def _settled_at(
    sheet: EntryFields, cells: Sequence[str], fields: Mapping[str, Sequence[str]]
) -> int:
    shooter = first(fields, "shooter")
    if shooter in map(str, sheet.rows):
        return [str(row) for row in sheet.rows].index(shooter)
    amounts = [
        (
            sum(values.count(str(row)) for name, values in fields.items() if name[:5] == "card-")
            + sum(int(text) for text in fields.get(f"hearts-{row}", ()) if text.isdecimal()),
            -place,
        )
        for place, row in enumerate(sheet.rows)
    ]
    return -max(amounts)[1]


def _read_column(grammar: CellGrammar, box: Box, text: str) -> Fields | None:
    sheet = grammar.sheet
    words = text.replace(",", " ").split()
    if box.kind == "charged":  # a card that the rules do not list is the scorer's to refuse
        return {"charged": [read_card(code) or code for code in map(str.upper, words)]}
    if box.kind == "tricks":
        if len(words) != len(sheet.rows) or not all(map(str.isdecimal, words)):
            return None
        counts = zip(sheet.rows, words, strict=True)
        return {f"tricks-{row}": [str(int(count))] for row, count in counts}
    if box.kind == "pledge":
        fields: Fields = {}
        for word in words:
            seat_text, _colon, choice = word.partition(":")
            seat = _seat_named(sheet, seat_text)
            choice = choice or (box.choices[0] if len(box.choices) == 1 else "")
            if not seat or choice not in box.choices:
                return None
            fields[f"pledge-{seat}"] = [choice]
        return fields
    if box.kind == "unclaimed":
        return read_pile(grammar, UNCLAIMED, text)
    row = sheet.row_of(_seat_named(sheet, text))
    return {KEYS[box.kind]: [str(row)]} if row else None


def _write_column(grammar: CellGrammar, box: Box, fields: Mapping[str, Sequence[str]]) -> str:
    sheet = grammar.sheet
    if box.kind == "charged":
        return " ".join(fields.get("charged", ()))
    if box.kind == "tricks":
        counts = [first(fields, f"tricks-{row}") for row in sheet.rows]
        if not any(counts):
            return ""
        return " ".join(count or NOTHING for count in counts)
    if box.kind == "unclaimed":
        text = write_pile(grammar, UNCLAIMED, fields)
        return "" if text == NOTHING else text
    if box.kind in SEATS:
        return first(fields, KEYS[box.kind])
    seats = range(1, sheet.seats + 1)  # each player's own, in a side too
    pledges = ((seat, first(fields, f"pledge-{seat}")) for seat in seats)
    is_one = len(box.choices) == 1
    return " ".join(
        f"{seat}" if is_one else f"{seat}:{choice}" for seat, choice in pledges if choice
    )


def _seat_named(sheet: EntryFields, text: str) -> int:
    """The seat that is named by its number or by its letter; 0 for none."""
    names = {name.lower(): seat for seat, name in enumerate(seat_names(sheet.seats), start=1)}
    number = re.fullmatch(r"[0-9]{1,2}", text.strip())
    if number:
        seat = int(text)
    else:
        seat = names.get(text.strip().lower(), 0)
    return seat if seat <= sheet.seats else 0


def how_to_write(sheet: EntryFields) -> str:
    if sheet.melds:
        return _("Enter the trick points, then a code for each meld. See Keys.")
    if sheet.hearts and not sheet.copies:
        return _("Enter the number of hearts.")
    if sheet.hearts:
        return _("Enter the number of hearts, then a letter for each card. See Keys.")
    return _("Enter the cards, or 0 for none. See Keys.")
