"""The seeds of a knock-out: its entrants in order before the first round."""

from typing import Final

from scoring.standings.tie_breaks import drawn
from tournaments.models.events import Entrant, Event, Seeding, Stage
from tournaments.models.playoffs import StageEntrant
from tournaments.models.standings import Publication
from tournaments.selectors.stages import published_tiers
from tournaments.selectors.standings.standings import stored_publication

_LAST: Final = 10**6
"""Whoever has no place comes after all who have one."""


def seeds_of(
    event: Event, stage: Stage, seeding: str, draft: Publication | None = None
) -> list[str]:
    """Return the codes of a stage's entrants, first seed first; three queries at most.

    Entrants without a place in the standings or the ladder follow by lot. The lot is the event's,
    so that everybody can draw it again.

    Args:
        draft: standings to be read in the place of the published ones.
        seeding: `standings` as published, `ladder` (start positions), or `lot`.
    """
    entrants = Entrant.objects.filter(event=event).exclude(state="withdrawn")
    inside = frozenset(StageEntrant.objects.filter(stage=stage).values_list("entrant", flat=True))
    candidates = [entrant for entrant in entrants if not inside or entrant.pk in inside]
    by_lot = sorted(candidates, key=lambda entrant: drawn(event.seed, entrant.code))
    if seeding == Seeding.LOT:
        return [entrant.code for entrant in by_lot]
    if seeding == Seeding.LADDER:
        by_lot.sort(key=lambda entrant: entrant.start_position or _LAST)
        return [entrant.code for entrant in by_lot]
    publication = draft or stored_publication(event)
    order = [code for tier in published_tiers(publication) for code in tier] if publication else []
    ranks = {code: at for at, code in enumerate(order)}
    return [
        entrant.code
        for entrant in sorted(by_lot, key=lambda entrant: ranks.get(entrant.code, _LAST))
    ]
