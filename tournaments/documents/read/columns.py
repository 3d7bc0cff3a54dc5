"""What the columns of a file mean: heads and their synonyms, for sheets, lists and results."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any, Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.entry.sheet import Box, own_card_heads
from tournaments.documents.read import cells
from tournaments.documents.read.cells import ParsedCell
from tournaments.documents.read.csv import Unreadable
from tournaments.documents.read.people import People
from tournaments.domain.imports.import_report import Finding, Spot, finding
from tournaments.domain.replay_game import LAST_HAND
from tournaments.models.imports import (
    CHOICE,
    IGNORE,
    MOST_PLAYERS,
    NAME_OF,
    NAMES,
    PLAYER,
    PLEDGE,
    SEATS,
    VALUE_OF,
)

PLACES: Final = (
    ("date", _("Date")),
    ("round", _("Round")),
    ("table", _("Table")),
    ("variant", _("Game (rules)")),
    ("hand", _("Hand number")),
)
BOARD: Final = ("board", _("Board"))
OF_A_GAME: Final = (*PLACES[:3], ("hands", _("Number of hands")))
"""Where and when of a game whose totals are known."""

WHO: Final = (
    ("seat", _("Seat")),
    ("player", _("Player name")),
    ("player_id", _("Player id")),
    ("side", _("Side (NS or EW)")),
    ("pair_id", _("Pair")),
)
COUNTED: Final[Mapping[str, Any]] = {
    "hearts": _("Hearts taken"),
    "cards": _("Cards taken"),
    "tricks": _("Tricks"),
    "charged": _("Charged cards"),
    "pledge": _("Pledge"),
    "unclaimed": _("Unclaimed cards"),
    "moon": _("Moon settlement (on the shooter's row)"),
    "first_trick": _("Won the first trick"),
    "passer": _("Passed to the shooter"),
    "clean": _("Took nothing"),
    "melds": _("Melds"),
    "trick_points": _("Trick points"),
    "last_trick": _("Won the last trick"),
    "declared_out": _("Declared out"),
    "points": _("Points"),
}

_NAMES: Final[Mapping[str, Any]] = {
    **dict((*PLACES, BOARD, *OF_A_GAME, *WHO)),
    **COUNTED,
    CHOICE: _("Moon settlement"),
    PLAYER: _("A player"),
    IGNORE: _("Ignore"),
}
"""What a column means → its name for people."""

USUAL_PLAYERS: Final = 4

Choices = list[tuple[str, Any]]

HEADS: Final = {
    "date": ("date", "day", "datum", "tag", "dag", "jour", "timestamp", "zeitstempel"),
    "round": ("round", "rd", "round no", "runde", "night", "abend", "ronde", "manche"),
    "table": ("table", "tbl", "table no", "tisch", "tafel"),
    "variant": ("variant", "game", "rules", "variante", "regeln"),
    "hands": ("hands", "number of hands", "anzahl spiele", "aantal spellen", "nombre de donnes"),
    "hand": ("hand", "hand no", "deal", "blatt", "spel", "gift", "donne"),
    "seat": ("seat", "position", "place", "platz", "sitz", "sitzplatz", "zitplaats"),
    "player_id": ("player_id", "id", "member", "member no", "member id", "spieler-nr", "mitglied"),
    "player": ("player", "name", "player name", "spieler", "speler", "naam", "joueur", "nom"),
    "side": ("side", "seite"),
    "sides": ("sides", "seiten"),
    "pair_id": ("pair_id", "pair", "paar"),
    "hearts": ("hearts", "heart", "♥", "herz", "herzen", "harten", "coeurs"),
    "cards": ("cards", "karten", "taken"),
    "tricks": ("tricks", "stiche"),
    "charged": ("charged", "exposed", "declared", "angesagt"),
    "pledge": ("pledge", "versprechen"),
    "unclaimed": ("unclaimed", "nobody", "not counted", "niemand"),
    "moon": ("moon", "shooter", "shot", "mond", "slam"),
    "first_trick": ("first_trick", "first trick by", "erster stich"),
    "passer": ("passer", "passed to the shooter", "weitergegeben"),
    "clean": ("clean", "took nothing", "ohne stich"),
    "melds": ("melds", "meld", "meldungen"),
    "trick_points": ("trick_points", "points of tricks", "stichpunkte", "augen"),
    "last_trick": ("last_trick", "won the last trick", "letzter stich"),
    "declared_out": ("declared_out", "out", "ausgemeldet"),
    "points": ("points", "pts", "score", "punkte", "punten"),
}
"""Key of a column → the heads it may have."""

BOARD_BOX: Final = Box(
    "board", "board", None, "Board", None, ("board", "board no", "brett", "brett nr"), per="hand"
)
"""The column of the board that a hand was played with; only duplicate events read it."""

RANKS: Final = {
    "A": ("a", "ace", "ass"),
    "K": ("k", "king", "könig", "koenig"),
    "Q": ("q", "queen", "dame", "lady"),
    "J": ("j", "jack", "knave", "bube"),
    "10": ("10", "t", "ten", "zehn"),
    "9": ("9", "nine", "neun"),
    "8": ("8", "eight", "acht"),
    "7": ("7", "seven", "sieben"),
    "6": ("6", "six", "sechs"),
    "5": ("5", "five", "fünf"),
    "4": ("4", "four", "vier"),
    "3": ("3", "three", "drei"),
    "2": ("2", "two", "zwei"),
}
SUITS: Final = {
    "C": ("c", "club", "clubs", "♣", "kreuz"),
    "D": ("d", "diamond", "diamonds", "♦", "karo"),
    "H": ("h", "heart", "hearts", "♥", "herz"),
    "S": ("s", "spade", "spades", "♠", "pik"),
}

NICKNAMES: Final = {"QS": ("lady", "black lady", "queen", "dame", "black maria")}
"""Card code → heads that name it without rank and suit."""

NEEDED: Final = (("round",), ("table",), ("hand",), ("seat", "side"))
"""A sheet needs one column of each of these, who sat there, and something that was counted."""

NAMES_OF_MISSING: Final[Mapping[str, Any]] = {
    "round": _("Round"),
    "table": _("Table"),
    "hand": _("Hand number"),
    "seat or side": _("Seat or side"),
    "player_id or player": _("Player name or player id"),
    "player_id or name": _("Player name or player id"),
    "player_id or player or pair": _("Player or pair"),
    "pair_id": _("Pair"),
    "player_1_id or player_1": _("First player of the pair"),
    "player_2_id or player_2": _("Second player of the pair"),
    "counts or points": _("Points or cards"),
    "points": _("Points"),
    "played_on": _("Date"),
    "entry_id": _("Which game (round and table, or date and table, or the id of the game)"),
}
"""Keys of which a file needs one → the name of the missing column for people."""

BESIDE_COUNTS: Final = frozenset(
    {"date", "round", "table", "variant", "hand", "hands", "seat", "side", "player_id", "player"}
    | {"sides", "pair_id", "moon", "charged", "pledge", "unclaimed", "first_trick", "passer"}
    | {"melds", "last_trick", "declared_out", "board"}
)
"""Columns that by themselves say nothing about what a seat took."""


def choices_of(rows: str, boxes: Sequence[Box], pairs: int = USUAL_PLAYERS) -> Choices:
    """Return the meanings that a column may have, in groups, for the boxes of a sheet.

    Without boxes they are those of a file with the totals of games.
    """
    if any(box.kind == "board" for box in boxes):
        places = [*PLACES, BOARD]
    else:
        places = list(PLACES)
    if not boxes:
        places = [*OF_A_GAME]
    if rows == SEATS:
        cards = [
            (box.key, gettext("%(card)s taken") % {"card": box.label})
            for box in boxes
            if box.kind == "card"
        ]
        counts = [(box.kind, COUNTED[box.kind]) for box in boxes if box.kind in COUNTED]
        counts = counts or [("points", COUNTED["points"])]
        return [
            (IGNORE, gettext("Ignore")),
            (gettext("Where and when"), places),
            (gettext("Entrant"), list(WHO)),
            (gettext("Counts"), counts + cards),
        ]
    if rows == NAMES:
        players: Choices = [
            (
                gettext("Player %(n)s") % {"n": n},
                [
                    (f"{NAME_OF}{n}", gettext("Player %(n)s: name") % {"n": n}),
                    (f"{VALUE_OF}{n}", gettext("Player %(n)s: points") % {"n": n}),
                ],
            )
            for n in range(1, pairs + 1)
        ]
    else:
        players = [(PLAYER, gettext("A player"))]
    naming = list(_naming(boxes))
    return [
        (IGNORE, gettext("Ignore")),
        *players,
        (gettext("Where and when"), places),
        *([(gettext("Names a player of the row"), naming)] if naming else []),
    ]


def column_meanings(rows: str, boxes: Sequence[Box], n_columns: int) -> Iterator[str]:
    for key, group in choices_of(rows, boxes, pairs_of(n_columns)):
        yield from (meaning for meaning, _ in group) if isinstance(group, list) else (key,)


def pairs_of(n_columns: int) -> int:
    return min(max(n_columns // 2, USUAL_PLAYERS), MOST_PLAYERS)


def name_of(means: str) -> str:
    """Return the name of what a column means, as the page of the columns has it.

    >>> str(name_of("player_id")), str(name_of("player:2")), name_of("queen_spades")
    ('Player id', 'Player 2: name', 'queen spades')
    """
    for head, text in (
        (NAME_OF, gettext("Player %(n)s: name")),
        (VALUE_OF, gettext("Player %(n)s: points")),
    ):
        if means.startswith(head):
            return text % {"n": means.removeprefix(head)}
    return str(_NAMES.get(means, means.replace("_", " ")))


def _naming(boxes: Sequence[Box]) -> Iterator[tuple[str, str]]:
    for box in boxes:
        if box.kind == "card":
            yield box.key, gettext("Taker of %(card)s") % {"card": box.label}
        elif box.kind == "moon":
            yield "moon", gettext("Moon shooter")
            yield CHOICE, gettext("Moon settlement")
        elif box.kind == "charged":
            yield "charged", gettext("Charged cards")
        elif box.kind == "pledge":
            for choice in box.choices:
                yield f"{PLEDGE}{choice}", gettext("Pledge of %(what)s") % {"what": choice}


SUMS: Final = frozenset(
    {*cells.TOTAL_WORDS, "subtotal", "sub total", "subtotals", "grand total", "overall", "sums"}
    | {"tot", "total points", "points total", "total score", "score total", "final score", "result"}
    | {"zwischensumme", "gesamtsumme", "endsumme", "insgesamt", "endstand", "zwischenstand"}
    | {"gesamtpunkte", "punkte gesamt", "summe punkte", "ergebnis", "endergebnis", "summen"}
    | {"subtotaal", "eindtotaal", "eindstand", "tussenstand", "uitslag", "tot nu toe"}
    | {"total général", "sous-total", "cumul", "résultat"}
    | {"average", "averages", "avg", "mean", "schnitt", "durchschnitt", "mittelwert", "ø"}
    | {"gemiddelde", "gemiddeld", "gem", "moyenne", "moy", "kontrolle", "controle", "contrôle"}
)
"""First words of a row of totals or averages, and heads of such a column."""

RANKS_OF_PLAYERS: Final = frozenset(
    {"rank", "ranking", "place", "platz", "platzierung", "rang", "plaats", "classement"}
)
"""First words of a row with the places of the players, below their totals."""

SUM_OF: Final = re.compile(
    r"(?P<sum>[^\W\d]+)[.:]?\s*(?:\(.*\)|\d+|"
    r"(?:table|tisch|tafel|evening|abend|avond|night|round|runde|ronde|hands|spiele|spellen|"
    r"points|pts|punkte|punten|after|nach|na|per|pro|of|je)\b.*)",
    re.IGNORECASE,
)
"""A word for totals and what they are of: `Summe Tisch 1`, `Total (5 hands)`."""

PLACE_OF_ROW: Final = re.compile(
    r"[^\W\d]|(?:table|tisch|tafel|round|runde|ronde|manche|night|evening|abend|avond)\W*\w{1,3}"
)
"""A cell with a table or a round, which is no word: `A`, `Tisch 2`, `Round 3`."""

LABELS_KEPT: Final = 50_000


def is_sum(row: Sequence[str], people: People | None = None) -> bool:
    """Whether a row has the totals, averages or places of the rows above it, and is no player's.

    Its first word says it: numbers and dates before that are of the round, the table and the date.

    >>> is_sum(["", "Σ", "26"]), is_sum(["Gem.:", "6,5"]), is_sum(["Gus Total"])
    (True, True, False)
    >>> is_sum(["13.10.2026", "A", "Summe", "42"]), is_sum(["13.10.2026", "Ann Tarn", "Summe"])
    (True, False)
    """
    for cell in row:
        label = _label_in(cell)
        if label == "word":
            return False
        if label == "sum":
            return people is None or people.called(cells.plain(cell).text) is None
    return False


@lru_cache(maxsize=LABELS_KEPT)
def _label_in(cell: str) -> str:
    """Return what the word in a cell is: `sum`, or `word` for any other; nothing without one."""
    text = cells.plain(cell).text.strip(":.= ").casefold()
    words = {text, text.replace("-", "")}
    if words & SUMS or words & RANKS_OF_PLAYERS:
        return "sum"
    if not any(map(str.isalpha, text)) or PLACE_OF_ROW.fullmatch(text):
        return ""
    match = SUM_OF.fullmatch(text)
    if match and match["sum"] in SUMS:
        return "sum"
    return "" if cells.day(cell).value.is_date else "word"


def fold(head: str) -> str:
    """Return a head without case, blanks and punctuation: `Player_ID ` → `playerid`."""
    text = unicodedata.normalize("NFKC", head).casefold()
    return "".join(sign for sign in text if sign.isalnum() or sign in "♣♦♥♠")


def _card_heads() -> Iterator[tuple[str, str]]:
    for rank, ranks in RANKS.items():
        for suit, suits in SUITS.items():
            for r, s in product(ranks, suits):
                yield from ((fold(text), rank + suit) for text in (r + s, s + r, f"{r}of{s}"))
    for head, card in own_card_heads().items():
        yield fold(head), card
    for code, names in NICKNAMES.items():
        for name in names:
            yield fold(name), code


CARD_OF: Final = dict(_card_heads())
KEY_OF: Final = {fold(head): key for key, heads in HEADS.items() for head in heads}


@dataclass(frozen=True, slots=True)
class ColumnIndex:
    """The place of each column of a file: `at` by key, `cards` by card code."""

    width: int
    at: Mapping[str, int]
    cards: Mapping[str, int] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()

    def cell(self, row: Sequence[str], key: str) -> ParsedCell[str]:
        index = self.at.get(key)
        return cells.plain(row[index] if index is not None and index < len(row) else "")


def recognised(heads: Sequence[str]) -> int:
    return sum(1 for head in heads if meaning(head))


def meaning(head: str, boxes: Sequence[Box] = ()) -> str:
    """Return the key of a column, a card's code with a `=` before it, or nothing."""
    folded = fold(head)
    if key := KEY_OF.get(folded):
        return key
    if card := CARD_OF.get(folded):
        return "=" + card
    for box in boxes:
        if folded and folded in {fold(column) for column in (box.key, *box.columns)}:
            if not box.card:
                return box.key
            return "=" + box.card
    return ""


