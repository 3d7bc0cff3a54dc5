"""The ladder that is written as rows is one that could have been played."""

import pytest
from django.db.models import Count, Sum

from benchmarks.ladders import (
    SEATS,
    bare_positions,
    bare_ratings,
    first_hand,
    ladder,
    rate_anew,
    require_rated,
)
from tests.support.cast import NOW
from tournaments.models.events import Event
from tournaments.models.jobs import ladder_scope
from tournaments.models.ladders import RatingChange
from tournaments.models.standings import Aggregate, Contribution
from tournaments.selectors.jobs.queue import get_versions
from tournaments.selectors.ladders.log import current_ladder, events_of
from tournaments.services.publishing.ladder_positions import LadderInputs
from tournaments.services.publishing.ladders import publish_ladder
from tournaments.services.publishing.publications import publish

GAMES = 43
"""More than one round of them."""


@pytest.fixture
def event(db: None) -> Event:
    return ladder("climbed", games=GAMES)


def test_every_game_seats_four_and_the_sums_are_theirs(event: Event) -> None:
    games = Contribution.objects.filter(event=event).values("game").annotate(n=Count("pk"))
    assert {game["n"] for game in games} == {SEATS}
    assert len(games) == GAMES
    sums = Contribution.objects.filter(event=event).values("entrant").annotate(n=Sum("points"))
    kept = Aggregate.objects.filter(event=event).values_list("entrant", "points")
    assert dict(kept) == {one["entrant"]: one["n"] for one in sums}
    assert first_hand(event).number == 1


def test_ratings_and_positions_are_those_of_the_bare_loops(event: Event) -> None:
    inputs = LadderInputs(event)
    rate_anew(event)
    require_rated(event, inputs.games, inputs.rules)
    assert RatingChange.objects.filter(event=event).count() == SEATS * GAMES
    assert len(bare_ratings(inputs.games, inputs.rules)) > SEATS
    publish(event.pk, now=NOW)
    publish_ladder(event.pk, now=NOW)
    scope = ladder_scope(event.pk)
    version, done = get_versions(scope)
    assert done == version > 0
    assert current_ladder(event).order == bare_positions(events_of(event))
