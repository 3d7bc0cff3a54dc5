"""The scores of an event, compared with a replay of their entries."""

from tournaments.models.events import Event
from tournaments.selectors.standings.bulk_reads import stored_hands
from tournaments.services.verification.games import (
    TableKinds,
    Verification,
    batches,
    compare_hands,
)


def verify_scores(event: Event) -> Verification:
    found, kinds = Verification(), TableKinds(event)
    for games in batches(event):
        compare_hands(
            games, stored_hands(event, first=games[0].id, last=games[-1].id), kinds, found
        )
    return found
