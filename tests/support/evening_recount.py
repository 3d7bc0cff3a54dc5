"""The table of an evening counted again, from standings.md and tie-breaks.md of docs/algorithms.

It takes what was written on the sheets, and shares no code with what ranks: places, points and
tie-breaks are made here anew, slowly and one at a time.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

PLACE_POINTS: Final = {3: (5, 3, 1), 4: (5, 3, 2, 1)}
DEAL: Final = 26
"""Penalty points of a deal of Hearts."""
LOW_WINS: Final = ("raw_per_hand",)


@dataclass
class Sheet:
    """A table: who sat in each chair from which hand on, and the points of each hand by chair.

    A deleted hand is None. Hands are numbered from 1, as on the sheet.
    """

    chairs: list[list[tuple[str, int]]]
    hands: list[list[int] | None] = field(default_factory=list)
    shooters: dict[int, int] = field(default_factory=dict)
    """The chair that shot the moon, by the number of the hand."""

    def who(self, chair: int, hand: int) -> str:
        """Return who sat in a chair in a hand: the last one who came up to it."""
        return [player for player, first in self.chairs[chair] if first <= hand][-1]


@dataclass
class Evening:
    """What is known of an evening: sheets in the order of rounds, byes, penalties and bonuses."""

    sheets: list[Sheet] = field(default_factory=list)
    byes: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    ledger: dict[str, Fraction] = field(default_factory=lambda: defaultdict(Fraction))
    """Bonuses less penalties."""


@dataclass
class Game:
    """What one table gave one player."""

    place: int
    shared: int
    points: int
    hands: int
    moons: int
    values: Mapping[str, Fraction]
    ahead: Mapping[str, Fraction]
    """Each opponent: 1 if beaten, 1/2 if tied, else 0."""


def games_of_sheet(sheet: Sheet) -> dict[str, Game]:
    """Return what a table gives each who sat there for at least one hand that counts."""
    played = [(number, points) for number, points in enumerate(sheet.hands, 1) if points]
    if not played:
        return {}
    totals = [sum(points[chair] for _, points in played) for chair in range(len(sheet.chairs))]
    people: dict[str, int] = {}
    for number, _points in played:
        for chair in range(len(totals)):
            people[sheet.who(chair, number)] = chair
    games = {}
    for player, chair in people.items():
        own = [(number, points) for number, points in played if sheet.who(chair, number) == player]
        games[player] = Game(
            place=1 + sum(other < totals[chair] for other in totals),
            shared=totals.count(totals[chair]),
            points=sum(points[chair] for _, points in own),
            hands=len(own),
            moons=sum(sheet.shooters.get(number) == chair for number, _ in own),
            values={
                **_values_of_chair(totals, chair),
                "index_per_game": _index([points for _, points in own], chair),
            },
            ahead={
                other: _ahead(totals[chair], totals[seat])
                for other, seat in people.items()
                if seat != chair
            },
        )
    return games


def _ahead(own: int, other: int) -> Fraction:
    if own == other:
        return Fraction(1, 2)
    return Fraction(int(own < other))


def _index(hands: Sequence[Sequence[int]], chair: int) -> Fraction:
    """Return how far the hands that somebody sat for are from the mean of the table in them."""
    own = sum(points[chair] for points in hands)
    mean = Fraction(sum(map(sum, hands)), len(hands[0]))
    return 100 * (mean - own) / (len(hands) * DEAL)


def _values_of_chair(totals: Sequence[int], chair: int) -> Mapping[str, Fraction]:
    """Return what a chair has of a table by its place."""
    own = totals[chair]
    better = sum(other < own for other in totals)
    level = totals.count(own)
    points = PLACE_POINTS[len(totals)][better : better + level]
    others = [total for seat, total in enumerate(totals) if seat != chair]
    beaten = sum((_ahead(own, other) for other in others), Fraction())
    win = Fraction(0)
    if better == 0:
        win = Fraction(1, level)
    return {
        "placement_points": Fraction(sum(points), level),
        "beaten_mean": beaten / len(others),
        "wins": win,
    }


def value_of(games: Sequence[Game], primary: str, byes: int, award: str) -> Fraction:
    """Return the primary value of what somebody played, with their byes."""
    if primary == "raw_per_hand":
        return Fraction(sum(game.points for game in games), sum(game.hands for game in games))
    total = sum((game.values[primary] for game in games), Fraction())
    if primary in ("beaten_mean", "index_per_game"):
        return total / len(games)
    if award == "own_mean":
        return total + byes * total / len(games)
    if award == "scheme_mean":
        return total + byes * Fraction(sum(PLACE_POINTS[4]), 4)
    return total


Played = Mapping[str, Sequence[Game]]


def rank(
    evening: Evening, *, primary: str, tie_breaks: Sequence[str], bye_award: str
) -> list[tuple[int, str, Fraction]]:
    """Return place, player and value of all who played, as the table of the evening lists them."""
    played: dict[str, list[Game]] = defaultdict(list)
    for sheet in evening.sheets:
        for player, game in games_of_sheet(sheet).items():
            played[player].append(game)
    values = {}
    for player, games in played.items():
        value = value_of(games, primary, evening.byes.get(player, 0), bye_award)
        given = evening.ledger.get(player, Fraction())
        values[player] = value - given if primary in LOW_WINS else value + given
    groups: list[list[str]] = []
    best_first = sorted(set(values.values()), reverse=primary not in LOW_WINS)
    for value in best_first:
        groups.append(sorted(player for player in values if values[player] == value))
    for criterion in tie_breaks:
        groups = [part for group in groups for part in _split(group, criterion, played)]
    table: list[tuple[int, str, Fraction]] = []
    for group in groups:
        place = 1 + len(table)
        table += [(place, player, values[player]) for player in group]
    return table


def _split(group: list[str], criterion: str, played: Played) -> list[list[str]]:
    """Return the parts of a tied group, the best first; the group itself where it stays tied."""
    if len(group) == 1 or (criterion == "h2h" and not _all_met(group, played)):
        return [group]
    marks = {player: _mark(player, group, criterion, played) for player in group}
    return [
        [player for player in group if marks[player] == mark]
        for mark in sorted(set(marks.values()), reverse=True)
    ]


def _all_met(group: Sequence[str], played: Played) -> bool:
    return all(
        any(other in game.ahead for game in played[player])
        for player in group
        for other in group
        if other != player
    )


def _mark(
    player: str, group: Sequence[str], criterion: str, played: Played
) -> tuple[Fraction | int, ...]:
    """Return what a criterion compares; more is better."""
    games = played[player]
    if criterion == "wins":
        return (sum((game.values["wins"] for game in games), Fraction()),)
    if criterion == "countback":
        return tuple(sum(game.place == place for game in games) for place in range(1, 5))
    if criterion == "moons_shot":
        return (sum(game.moons for game in games),)
    assert criterion == "h2h"
    met = [
        game.ahead[other]
        for game in games
        for other in group
        if other != player and other in game.ahead
    ]
    return (sum(met, Fraction()) / len(met),)
