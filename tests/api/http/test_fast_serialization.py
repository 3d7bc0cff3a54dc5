"""What is written by `plain` is what the shape itself would write."""

from typing import Any

import pytest
from django.utils import timezone

from api.lists.pagination import Listing
from api.serializers.fast_serialization import plain
from api.v1.clubs import clubs, players
from api.v1.events import events
from api.v1.hands import hands
from api.v1.rounds import meetings, tables
from api.v1.rules import variants
from api.v1.standings import standings
from tests.api.conftest import Evening
from tests.support.builders import hand
from tournaments.models.events import Season
from tournaments.policy import ANYBODY

AT = {"club": "riverside", "event": "league", "code": "r1t1", "number": 1}
LISTINGS = [
    (clubs.CLUBS, ()),
    (players.PLAYERS, ("club",)),
    (events.EVENTS, ("club",)),
    (standings.PUBLICATIONS, ("club", "event")),
    (meetings.MEETINGS, ("club", "event")),
    (meetings.ROUNDS, ("club", "event")),
    (hands.HANDS, ("club", "event")),
    (tables.HANDS, ("club", "event", "code")),
    (tables.REVISIONS, ("club", "event", "code", "number")),
    (variants.VARIANTS, ()),
]


@pytest.mark.parametrize(("listing", "names"), LISTINGS, ids=lambda one: getattr(one, "name", ""))
def test_rows_of_a_list_are_written_as_its_shape_writes_them(
    evening: Evening, listing: Listing, names: tuple[str, ...]
) -> None:
    hand(evening.game, 1, [4, 1, 2, 6], 2, based_on=1, reason="South had her.")
    rows: list[Any] = list(listing.rows(ANYBODY, **{name: AT[name] for name in names}))
    shape = listing.shape()
    assert rows
    assert list(map(plain(listing.shape), rows)) == [shape.to_representation(row) for row in rows]


def test_season_is_its_slug_where_there_is_one(evening: Evening) -> None:
    day = timezone.now().date()
    season = Season.objects.create(
        club=evening.cast.riverside, slug="winter", name="Winter", starts_on=day, ends_on=day
    )
    write = plain(events.EventDetailSerializer)
    assert write(evening.event)["season"] is None
    evening.event.season = season
    assert write(evening.event) == events.EventDetailSerializer(evening.event).data
    assert write(evening.event)["season"] == "winter"


def test_object_without_a_needed_field_is_not_written() -> None:
    with pytest.raises(KeyError):
        plain(players.PlayerSerializer)({"player_id": "RL01"})
