"""Keeping merged players out of events: the player who took their records plays instead."""

from collections.abc import Collection

from scoring.errors import Problem
from tournaments.errors import Conflict, Missing
from tournaments.models.clubs import Player


def require_not_merged(players: Collection[int]) -> None:
    """Lock the rows of players who enter an event, and refuse those who were merged into others.

    Whoever takes a player off the club's list locks these rows too: an entry is there by then, and
    the player stays, or the player is gone, and is not entered.

    A merge locks these rows too, after the events that it knows of: it is done, and seen here, or
    it waits, and finds the event (services/people/merge_players.py). What a foreign key locks would
    be too late for that: it is checked at the commit.

    Raises:
        Missing: unknown_player, where one was taken off the club's list meanwhile.
        Conflict: player_is_merged.
    """
    held = Player.objects.select_for_update(no_key=True).filter(pk__in=players).order_by("pk")
    if len(held.values_list("pk")) < len(set(players)):
        raise Missing("player")
    # A statement of its own: a joined row would be as it was before the lock was had.
    merged = Player.objects.filter(pk__in=players, merged_into__isnull=False)
    found = merged.select_related("merged_into").order_by("pk").first()
    if found is not None and found.merged_into is not None:
        facts = {"player": found.player_id, "into": found.merged_into.player_id}
        raise Conflict(Problem("player_is_merged", ("players",), facts))