def columns_of(heads: Sequence[str], boxes: Sequence[Box] = ()) -> ColumnIndex:
    at, unknown = _index_heads(heads, lambda head: meaning(head, boxes))
    needed = (*NEEDED, ("player_id", "player") if "seat" in at else ("pair_id",))
    missing = [" or ".join(keys) for keys in needed if not any(key in at for key in keys)]
    if not set(at) - BESIDE_COUNTS:
        missing.append("counts or points")
    refuse_missing(missing, heads)
    cards = {key[1:]: index for key, index in at.items() if key.startswith("=")}
    by_key = {key: index for key, index in at.items() if not key.startswith("=")}
    return ColumnIndex(len(heads), by_key, cards, unknown)


def _index_heads(
    heads: Sequence[str], key_of: Callable[[str], str | None]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the place of each key, from 0, and the heads that mean none."""
    at: dict[str, int] = {}
    unknown = []
    for index, head in enumerate(heads):
        key = key_of(head)
        if not key:
            unknown.extend([head.strip()] if head.strip() else [])
        elif key in at:
            heads_alike = f'"{heads[at[key]].strip()}" and "{head.strip()}"'
            raise Unreadable(f"Two columns mean the same: {heads_alike}. Keep one of them.")
        else:
            at[key] = index
    return at, tuple(unknown)


def refuse_missing(missing: Sequence[str], heads: Sequence[str]) -> None:
    if missing:
        facts = {
            "columns": "; ".join(str(NAMES_OF_MISSING.get(key, key)) for key in missing),
            "heads": ", ".join(head.strip() for head in heads if head.strip())[:200],
        }
        text = gettext("No column for %(columns)s. The heads are: %(heads)s.")
        raise Unreadable(text % facts)


Heads = Mapping[str, tuple[str, ...]]
"""Key of a column → the heads it may have."""


def list_columns(heads: Sequence[str], known_heads: Heads) -> ColumnIndex:
    meanings = {fold(head): key for key, names in known_heads.items() for head in names}
    at, unknown = _index_heads(heads, lambda head: meanings.get(fold(head)))
    return ColumnIndex(len(heads), at, unknown=unknown)


def require_columns(columns: ColumnIndex, heads: Sequence[str], needed: Sequence[str]) -> None:
    missing = [key for key in needed if not any(name in columns.at for name in key.split(" or "))]
    refuse_missing(missing, heads)


def number_from_one(cell: ParsedCell[str]) -> int | None:
    """Return the whole number from 1 up in a cell, None if there is none.

    >>> number_from_one(ParsedCell("7,0", "7,0")), number_from_one(ParsedCell("0", "0"))
    (7, None)
    """
    value = cells.whole(cell.text).value
    return value if value is not None and value >= 1 else None


def length_of(cell: ParsedCell[str]) -> int | None:
    """Return the number of hands that totals stand for; None if no game has so many."""
    value = number_from_one(cell)
    return value if value is not None and value <= LAST_HAND else None


def head_notes(columns: ColumnIndex, line: int) -> list[Finding]:
    return [finding("unknown_column", Spot((line,)), found=name) for name in columns.unknown]
