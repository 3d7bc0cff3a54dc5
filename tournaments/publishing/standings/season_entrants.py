"""Who is who in a season: an entrant is the set of its players, whatever each event calls it.

Each event gives its pairs and teams codes of its own, so that `pair-1` of two events is hardly ever
the same pair; and the same two people may be `pair-1` here and `pair-4` there.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from tournaments.models.events import EntrantMember, Event

Players = frozenset[str]
"""The ids of an entrant's players."""

Codes = Mapping[str, str]
"""What an event calls an entrant → what the season calls it."""


def players_of(event: Event) -> dict[str, Players]:
    """Return the players of each entrant of an event, by the entrant's code; one query."""
    found: dict[str, set[str]] = defaultdict(set)
    rows = EntrantMember.objects.filter(event=event)
    for code, player in rows.values_list("entrant__code", "player__player_id"):
        found[code].add(player)
    return {code: frozenset(players) for code, players in found.items()}


def season_codes(events: Sequence[Mapping[str, Players]]) -> list[dict[str, str]]:
    """Return the code of each event's entrants in their season.

    A player alone has their own id. A pair or a team keeps the code that it has in the first event
    it is in, unless somebody else of the season had that: then its players' ids are its code.

    Args:
        events: the players of each entrant, by code, of the season's events in their order.

    >>> first = {"pair-1": frozenset({"A", "C"}), "E": frozenset({"E"})}
    >>> second = {"pair-1": frozenset({"B", "D"}), "pair-2": frozenset({"A", "C"})}
    >>> season_codes([first, second])
    [{'pair-1': 'pair-1', 'E': 'E'}, {'pair-1': 'B+D', 'pair-2': 'pair-1'}]
    """
    alone = {players for entrants in events for players in entrants.values() if len(players) == 1}
    codes = {players: next(iter(players)) for players in alone}
    taken = set(codes.values())
    for entrants in events:
        for code in sorted(entrants):
            players = entrants[code]
            if players in codes:
                continue
            own = code if code not in taken else "+".join(sorted(players))
            while own in taken:
                own += "+"
            codes[players] = own
            taken.add(own)
    return [{code: codes[players] for code, players in one.items()} for one in events]
