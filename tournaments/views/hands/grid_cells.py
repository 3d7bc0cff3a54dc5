"""The grammar of a grid cell: the cards of a seat in a hand, in one text, as on paper.

`3q` is three hearts and the queen. Each single card has a letter of its own; a sheet with more
cards than letters can be remembered for lists their codes (`QS 2-5H`). A `-` or `+` at the end is
a moon taken off or given to the others, a `*` marks who shot. A meld's code is made of the first
letters of its words; its whole id is read too.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Final

from scoring.cards import SUITS, card_name, rank_of, read_card
from scoring.entry.sheet import MOST_OF_A_MELD, meld_codes
from tournaments.views.hands.hand_form_fields import (
    EntryFields,
    Fields,
    card_count,
    count_at,
    first,
    meld_field,
)

_TOKEN: Final = re.compile(r"([0-9]{0,2})([a-z][a-z_]*)")
_TRICKS: Final = re.compile(r"[0-9]{1,4}")


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
KEYS: Final = frozenset("rm")
"""Letters that do something while somebody types: the rest, the moon."""
NOTHING: Final = "0"
SHORTEST_RUN: Final = 3
CLEAN: Final = "c"
NOT_CLEAN: Final = "x"
SIGNS: Final = {"-": "self", "+": "others"}
"""Sign at the end of a cell → how the moon is settled."""

_LETTERS: Final = re.compile(r"([0-9]{0,3})([a-z]*)")
_RUN: Final = re.compile(r"([0-9]{1,2}|[TJQKA])-([0-9]{1,2}|[TJQKA])([A-Z])")


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
    free; none of them is one of `KEYS`.
    """
    cards = sheet.copies
    if len(cards) > MOST_LETTERS:
        return CellGrammar(sheet, {})
    ranks = Counter(_rank_letter(card) for card in cards)
    letters: dict[str, str] = {}
    for card in cards:
        rank, suit = _rank_letter(card), card[-1].lower()
        candidates = [rank, suit] if ranks[rank] == 1 else [suit, rank]
        candidates += [*card_name(card).lower(), *ascii_lowercase]
        in_use = KEYS | set(letters.values())
        letters[card] = next(
            letter
            for letter in candidates
            if letter in ascii_lowercase and letter and letter not in in_use
        )
    return CellGrammar(sheet, letters)


def _rank_letter(card: str) -> str:
    rank = card[:-1].lower()
    return "t" if rank == "10" else rank if rank.isalpha() else "#"


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
        return fields | {f"clean-{row}": ["1"]} if body.lower() == CLEAN else (
            fields if body.lower() in ("", NOT_CLEAN, NOTHING) else None
        )  # fmt: skip
    pile = read_pile(grammar, row, body)
    return None if pile is None else pile | fields


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
    hearts, cards = "", Counter[str]()
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
    ends = [read_card(rank + run[3]) for rank in run.groups()[:2]] if run else [read_card(token)]
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
