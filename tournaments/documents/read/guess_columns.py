"""What the columns of a foreign file likely are: by usual heads, people's names, and some rows.

A guess is shown, never taken."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from scoring.entry.sheet import Box
from scoring.game.running_totals import MOST_LINES, are_running_totals, is_hand
from scoring.rules.rules import Rules
from tournaments.documents.read.cells import day, mark, plain, whole
from tournaments.documents.read.column_plan import (
    NOTHING,
    ColumnPlan,
    is_meaning,
    key_of,
    labels_of,
)
from tournaments.documents.read.columns import BOARD_BOX, fold, is_sum, meaning
from tournaments.documents.read.marked_cells import mark_in
from tournaments.documents.read.people import People
from tournaments.documents.read.sum_rows import Column, are_sums, have_sums
from tournaments.domain.name_matching import spellings
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

LIKELY: Final = {
    "date": ("when", "played", "played on", "wann", "spieltag", "fecha", "jour"),
    "round": (
        *("session", "evening", "week", "runde nr", "spielabend", "ronda", "tour"),
        *("woche", "kw", "kalenderwoche", "semaine"),
    ),
    "table": ("table number", "tisch nr", "board", "mesa"),
    "hand": (
        "hand number",
        "deal no",
        "spiel",
        "spiel nr",
        "spel",
        "partie",
        "nr",
        "no",
        "number",
        "#",
    ),
    "player": ("who", "spieler name", "spielername", "vorname", "nachname", "jugador", "joueur"),
    "player_id": ("player no", "player number", "mitgliedsnummer", "nummer", "licence"),
    "hearts": ("hearts taken", "anzahl herz", "herzkarten", "corazones", "coeurs"),
    "points": ("total", "result", "ergebnis", "penalty", "minuspunkte", "puntos", "scr", "stand"),
    "moon": ("shot the moon", "moon by", "durchmarsch", "who shot"),
    CHOICE: ("moon choice", "moon settled", "settled", "durchmarsch wie", "choice"),
    "queen_spades": ("queen taken by", "queen of spades by", "pik dame bei", "lady taken by"),
}
"""Meaning of a column → other usual heads in foreign files."""

ENOUGH: Final = 2
"""Number of columns named like people of the club that makes rows of hands likely, and of pairs of
columns that makes rows of names likely."""

NUMBERED: Final = re.compile(
    r"(?P<stem>\D*?)[\s_.:/()-]*(?P<number>[1-9]|1[0-3])[\s_.:/()-]*(?P<rest>\D*)"
)
"""A head with one number: `Spieler 1`, `Player 1 points`, and what a repeated head is called."""

WORDS: Final = re.compile(r"[^\W_]+")
PLACE_WORDS: Final = frozenset({"rk", "rank", "place", "pos", "platz", "rang", "plaats"})

CARDS_OF_A_SEAT: Final = ("hearts", "cards")

MOST_COUNTED: Final = 40
"""Maximum number of hearts, or of points, that are shared out in a hand of any usual game."""

Cells = Mapping[str, Sequence[str]]
"""Label of a column → what stands in it in a few rows."""

Columns = tuple[tuple[str, str], ...]


def guess(
    heads: Sequence[str],
    sample: Sequence[Sequence[str]],
    people: People,
    boxes: Sequence[Box],
    rows: str = "",
) -> ColumnPlan:
    """Return the likely plan of a file, from a few rows of it; of the layout `rows` if given."""
    labels = labels_of(heads)
    rows_of_hands = [row for row in sample if not is_sum(row, people)]
    by_label = {
        label: [plain(row[index]).text for row in rows_of_hands if index < len(row)]
        for index, label in enumerate(labels)
    }
    pairs = _pairs(by_label, people, boxes) if rows in ("", NAMES) else {}
    if pairs or rows == NAMES:
        names = [
            cell
            for label in pairs
            if pairs[label].startswith(NAME_OF)
            for cell in _filled(by_label[label])
        ]
        columns = _columns(by_label, NAMES, pairs, names, boxes)
        of_seats = (label for label, means in pairs.items() if means.startswith(VALUE_OF))
        kinds = {_numbered(label, boxes)[1] for label in of_seats} & {box.kind for box in boxes}
        kind = next((kind for kind in CARDS_OF_A_SEAT if kind in kinds), "points")
        return ColumnPlan(NAMES, columns, kind, {}, _given(columns))
    members = {label: people.called(label) for label in labels if not usual_meaning(label, boxes)}
    ids = {label: member.player_id for label, member in members.items() if member is not None}
    numbers = [label for label in members if _is_points(by_label[label]) and not is_sum([label])]
    is_of_players = any(usual_meaning(label, boxes) in ("player", "player_id") for label in labels)
    is_of_hands = len(ids) >= ENOUGH or (len(numbers) > ENOUGH and not is_of_players)
    if (rows or (HANDS if is_of_hands else SEATS)) == SEATS:
        columns = _columns(by_label, SEATS, {}, (), boxes)
        return ColumnPlan(SEATS, columns, given=_given(columns))
    columns = _columns(by_label, HANDS, dict.fromkeys(ids, PLAYER), list(ids), boxes)
    by_cards = any(key_of(means).startswith("=") for _, means in columns)
    has_hearts = any(box.kind == "hearts" for box in boxes)
    players = {label: code for label, code in ids.items() if (label, PLAYER) in columns}
    return ColumnPlan(
        HANDS, columns, "hearts" if by_cards and has_hearts else "points", players, _given(columns)
    )


def lines_by_table(
    plan: ColumnPlan, sample: Sequence[Sequence[str]], labels: Sequence[str]
) -> list[list[tuple[int, ...]]]:
    """Return the numbers of the players in the first rows, together those of one table."""
    at = {label: index for index, label in enumerate(labels)}
    places = [at[label] for label, means in plan.columns if means in ("date", "round", "table")]
    numbers = [index for label, index in at.items() if plan.has_numbers(label)]
    tables: dict[tuple[str, ...], list[tuple[int, ...]]] = {}
    for row in sample:
        if is_sum(row):
            continue
        cells = [plain(row[index]).text for index in numbers if index < len(row)]
        values = [whole(cell).value for cell in cells if cell not in NOTHING]
        line = tuple(value for value in values if value is not None)
        if len(line) == len(values) and len(line) > 1:
            key = tuple(plain(row[index]).text for index in places if index < len(row))
            tables.setdefault(key, []).append(line)
    return list(tables.values())


def are_hands(lines: Sequence[Sequence[int]], rules: Rules, *, by_sum: bool = True) -> bool:
    """Whether at least half of the lines are points of a hand, or all are running totals of them.

    With `by_sum` also where all have the same small sum: hearts are as many in each hand.
    """
    some = [tuple(line) for line in lines[:MOST_LINES]]
    sums = set(map(sum, some))
    return bool(some) and (
        sum(is_hand(rules, line) for line in some) * 2 >= len(some)
        or (by_sum and len(sums) == 1 and max(sums) <= MOST_COUNTED)
        or are_running_totals(rules, some)
    )


def _columns(
    by_label: Cells,
    rows: str,
    players: Mapping[str, str],
    names: Sequence[str],
    boxes: Sequence[Box],
) -> Columns:
    """Return the columns with their likely meanings; `players` has those of columns of players."""
    columns: list[tuple[str, str]] = []
    used_keys: set[str] = set()
    sums = _sums_beside(by_label)
    for label, cells in by_label.items():
        means = players.get(label) if rows == NAMES else None
        means = means or _meaning(label, cells, used_keys, boxes, rows)
        if means == IGNORE and "date" not in used_keys and _is_dates(cells):
            means = "date"
        if means == IGNORE and rows != SEATS and label not in players:
            means = _by_cells(label, cells, used_keys, names, boxes)
        is_stranger = _is_points(cells) and not is_sum([label]) and label not in sums
        is_player = label in players or is_stranger
        if means == IGNORE and rows == HANDS and is_player:
            means = PLAYER
        elif means != IGNORE:
            used_keys.add(key_of(means))
        columns.append((label, means))
    return tuple(columns)


def _sums_beside(by_label: Cells) -> frozenset[str]:
    """Return the columns with the running sums of the column before them."""
    sums: dict[str, Column] = {}
    for before, label in pairwise(by_label):
        texts = zip(by_label[before], by_label[label], strict=False)
        numbers = [(whole(points).value, whole(total).value) for points, total in texts]
        if before not in sums and _is_numbers(by_label[label]) and are_sums(numbers):
            sums[label] = numbers
    if not have_sums(list(sums.values())):
        return frozenset()
    return frozenset(sums)


def _given(columns: Columns) -> dict[str, str]:
    """Return the likely values for missing columns: each date is a round of its own."""
    means = {means for _, means in columns}
    values = {} if "table" in means else {"table": "1"}
    return values | ({"round": DATES} if "date" in means and "round" not in means else {})


def _pairs(by_label: Cells, people: People, boxes: Sequence[Box]) -> dict[str, str]:
    """Return the meanings of columns of names and of numbers, if there are several of both.

    Numbered heads say it (`Spieler 1`, `Punkte 1`), repeated ones too (`Spieler`, `Punkte`,
    `Spieler`, `Punkte`); otherwise the columns with people's names and those with numbers.
    """
    for names, values in (_by_heads(by_label, boxes), _by_contents(by_label, people, boxes)):
        if ENOUGH <= len(names) <= MOST_PLAYERS and len(names) == len(values):
            meanings = {label: f"{NAME_OF}{n}" for n, label in enumerate(names, start=1)}
            return meanings | {label: f"{VALUE_OF}{n}" for n, label in enumerate(values, start=1)}
    return {}


def _by_heads(by_label: Cells, boxes: Sequence[Box]) -> tuple[list[str], list[str]]:
    names: dict[int, str] = {}
    values: dict[int, str] = {}
    for label in by_label:
        number, means = _numbered(label, boxes)
        if means in ("player", "player_id"):
            names.setdefault(number, label)
        elif means in ("points", *CARDS_OF_A_SEAT):
            values.setdefault(number, label)
    numbers = sorted(names.keys() & values.keys())
    return [names[n] for n in numbers], [values[n] for n in numbers]


def _by_contents(
    by_label: Cells, people: People, boxes: Sequence[Box]
) -> tuple[list[str], list[str]]:
    names: list[str] = []
    values: list[str] = []
    for label, cells in by_label.items():
        filled = _filled(cells)
        n_names = sum(1 for cell in filled if people.called(cell) is not None)
        is_named = people.called(label) is not None
        if filled and n_names * 2 >= len(filled) and usual_meaning(label, boxes) in ("", "player"):
            names.append(label)
        elif _is_numbers(cells) and not is_named and usual_meaning(label, boxes) in ("", "points"):
            values.append(label)
    return names, values if len(values) == len(names) else _beside(names, values, boxes)


def _beside(names: Sequence[str], values: Sequence[str], boxes: Sequence[Box]) -> list[str]:
    """Return a column of numbers for each column of names: `Scr-E` for `E`, `Scr-S` for `S`.

    Of several words the one that means points is taken, else the first that means no place.
    """
    by_word: dict[str, dict[str, str]] = {}
    for label in values:
        words = WORDS.findall(label.casefold())
        if len(words) < 2:
            continue
        for name in names:
            if name.casefold() == words[-1]:
                other_words = words[:-1]
            elif name.casefold() == words[0]:
                other_words = words[1:]
            else:
                continue
            by_word.setdefault(" ".join(other_words), {})[name] = label
    whole = {word: at for word, at in by_word.items() if at.keys() == set(names)}
    candidates = [word for word in whole if usual_meaning(word, boxes) == "points"]
    candidates += [word for word in whole if word not in PLACE_WORDS]
    if not candidates:
        return list(values)
    return [whole[candidates[0]][name] for name in names]


def _numbered(label: str, boxes: Sequence[Box]) -> tuple[int, str]:
    """Return the number in a head, 1 if there is none, and the meaning of the other words."""
    match = NUMBERED.fullmatch(label)
    if match is None:
        return 1, usual_meaning(label, boxes)
    words = (f"{match['stem']} {match['rest']}", match["rest"], match["stem"])
    return int(match["number"]), next(
        filter(None, (usual_meaning(text, boxes) for text in words)), ""
    )


def usual_meaning(label: str, boxes: Sequence[Box]) -> str:
    folded_head = fold(label)
    if BOARD_BOX in boxes and meaning(label, (BOARD_BOX,)) == BOARD_BOX.key:
        return BOARD_BOX.key  # elsewhere a board is a table
    for means, heads in LIKELY.items():
        if folded_head and folded_head in {fold(head) for head in heads}:
            return means
    if label.strip() == "#":
        return "hand"
    key = meaning(label, boxes)
    if not key.startswith("="):
        return key
    return _card_key(key[1:], boxes)


def _card_key(card: str, boxes: Sequence[Box]) -> str:
    return next((box.key for box in boxes if box.card == card), card)


def _meaning(
    label: str, cells: Sequence[str], used_keys: set[str], boxes: Sequence[Box], rows: str
) -> str:
    means = usual_meaning(label, boxes)
    if means == "variant" and _is_numbers(cells):
        means = "hand"  # "Game 3" is a number of a hand; no variant is called by a number
    if not means or not is_meaning(means, rows) or key_of(means) in used_keys:
        return IGNORE
    if rows == HANDS and means == PLAYER:
        return IGNORE
    if rows != SEATS and key_of(means).startswith("=") and _is_numbers(cells):
        return IGNORE  # there such a column names somebody
    return means


def _by_cells(
    label: str,
    cells: Sequence[str],
    used_keys: set[str],
    people: Sequence[str],
    boxes: Sequence[Box],
) -> str:
    """Return the meaning of a column of words, if a row is a hand, by its contents."""
    filled = _filled(cells)
    marks = [mark(cell).value for cell in filled]
    if marks and all(moon is not None and moon.choice for moon in marks):
        return IGNORE if CHOICE in used_keys else CHOICE
    names = {way for name in people for way in spellings(name)}
    names |= {name.split()[0] for name in names if name}
    if not filled or any(names.isdisjoint(spellings(cell)) for cell in filled):
        return IGNORE
    for word in re.split(r"[\s_.:/-]+", label):
        card = meaning(word, boxes)
        if card.startswith("=") and card not in used_keys:
            return _card_key(card[1:], boxes)
    return IGNORE


def _filled(cells: Sequence[str]) -> list[str]:
    return [cell for cell in cells if cell not in NOTHING]


def _is_numbers(cells: Sequence[str]) -> bool:
    filled = _filled(cells)
    return bool(filled) and all(whole(cell).value is not None for cell in filled)


def _is_points(cells: Sequence[str]) -> bool:
    """Whether there are numbers, and nothing beside them but marks such as that of a moon."""
    filled = _filled(cells)
    has_number = any(whole(cell).value is not None for cell in filled)
    return has_number and all(mark_in(cell) is not None for cell in filled)


def _is_dates(cells: Sequence[str]) -> bool:
    filled = _filled(cells)
    return bool(filled) and all(day(cell).value.is_date for cell in filled)
