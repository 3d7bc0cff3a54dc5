"""What an importer hands over of a list: players of a club, or fixed pairs of an event."""

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class ListedPlayer:
    """One player as listed; an empty id is to be made, an empty name is known to the club."""

    line: int
    player_id: str
    name: str
    joined: date | None = None
    start_position: int | None = None


@dataclass(frozen=True, slots=True)
class ListedPair:
    """One pair as listed: its own id and its two players."""

    line: int
    pair_id: str
    players: tuple[ListedPlayer, ListedPlayer]
