"""Steps 7 to 9: running totals, lives, the end of a game, and who has won it.

Pure. See docs/algorithms/scoring.md, "End of a game".
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from scoring.json_types import JsonDict, JsonObject
from scoring.numbers import Complex, Real, Score, as_complex, real, score_json
from scoring.rules.rules import Rules
from scoring.rules.types import Finish, Running

COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}

_NO_STREAK: Final = (-1, 0)
"""In the place of a unit and the length of its streak."""


class Effects(NamedTuple):
    """The effects of a hand on the game besides its scores, by number of unit; None = no unit.

    `holders` names, for each slam over several deals, who held all its cards; `slam` is True where
    one was paid, `holds_open` where it keeps the game open past its end.
    """

    pool: Score = 0
    reset: int | None = None
    wins: int | None = None
    holders: tuple[int | None, ...] = ()
    slam: bool = False
    holds_open: bool = False


NOTHING: Final = Effects()
"""The effects of an ordinary hand."""


class MoonMade(NamedTuple):
    """A settled slam.

    `by` are seats from 0 (a pooled side's seats all; empty where points alone do not tell who);
    `choice` is `self` or `others`, or None where nothing is paid in either form; `inferred` is True
    where the points say so and no mark does.
    """

    id: str
    by: tuple[int, ...]
    choice: str | None
    inferred: bool = False


class HandScore(NamedTuple):
    """The points of a hand, per unit and per seat (a pooled side's score on each seat)."""

    scores: tuple[Score, ...]
    seat_scores: tuple[Score, ...]
    moon: MoonMade | None
    verified: str
    effects: Effects


def running_total(before: Score, after: Score, running: Running) -> Score:
    """A running total after floor and resets.

    Resets look at the exact total, the first that fits counts, and only where this hand changed the
    total.

    >>> from scoring.rules.types import Reset
    >>> fifty = Running(resets=(Reset(at=50, set=0), Reset(at=100, set=50)))
    >>> running_total(87, 100, fifty), running_total(50, 50, fifty)
    (50, 50)
    """
    total = after
    if running.floor is not None:
        total = max(real(after), real(running.floor))
    if total == before:
        return total
    for reset in running.resets:
        if total == reset.at:
            if reset.set is not None:
                return reset.set
            return total + (reset.add or 0)
    return total


def by_seat(sides: Sequence[Sequence[int]], scores: Sequence[Score]) -> tuple[Score, ...]:
    """The score of each seat: that of its side."""
    score_of = {seat: score for side, score in zip(sides, scores, strict=True) for seat in side}
    return tuple(score_of[seat] for seat in sorted(score_of))


def hand_score(
    sides: Sequence[Sequence[int]],
    scores: tuple[Score, ...],
    moon: MoonMade | None,
    verified: str,
    effects: Effects,
) -> HandScore:
    """A hand's result, with each unit's score on each of its seats."""
    seat_scores = scores
    if any(len(side) > 1 for side in sides):
        seat_scores = by_seat(sides, scores)
    return HandScore(
        scores=scores, seat_scores=seat_scores, moon=moon, verified=verified, effects=effects
    )


class GameState(NamedTuple):
    """A game between two hands. Totals, lives and streaks are per unit; numbers of units from 0.

    `streaks` holds, for each slam over several deals, the unit with a streak and its length;
    `playoff` who could still win before each hand of a play-off, numbered as in `Outcome`, without
    repeating those of the hand before.
    """

    seats: int
    teams: tuple[tuple[int, ...], ...]
    totals: tuple[Score, ...]
    deals: int = 0
    pool: Score = 0
    lives: tuple[int, ...] = ()
    streaks: tuple[tuple[int, int], ...] = ()
    held_open: bool = False
    won_by: int | None = None
    playoff: tuple[tuple[int, ...], ...] = ()

    def as_json(self) -> JsonDict:
        """The state as JSON, with `playoff` only in one; `GameState.from_json` gives it back."""
        document = {
            **self._asdict(),
            "teams": list(map(list, self.teams)),
            "totals": list(map(score_json, self.totals)),
            "pool": score_json(self.pool),
            "lives": list(self.lives),
            "streaks": list(map(list, self.streaks)),
            "playoff": list(map(list, self.playoff)),
        }
        if not self.playoff:
            del document["playoff"]
        return document

    @staticmethod
    def from_json(rules: Rules, data: JsonObject) -> "GameState":
        """The state that was stored."""
        totals = [rules.number(total, stored=True) for total in data["totals"]]
        pool = rules.number(data["pool"], stored=True)
        if pool is None or None in totals:
            raise ValueError("stored totals that are not scores of these rules")
        return GameState(
            seats=data["seats"],
            teams=tuple(map(tuple, data["teams"])),
            totals=tuple(total for total in totals if total is not None),
            deals=data["deals"],
            pool=pool,
            lives=tuple(data["lives"]),
            streaks=tuple((unit, length) for unit, length in data["streaks"]),
            held_open=data["held_open"],
            won_by=data["won_by"],
            playoff=tuple(map(tuple, data.get("playoff", ()))),
        )


class Outcome(NamedTuple):
    """The state of a game. Indices are of units, or of sides where `by_side` (from 0, in order).

    `tie` has those tied at the top if play goes on, `playoff` if a play-off is due;
    `leaders` is who is in front now, finished or not.
    """

    finished: bool
    winners: tuple[int, ...] = ()
    losers: tuple[int, ...] = ()
    tie: tuple[int, ...] = ()
    playoff: tuple[int, ...] = ()
    leaders: tuple[int, ...] = ()
    by_side: bool = False

    def as_json(self) -> JsonDict:
        """The outcome as case files write it."""
        document: JsonDict = {
            "finished": self.finished,
            "winners": list(self.winners),
            "losers": list(self.losers),
        }
        if self.tie:
            document["tie"] = list(self.tie)
        if self.playoff:
            document["playoff"] = list(self.playoff)
        return document


def advance(rules: Rules, state: GameState, scores: Sequence[Score], effects: Effects) -> GameState:
    """The game after one more hand with these booked scores and effects."""
    keys = rules.keys
    totals = [total + score for total, score in zip(state.totals, scores, strict=True)]
    streaks = state.streaks
    lives = state.lives
    held_open = state.held_open
    won_by = state.won_by
    # Most hands only add their scores.
    if effects is not NOTHING or not rules.only_adds:
        if effects.reset is not None:
            totals[effects.reset] = rules.zero
        if streaks:
            streaks, totals = _after_streaks(rules, state, effects, totals=totals)
        running = keys.running
        if running.floor is not None or running.resets:
            pairs = zip(state.totals, totals, strict=True)
            totals = [running_total(before, after, running) for before, after in pairs]
        if keys.lives:
            lives = lives_after(rules, lives, scores)
        if effects.slam:
            held_open = effects.holds_open and not held_open
        if effects.wins is not None and _may_win(rules, state, effects.wins):
            won_by = effects.wins
    return GameState(
        seats=state.seats,
        teams=state.teams,
        totals=tuple(totals),
        deals=state.deals + 1,
        pool=effects.pool,
        lives=lives,
        streaks=streaks,
        held_open=held_open,
        won_by=won_by,
        playoff=state.playoff,
    )


def _may_win(rules: Rules, state: GameState, unit: int) -> bool:
    """Whether a unit can win at once: in a play-off only one of those tied can."""
    if not state.playoff:
        return True
    return number_of(state, unit, by_side=rules.keys.result.by_side) in state.playoff[-1]


def before_next_hand(rules: Rules, state: GameState) -> GameState:
    """The game as its next hand finds it: from a tie at its end on, only those tied can win."""
    if rules.keys.result.tie != "playoff":
        return state
    tied = outcome(rules, state).playoff
    if not tied or tied in state.playoff[-1:]:
        return state
    return state._replace(playoff=(*state.playoff, tied))


def number_of(state: GameState, unit: int, *, by_side: bool) -> int:
    """The number of a unit in an `Outcome`: that of its side where sides are compared."""
    if not by_side or len(state.totals) != state.seats:
        return unit
    return next(number for number, side in enumerate(state.teams) if unit in side)


def settlement_facts(rules: Rules, state: GameState, hand: HandScore) -> dict[str, object]:
    """The facts of a settlement that is offered: its scores, and the totals after it."""
    choice = None
    shooters: tuple[int, ...] = ()
    if hand.moon is not None:
        choice = hand.moon.choice
        shooters = hand.moon.by
    totals = advance(rules, state, hand.scores, hand.effects).totals
    return {
        "choice": choice,
        "by": list(shooters),
        "scores": [score_json(score) for score in hand.scores],
        "totals": [score_json(total) for total in totals],
    }


def lives_after(rules: Rules, lives: Sequence[int], scores: Sequence[Score]) -> tuple[int, ...]:
    """The lives of each unit after a hand with these scores; none where the rules have none."""
    rule = rules.keys.lives
    if rule is None:
        return ()
    lose_at = real(rule.lose_at)
    lives_left = []
    for before, score in zip(lives, scores, strict=True):
        if real(score) >= lose_at:
            lives_left.append(max(0, before - 1))
        else:
            lives_left.append(before)
    return tuple(lives_left)


def _after_streaks(
    rules: Rules, state: GameState, effects: Effects, *, totals: Sequence[Score]
) -> tuple[tuple[tuple[int, int], ...], list[Score]]:
    """The streaks of slams over several deals after a hand, and the totals.

    A streak continues or starts; one that is complete sets totals, and ends.
    """
    spans = [slam for slam in rules.keys.slams if slam.span > 1]
    streaks = []
    new_totals = list(totals)
    for place, slam in enumerate(spans):
        holder = effects.holders[place] if place < len(effects.holders) else None
        if holder is None:
            streaks.append(_NO_STREAK)
            continue
        last_holder, length = state.streaks[place]
        length = length + 1 if holder == last_holder else 1
        if length < slam.span:
            streaks.append((holder, length))
            continue
        for unit in range(len(new_totals)):
            set_total = slam.pay.set_self if unit == holder else slam.pay.set_others
            if set_total is not None:
                new_totals[unit] = set_total
        streaks.append(_NO_STREAK)
    return tuple(streaks), new_totals


def outcome(rules: Rules, state: GameState) -> Outcome:
    """Whether the game is over, and who has won, lost, or is tied."""
    if state.won_by is not None:
        winners = (state.won_by,)
        losers = _beaten(rules, state, winners)
        return Outcome(finished=True, winners=winners, losers=losers, leaders=winners)
    result = rules.keys.result
    is_over = _over(rules, state)
    if result.decide == "crosser_team_loses":
        return _crossing_side(rules, state, is_over=is_over)
    by_side = result.measure == "team_sum"
    leaders = _leaders(rules, state, by_sides=by_side)
    if not is_over:
        return Outcome(finished=False, leaders=leaders, by_side=by_side)
    if len(leaders) > 1 and result.tie != "shared":
        return _tied(result.tie, tied=leaders, leaders=leaders, by_side=by_side)
    if result.decide == "crosser_loses":
        losers = tuple(_crossers(rules, state))
    else:
        losers = _beaten(rules, state, leaders)
    return Outcome(finished=True, winners=leaders, losers=losers, leaders=leaders, by_side=by_side)


def _tied(rule: str, *, tied: tuple[int, ...], leaders: tuple[int, ...], by_side: bool) -> Outcome:
    """The outcome of a tie at the end: those tied play off, or all play on."""
    if rule == "playoff":
        return Outcome(finished=False, playoff=tied, leaders=leaders, by_side=by_side)
    return Outcome(finished=False, tie=tied, leaders=leaders, by_side=by_side)


def _beaten(rules: Rules, state: GameState, winners: Sequence[int]) -> tuple[int, ...]:
    if rules.keys.result.decide != "others_lose":
        return ()
    return tuple(unit for unit in range(len(state.totals)) if unit not in winners)


def limit_to_declare(rules: Rules, state: GameState) -> tuple[Finish, Real] | None:
    """The end of the game that a player may declare, and the total it takes; None without one."""
    for test in rules.keys.finish:
        if test.declare:
            return test, limit_of(test, state.totals)
    return None


def limit_of(test: Finish, totals: Sequence[Score]) -> Real:
    """The total that ends the game: it rises by steps until at most one unit has reached it.

    >>> limit_of(Finish("score", ">=", 1000, 250), [1130, 1000])
    1250
    """
    limit = real(test.value)
    if not test.step or len(totals) < 2:
        return limit
    second = sorted(map(real, totals))[-2]
    if COMPARE[test.op](second, limit):
        steps = (second - limit) // test.step
        limit += steps * test.step
        if COMPARE[test.op](second, limit):
            limit += test.step
    return limit


def ends_unplayed(rules: Rules) -> bool:
    """Whether the start totals already end the game, as a target of 0 would."""
    tests = [test for test in rules.keys.finish if test.kind in ("score", "abs")]
    return any(_crosses(test, rules.zero) for test in tests)


def may_play(rules: Rules, state: GameState) -> bool:
    """Whether a hand may follow: the same as an unfinished outcome, without computing leaders."""
    if state.won_by is None and not _over(rules, state):
        return True
    return not outcome(rules, state).finished


def _over(rules: Rules, state: GameState) -> bool:
    """Whether the end of the game is reached; a tie may still make it go on."""
    if state.playoff:
        return True
    if state.held_open:
        return False
    return any(_ends(test, state) for test in rules.keys.finish)


def rank_value(rules: Rules, total: Score) -> Real:
    """A number that is smaller the better the total."""
    order = rules.keys.result.order
    if isinstance(total, Complex) or order == "abs_low":
        return as_complex(total).norm
    if order == "high":
        return -total
    return total


def _leaders(rules: Rules, state: GameState, *, by_sides: bool) -> tuple[int, ...]:
    """The units or sides in front; who has no lives left is behind all others."""
    if by_sides:
        ranks = [(False, rank_value(rules, total)) for total in side_totals(rules, state)]
    else:
        has_lost_all = [lives == 0 for lives in state.lives]
        if not state.lives:
            has_lost_all = [False] * len(state.totals)
        values = [rank_value(rules, total) for total in state.totals]
        ranks = list(zip(has_lost_all, values, strict=True))
    playing: Sequence[int] = range(len(ranks))
    if state.playoff:
        playing = state.playoff[-1]
    best = min(ranks[number] for number in playing)
    return tuple(number for number in playing if ranks[number] == best)


def _ends(test: Finish, state: GameState) -> bool:
    if test.kind == "deals":
        return state.deals >= real(test.value)
    if test.kind == "score":
        reaches = COMPARE[test.op]
        limit = limit_of(test, state.totals)
        return any(reaches(total, limit) for total in state.totals)
    if test.kind == "abs":
        return any(_crosses(test, total) for total in state.totals)
    if test.kind == "chips_out":
        return any(real(total) <= 0 for total in state.totals)
    if test.kind == "chips_all":
        owners = [total for total in state.totals if real(total) > 0]
        return len(owners) == 1 and real(state.pool) == 0
    return False


def _crosses(test: Finish, total: Score) -> bool:
    reaches = COMPARE[test.op]
    limit = real(test.value)
    if test.kind == "abs":
        # The norm is the square of the absolute value.
        return reaches(as_complex(total).norm, limit * limit)
    return reaches(real(total), limit)


def _crossers(rules: Rules, state: GameState) -> Iterator[int]:
    tests = [test for test in rules.keys.finish if test.kind in ("score", "abs")]
    for unit, total in enumerate(state.totals):
        if any(_crosses(test, total) for test in tests):
            yield unit


def _crossing_side(rules: Rules, state: GameState, *, is_over: bool) -> Outcome:
    """The side of the player who crossed loses; of several, that of the worst single score.

    If these are equal no side has lost yet: `tie` says whether they play on (as in Likha),
    play off, or share.
    """
    sides = state.teams
    if rules.keys.teams.mode == "pooled":
        sides = tuple((unit,) for unit in range(len(state.totals)))
    playing: Sequence[int] = range(len(sides))
    if state.playoff:
        playing = state.playoff[-1]
    values = [rank_value(rules, total) for total in state.totals]

    may_lose = {seat for number in playing for seat in sides[number]}
    crossers = may_lose.intersection(_crossers(rules, state)) or may_lose
    worst_of_crossers: dict[int, Real] = {}
    for number, side in enumerate(sides):
        side_values = [values[seat] for seat in side if seat in crossers]
        if side_values:
            worst_of_crossers[number] = max(side_values)
    worst = max(worst_of_crossers.values())
    losers = tuple(number for number, value in worst_of_crossers.items() if value == worst)
    others = tuple(number for number in range(len(sides)) if number not in losers)
    if is_over and len(losers) == 1:
        return Outcome(finished=True, winners=others, losers=losers, leaders=others, by_side=True)

    # In front is the side whose worst single score is the best.
    worst_of_sides = [max(values[seat] for seat in side) for side in sides]
    best = min(worst_of_sides)
    leaders = tuple(number for number, value in enumerate(worst_of_sides) if value == best)
    if not is_over:
        return Outcome(finished=False, leaders=leaders, by_side=True)
    if rules.keys.result.tie == "shared":
        return Outcome(finished=True, winners=losers, leaders=leaders, by_side=True)
    return _tied(rules.keys.result.tie, tied=losers, leaders=leaders, by_side=True)


def side_totals(rules: Rules, state: GameState) -> tuple[Score, ...]:
    """The total of each side: its own where it is pooled, else the sum of its seats."""
    if rules.keys.teams.mode == "pooled":
        return state.totals
    return tuple(sum((state.totals[seat] for seat in side), rules.zero) for side in state.teams)
