"""The values of one entrant: which count, which are left out."""

from datetime import date

import pytest

from tests.support.builders import bring, finished, league, players, table
from tests.support.cast import NOW, Cast
from tests.support.pages.text import text_of
from tournaments.selectors.events.entrants import get_entrant
from tournaments.selectors.standings.counted_values import list_counted_values
from tournaments.services.publishing.publications import publish

pytestmark = pytest.mark.django_db


def test_values_and_the_one_left_out_by_best_n(cast: Cast) -> None:
    rule = {"unit": "meeting", "min": 1, "per": 2}
    event = league(cast.riverside, settings={"primary": "placement_points", "best_of": rule})
    people = players(event.club, "Ada Alder", "Ben Birch", "Cleo Cedar", "Dan Dogwood")
    code = people[0].player_id
    bring(event, code, "1/2", on=date(2025, 10, 2))
    bring(event, code, "3", on=date(2025, 10, 9))
    finished(table(event, people, on=date(2025, 11, 6)))
    publish(event.pk, now=NOW)
    values = list_counted_values(event, get_entrant(event, code))
    assert [(value.key, value.value, value.counts) for value in values][1:] == [
        ("value:2", "3.0", True),
        ("value:1", "0.5", False),
    ]
    assert values[0].key == "table:r1t1"
    assert values[0].counts
    page = text_of(cast.client().get(f"/clubs/riverside/events/league/players/{code}"))
    assert "From before 2 Oct 2025 0.5 Left out" in page
    assert "From before 9 Oct 2025 3.0 Counts" in page
    assert "In the standings" in page
    assert "A value is wrong" not in page
