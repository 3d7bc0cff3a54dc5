"""What the columns of a foreign file likely are: by usual heads, people's names, and some rows.

A guess is shown, never taken.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from scoring.entry.sheet import Box
from tournaments.importers.mapping.apply import NOTHING
from tournaments.importers.mapping.plan import ColumnPlan, is_meaning, key_of, labels_of
from tournaments.importers.sheets.players import People, letters
from tournaments.importers.tabular.cells import day, mark, plain, whole
from tournaments.importers.tabular.columns import fold, meaning
from tournaments.models.column_maps import CHOICE, HANDS, IGNORE, PLAYER, SEATS

LIKELY: Final[Mapping[str, tuple[str, ...]]] = {
    "date": ("when", "played", "played on", "wann", "spieltag", "fecha", "jour"),
    "round": ("session", "evening", "week", "runde nr", "spielabend", "ronda", "tour"),
    "table": ("table number", "tisch nr", "board", "mesa"),
    "hand": ("hand number", "deal no", "spiel", "spiel nr", "partie", "nr", "no", "number", "#"),
    "player": ("who", "spieler name", "spielername", "vorname", "nachname", "jugador", "joueur"),
    "player_id": ("player no", "player number", "mitgliedsnummer", "nummer", "licence"),
    "hearts": ("hearts taken", "anzahl herz", "herzkarten", "corazones", "coeurs"),
    "points": ("total", "result", "ergebnis", "penalty", "minuspunkte", "puntos"),
    "moon": ("shot the moon", "moon by", "durchmarsch", "who shot"),
    CHOICE: ("moon choice", "moon settled", "settled", "durchmarsch wie", "choice"),
    "queen_spades": ("queen taken by", "queen of spades by", "pik dame bei", "lady taken by"),
}
"""What a column may be → further heads that are usual for it, in files of others."""

ENOUGH: Final = 2
"""So many columns that are called like people of the club make rows of hands likely."""


def guess(
    heads: Sequence[str],
    sample: Sequence[Sequence[str]],
    people: People,
    boxes: Sequence[Box],
    rows: str = "",
) -> ColumnPlan:
    """Return the likely plan of a file.

    Args:
        sample: a few rows of it.
        rows: `seats` or `hands`, where that is known.
    """
    labels = labels_of(heads)
    ids = {label: _id_of(label, people) for label in labels if not _usual(label, boxes)}
    named = [label for label, code in ids.items() if code]
    if not rows:
        rows = HANDS if len(named) >= ENOUGH else SEATS
    columns: list[tuple[str, str]] = []
    taken: set[str] = set()
    for index, label in enumerate(labels):
        cells = [plain(row[index]).text for row in sample if index < len(row)]
        means = _meaning(label, cells, taken, boxes, rows)
        if means == IGNORE and "date" not in taken and _is_dates(cells):
            means = "date"
        if rows == HANDS and means == IGNORE and label not in named:
            means = _by_cells(label, cells, taken, named, boxes)
        if rows == HANDS and means == IGNORE and (label in named or _is_numbers(cells)):
            means = PLAYER
        elif means != IGNORE:
            taken.add(key_of(means))
        columns.append((label, means))
    means_all = {means for _, means in columns}
    given = {} if "table" in means_all else {"table": "1"}
    if rows == SEATS:
        return ColumnPlan(SEATS, tuple(columns), given=given)
    by_cards = any(key_of(means).startswith("=") for means in means_all)
    has_hearts = any(box.kind == "hearts" for box in boxes)
    players = {label: code for label, code in ids.items() if code and (label, PLAYER) in columns}
    cells_ = "hearts" if by_cards and has_hearts else "points"
    return ColumnPlan(HANDS, tuple(columns), cells_, players, given)


def _id_of(label: str, people: People) -> str:
    member = people.called(label)
    return member.player_id if member is not None else ""


def _usual(label: str, boxes: Sequence[Box]) -> str:
    folded_head = fold(label)
    for means, heads in LIKELY.items():
        if folded_head and folded_head in {fold(head) for head in heads}:
            return means
    if label.strip() == "#":
        return "hand"
    found = meaning(label, boxes)
    return _named(found[1:], boxes) if found.startswith("=") else found


def _named(card: str, boxes: Sequence[Box]) -> str:
    return next((box.key for box in boxes if box.card == card), card)


def _meaning(
    label: str, cells: Sequence[str], taken: set[str], boxes: Sequence[Box], rows: str
) -> str:
    means = _usual(label, boxes)
    if means == "variant" and _is_numbers(cells):
        means = "hand"  # "Game 3" is a number of a hand; no variant is called by a number
    if not means or not is_meaning(means, rows) or key_of(means) in taken:
        return IGNORE
    if rows == HANDS and means == PLAYER:
        return IGNORE
    if rows == HANDS and key_of(means).startswith("=") and _is_numbers(cells):
        return IGNORE  # there such a column names somebody
    return means


def _by_cells(
    label: str, cells: Sequence[str], taken: set[str], named: Sequence[str], boxes: Sequence[Box]
) -> str:
    """Return what a column of words is where a row is a hand: by what stands in it."""
    filled = [cell for cell in cells if cell not in NOTHING]
    marks = [mark(cell).value for cell in filled]
    if marks and all(one is not None and one.choice for one in marks):
        return IGNORE if CHOICE in taken else CHOICE
    names = {letters(name) for name in named}
    names |= {name.split()[0] for name in names if name}
    if not filled or not all(letters(cell) in names for cell in filled):
        return IGNORE
    for word in re.split(r"[\s_.:/-]+", label):
        card = meaning(word, boxes)
        if card.startswith("=") and card not in taken:
            return _named(card[1:], boxes)
    return IGNORE


def _is_numbers(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell not in NOTHING]
    return bool(filled) and all(whole(cell).value is not None for cell in filled)


def _is_dates(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell not in NOTHING]
    return bool(filled) and all(day(cell).value.options for cell in filled)
