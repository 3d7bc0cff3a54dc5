"""Plan changes of a table's players, and their effects on hands."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from scoring.errors import Problem, Refused
from scoring.json_types import JsonDict
from tournaments.domain.event_settings import settings_of
from tournaments.domain.replay_game import TOTALS, teams_of
from tournaments.domain.seating_runs import (
    NotBySeat,
    SeatRun,
    exchange_entry_seats,
    exchange_people,
    exchange_seats,
    holder,
    replace_person,
)
from tournaments.errors import Conflict
from tournaments.models.clubs import Player
from tournaments.models.events import Event
from tournaments.models.hands import Game, Hand
from tournaments.models.rounds import Seat, Sitting, Table
from tournaments.selectors.rounds.tables import abandoned_without_hands, side_shape
from tournaments.selectors.rules.rule_sets import rules_of
from tournaments.services.rounds.seating_checks import require_whole_sides

ACTS: Final = ("swap", "replace", "substitute")
HANDS: Final = ("keep", "remap", "void")


@dataclass(frozen=True, slots=True)
class PlayerChange:
    """The new player of a seat (from 1) of a table, and the first hand.

    `act` is of `ACTS`, `hands` of `HANDS`. `split_sides`: partners who are no pair are allowed.
    `side` replaces `player_id` by the players of the seat's whole side, in the order of its seats.
    """

    act: str
    seat: int
    player_id: str = ""
    hands: str = "keep"
    from_hand: int = 1
    split_sides: bool = False
    side: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangedPlayers:
    codes: tuple[str, ...]
    line: int
    event_version: int


@dataclass(slots=True)
class ChangedTable:
    game: Game
    seats: list[Seat]
    runs: list[SeatRun]
    hands: list[Hand]
    after: list[SeatRun] = field(default_factory=list)
    gone: list[Hand] = field(default_factory=list)
    back: list[Hand] = field(default_factory=list)
    disputed: set[int] = field(default_factory=set)
    """Numbers of those of `back` with a wrong total, which are not to count again."""
    revised: list[tuple[Hand, JsonDict]] = field(default_factory=list)
    exchanged: tuple[tuple[int, int], ...] = ()
    """Pairs of seats whose scores follow their people, from hand `exchanged_from` on."""
    exchanged_from: int = 1

    @property
    def code(self) -> str:
        return self.game.table.code

    def played(self, first: int) -> list[Hand]:
        """Return the hands from `first` on that stand; totals belong to all."""
        standing = [row for row in self.hands if row.state != "void"]
        return [hand for hand in standing if hand.number == TOTALS or hand.number >= first]

    @property
    def has_totals(self) -> bool:
        return any(hand.number == TOTALS and hand.state != "void" for hand in self.hands)

    def next_hand(self) -> int:
        return max((hand.number for hand in self.hands), default=0) + 1


AHEAD: Final = 40
"""Maximum number of hands beyond the next one if a game has no fixed length."""


@dataclass(frozen=True, slots=True)
class SeatMove:
    """A seat, the id of its old player, and its new player.

    `origin_seat` is the seat of `comes` at the table `origin`, None for a player without a seat.
    """

    seat: int
    leaves: int
    comes: Player
    origin: ChangedTable
    origin_seat: int | None


def seat_moves(
    table: ChangedTable, change: PlayerChange, players: Sequence[tuple[Player, ChangedTable]]
) -> tuple[SeatMove, ...]:
    facts: dict[str, int | str]
    if not 1 <= change.seat <= len(table.seats):
        facts = {"found": change.seat, "expected": f"1 to {len(table.seats)}"}
        raise Refused(Problem("unknown_seat_number", ("seat",), facts))
    seats = _side_of(table, change.seat) if change.side else (change.seat,)
    if len(seats) != len(players):
        facts = {"found": len(players), "expected": str(len(seats))}
        raise Refused(Problem("members_count", ("side",), facts))
    runs = [holder(table.runs, seat) for seat in seats]
    moves = []
    for seat, run, (player, origin) in zip(seats, runs, players, strict=True):
        if run is None:
            facts = {"seat": seat, "table": table.code}
            raise Refused(Problem("nobody_in_seat", ("seat",), facts))
        if player.pk in [holder_run.player for holder_run in runs if holder_run]:
            raise Refused(
                Problem("same_person", ("player",), refusal_facts(player, table.game.table))
            )
        moves.append(SeatMove(seat, run.player, player, origin, _seat_of(origin, player.pk)))
    return tuple(moves)


def _side_of(table: ChangedTable, seat: int) -> tuple[int, ...]:
    shape = side_shape(rules_of(table.game.snapshot), len(table.seats))
    return next((tuple(at + 1 for at in side) for side in shape if seat - 1 in side), (seat,))


def _seat_of(table: ChangedTable, player: int) -> int | None:
    runs = [holder(table.runs, seat.number) for seat in table.seats]
    return next((run.seat for run in runs if run and run.player == player), None)


def refusal_facts(player: Player, table: Table) -> dict[str, int | str]:
    return {
        "player": player.name,
        "player_id": player.player_id,
        "table": table.number,
        "code": table.code,
        "round": table.round.number,
    }


def require_free(table: ChangedTable, move: SeatMove) -> None:
    facts = refusal_facts(move.comes, move.origin.game.table)
    if move.origin is not table:
        raise Conflict(Problem("player_already_seated", ("player",), facts))
    if move.origin_seat is not None:
        facts["seat"] = move.origin_seat
        raise Conflict(Problem("player_sits_here", ("player",), facts))


def first_changed_hand(other: ChangedTable, change: PlayerChange) -> int:
    if change.from_hand == 1:
        return 1
    return other.next_hand()


def plan_swap(table: ChangedTable, change: PlayerChange, moves: Sequence[SeatMove]) -> None:
    other = moves[0].origin
    first = change.from_hand
    seats: list[tuple[int, int]] = []
    for move in moves:
        if move.origin_seat is None:
            facts = refusal_facts(move.comes, table.game.table)
            raise Refused(Problem("nobody_to_swap", ("player",), facts))
        seats.append((move.seat, move.origin_seat))
    is_together = all(move.origin is other for move in moves)
    if change.side and {seat for _, seat in seats} != {*_side_of(other, seats[0][1])}:
        is_together = False
    if not is_together:
        names = " and ".join(move.comes.name for move in moves)
        facts = {"names": names, "round": table.game.table.round.number}
        raise Refused(Problem("side_sits_apart", ("side",), facts))
    if other is table and change.hands == "remap":
        exchange_scores(table, seats, first)
    elif other is table:
        _require_whole_totals(table, first)
    for move, (seat, other_seat) in zip(moves, seats, strict=True):
        comes = move.comes.pk
        leaves = move.leaves
        if other is not table:
            put_in_seat(table, seat, first, leaves, comes, change)
            put_in_seat(other, other_seat, first_changed_hand(other, change), comes, leaves, change)
        elif change.hands == "remap":
            table.after = exchange_seats(table.after, seat, other_seat, first)
        else:
            table.after = exchange_people(table.after, (seat, other_seat), first, leaves, comes)


def put_in_seat(
    table: ChangedTable, seat: int, first: int, leaves: int, comes: int, change: PlayerChange
) -> None:
    """Put a player from elsewhere into a seat; with `remap` the replaced player keeps their scores.

    With `remap` the new player plays only later hands, of which a finished table has none.
    """
    if change.hands == "remap":
        if table.has_totals:
            raise Refused(Problem("totals_not_divided", ("hands",), {"table": table.code}))
        if table.game.state not in ("seated", "playing"):
            raise Refused(Problem("no_hands_to_come", ("hands",), {"table": table.code}))
        first = max(first, table.next_hand())
    else:
        _require_whole_totals(table, first)
    table.after = replace_person(
        table.after, seat, first, leaves, comes, is_substitute=change.act == "substitute"
    )


def _require_whole_totals(table: ChangedTable, first: int) -> None:
    if table.has_totals and first > 1:
        raise Refused(Problem("totals_not_divided", ("from_hand",), {"table": table.code}))


def require_hand(table: ChangedTable, first: int) -> None:
    """Refuse a first hand that the game does not have, or will hardly reach.

    A substitute may be known before the sheet is entered, so later hands are allowed.
    """
    last = table.next_hand()
    if table.game.state in ("seated", "playing"):
        last = max(last, settings_of(table.game.event).hands or last + AHEAD)
    if first > last:
        expected = f"1 to {last}" if last > 1 else "1"
        raise Refused(
            Problem("bad_from_hand", ("from_hand",), {"found": first, "expected": expected})
        )


def require_sitting(table: ChangedTable, change: PlayerChange, moves: Sequence[SeatMove]) -> None:
    """Refuse a first hand from which on somebody else than the replaced player had the seat.

    The change would begin later than was asked. Seats that are exchanged with their scores have all
    hands from the first on; a whole game (hand 1) is exchanged as far as both people sat.
    """
    is_whole_swap = change.act == "swap" and change.from_hand == 1
    if change.hands == "remap" or change.act == "replace" or is_whole_swap:
        return
    seats = [move.seat for move in moves]
    seats += [move.origin_seat for move in moves if move.origin is table and move.origin_seat]
    runs = [run for seat in seats if (run := holder(table.runs, seat)) is not None]
    earliest = max((run.first for run in runs), default=1)
    if change.from_hand < earliest:
        last = max(table.next_hand(), earliest)
        if last > earliest:
            expected = f"{earliest} to {last}"
        else:
            expected = str(earliest)
        facts: dict[str, int | str] = {"found": change.from_hand, "expected": expected}
        raise Refused(Problem("bad_from_hand", ("from_hand",), facts))


def exchange_scores(table: ChangedTable, seats: Sequence[tuple[int, int]], first: int) -> None:
    """Have the scores of pairs of seats follow their people, from hand `first` on."""
    _require_whole_totals(table, first)
    table.exchanged = tuple(seats)
    table.exchanged_from = first
    for hand in table.hands:
        if hand.entry is None or (hand.number != TOTALS and hand.number < first):
            continue
        try:
            entry = exchanged_entry(table, hand.entry.typed)
        except NotBySeat as whole:
            raise Refused(replace(whole.problem, at=("hands",))) from whole
        if entry != hand.entry.typed:
            table.revised.append((hand, entry))


def exchanged_entry(table: ChangedTable, entry: Mapping[str, object]) -> dict[str, object]:
    pairs = [(seat - 1, other - 1) for seat, other in table.exchanged]
    sides = teams_of(table.seats, rules_of(table.game.snapshot)) or ()
    return exchange_entry_seats(entry, pairs, seats=len(table.seats), sides=sides)


def require_sides(event: Event, tables: Iterable[ChangedTable], is_answered: bool) -> None:
    for table in tables:
        last = {run.seat: run.player for run in sorted(table.after, key=lambda run: run.first)}
        people = {player.pk: player for player in Player.objects.filter(pk__in=last.values())}
        seated = [people.get(last.get(seat.number, 0)) for seat in table.seats]
        require_whole_sides(event, rules_of(table.game.snapshot), seated, is_answered=is_answered)


def planned_players(table: ChangedTable) -> list[Player]:
    return list(Player.objects.filter(pk__in=_planned_ids(table)))


def _planned_ids(table: ChangedTable) -> list[int]:
    return [run.player for run in table.after if run.last is None]


def require_nobody_elsewhere(table: ChangedTable, tables: Iterable[ChangedTable]) -> None:
    """Refuse to return a player who now sits at another table of the round."""
    table_ids = [other.game.table_id for other in tables]
    rows = Sitting.objects.filter(
        round=table.game.table.round_id, player__in=_planned_ids(table), to_hand__isnull=True
    )
    elsewhere = rows.exclude(seat__table__in=table_ids).exclude(abandoned_without_hands())
    sitting = elsewhere.select_related("player", "seat__table__round").order_by("pk").first()
    if sitting is not None:
        facts = refusal_facts(sitting.player, sitting.seat.table)
        raise Conflict(Problem("player_already_seated", ("player",), facts))
