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
from typing import Final, NamedTuple

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

LONGEST: Final = 80
"""Maximum number of letters in a cell."""

MOST_LETTERS: Final = 6
"""A sheet with more single cards than these lists their codes instead."""

COMMAND_KEYS: Final = frozenset("rm")
"""Letters that do something while somebody types: the rest, the moon."""

SHORTEST_RUN: Final = 3
"""Cards in a row from which on they are written as a run."""

NOTHING: Final = "0"
"""A cell of a seat that took nothing."""

CLEAN: Final = "c"
NOT_CLEAN: Final = "x"

SIGNS: Final = {"-": "self", "+": "others"}
"""Sign at the end of a cell → how the moon is settled."""

_LETTERS: Final = re.compile(r"([0-9]{0,3})([a-z]*)")
"""A number of hearts, and the letters of single cards."""

_RUN: Final = re.compile(r"([0-9]{1,2}|[TJQKA])-([0-9]{1,2}|[TJQKA])([A-Z])")
"""Cards in a row: the ranks of both ends, and the suit."""

_TRICKS: Final = re.compile(r"[0-9]{1,4}")

_MELD: Final = re.compile(r"([0-9]{0,2})([a-z][a-z_]*)")
"""A number of melds, if there are several, and the code or the id of the meld."""

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
"""Kinds of them that only a hand written as counts has."""


@dataclass(frozen=True, slots=True)
class RowTexts:
    """The typed texts of one row: one for each row of the sheet, and kind → text for others."""

    cells: tuple[str, ...]
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not any(self.cells)


class _Pile(NamedTuple):
    """A number of hearts as it is written, "" for none, and the single cards."""

    hearts: str
    cards: Counter[str]


def read_melds(sheet: EntryFields, row: int, text: str) -> Fields | None:
    """Return the fields that a cell means; None where it cannot be read."""
    fields: Fields = {}
    melds_by_name = {meld: meld for meld in sheet.melds}
    melds_by_name.update(meld_codes(sheet.melds))
    for place, token in enumerate(text.lower().replace(",", " ").split()):
        if place == 0 and _TRICKS.fullmatch(token):
            fields[f"trick_points-{row}"] = [str(int(token))]
            continue
        match = _MELD.fullmatch(token)
        if match is None:
            return None
        number, name = match.groups()
        if name not in melds_by_name:
            return None
        times = min(int(number or 1), MOST_OF_A_MELD)
        field_name = meld_field(row, melds_by_name[name])
        fields[field_name] = [str(times + count_at(fields, field_name))]
    return fields


def meld_words(sheet: EntryFields, row: int, fields: Mapping[str, Sequence[str]]) -> str:
    """Return the melds of a row in words, after its trick points."""
    parts = [first(fields, f"trick_points-{row}") or "0"]
    for meld, label in sheet.meld_labels.items():
        times = count_at(fields, meld_field(row, meld))
        if times == 1:
            parts.append(label)
        elif times > 1:
            parts.append(f"{times}× {label}")
    return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class CellGrammar:
    """How the cells of one sheet are written; `letters` is card → letter, empty for codes."""

    sheet: EntryFields
    letters: Mapping[str, str]

    @property
    def codes(self) -> tuple[str, ...]:
        """The cards of the sheet, by suit and rank."""
        by_suit = sorted(self.sheet.copies, key=lambda card: (SUITS.index(card[-1]), rank_of(card)))
        return tuple(by_suit)

    @property
    def is_lettered(self) -> bool:
        """Whether single cards are letters; also where a sheet has only hearts to count."""
        if self.letters:
            return True
        return not self.sheet.copies and not self.sheet.melds


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
        free = set(ascii_lowercase) - COMMAND_KEYS - set(letters.values())
        letters[card] = next(letter for letter in candidates if letter in free)
    return CellGrammar(sheet, letters)


def _rank_letter(card: str) -> str:
    """Return the letter of a card's rank; `#`, which is no letter, for 2 to 9."""
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
        if body:
            fields[f"points-{row}"] = [body]
        return fields

    if way == "clean":
        word = body.lower()
        if word == CLEAN:
            fields[f"clean-{row}"] = ["1"]
        elif word not in ("", NOT_CLEAN, NOTHING):
            return None
        return fields

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
    sign = ""
    if body[-1:] in SIGNS:
        sign = body[-1]
        body = body[:-1].rstrip()
    return body, sign, has_star


