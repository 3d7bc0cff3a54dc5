"""Ratings after a correction, replayed from the game that it touches as a worker does."""

from collections.abc import Iterable
from types import MappingProxyType

from scoring.ladders.rating import Change, MemberRating, RatedGame, Ratings, replay
from scoring.ladders.rules import LadderRules


def before_game(changes: Iterable[Change], first: RatedGame) -> Ratings:
    """Everybody's ratings before a game; `changes` are those of a whole replay."""
    members: dict[str, MemberRating] = {}
    for game, member, _before, after in changes:
        if game.at.key >= first.at.key:
            break
        members[member] = after
    return Ratings(MappingProxyType(members))


def replay_from(
    first: RatedGame, games: Iterable[RatedGame], changes: Iterable[Change], rules: LadderRules
) -> tuple[Ratings, tuple[Change, ...]]:
    """The replay of `games` from `first` on; `changes` are those before the correction."""
    later = [game for game in games if game.at.key >= first.at.key]
    return replay(later, rules, after=before_game(changes, first))
