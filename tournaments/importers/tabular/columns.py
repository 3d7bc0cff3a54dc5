"""Which column of a sheet means what: heads and their synonyms, as data.

Heads are folded for case, blanks and punctuation. Cards have a column each, under their name in
English or German or their code (`queen_spades`, `Pik Dame`, `QS`, `SQ`, `Q♠`).
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from scoring.entry.sheet import Box, own_card_heads
from tournaments.importers.tabular.csv import Unreadable

HEADS: Final[Mapping[str, tuple[str, ...]]] = {
    "date": ("date", "day", "datum", "tag"),
    "round": ("round", "rd", "round no", "runde", "night", "abend"),
    "table": ("table", "tbl", "table no", "tisch"),
    "variant": ("variant", "game", "rules", "variante", "regeln"),
    "hands": ("hands", "number of hands"),
    "hand": ("hand", "hand no", "deal", "blatt"),
    "seat": ("seat", "position", "place", "platz", "sitz", "sitzplatz"),
    "player_id": ("player_id", "id", "member", "member no", "member id", "spieler-nr", "mitglied"),
    "player": ("player", "name", "player name", "spieler"),
    "side": ("side", "seite"),
    "sides": ("sides", "seiten"),
    "pair_id": ("pair_id", "pair", "paar"),
    "hearts": ("hearts", "heart", "♥", "herz", "herzen"),
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
    "points": ("points", "pts", "score", "punkte"),
}
"""Key of a column → the heads it may have."""

BOARD_BOX: Final = Box(
    "board", "board", None, "Board", None, ("board", "board no", "brett", "brett nr"), per="hand"
)
"""The column of the board that a hand was played with; only duplicate events read it."""

RANKS: Final[Mapping[str, tuple[str, ...]]] = {
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
SUITS: Final[Mapping[str, tuple[str, ...]]] = {
    "C": ("c", "club", "clubs", "♣", "kreuz"),
    "D": ("d", "diamond", "diamonds", "♦", "karo"),
    "H": ("h", "heart", "hearts", "♥", "herz"),
    "S": ("s", "spade", "spades", "♠", "pik"),
}
NICKNAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "QS": ("lady", "black lady", "queen", "dame", "black maria"),
}
"""Card code → heads that name it without rank and suit."""

NEEDED: Final[tuple[tuple[str, ...], ...]] = (
    ("round",),
    ("table",),
    ("hand",),
    ("seat", "side"),
)
"""A sheet needs one column of each of these, who sat there, and something that was counted."""

BESIDE_COUNTS: Final = frozenset(
    {"date", "round", "table", "variant", "hand", "hands", "seat", "side", "player_id", "player"}
    | {"sides", "pair_id", "moon", "charged", "pledge", "unclaimed", "first_trick", "passer"}
    | {"melds", "last_trick", "declared_out", "board"}
)
"""Columns that by themselves say nothing about what a seat took."""


def fold(head: str) -> str:
    """Return a head without case, blanks and punctuation: `Player_ID ` → `playerid`."""
    text = unicodedata.normalize("NFKC", head).casefold()
    return "".join(sign for sign in text if sign.isalnum() or sign in "♣♦♥♠")


def _card_heads() -> Iterator[tuple[str, str]]:
    for rank, ranks in RANKS.items():
        for suit, suits in SUITS.items():
            for one in ranks:
                for other in suits:
                    for text in (one + other, other + one, f"{one}of{other}"):
                        yield fold(text), rank + suit
    for head, card in own_card_heads().items():
        yield fold(head), card
    for code, names in NICKNAMES.items():
        for name in names:
            yield fold(name), code


CARD_OF: Final[Mapping[str, str]] = dict(_card_heads())
KEY_OF: Final[Mapping[str, str]] = {
    fold(head): key for key, heads in HEADS.items() for head in heads
}


@dataclass(frozen=True, slots=True)
class ColumnIndex:
    """Where each column of a file stands: `at` by key, `cards` by card code."""

    width: int
    at: Mapping[str, int]
    cards: Mapping[str, int] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()


def recognised(heads: Sequence[str]) -> int:
    """Return how many of the heads mean something."""
    return sum(1 for head in heads if meaning(head))


def meaning(head: str, boxes: Iterable[Box] = ()) -> str:
    """Return the key of a column, a card's code with a `=` before it, or nothing."""
    folded = fold(head)
    if key := KEY_OF.get(folded):
        return key
    if card := CARD_OF.get(folded):
        return "=" + card
    for box in boxes:
        if folded and folded in {fold(column) for column in (box.key, *box.columns)}:
            return "=" + box.card if box.card else box.key
    return ""


def columns_of(heads: Sequence[str], boxes: Iterable[Box] = ()) -> ColumnIndex:
    """Return the columns of a file with these heads.

    Args:
        boxes: those of the event's variant, whose own column names are read too.

    Raises:
        Unreadable: a needed column is missing, or two heads mean the same.
    """
    known = tuple(boxes)
    at, unknown = index_heads(heads, lambda head: meaning(head, known))
    _require_needed(at, heads)
    cards = {key[1:]: index for key, index in at.items() if key.startswith("=")}
    named = {key: index for key, index in at.items() if not key.startswith("=")}
    return ColumnIndex(len(heads), named, cards, unknown)


def _require_needed(at: Mapping[str, int], heads: Sequence[str]) -> None:
    needed = (*NEEDED, ("player_id", "player") if "seat" in at else ("pair_id",))
    missing = [" or ".join(keys) for keys in needed if not any(key in at for key in keys)]
    if not set(at) - BESIDE_COUNTS:
        missing.append("counts or points")
    refuse_missing(missing, heads)


def index_heads(
    heads: Sequence[str], key_of: Callable[[str], str | None]
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the place of each key, from 0, and the heads that mean none.

    Raises:
        Unreadable: two heads mean the same.
    """
    at: dict[str, int] = {}
    unknown = []
    for index, head in enumerate(heads):
        key = key_of(head)
        if not key:
            unknown.extend([head.strip()] if head.strip() else [])
        elif key in at:
            both = f'"{heads[at[key]].strip()}" and "{head.strip()}"'
            raise Unreadable(f"Two columns mean the same: {both}. Keep one of them.")
        else:
            at[key] = index
    return at, tuple(unknown)


def refuse_missing(missing: Sequence[str], heads: Sequence[str]) -> None:
    """Refuse a file that lacks the columns `missing`.

    Raises:
        Unreadable: says which, and what the heads are instead.
    """
    if missing:
        found = ", ".join(head.strip() for head in heads if head.strip())[:200]
        raise Unreadable(f"No column for {'; '.join(missing)}. The heads are: {found}.")
