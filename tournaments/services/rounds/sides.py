"""Whether each side of a table is one pair or team, and whom its hands count for otherwise."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scoring.errors import Problem, Refused
from scoring.rules.rules import Rules
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event
from tournaments.selectors.clubs.names import FULL_NAME
from tournaments.selectors.events.entrants import entrant_names

ASKED: Final = frozenset(
    {"side_of_two_pairs", "side_with_a_partner", "side_of_singles", "pair_on_both_sides"}
)
"""Codes of questions: who answers them seats the people all the same."""


def has_pairs(event: Event) -> bool:
    """Whether pairs or teams compete in an event."""
    return Entrant.objects.filter(event=event).exclude(kind=EntrantKind.PLAYER).exists()


def side_shape(rules: Rules, seats: int) -> Sequence[Sequence[int]]:
    """Return the seats (from 0) of each side; empty where the rules have none at so many seats."""
    shape = rules.keys.teams.shape
    if not shape or sum(len(side) for side in shape) != seats:
        return ()
    return tuple(tuple(side) for side in shape)


def require_whole_sides(
    event: Event, rules: Rules, players: Sequence[Player | None], *, is_answered: bool
) -> None:
    """Ask whether people sit together who are no pair, where pairs or teams compete.

    Args:
        players: who sits in each seat, clockwise.
        is_answered: whether they are to be seated all the same.

    Raises:
        Refused: side_of_two_pairs, side_with_a_partner, side_of_singles, pair_on_both_sides.
    """
    if is_answered:
        return
    if problems := tuple(split_sides(event, rules, players)):
        raise Refused(*problems)


def split_sides(event: Event, rules: Rules, players: Sequence[Player | None]) -> Iterator[Problem]:
    """Yield what is asked of each side that is not one pair or team; three queries at most."""
    if not side_shape(rules, len(players)) or not has_pairs(event):
        return
    people = {player.pk: player.name for player in players if player is not None}
    groups = groups_of(event, people)
    seats = [None if player is None else player.pk for player in players]
    yield from groups.split(rules, seats, people.__getitem__)


@dataclass(frozen=True, slots=True)
class PlayingGroups:
    """The pairs and teams of an event: the row of each player's own, and what these are called."""

    of: Mapping[int, int]
    names: Mapping[int, str]

    def split(
        self, rules: Rules, seats: Sequence[int | None], called: Callable[[int], str]
    ) -> Iterator[Problem]:
        """Yield what is asked of each side that is not one pair or team.

        Args:
            seats: the row of the player in each seat, clockwise; None where nobody is known.
            called: the name of a player by their row.
        """
        shape = side_shape(rules, len(seats))
        sides_of_group: dict[int, list[int]] = {}
        for number, side in enumerate(shape, start=1):
            there = [player for seat in side if (player := seats[seat]) is not None]
            pairs = list(dict.fromkeys(self.of[one] for one in there if one in self.of))
            for pair in pairs:
                sides_of_group.setdefault(pair, []).append(number)
            alone = [called(one) for one in there if one not in self.of]
            if problem := self._asked(number, pairs, [called(one) for one in there], alone):
                yield problem
        for pair, numbers in sides_of_group.items():
            on_sides = [
                one
                for number in numbers
                for seat in shape[number - 1]
                if (one := seats[seat]) is not None
            ]
            is_whole = all(self.of.get(one) == pair for one in on_sides)
            if len(numbers) > 1 and is_whole:
                yield Problem("pair_on_both_sides", ("side", 1), {"pair": self.names[pair]})

    def _asked(
        self, number: int, pairs: Sequence[int], there: Sequence[str], alone: Sequence[str]
    ) -> Problem | None:
        at = ("side", number)
        facts: dict[str, int | str] = {"names": _listed(there)}
        if len(pairs) > 1:
            return Problem("side_of_two_pairs", at, facts)
        if pairs and alone:
            facts |= {"pair": self.names[pairs[0]], "alone": _listed(alone)}
            return Problem("side_with_a_partner", at, facts)
        return Problem("side_of_singles", at, facts) if len(alone) > 1 else None


def groups_of(event: Event, players: Collection[int] | None = None) -> PlayingGroups:
    """Return the pairs and teams that players, or all of an event, belong to; two queries."""
    members = EntrantMember.objects.filter(event=event).exclude(entrant__kind=EntrantKind.PLAYER)
    if players is not None:
        members = members.filter(player__in=players)
    of = dict(members.values_list("player_id", "entrant_id"))
    entrants = Entrant.objects.filter(pk__in=set(of.values()))
    return PlayingGroups(of, entrant_names(entrants.prefetch_related("members__player"), FULL_NAME))


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)