def read_pile(grammar: CellGrammar, row: int, text: str) -> Fields | None:
    """Return the fields for the cards of a cell without its marks; None if it cannot be read."""
    if not text.strip():
        return {}
    if grammar.sheet.melds:
        return read_melds(grammar.sheet, row, text)
    if grammar.is_lettered:
        pile = _read_letters(grammar, text)
    else:
        pile = _read_codes(grammar, text)
    if pile is None:
        return None
    if pile.hearts not in ("", NOTHING) and not grammar.sheet.hearts:
        # A number, where the sheet does not count hearts.
        return None

    fields: Fields = {f"card-{card}": [str(row)] * count for card, count in pile.cards.items()}
    if grammar.sheet.hearts:
        fields[f"hearts-{row}"] = [pile.hearts or NOTHING]
    return fields


def _read_letters(grammar: CellGrammar, text: str) -> _Pile | None:
    match = _LETTERS.fullmatch("".join(text.lower().split()))
    if match is None:
        return None
    hearts, letters = match.groups()
    cards_by_letter = {letter: card for card, letter in grammar.letters.items()}
    if not cards_by_letter.keys() >= set(letters):
        return None
    return _Pile(_number(hearts), Counter(cards_by_letter[letter] for letter in letters))


def _read_codes(grammar: CellGrammar, text: str) -> _Pile | None:
    hearts = ""
    cards: Counter[str] = Counter()
    for place, token in enumerate(text.upper().replace(",", " ").split()):
        if place == 0 and token.isdecimal():
            hearts = _number(token)
            continue
        codes = _cards_of(grammar, token)
        if not codes:
            return None
        cards.update(codes)
    return _Pile(hearts, cards)


def _number(digits: str) -> str:
    """Return a number without leading zeros; "" stays."""
    if not digits:
        return ""
    return str(int(digits))


def _cards_of(grammar: CellGrammar, token: str) -> Sequence[str]:
    """Return the cards of the sheet that `QS` or `2-5H` names; none if an end is no card of it."""
    run = _RUN.fullmatch(token)
    if run is None:
        low = high = read_card(token)
    else:
        low_rank, high_rank, suit = run.groups()
        low = read_card(low_rank + suit)
        high = read_card(high_rank + suit)
    if low not in grammar.codes or high not in grammar.codes:
        return ()
    suit_cards = [card for card in grammar.codes if card[-1] == low[-1]]
    return suit_cards[suit_cards.index(low) : suit_cards.index(high) + 1]


def write_cell(
    grammar: CellGrammar, way: str, row: int, fields: Mapping[str, Sequence[str]]
) -> str:
    """Return the text of a cell without the sign of a moon, which `write_row` sets."""
    if way == "points":
        body = first(fields, f"points-{row}")
    elif way != "clean":
        body = write_pile(grammar, row, fields)
    elif first(fields, f"clean-{row}"):
        body = CLEAN
    else:
        body = NOT_CLEAN
    if first(fields, "shooter") == str(row):
        return f"{body}*"
    return body


def write_pile(grammar: CellGrammar, row: int, fields: Mapping[str, Sequence[str]]) -> str:
    """Return cards taken as a cell has them; `0` for none."""
    if grammar.sheet.melds:
        return _write_melds(grammar.sheet, row, fields)
    counts = {card: card_count(fields, card, row) for card in grammar.codes}
    hearts = first(fields, f"hearts-{row}")
    if grammar.is_lettered:
        letters = "".join(grammar.letters[card] * counts[card] for card in grammar.sheet.copies)
        return f"{hearts}{letters}" or NOTHING

    codes = []
    if hearts not in ("", NOTHING):
        codes.append(hearts)
    # Of several packs each round of the loop writes the cards of one.
    for n_written in range(max(counts.values(), default=0)):
        cards = [card for card in grammar.codes if counts[card] > n_written]
        codes += _runs(grammar, cards)
    return " ".join(codes) or NOTHING


