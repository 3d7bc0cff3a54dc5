"""Where the players of an event stand, as published: the list of a ladder night."""

import json
from collections.abc import Mapping

from django.db.models import Q

from tournaments.models.events import EntrantMember, Event, EventKind
from tournaments.models.standings import Publication


def standing_of(event: Event) -> Mapping[int, int]:
    """Return the place of each player, 1 the best, by row; two queries.

    A ladder has its list, any other event its standings; members of a pair share their place.
    Players without a place, and everybody before the first publication, are left out.
    """
    is_ladder = event.kind == EventKind.LADDER
    of = Q(ladder=event) if is_ladder else Q(event=event)
    body = Publication.objects.filter(of).order_by("-number").values_list("body", flat=True).first()
    if body is None:
        return {}
    key = "place" if is_ladder else "rank"
    places = {row["player_id"]: row[key] for row in json.loads(bytes(body))["rows"] if row[key]}
    members = EntrantMember.objects.filter(event=event, entrant__code__in=places)
    rows = members.values_list("player_id", "entrant__code")
    return {player: places[code] for player, code in rows}
