"""The tables of a round as tiles, on the board of a round and on a big screen.

The only place that says which state a tile has. Takes an event that
`selectors.events.events.event_at` has let the actor read; seven queries, however many tables and
hands there are, and two more where boards say how many hands a game has.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, TypeVar

from django.db.models import F
from django.utils.translation import gettext as _

from scoring.entry.sheet import seat_names
from scoring.numbers import ScoreJson
from tournaments.domain.replay_game import TOTALS
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Hand, SeatScore
from tournaments.models.imports import BROUGHT, ImportProblem, ProblemState
from tournaments.models.meetings import Round, RoundState, Seat, Table
from tournaments.models.numbers import as_json
from tournaments.selectors.clubs.names import NameColumn, name_column
from tournaments.selectors.events.adjustments import SitOutRow, sit_outs_in
from tournaments.selectors.hands.disputes import open_in
from tournaments.selectors.hands.games import hands_of_games_in
from tournaments.selectors.imports.imports import may_import
from tournaments.selectors.rounds.round_progress import (
    RoundClock,
    RoundProgress,
    round_clock,
    round_progress,
)

TileState: TypeAlias = Literal["empty", "seated", "play", "in", "bad", "disp", "late", "over"]
LATEST: Final = 8
"""So many of the newest entries are shown."""


_DONE: Final[Mapping[str, TileState]] = {
    "complete": "in", "checked": "in", "final": "in", "abandoned": "over", "playing": "play",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TileSeat:
    """A seat with who sits there, and its total after the last hand that counts.

    `gone` says that the seat is empty: `name` is who sat there last.
    """

    label: str
    name: str
    total: ScoreJson | None = None
    gone: bool = False


@dataclass(frozen=True, slots=True)
class OpenProblem:
    """Something that an import asks of somebody: where it stands, and in words."""

    batch: int
    position: int
    table: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Tile:
    """One table. `hand` is the one that comes next, `of` how many a game has if that is fixed.

    `missing` are numbers left out before the last hand, `disputed` those of hands that a director
    has to settle (filed as disputed, or with an open dispute), `problems` what waits of an import
    for this table.
    """

    code: str
    number: int
    state: TileState
    seats: tuple[TileSeat, ...]
    n_hands: int
    hand: int
    of: int | None
    missing: tuple[int, ...] = ()
    disputed: tuple[int, ...] = ()
    problems: tuple[OpenProblem, ...] = ()
    game: str = ""
    has_totals: bool = False
    """Whether totals of the whole game stand in the place of hands."""

    @property
    def pips(self) -> tuple[str, ...]:
        """One sign a hand of a game of fixed length: full, being played, or empty."""
        if not self.of or self.state not in ("play", "seated", "late"):
            return ()
        return tuple(
            "f" if n < self.hand else "c" if n == self.hand and self.n_hands else ""
            for n in range(1, self.of + 1)
        )


@dataclass(frozen=True, slots=True)
class ReceivedEntry:
    """An entry that came in: for which hand, from which source, by whom, when."""

    code: str
    table: int
    hand: int
    revision: int
    source: str
    file: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RoundBoard:
    """A round's tiles; the newest entries come first; `problems` are those of no one table."""

    tiles: tuple[Tile, ...]
    latest: tuple[ReceivedEntry, ...]
    problems: tuple[OpenProblem, ...]

    def count(self, *states: TileState) -> int:
        """How many tiles are in one of these states."""
        return sum(tile.state in states for tile in self.tiles)

    @property
    def n_in(self) -> int:
        """Tables whose sheet is in."""
        return self.count("in", "over")

    @property
    def n_playing(self) -> int:
        """Tables that are being played."""
        return self.count("play")

    @property
    def n_seated(self) -> int:
        """Tables without a hand yet."""
        return self.count("seated", "empty")

    @property
    def n_help(self) -> int:
        """Tables that ask something of somebody."""
        return self.count("bad", "disp")

    @property
    def n_late(self) -> int:
        """Tables that miss hands after the time of the round."""
        return self.count("late")

    @property
    def waiting(self) -> tuple[Tile, ...]:
        """The tables that something is missing of."""
        return tuple(
            tile for tile in self.tiles if tile.state not in ("in", "over") or tile.missing
        )


def board(event: Event, round_: Round, *, names: bool, is_over: bool = False) -> RoundBoard:
    """Return the tiles of a round by number.

    Args:
        names: whether it says who entered what, as a director reads it.
        is_over: whether the time of the round is over, so that open tables are late.
    """
    tables = Table.objects.filter(event=event, round=round_).select_related("game__snapshot")
    shown = list(tables.defer("game__snapshot__rules", "game__progress").order_by("number"))
    hands = _hands(round_)
    seats = _seats(round_, _totals(hands), name_column(event))
    problems = _problems(event, round_) if may_import(event) else ()
    disputes = open_in(round_)
    lengths = hands_of_games_in(event, [table.game for table in shown])
    tiles = [
        _tile(
            table,
            seats.get(table.pk, ()),
            hands.get(table.game.pk, ()),
            problems,
            lengths[table.game.pk],
            disputes.get(table.code, ()),
            is_over=is_over,
        )
        for table in shown
    ]
    loose = tuple(
        problem for problem in problems if problem.table not in {table.number for table in shown}
    )
    return RoundBoard(tuple(tiles), _latest(round_) if names else (), loose)


@dataclass(slots=True)
class _Hand:
    number: int
    state: str
    n: int | None
    entry: int | None


