"""The round at hand for a big screen: where everybody sits once it is posted, then its tables."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from tournaments.models.events import Event
from tournaments.models.meetings import Round, RoundState
from tournaments.presenters.rounds.board_foot import BoardFoot, board_foot
from tournaments.selectors.rounds.round_board import RoundBoard, Tile, board
from tournaments.selectors.rounds.round_progress import RoundProgress, round_progress
from tournaments.selectors.rounds.round_times import RoundClock, round_clock

T = TypeVar("T")

PLACES_A_PAGE: Final = 14
"""Two columns of seven lines that are read at eight metres (docs/for-directors.md)."""
TILES_A_PAGE: Final = 8
_SHOWN: Final = (RoundState.PLAYING, RoundState.POSTED, RoundState.CLOSED)


@dataclass(frozen=True, slots=True)
class SeatedPlace:
    """Where a player sits; `table` is 0 for who sits out."""

    name: str
    table: int
    seat: str


@dataclass(frozen=True, slots=True)
class RoundScreen:
    """`places` are pages of players by name, empty once the round has a hand; `tiles` are pages of
    its tables, empty before."""

    round: Round
    clock: RoundClock | None
    board: RoundBoard
    foot: BoardFoot
    places: tuple[tuple[SeatedPlace, ...], ...]
    tiles: tuple[tuple[Tile, ...], ...]

    @property
    def n_pages(self) -> int:
        """How many pages it has."""
        return max(1, len(self.places) + len(self.tiles))


def round_screen(event: Event, *, now: datetime) -> RoundScreen | None:
    """Return the round at hand: in progress, else posted, else the last one; None without any."""
    found = _round_at_hand(round_progress(event))
    if found is None:
        return None
    clock = round_clock(event, found, now=now)
    is_over = clock is not None and clock.is_over
    laid_out = board(event, found, names=False, is_over=is_over)
    foot = board_foot(event, found)
    is_seating = found.state == RoundState.POSTED
    return RoundScreen(
        round=found,
        clock=clock,
        board=laid_out,
        foot=foot,
        places=_chunks(_places(laid_out, foot), PLACES_A_PAGE) if is_seating else (),
        tiles=() if is_seating else _chunks(laid_out.tiles, TILES_A_PAGE),
    )


def _round_at_hand(rounds: Sequence[RoundProgress]) -> Round | None:
    for state in _SHOWN:
        own = [one for one in rounds if one.state == state and not one.is_playoff]
        if own:
            return (own[0] if state == RoundState.POSTED else own[-1]).row
    return None


def _places(laid_out: RoundBoard, foot: BoardFoot) -> tuple[SeatedPlace, ...]:
    seated = [
        SeatedPlace(seat.name, tile.number, seat.label)
        for tile in laid_out.tiles
        for seat in tile.seats
        if not seat.gone
    ]
    resting = [SeatedPlace(one.name, 0, "") for one in foot.sit_outs]
    return tuple(sorted((*seated, *resting), key=lambda one: (_by_name(one.name), one.table)))


def _by_name(name: str) -> str:
    """A name as a list by name sorts it: without accents and capitals."""
    plain = unicodedata.normalize("NFKD", name)
    return "".join(one for one in plain if not unicodedata.combining(one)).casefold()


def _chunks(rows: Sequence[T], size: int) -> tuple[tuple[T, ...], ...]:
    return tuple(tuple(rows[at : at + size]) for at in range(0, len(rows), size))
