"""Every short game near its end, against an end written here from the rules card's sentences."""

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pytest

from scoring.budget import Budget
from scoring.engine.deciding import rank_keys
from scoring.errors import Refused
from scoring.game.game import GameState, new_game, outcome, play
from scoring.rules.rules import Rules
from tests.support.lengths import short_or_long
from tests.support.scoring.play import rules

LIMIT = 20
PIPS = 13
OPERATORS: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge, ">": operator.gt, "==": operator.eq,
}  # fmt: skip
TIES = ("continue", "shared", "playoff")
MOONS = (
    "none", "face", "void", "self", "others", "choose", "others-unless-shooter-loses",
    "others-unless-other-wins", "others-then-continue", "win-match",
)  # fmt: skip
SEATS, PAIRS = ((0,), (1,), (2,), (3,)), ((0, 2), (1, 3))
KINDS = {"lowest total": SEATS, "lowest sum": PAIRS, "worst total loses": PAIRS}
START, BEFORE_MOON = (14, 5, 5, 2), (18, 3, 3, 10)
"""From the second totals, a moon of the first seat given to the others leaves two others tied."""
HANDS = (
    (6, 1, 1, 5), (0, 6, 7, 0), (3, 4, 4, 2), (13, 0, 0, 0), (0, 13, 0, 0), (0, 0, 0, 13),
)  # fmt: skip
"""The first one makes a tie at the end, after which the second one leaves the fourth seat in front;
then moons of a seat that is over, of one that is tied, and of one that was not."""
Points = tuple[int, ...]


@dataclass(frozen=True)
class Game:
    """A game as a director would follow it. `playing` are those who play off a tie at the end."""

    kind: str
    op: str
    tie: str
    moon: str
    totals: Points
    playing: frozenset[int] | None = None
    open_till_moon: bool = False
    won_by: int | None = None

    @property
    def sides(self) -> tuple[Points, ...]:
        return KINDS[self.kind]

    def end(self) -> tuple[str, frozenset[int]]:
        """Whether the game is open, won or tied, and by whom."""
        if self.won_by is not None:
            return "won", frozenset({self.won_by})
        reached = [OPERATORS[self.op](total, LIMIT) for total in self.totals]
        if self.playing is None and (self.open_till_moon or not any(reached)):
            return "open", frozenset()
        playing = self.playing if self.playing is not None else frozenset(range(len(self.sides)))
        if self.kind == "worst total loses":
            return self._end_of_sides(reached)
        worth = {side: sum(self.totals[seat] for seat in self.sides[side]) for side in playing}
        best = frozenset(side for side in playing if worth[side] == min(worth.values()))
        return ("won" if len(best) == 1 or self.tie == "shared" else "tied"), best

    def _end_of_sides(self, reached: list[bool]) -> tuple[str, frozenset[int]]:
        looked_at = [seat for seat in range(4) if reached[seat] or not any(reached)]
        worst = max(self.totals[seat] for seat in looked_at)
        lost = {seat % 2 for seat in looked_at if self.totals[seat] == worst}
        if len(lost) == 1:
            return "won", frozenset({0, 1} - lost)
        return ("won" if self.tie == "shared" else "tied"), frozenset({0, 1})

    def after(self, points: Points, choice: str | None) -> "Game | str":
        """The game after a hand, or the code of its refusal."""
        state, tied = self.end()
        if state == "won":
            return "match_over"
        game = replace(self, playing=tied) if state == "tied" and self.tie == "playoff" else self
        if max(points) < PIPS or self.moon in ("none", "face"):
            forms: dict[str | None, Points] = {None: points}
            shooter = None
        else:
            shooter = points.index(PIPS)
            give = tuple(0 if seat == shooter else PIPS for seat in range(4))
            take = tuple(-PIPS if seat == shooter else 0 for seat in range(4))
            forms = game.forms(shooter, give, take)
        if choice not in forms:
            return "choice_required" if choice is None else "choice_forbidden"
        booked = game.booked(forms[choice])
        if shooter is None:
            return booked
        if self.moon == "win-match" and (game.playing is None or shooter in game.playing):
            return replace(booked, won_by=shooter)
        lost, _ = game.booked(forms[choice]).fate(shooter)
        goes_on = self.moon == "others-then-continue" and lost and not game.open_till_moon
        return replace(booked, open_till_moon=goes_on)

    def booked(self, points: Points) -> "Game":
        totals = [total + more for total, more in zip(self.totals, points, strict=True)]
        return replace(self, totals=tuple(totals))

    def fate(self, seat: int) -> tuple[bool, bool]:
        """Whether the game is lost for the player, and whether it is another's, or will be."""
        state, who = self.end()
        mine = next(number for number, side in enumerate(self.sides) if seat in side)
        if state == "open" or (state == "tied" and (self.tie == "continue" or mine in who)):
            return False, False
        return mine not in who, bool(who - {mine})

    def forms(self, shooter: int, give: Points, take: Points) -> dict[str | None, Points]:
        """What may be written for the settlement, and the points that it gives."""
        lost, others = self.booked(give).fate(shooter)
        if self.moon in ("void", "win-match"):
            return {None: (0, 0, 0, 0)}
        if self.moon == "choose":
            return {"self": take, "others": give}
        if self.moon == "others-unless-shooter-loses" and lost:
            return {None: take, "self": take, "others": give}
        if self.moon == "self" or (self.moon == "others-unless-other-wins" and others):
            return {None: take, "self": take}
        return {None: give, "others": give}


