"""Rows of players as an older import or another program may have left them."""

from tournaments.domain.people.public_names import new_player
from tournaments.models.clubs import Club, Player


def stored_player(*, club: Club, player_id: str, name: str) -> Player:
    """Store a player without the checks of a page, and return the row."""
    player = new_player(club=club, player_id=player_id, name=name)
    player.save()
    return player
