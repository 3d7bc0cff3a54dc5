"""The columns of a file with totals of games: by our own heads, or by a person's plan."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tournaments.documents.read.apply_plan import NOTHING
from tournaments.documents.read.cells import plain
from tournaments.documents.read.column_plan import ColumnPlan, labels_of
from tournaments.documents.read.columns import HEADS, ColumnIndex, fold, list_columns
from tournaments.documents.read.people import People
from tournaments.models.imports import NAME_OF, SEATS, VALUE_OF

RESULTS: Final = {
    "entry_id": ("entry_id", "entry", "result", "result id", "game id"),
    "corrects": ("corrects", "correction of", "replaces"),
    "played_on": ("played_on", *HEADS["date"]),
    "player_id": ("player_id", "id", "member", "member no", "member id", "spieler-nr"),
    "pair": ("pair_id", "pair", "paar", "team", "partners"),
    "place": ("place", "rank", "platz", "plaats", "rang"),
    "points": (*HEADS["points"], "total", "totaal"),
    "hands": ("hands", "number of hands", "deals"),
    **{key: HEADS[key] for key in ("player", "sides", "round", "table")},
}
NUMBERED: Final = re.compile(
    "(?:(?P<player_id>playerid|memberno|id)|(?P<player>player|name|spieler|speler|naam|joueur|nom)"
    "|(?P<pair>pairid|pair|paar|side|seite|team|partners)"
    "|(?P<points>score|points|pts|punkte|punten|total|totaal))(?P<seat>[1-9]|1[0-3])"
)
"""A folded head of a file with a row for each game: its seat, and what the column has of it."""
OF_A_SEAT: Final = ("player_id", "player", "pair", "points")
KNOWN: Final = frozenset(fold(head) for heads in RESULTS.values() for head in heads)


def names_pairs(columns: ColumnIndex, seats: Mapping[int, Mapping[str, int]]) -> bool:
    """Whether a file has pairs instead of players."""
    person_keys = {"player", "player_id"}
    keys = columns.at.keys() | {key for seat in seats.values() for key in seat}
    return "pair" in keys and not person_keys & keys


def seats_in(heads: Sequence[str]) -> dict[int, dict[str, int]]:
    """Return the columns of each player by number, if a row is a game; else nothing.

    >>> seats_in(["Date", "Player 1", "Score 1"]), seats_in(["player", "points"])
    ({1: {'player': 1, 'points': 2}}, {})
    """
    seats: dict[int, dict[str, int]] = {}
    for index, head in enumerate(heads):
        if match := NUMBERED.fullmatch(fold(head)):
            key = next(key for key in OF_A_SEAT if match[key])
            seats.setdefault(int(match["seat"]), {}).setdefault(key, index)
    return {seat: at for seat, at in seats.items() if "points" in at and len(at) > 1}


KEY_OF: Final = {"date": "played_on", "pair_id": "pair"}
"""Meaning of a column in a plan → key of a column of results, where they differ."""


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """The columns of a file with totals.

    Attributes:
        whole: columns that are about the whole row.
        seats: number of a player → key → column, where a row is a game.
        named: number of a player → their id or name, where a column is one player's.
    """

    whole: ColumnIndex
    seats: Mapping[int, Mapping[str, int]]
    named: Mapping[int, Mapping[str, str]] = field(default_factory=dict)

    def of_players(self, row: Sequence[str]) -> Iterator[dict[str, str]]:
        """Yield the texts of each player of a row that is a game."""
        for seat, at in sorted(self.seats.items()):
            texts = {
                key: plain(row[index] if index < len(row) else "").text for key, index in at.items()
            }
            filled = {key for key, text in texts.items() if text not in NOTHING}
            if filled if seat in self.named else any(texts.values()):
                named = self.named.get(seat, {})
                yield {"player": "", "player_id": "", "pair": "", "points": "", **named, **texts}


def own_columns(heads: Sequence[str]) -> ResultColumns:
    """Return the columns of a file with our own heads."""
    whole, seats = list_columns(heads, RESULTS), seats_in(heads)
    if not seats:
        return ResultColumns(whole, {})
    strange = tuple(head for head in whole.unknown if not NUMBERED.fullmatch(fold(head)))
    return ResultColumns(ColumnIndex(whole.width, whole.at, unknown=strange), seats)


def planned_columns(
    plan: ColumnPlan, heads: Sequence[str], people: People, *, by_pair: bool
) -> ResultColumns:
    """Return the columns of a file by a plan; names are those of pairs, or of players."""
    labels = labels_of(heads)
    place = {label: index for index, label in enumerate(labels)}
    columns = [(label, means) for label, means in plan.columns if label in place]
    at: dict[str, int] = {}
    seats: dict[int, dict[str, int]] = {}
    named: dict[int, dict[str, str]] = {}
    who = "pair" if by_pair else "player"
    for label, means in columns:
        index = place[label]
        if plan.is_player(label):
            seat = len(seats) + 1
            seats[seat] = {"points": index}
            code = plan.players.get(label, "")
            member = None if code else people.called(label)
            code = member.player_id if member is not None else code
            named[seat] = {"player_id": code} if code else {"player": label}
        elif means.startswith(NAME_OF):
            seats.setdefault(int(means.removeprefix(NAME_OF)), {})[who] = index
        elif means.startswith(VALUE_OF):
            seats.setdefault(int(means.removeprefix(VALUE_OF)), {})["points"] = index
        elif (key := KEY_OF.get(means, means)) in RESULTS and (
            plan.rows == SEATS or key in ("played_on", "round", "table", "hands")
        ):
            at.setdefault(key, index)
    return ResultColumns(ColumnIndex(len(labels), at), seats, named)