def small(kind: str, op: str, tie: str, moon: str) -> Rules:
    option = "void" if moon == "win-match" else moon
    found = rules("hearts-without-black-lady", target=LIMIT, target_op=op, tie=tie, moon=option)
    document: dict[str, Any] = found.as_json()
    if moon == "win-match":
        document["slams"][0]["pay"]["mode"] = "win_match"
    if kind != "lowest total":
        key = ("measure", "team_sum") if kind == "lowest sum" else ("decide", "crosser_team_loses")
        document["teams"] = {"mode": "individual", "shape": [list(side) for side in PAIRS]}
        document["result"] = {**document["result"], key[0]: key[1]}
    return Rules.from_json(document)


def agree(found: Rules, state: GameState, game: Game) -> None:
    stands, (way, who) = outcome(found, state), game.end()
    assert state.totals == game.totals
    expected: dict[str, tuple[int, ...]] = {"winners": (), "tie": (), "playoff": ()}
    name = {"won": "winners", "tied": "playoff" if game.tie == "playoff" else "tie"}.get(way)
    if name is not None:
        expected[name] = tuple(sorted(who))
    seen = {name: tuple(sorted(getattr(stands, name))) for name in expected}
    assert (stands.finished, seen) == (way == "won", expected), (state, game)
    if way == "won" and game.kind != "worst total loses" and game.won_by is None:
        keys = rank_keys(found, state)
        assert {number for number, key in enumerate(keys) if key == min(keys)} == who, (state, game)


def followed(found: Rules, state: GameState, game: Game, hands: int) -> Iterator[str]:
    """Every game of so many more hands; yields how each of them ends."""
    agree(found, state, game)
    yield game.end()[0] + (" after a play-off" if game.playing else "")
    if not hands:
        return
    for points, choice in product(HANDS, (None, "self", "others")):
        if choice and max(points) < PIPS:
            continue
        entry: dict[str, Any] = {"hearts": list(points), "taken": [[], [], [], []]}
        expected = game.after(points, choice)
        after = played(found, state, entry | ({"slam_choice": choice} if choice else {}))
        if isinstance(expected, str) or isinstance(after, str):
            assert after == expected, (points, choice, state)
        else:
            yield from followed(found, after, expected, hands - 1)


def played(found: Rules, state: GameState, entry: dict[str, Any]) -> GameState | str:
    """The game after the hand, or the first code of its refusal."""
    try:
        return play(found, state, entry, budget=Budget(hints=0))[1]
    except Refused as refused:
        return refused.problems[0].code


@pytest.mark.parametrize("moon", MOONS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_short_game_ends_as_its_card_says(kind: str, moon: str) -> None:
    ends: set[str] = set()
    for op, tie in product(OPERATORS, TIES):
        found = small(kind, op, tie, moon)
        hands = short_or_long(3 if tie == "playoff" and op == ">=" else 2, 4)
        for start, more in ((START, hands), (BEFORE_MOON, 2)):
            state = new_game(found, 4, start_totals=list(start))
            ends |= {*followed(found, state, Game(kind, op, tie, moon, start), more)}
    assert ends >= {"open", "won"}
    assert kind != "lowest total" or "won after a play-off" in ends
