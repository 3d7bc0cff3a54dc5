"""Keeping merged players out of events: the player who took their records plays instead."""

from collections.abc import Collection

from scoring.errors import Problem
from tournaments.errors import Conflict
from tournaments.models.clubs import Player


def require_not_merged(players: Collection[int]) -> None:
    """Lock the rows of players who enter an event, and refuse those who were merged into others.

    A merge locks these rows too, after the events that it knows of: it is done, and seen here, or
    it waits, and finds the event (services/people/merge_players.py). What a foreign key locks would
    be too late for that: it is checked at the commit.

    Raises:
        Conflict: player_is_merged.
    """
    held = Player.objects.select_for_update(no_key=True).filter(pk__in=players).order_by("pk")
    list(held.values_list("pk"))
    # A statement of its own: a joined row would be as it was before the lock was had.
    merged = Player.objects.filter(pk__in=players, merged_into__isnull=False)
    found = merged.select_related("merged_into").order_by("pk").first()
    if found is not None and found.merged_into is not None:
        facts = {"player": found.player_id, "into": found.merged_into.player_id}
        raise Conflict(Problem("player_is_merged", ("players",), facts))
