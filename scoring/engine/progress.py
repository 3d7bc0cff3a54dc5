"""Steps 7 to 9: running totals, lives, the end of a game, and who has won it.

Pure. See docs/algorithms/scoring.md, "End of a game".
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from scoring.json_types import JsonDict, JsonObject
from scoring.numbers import Complex, Real, Score, as_complex, real, score_json
from scoring.rules.rules import Rules
from scoring.rules.types import Finish, Running

COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}


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


NOTHING = Effects()


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
    if running.floor is not None:
        after = max(real(after), real(running.floor))
    if after == before:
        return after
    for reset in running.resets:
        if after == reset.at:
            if reset.set is not None:
                return reset.set
            return after + (reset.add or 0)
    return after


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
    return HandScore(scores, seat_scores, moon, verified, effects)


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
            data["seats"],
            tuple(map(tuple, data["teams"])),
            tuple(total for total in totals if total is not None),
            data["deals"],
            pool,
            tuple(data["lives"]),
            tuple((who, times) for who, times in data["streaks"]),
            data["held_open"],
            data["won_by"],
            tuple(map(tuple, data.get("playoff", ()))),
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
    after = [total + score for total, score in zip(state.totals, scores, strict=True)]
    if effects is NOTHING and rules.only_adds:
        return GameState(
            state.seats,
            state.teams,
            tuple(after),
            state.deals + 1,
            effects.pool,
            state.lives,
            state.streaks,
            state.held_open,
            state.won_by,
            state.playoff,
        )
    if effects.reset is not None:
        after[effects.reset] = rules.zero
    streaks = state.streaks
    if streaks:
        streaks = tuple(_streaks(rules, state, effects, after))
    running = keys.running
    if running.floor is not None or running.resets:
        pairs = zip(state.totals, after, strict=True)
        after = [running_total(before, total, running) for before, total in pairs]
    lives = state.lives
    if keys.lives:
        lives = lives_after(rules, lives, scores)
    held_open = state.held_open
    if effects.slam:
        held_open = effects.holds_open and not held_open
    won_by = state.won_by
    if effects.wins is not None and (
        not state.playoff
        or number_of(state, effects.wins, by_side=keys.result.by_side) in state.playoff[-1]
    ):
        won_by = effects.wins
    return GameState(
        state.seats,
        state.teams,
        tuple(after),
        state.deals + 1,
        effects.pool,
        lives,
        streaks,
        held_open,
        won_by,
        state.playoff,
    )


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
    totals = advance(rules, state, hand.scores, hand.effects).totals
    return {
        "choice": hand.moon.choice if hand.moon else None,
        "by": list(hand.moon.by) if hand.moon else [],
        "scores": list(map(score_json, hand.scores)),
        "totals": list(map(score_json, totals)),
    }


def lives_after(rules: Rules, lives: Sequence[int], scores: Sequence[Score]) -> tuple[int, ...]:
    """The lives of each unit after a hand with these scores; none where the rules have none."""
    rule = rules.keys.lives
    if rule is None:
        return ()
    loses = real(rule.lose_at)
    return tuple(
        max(0, before - (real(score) >= loses)) for before, score in zip(lives, scores, strict=True)
    )


def _streaks(
    rules: Rules, state: GameState, effects: Effects, after: list[Score]
) -> Iterator[tuple[int, int]]:
    """Slams over several deals: the streaks continue, start, or are complete and set the totals."""
    spans = [slam for slam in rules.keys.slams if slam.span > 1]
    for place, slam in enumerate(spans):
        holder = effects.holders[place] if place < len(effects.holders) else None
        before, times = state.streaks[place]
        times = times + 1 if holder == before else 1
        if holder is None:
            yield (-1, 0)
        elif times < slam.span:
            yield (holder, times)
        else:
            for unit in range(len(after)):
                aim = slam.pay.set_self if unit == holder else slam.pay.set_others
                after[unit] = after[unit] if aim is None else aim
            yield (-1, 0)


def outcome(rules: Rules, state: GameState) -> Outcome:
    """Whether the game is over, and who has won, lost, or is tied."""
    if state.won_by is not None:
        won = (state.won_by,)
        return Outcome(True, won, _beaten(rules, state, won), leaders=won)
    result = rules.keys.result
    ended = _over(rules, state)
    if result.decide == "crosser_team_loses":
        return _crossing_side(rules, state, ended)
    by_side = result.measure == "team_sum"
    leaders = _leaders(rules, state, by_sides=by_side)
    if not ended:
        return Outcome(False, leaders=leaders, by_side=by_side)
    if len(leaders) > 1 and result.tie != "shared":
        return _tied(result.tie, leaders, leaders, by_side=by_side)
    losers = _beaten(rules, state, leaders)
    if result.decide == "crosser_loses":
        losers = tuple(_crossers(rules, state))
    return Outcome(True, leaders, losers, leaders=leaders, by_side=by_side)


def _tied(rule: str, tied: tuple[int, ...], leaders: tuple[int, ...], *, by_side: bool) -> Outcome:
    if rule == "playoff":
        return Outcome(False, playoff=tied, leaders=leaders, by_side=by_side)
    return Outcome(False, tie=tied, leaders=leaders, by_side=by_side)


def _beaten(rules: Rules, state: GameState, winners: Sequence[int]) -> tuple[int, ...]:
    if rules.keys.result.decide != "others_lose":
        return ()
    return tuple(unit for unit in range(len(state.totals)) if unit not in winners)


def limit_to_declare(rules: Rules, state: GameState) -> tuple[Finish, Real] | None:
    """The end of the game that a player may declare, and the total it takes; None without one."""
    test = next((test for test in rules.keys.finish if test.declare), None)
    if test is None:
        return None
    return (test, limit_of(test, state.totals))


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
    if state.playoff:
        return True
    return not state.held_open and any(_ends(test, state) for test in rules.keys.finish)


def rank_value(rules: Rules, total: Score) -> Real:
    """A number that is smaller the better the total."""
    order = rules.keys.result.order
    if isinstance(total, Complex) or order == "abs_low":
        return as_complex(total).norm
    return -total if order == "high" else total


def _leaders(rules: Rules, state: GameState, *, by_sides: bool) -> tuple[int, ...]:
    if by_sides:
        sums = side_totals(rules, state)
        places = [(False, rank_value(rules, total)) for total in sums]
    else:
        dead = [lives == 0 for lives in state.lives] or [False] * len(state.totals)
        places = [
            (gone, rank_value(rules, total)) for gone, total in zip(dead, state.totals, strict=True)
        ]
    playing: Sequence[int] = range(len(places))
    if state.playoff:
        playing = state.playoff[-1]
    best = min(places[number] for number in playing)
    return tuple(number for number in playing if places[number] == best)


def _ends(test: Finish, state: GameState) -> bool:
    if test.kind == "deals":
        return state.deals >= real(test.value)
    if test.kind == "score":
        compare = COMPARE[test.op]
        value = limit_of(test, state.totals)
        return any(compare(total, value) for total in state.totals)
    if test.kind == "abs":
        return any(_crosses(test, total) for total in state.totals)
    if test.kind == "chips_out":
        return any(real(total) <= 0 for total in state.totals)
    if test.kind == "chips_all":
        owners = [total for total in state.totals if real(total) > 0]
        return len(owners) == 1 and real(state.pool) == 0
    return False


def _crosses(test: Finish, total: Score) -> bool:
    if test.kind == "abs":
        value = real(test.value)
        return COMPARE[test.op](as_complex(total).norm, value * value)
    return COMPARE[test.op](real(total), real(test.value))


def _crossers(rules: Rules, state: GameState) -> Iterator[int]:
    tests = [test for test in rules.keys.finish if test.kind in ("score", "abs")]
    for unit, total in enumerate(state.totals):
        if any(_crosses(test, total) for test in tests):
            yield unit


def _crossing_side(rules: Rules, state: GameState, ended: bool) -> Outcome:
    """The side of the player who crossed loses; of several, that of the worst single score.

    If these are equal no side has lost yet: `tie` says whether they play on (as in Likha),
    play off, or share.
    """
    is_pooled = rules.keys.teams.mode == "pooled"
    sides = tuple((unit,) for unit in range(len(state.totals))) if is_pooled else state.teams
    playing: Sequence[int] = range(len(sides))
    if state.playoff:
        playing = state.playoff[-1]
    open_to = {seat for number in playing for seat in sides[number]}
    crossed = open_to.intersection(_crossers(rules, state)) or open_to
    worst = {
        number: max(rank_value(rules, state.totals[seat]) for seat in side if seat in crossed)
        for number, side in enumerate(sides)
        if any(seat in crossed for seat in side)
    }
    losers = tuple(number for number, value in worst.items() if value == max(worst.values()))
    others = tuple(number for number in range(len(sides)) if number not in losers)
    if ended and len(losers) == 1:
        return Outcome(True, others, losers, leaders=others, by_side=True)
    # In front is the side whose worst single score is the best.
    each = [max(rank_value(rules, state.totals[seat]) for seat in side) for side in sides]
    leaders = tuple(number for number, value in enumerate(each) if value == min(each))
    if not ended:
        return Outcome(False, leaders=leaders, by_side=True)
    if rules.keys.result.tie == "shared":
        return Outcome(True, losers, leaders=leaders, by_side=True)
    return _tied(rules.keys.result.tie, losers, leaders, by_side=True)


def side_totals(rules: Rules, state: GameState) -> tuple[Score, ...]:
    """The total of each side: its own where it is pooled, else the sum of its seats."""
    if rules.keys.teams.mode == "pooled":
        return state.totals
    return tuple(sum((state.totals[seat] for seat in side), rules.zero) for side in state.teams)
