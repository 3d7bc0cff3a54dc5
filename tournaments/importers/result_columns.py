"""Columns of a file of results: heads and their synonyms, a row a player or a row a game."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from tournaments.importers.tabular.columns import fold
from tournaments.importers.tabular.list_columns import Heads, ListColumns

RESULTS: Final[Heads] = {
    "entry_id": ("entry_id", "entry", "result", "result id", "game id"),
    "corrects": ("corrects", "correction of", "replaces"),
    "played_on": ("played_on", "date", "day", "datum", "tag"),
    "player_id": ("player_id", "id", "member", "member no", "member id", "spieler-nr"),
    "player": ("player", "name", "player name", "spieler"),
    "pair": ("pair_id", "pair", "paar", "team", "partners"),
    "sides": ("sides", "seiten"),
    "place": ("place", "rank", "platz"),
    "points": ("points", "pts", "score", "total", "punkte"),
    "hands": ("hands", "number of hands", "deals"),
    "round": ("round", "rd", "round no", "runde", "night", "abend"),
    "table": ("table", "tbl", "table no", "tisch"),
}
NUMBERED: Final = re.compile(
    "(?:(?P<player_id>playerid|memberno|id)|(?P<player>player|name|spieler)"
    "|(?P<pair>pairid|pair|paar|side|seite|team|partners)"
    "|(?P<points>score|points|pts|punkte|total))(?P<seat>[1-9]|1[0-3])"
)
"""A folded head of a row a game: whose it is, and what it says of them."""
SAID: Final = ("player_id", "player", "pair", "points")
KNOWN: Final = frozenset(fold(head) for heads in RESULTS.values() for head in heads)


def names_pairs(columns: ListColumns, seats: Mapping[int, Mapping[str, int]]) -> bool:
    """Whether a file has pairs in the place of players."""
    who = {"player", "player_id"}
    own = columns.at.keys() | {key for seat in seats.values() for key in seat}
    return "pair" in own and not who & own


def seats_in(heads: Sequence[str]) -> dict[int, dict[str, int]]:
    """Return where a row a game has each player, by number; nothing where rows are players.

    >>> seats_in(["Date", "Player 1", "Score 1"]), seats_in(["player", "points"])
    ({1: {'player': 1, 'points': 2}}, {})
    """
    found: dict[int, dict[str, int]] = {}
    for index, head in enumerate(heads):
        if said := NUMBERED.fullmatch(fold(head)):
            key = next(key for key in SAID if said[key])
            found.setdefault(int(said["seat"]), {}).setdefault(key, index)
    return {seat: at for seat, at in found.items() if "points" in at and len(at) > 1}


def recognised_results(heads: Sequence[str]) -> int:
    """Return how many of the heads a file of results may have."""
    return sum(1 for head in heads if fold(head) in KNOWN or NUMBERED.fullmatch(fold(head)))