def _write_melds(sheet: EntryFields, row: int, fields: Mapping[str, Sequence[str]]) -> str:
    parts = []
    trick_points = first(fields, f"trick_points-{row}")
    if trick_points:
        parts.append(trick_points)
    for code, meld in meld_codes(sheet.melds).items():
        times = count_at(fields, meld_field(row, meld))
        if times == 1:
            parts.append(code)
        elif times > 1:
            parts.append(f"{times}{code}")
    return " ".join(parts)


def _runs(grammar: CellGrammar, cards: Sequence[str]) -> Iterator[str]:
    """Yield the codes of cards, which are in order; those in a row are one (`2-5H`)."""
    places = {card: place for place, card in enumerate(grammar.codes)}
    runs: list[list[str]] = []
    for card in cards:
        last = runs[-1][-1] if runs else ""
        if last and last[-1] == card[-1] and places[last] + 1 == places[card]:
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
    """Return the boxes that a way of writing has beside the cells, in the order of the heads."""
    if way == "clean":
        return ()
    boxes = []
    for kind in COLUMN_HEADS:
        box = sheet.box(kind)
        if box is not None and (way == "counts" or kind not in _OF_COUNTS):
            boxes.append(box)
    return tuple(boxes)


def read_row(grammar: CellGrammar, way: str, texts: RowTexts) -> tuple[Fields, tuple[str, ...]]:
    """Return the fields that a row means, and the names of the cells that cannot be read.

    A cell is named by its row (`2`), a column beside them by its kind.
    """
    sheet = grammar.sheet
    parts = {}
    for row, text in zip(sheet.rows, texts.cells, strict=True):
        parts[str(row)] = read_cell(grammar, way, row=row, text=text)
    for box in columns(sheet, way):
        text = texts.beside.get(box.kind, "").strip()
        if text:
            parts[box.kind] = _read_column(grammar, box, text=text)

    fields: Fields = {}
    unreadable = []
    for cell_name, part in parts.items():
        if part is None:
            unreadable.append(cell_name)
            continue
        for key, values in part.items():
            if key.startswith("card-"):
                # A card has one field for the whole hand; each row adds its copies.
                fields[key] = [*fields.get(key, ()), *values]
            else:
                fields[key] = values
    return fields, tuple(unreadable)


def write_row(grammar: CellGrammar, way: str, fields: Mapping[str, Sequence[str]]) -> RowTexts:
    """Return the texts of a hand with these fields."""
    sheet = grammar.sheet
    cells = [write_cell(grammar, way, row=row, fields=fields) for row in sheet.rows]
    for sign, choice in SIGNS.items():
        if choice == first(fields, "slam_choice"):
            place = _settled_at(sheet, fields)
            cells[place] = _with_sign(cells[place], sign)

    beside = {}
    for box in columns(sheet, way):
        text = _write_column(grammar, box, fields=fields)
        if text:
            beside[box.kind] = text
    return RowTexts(tuple(cells), beside)


def _with_sign(cell: str, sign: str) -> str:
    """Write the sign of the moon into a cell, before its star."""
    if cell.endswith("*"):
        return f"{cell[:-1]}{sign}*"
    return f"{cell}{sign}"


def texts_of(grammar: CellGrammar, entry: Mapping[str, object]) -> tuple[str, RowTexts]:
    """Return an entry's way of writing and its texts.

    An entry that lists every card is shown as counts: the grid has a field a seat, not a pile.
    """
    way = way_of(grammar.sheet, entry)
    if way not in ways_of(grammar.sheet):
        way = "counts"
    return way, write_row(grammar, way, fields_of(grammar.sheet, entry, way))


def entry_in(grammar: CellGrammar, way: str, texts: RowTexts) -> JsonDict:
    """Return the entry that a row means, without the cells that cannot be read."""
    fields, _unreadable = read_row(grammar, way, texts)
    return entry_of(grammar.sheet, way, fields)


