"""Players of a club who may be one person, and what was merged into a player."""

from collections.abc import Sequence
from typing import Final

from tournaments.domain.imports.similar_names import similar_names
from tournaments.models.clubs import Club, Player
from tournaments.models.privacy import PlayerMerge

MOST: Final = 20
"""Pairs that a page lists."""
COMPARED: Final = 2_000
"""Above so many players nothing is compared: that would keep a page waiting."""


def possible_duplicates(club: Club) -> Sequence[tuple[Player, Player]]:
    """Return pairs of players whose names may be those of one person, at most `MOST`.

    The second of a pair is the one to merge into the first.
    """
    rows = Player.objects.filter(club=club, merged_into=None, erased_at=None)
    people = {one.player_id: one for one in rows.order_by("player_id")[: COMPARED + 1]}
    if len(people) > COMPARED:
        return ()
    pairs = list(similar_names({number: one.name for number, one in people.items()}))
    return [(people[one], people[other]) for one, other in pairs[:MOST]]


def likely_duplicates_of(club: Club, player: Player) -> Sequence[Player]:
    """Return the players who may be the same person as `player`."""
    pairs = [pair for pair in possible_duplicates(club) if player in pair]
    return [one if other == player else other for one, other in pairs]


def merges_into(player: Player) -> Sequence[PlayerMerge]:
    """Return the merges that gave their records to a player, the newest first."""
    rows = PlayerMerge.objects.filter(target=player, undone_at=None).select_related("source")
    return list(rows.order_by("-merged_at"))


def merge_of(club: Club, player_id: str) -> PlayerMerge | None:
    """Return the merge of a player into another one, if it is merged."""
    rows = PlayerMerge.objects.filter(club=club, source__player_id=player_id, undone_at=None)
    return rows.select_related("source", "target", "club").first()
