"""Names by which files of a club call its players; for directors only."""

from uuid import UUID

from django.db.models import QuerySet

from tournaments.errors import first_or_missing
from tournaments.models.clubs import Player, PlayerAlias


def list_aliases(player: Player) -> QuerySet[PlayerAlias]:
    """Return the other names of a player, proposals of hosts last."""
    aliases = PlayerAlias.objects.filter(club=player.club_id, player=player)
    return aliases.select_related("club", "player").order_by("-is_confirmed", "folded", "pk")


def get_alias(player: Player, public_id: UUID) -> PlayerAlias:
    return first_or_missing(list_aliases(player).filter(public_id=public_id), "alias")
