"""The request for a plan and the plan: players, rounds, tables, constraints, history.

Pure. Players are whole numbers; who they are is the caller's.
See docs/algorithms/seating.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from scoring.seating.brackets import USUAL_ADVANCE, BracketRound

Table: TypeAlias = tuple[int, ...]
"""Players in seat order, clockwise."""

Pair: TypeAlias = tuple[int, int]

SIT_OUT: Final = 0
"""Stands for sitting out among the sizes of tables."""


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match of two teams: their indices in `SeatingRequest.units`, and its table numbers."""

    units: Pair
    tables: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlannedRound:
    """One round: the table of number i is `tables[i - 1]`; everybody else present sits out.

    `matches` says which tables two teams play; it is empty for other movements.
    """

    tables: tuple[Table, ...]
    sitting_out: tuple[int, ...] = ()
    matches: tuple[PlannedMatch, ...] = ()


@dataclass(frozen=True, slots=True)
class Presence:
    """The rounds of the plan that a player attends, both ends included; None: to the end."""

    first: int = 1
    last: int | None = None

    def includes(self, number: int) -> bool:
        """Whether the player is there in that round, counted from 1."""
        return self.first <= number and (self.last is None or number <= self.last)


@dataclass(frozen=True, slots=True)
class SeatingRequest:
    """Everything that a plan depends on.

    Args:
        players: distinct numbers; the plan does not depend on their order.
        rounds: how many rounds to plan.
        sizes: numbers of seats that a table may have, the preferred one first.
        seed: of all lots.
        apart: pairs who never share a table.
        together: pairs who share a table, or sit out together, in every round.
        fixed_tables: player → number of the table at which the player always sits.
        sides: seat indices of partners; pairs of `together` then sit on one side.
        history: earlier rounds; players who are absent now are ignored.
        presence: players who attend some rounds only.
        standing: player → rank, 1 the best; between equals the lowest standing sits out first, and
            players without one last. On a ladder night, the list; players without a rank end it.
        moves: how many moves the search may make; None: as many as the head-count needs.
        stop_after: end the search early, after so many moves; the same plan comes again.
        movement: `individual` (everybody meets many), `ladder` (neighbours in `standing` share a
            table), `open` (each round is formed when it begins), `whist` (partners change),
            `pairs` or `teams` (partners stay), `swiss` (equal scores meet; one round), `knockout`
            (the best of each table go on), `moving` (players move as boards between tables do).
        units: the members of each fixed pair or team; the first two are its first pair. Empty: the
            players in ascending order, two by two, or four by four for teams.
        variation: of pairs `all_play_all` (the default), `mitchell` or `swiss`; of teams
            `one_table` (the default) or `two_tables`.
        scores: player → primary value so far; more is better.
        floated: the players who floated down in the round before.
        advance: how many of each table go on in a knock-out.
        wild_cards: how many of the others go on in a knock-out.
        wild_ranks: player → rank among the others, 1 the best, as play-offs decided; empty: by
            place, score against the mean of the table, and seed.
        forfeits: players who gave up their table in the last round of the history; they do not go
            on, and the others of their table do.
        movement_round: of `moving`, the round of the movement that is the plan's first.
        line_up: of `moving`, the players by their places in the movement; empty: by lot.
    """

    players: tuple[int, ...]
    rounds: int
    sizes: tuple[int, ...] = (4, 3, 5, 6)
    seed: int = 0
    apart: tuple[Pair, ...] = ()
    together: tuple[Pair, ...] = ()
    fixed_tables: Mapping[int, int] = field(default_factory=dict)
    sides: tuple[tuple[int, ...], ...] = ()
    history: tuple[PlannedRound, ...] = ()
    presence: Mapping[int, Presence] = field(default_factory=dict)
    standing: Mapping[int, int] = field(default_factory=dict)
    moves: int | None = None
    stop_after: int | None = None
    movement: str = "individual"
    units: tuple[tuple[int, ...], ...] = ()
    variation: str = ""
    scores: Mapping[int, int] = field(default_factory=dict)
    floated: frozenset[int] = frozenset()
    advance: int = USUAL_ADVANCE
    wild_cards: int = 0
    wild_ranks: Mapping[int, int] = field(default_factory=dict)
    forfeits: frozenset[int] = frozenset()
    movement_round: int = 1
    line_up: tuple[int, ...] = ()

    def present(self, number: int) -> tuple[int, ...]:
        """The players who are there in a round, ascending; rounds count from 1."""
        always = Presence()
        return tuple(
            player
            for player in sorted(self.players)
            if self.presence.get(player, always).includes(number)
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a plan, by part. Compared in the order of its fields, less is better.

    Args:
        repeats: sum over pairs of the meetings beyond the first one of the event.
        max_meet: the most often that two players meet in the plan.
        pair_cost: sum over pairs of m * (m - 1) / 2 for m meetings; spreads repeats evenly.
        known_pairs: meetings of pairs who met in the history.
        neighbour_repeats: how often a player sits to the left of the same player again.
        small_table_spread: most less fewest rounds at tables of one uncommon size, history
            included; the largest of all sizes but the one with the most seats of the event.
        sit_out_spread: most less fewest sit-outs, history included.
        seat_spread: the largest difference, for one player and one size of table, between how
            often two of its seats were held.
        sit_outs: players sitting out, over all rounds.
    """

    repeats: int
    max_meet: int
    pair_cost: int
    known_pairs: int
    neighbour_repeats: int
    small_table_spread: int
    sit_out_spread: int
    seat_spread: int
    sit_outs: int


UnevenShare: TypeAlias = tuple[int, tuple[int, ...], str]
"""Players who sit out, or sit at tables of one size, two times more or less often than others.

The size is `SIT_OUT` or the number of seats; then the players, and what makes it so, `together`,
`fixed_table`, `apart`, `presence`, `history`, or `numbers` where nothing of these is known.
"""


@dataclass(frozen=True, slots=True)
class PairReason:
    """The reason for which two players share a table of a Swiss round.

    Args:
        players: the two, in seat order.
        codes: what is true of them: `same_score` or `other_score`, then `not_met` or `met`; only
            the latter where no scores are known.
        met: how many earlier rounds they shared a table in.
        scores: their values so far; empty without scores.
    """

    table: int
    players: Pair
    codes: tuple[str, ...]
    met: int
    scores: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FloatSeat:
    """A player at a table whose others all have other scores.

    `direction` is `down` where the others have less between them, `up` otherwise; `again` says that
    the player floated down in the round before, too.
    """

    player: int
    table: int
    direction: str
    again: bool = False


@dataclass(frozen=True, slots=True)
class MovementFigures:
    """The distance of a plan of whist, pairs or teams from the movement that it follows.

    A full set is the rounds after which the movement is complete. In s full sets, the last one
    begun, two players are partners s times at most and opponents 2s times, and two pairs or teams
    meet s times.

    Args:
        full_set: the rounds of a full set.
        partner_excess: sum over pairs of players of the rounds beyond that as partners; 0 where
            partners stay.
        opponent_excess: the same as opponents; for pairs and teams, sum over two of them of the
            meetings beyond that, earlier rounds of the event included.
        partner_bound: the least `partner_excess` that counting allows.
        opponent_bound: the least `opponent_excess` that counting allows.
        movement: `whist`, `pairs` or `teams`; `variation` as planned.
        sets: how many sets pairs or teams have begun, earlier rounds of the event included.
        unmet: the matches of these sets that are left after the plan.
    """

    full_set: int
    partner_excess: int = 0
    opponent_excess: int = 0
    partner_bound: int = 0
    opponent_bound: int = 0
    movement: str = ""
    variation: str = ""
    sets: int = 1
    unmet: int = 0


@dataclass(frozen=True, slots=True)
class SeatingPlan:
    """A plan with its cost, and with what it takes to make it again.

    `lower_bound` is the least `pair_cost` that any plan with these tables can have; `method` is
    `construction`, `search`, `ladder` or `open`; `iterations` are the moves that the search made.
    A Swiss round also has a reason for each pair at a table, its floats, the pairs of its players
    who meet again at least (`least_repeats`), and in `small_seats` how many seats at small tables
    each player has had with it; where `is_exact`, all ways to divide its players were compared. A
    knock-out has its bracket, and in `by_seed` the pairs that the seeds alone put in order.
    `figures` are those of whist, pairs and teams, and `units` the pairs or teams as planned.
    `uneven` names who does not share sit-outs and uncommon sizes evenly, `history_rounds` how many
    earlier rounds count.
    """

    rounds: tuple[PlannedRound, ...]
    cost: Cost
    lower_bound: int
    seed: int
    iterations: int
    method: str
    reasons: tuple[PairReason, ...] = ()
    floats: tuple[FloatSeat, ...] = ()
    least_repeats: int = 0
    is_exact: bool = False
    small_seats: Mapping[int, int] = field(default_factory=dict)
    bracket: tuple[BracketRound, ...] = ()
    by_seed: tuple[tuple[Table, Table], ...] = ()
    figures: MovementFigures | None = None
    units: tuple[tuple[int, ...], ...] = ()
    uneven: tuple[UnevenShare, ...] = ()
    history_rounds: int = 0
