"""What the columns of a foreign file likely are: by usual heads, people's names, and some rows.

A guess is shown, never taken."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from scoring.entry.sheet import Box
from tournaments.documents.read.apply_plan import NOTHING
from tournaments.documents.read.cells import day, mark, plain, whole
from tournaments.documents.read.column_plan import ColumnPlan, is_meaning, key_of, labels_of
from tournaments.documents.read.columns import BOARD_BOX, fold, meaning
from tournaments.documents.read.people import People, letters
from tournaments.models.imports import (
    CHOICE,
    DATES,
    HANDS,
    IGNORE,
    MOST_PLAYERS,
    NAME_OF,
    NAMES,
    PLAYER,
    SEATS,
    VALUE_OF,
)

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
"""So many columns that are called like people of the club make rows of hands likely; so many pairs
of columns make rows of names likely."""

NUMBERED: Final = re.compile(
    r"(?P<stem>\D*?)[\s_.:/()-]*(?P<number>[1-9]|1[0-3])[\s_.:/()-]*(?P<rest>\D*)"
)
"""A head with one number: `Spieler 1`, `Player 1 points`, and what a repeated head is called."""

CARDS_OF_A_SEAT: Final = ("hearts", "cards")


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
        rows: `seats`, `hands` or `names`, where that is known.
    """
    labels = labels_of(heads)
    by_label = {
        label: [plain(row[index]).text for row in sample if index < len(row)]
        for index, label in enumerate(labels)
    }
    pairs = _pairs(by_label, people, boxes) if rows in ("", NAMES) else {}
    if pairs or rows == NAMES:
        return _of_names(by_label, pairs, people, boxes)
    ids = {label: _id_of(label, people) for label in labels if not _usual(label, boxes)}
    name_labels = [label for label, code in ids.items() if code]
    if not rows:
        rows = HANDS if len(name_labels) >= ENOUGH else SEATS
    columns: list[tuple[str, str]] = []
    used: set[str] = set()
    for label, cells in by_label.items():
        means = _meaning(label, cells, used, boxes, rows)
        if means == IGNORE and "date" not in used and _is_dates(cells):
            means = "date"
        if rows == HANDS and means == IGNORE and label not in name_labels:
            means = _by_cells(label, cells, used, name_labels, boxes)
        if rows == HANDS and means == IGNORE and (label in name_labels or _is_numbers(cells)):
            means = PLAYER
        elif means != IGNORE:
            used.add(key_of(means))
        columns.append((label, means))
    means_all = {means for _, means in columns}
    values = _given(means_all)
    if rows == SEATS:
        return ColumnPlan(SEATS, tuple(columns), given=values)
    by_cards = any(key_of(means).startswith("=") for means in means_all)
    has_hearts = any(box.kind == "hearts" for box in boxes)
    players = {label: code for label, code in ids.items() if code and (label, PLAYER) in columns}
    cells_ = "hearts" if by_cards and has_hearts else "points"
    return ColumnPlan(HANDS, tuple(columns), cells_, players, values)


Cells = Mapping[str, Sequence[str]]
"""Label of a column → what stands in it in a few rows."""


def _of_names(
    by_label: Cells, pairs: Mapping[str, str], people: People, boxes: Sequence[Box]
) -> ColumnPlan:
    """Return the likely plan of a file with these columns of names and numbers."""
    names = [cell for label in pairs if pairs[label].startswith(NAME_OF)
             for cell in by_label[label] if cell not in NOTHING]  # fmt: skip
    columns: list[tuple[str, str]] = []
    used: set[str] = set()
    for label, cells in by_label.items():
        means = pairs.get(label) or _meaning(label, cells, used, boxes, NAMES)
        if means == IGNORE and "date" not in used and _is_dates(cells):
            means = "date"
        if means == IGNORE:
            means = _by_cells(label, cells, used, names, boxes)
        if means != IGNORE:
            used.add(key_of(means))
        columns.append((label, means))
    values = _given(used)
    of_seats = (label for label, means in pairs.items() if means.startswith(VALUE_OF))
    kinds = {_numbered(label, boxes)[1] for label in of_seats} & {box.kind for box in boxes}
    cells_ = next((kind for kind in CARDS_OF_A_SEAT if kind in kinds), "points")
    return ColumnPlan(NAMES, tuple(columns), cells_, {}, values)


def _given(means: Collection[str]) -> dict[str, str]:
    """Return the likely values for missing columns: each date is a round of its own."""
    values = {} if "table" in means else {"table": "1"}
    return values | ({"round": DATES} if "date" in means and "round" not in means else {})


