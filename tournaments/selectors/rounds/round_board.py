"""The tables of a round as tiles, on the board of a round and on a big screen.

The only place that decides the state of a tile. Takes an event from
`selectors.events.events.get_event`, which checks permissions; always seven queries, and two more if
boards set the number of hands of a game.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, TypeAlias

from django.db.models import Exists, F, OuterRef
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from scoring.entry.sheet import seat_names
from scoring.json_types import JsonDict
from scoring.numbers import ScoreJson
from tournaments.domain.name_matching import sort_key
from tournaments.domain.replay_game import TOTALS
from tournaments.models.columns import as_json
from tournaments.models.events import Event
from tournaments.models.hands import Entry, Hand, SeatScore
from tournaments.models.imports import BROUGHT, ImportProblem, ProblemState
from tournaments.models.rounds import Round, RoundState, Seat, Table
from tournaments.models.standings import Contribution
from tournaments.selectors.clubs.clubs import may_do
from tournaments.selectors.clubs.names import NameColumn, name_column
from tournaments.selectors.events.entrants import sit_outs_in
from tournaments.selectors.hands.disputes import list_disputed_hands
from tournaments.selectors.hands.games import hands_of_games_in
from tournaments.selectors.rounds.round_progress import RoundProgress, round_clock, round_progress

TileState: TypeAlias = Literal["empty", "seated", "play", "in", "bad", "disp", "late", "over"]
PLACES_A_PAGE: Final = 14
"""Names and their tables on a page of the big screen: two columns of seven lines are read at eight
metres."""
TABLES_A_PAGE: Final = 20

_DONE: Final[Mapping[str, TileState]] = {
    "complete": "in",
    "checked": "in",
    "final": "in",
    "abandoned": "over",
    "playing": "play",
}


class Tile:
    """One table. `hand` is the next one, `of` the number of hands of a game where that is fixed.

    Seats that are `gone` have the name of who sat there last; `won` marks who finished first.

    `missing` are numbers left out before the last hand, `disputed` hands filed as disputed or with
    an open dispute, `problems` the open problems of imports at this table. `has_totals`: totals of
    the whole game stand in the place of hands.
    """

    def __init__(
        self,
        table: Table,
        seats: Sequence[JsonDict],
        hands: Sequence[Hand],
        problems: Sequence[ImportProblem],
        of: int | None,
        disputes: Sequence[int],
        *,
        is_over: bool,
    ) -> None:
        self.code, self.number, self.seats = table.code, table.number, seats
        self.problems, self.of, self.game = problems, of, table.game.snapshot.variant_name
        numbers = [hand.number for hand in hands]
        last = max(numbers, default=0)
        self.missing = tuple(sorted(set(range(1, last)) - set(numbers)))
        filed = {hand.number for hand in hands if hand.state == "disputed"}
        self.disputed = tuple(sorted(filed | set(disputes)))
        if of and last >= of and self.missing:
            self.hand = self.missing[0]
        else:
            self.hand = last + 1
        counted = [hand for hand in hands if hand.state == "accepted"]
        self.n_hands = sum(hand.hands or 0 for hand in counted)
        self.has_totals = any(hand.number == TOTALS for hand in counted)
        is_seated = any(not seat["gone"] for seat in seats)
        self.state: TileState = _DONE.get(table.game.state, "seated" if is_seated else "empty")
        if is_over and self.state in ("seated", "play"):
            self.state = "late"
        if problems:
            self.state = "bad"
        if self.disputed:
            self.state = "disp"

    @property
    def pips(self) -> tuple[str, ...]:
        """A sign for each hand of a game of fixed length: full ("f"), current ("c") or empty."""
        if not self.of or self.state not in ("play", "seated", "late"):
            return ()
        return tuple(self._mark(number) for number in range(1, self.of + 1))

    def _mark(self, number: int) -> str:
        if number < self.hand:
            return "f"
        if number == self.hand and self.n_hands:
            return "c"
        return ""


class RoundBoard:
    """The tiles of a round by number; the newest entries come first.

    `problems` are those of no one table.

    Args:
        names: whether it shows who entered what, as for a director.
        is_over: whether the round's time is over, so that open tables are late.
    """

    def __init__(self, event: Event, round_: Round, *, names: bool, is_over: bool = False) -> None:
        rows = Table.objects.filter(event=event, round=round_).select_related("game__snapshot")
        tables = list(rows.defer("game__snapshot__rules", "game__progress").order_by("number"))
        hands = _hands(round_)
        seats = _seats(round_, _totals(hands.values()), name_column(event))
        problems = _problems(event, round_) if may_do(event, "import_sheets") else ()
        disputes = list_disputed_hands(round_)
        lengths = hands_of_games_in(event, [table.game for table in tables])
        self.tiles = [
            Tile(
                table,
                seats.get(table.pk, ()),
                hands.get(table.game.pk, ()),
                [problem for problem in problems if problem.table == table.number],
                lengths[table.game.pk],
                disputes.get(table.code, ()),
                is_over=is_over,
            )
            for table in tables
        ]
        numbers = {table.number for table in tables}
        self.problems = [problem for problem in problems if problem.table not in numbers]
        self.latest = _latest(round_) if names else ()

    def count(self, *states: TileState) -> int:
        return sum(tile.state in states for tile in self.tiles)

    @property
    def n_in(self) -> int:
        return self.count("in", "over")

    @property
    def n_playing(self) -> int:
        return self.count("play")

    @property
    def n_seated(self) -> int:
        return self.count("seated", "empty")

    @property
    def n_help(self) -> int:
        return self.count("bad", "disp")

    @property
    def n_late(self) -> int:
        return self.count("late")

    @property
    def waiting(self) -> list[Tile]:
        return [tile for tile in self.tiles if tile.state not in ("in", "over") or tile.missing]


def _hands(round_: Round) -> Mapping[int, Sequence[Hand]]:
    hands: dict[int, list[Hand]] = defaultdict(list)
    rows = Hand.objects.filter(game__table__round=round_).order_by("number")
    for hand in rows.only("game", "number", "state", "hands", "entry"):
        hands[hand.game_id].append(hand)
    return hands


def _totals(hands_of_games: Iterable[Sequence[Hand]]) -> dict[int, ScoreJson]:
    """Return the total of each seat, by its row, after the last hand that counts."""
    last_entries = [
        next((hand.entry_id for hand in reversed(hands) if hand.state == "accepted"), None)
        for hands in hands_of_games
    ]
    rows = SeatScore.objects.filter(entry__in=filter(None, last_entries))
    return {
        seat: as_json(total, imaginary)
        for seat, total, imaginary in rows.values_list("seat_id", "total", "total_im")
    }


def _seats(
    round_: Round, totals: Mapping[int, ScoreJson], column: NameColumn
) -> Mapping[int, Sequence[JsonDict]]:
    """Return the players at each table of the round, by its row, clockwise.

    A seat that was left names its last player; one that was never taken is left out.
    """
    n_seats: dict[int, int] = {}
    holders: dict[tuple[int, int], tuple[int, JsonDict]] = {}
    results = Contribution.objects.filter(game__table=OuterRef("table"), place=1)
    player = Coalesce(OuterRef("sittings__substitute_for"), OuterRef("sittings__player"))
    won = Exists(results.filter(entrant__members__player=player))
    rows = Seat.objects.filter(table__round=round_).values_list(
        "table_id", "number", "pk", f"sittings__player__{column}", "sittings__to_hand", won
    )
    # Who sits there now comes after those who left, and these in the order in which they sat.
    for table, number, seat, name, to_hand, is_first in rows.order_by(
        F("sittings__to_hand").asc(nulls_last=True), "sittings__from_hand"
    ):
        n_seats[table] = max(number, n_seats.get(table, 0))
        if name is not None:
            facts = {"name": name, "gone": to_hand is not None, "won": is_first}
            holders[table, number] = (seat, facts)
    seats: dict[int, list[JsonDict]] = defaultdict(list)
    for (table, number), (seat, facts) in sorted(holders.items()):
        label = seat_names(n_seats[table])[number - 1]
        seats[table].append({"label": label, "total": totals.get(seat), **facts})
    return seats


def _problems(event: Event, round_: Round) -> Sequence[ImportProblem]:
    rows = ImportProblem.objects.filter(
        event=event, round=round_.number, state=ProblemState.OPEN, batch__state__in=BROUGHT
    ).select_related("batch")
    fields = rows.only("position", "table", "message", "batch__number")
    return tuple(fields.order_by("batch__number", "position"))


def _latest(round_: Round) -> tuple[Entry, ...]:
    rows = Entry.objects.filter(hand__game__table__round=round_).order_by("-pk")
    fields = rows.select_related("hand__game__table", "batch").only(
        *("revision", "source", "entered_as", "entered_at", "batch__file_name", "hand__number"),
        *("hand__game__table__code", "hand__game__table__number"),
    )
    return tuple(fields[:8])


def next_item(round_: Round) -> str:
    """Return the item after a round, in words; "" if no plan has one."""
    plan, number = round_.plan, round_.plan_round
    if plan is None or number is None:
        return ""
    if number >= plan.round_count:
        return _("standings of the evening")
    return _("round %(number)s of %(of)s") % {"number": number + 1, "of": plan.round_count}


def round_screen(event: Event, *, now: datetime) -> tuple[Mapping[str, object], int]:
    """Return the round at hand for the big screen, and its number of pages.

    Before the first hand `place_pages` has (name, table, seat) by name, where table 0 means sitting
    out; after it `tile_pages` has the tables of the round. Both are empty without a round.
    """
    round_ = _round_at_hand(round_progress(event))
    if round_ is None:
        return {}, 1
    clock = round_clock(event, round_, now=now)
    tiles = RoundBoard(
        event, round_, names=False, is_over=clock is not None and clock.is_over
    ).tiles
    sit_outs = sit_outs_in(event, round_)
    is_seating = round_.state == RoundState.POSTED
    places = _places(tiles, [sit_out.name for sit_out in sit_outs]) if is_seating else ()
    n_pages = max(1, -(-len(places) // PLACES_A_PAGE))
    place_pages = _chunks(places, -(-len(places) // n_pages) or 1)
    tile_pages = _chunks([] if is_seating else tiles, TABLES_A_PAGE)
    return {
        "round": round_,
        "clock": clock,
        "sit_outs": sit_outs,
        "then": next_item(round_),
        "place_pages": place_pages,
        "tile_pages": tile_pages,
    }, max(1, len(place_pages) + len(tile_pages))


def _round_at_hand(rounds: Sequence[RoundProgress]) -> Round | None:
    """Return the round that people in the room look for.

    That is the last one in play, else the next one to be played, else the last one that is over.
    """
    for state in (RoundState.PLAYING, RoundState.POSTED, RoundState.CLOSED):
        rows = [row.row for row in rounds if row.state == state and not row.is_playoff]
        if rows:
            if state == RoundState.POSTED:
                return rows[0]
            return rows[-1]
    return None


def _places(tiles: Sequence[Tile], resting: Sequence[str]) -> Sequence[tuple[str, int, str]]:
    places = [
        (seat["name"], tile.number, seat["label"])
        for tile in tiles
        for seat in tile.seats
        if not seat["gone"]
    ]
    places += [(name, 0, "") for name in resting]
    return sorted(places, key=lambda place: (sort_key(place[0]), place[1]))


def _chunks(rows: Sequence[object], size: int) -> Sequence[Sequence[object]]:
    return [rows[at : at + size] for at in range(0, len(rows), size)]
