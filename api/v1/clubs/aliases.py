"""Other names of a player in files of the club: listed, confirmed, and removed; for directors."""

from django.db.models import QuerySet
from rest_framework import serializers

from api.resources import ResourceViewSet, performs, removes
from api.serializers.fast_serialization import OutputSerializer
from api.v1.addresses import uuid_of
from api.v1.fields import MomentField
from tournaments.models.clubs import Player, PlayerAlias
from tournaments.selectors.events.players import player_for
from tournaments.selectors.people.aliases import get_alias, list_aliases
from tournaments.services.clubs.aliases import confirm_alias, remove_alias


class AliasSerializer(OutputSerializer):
    """A name by which files of the club call a player, as somebody answered."""

    id = serializers.UUIDField(source="public_id")
    player_id = serializers.CharField(source="player.player_id")
    name = serializers.CharField()
    is_confirmed = serializers.BooleanField(
        help_text="Whether files are read by it; the answer of a host is a proposal until then."
    )
    made_at = MomentField(help_text="Time of the answer, or of its confirmation.")
    made_by = serializers.CharField(
        source="made_as", help_text="Role of the person who answered, or confirmed it."
    )


class AliasViewSet(ResourceViewSet):
    """Other names of a player in files of the club; for directors. Nobody else reads them."""

    resource = ("alias", "aliases")
    read_right, hidden_as = "edit_players", "player"
    lookup_url_kwarg = "alias"
    serializer_class = AliasSerializer
    ordering = ()
    confirm = performs(confirm_alias, "confirm")
    destroy = removes(remove_alias, "RemovedAlias", "The other name that was removed.")

    def _player(self) -> Player:
        return player_for(self.actor, self.parent, self.kwargs["player_id"])

    def get_queryset(self) -> QuerySet[PlayerAlias]:
        return list_aliases(self._player())

    def get_object(self) -> PlayerAlias:
        return get_alias(self._player(), uuid_of(str(self.kwargs["alias"]), "alias"))
