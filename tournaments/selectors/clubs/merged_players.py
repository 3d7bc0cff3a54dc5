"""Whom a merged player's number means now: the player who took the records."""

from collections.abc import Collection, Mapping, Sequence

from tournaments.models.clubs import Club, Player


def final_keys(club: Club | int) -> Mapping[int, int]:
    """Return the row of the player who has the records now, by the row of each merged player."""
    merged = Player.objects.filter(club=club, merged_into__isnull=False)
    into: dict[int, int] = dict(merged.values_list("pk", "merged_into_id"))
    return {pk: _last(pk, into) for pk in into}


def _last(pk: int, into: Mapping[int, int]) -> int:
    while pk in into:
        pk = into[pk]
    return pk


def merged_into(club: Club, player_id: str) -> Player | None:
    """Return who has the records of a merged player now; None for anybody else."""
    merged = Player.objects.filter(club=club, player_id=player_id, merged_into__isnull=False)
    found = merged.first()
    return None if found is None else Player.objects.get(pk=final_keys(club)[found.pk])


def current_ids(
    club_id: int, ids: Sequence[str] | None, there: Collection[str] = ()
) -> Sequence[str] | None:
    """Return numbers of players with those of merged ones replaced: an old page may send them.

    Args:
        there: numbers that need no look; nothing is asked where all are among them.
    """
    if ids is None or set(ids) <= set(there):
        return ids
    rows = Player.objects.filter(club=club_id, player_id__in=ids, merged_into__isnull=False)
    merged = dict(rows.values_list("player_id", "pk"))
    if not merged:
        return ids
    keys = final_keys(club_id)
    now = dict(Player.objects.filter(pk__in=keys.values()).values_list("pk", "player_id"))
    return [now[keys[merged[one]]] if one in merged else one for one in ids]
