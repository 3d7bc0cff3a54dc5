"""What an event has already of the sheets that are being imported: tables, hands, who sat where."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from django.db.models import Q

from scoring.cards import read_card
from tournaments.domain.imports.imported_sheet import NOBODY
from tournaments.domain.replay_game import TOTALS
from tournaments.models.events import Event, StageKind
from tournaments.models.hands import Entry, Game, Hand
from tournaments.models.imports import BatchState
from tournaments.models.meetings import Round, Sitting

UNDONE = (BatchState.UNDOING, BatchState.UNDONE)

Key = tuple[int, int]
Run = tuple[int, int, int, int | None]
"""Seat (index from 0), player, first hand, last hand or None while the player sits there."""


@dataclass(slots=True)
class ExistingHand:
    """A hand of the event: its state, its entry as typed, how many hands totals stand for, and the
    number of its board."""

    state: str
    typed: Mapping[str, object]
    moon: Mapping[str, object] | None = None
    hands: int | None = None
    board: int | None = None


@dataclass(slots=True)
class ExistingTable:
    """A table of the event with its game.

    `undone` are hands (number → row id) that an import brought and that went with it when it was
    undone: they are as good as not there, and come back as revisions.
    """

    game: Game
    seats: int
    hands: dict[int, ExistingHand] = field(default_factory=dict)
    undone: dict[int, int] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)

    def players(self, number: int) -> tuple[int, ...]:
        """Return who sat clockwise in hand `number`."""
        found = [NOBODY] * self.seats
        for seat, player, first, last in self.runs:
            if number == TOTALS:
                found[seat] = player if last is None else found[seat]
            elif first <= number and (last is None or number <= last):
                found[seat] = player
        return tuple(found)

    def sat(self) -> dict[int, tuple[int, ...]]:
        """Return who sat in each hand that is there."""
        return {number: self.players(number) for number in self.hands}


def existing_tables(event: Event | None, keys: Collection[Key]) -> dict[Key, ExistingTable]:
    """Return the tables of the event under these (round, table) numbers."""
    if event is None or event.pk is None:
        return {}
    codes = [f"r{round_}t{table}" for round_, table in keys]
    games = Game.objects.filter(event=event, table__code__in=codes)
    games = games.select_related("table__round", "snapshot", "event", "club")
    found = {game.pk: ExistingTable(game, game.table.seats.count()) for game in games}
    undone = _undone(found)
    hands = Hand.objects.filter(game_id__in=found).values_list(
        "pk", "game_id", "number", "state", "entry__typed", "entry__moon", "hands", "board__number"
    )
    for pk, game_id, number, state, typed, moon, length, board in hands:
        if pk in undone:
            found[game_id].undone[number] = pk
        else:
            found[game_id].hands[number] = ExistingHand(state, typed or {}, moon, length, board)
    by_table = {there.game.table_id: there for there in found.values()}
    for table_id, seat, player, first, last in Sitting.objects.filter(
        seat__table_id__in=by_table
    ).values_list("seat__table_id", "seat__number", "player_id", "from_hand", "to_hand"):
        by_table[table_id].runs.append((seat - 1, player, first, last))
    return {
        (there.game.table.round.number, there.game.table.number): there for there in found.values()
    }


def seated_players(event: Event | None) -> dict[Key, tuple[int, ...]]:
    """Return who sits at each table of the event now, clockwise; by (round, table)."""
    found: dict[Key, dict[int, int]] = {}
    if event is None or event.pk is None:
        return {}
    rows = Sitting.objects.filter(seat__table__event=event, to_hand__isnull=True)
    for round_, table, seat, player in rows.values_list(
        "round__number", "seat__table__number", "seat__number", "player_id"
    ):
        found.setdefault((round_, table), {})[seat] = player
    return {
        key: tuple(seats.get(seat, NOBODY) for seat in range(1, max(seats) + 1))
        for key, seats in found.items()
    }


def _undone(games: Collection[int]) -> set[int]:
    """Return the void hands of these games whose last import was undone."""
    last = dict(
        Entry.objects.filter(hand__game__in=games, hand__state="void", batch__isnull=False)
        .order_by("revision")
        .values_list("hand_id", "batch__state")
    )
    return {hand for hand, state in last.items() if state in UNDONE}


def rounds_of_playoffs(event: Event | None) -> frozenset[int]:
    """Return the numbers of the rounds that play-offs of the event are played in."""
    if event is None or event.pk is None:
        return frozenset()
    rounds = Round.objects.filter(event=event, stage__kind=StageKind.PLAYOFF)
    return frozenset(rounds.values_list("number", flat=True))


def existing_rounds(event: Event | None) -> dict[int, date | None]:
    """Return the rounds of the event, each with the date of its meeting."""
    if event is None or event.pk is None:
        return {}
    return dict(Round.objects.filter(event=event).values_list("number", "meeting__date"))


def seated_elsewhere(
    event: Event | None, rounds: Collection[int]
) -> dict[tuple[int, int], set[int]]:
    """Return the tables of these rounds at which players sit: (round, player) → table numbers."""
    found: dict[tuple[int, int], set[int]] = {}
    if event is None or event.pk is None or not rounds:
        return found
    emptied = Q(seat__table__game__hands_counted=0, seat__table__game__state="abandoned")
    for round_, player, table in (
        Sitting.objects.filter(round__event=event, round__number__in=rounds)
        .exclude(emptied)
        .values_list("round__number", "player_id", "seat__table__number")
    ):
        found.setdefault((round_, player), set()).add(table)
    return found


def same_entry(
    there: Mapping[str, object],
    brought: Mapping[str, object],
    moon: Mapping[str, object] | None = None,
) -> bool:
    """Whether two entries say the same, however they are written.

    Neither the order of cards nor the spelling of a ten says anything, nor does an empty list, or
    the kitty, which no rule looks at. Where the entry that is there leaves open who shot, a mark at
    the seat that the engine found, with the settlement that it found, says no more.

    Args:
        moon: what the engine found in the entry that is there, as stored.

    >>> same_entry({"taken": [["QS", "TH"]]}, {"taken": [["10H", "QS"]], "declared": []})
    True
    """
    one, other = _plain(there), _plain(brought)
    by = (moon or {}).get("by")
    shooter = other.get("shooter")
    is_found = isinstance(by, list) and isinstance(shooter, int) and shooter + 1 in by
    if is_found and "shooter" not in one:
        del other["shooter"]
        if "slam_choice" not in one and other.get("slam_choice") == (moon or {}).get("choice"):
            other.pop("slam_choice", None)
    return one == other


def _plain(entry: Mapping[str, object]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in entry.items():
        if value is not None and key != "kitty":
            plain = _plain_value(key, value)
            if plain != []:
                found[key] = plain
    return found


def _plain_value(key: str, value: object) -> object:
    """Return a member of an entry with its cards in order; an empty list where it says nothing."""
    if not isinstance(value, list):
        return value
    if key in ("declared", "unclaimed"):
        return _cards(value)
    if key in ("taken", "pledges"):
        piles = [_cards(one) if isinstance(one, list) else one for one in value]
        return piles if any(piles) else []
    return value


def _cards(pile: Sequence[object]) -> list[str]:
    return sorted(read_card(card) or str(card) for card in pile)


def runs_of(sat: Mapping[int, Sequence[int]], seats: int) -> list[Run]:
    """Return who sat where from which hand to which, from who sat in each hand.

    The first player of a seat is taken to have sat there from the beginning, the last one to sit
    there still; where nobody is known, nobody sits.

    >>> runs_of({1: (7, 8), 2: (7, 9)}, 2)
    [(0, 7, 1, None), (1, 8, 1, 1), (1, 9, 2, None)]
    """
    numbers = sorted(sat)
    found: list[Run] = []
    for seat in range(seats):
        found.extend(_seat_runs(seat, [(number, sat[number][seat]) for number in numbers]))
    return found


def _seat_runs(seat: int, players: Iterable[tuple[int, int]]) -> list[Run]:
    found: list[Run] = []
    now, first, before = NOBODY, 1, 0
    for number, player in players:
        if player != now:
            if now != NOBODY:
                found.append((seat, now, first, max(first, before)))
            first = 1 if not before else number
            now = player
        before = number
    if now != NOBODY:
        found.append((seat, now, first, None))
    return found
