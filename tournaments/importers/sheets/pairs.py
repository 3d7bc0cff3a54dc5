"""Who a side is: from a pair's id in a row to the fixed pair of the event, and its two players."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tournaments.importers.sheets.players import ClubPlayer, RowPerson
from tournaments.importers.tabular.cells import plain

SIDES: Final = 2
"""A table of pairs has so many sides: the first one sits North and South."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A fixed pair of the event: its entrant's key and id, and its players' keys, the first one
    sitting North or East."""

    key: int
    pair_id: str
    name: str
    players: tuple[int, ...]


class Pairs:
    """The pairs of an event; a pair is shown and compared like a member of that id and name."""

    def __init__(self, pairs: Iterable[Pair]) -> None:
        self._by_id = {pair.pair_id.casefold(): pair for pair in pairs}
        self._by_player = {player: pair for pair in self._by_id.values() for player in pair.players}
        self._seen: dict[str, RowPerson] = {}

    def person(self, raw: str) -> RowPerson:
        """Return the pair that a cell names, in the shape of a member."""
        seen = self._seen.get(raw)
        if seen is None:
            seen = self._seen[raw] = self._read(raw)
        return seen

    def _read(self, raw: str) -> RowPerson:
        cell = plain(raw)
        pair = self._by_id.get(cell.text.casefold())
        if pair is not None:
            member = ClubPlayer(pair.key, pair.pair_id, pair.name)
            return RowPerson(member, cell.text, notes=cell.notes)
        code = "unknown_pair" if cell.text else "no_player"
        return RowPerson(None, cell.text, code, "a pair of the event", notes=cell.notes)

    def players(self, member: ClubPlayer | None) -> tuple[int, ...]:
        """Return the keys of a pair's players; nobody's where the pair is not known."""
        pair = self._by_id.get(member.player_id.casefold()) if member is not None else None
        return pair.players if pair is not None else ()

    def has(self, raw: str, player: int) -> bool:
        """Whether the pair that a cell names is the player's; an empty cell says nothing."""
        code = plain(raw).text
        pair = self._by_player.get(player)
        return not code or (pair is not None and pair.pair_id.casefold() == code.casefold())

    def of(self, player: int) -> str:
        """Return the id of a player's pair, empty where the player has none."""
        pair = self._by_player.get(player)
        return pair.pair_id if pair is not None else ""
