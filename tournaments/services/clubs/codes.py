"""Codes of entrants beside the ids of players: neither is given out where the other has it.

A player who competes alone has their id as the code. Where a pair or a team of the event has that
code already (typed by hand, or before ids were compared), the player gets another one.
"""

from collections.abc import Collection
from typing import Final

from scoring.errors import Problem
from tournaments.models.clubs import Club, Player
from tournaments.models.events import Entrant, EntrantKind, Event

LONGEST_CODE: Final = 40


def group_codes(club: Club, ids: Collection[str] | None = None) -> dict[str, str]:
    """Return the codes of the pairs and teams in the club's events, each with an event's name.

    Args:
        ids: the codes that are asked about; None for all.
    """
    groups = Entrant.objects.filter(club=club).exclude(kind=EntrantKind.PLAYER)
    if ids is not None:
        groups = groups.filter(code__in=ids)
    return dict(groups.order_by("-event_id").values_list("code", "event__name"))


def group_problem(player_id: str, groups: dict[str, str]) -> Problem | None:
    """Return what is wrong with a player id that is one of `groups` (`group_codes`), if it is."""
    if player_id not in groups:
        return None
    facts = {"player_id": player_id, "event": groups[player_id]}
    return Problem("player_id_is_a_code", ("player_id",), facts)


def code_for(event: Event, player_id: str) -> str:
    """Return the code under which a player competes alone: their id, or the next that is free."""
    return codes_for(event, [player_id])[player_id]


def codes_for(event: Event, ids: Collection[str]) -> dict[str, str]:
    """Return, by player id, the codes under which players compete alone, as `code_for` does."""
    entrants = Entrant.objects.filter(event=event)
    clashing = set(entrants.filter(code__in=ids).values_list("code", flat=True))
    if not clashing:
        return {one: one for one in ids}
    taken = set(entrants.values_list("code", flat=True))
    taken |= set(Player.objects.filter(club_id=event.club_id).values_list("player_id", flat=True))
    return {one: _free(one, taken) if one in clashing else one for one in ids}


def _free(code: str, taken: Collection[str]) -> str:
    number = 2
    while numbered(code, number) in taken:
        number += 1
    return numbered(code, number)


def numbered(code: str, number: int) -> str:
    """Return a code with a number behind it, cut so that it fits.

    >>> numbered("pair-1", 2)
    'pair-1-2'
    """
    tail = f"-{number}"
    return f"{code[: LONGEST_CODE - len(tail)]}{tail}"