def _pairs(by_label: Cells, people: People, boxes: Sequence[Box]) -> dict[str, str]:
    """Return the meanings of columns of names and of numbers, if there are several of both.

    Numbered heads say it (`Spieler 1`, `Punkte 1`), repeated ones too (`Spieler`, `Punkte`,
    `Spieler`, `Punkte`); otherwise the columns with people's names and those with numbers.
    """
    for columns in (_by_heads(by_label, boxes), _by_contents(by_label, people, boxes)):
        names, values = columns
        if ENOUGH <= len(names) <= MOST_PLAYERS and len(names) == len(values):
            meanings = {label: f"{NAME_OF}{n}" for n, label in enumerate(names, start=1)}
            return meanings | {label: f"{VALUE_OF}{n}" for n, label in enumerate(values, start=1)}
    return {}


def _by_heads(by_label: Cells, boxes: Sequence[Box]) -> tuple[list[str], list[str]]:
    """Return the columns of names and of numbers by their numbers, without those of one half."""
    names: dict[int, str] = {}
    values: dict[int, str] = {}
    for label in by_label:
        number, means = _numbered(label, boxes)
        if means in ("player", "player_id"):
            names.setdefault(number, label)
        elif means in ("points", *CARDS_OF_A_SEAT):
            values.setdefault(number, label)
    both = sorted(names.keys() & values.keys())
    return [names[n] for n in both], [values[n] for n in both]


def _by_contents(
    by_label: Cells, people: People, boxes: Sequence[Box]
) -> tuple[list[str], list[str]]:
    """Return the columns that hold names of members, and those of numbers."""
    names: list[str] = []
    values: list[str] = []
    for label, cells in by_label.items():
        filled = [cell for cell in cells if cell not in NOTHING]
        n_names = sum(1 for cell in filled if people.called(cell) is not None)
        is_named = people.called(label) is not None
        if filled and n_names * 2 >= len(filled) and _usual(label, boxes) in ("", "player"):
            names.append(label)
        elif _is_numbers(cells) and not is_named and _usual(label, boxes) in ("", "points"):
            values.append(label)
    return names, values


def _numbered(label: str, boxes: Sequence[Box]) -> tuple[int, str]:
    """Return the number in a head, 1 if there is none, and the meaning of the other words."""
    match = NUMBERED.fullmatch(label)
    if match is None:
        return 1, _usual(label, boxes)
    words = (f"{match['stem']} {match['rest']}", match["rest"], match["stem"])
    means = (_usual(text, boxes) for text in words)
    return int(match["number"]), next((meant for meant in means if meant), "")


def _id_of(label: str, people: People) -> str:
    member = people.called(label)
    return member.player_id if member is not None else ""


def _usual(label: str, boxes: Sequence[Box]) -> str:
    folded_head = fold(label)
    if BOARD_BOX in boxes and meaning(label, (BOARD_BOX,)) == BOARD_BOX.key:
        return BOARD_BOX.key  # elsewhere a board is a table
    for means, heads in LIKELY.items():
        if folded_head and folded_head in {fold(head) for head in heads}:
            return means
    if label.strip() == "#":
        return "hand"
    key = meaning(label, boxes)
    return _named(key[1:], boxes) if key.startswith("=") else key


def _named(card: str, boxes: Sequence[Box]) -> str:
    return next((box.key for box in boxes if box.card == card), card)


def _meaning(
    label: str, cells: Sequence[str], used: set[str], boxes: Sequence[Box], rows: str
) -> str:
    means = _usual(label, boxes)
    if means == "variant" and _is_numbers(cells):
        means = "hand"  # "Game 3" is a number of a hand; no variant is called by a number
    if not means or not is_meaning(means, rows) or key_of(means) in used:
        return IGNORE
    if rows == HANDS and means == PLAYER:
        return IGNORE
    if rows != SEATS and key_of(means).startswith("=") and _is_numbers(cells):
        return IGNORE  # there such a column names somebody
    return means


def _by_cells(
    label: str,
    cells: Sequence[str],
    used: set[str],
    shown_names: Sequence[str],
    boxes: Sequence[Box],
) -> str:
    """Return the meaning of a column of words, if a row is a hand, by its contents."""
    filled = [cell for cell in cells if cell not in NOTHING]
    marks = [mark(cell).value for cell in filled]
    if marks and all(moon is not None and moon.choice for moon in marks):
        return IGNORE if CHOICE in used else CHOICE
    names = {letters(name) for name in shown_names}
    names |= {name.split()[0] for name in names if name}
    if not filled or not all(letters(cell) in names for cell in filled):
        return IGNORE
    for word in re.split(r"[\s_.:/-]+", label):
        card = meaning(word, boxes)
        if card.startswith("=") and card not in used:
            return _named(card[1:], boxes)
    return IGNORE


def _is_numbers(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell not in NOTHING]
    return bool(filled) and all(whole(cell).value is not None for cell in filled)


def _is_dates(cells: Sequence[str]) -> bool:
    filled = [cell for cell in cells if cell not in NOTHING]
    return bool(filled) and all(day(cell).value.options for cell in filled)
