"""Names by which files of a club call its players; for directors only."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import QuerySet

from tournaments.domain.people.who_is_meant import Alias
from tournaments.errors import first_or_missing
from tournaments.models.clubs import Club, Player, PlayerAlias
from tournaments.selectors.clubs.find_players import find_final_keys


def list_aliases(player: Player) -> QuerySet[PlayerAlias]:
    """Return the other names of a player, proposals of hosts last."""
    aliases = PlayerAlias.objects.filter(club=player.club_id, player=player)
    return aliases.select_related("club", "player").order_by("-is_confirmed", "folded", "pk")


def get_alias(player: Player, public_id: UUID) -> PlayerAlias:
    return first_or_missing(list_aliases(player).filter(public_id=public_id), "alias")


def aliases_of(club: Club) -> Sequence[Alias]:
    """Return all other names of a club's players, as the judge of names takes them."""
    into = find_final_keys(club)
    rows = PlayerAlias.objects.filter(club=club).order_by("pk")
    return [
        Alias(
            row.name,
            into.get(row.player_id, row.player_id),
            row.made_at.astimezone(club.zone).date(),
            is_confirmed=row.is_confirmed,
            newest=row.newest,
        )
        for row in rows
    ]