def is_same_entry(
    grammar: CellGrammar, way: str, texts: RowTexts, entry: Mapping[str, object]
) -> bool:
    """Whether a row can be read in whole, and means the same as `entry` in the same way."""
    entry_way, entry_texts = texts_of(grammar, entry)
    _fields, unreadable = read_row(grammar, way, texts)
    if way != entry_way or unreadable:
        return False
    return entry_in(grammar, way, texts) == entry_in(grammar, way, entry_texts)


def _settled_at(sheet: EntryFields, fields: Mapping[str, Sequence[str]]) -> int:
    """Return which cell gets the sign of a moon: the shooter's, else that with the most cards."""
    shooter = first(fields, "shooter")
    n_cards = []
    for place, row in enumerate(sheet.rows):
        if shooter == str(row):
            return place
        n_cards.append(_count_cards(fields, row))
    return n_cards.index(max(n_cards))


def _count_cards(fields: Mapping[str, Sequence[str]], row: int) -> int:
    """Return how many cards of the sheet a row has, hearts included."""
    n_cards = 0
    for name, values in fields.items():
        if name.startswith("card-"):
            n_cards += values.count(str(row))
    for text in fields.get(f"hearts-{row}", ()):
        if text.isdecimal():
            n_cards += int(text)
    return n_cards


def _read_column(grammar: CellGrammar, box: Box, *, text: str) -> Fields | None:
    """Return the fields for a column beside the cells; None if it cannot be read."""
    sheet = grammar.sheet
    words = text.replace(",", " ").split()
    if box.kind == "charged":
        # A card that the rules do not list is the scorer's to refuse.
        codes = [word.upper() for word in words]
        return {"charged": [read_card(code) or code for code in codes]}
    if box.kind == "tricks":
        if len(words) != len(sheet.rows) or not all(word.isdecimal() for word in words):
            return None
        counts = zip(sheet.rows, words, strict=True)
        return {f"tricks-{row}": [str(int(count))] for row, count in counts}
    if box.kind == "pledge":
        return _read_pledges(sheet, box, words)
    if box.kind == "unclaimed":
        return read_pile(grammar, UNCLAIMED, text)
    row = sheet.row_of(_seat_named(sheet, text))
    if row == UNCLAIMED:
        return None
    return {KEYS[box.kind]: [str(row)]}


def _read_pledges(sheet: EntryFields, box: Box, words: Sequence[str]) -> Fields | None:
    """Read `2:nil 4:double`; where there is one kind of pledge, a seat is enough."""
    fields: Fields = {}
    for word in words:
        seat_text, _colon, choice = word.partition(":")
        if not choice and len(box.choices) == 1:
            choice = box.choices[0]
        seat = _seat_named(sheet, seat_text)
        if not seat or choice not in box.choices:
            return None
        fields[f"pledge-{seat}"] = [choice]
    return fields


def _write_column(grammar: CellGrammar, box: Box, *, fields: Mapping[str, Sequence[str]]) -> str:
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
        if text == NOTHING:
            return ""
        return text
    if box.kind in SEATS:
        return first(fields, KEYS[box.kind])

    pledges = []
    # Partners pledge each for themselves.
    for seat in range(1, sheet.seats + 1):
        choice = first(fields, f"pledge-{seat}")
        if choice and len(box.choices) == 1:
            pledges.append(str(seat))
        elif choice:
            pledges.append(f"{seat}:{choice}")
    return " ".join(pledges)


def _seat_named(sheet: EntryFields, text: str) -> int:
    """Return the seat that is named by its number or by its letter; 0 for none."""
    name = text.strip().lower()
    if re.fullmatch(r"[0-9]{1,2}", name):
        seat = int(name)
        return seat if seat <= sheet.seats else 0
    for seat, letter in enumerate(seat_names(sheet.seats), start=1):
        if letter.lower() == name:
            return seat
    return 0


def how_to_write(sheet: EntryFields) -> str:
    """Return in a sentence how the cells are written."""
    if sheet.melds:
        return _("Enter the trick points, then a code for each meld. See Keys.")
    if sheet.hearts and not sheet.copies:
        return _("Enter the number of hearts.")
    if sheet.hearts:
        return _("Enter the number of hearts, then a letter for each card. See Keys.")
    return _("Enter the cards, or 0 for none. See Keys.")
