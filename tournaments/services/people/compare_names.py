"""Compare the names of new and renamed players with the others of their club, between requests."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from django.db.models import Q, QuerySet

from tournaments.domain.name_matching import NAMES_COMPARED, SimilarNames
from tournaments.models.clubs import Club, Player, SimilarPlayers
from tournaments.services.clubs.names import lock_names
from tournaments.services.db.transactions import atomic_step

PIECE: Final = 200
"""Names that a sweep compares; the next sweep goes on."""


def compare_names() -> None:
    """Store the pairs of similar names of players who were not compared under their name yet.

    Nothing is lost between two writers: a name that is committed after this has read the club is
    not compared yet, and the next sweep compares it with all others.
    """
    waiting = _list_players().filter(is_compared=False).order_by("club_id", "pk")
    by_club = defaultdict(list)
    for pk, club_id in waiting.values_list("pk", "club_id")[:PIECE]:
        by_club[club_id].append(pk)
    for club_id, keys in by_club.items():
        names = _names_in(club_id, keys)
        similar = SimilarNames(names)
        _store_pairs(club_id, names, {key: similar.like(key) for key in names.keys() & set(keys)})


def _list_players() -> QuerySet[Player]:
    return Player.objects.filter(merged_into=None, erased_at=None)


def _names_in(club_id: int, keys: Collection[int]) -> dict[int, str]:
    """Return the names to compare, then the others of the club, by row."""
    players = _list_players().filter(club=club_id).order_by("pk")
    named = players.values_list("pk", "name")
    return {**dict(named.filter(pk__in=keys)), **dict(named[:NAMES_COMPARED])}


@atomic_step
def _store_pairs(
    club_id: int, names: Mapping[int, str], likenesses: Mapping[int, Mapping[int, float]]
) -> None:
    """Store pairs in place of the former ones of these players.

    Players who were renamed, merged or removed since the names were read are left out.
    """
    lock_names(Club(pk=club_id))
    keys = {*likenesses, *(other for likes in likenesses.values() for other in likes)}
    rows = _list_players().filter(pk__in=keys).select_for_update(no_key=True).order_by("pk")
    unchanged = {pk for pk, name in rows.values_list("pk", "name") if names[pk] == name}
    compared = unchanged & likenesses.keys()
    remove_pairs(compared)
    pairs = {
        (min(key, other), max(key, other)): round(100 * likeness)
        for key in sorted(compared)
        for other, likeness in likenesses[key].items()
        if other in unchanged
    }
    SimilarPlayers.objects.bulk_create(
        SimilarPlayers(club_id=club_id, player_id=first, other_id=second, likeness=likeness)
        for (first, second), likeness in pairs.items()
    )
    Player.objects.filter(pk__in=compared).update(is_compared=True)


def remove_pairs(keys: Iterable[int]) -> None:
    pks = tuple(keys)
    SimilarPlayers.objects.filter(Q(player__in=pks) | Q(other__in=pks)).delete()
