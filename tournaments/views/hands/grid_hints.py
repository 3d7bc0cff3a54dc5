"""What cells, rows and pasted blocks mean before anything is judged.

The page's script shows the same during typing, with the texts from here. A block has a line for
each seat or for each hand, by its shape, or by its totals if both fit.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.cards import card_sign
from scoring.entry.sheet import MoonPayment, meld_codes, seat_names
from scoring.rules.rules import Rules
from tournaments.domain.replay_game import hands_of_running_totals
from tournaments.views.hands.form_feedback import running_total
from tournaments.views.hands.grid_cells import (
    LONGEST,
    CellGrammar,
    RowTexts,
    how_to_write,
    meld_words,
    read_cell,
    read_row,
    write_pile,
)
from tournaments.views.hands.hand_form_fields import (
    EntryFields,
    Fields,
    card_count,
    count_at,
    first,
    number_in,
)


@dataclass(frozen=True, slots=True)
class FaceValues:
    """The points of a heart and of each single card by face, and the sum of a hand.

    All is None if a face is no whole number, or if it depends on the other cards taken. `moon` is
    the cell of a player with every card that a moon needs; empty if impossible. `adds`: whether a
    hand adds only its faces to the totals; `pays` the payment of a moon.
    """

    heart: int | None = None
    cards: Mapping[str, int] | None = None
    total: int | None = None
    moon: str = ""
    adds: bool = False
    pays: MoonPayment | None = None

    @property
    def is_known(self) -> bool:
        return self.total is not None and self.cards is not None


LONGEST_BLOCK: Final = 20_000
As: TypeAlias = Literal["seat", "hand"]
Block: TypeAlias = list[list[str]]
Hands: TypeAlias = tuple[tuple[str, ...], ...]


def verdict(
    grammar: CellGrammar, worth: FaceValues, way: str, texts: RowTexts
) -> tuple[str, str, tuple[int | None, ...], int | None]:
    """Return the status of a row as typed: state, sum, points of each seat, and the shooter.

    The state is `ok`, `need` (incomplete), `no` (impossible) or empty. The points are what it adds
    to each seat's total, empty if only the scorer can tell; the shooter is a place, if the payment
    of the moon is known.
    """
    sheet = grammar.sheet
    fields, unread = read_row(grammar, way, texts)
    if texts.is_empty or unread:
        return "no" if unread and not texts.is_empty else "", "", (), None
    state = running_total(sheet, way, fields, worth.total if worth.is_known else None).state
    if state == "need" and way == "counts" and all(texts.cells):
        state = "no"
    if not worth.is_known or way == "clean":
        return state, "", (), None
    seats = tuple(_row_points(sheet, worth, way, row, fields) for row in sheet.rows)
    total = str(sum(seat or 0 for seat in seats)).replace("-", "\u2212")
    shooter = _shooter(grammar, worth, way, fields, seats)
    if way == "points" and shooter is not None:
        return "ok", total, seats, shooter
    added = _added_points(grammar, worth, way, fields, seats) if worth.adds else ()
    if state != "ok" or not worth.pays:
        return state, total, added, None
    if way == "points" and worth.pays.face in seats:
        return "no" if worth.pays.face == worth.total else "need", total, added, None
    is_open = shooter is not None and not (worth.pays.usual or first(fields, "slam_choice"))
    return "need" if is_open else "ok", total, added, shooter


def _shooter(
    grammar: CellGrammar, worth: FaceValues, way: str, fields: Fields, seats: tuple[int | None, ...]
) -> int | None:
    if way == "points":
        return written_moon(worth, seats)
    rows = enumerate(grammar.sheet.rows)
    return next((n for n, row in rows if has_all_moon_cards(grammar, worth, row, fields)), None)


def written_moon(worth: FaceValues, seats: tuple[int | None, ...]) -> int | None:
    """Return the place of the shooter if these are the points of a moon, or None.

    Points that are possible without a moon do not count, nor a moon with other scores beside it.
    """
    pays = worth.pays
    if pays is None or (pays.outside and pays.face != worth.total) or None in seats:
        return None
    if sum(seat or 0 for seat in seats) == worth.total:
        return None
    booked = {
        tuple(shot if n == place else other for n in range(len(seats))): place
        for shot, other in pays.ways.values()
        for place in range(len(seats))
    }
    return booked.get(tuple(seat or 0 for seat in seats))


def _added_points(
    grammar: CellGrammar, worth: FaceValues, way: str, fields: Fields, seats: tuple[int | None, ...]
) -> tuple[int | None, ...]:
    if way == "points":
        shooters = [worth.pays is not None and seat == worth.pays.face for seat in seats]
        return () if any(shooters) or sum(seat or 0 for seat in seats) != worth.total else seats
    shooter = _shooter(grammar, worth, way, fields, seats)
    if shooter is None:
        return seats
    if worth.pays is None:
        return ()
    paid = worth.pays.ways.get(first(fields, "slam_choice") or worth.pays.usual)
    if paid is None:
        return ()
    beside = [
        (seat or 0) - (worth.pays.face if n == shooter else 0) for n, seat in enumerate(seats)
    ]
    return tuple(
        (rest if worth.pays.outside else 0) + paid[n != shooter] for n, rest in enumerate(beside)
    )


def has_all_moon_cards(grammar: CellGrammar, worth: FaceValues, row: int, fields: Fields) -> bool:
    needs = read_cell(grammar, "counts", row, worth.moon) or {}
    return bool(needs) and all(
        [
            value
            for value in fields.get(name, ())
            if not name.startswith("card-") or value == str(row)
        ]
        == values
        for name, values in needs.items()
    )


def _row_points(
    sheet: EntryFields, worth: FaceValues, way: str, row: int, fields: Fields
) -> int | None:
    if way == "points":
        return number_in(first(fields, f"points-{row}"))
    hearts = count_at(fields, f"hearts-{row}")
    cards = worth.cards or {}
    card_points = sum(card_count(fields, card, row) * cards.get(card, 0) for card in sheet.copies)
    return hearts * (worth.heart or 0) + card_points


def cell_meaning(grammar: CellGrammar, worth: FaceValues, way: str, row: int, cell: str) -> str:
    """Return the meaning of a cell, shown below it: `3 ♥ + Q♠ = 16`."""
    fields = read_cell(grammar, way, row, cell)
    if fields is None:
        return "?"
    if not cell.strip():
        return ""
    if way == "clean":
        return _("took nothing") if fields.get(f"clean-{row}") else _("took something")
    if way == "points":
        text = first(fields, f"points-{row}").replace("-", "\u2212")
    else:
        text = _cards_text(grammar, worth, row, fields)
    if choice := first(fields, "slam_choice"):
        text += ", " + (_("moon taken off") if choice == "self" else _("moon to the others"))
    return text


def _cards_text(grammar: CellGrammar, worth: FaceValues, row: int, fields: Fields) -> str:
    if grammar.sheet.melds:
        return meld_words(grammar.sheet, row, fields)
    hearts = count_at(fields, f"hearts-{row}")
    counts = Counter({card: card_count(fields, card, row) for card in grammar.sheet.copies})
    parts = [f"{hearts} ♥"] if hearts else []
    if grammar.is_lettered:
        parts += [card_sign(card) for card in counts.elements()]
    comes_to = _row_points(grammar.sheet, worth, "counts", row, fields)
    if not worth.is_known and not grammar.is_lettered:
        n = counts.total()
        return ngettext("%(n)s card", "%(n)s cards", n) % {"n": n}
    if not worth.is_known:
        return " + ".join(parts) or "0"
    number = str(comes_to).replace("-", "\u2212")
    if not parts or (len(parts) == 1 and hearts and worth.heart == 1):
        return number
    return f"{' + '.join(parts)} = {number}"


def hints_json(grammar: CellGrammar, worth: FaceValues) -> str:
    sheet = grammar.sheet
    cards = [
        {
            "code": card,
            "sign": card_sign(card),
            "key": grammar.letters.get(card, ""),
            "copies": copies,
            "worth": (worth.cards or {}).get(card, 0),
        }
        for card, copies in sheet.copies.items()
    ]
    charged = sheet.box("charged")
    labels = sheet.meld_labels
    document: dict[str, Any] = {
        "lettered": grammar.is_lettered,
        # a meld's id or code, and what it is called
        "melds": labels | {code: labels[meld] for code, meld in meld_codes(sheet.melds).items()},
        "tricks": sheet.trick_total,
        "hearts": len(sheet.hearts),
        "heart": worth.heart or 0,
        "known": worth.is_known,
        "total": worth.total,
        "cards": cards,
        "order": list(grammar.codes),
        "moon": worth.moon,
        "adds": worth.adds,
        "charged": charged.choices if charged else (),
        "say": _sentences(sheet),
    }
    return json.dumps(document, ensure_ascii=False)


def moon_cell(grammar: CellGrammar, moon: frozenset[str]) -> str:
    """Return the cell of the player with the cards of a moon; empty if it is not certain."""
    hearts = grammar.sheet.hearts
    if not moon or (hearts and not set(hearts) <= moon):
        return ""
    copies = grammar.sheet.copies
    fields = {f"card-{card}": ["1"] * n for card, n in copies.items() if card in moon}
    return write_pile(grammar, 1, {**fields, "hearts-1": [str(len(hearts))]} if hearts else fields)


def _sentences(sheet: EntryFields) -> dict[str, str]:
    return {
        "wrong": _("Hand %(hand)s: %(why)s"),
        "paper": _("Check the paper sheet."),
        "ask_points": _("%(number)s: are these points?"),
        "ask_split": _("%(number)s went to two seats. Are these points?"),
        "split": _("%(number)s went to two seats, because fewer hearts are left."),
        "not_one": _("not %(number)s"),
        "unread": _("“%(text)s” cannot be read. %(right)s"),
        "right": how_to_write(sheet),
        "off": _("moon taken off"),
        "others": _("moon to the others"),
        "clean": _("took nothing"),
        "not_clean": _("took something"),
        "of": _("of %(total)s"),
        "without": _("of %(total)s, without hand %(hands)s"),
        "moon_by": _("moon by %(name)s"),
        "moon_open": _("moon by %(name)s, choice open"),
        "one_unsaved": ngettext("%(n)s hand not saved", "%(n)s hands not saved", 1),
        "unsaved": ngettext("%(n)s hand not saved", "%(n)s hands not saved", 2),
        "left": _("without hand %(hands)s"),
        "one_card": ngettext("%(n)s card", "%(n)s cards", 1),
        "cards": ngettext("%(n)s card", "%(n)s cards", 2),
    }


MOST_LINES: Final = 100


@dataclass(frozen=True, slots=True)
class PastedBlock:
    """A block as it was read: the cells of each hand, and the other way that it could be read.

    `lines` and `columns` are those of the block, and `left_out` how many lines are too many for it;
    `other` is empty where only one way fits. `is_running` blocks had running totals; `hands` have
    the points of each hand.
    """

    hands: Hands
    read_as: As
    way: str
    lines: int
    columns: int
    other: As | None
    left_out: int = 0
    is_running: bool = False

    @property
    def n_unclear(self) -> int:
        """The number of hands whose running totals could come from other points."""
        return sum(self.is_running and not any(hand) for hand in self.hands)


def cells_in(text: str) -> Block:
    """Return the cells of a copied block, lines filled up to the same width; blank lines are none.

    >>> cells_in("6\\t3q\\n\\n7q\\t2\\t0")
    [['6', '3q', ''], ['7q', '2', '0']]
    """
    lines = _lines(text)[:MOST_LINES]
    mark = next(
        (separator for separator in ("\t", ";") if any(separator in line for line in lines)), None
    )
    rows = [[cell.strip()[:LONGEST] for cell in line.split(mark)] for line in lines]
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def _lines(text: str) -> list[str]:
    """Return the lines that hold something; of a block that is too long, only whole ones."""
    lines = text[:LONGEST_BLOCK].splitlines()
    if is_too_long(text) and text[LONGEST_BLOCK] not in "\r\n":
        lines = lines[:-1]  # half a line would be another hand
    return [line for line in lines if line.strip()]


def is_too_long(text: str) -> bool:
    return len(text) > LONGEST_BLOCK


AS_POINTS: Final = ":points"
"""Behind a shape: the numbers are the points of each hand, no running totals."""


def pasted(
    text: str,
    grammar: CellGrammar,
    worth: FaceValues,
    names: Sequence[str],
    read_as: str = "",
    *,
    rules: Rules,
    before: tuple[int, ...] = (),
) -> PastedBlock | None:
    """Return the content of a pasted block; `None` if it has neither shape.

    Args:
        names: the players, in the order of the sheet's rows; a header of names overrides it.
        read_as: `seat` or `hand` if the user chose, with `AS_POINTS` behind it.
        before: the totals of the hands before the block, from which running totals may go on.
    """
    may_run = not read_as.endswith(AS_POINTS)
    read_as = read_as.removesuffix(AS_POINTS)
    block = cells_in(text)
    turned = [list(column) for column in zip(*block, strict=True)]
    readings: dict[As, list[Hands]] = {
        "hand": _readings(block, grammar, names),
        "seat": _readings(turned, grammar, names),
    }
    scored = {
        (kind, n, way): _n_right(grammar, worth, way, hands)
        for kind, kind_readings in readings.items()
        for n, hands in enumerate(kind_readings)
        for way in ("counts", "points")
    }
    if not scored:
        return None
    candidates = [key for key in scored if key[0] == read_as] or list(scored)
    kind, n, way = max(candidates, key=lambda key: scored[key])
    other = next((key for key in readings if key != kind and readings[key]), None)
    width = len(block[0]) if block else 0
    left_out = len(_lines(text)) - len(block)
    read = PastedBlock(readings[kind][n], kind, way, len(block), width, other, left_out)
    for candidate in (key for key in dict.fromkeys(key[:2] for key in candidates) if may_run):
        hands = _hands_of_totals(readings[candidate[0]][candidate[1]], rules, before)
        if hands:
            return replace(read, hands=hands, read_as=candidate[0], way="points", is_running=True)
    return read


def _hands_of_totals(lines: Hands, rules: Rules, before: tuple[int, ...]) -> Hands:
    """Return the points of each hand as texts, if lines are running totals; else nothing.

    The texts of a hand that could have other points are empty.
    """
    if not all(cell.isdecimal() for line in lines for cell in line):
        return ()
    totals = [tuple(map(int, line)) for line in lines]
    hands = hands_of_running_totals(rules, totals, before)
    return tuple(tuple(map(str, hand)) or ("",) * len(totals[0]) for hand in hands)


def _n_right(
    grammar: CellGrammar, worth: FaceValues, way: str, hands: Sequence[tuple[str, ...]]
) -> tuple[int, int]:
    rows = [RowTexts(cells) for cells in hands]
    right = sum(verdict(grammar, worth, way, row)[0] == "ok" for row in rows)
    return right, sum(not read_row(grammar, way, row)[1] for row in rows)


def _readings(block: Block, grammar: CellGrammar, names: Sequence[str]) -> list[Hands]:
    """The possible readings of a block with a line a hand, without its heads, numbers and sums.

    Either side may have empty columns, so a first column of numbers may be those of the hands or
    the points of a seat; the sums show which.
    """
    seats = len(grammar.sheet.rows)
    rows = block
    head = rows[0] if rows and not all(_is_cell(grammar, cell) for cell in rows[0]) else None
    rows = rows[1:] if head else rows
    rows = rows[:-1] if _ends_in_sums(grammar, rows) else rows
    columns = [list(column) for column in zip(*rows, strict=True)]
    readings = []
    for begin in reversed(range(len(columns) - seats + 1)):
        end = begin + seats
        before, after = columns[:begin], columns[end:]
        labelled = not before or not any(before[-1]) or _are_labels(grammar, before[-1])
        summed = not after or all(
            not text or text.replace("\u2212", "-").lstrip("-").isdecimal() for text in after[0]
        )
        if labelled and summed and not any(map(any, [*before[:-1], *after[1:]])):
            if head:
                order = _order(head[begin:end], names, grammar)
            else:
                order = range(seats)
            cut = [row[begin:end] for row in rows if any(row[begin:end])]
            readings.append(tuple(tuple(row[place] for place in order) for row in cut))
    return [hands for hands in readings if hands]


def _ends_in_sums(grammar: CellGrammar, rows: Block) -> bool:
    if len(rows) < 2:
        return False
    *before, last = [not _is_cell(grammar, row[0]) for row in rows]
    return last and not any(before)


def _is_cell(grammar: CellGrammar, text: str) -> bool:
    if not text or text.replace("\u2212", "-").removeprefix("-").isdecimal():
        return True
    return read_cell(grammar, "counts", 1, text) is not None


def _are_labels(grammar: CellGrammar, column: Sequence[str]) -> bool:
    if all(text.isdecimal() for text in column):
        numbers = [int(text) for text in column]
        return numbers == list(range(numbers[0], numbers[0] + len(numbers))) and numbers[0] > 0
    return not any(_is_cell(grammar, text) for text in column)


def _order(head: Sequence[str], names: Sequence[str], grammar: CellGrammar) -> Sequence[int]:
    labels = [seat_names(grammar.sheet.seats)[row - 1] for row in grammar.sheet.rows]
    for row_names in (names, labels):
        folded, folded_head = (
            [text.casefold() for text in row_names],
            [text.casefold() for text in head],
        )
        if sorted(folded) == sorted(folded_head) and len(set(folded)) == len(folded):
            return [folded_head.index(text) for text in folded]
    return range(len(head))
