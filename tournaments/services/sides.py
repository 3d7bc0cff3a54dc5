"""Whether each side of a table is one pair or team, and whom its hands count for otherwise."""

from collections.abc import Iterator, Sequence
from typing import Final

from scoring.errors import Problem, Refused
from scoring.rules import Rules
from tournaments.models.clubs import Player
from tournaments.models.events import Entrant, EntrantKind, EntrantMember, Event
from tournaments.selectors.entrants import entrant_names

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
    shape = side_shape(rules, len(players))
    if not shape or not has_pairs(event):
        return
    people = [player for player in players if player is not None]
    members = EntrantMember.objects.filter(event=event, player__in=people)
    own = {one.player_id: one.entrant for one in members.select_related("entrant")}
    entrants = Entrant.objects.filter(pk__in={one.pk for one in own.values()})
    names = entrant_names(entrants.prefetch_related("members__player"))
    groups = {pk: one for pk, one in own.items() if one.kind != EntrantKind.PLAYER}
    sides_of_group: dict[int, list[int]] = {}
    for number, side in enumerate(shape, start=1):
        at = ("side", number)
        there = [player for seat in side if (player := players[seat]) is not None]
        pairs = list(dict.fromkeys(groups[one.pk].pk for one in there if one.pk in groups))
        alone = [one for one in there if one.pk not in groups]
        for pair in pairs:
            sides_of_group.setdefault(pair, []).append(number)
        facts: dict[str, int | str] = {"names": _listed([one.name for one in there])}
        if len(pairs) > 1:
            yield Problem("side_of_two_pairs", at, facts)
        elif pairs and alone:
            facts |= {"pair": names[pairs[0]], "alone": _listed([one.name for one in alone])}
            yield Problem("side_with_a_partner", at, facts)
        elif len(alone) > 1:
            yield Problem("side_of_singles", at, facts)
    for pair, numbers in sides_of_group.items():
        on_sides = [
            one for number in numbers for seat in shape[number - 1] if (one := players[seat])
        ]
        is_whole = all(one.pk in groups and groups[one.pk].pk == pair for one in on_sides)
        if len(numbers) > 1 and is_whole:
            yield Problem("pair_on_both_sides", ("side", 1), {"pair": names[pair]})


def _listed(names: Sequence[str]) -> str:
    return " and ".join(names)