def _tile(
    table: Table,
    seats: Sequence[TileSeat],
    hands: Sequence[_Hand],
    problems: Sequence[OpenProblem],
    of: int | None,
    disputes: Sequence[int],
    *,
    is_over: bool,
) -> Tile:
    numbers = [hand.number for hand in hands]
    last = max(numbers, default=0)
    missing = tuple(sorted(set(range(1, last)) - set(numbers)))
    filed = {hand.number for hand in hands if hand.state == "disputed"}
    disputed = tuple(sorted(filed | set(disputes)))
    own = tuple(problem for problem in problems if problem.table == table.number)
    is_seated = any(not seat.gone for seat in seats)
    state: TileState = _DONE.get(table.game.state, "seated" if is_seated else "empty")
    if is_over and state in ("seated", "play"):
        state = "late"
    if own:
        state = "bad"
    if disputed:
        state = "disp"
    return Tile(
        code=table.code,
        number=table.number,
        state=state,
        seats=tuple(seats),
        n_hands=sum(hand.n or 0 for hand in hands if hand.state == "accepted"),
        hand=missing[0] if of and last >= of and missing else last + 1,
        of=of,
        missing=missing,
        disputed=disputed,
        problems=own,
        game=table.game.snapshot.variant_name,
        has_totals=any(hand.number == TOTALS and hand.state == "accepted" for hand in hands),
    )


def _hands(round_: Round) -> dict[int, list[_Hand]]:
    """Return the hands of each game of the round, by its row, in order."""
    found: dict[int, list[_Hand]] = {}
    rows = Hand.objects.filter(game__table__round=round_).order_by("number")
    for game, number, state, n, entry in rows.values_list(
        "game_id", "number", "state", "hands", "entry_id"
    ):
        found.setdefault(game, []).append(_Hand(number, state, n, entry))
    return found


def _totals(hands: Mapping[int, Sequence[_Hand]]) -> dict[int, ScoreJson]:
    """Return the total of each seat, by its row, after the last hand that counts."""
    counting = [[one for one in of if one.state == "accepted"] for of in hands.values()]
    entries = [one[-1].entry for one in counting if one]
    rows = SeatScore.objects.filter(entry__in=entries)
    return {
        seat: as_json(total, imaginary)
        for seat, total, imaginary in rows.values_list("seat_id", "total", "total_im")
    }


def _seats(
    round_: Round, totals: Mapping[int, ScoreJson], column: NameColumn
) -> dict[int, tuple[TileSeat, ...]]:
    """Return who sits at each table of the round, by its row, clockwise.

    A seat that somebody left names who sat there last; one that nobody ever held is left out.
    """
    numbers: dict[int, set[int]] = {}
    held: dict[tuple[int, int], tuple[int, str, bool]] = {}
    rows = Seat.objects.filter(table__round=round_).values_list(
        "table_id", "number", "pk", f"sittings__player__{column}", "sittings__to_hand"
    )
    # Who sits there now comes after those who left, and these in the order in which they sat.
    for table, number, seat, name, to_hand in rows.order_by(
        F("sittings__to_hand").asc(nulls_last=True), "sittings__from_hand"
    ):
        numbers.setdefault(table, set()).add(number)
        if name is not None:
            held[table, number] = (seat, name, to_hand is not None)
    found: dict[int, list[TileSeat]] = {}
    for (table, number), (seat, name, gone) in sorted(held.items()):
        label = seat_names(max(numbers[table]))[number - 1]
        found.setdefault(table, []).append(TileSeat(label, name, totals.get(seat), gone))
    return {table: tuple(seats) for table, seats in found.items()}


def _problems(event: Event, round_: Round) -> tuple[OpenProblem, ...]:
    """Return what waits for somebody of what imports brought for the round."""
    rows = ImportProblem.objects.filter(
        event=event, round=round_.number, state=ProblemState.OPEN, batch__state__in=BROUGHT
    ).order_by("batch__number", "position")
    values = rows.values_list("batch__number", "position", "table", "message")
    return tuple(OpenProblem(*row) for row in values)


def _latest(round_: Round) -> tuple[ReceivedEntry, ...]:
    """Return the newest entries of the round, in the order in which they were stored."""
    rows = Entry.objects.filter(hand__game__table__round=round_).order_by("-pk")[:LATEST]
    values = rows.values_list(
        "hand__game__table__code", "hand__game__table__number", "hand__number", "revision",
        "source", "batch__file_name", "entered_as", "entered_at",
    )  # fmt: skip
    return tuple(
        ReceivedEntry(code, table, hand, revision, source, file or "", by, at)
        for code, table, hand, revision, source, file, by, at in values
    )


@dataclass(frozen=True, slots=True)
class BoardFoot:
    """`then` is empty where no plan says what comes next."""

    sit_outs: Sequence[SitOutRow]
    then: str


def board_foot(event: Event, round_: Round) -> BoardFoot:
    """Return the foot of a round's board; at most two queries."""
    return BoardFoot(tuple(sit_outs_in(event, round_)), _next_item(round_))


def _next_item(round_: Round) -> str:
    plan, number = round_.plan, round_.plan_round
    if plan is None or number is None:
        return ""
    if number >= plan.round_count:
        return _("standings of the evening")
    return _("round %(number)s of %(of)s") % {"number": number + 1, "of": plan.round_count}


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
    resting = [SeatedPlace(sit_out.name, 0, "") for sit_out in foot.sit_outs]
    return tuple(sorted((*seated, *resting), key=lambda one: (_by_name(one.name), one.table)))


def _by_name(name: str) -> str:
    """A name as a list by name sorts it: without accents and capitals."""
    plain = unicodedata.normalize("NFKD", name)
    return "".join(one for one in plain if not unicodedata.combining(one)).casefold()


def _chunks(rows: Sequence[T], size: int) -> tuple[tuple[T, ...], ...]:
    return tuple(tuple(rows[at : at + size]) for at in range(0, len(rows), size))
