"""Lines of the change log about seats that changed at once: before hands, or by a redraw.

A draft round has no line: nobody was seated by it yet.
"""

from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias

from tournaments.models.clubs import Player
from tournaments.models.events import EntrantMember
from tournaments.models.rounds import Round, SitOut, Sitting
from tournaments.selectors.clubs.clubs import get_role
from tournaments.selectors.events.change_log import SEATING_KIND
from tournaments.services.audit.audit import note_change
from tournaments.services.operations import Operation

Place: TypeAlias = list[int] | str
"""Table and seat, both from 1, or `sits_out`."""


def places_in(round_: Round) -> dict[int, Place]:
    """Return the places of all players in a round, by row; empty for a draft."""
    if round_.state == "draft":
        return {}
    outside = SitOut.objects.filter(round=round_).values("entrant")
    resting = EntrantMember.objects.filter(entrant__in=outside)
    places: dict[int, Place] = dict.fromkeys(
        resting.values_list("player_id", flat=True), "sits_out"
    )
    sitting = Sitting.objects.filter(round=round_, to_hand__isnull=True)
    rows = sitting.values_list("player_id", "seat__table__number", "seat__number")
    return places | {player: [table, seat] for player, table, seat in rows}


def _sizes(places: Mapping[int, Place]) -> dict[str, int]:
    tables = (place[0] for place in places.values() if isinstance(place, list))
    return {str(table): seats for table, seats in sorted(Counter(tables).items())}


def note_seating(
    op: Operation, round_: Round, before: Mapping[int, Place], *, reason: str = ""
) -> None:
    """Add a line to the change log if a player's place differs from `before`.

    The caller holds the event's row. `before` and `after` of the line are places by ids of players,
    None for nowhere; `sizes` are the seats of each table, by which a seat is called North or 5.
    """
    if round_.state == "draft":
        return
    after = places_in(round_)
    changed = {row for row in {*before, *after} if before.get(row) != after.get(row)}
    if not changed:
        return
    ids = dict(
        Player.objects.filter(pk__in=changed).order_by("player_id").values_list("pk", "player_id")
    )
    event = round_.event
    note_change(
        event=event,
        kind=SEATING_KIND,
        by=get_role(op.actor, event.club_id),
        now=op.now,
        reason=reason,
        facts={
            "round": round_.number,
            "before": {code: before.get(player) for player, code in ids.items()},
            "after": {code: after.get(player) for player, code in ids.items()},
            "sizes": {"before": _sizes(before), "after": _sizes(after)},
        },
    )
